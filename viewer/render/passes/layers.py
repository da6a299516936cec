"""The layers of a frame, in their order."""

from __future__ import annotations

import moderngl

from viewer.render.buffers.model_buffers import ModelBuffers
from viewer.render.passes.base import FrameScene, Pass
from viewer.render.passes.cut_faces import CutFacePass
from viewer.render.passes.dome import DomePass
from viewer.render.passes.ghosts import GhostPass
from viewer.render.passes.marks import HighlightPass, VertexPass
from viewer.render.passes.overlays import (
    BonesPass,
    GridPass,
    HeaderBoundsPass,
    NodeAxesPass,
    NormalsPass,
    SlotBoundsPass,
    StreamVectorsPass,
    SubtreeBoundsPass,
    SurroundingsPass,
    WorldAxesPass,
)
from viewer.render.passes.portals import DoorwayPass, PortalPass
from viewer.render.passes.textured import BackdropPass, EdgePass, SurfacePass, TexturedPass
from viewer.render.passes.triangles import NeighborPass, QueryPass, TriangleEdgePass
from viewer.render.programs import Programs


class LatePass(Pass):
    """The place of passes that are made when they are first needed: most programs show no effects."""

    made: tuple[Pass, ...] = ()

    def draw(self, scene: FrameScene) -> None:
        """Draw the passes that have been made."""
        for it in self.made:
            it.draw(scene)


class Layers:
    """The layers of a frame that are the same for all models; owner: the renderer.

    Attributes
    ----------
    effects
        The layer of effects, which are drawn after all that they test depth against.
    """

    def __init__(self, ctx: moderngl.Context, programs: Programs) -> None:
        self._ctx = ctx
        self._programs = programs
        # Backdrop and dome neither test nor write depth, so they only lie behind what is drawn after them.
        self._below = [made(ctx, programs) for made in (BackdropPass, DomePass, SurfacePass)]
        # What tests depth against the model comes before the lines that are drawn over everything.
        over = (
            CutFacePass,
            DoorwayPass,
            PortalPass,
            EdgePass,
            QueryPass,
            HighlightPass,
            TriangleEdgePass,
            NormalsPass,
            GridPass,
            WorldAxesPass,
            SlotBoundsPass,
            SubtreeBoundsPass,
        )
        self._over = [made(ctx, programs) for made in over]
        self.effects = LatePass(ctx, programs)
        last = NodeAxesPass, SurroundingsPass, NeighborPass, VertexPass
        self._last = [made(ctx, programs) for made in last]

    def of_model(self, subject: ModelBuffers) -> tuple[Pass, ...]:
        """All layers of a frame that shows a model, the lowest first."""
        ctx, programs, model = self._ctx, self._programs, subject.model
        return (
            *self._below,
            TexturedPass(ctx, programs, subject),
            *self._over,
            GhostPass(ctx, programs, subject),
            self.effects,
            HeaderBoundsPass(ctx, programs, subject),
            StreamVectorsPass(ctx, programs, subject),
            BonesPass(ctx, programs, model),
            *self._last,
        )
