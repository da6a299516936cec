"""Files that the script form of a change names: their bytes, or the pixels of an image."""

from __future__ import annotations

from viewer.cli.editing.change_options import FileBytes, Form, Picture
from viewer.errors import reading_from
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore


def with_files(form: Form, store: FileStore) -> Form:
    """Return a form with what the files hold in place of their names; raises `MshviewError`."""
    found: Form = {}
    for name, value in form.items():
        if isinstance(value, FileBytes):
            found[name] = store.open(Address.given(value)).data.hex()
        elif isinstance(value, Picture):
            found |= _pixels(value, store)
        else:
            found[name] = value
    return found


def _pixels(path: str, store: FileStore) -> Form:
    """Size and pixels of a PNG image."""
    from viewer.formats.texture.texm import MAX_SIDE  # noqa: PLC0415 of no use for other changes
    from viewer.model.convert import png  # noqa: PLC0415

    with reading_from(path):
        rgba = png.read(store.open(Address.given(path)).data, MAX_SIDE)
    return {"width": rgba.shape[1], "height": rgba.shape[0], "rgba": rgba.tobytes().hex()}
