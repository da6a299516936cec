"""Zips that depend on nothing but the files in them."""

from __future__ import annotations

import stat
from collections.abc import Iterable
from io import BytesIO
from typing import Final

from viewer.formats.record import Bytes

_DATE: Final = (1980, 1, 1, 0, 0, 0)
"""Time of all files, the earliest of a zip: it says nothing of the clock, and equal files are equal zips."""


def zip_of(files: Iterable[tuple[str, Bytes]]) -> bytes:
    """The zip of some files, names and bytes in their order; equal files give equal bytes."""
    import zipfile  # noqa: PLC0415 brings compressors along

    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in files:
            info = zipfile.ZipInfo(name, _DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            # The upper half of the attributes is the mode of Unix.
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            file.writestr(info, bytes(data))
    return made.getvalue()
