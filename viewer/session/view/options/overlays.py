"""The overlays on what is shown in space: each is declared once, with what menus and the shell say of it."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Final, Self

from msgspec import Struct

from viewer.formats.msh.path_graph import LIGHT_PROBE, PATH_NODE
from viewer.model.tables.neighbors import CONTROL_POINTS, GROUND_POINTS
from viewer.options import OptionChoice
from viewer.translation import Text, _

if TYPE_CHECKING:
    from viewer.session.opened.document import Document


class OverlayDoc(Struct, frozen=True):
    """The declaration of an overlay.

    Attributes
    ----------
    title
        What menus and lists call it.
    icon
        The name of its icon in Font Awesome.
    keys
        Key chords that switch it, separated by spaces.
    hint
        What the toolbar says of it, if that is more than the title.
    has_button
        Whether the toolbar has a button for it: not if only few models have it, as buttons that come and go
        would move the whole window.
    is_drawn
        Whether pictures of the shell may have it; the window alone paints the others.
    table
        The table whose rows it shows, of one that only models with that table have.
    """

    title: Text
    icon: str
    keys: str = ""
    hint: Text | None = None
    has_button: bool = True
    is_drawn: bool = True
    table: str = ""

    @property
    def words(self) -> Text:
        """The tooltip of the overlay in the toolbar."""
        return self.hint or self.title


class Overlay(StrEnum):
    """Overlays on the model, in the order of the toolbar and of the menu; the values are saved."""

    doc: OverlayDoc

    def __new__(cls, value: str, doc: OverlayDoc) -> Self:
        """Make an overlay of the value that is saved."""
        made = str.__new__(cls, value)
        made._value_ = value
        made.doc = doc
        return made

    GRID = "grid", OverlayDoc(_("Grid"), "border-all", "G")
    AXES = "axes", OverlayDoc(_("World axes"), "arrows-up-down-left-right", "X")
    NODE_AXES = "node_axes", OverlayDoc(_("Node axes"), "code-fork", "Shift+X")
    BONES = "bones", OverlayDoc(_("Bones"), "bone", "O", _("Bones: node to parent"))
    SLOT_BOUNDS = (
        "slot_bounds",
        OverlayDoc(_("Slot bounds"), "vector-square", "B", _("Slot boxes and spheres")),
    )
    HEADER_BOUNDS = (
        "header_bounds",
        OverlayDoc(_("Header bounds"), "shapes", "Shift+B", _("Header hull, sphere, cylinder")),
    )
    EDGES = "edges", OverlayDoc(_("Edges"), "draw-polygon", "E")
    NORMALS = "vertex_normals", OverlayDoc(_("Vertex normals"), "arrow-up-from-bracket", "N")
    SOCKETS = (
        "sockets",
        OverlayDoc(_("Sockets"), "plug", "Shift+S", _("Sockets and what they take"), is_drawn=False),
    )
    NAMES = "names", OverlayDoc(_("Names of nodes"), "tag", "Shift+N", is_drawn=False)
    PORTALS = (
        "portals",
        OverlayDoc(_("Portals and rooms"), "door-open", "Shift+P", _("Portals, with the room behind")),
    )
    TRAILS = (
        "trails",
        OverlayDoc(
            _("Motion trails"),
            "route",
            "Shift+T",
            _("Ways of the selected nodes over what plays"),
            is_drawn=False,
        ),
    )
    GHOSTS = (
        "ghosts",
        OverlayDoc(
            _("Ghosts"),
            "ghost",
            "Shift+G",
            _("Ghosts: the model before and after the current time"),
            is_drawn=False,
        ),
    )
    CONTROL_POINTS = (
        "control_points",
        OverlayDoc(
            _("Control points"),
            "location-arrow",
            hint=_("Control points, with their names and directions"),
            has_button=False,
            table=CONTROL_POINTS,
        ),
    )
    PATH_GRAPH = (
        "path_graph",
        OverlayDoc(
            _("Path graph"),
            "diagram-project",
            hint=_("Path graph: places inside a building, and the ways between them"),
            has_button=False,
            table=PATH_NODE.name,
        ),
    )
    LIGHT_PROBES = (
        "light_probes",
        OverlayDoc(
            _("Light probes"),
            "lightbulb",
            hint=_("Light probes, in their color"),
            has_button=False,
            table=LIGHT_PROBE.name,
        ),
    )
    GROUND_PLAN = (
        "ground_plan",
        OverlayDoc(
            _("Ground plan"),
            "ruler-combined",
            hint=_("Ground plan of a building"),
            has_button=False,
            table=GROUND_POINTS,
        ),
    )
    TESTED_POINTS = (
        "tested_points",
        OverlayDoc(
            _("Tested points of effects"),
            "diamond",
            hint=_("Tested points of effects: yellow if in view, red if covered"),
            has_button=False,
        ),
    )


def _missing(_view: object, document: Document | None, table: str) -> Text | str:
    """The reason why a model does not have an overlay."""
    return "" if document is not None and document.table(table) is not None else _("not in this model")


OVERLAYS: Final = tuple(
    OptionChoice(
        it,
        it.doc.title,
        it.doc.words,
        it.doc.icon,
        partial(_missing, table=it.doc.table) if it.doc.table else None,
        it.doc.keys,
        it.doc.is_drawn,
    )
    for it in Overlay
)
"""Overlays as the choices of the option of a view."""
DRAWN: Final = ", ".join(it.typed for it in OVERLAYS if it.is_typed)
"""The names of those that pictures may have, as they are typed."""
