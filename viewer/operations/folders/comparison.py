"""The comparison of two folders: what is only in one, renamed, moved or changed, and in how many fields.

Files of the same path are compared first, then the entries of their archives by name. Only what changed is
decoded, and only what has no partner of the same name is looked for by its content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from hashlib import sha256
from itertools import groupby
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from viewer.errors import AddressError, MshviewError, error_text
from viewer.formats.splice import same_bytes
from viewer.model.compare.differences import ChangeKind, Difference
from viewer.model.compare.files import ComparedPayload, compare
from viewer.model.compare.row_summary import is_of_pixels
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Container, Item
from viewer.operations.folders.contents import (
    FolderEntry,
    FolderFile,
    FolderSide,
    container_of,
    entries_of,
    paired,
    paired_files,
    payload,
)
from viewer.operations.folders.matching import matched, same_sizes
from viewer.progress import Progress, checkpoint
from viewer.translation import _


class EntryState(StrEnum):
    """The state of an entry in two folders."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"
    MOVED = "moved"
    CHANGED = "changed"


class ComparedEntry(Struct, frozen=True):
    """An entry that differs.

    Attributes
    ----------
    a, b
        Its addresses, relative to the folders; None on the side that does not have it.
    kind
        What it is, in the second folder if it is there.
    fields
        How many fields differ; None if that is not known, or if its content is the same.
    stated
        Fields of the directory that differ, of those.
    """

    state: EntryState
    a: Address | None
    b: Address | None
    kind: str
    fields: int | None = None
    stated: int = 0

    @property
    def order(self) -> tuple[str, str]:
        """The key that sorts entries: the address, that in the first folder first."""
        return str(self.a or self.b), str(self.b or "")


class FolderError(Struct, frozen=True):
    """An error of reading, with the folder that it is in."""

    path: str
    message: str


class FolderComparison(Struct, frozen=True, eq=False):
    """The differences between two folders.

    Attributes
    ----------
    entries
        What differs, sorted by address.
    same
        How many files and entries have the same name, place and content.
    errors
        What could not be read, of which nothing else is said.
    layouts
        Archives whose entries are all the same though their bytes are not.
    """

    a: Path
    b: Path
    entries: tuple[ComparedEntry, ...]
    same: int = 0
    errors: tuple[FolderError, ...] = ()
    layouts: tuple[Path, ...] = ()

    @property
    def changed(self) -> tuple[ComparedEntry, ...]:
        """Entries with other content."""
        return tuple(it for it in self.entries if it.state is EntryState.CHANGED)

    def with_fields(self, counts: Iterable[int | None]) -> FolderComparison:
        """The comparison with the number of fields that differ in each of `changed`."""
        found = iter(counts)
        entries = (
            it if it.state is not EntryState.CHANGED else _with_fields(it, next(found)) for it in self.entries
        )
        return replace(self, entries=tuple(entries))

    def tasks(self) -> list[FieldsTask]:
        """The tasks that count the fields of `changed`, one by one, perhaps in other processes."""
        pairs = ((it.a, it.b) for it in self.changed)
        return [
            FieldsTask(Address(self.a / a.path, a.entries), Address(self.b / b.path, b.entries))
            for a, b in pairs
            if a and b
        ]


def _with_fields(entry: ComparedEntry, count: int | None) -> ComparedEntry:
    return replace(entry, fields=None if count is None else count + entry.stated)


class _OpenedFile(Struct, frozen=True, eq=False):
    """A file of one side, the archive that it is, and what counts in it."""

    item: Item
    container: Container | None
    entries: list[FolderEntry]

    @property
    def is_archive(self) -> bool:
        """Whether it has entries."""
        return self.container is not None


class _ReadFolder(Struct):
    """One of the folders, and what it has that the other one does not have at the same place."""

    folder: FolderSide
    left: list[FolderEntry] = field(default_factory=list)
    errors: list[FolderError] = field(default_factory=list)
    lost: set[Address] = field(default_factory=set)
    read: int = 0

    def open(self, file: FolderFile) -> _OpenedFile | None:
        """A file; None for one that cannot be read."""
        try:
            if file.problem:
                raise AddressError(file.problem)
            item = self.folder.item(file)
            container = container_of(item)
            found = _OpenedFile(item, container, entries_of(file, item, container))
        except MshviewError as error:
            self.fail(Address(file.path), error)
            return None
        self.read += 1
        return found

    def payload(self, file: _OpenedFile, entry: FolderEntry) -> memoryview | None:
        """The bytes of an entry of a file; None if they cannot be read."""
        try:
            return payload(file.item, file.container, entry.index)
        except MshviewError as error:
            self.fail(entry.address, error)
            return None

    def fail(self, address: Address, error: MshviewError) -> None:
        """Note what cannot be read."""
        self.lost.add(address)
        self.errors.append(FolderError(str(self.folder.at(address)), error_text(error)))

    def close(self, file: FolderFile | None) -> None:
        """Let go of the bytes of a file."""
        if file is not None:
            self.folder.store.forget(self.folder.root / file.path)

    def has_closed(self, file: FolderFile) -> bool:
        """Whether this side may have a file, in a folder that it cannot list."""
        return any(it.problem and file.path.is_relative_to(it.path) for it in self.folder.files)

    def digests(self, entries: Iterable[FolderEntry]) -> Iterator[tuple[FolderEntry, tuple[int, bytes]]]:
        """The content of entries, file by file; those that cannot be read are left out."""
        for path, some in groupby(entries, lambda it: it.address.path):
            file = FolderFile(path)
            opened = self.open(file)
            for entry in some if opened else ():
                checkpoint()
                data = None if opened is None else self.payload(opened, entry)
                if data is not None:
                    yield entry, (len(data), sha256(data).digest())
            self.close(file)


def compare_folders(a: Path, b: Path, progress: Progress) -> FolderComparison:
    """Compare two folders, without the number of fields.

    Raises `AddressError` if a folder cannot be listed, or nothing in it can be read.
    """
    comparer = _Comparer(_ReadFolder(FolderSide(a)), _ReadFolder(FolderSide(b)))
    pairs = [*paired_files(comparer.a.folder.files, comparer.b.folder.files)]
    for before, after in progress.over(pairs, _name):
        comparer.compare(before, after)
    for side in (comparer.a, comparer.b):
        if side.errors and not side.read:
            problem = side.errors[0].message
            words = _("nothing could be read: {problem}", problem=problem)
            raise AddressError(words, source=side.folder.root)
    return comparer.found()


def _name(pair: tuple[FolderFile | None, FolderFile | None]) -> str:
    return next(it.path.name for it in pair if it)


class _Comparer:
    """Compares two folders file by file."""

    def __init__(self, a: _ReadFolder, b: _ReadFolder) -> None:
        self.a, self.b = a, b
        self._entries: list[ComparedEntry] = []
        self._layouts: list[Path] = []
        self._same = 0

    def compare(self, before: FolderFile | None, after: FolderFile | None) -> None:
        """Compare two files of the same path, or note a file that only one side has."""
        checkpoint()
        if before is None or after is None:
            for side, other, file in ((self.a, self.b, before), (self.b, self.a, after)):
                if file is not None and not other.has_closed(file):
                    opened = side.open(file)
                    side.left += opened.entries if opened else ()
        else:
            a, b = self.a.open(before), self.b.open(after)
            # Of a file that one side cannot read nothing can be said on the other.
            if a is not None and b is not None:
                self._compare(a, b, after.path)
        self.a.close(before)
        self.b.close(after)

    def _compare(self, a: _OpenedFile, b: _OpenedFile, path: Path) -> None:
        if a.is_archive != b.is_archive:
            self.a.left += a.entries
            self.b.left += b.entries
            return
        is_equal = same_bytes(a.item.data, b.item.data)
        if is_equal and [it.spelled for it in a.entries] == [it.spelled for it in b.entries]:
            self._same += len(a.entries)
            return
        same = self._same
        pairs = [*paired(a.entries, b.entries)]
        for mine, other in pairs:
            checkpoint()
            self._compare_pair((a, b), a.entries[mine], b.entries[other])
        for side, opened, used in (
            (self.a, a, {mine for mine, _other in pairs}),
            (self.b, b, {other for _mine, other in pairs}),
        ):
            side.left += (it for at, it in enumerate(opened.entries) if at not in used)
        if a.is_archive and len(a.entries) == len(b.entries) == self._same - same:
            self._layouts.append(path)

    def _compare_pair(
        self, files: tuple[_OpenedFile, _OpenedFile], mine: FolderEntry, other: FolderEntry
    ) -> None:
        """Compare two entries of the same place and name."""
        before, after = self.a.payload(files[0], mine), self.b.payload(files[1], other)
        if before is None or after is None:
            return
        stated = sum(one != two for one, two in zip(mine.stated or (), other.stated or (), strict=False))
        if stated or not same_bytes(before, after):
            state = EntryState.CHANGED
        elif mine.spelled != other.spelled:
            state = EntryState.RENAMED
        else:
            self._same += 1
            return
        self._entries.append(ComparedEntry(state, mine.address, other.address, other.kind, stated=stated))

    def found(self) -> FolderComparison:
        """The comparison of all files, once they are compared."""
        a, b = same_sizes(self.a.left, self.b.left)
        used: set[int] = set()
        for mine, other in matched(self.a.digests(a), self.b.digests(b)):
            used |= {id(mine), id(other)}
            state = EntryState.RENAMED if mine.holder == other.holder else EntryState.MOVED
            self._entries.append(ComparedEntry(state, mine.address, other.address, other.kind))
        for side, state in ((self.a, EntryState.REMOVED), (self.b, EntryState.ADDED)):
            for it in side.left:
                if id(it) not in used and it.address not in side.lost:
                    is_gone = state is EntryState.REMOVED
                    places = (it.address, None) if is_gone else (None, it.address)
                    self._entries.append(ComparedEntry(state, places[0], places[1], it.kind))
        return FolderComparison(
            self.a.folder.root,
            self.b.folder.root,
            tuple(sorted(self._entries, key=lambda it: it.order)),
            self._same,
            tuple(sorted((*self.a.errors, *self.b.errors), key=lambda it: it.path)),
            tuple(self._layouts),
        )


class FieldsTask(Struct, frozen=True):
    """Two entries whose fields are compared."""

    a: Address
    b: Address


def count_fields(store: FileStore, requested: ReadingChoice, task: FieldsTask) -> int | None:
    """The number of fields that differ; None if one of both cannot be decoded or is of an unknown format."""
    try:
        a, b = (ComparedPayload.of(store.open(it)) for it in (task.a, task.b))
        if not (a.kind.is_known and b.kind.is_known):
            return None
        return fields_in(compare(a, b, requested))
    except MshviewError:
        return None


def fields_in(found: Iterable[Difference]) -> int:
    """The number of fields in differences: each field of each row; bytes and pixels of one part are one."""
    count = 0
    parts: set[tuple[tuple[str, ...], str]] = set()
    for it in found:
        is_part = (it.rows_a is None and it.field == "size") or it.field == "byte" or is_of_pixels(it)
        if is_part and it.what is ChangeKind.CHANGED:
            parts.add((it.path, it.table))
        else:
            count += it.count
    return count + len(parts)


def begin(requested: ReadingChoice) -> Callable[[], Callable[[Sequence[FieldsTask]], Iterator[int | None]]]:
    """Make, in a process, the function that counts the fields of some pairs."""
    return partial(_counter, requested)


def _counter(requested: ReadingChoice) -> Callable[[Sequence[FieldsTask]], Iterator[int | None]]:
    store = FileStore()
    return partial(_count_all, store, requested)


def _count_all(
    store: FileStore, requested: ReadingChoice, tasks: Sequence[FieldsTask]
) -> Iterator[int | None]:
    for task in tasks:
        checkpoint()
        yield count_fields(store, requested, task)
