"""The actions that choose what is drawn of a model: LOD, group, own view, inside and outside."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from viewer.model.mesh.part_choice import CellRule, Cutaway
from viewer.session.view.view_state import (
    GROUP_COUNT,
    LOD_COUNT,
    ViewState,
    step_lod,
    with_destruction,
    with_drawn,
    with_group,
    with_lod,
    with_rule,
)
from viewer.translation import Message, _
from viewer.ui.actions.actions import Action, changing
from viewer.ui.context import UiContext
from viewer.ui.display.parts import auto_obstacle
from viewer.ui.widgets.cell_text import group_name, is_terrain, lod_name
from viewer.ui.widgets.names import message_of

_MENU = "view.cell"


def part_actions() -> Iterator[Action]:
    """Yield the actions of LOD, group and parts."""
    yield from map(_lod, range(LOD_COUNT))
    yield Action(
        "view.destroyed",
        _MENU,
        Message("Destroyed"),
        changing(with_destruction),
        is_on=lambda frame: frame.view.drawn.is_destroyed,
        obstacle=_why_whole,
    )
    yield from map(_group, range(GROUP_COUNT))
    yield Action(
        "view.auto_group",
        _MENU,
        Message("Group by size in the image"),
        changing(
            lambda view: with_drawn(view, has_auto_detail=not view.drawn.has_auto_detail, is_own_view=False)
        ),
        "Shift+A",
        is_on=lambda frame: frame.view.drawn.has_auto_detail,
        obstacle=auto_obstacle,
    )
    yield from _steps()
    yield from map(_rule, CellRule)
    yield Action(
        "view.own_view",
        _MENU,
        Message("Own view"),
        _toggle_own_view,
        "Shift+V",
        is_on=lambda frame: frame.view.drawn.is_own_view,
        obstacle=_not_of_terrain,
        begins_group=True,
    )
    yield from map(_cutaway, Cutaway)


def _why_whole(frame: UiContext) -> str:
    """Return why there is no life 0."""
    is_exact = frame.view.drawn.cells is CellRule.EXACT
    return _("exact cells have no life 0") if is_exact else _not_of_terrain(frame)


def _not_of_terrain(frame: UiContext) -> str:
    """Return why there is no life 0 and no own view."""
    return _("a terrain has no damage and no own view") if is_terrain(frame.document) else ""


def _lod(lod: int) -> Action:
    return Action(
        f"view.lod{lod}",
        _MENU,
        Message("LOD {lod}", lod=lod),
        changing(lambda view: with_lod(view, lod)),
        is_on=lambda frame: frame.view.lod == lod and not frame.view.drawn.is_destroyed,
        title_of=lambda frame: lod_name(frame.document, lod),
    )


def _group(group: int) -> Action:
    return Action(
        f"view.group{group}",
        _MENU,
        Message("Group {group}", group=group),
        changing(lambda view: with_group(view, group)),
        is_on=lambda frame: frame.view.parts.group == group,
        begins_group=group == 0,
        title_of=lambda frame: group_name(frame.document, group),
    )


def _steps() -> Iterator[Action]:
    for name, title, step, keys in (
        ("previous_lod", Message("Previous LOD"), -1, "["),
        ("next_lod", Message("Next LOD"), 1, "]"),
    ):
        yield Action(
            f"view.{name}", _MENU, title, changing(partial(step_lod, step=step)), keys, begins_group=step < 0
        )
    for name, title, step, keys in (
        ("previous_group", Message("Previous group"), -1, "Shift+["),
        ("next_group", Message("Next group"), 1, "Shift+]"),
    ):
        effect = changing(partial(_step_group, step=step))
        yield Action(f"view.{name}", _MENU, title, effect, keys)


def _step_group(view: ViewState, step: int) -> ViewState:
    return with_group(view, view.group + step)


def _rule(rule: CellRule) -> Action:
    return Action(
        f"view.cells.{rule.value}",
        _MENU,
        Message("Cells: {rule}", rule=message_of(rule)),
        changing(lambda view: with_rule(view, rule)),
        is_on=lambda frame: frame.view.drawn.cells is rule,
        begins_group=rule is CellRule.GAME,
    )


def _toggle_own_view(frame: UiContext) -> None:
    is_on = not frame.view.drawn.is_own_view
    frame.change(lambda view: with_drawn(view, is_own_view=is_on))
    frame.commands.camera.restore()


def _cutaway(cutaway: Cutaway) -> Action:
    return Action(
        f"view.cutaway.{cutaway.value}",
        _MENU,
        Message("Building: {parts}", parts=message_of(cutaway)),
        changing(lambda view: with_drawn(view, cutaway=cutaway)),
        is_on=lambda frame: frame.view.drawn.cutaway is cutaway,
        begins_group=cutaway is Cutaway.ALL,
    )
