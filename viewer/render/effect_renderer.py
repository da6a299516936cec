"""One effect on a grid, with the camera of the window."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Final

import moderngl
import numpy as np

from viewer.dataclass import replace
from viewer.formats.texture.pixels import Image
from viewer.model.material.materials import Material, Materials
from viewer.render.buffers.effect_sprites import ROW_SHIFT, SpriteMaterial, instances, sprite_materials
from viewer.render.buffers.model_buffers import ModelBuffers, nothing
from viewer.render.look_renderer import LookRenderer
from viewer.render.passes.base import BACKDROP, FrameScene
from viewer.render.passes.effects import EffectPass
from viewer.render.passes.overlays import GridPass, WorldAxesPass
from viewer.render.passes.textured import BackdropPass
from viewer.render.programs import Projection
from viewer.render.targets import free_dropped
from viewer.session.view.effect_look import EffectLook, seen_from

CAPACITY: Final = 64 * 1024 * 1024
"""Budget of the textures, bytes."""


class EffectRenderer(LookRenderer[EffectLook]):
    """Draws one effect at a time; owner: the app or a verb, lifetime: its context. Main thread only.

    Attributes
    ----------
    shown_count
        Sprites and pieces of bolts of the last image.
    """

    def __init__(self, ctx: moderngl.Context, shaders: Path) -> None:
        super().__init__(ctx, shaders, CAPACITY)
        self.shown_count = 0
        self._loaded: tuple[Material | None, ...] | None = None
        self._materials: list[SpriteMaterial | None] = []

    @cached_property
    def _layers(self) -> tuple[BackdropPass | GridPass | WorldAxesPass, ...]:
        return tuple(made(self.ctx, self._programs) for made in (BackdropPass, GridPass, WorldAxesPass))

    @cached_property
    def _sprites(self) -> EffectPass:
        return EffectPass(self.ctx, self._programs)

    @cached_property
    def _nothing(self) -> ModelBuffers:
        return nothing(self.ctx)

    def load(self, materials: tuple[Material | None, ...]) -> None:
        """Set the materials of the blocks."""
        if materials is self._loaded:
            return
        self._loaded = materials
        rows = tuple(dict.fromkeys(it for it in materials if it is not None))
        none = np.zeros(0, np.int64)
        self._bind(Materials(rows, none, none), none)
        by_row = dict(zip(rows, sprite_materials(rows), strict=True))
        self._materials = [None if it is None else by_row[it] for it in materials]

    def draw(self, look: EffectLook, *, is_image: bool = False) -> int:
        """Draw a look and return the GL name of its image, lowest row first.

        An image for a file keeps a transparent background, which is a checkerboard on screen.
        """
        self.load(look.materials)
        assert self._bindings is not None
        self._bindings.use(look.view.textures)
        view, target = look.view, self._target
        target.resize(look.size, view.samples)
        camera = replace(view.camera, reach=max(view.camera.reach, view.camera.distance))
        projection = Projection.of(camera, (max(1, look.size[0]), max(1, look.size[1])))
        self._show(look, camera.eye)
        self._block.write(projection)
        shown = self._nothing.choose(view)
        scene = FrameScene(view, self._nothing, shown, projection, target.scene, is_image=is_image)
        target.scene.use()
        target.scene.depth_mask = True
        target.scene.clear(*BACKDROP[view.background])
        for layer in (*self._layers, self._sprites):
            layer.draw(scene)
        target.resolve()
        free_dropped(self.ctx)
        return int(target.texture.glo)

    def _show(self, look: EffectLook, eye: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
        inputs = look.inputs if look.keeps_eye else seen_from(look.inputs, look.view.camera)
        moment = look.program.at(inputs)
        found = instances(look.program, moment, self._materials, eye, look.hidden)
        self.shown_count = len(found.rows)
        bindings = self._bindings
        assert bindings is not None
        self._sprites.show(found, lambda it: bindings.texture((it >> ROW_SHIFT, it & (1 << ROW_SHIFT) - 1)))

    def image(self, look: EffectLook) -> Image:
        """The pixels of a look, (h, w, 4), top row first, straight alpha."""
        self.draw(look, is_image=True)
        return self._target.pixels()
