"""Guesses at tables whose meaning is unknown: the records that the seeds propose, as many bytes wide.

A guess only shows the bytes in other types; it never changes them.

Source: seeds 001 1.14, 002 9; spec/msh.md 9.
Status: hypothesis.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from viewer.formats.msh.path_graph import LIGHT_PROBE
from viewer.formats.msh.vertices import NORMAL_SCALE, STREAM15, STREAM16, STREAM18
from viewer.formats.record import Field, Record, Status
from viewer.translation import Text, _

BGRA: Final = ("B", "G", "R", "A")
"""The bytes of a color as Direct3D stores it."""


class Guess(Struct, frozen=True):
    """A guess at the record of a table.

    Parameters
    ----------
    name
        Its name in the shell and in state links.
    record
        The record of a row, of the size of the declared one.
    """

    name: str
    title: Text
    record: Record


def _guess(declared: Record, name: str, title: Text, *fields: Field) -> Guess:
    # `Record` refuses fields of another size: what is looked at in other types stays the same bytes.
    return Guess(name, title, Record(declared.name, declared.size, *fields, doc=declared.doc))


def _field(
    name: str, dtype: str, doc: str, count: int, scale: float | None = None, *, is_color: bool = False
) -> Field:
    return Field(
        name,
        dtype,
        doc,
        shape=(count,),
        unit=None if scale is None else f"1/{scale:.0f}",
        scale=scale,
        components={"": BGRA} if is_color else {},
        status=Status.HYPOTHESIS,
    )


FLOATS, SHORTS, VECTORS, COLOR, WORDS, ROWS = "floats", "shorts", "vectors", "color", "words", "rows"
GUESSES: Final[Mapping[str, tuple[Guess, ...]]] = MappingProxyType(
    {
        STREAM15.name: (
            _guess(
                STREAM15,
                FLOATS,
                _("two floats"),
                _field("uv", "<f4", "Perhaps u, v of a second texture or of the lightmap.", 2),
            ),
            _guess(
                STREAM15,
                SHORTS,
                _("four i16"),
                _field("uv_a", "<i2", "Perhaps u, v of a texture; their scale is unknown.", 2),
                _field("uv_b", "<i2", "Perhaps u, v of another texture; their scale is unknown.", 2),
            ),
        ),
        STREAM16.name: (
            _guess(
                STREAM16,
                VECTORS,
                _("vectors A and B"),
                _field("a", "i1", "Stream A: perhaps a tangent.", 4, NORMAL_SCALE),
                _field("b", "i1", "Stream B: perhaps a bitangent.", 4, NORMAL_SCALE),
            ),
            _guess(
                STREAM16,
                COLOR,
                _("two colors"),
                _field("a", "u1", "Stream A: perhaps a color.", 4, is_color=True),
                _field("b", "u1", "Stream B: perhaps a color.", 4, is_color=True),
            ),
        ),
        STREAM18.name: (
            _guess(
                STREAM18,
                COLOR,
                _("color B G R A"),
                _field("color", "u1", "Perhaps a color, or light parameters.", 4, is_color=True),
            ),
        ),
        LIGHT_PROBE.name: (
            _guess(
                LIGHT_PROBE,
                WORDS,
                _("words"),
                Field("words", "<u4", "Unknown.", shape=(12,), status=Status.OPEN),
            ),
            _guess(LIGHT_PROBE, ROWS, _("u16"), _field("rows", "<u2", "Perhaps rows of vertices.", 24)),
        ),
    }
)
"""Guesses at tables by name; without a guess a table is shown as it is declared."""
NO_GUESSES: Final[Mapping[str, str]] = MappingProxyType({})
"""All tables as they are declared."""


def guess_of(table: str, chosen: Mapping[str, str]) -> Guess | None:
    """The guess chosen for a table, by name; None if it is shown as declared."""
    name = chosen.get(table)
    return next((it for it in GUESSES.get(table, ()) if it.name == name), None)


def is_color(field: Field) -> bool:
    """Whether the bytes of a field are looked at as a color."""
    return BGRA in field.components.values()
