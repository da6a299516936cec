"""The columns of an overview: each declared once.

The shell, its JSON and schema, its tables, conditions, orders and sums, completion and the window read these.
What they are computed from loads with the first entry, so that a listing without columns starts as fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from viewer.errors import UsageError, suggestion
from viewer.formats.text import fold
from viewer.model.kinds.registry import ARCHIVES, MATERIAL, TEXTURE
from viewer.translation import Text, _

if TYPE_CHECKING:
    from viewer.operations.overview.subject import EntrySubject

NAME: Final = "name"
"""The other column that conditions, orders and groups may name."""
ENTRY: Final = "entry"
"""The first column of a window, which conditions may name too: the name, in a folder the address."""
Value = int | str | None
"""A cell of a column; None if it says nothing of such entries, or if nothing is known."""


class Gathered(Enum):
    """A source of columns besides the entry."""

    NOTHING = "nothing"
    PROBLEMS = "problems"
    """All rules, on many entries together."""
    USERS = "users"
    """The references in all files of the game."""


class OverviewColumn(Struct, frozen=True):
    """A column of an overview.

    Attributes
    ----------
    name
        As options, JSON and conditions call it.
    title, doc
        Its heading, and its meaning in one sentence.
    none
        What an entry without a value is.
    measure
        The value of an entry; raises `MshviewError` if the entry cannot be read.
    is_text
        Its values are texts, which have no sum.
    unit
        What its numbers count, for messages; empty if the name says it.
    gathered
        What else has to be looked at.
    """

    name: str
    title: Text
    doc: Text
    none: Text
    measure: Callable[[EntrySubject], Value]
    is_text: bool = False
    unit: Text | str = ""
    gathered: Gathered = Gathered.NOTHING


def _triangles(it: EntrySubject) -> int | None:
    lod, group = it.cell
    return None if it.draws is None else int(it.draws.triangle_counts()[lod, group])


def _materials(it: EntrySubject) -> int | None:
    return sum(len(wear.materials) for wear in it.wears) if it.wears else None


def _textures(it: EntrySubject) -> int | None:
    if it.kind is MATERIAL:
        return len(it.own_textures)
    if not it.wears or it.game.folder is None:
        return None
    materials = {fold(row.name) for wear in it.wears for row in wear.materials}
    lightmaps = {(fold(row.name), True) for wear in it.wears for row in wear.lightmaps}
    named = {(name, False) for material in materials for name in it.game.textures(material)}
    return len(named | lightmaps)


def _clips(it: EntrySubject) -> int | None:
    return None if it.controller is None else len(it.controller.clips)


def _effects(it: EntrySubject) -> int | None:
    names_some = it.kind.is_checked and it.kind is not TEXTURE and it.kind.id not in ARCHIVES
    return len(it.effects) if names_some else None


_NO_MODEL: Final = _("no model")
COLUMNS: Final = MappingProxyType(
    {
        it.name: it
        for it in (
            OverviewColumn(
                "kind", _("Kind"), _("What the payload is."), _("never"), lambda it: it.kind.id, is_text=True
            ),
            OverviewColumn(
                "archive",
                _("Archive"),
                _("The archive that it is in, from the game folder on."),
                _("not in an archive"),
                lambda it: it.archive,
                is_text=True,
            ),
            OverviewColumn(
                "triangles",
                _("Triangles"),
                _("Triangles of the model in the LOD and group that are asked for."),
                _NO_MODEL,
                _triangles,
            ),
            OverviewColumn(
                "nodes",
                _("Nodes"),
                _("Nodes of the model."),
                _NO_MODEL,
                lambda it: None if it.model is None else it.model.node_count,
            ),
            OverviewColumn(
                "vertices",
                _("Vertices"),
                _("Vertices of the model."),
                _NO_MODEL,
                lambda it: None if it.model is None else it.model.vertex_count,
            ),
            OverviewColumn(
                "materials",
                _("Materials"),
                _("Rows of the wear table, or of those next to the model."),
                _("no wear table"),
                _materials,
            ),
            OverviewColumn(
                "textures",
                _("Textures"),
                _("Different textures and lightmaps that it names, also through its materials."),
                _("names no materials and no textures"),
                _textures,
            ),
            OverviewColumn(
                "clips",
                _("Clips"),
                _("Clips of the controller, or of that of the model."),
                _("no controller"),
                _clips,
            ),
            OverviewColumn(
                "effects",
                _("Effects"),
                _("Different effects that it names, for a model in its controller and damage table."),
                _("cannot name one"),
                _effects,
            ),
            OverviewColumn(
                "display_name",
                _("Display name"),
                _("What the game calls it on screen (objects.dlb)."),
                _("no name on screen"),
                lambda it: it.called.name if it.called else None,
                is_text=True,
            ),
            OverviewColumn(
                "used_by",
                _("Used by"),
                _("Units that use it, also through other entries."),
                _("no game folder"),
                lambda _: None,
                gathered=Gathered.USERS,
            ),
            OverviewColumn(
                "problems",
                _("Problems"),
                _("Errors and warnings of the validator."),
                _("nothing checks such entries"),
                lambda it: it.problems,
                gathered=Gathered.PROBLEMS,
            ),
            OverviewColumn(
                "size",
                _("Size"),
                _("Bytes of the payload, unpacked."),
                _("never"),
                lambda it: len(it.item.data),
                unit=_("bytes"),
            ),
        )
    }
)
"""All columns by name, in the order of ``ls --help``."""


def column_named(name: str) -> OverviewColumn:
    """The column of a name; raises `UsageError` if there is none."""
    if name not in COLUMNS:
        hint = suggestion(name, COLUMNS)
        names = ", ".join(COLUMNS)
        raise UsageError(_("{name!r} is not one of {names}{hint}", name=name, names=names, hint=hint))
    return COLUMNS[name]


def columns_named(names: Iterable[str]) -> tuple[OverviewColumn, ...]:
    """The columns of some names, each once; raises `UsageError`."""
    return tuple(column_named(name) for name in dict.fromkeys(names))
