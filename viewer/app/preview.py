"""What the window would show first, as a picture: for machines without a display."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from viewer.app import headless, opening, pictures
from viewer.errors import AddressError
from viewer.model.library import Library
from viewer.session.view_state import ViewState

SIZE: Final = (1280, 800)


def save(address: str | None, reading: str | None, path: Path) -> str:
    """Write the picture to `path` and return the address of the model on it; raises `MshviewError`."""
    readings = {} if reading is None else {opening.file_of(address): reading}
    opened = opening.read(Library(is_mapped=True), address or opening.sample_address(), readings)
    document = opened.document
    if document is None:
        raise AddressError("holds no model to show", source=str(opened.address))
    view = document.first_view(ViewState())
    camera = document.framed(view.camera, (view.lod, view.group), SIZE[0] / SIZE[1])
    pictures.save(headless.Studio(document).picture(replace(view, camera=camera), SIZE), path)
    return document.address
