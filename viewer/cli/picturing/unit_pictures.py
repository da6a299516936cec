"""Images of units, assembled from the models of their components, without a window or a display."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from viewer.cli import output
from viewer.cli.inputs import reading_options
from viewer.cli.picturing import drawing
from viewer.errors import FormatError, UsageError
from viewer.formats.texture.pixels import Image
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.operations.units.units import problems_of
from viewer.render import offscreen
from viewer.render.unit_renderer import UnitRenderer
from viewer.session.opened.assembled_unit import AssembledUnit
from viewer.session.play import posing
from viewer.session.play.material_play import MaterialPlay
from viewer.session.play.playback import Machinery, UnitPlay
from viewer.session.play.unit_posing import UnitLook, framed, placed, playback_of, with_playback
from viewer.session.view.camera import Camera, Size
from viewer.session.view.view_state import ViewState
from viewer.translation import _

FOR_MODELS: Final = ("ids", "show", "wear", "control", "own_view", "animate", "frames")
"""Options of ``render`` that are for one model."""


def check(options: Namespace) -> None:
    """Refuse options that are for one model; raises `UsageError`."""
    given = next((name.replace("_", "-") for name in FOR_MODELS if getattr(options, name, None)), None)
    if given:
        raise UsageError(_("--{option} is for a model, not for a unit", option=given), source="render")


class UnitPictures:
    """The images of a unit, one for each direction of the camera; raises `MshviewError`."""

    def __init__(self, options: Namespace, store: FileStore, item: Item, size: Size) -> None:
        self._options, self._size = options, size
        reading = reading_options(options)
        unit = AssembledUnit.at(store, item, reading.game, reading.reading)
        output.report(item.address, [*problems_of(unit.parts)], is_strict=options.strict)
        if not any(unit.drawn):
            message = "no part of this unit can be drawn; a unit is assembled in its game folder (--game)"
            raise FormatError(message, source=item.address)
        self._unit = unit

    def images(self, directions: Sequence[Camera]) -> Iterator[Image]:
        """Draw the unit from each direction."""
        options, chassis = self._options, self._unit.chassis
        materials = MaterialPlay(clan=options.variant)
        plain = ViewState(overlays=frozenset(), materials=materials)
        plain = drawing.asked_for("render", options, drawing.applied(options, plain))
        plain = replace(plain, unit=UnitPlay(options.explode))
        motion = plain.playback.machinery.motion
        if chassis is not None:
            chosen = Namespace(**{**vars(options), "channel": None})
            played = drawing.playback(chosen, chassis, plain.playback.root)
            is_on = plain.playback.machinery.is_on
            plain = replace(plain, playback=replace(played, machinery=Machinery(is_on=is_on)))
        for component in self._unit.documents:
            playback = playback_of(self._unit, plain, component)
            moved = replace(playback.machinery, motion=motion)
            plain = with_playback(self._unit, plain, component, replace(playback, machinery=moved))
        for text in options.channel or ():
            plain = self._with_channel(plain, text)
        plain = posing.at(plain, options.time or 0.0)
        parts, renderer = placed(self._unit, plain), UnitRenderer(offscreen.create_context())
        for direction in directions:
            camera = framed(parts, direction, self._size[0] / self._size[1])
            view = replace(plain, camera=offscreen.zoomed(camera, options.zoom))
            yield renderer.image(UnitLook(self._unit, view, self._size, is_clear=options.transparent))

    def _with_channel(self, view: ViewState, text: str) -> ViewState:
        """The view with a channel set in every part that has it."""
        unit, refused = self._unit, None
        chosen, changed = Namespace(**{**vars(self._options), "clip": None, "channel": [text]}), view
        for component, document in unit.documents.items():
            try:
                values = drawing.playback(chosen, document, view.playback.root).channels
            except UsageError as error:
                refused = refused or error
                continue
            for channel, value in values.items():
                playback = playback_of(unit, changed, component).with_channel(channel, value)
                changed = with_playback(unit, changed, component, playback)
        if changed is view and refused is not None:
            raise refused
        return changed
