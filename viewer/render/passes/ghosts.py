"""The ghosts of a model: its shown triangles again in other poses, translucent in one color each."""

from __future__ import annotations

from typing import Final

import moderngl

from viewer.model.mesh.animation import Pose
from viewer.render.buffers.model_buffers import ModelBuffers
from viewer.render.buffers.upload import NodeMatrices, Submission
from viewer.render.passes.base import FrameScene, Pass, set_state
from viewer.render.programs import Programs
from viewer.session.play.ghosts import Ghost

OPACITY: Final = 0.6
"""Of the ghost that is nearest in time, seen from the side."""
BEHIND: Final = 2.0
"""Depth offset by which ghosts lie behind what does not move."""


class GhostPass(Pass):
    """The ghosts of a frame; owner: the layers of one model, whose buffers it reads."""

    stages = ("surface", "ghost")

    def __init__(self, ctx: moderngl.Context, programs: Programs, subject: ModelBuffers) -> None:
        super().__init__(ctx, programs)
        self._subject = subject
        self._submission: Submission | None = None
        self._chosen_for: object = None
        self._matrices: list[tuple[NodeMatrices, Pose | None]] = []

    def draw(self, scene: FrameScene) -> None:
        """Draw the ghosts that the frame has, the nearest in time first."""
        if not scene.ghosts:
            return
        subject = self._subject
        if self._submission is None:
            self._submission = Submission(subject.mesh)
        if self._chosen_for is not scene.shown:
            self._chosen_for = scene.shown
            self._submission.show(subject.merged.mask_of(scene.shown.draws))
        for number, ghost in enumerate(scene.ghosts):
            self._draw_ghost(scene, ghost, self._posed(number, ghost.pose), self._submission)
        subject.matrices.bind()

    def _posed(self, number: int, pose: Pose) -> NodeMatrices:
        """Matrices of a ghost, uploaded if they are others than in the frame before."""
        if number == len(self._matrices):
            self._matrices.append((NodeMatrices(self._ctx, self._subject.node_count), None))
        matrices, before = self._matrices[number]
        if before is not pose:
            matrices.write(pose.world)
            self._matrices[number] = matrices, pose
        return matrices

    def _draw_ghost(
        self, scene: FrameScene, ghost: Ghost, matrices: NodeMatrices, submission: Submission
    ) -> None:
        """Draw the depth first, with nothing to see, so that only the nearest surface is seen."""
        matrices.bind()
        for opacity in (0.0, OPACITY * ghost.strength):
            set_state(
                self._ctx,
                scene.framebuffer,
                writes_depth=not opacity,
                is_blended=True,
                depth_offset=BEHIND,
            )
            self._program["tint"] = (*ghost.color, opacity)
            submission.render(self._program, scene.portions)
