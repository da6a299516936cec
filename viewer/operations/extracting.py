"""Extracting: the payloads of an archive as plans of new files, singly or as a folder that `pack` reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from viewer.model.compare.file_plan import FilePlan
from viewer.model.store.item import Item
from viewer.model.write.unpacked_folder import Unpacking


def plan_payload(item: Item, path: Path) -> FilePlan:
    """The plan of a file with the bytes of an entry, unpacked if they are packed."""
    return FilePlan(path, data=item.data)


def plan_folder(unpacking: Unpacking, folder: Path) -> Iterator[FilePlan]:
    """The plans of the files of a folder, each made when it is its turn: together they may not fit in memory.

    Raises like `Unpacking` where it is iterated.
    """
    return (FilePlan(folder / name, data=data) for name, data in unpacking)
