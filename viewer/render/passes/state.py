"""The GL state of one pass, set as a whole so that nothing leaks from the pass before."""

from __future__ import annotations

import moderngl

from viewer.render.scene import Scene

_OVER = (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA)
"""Straight colours onto premultiplied ones."""


def set_state(
    ctx: moderngl.Context,
    framebuffer: moderngl.Framebuffer,
    *,
    tests_depth: bool = True,
    writes_depth: bool = True,
    is_blended: bool = False,
    is_wire: bool = False,
    depth_offset: float = 0.0,
) -> None:
    """Set every state a pass relies on; `depth_offset` above 0 pushes filled triangles back."""
    flags = moderngl.DEPTH_TEST if tests_depth else moderngl.NOTHING
    ctx.enable_only(flags | (moderngl.BLEND if is_blended else moderngl.NOTHING))
    ctx.depth_func = "<="
    ctx.blend_func = _OVER  # type: ignore[assignment] # four factors are taken, two declared
    ctx.wireframe = is_wire
    ctx.polygon_offset = (depth_offset, depth_offset)
    framebuffer.depth_mask = writes_depth


def set_overlay_state(ctx: moderngl.Context, scene: Scene, *, is_hidden_by_model: bool) -> None:
    """State of blended lines over the model, or among it."""
    set_state(ctx, scene.framebuffer, tests_depth=is_hidden_by_model, writes_depth=False, is_blended=True)
