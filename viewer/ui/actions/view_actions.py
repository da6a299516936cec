"""The actions of the view menu: shading, textures, overlays, LOD and group, background, camera."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from typing import Any

from viewer.dataclass import replace
from viewer.model.mesh.shown import CellRule, Cutaway
from viewer.session.program import next_scale
from viewer.session.view.around import AROUND
from viewer.session.view.camera import Side
from viewer.session.view.state_link import StateLink
from viewer.session.view.textures import ByteOrder, TextureSwitches, toggle_byte_order
from viewer.session.view.view_state import (
    GROUP_COUNT,
    LOD_COUNT,
    Background,
    Overlay,
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
from viewer.ui.actions.actions import Action, ActionEffect, changing, commanding
from viewer.ui.actions.playback_actions import light_actions
from viewer.ui.context import UiContext
from viewer.ui.panels.display import auto_obstacle
from viewer.ui.viewport.marks import is_missing
from viewer.ui.viewport.viewport_overlay import available, obstacle
from viewer.ui.widgets.field_text import group_name, is_terrain, lod_name
from viewer.ui.widgets.icons import OVERLAYS
from viewer.ui.widgets.names import message_of


def _shading(mode: Shading) -> Action:
    return Action(
        f"view.shading.{mode.value}",
        "view.shading",
        message_of(mode),
        changing(lambda view: with_shading(view, mode)),
        is_on=lambda frame: frame.view.shading is mode,
        obstacle=lambda frame: obstacle(frame.document, mode),
    )


def _step_shading(step: int) -> ActionEffect:
    def run(frame: UiContext) -> None:
        modes = available(frame.document)
        frame.change(lambda view: next_shading(view, step, modes))

    return run


def _background(background: Background) -> Action:
    return Action(
        f"view.background.{background.value}",
        "view.background",
        message_of(background),
        changing(lambda view: replace(view, background=background)),
        is_on=lambda frame: frame.view.background is background,
    )


def _overlay(overlay: Overlay, keys: str = "") -> Action:
    return Action(
        f"view.overlay.{overlay.value}",
        "view.overlays",
        message_of(overlay),
        changing(lambda view: toggle_overlay(view, overlay)),
        keys,
        is_on=lambda frame: overlay in frame.view.overlays,
        obstacle=lambda frame: _("not in this model") if is_missing(frame.document, overlay) else "",
        icon=OVERLAYS[overlay],
    )


def _texture_switch(
    name: str,
    title: Text,
    toggle: Callable[[TextureSwitches], TextureSwitches],
    is_on: Callable[[TextureSwitches], bool],
    *,
    begins_group: bool = False,
) -> Action:
    return Action(
        f"view.textures.{name}",
        "view.textures",
        title,
        changing(lambda view: replace(view, textures=toggle(view.textures))),
        is_on=lambda frame: is_on(frame.view.textures),
        begins_group=begins_group,
    )


def _byte_order(order: ByteOrder) -> Action:
    return _texture_switch(
        order.value,
        message_of(order),
        lambda switches: toggle_byte_order(switches, order),
        lambda switches: order in switches.byte_orders,
        begins_group=order is next(iter(ByteOrder)),
    )


def _flipped(switch: str, switches: TextureSwitches) -> TextureSwitches:
    changed: dict[str, Any] = {switch: not getattr(switches, switch)}
    return replace(switches, **changed)


def _textures() -> Iterator[Action]:
    for name, title, switch in (
        ("mip_maps", _("Mip maps"), "has_mip_maps"),
        ("filtering", _("Filtering"), "is_filtered"),
        ("lightmaps", _("Lightmaps"), "has_lightmaps"),
        ("16_bit", _("16-bit colors"), "is_16_bit"),
        ("ignore_alpha", _("Ignore alpha"), "ignores_alpha"),
        ("cull_back_faces", _("Cull back faces"), "hides_back_faces"),
        ("ground_256", _("Terrain coordinates / 256 instead of / 1024"), "divides_ground_by_256"),
    ):
        yield _texture_switch(name, title, partial(_flipped, switch), attrgetter(switch))
    yield from (_byte_order(order) for order in ByteOrder)


def _toggle_orthographic(view: ViewState) -> ViewState:
    return replace(view, camera=replace(view.camera, is_orthographic=not view.camera.is_orthographic))


def _copy_link(frame: UiContext) -> None:
    """Copy the link that `mshview open --state` reads."""
    if frame.document is not None:
        frame.commands.window.copy_text(str(StateLink.of(frame.document, frame.view)))


def view_actions() -> Iterator[Action]:
    """Yield the actions of the view menu except those of the camera."""
    yield Action("view.copy_link", "view", _("Copy state link"), _copy_link)
    menu = "view.shading"
    yield Action("view.next_shading", menu, _("Next shading"), _step_shading(1), "M")
    yield Action("view.previous_shading", menu, _("Previous shading"), _step_shading(-1), "Shift+M")
    yield from (_shading(mode) for mode in Shading)
    yield from light_actions()
    yield from _textures()
    yield _overlay(Overlay.GRID, "G")
    yield _overlay(Overlay.AXES, "X")
    yield _overlay(Overlay.SLOT_BOUNDS, "B")
    yield _overlay(Overlay.HEADER_BOUNDS, "Shift+B")
    yield _overlay(Overlay.NORMALS, "N")
    yield _overlay(Overlay.EDGES, "E")
    yield _overlay(Overlay.NODE_AXES, "Shift+X")
    yield _overlay(Overlay.BONES, "O")
    yield _overlay(Overlay.SOCKETS, "Shift+S")
    yield _overlay(Overlay.NAMES, "Shift+N")
    yield _overlay(Overlay.PORTALS, "Shift+P")
    yield _overlay(Overlay.TRAILS, "Shift+T")
    yield _overlay(Overlay.GHOSTS, "Shift+G")
    yield from (_overlay(it) for it in (*AROUND, Overlay.TESTED_POINTS))
    yield from part_actions()
    yield from (_background(background) for background in Background)
    yield Action(
        "view.full_screen",
        "view",
        _("Full screen"),
        commanding(lambda do: do.window.toggle_full_screen()),
        "F11",
        needs_document=False,
    )
    yield Action(
        "view.viewport_only",
        "view",
        _("Viewport only"),
        commanding(lambda do: do.window.toggle_viewport_only()),
        "Shift+F11",
        needs_document=False,
    )
    yield from _scales()


def _scales() -> Iterator[Action]:
    larger = _scaling(lambda scale: next_scale(scale, 1))
    smaller = _scaling(lambda scale: next_scale(scale, -1))
    for name, title, effect, keys in (
        ("larger", _("Larger interface"), larger, "Ctrl++"),
        ("smaller", _("Smaller interface"), smaller, "Ctrl+-"),
        ("usual_size", _("Usual interface size"), _scaling(lambda _ignored: 1.0), "Ctrl+0"),
    ):
        yield Action(
            f"view.{name}", "view", title, effect, keys, needs_document=False, begins_group=name == "larger"
        )


def _scaling(change: Callable[[float], float]) -> ActionEffect:
    """Make an effect that changes the scale of the interface."""
    return lambda frame: frame.commands.window.scale(change(frame.state.settings.interface_scale))


def camera_actions() -> Iterator[Action]:
    """Yield the actions that move the camera."""
    menu = "view.camera"
    yield Action(
        "view.frame_selection",
        menu,
        _("Frame selection"),
        commanding(lambda do: do.camera.frame_selection()),
        "F",
    )
    yield Action("view.frame_all", menu, _("Frame all"), commanding(lambda do: do.camera.frame_all()), "Home")
    over_clip = commanding(lambda do: do.camera.frame_all(is_over_clip=True))
    yield Action("view.frame_clip", menu, _("Frame all of what plays"), over_clip, "Ctrl+Home")
    for number, side, opposite in (
        ("1", Side.FRONT, Side.BACK),
        ("3", Side.RIGHT, Side.LEFT),
        ("7", Side.TOP, Side.BOTTOM),
    ):
        yield _look_from(side, number)
        yield _look_from(opposite, f"Ctrl+{number}")
    yield Action(
        "view.orthographic",
        menu,
        _("Orthographic"),
        changing(_toggle_orthographic),
        "5",
        is_on=lambda frame: frame.view.camera.is_orthographic,
    )
    yield Action(
        "view.cube",
        menu,
        _("View cube"),
        changing(lambda view: replace(view, has_view_cube=not view.has_view_cube)),
        is_on=lambda frame: frame.view.has_view_cube,
    )
    yield Action(
        "view.restore_camera", menu, _("Reset camera"), commanding(lambda do: do.camera.restore()), "0"
    )


def _look_from(side: Side, keys: str) -> Action:
    return Action(
        f"view.look_from.{side.value}",
        "view.camera",
        message_of(side),
        commanding(lambda do: do.camera.look_from(side)),
        keys,
    )


_MENU = "view.cell"


def part_actions() -> Iterator[Action]:
    """Yield the actions of LOD, group and parts."""
    yield from map(_lod, range(LOD_COUNT))
    yield Action(
        "view.destroyed",
        _MENU,
        _("Destroyed"),
        changing(with_destruction),
        is_on=lambda frame: frame.view.drawn.is_destroyed,
        obstacle=_why_whole,
    )
    yield from map(_group, range(GROUP_COUNT))
    yield Action(
        "view.auto_group",
        _MENU,
        _("Group by size in the image"),
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
        _("Own view"),
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
        _("LOD {lod}", lod=lod),
        changing(lambda view: with_lod(view, lod)),
        is_on=lambda frame: frame.view.lod == lod and not frame.view.drawn.is_destroyed,
        title_of=lambda frame: lod_name(frame.document, lod),
    )


def _group(group: int) -> Action:
    return Action(
        f"view.group{group}",
        _MENU,
        _("Group {group}", group=group),
        changing(lambda view: with_group(view, group)),
        is_on=lambda frame: frame.view.parts.group == group,
        begins_group=group == 0,
        title_of=lambda frame: group_name(frame.document, group),
    )


def _steps() -> Iterator[Action]:
    for name, title, step, keys in (
        ("previous_lod", _("Previous LOD"), -1, "["),
        ("next_lod", _("Next LOD"), 1, "]"),
    ):
        yield Action(
            f"view.{name}", _MENU, title, changing(partial(step_lod, step=step)), keys, begins_group=step < 0
        )
    for name, title, step, keys in (
        ("previous_group", _("Previous group"), -1, "Shift+["),
        ("next_group", _("Next group"), 1, "Shift+]"),
    ):
        effect = changing(partial(_step_group, step=step))
        yield Action(f"view.{name}", _MENU, title, effect, keys)


def _step_group(view: ViewState, step: int) -> ViewState:
    return with_group(view, view.group + step)


def _rule(rule: CellRule) -> Action:
    return Action(
        f"view.cells.{rule.value}",
        _MENU,
        _("Cells: {rule}", rule=message_of(rule)),
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
        _("Building: {parts}", parts=message_of(cutaway)),
        changing(lambda view: with_drawn(view, cutaway=cutaway)),
        is_on=lambda frame: frame.view.drawn.cutaway is cutaway,
        begins_group=cutaway is Cutaway.ALL,
    )
