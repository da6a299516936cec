"""How the parts of a model that are shown are chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from viewer.dataclass import dataclass
from viewer.model.mesh.shown import CellRule, Cutaway
from viewer.session.options import Lifetime, MenuSwitch, Needed, Option, ShellOption
from viewer.translation import Text, _

if TYPE_CHECKING:
    from viewer.session.opened.document import Document
    from viewer.session.view.view_state import ViewState

OF_EYE: Final = "parts.view"
OF_PORTALS: Final = "parts.portals"
"""Sections of the Display panel."""


def whole_terrain(_view: ViewState, document: Document | None) -> Text | str:
    """Why there is no life 0 and no own view."""
    is_terrain = document is not None and document.is_terrain
    return _("a terrain has no damage and no own view") if is_terrain else ""


@dataclass(frozen=True, slots=True)
class DrawnParts:
    """How the parts of a model are chosen.

    Attributes
    ----------
    cells
        As the game chooses the cell of each node, or exactly the requested cell.
    has_auto_detail
        The group follows the size of the model in the image; not in the seed reading.
    is_own_view
        As the unit sees itself: group 4, between near planes.
    is_destroyed
        Every node is at life 0.
    cutaway
        Whether internal or external parts are left out.
    has_fading_portals
        Signs and doorways fade with their distance.
    """

    cells: Annotated[
        CellRule,
        Option(
            stored="cells",
            shell=ShellOption(
                "--cells",
                _(
                    "game: a node draws its last LOD up to the requested one, in the requested group or the "
                    "nearest finer one; exact: the requested cell or nothing; {unless}"
                ),
                is_listed=True,
            ),
        ),
    ] = CellRule.GAME
    has_auto_detail: Annotated[bool, Option(stored="has_auto_detail")] = False
    cutaway: Annotated[
        Cutaway,
        Option(
            lasts=Lifetime.TAB,
            shell=ShellOption(
                "--cutaway",
                _(
                    "all parts of a building (default), or only its internal (inside) or external ones "
                    "(outside)"
                ),
                is_listed=True,
            ),
        ),
    ] = Cutaway.ALL
    is_own_view: Annotated[
        bool,
        Option(
            _("Own view"),
            (_("As the unit sees itself: group 4 alone, between planes at 0.05 and 10"),),
            lasts=Lifetime.TAB,
            action=MenuSwitch("view.own_view", "Shift+V", "view.cell", Needed.MODEL, begins_group=True),
            section=OF_EYE,
            shell=ShellOption(
                "--own-view",
                _("as the unit sees itself: group 4 alone, between planes at 0.05 and 10"),
                is_flag=True,
                is_listed=True,
            ),
            obstacle=whole_terrain,
            moves_camera=True,
        ),
    ] = False
    is_destroyed: bool = False
    has_fading_portals: Annotated[
        bool,
        Option(
            _("Portals fade with distance"),
            (_("As in the game: signs fade in from 4 to 36 units on, doorways are black from 95 on"),),
            lasts=Lifetime.TAB,
            section=OF_PORTALS,
            shell=ShellOption(
                "--fade-portals",
                _("signs and doorways fade with their distance from the eye, as in the game"),
                is_flag=True,
            ),
        ),
    ] = False
