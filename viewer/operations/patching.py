"""Patching: a file as a patch changes it, planned like an edit; nothing is written."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from viewer.dataclass import dataclass
from viewer.errors import reading_from
from viewer.model.patch.applying import applied
from viewer.model.patch.patch import Patch
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.editing import PlannedFile
from viewer.operations.importing import replaced_file
from viewer.operations.opening import Source


@dataclass(frozen=True, slots=True)
class PatchChoices:
    """How a patch is applied.

    Attributes
    ----------
    is_reverse
        The file is the one after the patch; it becomes the one before it.
    is_forced
        Another file is taken too, if it has everything that the patch replaces.
    """

    is_reverse: bool = False
    is_forced: bool = False


DEFAULT: Final = PatchChoices()


def read_patch(library: FileStore, address: Address) -> Patch:
    """The patch at an address; raises `MshviewError`."""
    with reading_from(address):
        return Patch.parse(library.open(address).data)


def patched(library: FileStore, patch: Patch, path: Path, choices: PatchChoices = DEFAULT) -> bytes:
    """The bytes of a file after a patch; raises `MshviewError` like `applied`."""
    data = library.file(path)
    with reading_from(path):
        return applied(patch, data, is_reverse=choices.is_reverse, is_forced=choices.is_forced)


def plan_patch(
    library: FileStore, path: Path, source: Source, choices: PatchChoices = DEFAULT
) -> PlannedFile:
    """What the patch in a file changes in the file of a source; raises `MshviewError`."""
    patch = read_patch(library, Address(path))
    return replaced_file(library, source, patched(library, patch, source.address.path, choices))
