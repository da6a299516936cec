"""Screenshots as PNG files."""

from __future__ import annotations

from collections.abc import Collection
from itertools import count
from pathlib import Path

from platformdirs import user_pictures_path

from viewer.app.settings import user_files
from viewer.formats.texture.pixels import Image
from viewer.model.convert import png
from viewer.model.store.address import Address
from viewer.progress import checkpoint


def save(image: Image, path: Path) -> Path:
    """Write a screenshot and return its path; raises `OutputError`."""
    data = png.write(image)
    checkpoint()
    user_files.write(path, data)
    return path


def default_folder() -> Path:
    """The program's folder among the user's pictures."""
    return user_pictures_path() / "mshview"


def new_path(address: str, folder: Path | None = None, promised: Collection[Path] = ()) -> Path:
    """The path of a new file, named after a document, among the user's pictures; none that is promised."""
    folder = folder or default_folder()
    stem = Path(Address.parse(address).name.lstrip("#")).stem or "picture"
    names = (folder / f"{stem}-{number}.png" for number in count(1))
    return next(path for path in names if path not in promised and not path.exists())
