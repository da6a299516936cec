"""The actions of the view menu: shading, textures, overlays, LOD and group, background, camera."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from typing import Final

from viewer.dataclass import replace
from viewer.model.mesh.shown import CellRule, Cutaway
from viewer.session.field_text import group_name, lod_name
from viewer.session.program import next_scale
from viewer.session.view.camera import Side
from viewer.session.view.drawn_parts import whole_terrain
from viewer.session.view.overlays import Overlay
from viewer.session.view.state_link import StateLink
from viewer.session.view.textures import ByteOrder, toggle_byte_order
from viewer.session.view.view_state import (
    GROUP_COUNT,
    LOD_COUNT,
    Background,
    Shading,
    ViewState,
    next_shading,
    step_lod,
    toggle_overlay,
    with_destruction,
    with_drawn,
    with_group,
    with_lod,
    with_rule,
    with_shading,
)
from viewer.translation import Text, _
from viewer.ui.actions.actions import (
    Action,
    ActionEffect,
    a_model,
    a_stage,
    always,
    calling,
    changing,
    choosing,
    models,
    needing,
    of_models,
    of_stage,
    switches,
)
from viewer.ui.actions.light_actions import light_actions
from viewer.ui.context import UiContext
from viewer.ui.panels.display import auto_obstacle
from viewer.ui.viewport.obstacles import available, overlay_obstacle, shading_obstacle
from viewer.ui.widgets.icons import icon_named
from viewer.ui.widgets.names import message_of

APART: Final = 1.0
"""How far the action takes the parts of a unit apart, as `UnitPlay` has it."""


def _shadings() -> Iterator[Action]:
    menu = "view.shading"
    yield of_stage("view.next_shading", _("Next shading"), _step_shading(1), "M", menu)
    yield of_stage("view.previous_shading", _("Previous shading"), _step_shading(-1), "Shift+M", menu)
    modes = needing(a_stage, choosing(menu, Shading, attrgetter("shading"), with_shading))
    for mode, action in zip(Shading, modes, strict=True):
        yield replace(action, obstacle=partial(shading_obstacle, shading=mode))


def _step_shading(step: int) -> ActionEffect:
    def run(frame: UiContext) -> None:
        modes = available(frame)
        frame.change(lambda view: next_shading(view, step, modes))

    return run


def _overlay(overlay: Overlay) -> Action:
    return of_stage(
        f"view.overlay.{overlay.value}",
        overlay.doc.title,
        changing(lambda view: toggle_overlay(view, overlay)),
        overlay.doc.keys,
        menu="view.overlays",
        is_on=lambda frame: overlay in frame.view.overlays,
        obstacle=partial(overlay_obstacle, overlay=overlay),
        icon=icon_named(overlay.doc.icon),
    )


def _byte_order(order: ByteOrder) -> Action:
    return of_stage(
        f"view.textures.{order.value}",
        message_of(order),
        changing(lambda view: replace(view, textures=toggle_byte_order(view.textures, order))),
        is_on=lambda frame: order in frame.view.textures.byte_orders,
        begins_group=order is next(iter(ByteOrder)),
    )


def _textures() -> Iterator[Action]:
    yield from switches("view.textures").values()
    yield from (_byte_order(order) for order in ByteOrder)


def _copy_link(frame: UiContext) -> None:
    """Copy the link that `mshview open --state` reads."""
    if frame.document is not None:
        frame.later(frame.control.window.copy_text, str(StateLink.of(frame.document, frame.view)))


def _a_unit(frame: UiContext) -> str:
    resource = frame.state.resource
    return _("no unit is open") if resource is None or resource.unit is None else ""


def _is_apart(frame: UiContext) -> bool:
    return frame.view.unit.explode > 0


def _explode(view: ViewState) -> ViewState:
    """Move the parts of a unit apart, or together again."""
    return replace(view, unit=replace(view.unit, explode=0.0 if view.unit.explode else APART))


def view_actions() -> Iterator[Action]:
    """Yield the actions of the view menu except those of the camera."""
    yield Action("view.copy_link", _("Copy state link"), _copy_link)
    title = _("Take the unit apart")
    yield Action("view.explode", title, changing(_explode), is_on=_is_apart, needs=_a_unit)
    yield from _shadings()
    yield from light_actions()
    yield from _textures()
    yield from map(_overlay, Overlay)
    yield from part_actions()
    background = attrgetter("background")
    choices = choosing("view.background", Background, background, _with_background)
    yield from needing(a_stage, choices)
    full, alone = (
        calling(lambda it: it.window.toggle_full_screen),
        calling(lambda it: it.window.toggle_viewport_only),
    )
    yield always("view.full_screen", _("Full screen"), full, "F11")
    yield always("view.viewport_only", _("Viewport only"), alone, "Shift+F11")
    yield from _scales()


def _with_background(view: ViewState, background: Background) -> ViewState:
    return replace(view, background=background)


def _scales() -> Iterator[Action]:
    larger = _scaling(lambda scale: next_scale(scale, 1))
    smaller = _scaling(lambda scale: next_scale(scale, -1))
    for name, title, effect, keys in (
        ("larger", _("Larger interface"), larger, "Ctrl++"),
        ("smaller", _("Smaller interface"), smaller, "Ctrl+-"),
        ("usual_size", _("Usual interface size"), _scaling(lambda _ignored: 1.0), "Ctrl+0"),
    ):
        yield always(f"view.{name}", title, effect, keys, begins_group=name == "larger")


def _scaling(change: Callable[[float], float]) -> ActionEffect:
    """Make an effect that changes the scale of the interface."""
    return lambda frame: frame.later(frame.control.window.scale, change(frame.state.settings.interface_scale))


_of_camera = partial(of_stage, menu="view.camera")


def camera_actions() -> Iterator[Action]:
    """Yield the actions that move the camera."""
    frame_selection = calling(lambda it: it.camera.frame_selection)
    over_clip = calling(lambda it: partial(it.camera.frame_all, is_over_clip=True))
    yield _of_camera("view.frame_selection", _("Frame selection"), frame_selection, "F")
    yield _of_camera("view.frame_all", _("Frame all"), calling(lambda it: it.camera.frame_all), "Home")
    yield _of_camera("view.frame_clip", _("Frame all of what plays"), over_clip, "Ctrl+Home", needs=a_model)
    for number, side, opposite in (
        ("1", Side.FRONT, Side.BACK),
        ("3", Side.RIGHT, Side.LEFT),
        ("7", Side.TOP, Side.BOTTOM),
    ):
        yield _look_from(side, number)
        yield _look_from(opposite, f"Ctrl+{number}")
    yield from switches("view.camera").values()
    yield _of_camera("view.restore_camera", _("Reset camera"), calling(lambda it: it.camera.restore), "0")


def _look_from(side: Side, keys: str) -> Action:
    effect = calling(lambda it: partial(it.camera.look_from, side))
    return _of_camera(f"view.look_from.{side.value}", message_of(side), effect, keys)


_of_cell = partial(of_models, menu="view.cell")


def part_actions() -> Iterator[Action]:
    """Yield the actions of LOD, group and parts."""
    yield from map(_lod, range(LOD_COUNT))
    effect, is_on = changing(with_destruction), attrgetter("view.drawn.is_destroyed")
    yield _of_cell("view.destroyed", _("Destroyed"), effect, is_on=is_on, obstacle=_why_whole)
    yield from map(_group, range(GROUP_COUNT))
    title, effect = _("Group by size in the image"), changing(_toggle_auto_group)
    is_on = attrgetter("view.drawn.has_auto_detail")
    of_one = partial(_of_cell, needs=a_model)
    yield of_one("view.auto_group", title, effect, "Shift+A", is_on=is_on, obstacle=auto_obstacle)
    yield from _steps()
    rule, cutaway = attrgetter("drawn.cells"), attrgetter("drawn.cutaway")
    name, menu = "view.cells", "view.cell"
    rules = choosing(name, CellRule, rule, with_rule, _rule_title, menu, begins_group=True)
    yield from needing(models, rules)
    yield from switches("view.cell").values()
    name = "view.cutaway"
    parts = choosing(name, Cutaway, cutaway, _with_cutaway, _cutaway_title, menu, begins_group=True)
    yield from needing(models, parts)


def _rule_title(rule: CellRule) -> Text:
    return _("Cells: {rule}", rule=message_of(rule))


def _cutaway_title(cutaway: Cutaway) -> Text:
    return _("Building: {parts}", parts=message_of(cutaway))


def _with_cutaway(view: ViewState, cutaway: Cutaway) -> ViewState:
    return with_drawn(view, cutaway=cutaway)


def _toggle_auto_group(view: ViewState) -> ViewState:
    return with_drawn(view, has_auto_detail=not view.drawn.has_auto_detail, is_own_view=False)


def _why_whole(frame: UiContext) -> str:
    """Return why there is no life 0."""
    is_exact = frame.view.drawn.cells is CellRule.EXACT
    return _("exact cells have no life 0") if is_exact else str(whole_terrain(frame.view, frame.document))


def _lod(lod: int) -> Action:
    return _of_cell(
        f"view.lod{lod}",
        _("LOD {lod}", lod=lod),
        changing(lambda view: with_lod(view, lod)),
        is_on=lambda frame: frame.view.lod == lod and not frame.view.drawn.is_destroyed,
        title_of=lambda frame: lod_name(frame.document, lod),
    )


def _group(group: int) -> Action:
    return _of_cell(
        f"view.group{group}",
        _("Group {group}", group=group),
        changing(lambda view: with_group(view, group)),
        is_on=lambda frame: frame.view.parts.group == group,
        begins_group=group == 0,
        title_of=lambda frame: group_name(frame.document, group),
    )


def _steps() -> Iterator[Action]:
    for name, title, effect, keys in (
        ("previous_lod", _("Previous LOD"), partial(step_lod, step=-1), "["),
        ("next_lod", _("Next LOD"), partial(step_lod, step=1), "]"),
        ("previous_group", _("Previous group"), partial(_step_group, step=-1), "Shift+["),
        ("next_group", _("Next group"), partial(_step_group, step=1), "Shift+]"),
    ):
        yield _of_cell(f"view.{name}", title, changing(effect), keys, begins_group=keys == "[")


def _step_group(view: ViewState, step: int) -> ViewState:
    return with_group(view, view.group + step)
