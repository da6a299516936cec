"""Small scenes before a camera that looks straight down."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import Any

import moderngl
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from tests.builders import ModelBuilder, Node
from viewer.formats.msh.keys import QuaternionOrder
from viewer.model.material.materials import Material, Materials
from viewer.model.mesh.draw_builder import build
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.animation import Animation, Pose
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.render.passes.ids import Ids
from viewer.render.portions import Frame
from viewer.render.renderer import Renderer
from viewer.render.textures import texels
from viewer.session.opened.document import Document
from viewer.session.program import FrameStatistics
from viewer.session.selection import PickHit
from viewer.session.view.camera import Camera
from viewer.session.view.options.lighting import Lighting, Look
from viewer.session.view.options.shading import Shading
from viewer.session.view.options.textures import TextureSwitches
from viewer.session.view.view_state import ViewState

Image = npt.NDArray[np.uint8]

SIZE = (64, 64)
BACKGROUND = [51, 51, 51, 255]
PLAIN_LOOK = Lighting(Look.PLAIN)
DARK = Lighting(scene=0.0, has_lights=False)
"""The look of the game without any light but that of the materials themselves."""


class Canvas:
    """Shows models to a camera that sees x and y from -4 to 4, eight pixels to the unit, y up.

    Without grid, axes and antialiasing, so that every pixel is the model or the background.
    """

    view = ViewState(
        overlays=frozenset(),
        shading=Shading.LIT,
        samples=1,
        camera=Camera(distance=4.0, yaw=pi, pitch=pi / 2, field_of_view=pi / 2, is_orthographic=True),
    )
    draws: Draws
    pose: Pose

    def __init__(self, ctx: moderngl.Context) -> None:
        self.ctx = ctx
        self.renderer = Renderer(ctx)
        self.load([])

    def load(self, scene: Sequence[Node]) -> None:
        """Show the model of a scene."""
        self.load_model(ModelBuilder.of(scene).model())

    def load_model(self, model: Model) -> None:
        """Show a model at time 0, each batch in the material that it names."""
        self.draws = build(model)
        self.renderer.load(model, self.draws, model.batches["material"])
        self.pose = Animation(model, Skeleton(model), QuaternionOrder.XYZW).pose(0.0)

    def dress(self, scene: Sequence[Node] | Model, *rows: Material) -> None:
        """Show a scene in materials, each batch in the row that it names, with all their textures."""
        model = scene if isinstance(scene, Model) else ModelBuilder.of(scene).model()
        self.draws = build(model)
        row = model.batches["material"].astype(np.int64)
        materials = Materials(rows, row, row[self.draws.batch])
        self.renderer.load(model, self.draws, row, materials)
        self.pose = Animation(model, Skeleton(model), QuaternionOrder.XYZW).pose(0.0)
        self.provide(self.view.textures)

    def show(self, document: Document, switches: TextureSwitches | None = None) -> None:
        """Show a document in its materials, with all the textures that it asks for."""
        self.draws = document.draws
        row = document.model.batches["material"].astype(np.int64)
        self.renderer.load(document.model, self.draws, row, document.materials)
        self.pose = document.animation.pose(0.0)
        self.provide(switches or self.view.textures)

    def provide(self, switches: TextureSwitches) -> None:
        """Upload every texture that the materials ask for."""
        for picture in self.renderer.requested_textures(switches):
            self.renderer.provide(texels.decode(picture, switches, self.renderer.texture_limit))

    def textured(self, shading: Shading = Shading.TEXTURED, **changes: Any) -> Image:
        """A picture of the materials."""
        return self.image(shading=shading, **changes)

    def image(self, *, is_transparent: bool = False, **changes: Any) -> Image:
        """A picture of the view with some of its fields changed."""
        view = replace(self.view, **changes)
        return self.renderer.image(Frame(view, self.pose, SIZE), is_transparent=is_transparent)

    def ids(self, **changes: Any) -> Ids:
        """The identities of the view with some of its fields changed."""
        return self.renderer.ids(Frame(replace(self.view, **changes), self.pose, SIZE))

    def statistics(self, **changes: Any) -> FrameStatistics:
        """What a picture takes, on a busy computer in several frames."""
        frame = self.renderer.draw(Frame(replace(self.view, **changes), self.pose, SIZE))
        while not frame.statistics.is_whole:
            frame = self.renderer.draw_further()
        return frame.statistics

    def pick(self, x: float, y: float, **changes: Any) -> PickHit | None:
        """What lies at a point of the ground."""
        row, column = pixel(x, y)
        return self.renderer.pick(Frame(replace(self.view, **changes), self.pose, SIZE), column, row)

    def pick_all(self, x: float, y: float, **changes: Any) -> list[PickHit]:
        """Everything that lies at a point of the ground, top first."""
        row, column = pixel(x, y)
        return self.renderer.pick_all(Frame(replace(self.view, **changes), self.pose, SIZE), column, row)


def pixel(x: float, y: float) -> tuple[int, int]:
    """Row and column of a point of the ground."""
    return int((4 - y) * 8), int((x + 4) * 8)


def drawn(image: Image) -> npt.NDArray[np.bool_]:
    """Which pixels are not background, (h, w)."""
    result: npt.NDArray[np.bool_] = (image != BACKGROUND).any(axis=2)
    return result


def area(*rectangles: tuple[float, float, float, float]) -> npt.NDArray[np.bool_]:
    """The pixels of rectangles, each low x, low y, high x, high y on the ground, (h, w)."""
    result = np.zeros(SIZE[::-1], np.bool_)
    for low_x, low_y, high_x, high_y in rectangles:
        (bottom, left), (top, right) = pixel(low_x, low_y), pixel(high_x, high_y)
        result[top:bottom, left:right] = True
    return result
