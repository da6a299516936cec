"""The target of a frame: a multisampled framebuffer and the texture that it is resolved to."""

from __future__ import annotations

from typing import Any

import moderngl
import numpy as np
import numpy.typing as npt

from viewer.errors import UsageError
from viewer.render.programs import UPLOAD_UNIT, Programs
from viewer.session.view.camera import Size
from viewer.translation import _

_Scene = tuple[moderngl.Framebuffer, moderngl.Renderbuffer, moderngl.Texture, moderngl.VertexArray | None]
"""A framebuffer, its depth and its color, and what resolves its samples, if it has several."""
USUAL_SAMPLES = 4
MOST_SCENES = 2
"""Framebuffers that a target keeps, each with other samples."""


def usable_samples(ctx: moderngl.Context, limit: int) -> int:
    """Supported samples per pixel up to `limit`; 0 means none, since GL may round 1 up."""
    # Both limits: depth is a renderbuffer, color a multisampled texture, and GL has a limit for each.
    samples = min(limit, ctx.max_samples, ctx.info["GL_MAX_COLOR_TEXTURE_SAMPLES"])
    return samples if samples > 1 else 0


def check_size(ctx: moderngl.Context, size: Size) -> None:
    """Raise `UsageError` for a size that exceeds the limits of the graphics card."""
    limit = min(ctx.info["GL_MAX_RENDERBUFFER_SIZE"], ctx.info["GL_MAX_TEXTURE_SIZE"])
    if max(size) > limit:
        words = _(
            "{width} x {height} pixels; the GPU supports at most {limit} x {limit}",
            width=size[0],
            height=size[1],
            limit=limit,
        )
        raise UsageError(words)


def new_texture(
    ctx: moderngl.Context,
    size: Size,
    components: int,
    data: npt.NDArray[Any] | bytes | None = None,
    *,
    dtype: str = "f1",
) -> moderngl.Texture:
    """A texture; raises `moderngl.Error` for a size that the graphics card does not have.

    Every texture is made here: OpenGL only notes such an error, and draws nothing.
    """
    limit = ctx.info["GL_MAX_TEXTURE_SIZE"]
    if not 0 < min(size) <= max(size) <= limit:
        words = _(
            "a texture of {width} x {height}; the GPU has at most {limit} x {limit}",
            width=size[0],
            height=size[1],
            limit=limit,
        )
        raise moderngl.Error(words)
    return ctx.texture(size, components, data, dtype=dtype)


class RenderTarget:
    """Multisampled color and depth, resolved to an RGBA8 texture; owner: the renderer.

    Colors have premultiplied alpha. The texture is only replaced when the size changes, as the user interface
    draws it until the end of a frame; buffers with other samples are kept, as frames alternate between two.

    Attributes
    ----------
    scene, depth
        The framebuffer with the chosen samples, and its depth.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._programs = Programs.of(ctx)
        self._size: Size = (0, 0)
        self._scenes: dict[int, _Scene] = {}

    def resize(self, size: Size, samples: int = USUAL_SAMPLES) -> None:
        """Choose the size, which loses the content if it is another one, and the samples."""
        requested = (max(1, size[0]), max(1, size[1]))
        if requested != self._size:
            check_size(self._ctx, requested)
            self._scenes.clear()
            self.texture = new_texture(self._ctx, requested, 4)
            self.resolved = self._ctx.framebuffer([self.texture])
            self._size = requested
        samples = usable_samples(self._ctx, samples)
        if samples not in self._scenes:
            if len(self._scenes) == MOST_SCENES:
                self._scenes.clear()
            # A texture instead of a renderbuffer, as `resolve` reads its samples in a shader.
            color = self._ctx.texture(requested, 4, samples=samples)
            depth = self._ctx.depth_renderbuffer(requested, samples=samples)
            program = self._programs.get("backdrop", "resolve", sample_count=samples) if samples else None
            resolving = None if program is None else self._ctx.vertex_array(program, [])
            self._scenes[samples] = self._ctx.framebuffer([color], depth), depth, color, resolving
        self.scene, self.depth, self._color, self._resolving = self._scenes[samples]

    def resolve(self) -> None:
        """Resolve the samples into the texture, and bind its framebuffer."""
        if self._resolving is None:
            self._ctx.copy_framebuffer(self.resolved, self.scene)
        self.resolved.use()
        if self._resolving is not None:
            # Copying would do, but Mesa compiles its own program for that anew in each process, 35 ms.
            self._ctx.enable_only(moderngl.NOTHING)
            self._ctx.wireframe = False
            self._color.use(UPLOAD_UNIT)
            self._resolving.render(moderngl.TRIANGLES, vertices=3)

    def pixels(self) -> npt.NDArray[np.uint8]:
        """The resolved image, (height, width, 4), top row first, straight alpha."""
        width, height = self._size
        # alignment=1: by default GL pads each row to four bytes.
        raw = np.frombuffer(self.resolved.read(components=4, alignment=1), np.uint8)
        return straight_alpha(raw.reshape(height, width, 4)[::-1])


def straight_alpha(premultiplied: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Colors divided by their alpha, same shape (..., 4)."""
    straight = np.array(premultiplied, order="C")
    if straight.size and straight[..., 3].min() == 255:
        return straight
    # Most pixels of an image are opaque, or 0 in all channels, and stay as they are.
    is_changed = (straight[..., 3] != 255) & (straight.view(np.uint32)[..., 0] != 0)
    some = straight[is_changed]
    alpha = some[:, 3:].astype(np.uint16)
    # 255 * 255 + 127 fits u2; half of alpha is added so that the division rounds.
    # 64 at alpha 128 gives (64 * 255 + 64) // 128 = 128, half as bright as white.
    color = some[:, :3].astype(np.uint16) * 255 + alpha // 2
    some[:, :3] = np.minimum(color // np.maximum(alpha, 1), 255)
    straight[is_changed] = some
    return straight


def free_dropped(ctx: moderngl.Context) -> None:
    """Free unreferenced GL objects; `Context.gc` would stop at an object that was released explicitly."""
    while ctx.objects:
        dropped = ctx.objects.popleft()
        if hasattr(dropped, "release"):
            dropped.release()
