"""EXPL, an explosion (``.exp``): what a hit or a destroyed node does, and its effect by the surface struck.

Source: spec/effects.md 8.
Status: inferred.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec import Struct

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.formats.layout.layout import Layout
from viewer.formats.layout.members import Array, Single, tail
from viewer.formats.record import ARCHIVE, CP1251, ENTRY, Field, Record, Rows, Status
from viewer.formats.text import until_nul

SLOT_COUNT: Final = 12
"""The default effect, and one for each ground surface."""
# The letters of the surface in the names of effects; ``gr`` is 2 and 6. A contact without a face counts as
# 10.
SURFACES: Final = ("sn", "st", "gr", "sw", "ic", "mt", "gr", "wt", "al", "an", "sh")
"""Ground surfaces by their number, which is byte 4 of the material of the face struck."""
METAL: Final = 5
"""The surface of machines."""
KINDS = {0: "shield", 1: "effect only", 2: "direct hit", 3: "blast"}
PLACEMENTS = {
    0: "y axis of the node",
    1: "x axis of the node",
    2: "x axis of the node",
    3: "z axis of the node",
    4: "x axis of the object",
    5: "y axis of the object",
    6: "z axis of the object",
    7: "normal of the face struck",
}

HEADER = Record(
    "header",
    24,
    Field("kind", "<i4", "What it does.", values=KINDS),
    Field("damage", "<f4", "Damage."),
    Field("radius", "<f4", "Size of the effect, times the bounding radius of the node."),
    Field("unread", "<f4", "1.0; not read by the game.", (2,), status=Status.OPEN),
    Field("placement", "<i4", "Axis of the effect.", values=PLACEMENTS),
    doc="Damage and size of the explosion.",
    status=Status.INFERRED,
)

SLOT = Record(
    "slots",
    64,
    Field("archive", "V32", "Archive of the effect.", encoding=CP1251, names=ARCHIVE),
    Field("effect", "V32", "Effect.", encoding=CP1251, names=ENTRY),
    doc="The effect on a ground surface; row 0 is the default, row s + 1 that of surface s.",
    status=Status.INFERRED,
)


class Explosion(Struct, frozen=True, eq=False):
    """A `HEADER` record and 12 `SLOT` records, as views of their bytes."""

    header: np.void
    rows: Rows
    tail: bytes
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def names(self) -> tuple[tuple[bytes, bytes], ...]:
        """Archive and name of the effect of each slot, up to their NULs."""
        return tuple(
            (until_nul(archive), until_nul(name))
            for archive, name in self.rows[["archive", "effect"]].tolist()
        )


LAYOUT = Layout(
    Explosion,
    header=Single(HEADER, "EXP01"),
    # The number is in no field: 24 + 12 * 64 bytes are 792, the size of every file.
    rows=Array(SLOT, lambda _ignored: SLOT_COUNT, "EXP01"),
    tail=tail("Bytes after the last slot.", "EXP01", Severity.WARNING),
)
decode, encode, parts = LAYOUT.decode, LAYOUT.encode, LAYOUT.parts
