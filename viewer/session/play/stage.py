"""The stage of a tab: a model, a unit of models or an effect; its camera and its obstacles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from viewer.formats.neighbors.component import BodyMotion
from viewer.model.clips.clip import FRAME_RATE
from viewer.model.kinds.registry import EFFECT, EXPLOSION
from viewer.model.store.address import Address
from viewer.model.write.saving import FileNames
from viewer.session.opened.assembled_unit import AssembledUnit
from viewer.session.opened.document import Document
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.play import machinery, model_effects, playing, posing, unit_posing
from viewer.session.play.effect_play import inputs_of, round_frames
from viewer.session.play.model_effects import PlayedEffect
from viewer.session.play.playback import Playback
from viewer.session.view import effect_look
from viewer.session.view.camera import Camera
from viewer.session.view.effect_look import EffectLook
from viewer.session.view.options.background import Background
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading
from viewer.session.view.view_state import ViewState
from viewer.translation import Text, _

Shown = Document | OpenedResource
_OF_EFFECTS: Final = frozenset({Overlay.GRID, Overlay.AXES, Overlay.TESTED_POINTS})
"""Overlays that an effect has."""


class Stage(Protocol):
    """The shown content for pictures, films, the camera and the options of the view."""

    @property
    def shown(self) -> Shown:
        """The document or resource of the tab."""

    def played_models(self, view: ViewState) -> Iterator[tuple[Document, ViewState]]:
        """The models that are shown, each with the view that it is shown in."""

    def framed(self, view: ViewState, camera: Camera, aspect: float) -> Camera:
        """The camera moved to show all that a view shows now, with its direction unchanged."""

    def advanced(self, view: ViewState, seconds: float) -> ViewState:
        """The view after some time for the channels that move by themselves."""

    def choice_obstacle(self, value: object) -> Text | str:
        """The reason why a value of an option shows nothing here; empty if it may show something."""


class ModelStage(Struct, frozen=True, eq=False):
    """A single model."""

    document: Document

    @property
    def shown(self) -> Shown:
        """The model."""
        return self.document

    def played_models(self, view: ViewState) -> Iterator[tuple[Document, ViewState]]:
        """The model alone."""
        yield self.document, view

    def framed(self, view: ViewState, camera: Camera, aspect: float) -> Camera:
        """The camera moved to show all of the model."""
        return posing.framed(self.document, camera, view, aspect)

    def advanced(self, view: ViewState, seconds: float) -> ViewState:
        """The view after some time for the channels of the model."""
        return playing.advance_channels(view, self.document.controller, seconds)

    def choice_obstacle(self, value: object) -> Text | str:
        """Empty: obstacles of a model depend on its tables, which panels look at."""
        return ""


class UnitStage(Struct, frozen=True, eq=False):
    """A unit with its parts in place."""

    shown: OpenedResource
    unit: AssembledUnit

    def played_models(self, view: ViewState) -> Iterator[tuple[Document, ViewState]]:
        """The models of the parts."""
        for part in self.unit.drawn:
            view_of = unit_posing.view_of(self.unit, view, part.component)
            yield self.unit.documents[part.component], view_of

    def framed(self, view: ViewState, camera: Camera, aspect: float) -> Camera:
        """The camera moved to show all parts that are shown."""
        return unit_posing.framed(unit_posing.placed(self.unit, view), camera, aspect)

    def advanced(self, view: ViewState, seconds: float) -> ViewState:
        """The view after some time for the channels of all parts."""
        return unit_posing.advance(self.unit, view, seconds)

    def choice_obstacle(self, value: object) -> Text | str:
        """Obstacle to an overlay about one model; a part without the tables of a shading is grey in it."""
        drawn = unit_posing.ONCE | unit_posing.OF_A_PART | unit_posing.LABELS
        is_other = isinstance(value, Overlay) and value not in drawn
        return _("only for a single model: open that of a part") if is_other else ""


class EffectStage(Struct, frozen=True, eq=False):
    """An effect, or the chosen slot of an explosion."""

    shown: OpenedResource

    def played_models(self, view: ViewState) -> Iterator[tuple[Document, ViewState]]:
        """None: an effect has no models."""
        yield from ()

    def framed(self, view: ViewState, camera: Camera, aspect: float) -> Camera:
        """The camera moved to show a whole round of the effect."""
        played = self.played(view)
        if played is None:
            return camera
        inputs = inputs_of(view.playback.stage, 0.0)
        return effect_look.framed(camera, played.program, inputs, aspect)

    def played(self, view: ViewState) -> PlayedEffect | None:
        """The playing effect; None if nothing plays."""
        return model_effects.staged(self.shown, view)

    def look(self, view: ViewState, size: tuple[int, int]) -> EffectLook | None:
        """The image of what plays; None if nothing does."""
        it = self.played(view)
        if it is None:
            return None
        hidden = view.playback.stage.hidden
        return EffectLook(it.program, it.materials, it.inputs, view, size, hidden, it.keeps_eye)

    def advanced(self, view: ViewState, seconds: float) -> ViewState:
        """The view, unchanged: an effect has no channels."""
        return view

    def choice_obstacle(self, value: object) -> Text | str:
        """Obstacle to most overlays, and to shadings: sprites are blended as the file says."""
        if isinstance(value, Overlay) and value not in _OF_EFFECTS:
            return _("an effect has no nodes, triangles and bounds")
        is_other = isinstance(value, Shading) and value is not Shading.TEXTURED
        return _("an effect is drawn with its materials alone") if is_other else ""


def stage_of(shown: Shown | None) -> Stage | None:
    """The stage of an open model or resource; None for one that is not shown in space."""
    if isinstance(shown, Document):
        return ModelStage(shown)
    if shown is None:
        return None
    if shown.unit is not None:
        return UnitStage(shown, shown.unit) if shown.unit.documents else None
    has_effect = shown.kind == EFFECT.id and shown.value is not None
    is_explosion = shown.kind == EXPLOSION.id and any(shown.slots)
    return EffectStage(shown) if has_effect or is_explosion else None


def file_stem(stage: Stage) -> str:
    """The name of a file that is made of a stage, without its ending: that of the unit, else of its file."""
    if isinstance(stage, UnitStage):
        return FileNames().add(stage.shown.component_name(0), 0)
    return stem_of(stage.shown.address)


def stem_of(address: Address) -> str:
    """The name of a file that is made of an entry, without its ending."""
    return FileNames().add(Path(address.name.lstrip("#")).stem, 0)


def documents_of(stage: Stage | None) -> tuple[Document, ...]:
    """The models that are shown, each once."""
    if isinstance(stage, ModelStage):
        return (stage.document,)
    if not isinstance(stage, UnitStage):
        return ()
    found = (stage.unit.documents[it.component] for it in stage.unit.drawn)
    return tuple({id(it): it for it in found}.values())


def with_motion(view: ViewState, stage: Stage, motion: BodyMotion) -> ViewState:
    """The view with the machinery going on from where it is, the object moving in another way."""
    if isinstance(stage, ModelStage):
        moved = machinery.driven(stage.document, view, motion)
        return replace(view, playback=replace(view.playback, machinery=moved))
    if isinstance(stage, UnitStage):
        views = {it: unit_posing.view_of(stage.unit, view, it) for it in stage.unit.documents}
        for component, own in views.items():
            moved = machinery.driven(stage.unit.documents[component], own, motion)
            playback = replace(own.playback, machinery=moved)
            view = unit_posing.with_playback(stage.unit, view, component, playback)
    return view


def own_round(stage: Stage, view: ViewState) -> float:
    """Frames after which what plays by itself was seen whole: effects and channels; 0 if nothing does."""
    found = [0.0]
    for document, own in stage.played_models(view):
        found.append(_round_of_effects(document, own, model_effects.playing_rows(document, own)))
        channels = (document.controller.channels[it] for it in own.playback.turning)
        rates = ((it.rate, 1 if it.wraps else 2) for it in channels if isfinite(it.rate) and it.rate > 0)
        found += [way / rate * FRAME_RATE for rate, way in rates]
        found += [seconds * FRAME_RATE for seconds in machinery.periods(document, own)]
    return max(found)


def round_by_hand(stage: Stage, view: ViewState) -> float:
    """Frames of the longest round of the effects that were started by hand; 0 if none was."""
    models = stage.played_models(view)
    return max((_round_of_effects(it, own, own.playback.effects.started) for it, own in models), default=0.0)


def _round_of_effects(document: Document, view: ViewState, rows: Iterable[int]) -> float:
    """Frames of the longest round of some effects of a model."""
    known, surface = model_effects.rows_of(document), view.playback.effects.surface
    played = (known[row].variant(surface) for row in rows if 0 <= row < len(known))
    return max((round_frames(it.effect) for it in played if it is not None), default=0.0)


def restarted(view: ViewState) -> ViewState:
    """The view with the effects that were started by hand beginning now."""
    now = model_effects.clock(view)

    def begun(playback: Playback) -> Playback:
        started = MappingProxyType(dict.fromkeys(playback.effects.started, now))
        return replace(playback, effects=replace(playback.effects, started=started))

    parts = {part: begun(it) for part, it in view.unit.playbacks.items()}
    unit = replace(view.unit, playbacks=MappingProxyType(parts))
    return replace(view, playback=begun(view.playback), unit=unit)


def on_transparent_ground(view: ViewState) -> ViewState:
    """The view for an image of what is shown alone: no background, grid and axes."""
    overlays = view.overlays - unit_posing.ONCE
    return replace(view, background=Background.TRANSPARENT, overlays=overlays)
