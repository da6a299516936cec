"""Validation of many files: the files below a folder, and a report on each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from msgspec import Struct

from viewer.diagnostics import Diagnostic
from viewer.errors import AddressError, MshviewError, Severity
from viewer.formats.archive import nres
from viewer.model.checks.joined_tables import TOGETHER
from viewer.model.checks.payload import Surroundings
from viewer.model.game import game_folder
from viewer.model.game.registry import Game
from viewer.model.kinds.registry import ARCHIVE, promised_kind
from viewer.model.mesh.draws import chunks
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.disk import BACKUP_SUFFIX, UnsavedFiles, is_link
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import CaselessFolder
from viewer.model.store.item import Item
from viewer.model.validation.validate import Report, check_item, check_items, surroundings_of
from viewer.progress import checkpoint
from viewer.translation import _

PART_SIZE: Final = 2 << 20
"""Bytes of an archive per task."""
CLOSED: Final = "FILE01"
"""Rule of a path that cannot be opened."""


class ValidationTask(Struct, frozen=True):
    """A file, or some entries of it, to be checked at once.

    Parameters
    ----------
    address
        The file or entry to check.
    size
        Size of the checked bytes.
    is_named
        Whether this file was named explicitly: then an unknown format is an error.
    part
        The entries of the archive to check; None means all.
    problem
        Why it cannot be checked; empty if that is not known yet.
    """

    address: Address
    size: int
    is_named: bool = True
    part: range | None = None
    problem: str = ""


def plan(
    addresses: Iterable[Address], *, is_divided: bool, unsaved: UnsavedFiles | None = None
) -> list[ValidationTask]:
    """The tasks for files, entries and whole folders; the files of a folder in order of their names.

    If divided, large archives become several tasks.
    """
    library = FileStore(unsaved=unsaved).snapshot()
    tasks: list[ValidationTask] = []
    for address in addresses:
        if library.is_folder(address.path) and not address.entries:
            tasks += _tasks_below(library, address.path)
        else:
            tasks.append(ValidationTask(address, _size(library, address.path)))
    if not is_divided:
        return tasks
    parts: list[ValidationTask] = []
    for task in tasks:
        parts += divided(library, task)
        # Its bytes are read again where it is checked, perhaps in another process.
        library.forget(task.address.path)
    return parts


def _tasks_below(library: FileStore, folder: Path) -> list[ValidationTask]:
    """A task for each file below a folder but backups, then one for each folder that cannot be listed."""
    files: list[ValidationTask] = []
    closed: list[ValidationTask] = []
    waiting = [folder]
    while waiting:
        checkpoint()
        parent = waiting.pop()
        try:
            paths = [parent / name for name in library.names(parent)]
        except AddressError as error:
            closed.append(ValidationTask(Address(parent), 0, is_named=False, problem=error.message))
            continue
        files += (
            ValidationTask(Address(path), _size(library, path), is_named=False)
            for path in paths
            if path.suffix != BACKUP_SUFFIX and (library.revision(path) or library.is_denied(path))
        )
        # A link may lead to a folder above: without end.
        folders = (path for path in paths if library.is_folder(path) and not is_link(path))
        # The last one is taken first, so reversed they come in the order of their names.
        waiting += reversed([*folders])
    return files + closed


def _size(library: FileStore, path: Path) -> int:
    revision = library.revision(path)
    return revision.size if revision else 0


def divided(library: FileStore, task: ValidationTask) -> Iterator[ValidationTask]:
    """The task, or for a large archive several tasks with some of the entries each."""
    if task.size <= PART_SIZE or task.address.entries:
        yield task
        return
    try:
        item = library.open(task.address)
        archive = nres.Archive.read(item.data) if promised_kind(item) is ARCHIVE else None
    except MshviewError:
        archive = None
    if archive is None or len(archive.rows) < 2:
        yield task
        return
    for part in _parts(archive):
        size = int(archive.rows["size"][part.start : part.stop].sum(dtype=np.int64))
        yield ValidationTask(task.address, size, task.is_named, part)


def _parts(archive: nres.Archive) -> Iterator[range]:
    start = size = 0
    for index, more in enumerate(archive.rows["size"].tolist()):
        # A part ends behind the entry that fills it, so that a larger entry is one part.
        if size >= PART_SIZE:
            yield range(start, index)
            start, size = index, 0
        size += more
    yield range(start, len(archive.rows))


class BatchValidator:
    """Performs tasks, and caches what they share: folders, and their games.

    Parameters
    ----------
    game
        The game folder whose names are looked up; by default each file's own, the nearest above it.
    requested
        Requested reading of models.
    unsaved
        Unsaved bytes that are checked in place of files; none by default.
    """

    def __init__(
        self,
        game: Path | None = None,
        requested: ReadingChoice = ReadingChoice.AUTO,
        unsaved: UnsavedFiles | None = None,
    ) -> None:
        self._requested = requested
        # A store for the game, one for the file that is checked, one for what lies next to files: each keeps
        # other bytes.
        self._library = FileStore(unsaved=unsaved)
        self._checked = FileStore(unsaved=unsaved)
        self._path = Path()
        self._small_files = FileStore(unsaved=unsaved)
        self._surroundings: dict[Path, Surroundings] = {}
        self._games: dict[Path, Game] = {}
        self._game = None if game is None else Game(game, self._library)

    def parts(self, task: ValidationTask) -> Iterator[ValidationTask]:
        """The task, or for a large archive several tasks with some of the entries each."""
        return divided(self._store(task.address.path), task)

    def _store(self, path: Path) -> FileStore:
        """A store for one file, so that the parts of an archive read it once and no other file is kept."""
        if path != self._path:
            self._path = path
            self._checked = FileStore(unsaved=self._library.unsaved)
        return self._checked

    def check(self, task: ValidationTask) -> list[Report]:
        """The reports of a task; none for a file of unknown format that was not named explicitly."""
        return next(self.check_all([task]))

    def check_all(self, tasks: Sequence[ValidationTask]) -> Iterator[list[Report]]:
        """The reports of each task; files up to `TOGETHER` bytes are open at once."""
        sizes = np.array([task.size for task in tasks], np.int64)
        for some in chunks(sizes, TOGETHER):
            yield from self._check_some(tasks[some])

    def _check_some(self, tasks: Sequence[ValidationTask]) -> Iterator[list[Report]]:
        opened = [(task, self._opened(task)) for task in tasks]
        whole = [it for task, it in opened if isinstance(it, Item) and task.part is None]
        checked = check_items(whole, [self._around(it) for it in whole])
        for task, it in opened:
            if isinstance(it, Report):
                yield [it]
                continue
            reports = next(checked) if task.part is None else check_item(it, self._around(it), task.part)
            if task.is_named and not reports and not promised_kind(it).is_checked:
                words = "starts with {start!r}: neither an archive nor another known format"
                reports = [_unreadable(it.address, "FILE02", _(words, start=bytes(it.data[:4])))]
            yield reports

    def _opened(self, task: ValidationTask) -> Item | Report:
        """The item of a task, or the report that it cannot be opened."""
        if task.problem:
            return _unreadable(task.address, CLOSED, task.problem)
        try:
            return self._store(task.address.path).open(task.address)
        except MshviewError as error:
            return _unreadable(task.address, CLOSED, error.message)

    def _around(self, item: Item) -> Surroundings:
        parent = item.address.path.parent
        # Keyed by the folder, whose files share it; kept as long as the validator.
        if parent not in self._surroundings:
            folder, game = parent.absolute(), self._game
            above = None if game else game_folder.around(self._small_files, folder)
            if above is not None:
                # Keyed by the game's folder: the files of all folders below it share its registry.
                game = self._games.setdefault(above, Game(above, self._library))
            self._surroundings[parent] = Surroundings(
                folder=CaselessFolder(folder, self._small_files), game=game, requested=self._requested
            )
        return surroundings_of(item, self._surroundings[parent])


def _unreadable(address: Address, rule: str, message: str) -> Report:
    return Report(address, "unknown", (Diagnostic(rule, Severity.ERROR, message),), is_readable=False)
