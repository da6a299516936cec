"""The workspace of an opening: the files, with unsaved changes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Protocol
from weakref import WeakSet

from viewer.errors import MshviewError
from viewer.formats.splice import same_bytes
from viewer.model.compare.file_plan import FilePlan, refused
from viewer.model.edit.change import Change
from viewer.model.store.address import Address
from viewer.model.store.disk import real_path
from viewer.model.store.file_store import FileStore
from viewer.model.store.writing import digest_of
from viewer.model.write.saving import conflict_of
from viewer.operations.editing import EditOptions, FileEditing
from viewer.operations.saving import is_same, write, written_to

_OTHER: Final = "was changed by another program since it was edited; the copy has the bytes before that"
REFUSED: Final = "not written, as the edit adds errors; force=True writes it"


class Workspace(Protocol):
    """The files of one opening with its unsaved changes, or those of a window."""

    @property
    def store(self) -> FileStore:
        """The files, with unsaved bytes over them."""

    def edit(self, address: Address, changes: Sequence[Change], options: EditOptions) -> None:
        """Change a payload, and what follows from that; raises `MshviewError` and then changes nothing."""

    def take(self, name: str, path: Path, files: Sequence[FilePlan], options: EditOptions) -> None:
        """Make what was planned of a file called `name`: in the file at `path`, and in those around it."""

    def changes(self, path: Path) -> list[dict[str, Any]]:
        """The changes of the edits of a file, a row for each field."""

    def save(self, path: Path, target: Path, *, is_forced: bool) -> None:
        """Write a file with its edits; raises `MshviewError` if they add errors."""

    def discard(self, path: Path | None) -> None:
        """Forget the edits of a file, or of all."""

    def warn_of_others(self, path: Path, stack_level: int) -> None:
        """Warn of a file that another program has written since it was edited, before it is copied."""


_FILES: Final = FileStore()
"""Files that all openings of this process have read; each has unsaved bytes of its own."""


class OwnWorkspace:
    """The files of one opening in a process without a window, and its edits of each that are not saved."""

    def __init__(self) -> None:
        self.store = _FILES.apart()
        self._editing: dict[Path, FileEditing] = {}
        self._with: dict[Path, set[Path]] = {}  # by a file those that imports into it have changed too
        _OPEN.add(self)

    def edit(self, address: Address, changes: Sequence[Change], options: EditOptions) -> None:
        """Change a payload, and what follows from that; raises `MshviewError` and then changes nothing."""
        editing = self._of(address.path, options)
        editing.edit(address, changes)
        self._keep(editing)

    def take(self, name: str, path: Path, files: Sequence[FilePlan], options: EditOptions) -> None:
        """Make what was planned of a file called `name`: in the file at `path`, and in those around it."""
        del name
        for planned in files:
            editing = self._of(planned.path, options)
            for step in planned.steps:
                editing.take(step)
            self._keep(editing)
            if real_path(planned.path) != real_path(path):
                self._with.setdefault(real_path(path), set()).add(real_path(planned.path))

    def _of(self, path: Path, options: EditOptions) -> FileEditing:
        return self._editing.get(real_path(path)) or FileEditing(self.store, path, options)

    def _keep(self, editing: FileEditing) -> None:
        """Keep the edits of a file, unless they have set it back to what it was."""
        if same_bytes(editing.before, self.store.file(editing.path)):
            # The disk is read again from now on, whoever writes there; what came with it stays edited.
            self._revert(real_path(editing.path))
        else:
            self._editing[real_path(editing.path)] = editing

    def changes(self, path: Path) -> list[dict[str, Any]]:
        """The changes of the edits of a file, a row for each field."""
        planned = self._planned(path)
        return [] if planned is None else [*planned.report.rows]

    def _planned(self, path: Path) -> FilePlan | None:
        """Plan of the edits of a file; None if there are none."""
        editing = self._editing.get(real_path(path))
        return None if editing is None else editing.finish()

    def save(self, path: Path, target: Path, *, is_forced: bool) -> None:
        """Write a file with its edits; raises `MshviewError` if they add errors.

        Over itself it is written with the other files that an import into it has changed.
        """
        is_itself = target == path or is_same(target, path)
        others = sorted(self._with.get(real_path(path), ())) if is_itself else []
        planned = {it: made for it in (*others, path) if (made := self._planned(it)) is not None}
        if errors := refused(planned.values(), is_forced=is_forced):
            first = errors[0]
            raise MshviewError(f"{REFUSED}; the first: {first.source}: {first.diagnostic}", source=path)
        if not is_itself:
            self.warn_of_others(path, 5)
            write([written_to(planned.get(path) or FilePlan(path, self.store.file(path)), target)])
            return
        for it, written in zip(planned, write([*planned.values()]) if planned else (), strict=True):
            self._editing.pop(real_path(it), None)
            self.store.adopt(it, written.revision)
        self._with.pop(real_path(path), None)

    def discard(self, path: Path | None) -> None:
        """Forget the edits of a file, or of all."""
        chosen = [*self._editing] if path is None else [real_path(path)]
        for changed in [*chosen, *(it for own in chosen for it in self._with.pop(own, ()))]:
            self._revert(changed)

    def warn_of_others(self, path: Path, stack_level: int) -> None:
        """Warn of a file that another program has written since it was edited, before it is copied.

        Parameters
        ----------
        stack_level
            How many calls above this one that of the user's code is.
        """
        editing = self._editing.get(real_path(path))
        if editing is not None and _is_other_on_disk(path, editing.before):
            warnings.warn(f"{path}: {_OTHER}", stacklevel=stack_level)

    def _revert(self, path: Path) -> None:
        if self._editing.pop(path, None) is not None:
            self.store.unsaved.revert(path)


_OPEN: Final[WeakSet[OwnWorkspace]] = WeakSet()
_make: list[Callable[[], Workspace]] = [OwnWorkspace]


def _is_other_on_disk(path: Path, before: memoryview) -> bool:
    """Whether another program has written an edited file since, or removed it."""
    with suppress(MshviewError):
        return conflict_of(path, digest_of(before)) is not None
    return True


def new_workspace() -> Workspace:
    """The files of a new opening: its own, or those of the window."""
    return _make[0]()


def use(files: Workspace | None) -> None:
    """Let all openings from now on read and change the files of a window; None: each its own."""
    _make[0] = OwnWorkspace if files is None else lambda: files


def discard_all(path: Path | None) -> None:
    """Forget the edits of a file, or of all, in every opening of this process."""
    for it in [*_OPEN, new_workspace()]:
        it.discard(path)
