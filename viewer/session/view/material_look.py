"""How a single material is looked at: on a ball that can be turned, and on a quad beside or below it."""

from __future__ import annotations

from dataclasses import dataclass

from viewer.model.material.materials import Material
from viewer.model.material.phases import PhaseState
from viewer.session.view.view_state import ViewState


@dataclass(frozen=True, slots=True, eq=False)
class MaterialLook:
    """One image of a material.

    Attributes
    ----------
    state
        Its phase.
    view
        The look of the program: textures, background, samples.
    size
        Width and height, pixels.
    yaw, pitch
        How far the ball is turned, radians.
    """

    material: Material
    state: PhaseState
    view: ViewState
    size: tuple[int, int]
    yaw: float = 0.0
    pitch: float = 0.0

    def is_like(self, other: MaterialLook | None) -> bool:
        """Whether another look gives the same image from the same textures."""
        return (
            other is not None
            and self.material is other.material
            and self.state == other.state
            and (self.size, self.yaw, self.pitch) == (other.size, other.yaw, other.pitch)
            and (self.view.lighting, self.view.textures) == (other.view.lighting, other.view.textures)
            and (self.view.background, self.view.samples) == (other.view.background, other.view.samples)
        )
