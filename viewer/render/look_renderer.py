"""The image of what a panel looks at: a target of its own, and the textures of the materials on it."""

from __future__ import annotations

from typing import Generic, TypeVar

import moderngl

from viewer.geometry.transforms import Indices
from viewer.model.material.materials import Materials
from viewer.render.programs import FrameBlock, Programs
from viewer.render.targets import RenderTarget
from viewer.render.textures.material_bindings import MaterialBindings
from viewer.render.textures.texels import MaterialTexture, Texels
from viewer.render.textures.texture_store import TextureStore
from viewer.session.view.options.textures import TextureSwitches

AnyLook = TypeVar("AnyLook")


class LookRenderer(Generic[AnyLook]):
    """Draws one look at a time; owner: the app or a verb, lifetime: its context. Main thread only.

    Parameters
    ----------
    capacity
        Budget of the textures, bytes.
    """

    def __init__(self, ctx: moderngl.Context, capacity: int) -> None:
        self.ctx = ctx
        self._programs = Programs.of(ctx)
        self._block = FrameBlock(ctx)
        self._target = RenderTarget(ctx)
        self._store = TextureStore(ctx, capacity)
        self._bindings: MaterialBindings | None = None

    def load(self, look: AnyLook) -> None:
        """Use the materials of a look."""
        raise NotImplementedError

    def draw(self, look: AnyLook) -> int:
        """Draw a look and return the GL name of its image, lowest row first."""
        raise NotImplementedError

    def requested_textures(self, switches: TextureSwitches) -> list[MaterialTexture]:
        """Textures of the materials that are not uploaded yet, the most urgent first."""
        if self._bindings is None:
            return []
        self._bindings.use(switches)
        return [*self._bindings.requested()]

    @property
    def texture_limit(self) -> int:
        """The longest side of a texture."""
        return self._store.limit

    def provide(self, texels: Texels) -> None:
        """Upload a decoded texture."""
        self._store.put(texels)

    def _bind(self, materials: Materials, row_of_draw: Indices) -> None:
        """Bind other materials, with the row of each draw."""
        self._bindings = MaterialBindings(self.ctx, self._store, materials, row_of_draw)
