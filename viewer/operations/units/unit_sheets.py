"""The sheet of a unit: what its files say of each part, and their sums; what they do not say is unknown.

Source: spec/field-notes.md 2, 5, 11, spec/objects.md 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Final

import numpy as np
from msgspec import Struct

from viewer.errors import MshviewError
from viewer.formats import description, units
from viewer.formats.meaning import meaning
from viewer.formats.msh.slots import SLOT
from viewer.formats.units import Unit
from viewer.geometry.transforms import Doubles
from viewer.json_types import JsonObject, described
from viewer.model.game.assembly import MountedPart
from viewer.model.game.part_names import NAMES
from viewer.model.game.registry import Game
from viewer.model.game.sockets import GUN
from viewer.model.mesh.damage_stages import INDESTRUCTIBLE
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.tables.neighbors import DAMAGE, neighbors_of
from viewer.progress import checkpoint

GUN_CLASS, CLIP_CLASS = 4, 5
MEASURES: Final = ("area", "volume", "mass", "hit_points")
"""The measures of a part that are summed."""


class PartMeasures(Struct, frozen=True):
    """Measures of a model, None for what its files do not say.

    They are those of the nodes' slots in LOD 0, group 0, of which the game takes armour and mass.

    Attributes
    ----------
    area
        Square units, of the word +0x30 of the slots.
    volume
        Cubic units, of the word +0x34.
    mass
        The density of each node times its volume; None without a ``.ndp``.
    hit_points
        Of all nodes that can be destroyed.
    indestructible
        Nodes that cannot.
    """

    area: float | None = None
    volume: float | None = None
    mass: float | None = None
    hit_points: float | None = None
    indestructible: int | None = None


UNKNOWN: Final = PartMeasures()


class PartSheet(JsonObject, frozen=True):
    """A part of a unit with its measures."""

    component: int
    parent: int
    key: str
    called: Annotated[str | None, described("what the game calls it")]
    kind: Annotated[str, described("the class of the component, such as gun")]
    model: str | None
    area: Annotated[float | None, described("square units; null: its files do not say")]
    volume: float | None
    mass: float | None
    hit_points: float | None
    indestructible: Annotated[int | None, described("nodes that cannot be destroyed")]
    is_weapon: bool
    is_clip: bool
    feeds: Annotated[str | None, described("of a clip the code of the weapon that it feeds")]


class Total(JsonObject, frozen=True):
    """The sum of a measure over the parts that have it, and how many parts do not."""

    sum: float
    unknown: int


class UnitSheet(JsonObject, frozen=True):
    """All parts of a unit, and the sums of their measures by name."""

    kind: Annotated[str, described("the type of the unit; empty if it is not known")]
    parts: Sequence[PartSheet]
    totals: dict[str, Total]

    @property
    def weapons(self) -> list[PartSheet]:
        """The guns."""
        return [it for it in self.parts if it.is_weapon]

    @property
    def clips(self) -> list[PartSheet]:
        """The clips."""
        return [it for it in self.parts if it.is_clip]


def sheet_of(store: FileStore, game: Game | None, unit: Unit, parts: Sequence[MountedPart]) -> UnitSheet:
    """The sheet of a unit whose components are `parts`."""
    measured: dict[Address, PartMeasures] = {}
    rows = []
    for part in parts:
        checkpoint()
        if part.model is not None and part.model not in measured:
            measured[part.model] = measures_of(store, part.model)
        measures = UNKNOWN if part.model is None else measured[part.model]
        rows.append(_row(game, unit, part, measures))
    totals = {name: _total(rows, name) for name in MEASURES}
    return UnitSheet(meaning(units.HEADER.field("unit_type"), unit.header["unit_type"]), rows, totals)


def measures_of(store: FileStore, address: Address) -> PartMeasures:
    """The measures of the model at an address; all unknown for one that cannot be read."""
    with suppress(MshviewError):
        item = store.open(address)
        model = item.read_model()
        slots = model.slots
        if not len(model.nodes) or "opaque" not in (slots.dtype.names or ()):
            return UNKNOWN
        first = model.nodes["slots"][:, 0, 0].astype(np.int64)
        has_slot = first < len(slots)
        used = first[has_slot]
        area, volume = (it.of_rows(slots["opaque"]).astype(np.float64)[used] for it in _MEASURES)
        found = neighbors_of(store, item).tables.get(DAMAGE)
        # A table of another length is of another model: which of its rows are of which node is unknown.
        if found is None or len(found.rows) != len(model.nodes):
            return PartMeasures(_sum(area), _sum(volume))
        rows = found.rows[has_slot]
        points = rows["hit_points"].astype(np.float64)
        is_mortal = points < INDESTRUCTIBLE
        return PartMeasures(
            _sum(area),
            _sum(volume),
            _sum(volume * rows["density"].astype(np.float64)),
            _sum(points[is_mortal]),
            int((~is_mortal).sum()),
        )
    return UNKNOWN


_MEASURES: Final = SLOT.field("opaque").bits[:2]


def _sum(values: Doubles) -> float | None:
    """The sum of a measure, None if one value is none: not finite, or negative."""
    with np.errstate(invalid="ignore"):
        return float(values.sum()) if np.isfinite(values).all() and (values >= 0).all() else None


def _row(game: Game | None, unit: Unit, part: MountedPart, measures: PartMeasures) -> PartSheet:
    class_id = unit.components["class_id"][part.component]
    is_clip = int(class_id) == CLIP_CLASS
    return PartSheet(
        component=part.component,
        parent=part.parent,
        key=part.key,
        called=part.called or None,
        kind=meaning(units.COMPONENT.field("class_id"), class_id) or str(class_id),
        model=None if part.model is None else str(part.model),
        area=measures.area,
        volume=measures.volume,
        mass=measures.mass,
        hit_points=measures.hit_points,
        indestructible=measures.indestructible,
        # 26 guns of the game are stored as armour: the key tells them too (spec/field-notes.md 5).
        is_weapon=int(class_id) == GUN_CLASS or part.key.casefold().startswith(GUN),
        is_clip=is_clip,
        feeds=_feeds(game, part.key) if is_clip else None,
    )


def _feeds(game: Game | None, key: str) -> str | None:
    """The code of the weapon that a clip feeds, as the game describes it; None if it does not say."""
    archive = None if game is None else game.archive(NAMES)
    index = None if archive is None else archive.find(key.encode("cp1251", "replace"))
    if archive is None or index is None:
        return None
    with suppress(MshviewError):
        return description.facts(description.decode(archive.payload(index))).feeds
    return None


def _total(rows: Sequence[PartSheet], name: str) -> Total:
    values = [getattr(row, name) for row in rows]
    known = [value for value in values if value is not None]
    return Total(sum=sum(known), unknown=len(values) - len(known))
