"""The parts that the text of each kind has, in the order of their bytes.

What follows from the rest is left out of a text as long as it holds: numbers of rows, lengths, the usual
white space. Written down it counts as it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from viewer.formats import fxid, fxid_commands, mat0, objects, units, wear
from viewer.formats.archive.nres import Entry
from viewer.formats.msh import extras, nodes, strings
from viewer.formats.msh.tables import LEGACY_NODES, PATH_GRAPH, STRINGS, TABLES, Table
from viewer.formats.neighbors import areal_map, control, control_points, damage, ground_plan
from viewer.formats.record import Field, Record
from viewer.formats.texture import font, palette, texm

Counted = tuple[str, int]
"""A table, and what is added to its number of rows."""


@dataclass(frozen=True, slots=True)
class One:
    """A single record: an object.

    Parameters
    ----------
    record
        The record.
    is_optional
        Whether it may be absent.
    counts
        Fields that are the number of rows of a table.
    size
        Returns the size that is stored, for a directory entry; the whole record by default.
    """

    record: Record
    is_optional: bool = False
    counts: Mapping[str, Counted] = field(default_factory=dict)
    size: Callable[[Entry | None], int] | None = None

    @property
    def name(self) -> str:
        """The name of the part."""
        return self.record.name


@dataclass(frozen=True, slots=True)
class Rows:
    """Records of equal size: a list of objects, or of values if there is one field.

    Parameters
    ----------
    name
        The name of the part.
    record
        Returns the record, for the values of the rows and a directory entry.
    is_optional
        Whether it may be absent.
    """

    name: str
    record: Callable[[Sequence[Any], Entry | None], Record]
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A record whose texts are as long as their values: an object.

    Parameters
    ----------
    name
        The name of the part.
    fields
        Its fields, which are texts.
    usual
        Texts that are left out.
    counted
        A field that is the number of rows of a table in decimal digits, and that table.
    is_optional
        Whether it may be absent.
    """

    name: str
    fields: tuple[Field, ...]
    usual: Mapping[str, bytes] = field(default_factory=dict)
    counted: tuple[str, str] | None = None
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class Labels:
    """Texts with their length before and a NUL after them: a list of texts, of objects with another end."""

    name: str


@dataclass(frozen=True, slots=True)
class Block:
    """Bytes: hexadecimal, or text if they always are; left out if there are none."""

    name: str
    is_text: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Parts by name: an object.

    With `may_be_bytes` a part that cannot be read is bytes instead.
    """

    name: str
    children: tuple[Form, ...]
    may_be_bytes: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """Parts of different lengths: a list.

    Parameters
    ----------
    name
        The name of the part.
    items
        What its rows may be; the ``kind`` of a row names one of several.
    """

    name: str
    items: tuple[Form, ...]


Form = One | Rows | Line | Labels | Block | Group | Listing


def rows(record: Record, *, is_optional: bool = False) -> Rows:
    """Return the form of a table with one record."""
    return Rows(record.name, lambda _, __: record, is_optional)


def _line(name: str, **more: Any) -> Line:
    """The form of a line of a wear table."""
    is_row = name in (wear.MATERIALS, wear.LIGHTMAPS)
    fields = wear.ROW_FIELDS if is_row else wear.COUNT_FIELDS
    usual = {"indent": b"", "gap": b" ", "rest": b"\r\n"}
    return Line(name, fields, {it.name: usual[it.name] for it in fields if it.name in usual}, **more)


def _states(values: Sequence[Any], _: Entry | None) -> Record:
    first = values[0].get("contacts") if values and isinstance(values[0], dict) else None
    return control.state_record(len(first) if isinstance(first, list) else 0)


def _costs(values: Sequence[Any], _: Entry | None) -> Record:
    return control.cost_record(len(values[0]) if values and isinstance(values[0], list) else 0)


def _header_size(entry: Entry | None) -> int:
    return mat0.header_size(mat0.VERSION if entry is None else entry.attr2)


_TEXTURE: Final = (
    One(texm.HEADER),
    rows(texm.PALETTE, is_optional=True),
    Listing(texm.LEVELS, (Block("level"),)),
    One(texm.PAGE_HEADER, is_optional=True, counts={"page_count": (texm.PAGE.name, 0)}),
    rows(texm.PAGE),
    Block(texm.TAIL),
)

FORMS: Final[Mapping[str, tuple[Form, ...]]] = {
    "texm": _TEXTURE,
    "font": (One(font.HEADER), rows(font.GLYPH), Group(font.TEXTURE, _TEXTURE, may_be_bytes=True)),
    "mat0": (
        One(
            mat0.HEADER,
            counts={"phase_count": (mat0.PHASE.name, 0), "block_count": (mat0.BLOCKS, 0)},
            size=_header_size,
        ),
        rows(mat0.PHASE),
        Listing(
            mat0.BLOCKS,
            (Group("block", (One(mat0.BLOCK, counts={"key_count": (mat0.KEY.name, 0)}), rows(mat0.KEY))),),
        ),
        Block("tail"),
    ),
    "wear": (
        _line(wear.MATERIAL_COUNT, counted=("count", wear.MATERIALS)),
        Listing(wear.MATERIALS, (_line(wear.MATERIALS),)),
        Block(wear.SEPARATOR, is_text=True),
        One(wear.HEADING, is_optional=True),
        _line(wear.LIGHTMAP_COUNT, counted=("count", wear.LIGHTMAPS), is_optional=True),
        Listing(wear.LIGHTMAPS, (_line(wear.LIGHTMAPS),)),
        Block(wear.TAIL, is_text=True),
    ),
    "fxid": (
        One(fxid.HEADER, counts={"command_count": (fxid.COMMANDS, 0)}),
        Listing(fxid.COMMANDS, tuple(One(kind.record) for kind in fxid_commands.COMMAND_KINDS.values())),
        Block(fxid.TAIL),
    ),
    "control": (
        One(control.COUNTS, counts={"states": ("states", 0), "channels": (control.CHANNEL.name, 0)}),
        One(control.PARAMETERS),
        Rows("states", _states),
        Rows("costs", _costs),
        rows(control.CHANNEL),
        Block("rest"),
    ),
    "units": (One(units.HEADER), rows(units.COMPONENT), Block("tail")),
    "objects": (rows(objects.REFERENCE), Block("tail")),
    "control_points": (
        One(control_points.HEADER, counts={"count": (control_points.POINT.name, 0)}),
        rows(control_points.POINT),
        rows(control_points.NAME),
        Block("tail"),
    ),
    "damage": (
        One(damage.HEADER, counts={"count": (damage.NODE_DAMAGE.name, 0)}),
        rows(damage.NODE_DAMAGE),
        Block("tail"),
    ),
    "ground_plan": (
        Listing(
            ground_plan.RINGS,
            (
                Group(
                    "ring",
                    (
                        One(ground_plan.HEADER, counts={"count": (ground_plan.POINT.name, -1)}),
                        rows(ground_plan.POINT),
                        rows(ground_plan.TRIANGLE),
                        rows(ground_plan.CORNER),
                    ),
                ),
            ),
        ),
        Block("tail"),
    ),
    "areal_map": (
        Listing(
            areal_map.AREALS,
            (
                Group(
                    "polygon",
                    (
                        One(areal_map.AREAL, counts={"vertex_count": (areal_map.VERTEX.name, 0)}),
                        rows(areal_map.VERTEX),
                        rows(areal_map.EDGE),
                    ),
                ),
            ),
        ),
        One(areal_map.GRID, is_optional=True),
        rows(areal_map.CELL, is_optional=True),
        Block(areal_map.TAIL),
    ),
    "palette": (
        rows(palette.COLOR),
        One(palette.BLEND_HEADER, is_optional=True),
        Block("blend_table"),
        Block("tail"),
    ),
}
"""The parts of each kind but for archives and for the tables of models."""


@cache
def forms_of(kind: str) -> tuple[Form, ...] | None:
    """Return the parts of a kind, or None if it has no parts: archives, unknown kinds."""
    if kind in FORMS:
        return FORMS[kind]
    found = next((it for it in TABLES.values() if it.name == kind), None)
    return None if found is None else _table(found)


def _table(declared: Table) -> tuple[Form, ...]:
    """The parts of a table of a model."""
    if declared.type_id == STRINGS:
        return (Labels(strings.TABLE), Block(strings.TAIL))
    if declared.type_id == PATH_GRAPH:
        return (rows(extras.PATH_NODE), rows(extras.PATH_LINK), Block("path_graph_tail"))
    if declared.record is None:
        return (Block(declared.name),)
    record = declared.record
    header = () if declared.header is None else (One(declared.header, is_optional=True),)
    return (*header, Rows(record.name, lambda _, entry: _record(record, entry)), Block(declared.tail))


def _record(record: Record, entry: Entry | None) -> Record:
    """The record of a table whose entry has these attributes."""
    is_legacy = record is nodes.NODE and entry is not None and entry.attr3 == nodes.LEGACY_SIZE
    legacy = LEGACY_NODES.record
    return legacy if is_legacy and legacy is not None else record
