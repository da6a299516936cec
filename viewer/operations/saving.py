"""Saving: files as they are planned, over themselves or to new places, all of them or none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from viewer.errors import OutputError
from viewer.model.compare.file_plan import FilePlan
from viewer.model.store import whole_folder
from viewer.model.store.disk import real_path
from viewer.model.store.writing import WrittenFile
from viewer.model.write import saving
from viewer.translation import _


def write(plans: Sequence[FilePlan]) -> list[WrittenFile]:
    """Write files as they are planned, all or none, in this order: one that names others comes after them.

    Raises like `write_files`.
    """
    return saving.write([it.new_file for it in plans])


def write_folder(folder: Path, plans: Iterable[FilePlan]) -> None:
    """Write new files as a folder of their own, which appears whole or not at all; raises `OutputError`."""
    whole_folder.write_folder(folder, ((it.path.name, it.after) for it in plans))


def written_to(plan: FilePlan, target: Path) -> FilePlan:
    """The plan of a file that is written to a path, which may be that of the file itself."""
    is_itself = target == plan.path or is_same(target, plan.path)
    return replace(plan, target=None if is_itself else target)


def refuse_conflict(plan: FilePlan) -> None:
    """Raise `ConflictError` if a file would be written over and is not the one on the disk."""
    if plan.is_in_place and (conflict := saving.conflict_of(plan.path, plan.expected)) is not None:
        raise conflict


def refuse_sources(targets: Iterable[Path], sources: Iterable[Path]) -> None:
    """Raise `OutputError` if a new file would replace one that is read to make it."""
    read = {_identity(it) for it in sources} - {None}
    for target in targets:
        if _identity(target) in read:
            raise OutputError(_("is a file that this is made of; write to another one"), source=target)


def _identity(path: Path) -> tuple[int, int] | None:
    """The numbers of a file that exists, the same by each of its names."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def is_same(path: Path, other: Path) -> bool:
    """Whether two paths are one file that exists, also while another program replaces it."""
    try:
        # samefile looks at both in turn, and may see the old file and the new one under one name
        return path.exists() if real_path(path) == real_path(other) else path.samefile(other)
    except (OSError, ValueError):
        return False
