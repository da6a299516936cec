"""The actions that choose what is drawn of a model: damage, level of detail, own view, inside and outside."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from viewer.model.mesh.part_choice import OWN_VIEW, CellRule, Cutaway
from viewer.session.view.view_state import (
    GROUP_COUNT,
    LOD_COUNT,
    step_damage,
    with_column,
    with_destruction,
    with_drawn,
    with_row,
    with_rule,
)
from viewer.translation import Message, _
from viewer.ui.actions.actions import Action, ActionEffect, changing
from viewer.ui.context import UiContext
from viewer.ui.requests import RestoreCamera
from viewer.ui.widgets.cell_text import has_stages
from viewer.ui.widgets.names import message_of

_MENU = "view.cell"


def part_actions() -> Iterator[Action]:
    """Yield the actions of damage, level of detail and parts."""
    yield from map(_damage, range(LOD_COUNT))
    yield Action(
        "view.destroyed",
        _MENU,
        Message("Destroyed"),
        changing(with_destruction),
        is_on=lambda frame: frame.view.drawn.is_destroyed,
        obstacle=_why_whole,
    )
    yield from map(_detail, range(GROUP_COUNT))
    yield Action(
        "view.auto_lod",
        _MENU,
        Message("LOD auto"),
        changing(
            lambda view: with_drawn(view, has_auto_detail=not view.drawn.has_auto_detail, is_own_view=False)
        ),
        "Shift+A",
        is_on=lambda frame: frame.view.drawn.has_auto_detail,
        obstacle=_only_of_stages,
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
        obstacle=_only_of_stages,
        begins_group=True,
    )
    yield from map(_cutaway, Cutaway)


def _why_whole(frame: UiContext) -> str:
    """Return why there is no life 0."""
    is_exact = frame.view.drawn.cells is CellRule.EXACT
    return _("exact cells have no life 0") if is_exact else _only_of_stages(frame)


def _only_of_stages(frame: UiContext) -> str:
    """Return why there is no damage and no view from inside."""
    return "" if has_stages(frame.document) else _("a terrain has levels of detail only")


def _damage(row: int) -> Action:
    return Action(
        f"view.damage{row}",
        _MENU,
        Message("Damage {row}", row=row),
        changing(lambda view: with_row(view, row)),
        is_on=lambda frame: frame.view.lod == row and not frame.view.drawn.is_destroyed,
        obstacle=_only_of_stages,
    )


def _detail(column: int) -> Action:
    return Action(
        f"view.lod{column}",
        _MENU,
        Message("Column 4, from outside") if column == OWN_VIEW else Message("LOD {column}", column=column),
        _showing(column),
        is_on=lambda frame: _level(frame) == column,
        obstacle=_only_of_stages if column >= LOD_COUNT else None,
        begins_group=column == 0,
    )


def _level(frame: UiContext) -> int:
    return frame.view.parts.column if has_stages(frame.document) else frame.view.lod


def _showing(level: int) -> ActionEffect:
    """Show a level of detail: a column, in terrain a row."""
    return lambda frame: frame.change(
        partial(with_column, column=level) if has_stages(frame.document) else partial(with_row, row=level)
    )


def _steps() -> Iterator[Action]:
    for name, title, step, keys in (
        ("previous_lod", Message("Previous LOD"), -1, "["),
        ("next_lod", Message("Next LOD"), 1, "]"),
    ):
        yield Action(f"view.{name}", _MENU, title, _stepping_column(step), keys, begins_group=step < 0)
    for name, title, step, keys in (
        ("previous_damage", Message("Previous damage stage"), -1, "Shift+["),
        ("next_damage", Message("Next damage stage"), 1, "Shift+]"),
    ):
        yield Action(f"view.{name}", _MENU, title, _stepping_row(step), keys)


def _stepping_column(step: int) -> ActionEffect:
    def run(frame: UiContext) -> None:
        if has_stages(frame.document):
            frame.change(lambda view: with_column(view, view.group + step))
        else:
            frame.change(lambda view: with_row(view, view.lod + step))

    return run


def _stepping_row(step: int) -> ActionEffect:
    return changing(lambda view: step_damage(view, step))


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
    frame.request(RestoreCamera())


def _cutaway(cutaway: Cutaway) -> Action:
    return Action(
        f"view.cutaway.{cutaway.value}",
        _MENU,
        Message("Building: {parts}", parts=message_of(cutaway)),
        changing(lambda view: with_drawn(view, cutaway=cutaway)),
        is_on=lambda frame: frame.view.drawn.cutaway is cutaway,
        begins_group=cutaway is Cutaway.ALL,
    )
