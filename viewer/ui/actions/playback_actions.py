"""The actions of playback and motion: playing, stepping, clips, marked ranges, speed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from operator import attrgetter
from types import MappingProxyType

from msgspec.structs import replace

from viewer.options import option_at
from viewer.session.opened.document import Document
from viewer.session.play import timeline
from viewer.session.play.playback import Root
from viewer.session.play.playing import play_frames, reset_channels, restart_clip, step_playable
from viewer.session.play.stage import UnitStage
from viewer.session.view.view_state import Loop, ViewState, toggle_following
from viewer.translation import _
from viewer.ui.actions.actions import (
    Action,
    ActionEffect,
    actions_of,
    changing,
    moving,
    of_models,
    of_stage,
    option_actions,
)
from viewer.ui.context import UiContext
from viewer.ui.panels.display import ROOT_TRAVEL
from viewer.ui.timeline.effects_panel import parts_of
from viewer.ui.timeline.play_list import mark
from viewer.ui.viewport.obstacles import opened
from viewer.ui.widgets.ruler import key_times, next_key


def motion_actions() -> Iterator[Action]:
    """Yield the actions of motion: root travel, machinery."""
    yield of_models(
        "playback.root_travel",
        ROOT_TRAVEL,
        changing(lambda view: replace(view, playback=view.playback.with_other_root())),
        is_on=lambda frame: frame.view.playback.root is Root.TRAVEL,
        begins_group=True,
    )
    yield from option_actions(option_at(ViewState, "playback.machinery.is_on"))


def _toggle_ping_pong(view: ViewState) -> ViewState:
    return timeline.with_loop(view, Loop.LOOP if view.loop is Loop.PING_PONG else Loop.PING_PONG)


def playback_actions() -> Iterator[Action]:
    """Yield the actions of the playback menu."""
    is_playing, can_play = attrgetter("view.is_playing"), opened(_can_play)
    play = moving(timeline.play)
    yield Action("playback.play", _("Play"), play, "Space", is_on=is_playing, needs=can_play)
    title, back = _("Play backwards"), moving(timeline.play_backwards)
    of_time = partial(Action, needs=can_play)
    yield of_time("playback.play_backwards", title, back, "Ctrl+Space", is_on=_plays_backwards)
    for name, title, frames, keys in (
        ("previous_frame", _("Previous frame"), -1, "Left ,"),
        ("next_frame", _("Next frame"), 1, "Right ."),
        ("back_10_frames", _("Back 10 frames"), -10, "Down"),
        ("forward_10_frames", _("Forward 10 frames"), 10, "Up"),
    ):
        yield of_time(f"playback.{name}", title, _step(frames), keys, repeats=True)
    before = _to_key(-1)
    yield Action("playback.previous_key", _("Previous key"), before, "J", repeats=True, begins_group=True)
    yield Action("playback.next_key", _("Next key"), _to_key(1), "K", repeats=True)
    first = moving(partial(timeline.seek_end, is_last=False))
    last = moving(partial(timeline.seek_end, is_last=True))
    yield of_time("playback.first_frame", _("First frame"), first, "Shift+Home")
    yield of_time("playback.last_frame", _("Last frame"), last, "Shift+End")
    title, follow = _("Camera follows the selected node"), changing(toggle_following)
    yield Action("playback.follow", title, follow, "Shift+F", is_on=_follows)
    release = changing(lambda view: replace(view, playback=replace(view.playback, own=MappingProxyType({}))))
    yield Action("playback.all_follow", _("Let all nodes follow again"), release)
    switched = actions_of("playback")
    modes = [switched.pop(it.id) for it in option_actions(option_at(ViewState, "loop"))]
    switched.pop("playback.machinery")  # among the clips: `motion_actions`
    yield replace(switched.pop("playback.effects"), needs=opened(parts_of))
    yield from switched.values()
    yield from _clips()
    yield from _marks()
    yield from modes
    yield of_stage("playback.toggle_ping_pong", _("Toggle ping-pong"), changing(_toggle_ping_pong), "P")
    yield from _speeds()


def _can_play(frame: UiContext) -> bool:
    return frame.document is not None or frame.state.axis.moves


def _plays_backwards(frame: UiContext) -> bool:
    return frame.view.is_playing and frame.view.is_reversed


def _follows(frame: UiContext) -> bool:
    return frame.view.followed is not None


def _clips() -> Iterator[Action]:
    for name, title, step, keys in (
        ("previous_clip", _("Previous clip"), -1, "Shift+Left"),
        ("next_clip", _("Next clip"), 1, "Shift+Right"),
    ):
        effect = partial(_step_clip, step=step)
        yield of_models(f"playback.{name}", title, effect, keys, repeats=True, begins_group=step < 0)
    yield of_models("playback.play_clip", _("Play clip from its start"), _restart, "Shift+Space")
    yield of_models("playback.whole_strip", _("Play whole strip"), _play_strip)
    yield from motion_actions()
    yield of_models("playback.reset_channels", _("Reset all channels"), changing(reset_channels))


def _step_clip(frame: UiContext, step: int) -> None:
    if (document := _player(frame)) is not None:
        frame.change(partial(step_playable, document=document, ranges=frame.state.ranges, step=step))


def _restart(frame: UiContext) -> None:
    if (document := _player(frame)) is not None:
        frame.change(partial(restart_clip, document=document))


def _play_strip(frame: UiContext) -> None:
    if (document := _player(frame)) is not None:
        frame.change(partial(play_frames, document=document, frames=None))


def _player(frame: UiContext) -> Document | None:
    """The model whose clips are played: the open one, or the chassis of the open unit."""
    stage = frame.state.stage
    return stage.unit.chassis if isinstance(stage, UnitStage) else frame.document


def _marks() -> Iterator[Action]:
    for name, title, is_last, keys in (
        ("mark_start", _("Mark start of a frame range"), False, "Shift+I"),
        ("mark_end", _("Mark end of a frame range"), True, "Shift+O"),
    ):
        effect = partial(mark, is_last=is_last)
        yield Action(f"playback.{name}", title, effect, keys, begins_group=not is_last)


def _speeds() -> Iterator[Action]:
    slower = changing(lambda view: timeline.faster(view, 0.8))
    yield of_stage("playback.slower", _("Slower"), slower, "-", repeats=True, begins_group=True)
    faster = changing(lambda view: timeline.faster(view, 1.25))
    yield of_stage("playback.faster", _("Faster"), faster, "+", repeats=True)


def _step(frames: int) -> ActionEffect:
    return moving(lambda view, axis: timeline.step(view, frames, axis))


def _to_key(step: int) -> ActionEffect:
    """Make an effect that seeks the next or previous key marked on the timeline."""

    def run(frame: UiContext) -> None:
        if frame.document is not None:
            axis = frame.state.axis
            time = next_key(frame.document, frame.view, key_times(frame.document, frame.view), step)
            frame.change(lambda view: timeline.seek(replace(view, is_playing=False), time, axis))

    return run
