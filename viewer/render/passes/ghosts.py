"""The ghosts of a model: its triangles in other poses, or of other cells, translucent in one color each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import moderngl
import numpy as np

from viewer.geometry.transforms import Mask
from viewer.model.mesh.pose.animation import Pose
from viewer.render.buffers.model_buffers import ModelBuffers
from viewer.render.buffers.upload import NodeMatrices, Submission
from viewer.render.passes.base import FrameScene, Pass, set_state
from viewer.render.programs import Programs

if TYPE_CHECKING:
    from viewer.session.play.ghosts import Ghost

OPACITY: Final = 0.6
"""Opacity of the ghost that is nearest in time, seen from the side."""
BEHIND: Final = 2.0
"""Depth offset by which ghosts lie behind what does not move."""


class GhostPass(Pass):
    """The ghosts of a frame; owner: the layers of one model, whose buffers it reads."""

    stages = ("surface", "ghost")
    is_cut = True

    def __init__(self, ctx: moderngl.Context, programs: Programs, subject: ModelBuffers) -> None:
        super().__init__(ctx, programs)
        self._subject = subject
        self._submissions: list[tuple[Submission, Mask]] = []
        self._matrices: list[tuple[NodeMatrices, Pose | None]] = []

    def draw(self, scene: FrameScene) -> None:
        """Draw the ghosts that the frame has, the nearest in time first."""
        if not scene.ghosts:
            return
        subject = self._subject
        # Ghosts of other times show the draws of the view, which is one mask for all of them: they share a
        # submission.
        masks = {id(mask): mask for mask in (_draws_of(ghost, scene) for ghost in scene.ghosts)}
        chosen = {key: self._chosen(number, mask) for number, (key, mask) in enumerate(masks.items())}
        for number, ghost in enumerate(scene.ghosts):
            submission = chosen[id(_draws_of(ghost, scene))]
            self._draw_ghost(scene, ghost, self._posed(number, ghost.pose), submission)
        subject.matrices.bind()

    def _chosen(self, number: int, draws: Mask) -> Submission:
        """The submission of some draws, chosen again if they are others than in the frame before."""
        if number == len(self._submissions):
            self._submissions.append((Submission(self._subject.mesh), np.zeros(0, np.bool_)))
        submission, before = self._submissions[number]
        if before is not draws:
            submission.show(self._subject.merged.mask_of(draws))
            self._submissions[number] = submission, draws
        return submission

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
        # With alpha 0 blending leaves the colors as they are, so the first turn writes depth alone.
        for opacity in (0.0, OPACITY * ghost.strength):
            set_state(
                self._ctx, scene.framebuffer, writes_depth=not opacity, is_blended=True, depth_offset=BEHIND
            )
            self._program["tint"] = (*ghost.color, opacity)
            submission.render(self._program, scene.portions)


def _draws_of(ghost: Ghost, scene: FrameScene) -> Mask:
    return scene.shown.draws if ghost.draws is None else ghost.draws
