"""Saving: edited files over themselves or to new places, all of them or none, and what that changes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from viewer.formats.record import Bytes
from viewer.model.compare.edit_report import EditReport
from viewer.model.store.disk import real_path
from viewer.model.store.file_store import FileStore
from viewer.model.store.writing import NewFile, WrittenFile
from viewer.model.write import saving
from viewer.operations.editing import EditOptions

if TYPE_CHECKING:
    from viewer.model.compare.reporting import FileEdit


class FileToSave(Struct, frozen=True):
    """An edited file, and where it is written.

    Attributes
    ----------
    path, target
        The file that was edited, and the file that is written.
    after
        The edited bytes.
    expected
        `digest_of` the bytes that were edited; empty if the file is gone and is written again.
    can_replace
        Whether another file may be replaced.
    is_over
        Whether `expected` is what another program has made of the edited file: that is replaced, and kept.
    """

    path: Path
    target: Path
    after: Bytes
    expected: bytes
    can_replace: bool = True
    is_over: bool = False

    @property
    def is_itself(self) -> bool:
        """Whether the edited file itself is written, which has to be as it was read, and is kept."""
        return self.target == self.path or is_same(self.target, self.path)

    @property
    def new_file(self) -> NewFile:
        """What is written."""
        if not self.is_itself:
            return NewFile(self.target, self.after, can_replace=self.can_replace)
        if not self.expected:
            return NewFile(self.target, self.after, can_replace=False)
        return NewFile(self.target, self.after, self.expected, has_backup=True, is_foreign=self.is_over)

    def compare(self, library: FileStore, edit: FileEdit, options: EditOptions) -> EditReport:
        """What saving it changes; raises `ConflictError` if the file on the disk is not the edited one."""
        if self.is_itself and self.expected:
            conflict = saving.conflict_of(self.path, self.expected)
            if conflict is not None:
                raise conflict
        from viewer.model.compare.reporting import report  # noqa: PLC0415 loads the checks of all kinds

        return report(library, edit, game=options.game, reading=options.reading)


def save(files: Sequence[FileToSave], others: Sequence[NewFile] = ()) -> list[WrittenFile]:
    """Write edited files, and before them new ones that belong to them; raises like `write_files`."""
    return saving.write([*others, *(it.new_file for it in files)])


def is_same(path: Path, other: Path) -> bool:
    """Whether two paths are one file that exists, also while another program replaces it."""
    try:
        # samefile looks at both in turn, and may see the old file and the new one under one name
        return path.exists() if real_path(path) == real_path(other) else path.samefile(other)
    except (OSError, ValueError):
        return False
