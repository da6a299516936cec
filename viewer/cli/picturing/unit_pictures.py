"""Images of units, assembled from the models of their components, without a window or a display."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from viewer.cli import output
from viewer.cli.inputs import game_option
from viewer.cli.picturing import drawing
from viewer.dataclass import replace
from viewer.errors import FormatError, UsageError
from viewer.formats.texture.pixels import Image
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.operations.opening import Source
from viewer.operations.units import parts_of, problems_of
from viewer.render import offscreen
from viewer.render.targets import Size
from viewer.render.unit_renderer import PlacedModel, UnitRenderer, framed
from viewer.session.opened.document import Document
from viewer.session.view.camera import Camera
from viewer.session.view.view_state import Shading, ViewState

FOR_MODELS: Final = (
    *("ids", "clip", "clip_b", "time_b", "blend", "channel"),
    *("wear", "control", "own_view", "animate", "frames", "time"),
)
"""Options of ``render`` that are for one model, as the parts of a unit are placed at the beginning."""


def check(options: Namespace) -> None:
    """Refuse options that are for one model; raises `UsageError`."""
    given = next((name for name in FOR_MODELS if getattr(options, name, None)), None)
    if given:
        raise UsageError(f"--{given.replace('_', '-')} is for a model, not for a unit", source="render")


class UnitPictures:
    """The images of a unit, one for each direction of the camera; raises `MshviewError`."""

    def __init__(self, options: Namespace, store: FileStore, item: Item, size: Size) -> None:
        self._options, self._size = options, size
        game, requested = game_option(options), ReadingChoice(options.reading)
        parts = parts_of(store, item, game, requested)
        output.report(str(item.address), [*problems_of(parts)], is_strict=options.strict)
        documents: dict[str, Document] = {}
        self._models: list[PlacedModel] = []
        for part in parts:
            if not part.is_drawn or part.model is None or part.matrix is None:
                continue
            known = documents.get(str(part.model))
            if known is None:
                known = Document.open(store, Source(part.model, requested, game=game))
                documents[str(part.model)] = known
            self._models.append(PlacedModel(known, np.array(part.matrix)))
        if not self._models:
            message = "no part of this unit can be drawn; a unit is assembled in its game folder (--game)"
            raise FormatError(message, source=str(item.address))

    def images(self, directions: Sequence[Camera]) -> Iterator[Image]:
        """Draw the unit from each direction."""
        options = self._options
        plain = ViewState(shading=Shading(options.shading), overlays=frozenset())
        plain = drawing.asked_for("render", options, drawing.applied(options, plain))
        renderer = UnitRenderer(self._models)
        for direction in directions:
            camera = framed(self._models, plain, direction, self._size[0] / self._size[1])
            view = replace(plain, camera=offscreen.zoomed(camera, options.zoom))
            yield renderer.image(view, self._size, is_transparent=options.transparent)
