"""The effects that play on a model: which, since when, driven by what, and where; their stage and sounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from viewer.geometry.transforms import Doubles, point_of
from viewer.model.clips.attachment import IDENTITY, Anchor
from viewer.model.clips.clip import FRAME_RATE
from viewer.model.clips.started_effects import LOAD
from viewer.model.effects.clock import EffectFlag
from viewer.model.effects.program import EffectInputs, EffectProgram
from viewer.model.effects.sounds import voices
from viewer.model.kinds.registry import EFFECT
from viewer.model.material.materials import Material
from viewer.model.mesh.pose.animation import Pose
from viewer.model.store.address import CURRENT, Address
from viewer.operations.effects.effects import LoadedEffect
from viewer.operations.effects.model_effects import ModelEffect
from viewer.session.opened.document import Document
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.play import posing, timeline
from viewer.session.play.effect_play import (
    LONGEST,
    inputs_of,
    is_repeated,
    program_of,
    round_frames,
    seconds_of,
)
from viewer.session.play.playback import PlayedEffects
from viewer.session.play.playing import shown_value
from viewer.session.view.view_state import ViewState

TARGET_DISTANCE: Final = 30.0
"""Distance of the target of a bolt ahead of its place, in lengths of the first axis; no file states it."""
NODE_MODES: Final = frozenset({4, 16, 17})
"""Time modes that are driven by a node of the owner."""
SPEED_MODES: Final = frozenset({5, 6, 7, 8, 15})
_NONE: Final[Mapping[int, float]] = MappingProxyType({})
Stood = Callable[[float], tuple[Pose, Doubles]]
"""Gives the pose of a model some seconds ago, and the matrix (4, 4) of the whole model in it."""


class PlayedEffect(Struct, frozen=True, eq=False):
    """An effect at a moment of a model.

    Attributes
    ----------
    materials
        The material of each block, or None.
    inputs
        What plays, and where.
    keeps_eye
        Whether sprites turn to the eye of the inputs, not to the camera.
    key
        Which of the effects of the model it is.
    source
        Address of the effect.
    """

    program: EffectProgram
    materials: tuple[Material | None, ...]
    inputs: EffectInputs
    keeps_eye: bool = False
    key: int = 0
    source: Address = CURRENT


def rows_of(document: Document) -> tuple[ModelEffect, ...]:
    """The effects of a model; none if they were not looked up."""
    return () if document.effects is None else document.effects.rows


def explosion_of(document: Document, node: int) -> int | None:
    """The row of the explosion with which a node is destroyed; None if it has none that can be played."""
    rows = enumerate(rows_of(document))
    return next((row for row, it in rows if it.node == node and not it.started and not it.problem), None)


def toggled(view: ViewState, document: Document, row: int) -> ViewState:
    """Start an effect now, or stop it; what else plays with the clip then goes on by itself."""
    started = dict(playing_rows(document, view))
    if started.pop(row, None) is None:
        started = {**view.playback.effects.started, row: clock(view)}
        return replace(with_effects(view, started=MappingProxyType(started)), is_playing=True)
    return with_effects(view, started=MappingProxyType(started), is_with_clip=False)


def with_effects(view: ViewState, **values: Any) -> ViewState:
    """The view with other played effects."""
    effects = replace(view.playback.effects, **values)
    return replace(view, playback=replace(view.playback, effects=effects))


def toggle_with_clip(view: ViewState) -> ViewState:
    """Play what is started on loading, by the clip and by its steps, or no more."""
    return with_effects(view, is_with_clip=not view.playback.effects.is_with_clip)


def without_effects(view: ViewState) -> ViewState:
    """The view with all effects stopped."""
    return with_effects(view, started=_NONE, is_with_clip=False)


def is_played(document: Document, view: ViewState, row: int) -> bool:
    """Whether an effect plays: it was started by hand, or plays with the clip."""
    return row in playing_rows(document, view)


def playing_rows(document: Document, view: ViewState) -> Mapping[int, float]:
    """Starts of the effects that play, by row."""
    effects = view.playback.effects
    if not effects.is_with_clip:
        return effects.started
    with_clip = (row for row, it in enumerate(rows_of(document)) if _is_with_clip(it, view))
    return {**dict.fromkeys(with_clip, 0.0), **effects.started}


def _is_with_clip(effect: ModelEffect, view: ViewState) -> bool:
    """Whether an effect plays with a clip: it is started on loading, by the clip, or by its contacts."""
    started, clip = effect.started, view.playback.clip
    if started is None:
        return False
    is_by_clip = clip is not None and (clip in started.states or bool(started.contacts))
    return LOAD in started.slots or is_by_clip


def played(document: Document, view: ViewState, pose: Pose) -> tuple[PlayedEffect, ...]:
    """The effects that play on a model in a pose."""

    def stood(seconds: float) -> tuple[Pose, Doubles]:
        # The pose when an effect let go of its node; the first one if that is earlier.
        is_now = not seconds or not document.animation.is_animated
        return (pose if is_now else posing.pose(document, earlier(view, seconds))), IDENTITY

    return tuple(played_on(document, view, stood))


def played_on(document: Document, view: ViewState, stood: Stood) -> Iterator[PlayedEffect]:
    """The effects that play on a model wherever it stands."""
    rows, surface = rows_of(document), view.playback.effects.surface
    for row, start in playing_rows(document, view).items():
        if not 0 <= row < len(rows):
            continue
        effect = rows[row]
        loaded, anchor = effect.variant(surface), effect.anchor
        if loaded is None or anchor is None:
            continue
        inputs = _inputs(document, view, stood, effect, loaded, anchor, start)
        if inputs is not None:
            yield PlayedEffect(loaded.program, loaded.materials, inputs, key=row, source=loaded.address)


def _inputs(
    document: Document,
    view: ViewState,
    stood: Stood,
    effect: ModelEffect,
    loaded: LoadedEffect,
    anchor: Anchor,
    start: float,
) -> EffectInputs | None:
    stored = loaded.effect
    elapsed = max(clock(view) - start, 0.0)
    flags, mode = int(stored.header["flags"]), int(stored.header["time_mode"])
    length = round_frames(stored) / FRAME_RATE if is_repeated(stored) else LONGEST
    seconds = elapsed % length
    pose, placed = stood(seconds if flags & EffectFlag.LETS_GO else 0.0)
    frame = anchor.frame(pose.world, placed)
    if frame is None:
        return None
    axes, origin = frame.axes, frame.origin
    x, y, z = map(point_of, axes)
    target = point_of(origin + axes[0] * TARGET_DISTANCE)
    return EffectInputs(
        seconds,
        anchor.scale,
        strength=driven_by(document, view.playback.effects, view, effect, mode),
        target=target,
        is_started=True,
        axes=(x, y, z),
        origin=point_of(origin),
    )


def driven_by(
    document: Document, effects: PlayedEffects, view: ViewState, effect: ModelEffect, mode: int
) -> float:
    """The outside value of an effect: the one that was set, else what the clip and the channels say."""
    if effects.strength is not None:
        return effects.strength
    if mode in SPEED_MODES:
        clip = view.playback.clip
        speeds = () if document.effects is None else document.effects.speeds
        return speeds[clip] if clip is not None and 0 <= clip < len(speeds) else 0.0
    if mode in NODE_MODES and effect.anchor is not None:
        channels = document.controller.channels
        channel = next((it for it in channels if it.node == effect.anchor.nodes[0]), None)
        return 1.0 if channel is None else shown_value(view.playback, channel)
    return 1.0


def earlier(view: ViewState, seconds: float) -> ViewState:
    """The view some seconds ago, at its first time if that is earlier."""
    return timeline.at(view, max(timeline.now(view) - seconds * FRAME_RATE, 0.0))


def clock(view: ViewState) -> float:
    """Seconds on the clock of the materials, which continues when the nodes start over."""
    return timeline.material_time(view) / 1e3


def staged(shown: OpenedResource, view: ViewState) -> PlayedEffect | None:
    """The effect that plays in a stage, or of the chosen slot of an explosion; None if nothing plays."""
    effect, materials, source = shown.value, shown.effect_materials, shown.address
    if shown.kind != EFFECT.id:
        loaded = slot_of(shown, view)
        if loaded is None:
            return None
        effect, materials, source = loaded.effect, loaded.materials, loaded.address
    settings = view.playback.stage
    inputs = inputs_of(settings, seconds_of(view, effect))
    program = program_of(effect, settings.seed)
    return PlayedEffect(program, materials, inputs, settings.eye is not None, source=source)


def slot_of(shown: OpenedResource, view: ViewState) -> LoadedEffect | None:
    """The effect of the chosen slot of an explosion, else its first one."""
    chosen = shown.slots[view.playback.stage.slot : view.playback.stage.slot + 1]
    return next(filter(None, (*chosen, *shown.slots)), None)


class HeardSound(Struct, frozen=True):
    """A sound: one that begins now and plays once, or a loop that goes on as long as it is heard.

    Attributes
    ----------
    key
        Which effect, and which block of it.
    archive, name
        Its file.
    volume, rate
        0 to 1, and how much faster than usual it plays.
    """

    key: tuple[int, int]
    archive: bytes
    name: bytes
    is_loop: bool
    volume: float
    rate: float


class Hearing:
    """Follows the effects that play from moment to moment; owner: the app."""

    def __init__(self) -> None:
        self._times: dict[tuple[int, int], float] = {}

    def of(self, effects: Iterable[PlayedEffect]) -> list[HeardSound]:
        """The sounds that are heard now; new ones were just started."""
        times, heard = {}, []
        for played in effects:
            key = played.key, id(played.program)
            found, times[key] = voices(played.program, played.inputs, self._times.get(key, 0.0))
            for voice in found:
                named = played.program.blocks.names[voice.block]
                if named is not None:
                    where = played.key, voice.block
                    heard.append(HeardSound(where, *named, voice.is_loop, voice.volume, voice.rate))
        self._times = times
        return heard
