"""The GL state of one pass, set completely so that nothing remains from the previous pass."""

from __future__ import annotations

import moderngl

from viewer.render.scene import Scene

Factors = tuple[int, int, int, int]
"""Source and destination factors of color, then of alpha, which is the coverage of the image."""

OVER: Factors = (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA)
"""Straight colors over premultiplied ones."""
TOWARDS_EYE = -2.0
"""Depth offset that moves a tint in front of its own surface."""


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
    ctx.blend_func = OVER  # type: ignore[assignment] # four factors are taken, two declared
    ctx.wireframe = is_wire
    ctx.polygon_offset = (depth_offset, depth_offset)
    framebuffer.depth_mask = writes_depth


def set_material_state(
    ctx: moderngl.Context,
    framebuffer: moderngl.Framebuffer,
    *,
    factors: Factors | None,
    writes_depth: bool,
    culls_back_faces: bool,
    depth_offset: float,
) -> None:
    """State of triangles in a material; without `factors` they are not blended."""
    is_blended = factors is not None
    set_state(ctx, framebuffer, writes_depth=writes_depth, is_blended=is_blended, depth_offset=depth_offset)
    if factors is not None:
        ctx.blend_func = factors  # type: ignore[assignment] # four factors are taken, two declared
    if culls_back_faces:
        ctx.cull_face = "back"
        ctx.enable(moderngl.CULL_FACE)


def set_overlay_state(ctx: moderngl.Context, scene: Scene, *, is_hidden_by_model: bool) -> None:
    """State of blended lines on top of the model, or depth-tested against it."""
    set_state(ctx, scene.framebuffer, tests_depth=is_hidden_by_model, writes_depth=False, is_blended=True)
