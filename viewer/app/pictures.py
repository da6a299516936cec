"""Pictures of the viewport as PNG files."""

from __future__ import annotations

from io import BytesIO
from itertools import count
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image
from platformdirs import user_pictures_path

from viewer.app import own_files
from viewer.model.library import Address

Pixels = npt.NDArray[np.uint8]


def png(pixels: Pixels) -> bytes:
    """The file of a picture (h, w, 4), top row first, straight alpha."""
    buffer = BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


def save(pixels: Pixels, path: Path) -> Path:
    """Write a picture and return where; raises `OutputError`."""
    own_files.write(path, png(pixels))
    return path


def new_path(address: str, folder: Path | None = None) -> Path:
    """A file that does not exist yet, named after a document, in the user's pictures."""
    folder = folder or user_pictures_path() / "mshview"
    stem = Path(Address.parse(address).name.lstrip("#")).stem or "picture"
    names = (folder / f"{stem}-{number}.png" for number in count(1))
    return next(path for path in names if not path.exists())
