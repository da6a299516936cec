"""The files of this process: what was read, and what is changed and not saved yet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from viewer.dataclass import dataclass
from viewer.errors import MshviewError, UsageError
from viewer.model.edit.change import Change
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.disk import real_path
from viewer.model.store.file_store import FileStore
from viewer.model.store.writing import digest_of
from viewer.operations.editing import EditOptions, FileEditing, PlannedFile
from viewer.operations.opening import Source
from viewer.operations.saving import FileToSave, is_same, save

REFUSED: Final = "not written, as the edit adds errors; force=True writes it"


@dataclass(frozen=True, slots=True)
class OpenOptions:
    """How a resource was opened: the keywords of `mshview.open`."""

    game: Path | None = None
    reading: str = "auto"
    wear: str | None = None
    control: str | None = None
    is_strict: bool = False

    @property
    def choice(self) -> ReadingChoice:
        """The requested reading; raises `UsageError` for an unknown word."""
        if self.reading not in [*ReadingChoice]:
            words = f"{self.reading!r} is none of {', '.join(ReadingChoice)}"
            raise UsageError(words, source="reading")
        return ReadingChoice(self.reading)

    @property
    def editing(self) -> EditOptions:
        """How changes are made."""
        return EditOptions(reading=self.choice, game=self.game)

    def source(self, address: Address) -> Source:
        """A model and how it is read."""
        wear = None if self.wear is None else Address.given(self.wear)
        control = None if self.control is None else Address.given(self.control)
        return Source(
            address, self.choice, wear=wear, game=self.game, is_strict=self.is_strict, control=control
        )


class Workspace(Protocol):
    """The files that the library reads and changes: its own, or those of a window."""

    @property
    def store(self) -> FileStore:
        """The files, with unsaved bytes over them."""

    @property
    def revision(self) -> object:
        """Differs after every change, so that what was derived from the files is derived again."""

    def edit(self, address: Address, changes: Sequence[Change], options: EditOptions) -> None:
        """Change a payload, and what follows from that; raises `MshviewError` and then changes nothing."""

    def changes(self, path: Path) -> list[dict[str, Any]]:
        """What the edits of a file change, a row for each field."""

    def save(self, path: Path, target: Path, *, is_forced: bool) -> None:
        """Write a file with its edits; raises `MshviewError` if they add errors."""

    def discard(self, address: Address | None) -> None:
        """Forget the edits of a file, or of all."""


class OwnWorkspace:
    """Files of a process that has no window, and the edits of each that are not saved."""

    def __init__(self) -> None:
        self.store = FileStore()
        self.revision = object()
        self._editing: dict[Path, FileEditing] = {}

    def edit(self, address: Address, changes: Sequence[Change], options: EditOptions) -> None:
        """Change a payload, and what follows from that; raises `MshviewError` and then changes nothing."""
        real = real_path(address.path)
        editing = self._editing.get(real) or FileEditing(self.store, address.path, options)
        editing.edit(address, changes)
        self._editing[real] = editing
        self.revision = object()

    def changes(self, path: Path) -> list[dict[str, Any]]:
        """What the edits of a file change, a row for each field."""
        planned = self._planned(path)
        return [] if planned is None else [it.document for it in planned.report.each_value()]

    def _planned(self, path: Path) -> PlannedFile | None:
        """What the edits of a file change; None if there are none."""
        editing = self._editing.get(real_path(path))
        return None if editing is None else editing.finish()

    def save(self, path: Path, target: Path, *, is_forced: bool) -> None:
        """Write a file with its edits; raises `MshviewError` if they add errors."""
        planned = self._planned(path)
        if planned is not None and planned.report.errors and not is_forced:
            first = planned.report.errors[0]
            raise MshviewError(f"{REFUSED}; the first: {first.source}: {first.diagnostic}", source=path)
        data = self.store.file(path) if planned is None else planned.before
        after = data if planned is None else planned.after
        is_itself = target == path or is_same(target, path)
        if is_itself and data == after:
            return
        written = save([FileToSave(path, target, after, digest_of(data))])
        if is_itself:
            self._editing.pop(real_path(path), None)
            self.store.adopt(path, written[0].revision)
        self.revision = object()

    def discard(self, address: Address | None) -> None:
        """Forget the edits of a file, or of all."""
        for path in [*self._editing] if address is None else [real_path(address.path)]:
            if self._editing.pop(path, None) is not None:
                self.store.unsaved.revert(path)
        self.revision = object()


_used: list[Workspace] = [OwnWorkspace()]


def workspace() -> Workspace:
    """The files of this process."""
    return _used[0]


def use(files: Workspace) -> None:
    """Read and change other files from now on: those of the window."""
    _used[0] = files
