"""How models are exported: what the user has chosen last."""

from __future__ import annotations

from dataclasses import dataclass, replace

from viewer.model.clips.clip import FRAME_RATE
from viewer.model.convert.exchange import GLB, OBJ
from viewer.model.convert.scene import Cell, Clips, Options

SLOWEST, FASTEST = 0.1, 1000.0
"""Bounds of the frames per second that the window offers."""


@dataclass(frozen=True, slots=True)
class ExportChoices:
    """What is written of a model, and how; remembered in the settings.

    Attributes
    ----------
    suffix
        The format, one of `SUFFIXES`.
    has_all_cells
        Every LOD and group, not only the chosen one.
    clips
        How the animation is divided, a value of `Clips`.
    has_textures
        Whether pictures are written.
    fps
        Frames per second.
    is_gltf_y_up, is_obj_y_up
        Whether Y is up in the file; Z otherwise.
    """

    suffix: str = GLB
    has_all_cells: bool = False
    clips: str = Clips.STRIP.value
    has_textures: bool = True
    fps: float = float(FRAME_RATE)
    is_gltf_y_up: bool = True
    is_obj_y_up: bool = False

    @property
    def is_y_up(self) -> bool:
        """Whether Y is up in a file of the chosen format."""
        return self.is_obj_y_up if self.suffix == OBJ else self.is_gltf_y_up

    def with_y_up(self, *, is_on: bool) -> ExportChoices:
        """The choices with another axis up in files of the chosen format."""
        is_obj = self.suffix == OBJ
        return replace(self, is_obj_y_up=is_on) if is_obj else replace(self, is_gltf_y_up=is_on)

    def options(self, cell: Cell, nodes: frozenset[int] | None) -> Options:
        """The options of the scene: the chosen cell, and all nodes or some."""
        is_obj = self.suffix == OBJ
        return Options(
            cell=cell,
            has_all_cells=self.has_all_cells and not is_obj,
            has_textures=self.has_textures,
            fps=self.fps,
            is_y_up=self.is_y_up,
            clips=Clips.STRIP if is_obj else Clips(self.clips),
            nodes=nodes,
        )
