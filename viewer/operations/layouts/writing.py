"""The files of all declared formats for another program, as plans of a folder."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from pathlib import Path

from viewer.model.compare.file_plan import FilePlan
from viewer.operations.layouts import imhex, kaitai
from viewer.operations.layouts.building import schemas


class SchemaLanguage(Enum):
    """The languages in which formats are written."""

    KAITAI = "kaitai"
    IMHEX = "imhex"


def plan_schemas(language: SchemaLanguage, folder: Path) -> Iterator[FilePlan]:
    """The plans of the files of a folder, one for each format; the same for the same program."""
    writer = kaitai if language is SchemaLanguage.KAITAI else imhex
    for schema in schemas():
        yield FilePlan(folder / f"{schema.id}{writer.SUFFIX}", data=writer.text_of(schema).encode())
