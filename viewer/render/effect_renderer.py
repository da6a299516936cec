"""The renderer of one effect on a grid, with the camera of the window."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import moderngl
from msgspec.structs import replace

from viewer.formats.texture.pixels import Image
from viewer.render.buffers.model_buffers import ModelBuffers, nothing
from viewer.render.effect_layer import EffectLayer
from viewer.render.look_renderer import LookRenderer
from viewer.render.passes.base import FrameScene, backdrop
from viewer.render.passes.overlays import GridPass, WorldAxesPass
from viewer.render.passes.textured import BackdropPass
from viewer.render.portions import Frame
from viewer.render.programs import Projection
from viewer.render.targets import RenderTarget, free_dropped
from viewer.render.textures import texels
from viewer.render.textures.texels import MaterialTexture
from viewer.session.play.model_effects import PlayedEffect
from viewer.session.view.effect_look import EffectLook
from viewer.session.view.options.textures import TextureSwitches

CAPACITY: Final = 64 * 1024 * 1024
"""Budget of the textures, bytes."""


class EffectRenderer(LookRenderer[EffectLook]):
    """Draws one effect at a time; owner: the app or a verb, lifetime: its context. Main thread only."""

    def __init__(self, ctx: moderngl.Context) -> None:
        super().__init__(ctx, CAPACITY)
        self._picture = RenderTarget(ctx)
        self._effects = EffectLayer(ctx, self._programs, self._store)
        self._layers = [made(ctx, self._programs) for made in (BackdropPass, GridPass, WorldAxesPass)]

    @property
    def shown_count(self) -> int:
        """Sprites and pieces of bolts of the last image."""
        return self._effects.shown_count

    @cached_property
    def _nothing(self) -> ModelBuffers:
        return nothing(self.ctx)

    def load(self, look: EffectLook) -> None:
        """Use the materials of the blocks of an effect."""
        self._effects.load((look.materials,))

    def requested_textures(self, switches: TextureSwitches) -> list[MaterialTexture]:
        """Textures of the materials that are not uploaded yet, the most urgent first."""
        return self._effects.requested_textures(switches)

    def draw(self, look: EffectLook) -> int:
        """Draw a look and return the GL name of its image, lowest row first."""
        self._draw(self._target, look, is_image=False)
        return int(self._target.texture.glo)

    def _draw(self, target: RenderTarget, look: EffectLook, *, is_image: bool) -> None:
        """Draw a look; an image for a file keeps a transparent background, a checkerboard on screen."""
        view = look.view
        target.resize(look.size, view.samples)
        camera = replace(view.camera, reach=max(view.camera.reach, view.camera.distance))
        projection = Projection.of(camera, (max(1, look.size[0]), max(1, look.size[1])))
        played = PlayedEffect(look.program, look.materials, look.inputs, look.keeps_eye)
        view = replace(view, camera=camera)
        self._effects.show(Frame(view, None, look.size, effects=(played,)), self._nothing, look.hidden)
        self._block.write(projection)
        shown = self._nothing.choose(view)
        scene = FrameScene(
            view,
            self._nothing,
            shown,
            projection,
            target.scene,
            is_image=is_image,
            lights=self._effects.lights,
        )
        target.scene.use()
        target.scene.depth_mask = True
        target.scene.clear(*backdrop(view))
        for layer in (*self._layers, self._effects.sprites, self._effects.points):
            layer.draw(scene)
        target.resolve()
        free_dropped(self.ctx)

    def image(self, look: EffectLook) -> Image:
        """The pixels of a look, (h, w, 4), top row first, straight alpha; what is on screen stays."""
        self.load(look)
        for texture in self.requested_textures(look.view.textures):
            self.provide(texels.decode(texture, look.view.textures, self.texture_limit))
        self._draw(self._picture, look, is_image=True)
        return self._picture.pixels()
