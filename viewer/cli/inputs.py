"""Inputs of verbs: the bytes or the archive at an address. Imports neither models nor checks."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path

from viewer.cli import output
from viewer.errors import AddressError, Diagnostic, UsageError, reading_from
from viewer.formats.archive import rsli
from viewer.model.store.address import Address
from viewer.model.store.file_store import Container, FileStore, Item, container_of
from viewer.model.store.folder import is_folder


def game_option(options: Namespace) -> Path | None:
    """The game folder that the options name; raises `UsageError` if it is not a folder."""
    if options.game is not None and not (options.game and is_folder(Path(options.game))):
        raise UsageError("is not a folder", source=options.game)
    return None if options.game is None else Path(options.game)


def open_library(options: Namespace) -> FileStore:
    """The file store of a verb; raises `UsageError` if the game folder is not a folder."""
    game_option(options)
    return FileStore(is_mapped=True)


def open_item(options: Namespace, text: str, *, is_mapped: bool = True) -> Item:
    """The item at an address; strict options refuse an item with an error, in itself or inside it."""
    item = FileStore(is_mapped=is_mapped).open(Address.parse(text))
    if options.strict:
        from viewer.model.validation import validate  # noqa: PLC0415

        for report in validate.check_item(item):
            output.report(report.source, report.errors, is_strict=True)
    return item


def findings_in(options: Namespace, container: Container, item: Item) -> Iterable[Diagnostic]:
    """Diagnostics of the archive itself; with strict options all members of a packed one are unpacked."""
    if options.strict and isinstance(container, rsli.PackedLibrary):
        from viewer.model.checks import packed  # noqa: PLC0415

        return packed.check(container, item.name)
    return container.diagnostics


def open_container(options: Namespace, text: str) -> Container:
    """The archive at an address; raises `AddressError` if it is something else."""
    return _container(open_item(options, text), text)


def container_at(text: str) -> Container:
    """The archive at an address, damaged or not; raises `AddressError` if it is something else."""
    return _container(FileStore(is_mapped=True).open(Address.parse(text)), text)


def _container(item: Item, text: str) -> Container:
    with reading_from(text):
        container = container_of(item.data)
    if container is None:
        raise AddressError("is not an archive", source=text)
    return container
