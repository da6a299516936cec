"""The actions of the view menu: shading, textures, overlays, LOD and group, background, camera."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Final

from msgspec.structs import replace

from viewer.model.mesh.shown import CellRule
from viewer.session.field_text import group_name, lod_name
from viewer.session.program import next_scale
from viewer.session.view.camera import Side
from viewer.session.view.options.drawn_parts import whole_terrain
from viewer.session.view.state_link import StateLink
from viewer.session.view.uv_subject import UvSubject, subjects_of_batch
from viewer.session.view.view_state import (
    GROUP_COUNT,
    LOD_COUNT,
    ViewState,
    next_shading,
    step_lod,
    with_destruction,
    with_group,
    with_lod,
)
from viewer.translation import _
from viewer.ui.actions.actions import (
    Action,
    ActionEffect,
    actions_of,
    always,
    calling,
    changing,
    of_models,
    of_stage,
)
from viewer.ui.actions.light_actions import light_actions
from viewer.ui.context import UiContext
from viewer.ui.inspector.uv_section import show_uv
from viewer.ui.viewport.obstacles import a_model, available
from viewer.ui.widgets.names import message_of

APART: Final = 1.0
"""Distance between the parts of a unit that the action takes apart, as in `UnitPlay`."""


def _shadings() -> Iterator[Action]:
    menu = "view.shading"
    yield of_stage("view.next_shading", _("Next shading"), _step_shading(1), "M", menu)
    yield of_stage("view.previous_shading", _("Previous shading"), _step_shading(-1), "Shift+M", menu)
    yield from actions_of(menu).values()


def _step_shading(step: int) -> ActionEffect:
    def run(frame: UiContext) -> None:
        modes = available(frame)
        frame.change(lambda view: next_shading(view, step, modes))

    return run


def _textures() -> Iterator[Action]:
    declared = actions_of("view.textures")
    marks = [declared.pop(it) for it in [*declared] if it.startswith("view.uv.")]
    yield from declared.values()
    title = _("Show the UV of the selection")
    yield Action(
        "view.show_uv", title, _show_uv, "U", "view.textures", obstacle=_without_uv, begins_group=True
    )
    yield from marks


def _selected_uv(frame: UiContext) -> Sequence[UvSubject]:
    document = frame.document
    batch = frame.view.selection.batch
    return () if document is None else subjects_of_batch(document, frame.view, batch)


def _show_uv(frame: UiContext) -> None:
    """Open the texture of the selected batch, with its texture coordinates."""
    show_uv(frame, _selected_uv(frame)[0])


def _without_uv(frame: UiContext) -> str:
    return "" if _selected_uv(frame) else _("no batch with a texture is selected")


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
    yield from actions_of("view").values()
    yield from _shadings()
    yield from light_actions()
    yield from _textures()
    yield from actions_of("view.overlays").values()
    yield from part_actions()
    yield from actions_of("view.section").values()
    yield from actions_of("view.background").values()
    full, alone = (
        calling(lambda it: it.window.toggle_full_screen),
        calling(lambda it: it.window.toggle_viewport_only),
    )
    yield always("view.full_screen", _("Full screen"), full, "F11")
    yield always("view.viewport_only", _("Viewport only"), alone, "Shift+F11")
    yield from _scales()


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

    def run(frame: UiContext) -> None:
        scale = change(frame.state.settings.interface_scale)
        frame.later(frame.control.settings.set, interface_scale=scale)

    return run


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
    yield from actions_of("view.camera").values()
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
    declared = actions_of("view.cell")
    yield declared.pop("view.auto_group")
    yield from _steps()
    yield from declared.values()


def _why_whole(frame: UiContext) -> str:
    """The reason why there is no life 0."""
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
