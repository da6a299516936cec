"""The effects of a frame on the graphics card: their materials, and the pass that draws them."""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import Final

import moderngl
import numpy as np

from viewer.model.effects.moment import NO_LIGHTS, EffectLights, EffectMoment
from viewer.model.material.materials import Material, Materials
from viewer.render.buffers.effect_sprites import (
    ROW_SHIFT,
    Reals,
    SpriteMaterial,
    instances,
    merged,
    sprite_materials,
)
from viewer.render.buffers.model_buffers import ModelBuffers
from viewer.render.passes.effects import EffectPass, TestedPoint, TestedPointsPass
from viewer.render.portions import Frame
from viewer.render.programs import Programs
from viewer.render.textures.material_bindings import MaterialBindings
from viewer.render.textures.texels import MaterialTexture
from viewer.render.textures.texture_store import TextureStore
from viewer.session.play.model_effects import PlayedEffect
from viewer.session.view.camera import Camera
from viewer.session.view.effect_look import seen_from
from viewer.session.view.options.textures import TextureSwitches
from viewer.session.view.view_state import ViewState

NONE = np.zeros(0, np.int64)
Blocks = frozenset[int]
NO_BLOCKS: Final[Blocks] = frozenset()
_LIGHT_FIELDS = ("block", "kind", "position", "direction", "range", "color", "attenuation")


class EffectLayer:
    """The sprites of effects; owner: a renderer, whose textures it shares.

    Attributes
    ----------
    sprites, points
        The passes that draw what was shown last, and the tested points.
    shown_count
        Sprites and pieces of bolts of that.
    lights
        The lights of what plays, world space.
    """

    def __init__(self, ctx: moderngl.Context, programs: Programs, store: TextureStore) -> None:
        self.sprites, self.points = EffectPass(ctx, programs), TestedPointsPass(ctx, programs)
        self.shown_count = 0
        self.lights = NO_LIGHTS
        self._ctx, self._store = ctx, store
        self._known: tuple[tuple[Material | None, ...], ...] = ()
        self._bindings: MaterialBindings | None = None
        self._materials: dict[int, list[SpriteMaterial | None]] = {}
        self._playing: list[tuple[PlayedEffect, EffectMoment]] = []
        self._hidden = NO_BLOCKS
        self._tested: dict[int, TestedPoint] = {}

    def load(self, materials: Sequence[tuple[Material | None, ...]]) -> None:
        """Set the materials of the blocks of all effects that are shown: equal ones by identity."""
        # Effects that play at the same time may be the same effect: its materials are then one object.
        loaded = tuple({id(it): it for it in materials}.values())
        if len(loaded) == len(self._known) and all(map(is_, loaded, self._known)):
            return
        self._known = loaded
        rows = tuple(dict.fromkeys(it for row in loaded for it in row if it is not None))
        self._bindings = MaterialBindings(self._ctx, self._store, Materials(rows, NONE, NONE), NONE)
        by_row = dict(zip(rows, sprite_materials(rows), strict=True))
        self._materials = {id(row): [None if it is None else by_row[it] for it in row] for row in loaded}

    def requested_textures(self, switches: TextureSwitches) -> list[MaterialTexture]:
        """Textures of the materials that are not uploaded yet, the most urgent first."""
        if self._bindings is None or not self._known:
            return []
        self._bindings.use(switches)
        return [*self._bindings.requested()]

    def show(
        self, frame: Frame, subject: ModelBuffers, hidden: Blocks = NO_BLOCKS, *, is_over: bool = False
    ) -> float:
        """Set the effects that are drawn; how far sprites reach from the camera's target, at the last part.

        Parameters
        ----------
        subject
            The model that may cover tested points.
        hidden
            Blocks that are not drawn.
        is_over
            The model is drawn over others, which may cover them too.
        """
        if not is_over:
            self._play(frame.effects, frame.view.camera, hidden)
        for number, (it, _moment) in enumerate(self._playing):
            # A unit is drawn part by part, and each part may cover the point: once covered it is not tested
            # again.
            point = it.program.tested_point(it.inputs)
            if point is not None and self._tested.get(number, TestedPoint(point)).is_in_view:
                self._tested[number] = TestedPoint(point, not _is_covered(point, frame.view, subject))
        return self._show(frame.view) if frame.is_last else 0.0

    def _play(self, effects: Sequence[PlayedEffect], camera: Camera, hidden: Blocks) -> None:
        """Set the playing effects, their lights and tested points, as a camera sees them."""
        self.load([it.materials for it in effects])
        self.sprites.clear()
        self.shown_count = 0
        self._playing = [
            (it, it.program.at(it.inputs if it.keeps_eye else seen_from(it.inputs, camera))) for it in effects
        ]
        self._hidden, self._tested, self.points.points = hidden, {}, ()
        lights = [_finite(moment.lights, hidden) for _it, moment in self._playing]
        self.lights = NO_LIGHTS
        if lights:
            self.lights = EffectLights(
                *(np.concatenate([getattr(it, name) for it in lights]) for name in _LIGHT_FIELDS)
            )

    def _show(self, view: ViewState) -> float:
        """Set the drawn sprites; how far they reach from the camera's target."""
        camera, bindings = view.camera, self._bindings
        if bindings is None or not self._playing:
            return 0.0
        bindings.use(view.textures)
        self.points.points = tuple(self._tested.values())
        found = []
        for number, (it, moment) in enumerate(self._playing):
            is_in_view = number not in self._tested or self._tested[number].is_in_view
            if is_in_view or not it.program.is_hidden_with_point:
                materials = self._materials[id(it.materials)]
                of_effect = it.program, moment, materials, camera.eye, self._hidden
                found.append(instances(*of_effect, is_in_view=is_in_view))
        sprites = merged(found, camera.eye)
        self.shown_count = len(sprites.rows)
        # The upper bits are the row of the material, the lower 16 its phase: 0x30002 is row 3, phase 2.
        self.sprites.show(sprites, lambda it: bindings.texture((it >> ROW_SHIFT, it & (1 << ROW_SHIFT) - 1)))
        return sprites.reach(np.array(camera.target))


def _is_covered(point: Reals, view: ViewState, subject: ModelBuffers) -> bool:
    """Whether a model hides a point (3,) from the camera."""
    camera = view.camera
    eye = camera.eye
    # A parallel view has no eye: the ray starts past all that the model reaches.
    if camera.is_orthographic:
        x, y, z = point.tolist()
        eye = point + camera.axes[2] * (1 + subject.reach((x, y, z)))
    return subject.covers(eye, point, subject.choose(view).draws)


def _finite(lights: EffectLights, hidden: frozenset[int]) -> EffectLights:
    """The lights that can be drawn, of blocks that are."""
    values = np.column_stack([lights.position, lights.range, lights.color, lights.attenuation])
    is_drawn = np.isfinite(values).all(axis=1) & ~np.isin(lights.block, [*hidden])
    return EffectLights(*(getattr(lights, name)[is_drawn] for name in _LIGHT_FIELDS))
