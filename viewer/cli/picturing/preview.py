"""The first view of the window as an image, for machines without a display."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from msgspec.structs import replace

from viewer.cli import output
from viewer.cli.picturing.process_renderer import renderer_of
from viewer.control.converting import files
from viewer.control.opening import loading
from viewer.control.opening.loading import OpenOptions, StartOptions
from viewer.control.settings.settings import Settings
from viewer.errors import AddressError
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.play.playing import play_first
from viewer.session.play.posing import framed
from viewer.session.view.skies import linked_view

SIZE: Final = (1280, 800)


def save(given: StartOptions, remembered: Settings, path: Path) -> Address:
    """Write the image to `path` and return the address of its model; raises `MshviewError`.

    Parameters
    ----------
    given
        The request of the command line.
    remembered
        The settings that the window would start with.
    """
    settings = given.remembered_in(remembered)
    address = given.address or loading.sample_address()
    linked = {} if given.link is None else {given.link.address: given.link.given}
    lookup = OpenOptions.of(settings, given, address, linked)
    store = FileStore()
    opened = loading.read(store, address, settings.readings, lookup)
    document = opened.document
    if document is None:
        raise AddressError("holds no model to show", source=opened.address)
    view = play_first(document.first_view(given.drawn(settings.first_view())), document)
    if given.link is not None:
        view, problem = linked_view(store, given.link, view, None, document)
        if problem:
            output.write_warning(problem)
    is_placed = given.link is not None and given.link.has_camera
    camera = view.camera if is_placed else framed(document, view.camera, view, SIZE[0] / SIZE[1])
    with renderer_of(document) as renderer:
        files.save(renderer.image(replace(view, camera=camera), SIZE), path)
    return document.address
