"""Many inputs in one run: the resources at some addresses, and the file that is written of each."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Final

import numpy as np
from msgspec import Struct

from viewer.errors import AddressError, MshviewError, UsageError, error_text, suggestion
from viewer.formats.archive import nres, rsli
from viewer.model.kinds.entry_kinds import entry_kinds
from viewer.model.kinds.registry import ALL_KINDS, ARCHIVES, presumed_id, promised_kind
from viewer.model.store.address import SEPARATOR, Address
from viewer.model.store.disk import BACKUP_SUFFIX, is_link
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import spelling
from viewer.operations.corpus.wildcards import expanded
from viewer.progress import Progress, checkpoint
from viewer.translation import Text, _

ENTRY, STEM, INDEX, HOLDER = OF_RESOURCE = "{entry}", "{stem}", "{index}", "{archive}"
"""Placeholders in the name of an output: the name of a resource, that without its suffix, its index
in the directory, and for the name of its archive or folder."""
_TEMPLATE: Final = re.compile(r"\{[^{}]*\}")
DEEPEST: Final = 8
"""Archives in archives that are searched."""
_MAGICS: Final = (nres.MAGIC, rsli.SIGNATURE)


class FoundItem(Struct, frozen=True):
    """A resource, or something that should hold some.

    Attributes
    ----------
    address
        Where it is.
    label
        The address from the folder that everything is in: a path with ``/`` and entries. No two are equal.
    base
        That folder, absolute; empty if there is none.
    title, index
        The name of its entry, which others in the archive may have too, and its directory index; of a file
        its name and 0.
    size
        Its bytes, packed ones as they are stored.
    problem
        Why nothing can be read there; empty if that is not known yet.
    """

    address: Address
    label: str
    base: Path = Path()
    title: str = ""
    index: int = 0
    size: int = 0
    problem: str = ""

    @property
    def name(self) -> str:
        """The last part of the label: an entry or a file name."""
        return self.label.rpartition(SEPARATOR)[2] if SEPARATOR in self.label else PurePath(self.label).name

    @property
    def holder(self) -> str:
        """The label of the archive that it is in, or of the folder; empty for the uppermost folder."""
        above, separator, _ = self.label.rpartition(SEPARATOR)
        return above if separator else self.label.rpartition("/")[0]


class ItemFinder:
    """Finds the resources at addresses: an archive stands for its entries, a folder for everything below it.

    Of what a wildcard stands for, other kinds are left out; named without one, they are a problem.

    Which entries of an archive are meant is decided in `_entries` alone.

    Parameters
    ----------
    kinds
        The kinds of the resources, and suffixes of files of other programs. With `ALL_KINDS` an archive in
        an archive is one of them; otherwise it stands for its entries too.
    what
        What they are called, for messages.
    """

    def __init__(self, store: FileStore, kinds: frozenset[str], what: str) -> None:
        self._store = store
        self._kinds = kinds
        self._what = what
        self._base = Path()

    def find(self, addresses: Sequence[Address]) -> list[FoundItem]:
        """The items at addresses and in archives, in their order, each once.

        What cannot be read is found too, with its problem. Raises `AddressError` if there is nothing at all.
        """
        targets = [
            (address, address == given) for given in addresses for address in expanded(self._store, given)
        ]
        self._base = _base([address for address, _ in targets], self._store)
        found: dict[str, FoundItem] = {}
        for address, is_named in targets:
            is_folder = self._store.is_folder(address.path) and not address.entries
            for item in self._in_folder(address.path) if is_folder else self._at(address, is_named=is_named):
                checkpoint()
                found.setdefault(item.label, item)
        if not found:
            raise AddressError(
                _("holds no {what}", what=Text.of(self._what)), source=", ".join(map(str, addresses))
            )
        return [*found.values()]

    def each(self, addresses: Sequence[Address]) -> list[FoundItem]:
        """An item for each address, whatever is there: an archive or an unreadable entry is one too."""
        self._base = _base(addresses, self._store)
        found = (self._item(it, it.name.lstrip("#")) for it in addresses)
        return [*{it.label: it for it in found}.values()]

    def _item(
        self, address: Address, title: str = "", index: int = 0, size: int = 0, problem: str = ""
    ) -> FoundItem:
        path = address.path.absolute()
        shown = path.relative_to(self._base) if path.is_relative_to(self._base) else path
        label = SEPARATOR.join((shown.as_posix(), *address.entries))
        return FoundItem(address, label, self._base, title or address.name, index, size, problem)

    def _in_folder(self, folder: Path) -> Iterator[FoundItem]:
        """The items of the files of a folder and of those below it; links to folders are not followed.

        What was kept of a file that was saved is not a resource of its own.
        """
        try:
            paths = [folder / name for name in self._store.names(folder)]
        except AddressError as error:
            yield self._item(Address(folder), problem=error.message)
            return
        for path in paths:
            if self._store.is_folder(path):
                if not is_link(path):
                    yield from self._in_folder(path)
            elif path.suffix != BACKUP_SUFFIX and self._may_hold_some(path):
                yield from self._at(Address(path))
                self._store.forget(path)

    def _may_hold_some(self, path: Path) -> bool:
        if presumed_id(path.name) in self._kinds | ARCHIVES:
            return True
        try:
            return self._store.revision(path) is not None and bytes(self._store.head(path, 4)) in _MAGICS
        except MshviewError:
            return False

    def _at(self, address: Address, *, is_named: bool = False) -> Iterator[FoundItem]:
        """The resource at an address, or what is in the archive there."""
        try:
            item = self._store.open(address)
            kind = promised_kind(item)
            if kind.id in ARCHIVES:
                yield from self._entries(address, 0)
                return
            suffix = "" if address.entries else presumed_id(address.name)
            is_one = bool(self._kinds & {kind.id, suffix}) or self._kinds == ALL_KINDS
            if is_one or is_named:
                title = item.entry.text if item.entry else ""
                problem = "" if is_one else _("is not a {what}", what=Text.of(self._what))
                yield self._item(address, title, size=len(item.data), problem=problem)
        except MshviewError as error:
            yield self._unreadable(address, error)

    def _entries(self, archive: Address, depth: int) -> Iterator[FoundItem]:
        """The entries of an archive that are meant, and those of the archives in it."""
        container = self._store.open(archive).container
        if container is None or depth == DEEPEST:
            return
        kinds = entry_kinds(container)
        is_nested = self._kinds != ALL_KINDS
        wanted = self._kinds | ARCHIVES if is_nested else frozenset(kinds.ids)
        for index in np.flatnonzero(kinds.are(wanted)).tolist():
            address = archive.child(spelling(container, index))
            if not is_nested or kinds[index] in self._kinds:
                entry = container.entry(index)
                yield self._item(address, entry.text, index, entry.size)
                continue
            try:
                yield from self._entries(address, depth + 1)
            except MshviewError as error:
                yield self._unreadable(address, error)

    def _unreadable(self, address: Address, error: MshviewError) -> FoundItem:
        problem = ": ".join(part for part in (error.where, error.message) if part)
        return self._item(address, problem=problem)


def read_each(
    store: FileStore, found: Sequence[FoundItem], progress: Progress, read: Callable[[FoundItem], object]
) -> Mapping[str, str]:
    """Read resources, whose files are then forgotten; return what cannot be read, and why."""
    unreadable: dict[str, str] = {}
    before = None
    for item in progress.over(found, lambda it: it.name):
        if before is not None and before != item.address.path:
            store.forget(before)
        before = item.address.path
        try:
            if item.problem:
                raise UsageError(item.problem, source=item.address)
            read(item)
        except MshviewError as error:
            unreadable[str(item.address)] = error_text(error)
    return MappingProxyType(unreadable)


def _base(addresses: Iterable[Address], store: FileStore) -> Path:
    """The folder that everything is in."""
    paths = [address.path.absolute() for address in addresses]
    folders = [path if store.is_folder(path) else path.parent for path in paths]
    try:
        return Path(os.path.commonpath(folders))
    except ValueError:  # other drives
        return Path()


class OutputTask(Struct, frozen=True):
    """A resource and the file that is written of it."""

    found: FoundItem
    path: Path


def is_pattern(out: str) -> bool:
    """Whether the name of an output stands for many files."""
    return any(name in out for name in (ENTRY, STEM, INDEX))


def fill(out: str, known: Mapping[str, object | None]) -> str:
    """The name of an output with values in place of some templates; those of `OF_RESOURCE` stay.

    Parameters
    ----------
    known
        The value of each template, with its braces; None for one that has none, or has it later.

    Raises `UsageError` for an unknown template.
    """
    for name in _TEMPLATE.findall(out):
        if name not in OF_RESOURCE and name not in known:
            hint = suggestion(name, (*OF_RESOURCE, *known))
            names = ", ".join((*OF_RESOURCE, *known))
            words = _("{name} is not one of {names}{hint}", name=name, names=names, hint=hint)
            raise UsageError(words, source="-o")
    return _filled(out, {name: str(value) for name, value in known.items() if value is not None})


def _filled(pattern: str, values: Mapping[str, str]) -> str:
    """A pattern with values in place of some templates, in which none is looked for again."""
    return _TEMPLATE.sub(lambda found: values.get(found[0], found[0]), pattern)


def output_tasks(
    found: Iterable[FoundItem], pattern: str, files: Callable[[Path], Iterable[Path]] = lambda path: (path,)
) -> list[OutputTask]:
    """The file of each resource: `pattern` with the names in it filled in.

    No name leaves the folder, as characters that separate folders are replaced. Entries of one archive with
    equal names get their index too.

    Parameters
    ----------
    files
        All files that are written for a path, such as the images of a series.

    Raises `UsageError` if two resources would be written to the same file, also one that differs in case.
    """
    from viewer.model.write.saving import FileNames  # noqa: PLC0415 not needed for one file

    for template in (ENTRY, STEM, INDEX):
        if template in str(Path(pattern).parent):
            words = _("{template} stands in the name of the file, not of its folder", template=template)
            raise UsageError(words, source="-o")
    names: defaultdict[str, FileNames] = defaultdict(FileNames)
    taken: dict[str, FoundItem] = {}
    tasks = []
    for item in found:
        name = names[item.holder].add(item.title, item.index)
        holder = (item.holder or item.base.name).replace(SEPARATOR, "_").replace("/", "_")
        values = (name, PurePath(name).stem, str(item.index), FileNames().add(holder, 0))
        path = Path(_filled(pattern, dict(zip(OF_RESOURCE, values, strict=True))))
        for file in files(path):
            other = taken.setdefault(str(file).casefold(), item)
            if other is not item:
                apart = _("; {name} in the name tells archives and folders apart", name=HOLDER)
                hint = "" if HOLDER in pattern else apart
                words = _(
                    "{first} and {second} are both {file}{hint}",
                    first=other.label,
                    second=item.label,
                    file=file,
                    hint=hint,
                )
                raise UsageError(words, source="-o")
        tasks.append(OutputTask(item, path))
    return tasks
