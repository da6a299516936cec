"""Choice of the parts of a model that are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Struct
from msgspec.structs import replace

from viewer.model.mesh.shown import THRESHOLDS, CellRule, Cutaway
from viewer.options import Lifetime, MenuEntry, Needed, Option, OptionChoice, ShellOption
from viewer.translation import Text, _

if TYPE_CHECKING:
    from viewer.session.opened.document import Document
    from viewer.session.view.view_state import ViewState

OF_CELLS: Final = "parts.cells"
OF_EYE: Final = "parts.view"
OF_BUILDING: Final = "parts.building"
OF_PORTALS: Final = "parts.portals"
"""Sections of the Display panel."""


def whole_terrain(_view: ViewState, document: Document | None) -> Text | str:
    """Reason for which a terrain has no life 0 and no own view."""
    is_terrain = document is not None and document.is_terrain
    return _("a terrain has no damage and no own view") if is_terrain else ""


def without_sizes(_view: ViewState, document: Document | None) -> Text | str:
    """The reason not to choose the group by size."""
    if document is None:
        return ""
    if document.is_terrain:
        return _("the game chooses the level of each tile of a terrain by its distance")
    return _("the seed reading knows no choice by size") if document.is_in_seed_reading else ""


def _without_inside(_view: ViewState, document: Document | None) -> Text | str:
    """The reason not to leave out internal or external parts."""
    has_any = document is None or document.chooser.has_internal
    return "" if has_any else _("this model has no internal parts")


def _whole_if_exact(_before: DrawnParts, after: DrawnParts) -> DrawnParts:
    """The parts with life left if exactly one cell is shown: that of life 0 is found by the game's rule."""
    return replace(after, is_destroyed=after.is_destroyed and after.cells is CellRule.GAME)


def _from_outside(_before: DrawnParts, after: DrawnParts) -> DrawnParts:
    """The parts as others see the unit: its own view has a group of its own."""
    return replace(after, is_own_view=False)


_SHARES: Final = ", ".join(f"1/{round(1 / share)}" for share in reversed(THRESHOLDS))
INTERNAL_HINT: Final = _("Internal parts are the nodes with flag 0x0001")


class DrawnParts(Struct, frozen=True):
    """Choice of the parts of a model.

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
            _("cells"),
            stored="cells",
            choices=(
                OptionChoice(
                    CellRule.GAME,
                    _("As the game"),
                    _("A node without the requested LOD or group shows the nearest it has"),
                ),
                OptionChoice(CellRule.EXACT, _("Exact"), _("The requested cell, or nothing")),
            ),
            action=MenuEntry(
                "view.cells",
                menu="view.cell",
                needs=Needed.MODELS,
                begins_group=True,
                title=_("Cells: {value}"),
            ),
            section=OF_CELLS,
            settles=_whole_if_exact,
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
    has_auto_detail: Annotated[
        bool,
        Option(
            _("Group by size in the image"),
            (
                _("Chosen by the size of the model in the image"),
                _(
                    "Groups 1, 2, 3 below {shares} of the height. The game's own limits are unknown: these "
                    "are ours.",
                    shares=_SHARES,
                ),
            ),
            stored="has_auto_detail",
            action=MenuEntry("view.auto_group", "Shift+A", "view.cell", Needed.MODEL),
            icon="wand-magic-sparkles",
            label=_("By size"),
            obstacle=without_sizes,
            settles=_from_outside,
        ),
    ] = False
    is_own_view: Annotated[
        bool,
        Option(
            _("Own view"),
            (_("As the unit sees itself: group 4 alone, between planes at 0.05 and 10"),),
            lasts=Lifetime.TAB,
            action=MenuEntry("view.own_view", "Shift+V", "view.cell", Needed.MODEL, begins_group=True),
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
    cutaway: Annotated[
        Cutaway,
        Option(
            _("building"),
            lasts=Lifetime.TAB,
            choices=(
                OptionChoice(Cutaway.ALL, _("All parts"), INTERNAL_HINT),
                OptionChoice(Cutaway.INSIDE, _("Inside"), INTERNAL_HINT, obstacle=_without_inside),
                OptionChoice(Cutaway.OUTSIDE, _("Outside"), INTERNAL_HINT, obstacle=_without_inside),
            ),
            action=MenuEntry(
                "view.cutaway",
                menu="view.cell",
                needs=Needed.MODELS,
                begins_group=True,
                title=_("Building: {value}"),
            ),
            section=OF_BUILDING,
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
