"""Inputs of verbs: the bytes or the archive at an address. Imports neither models nor checks."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path

from viewer.bounded_reading import read_at_most
from viewer.cli.usage.arguments import STANDARD
from viewer.diagnostics import Diagnostic, refuse_errors
from viewer.errors import AddressError, UsageError, reason_of
from viewer.model.store.address import SEPARATOR, Address
from viewer.model.store.disk import SIZE_LIMIT, UnsavedFiles
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.operations.corpus.wildcards import expanded, has_wildcards
from viewer.operations.given_options import with_options
from viewer.operations.reading_options import USUAL, ReadingOptions
from viewer.translation import _


def reading_options(options: Namespace) -> ReadingOptions:
    """The options of a verb that say how files are read; raises `UsageError` for a game that is no folder."""
    game = options.game
    if game is not None and not (game and FileStore().is_folder(Path(game))):
        raise UsageError("is not a folder", source=game)
    return with_options(USUAL, vars(options))


def file_store(*texts: str | None) -> FileStore:
    """The file store for some addresses; the bytes of standard input take the place of the file ``-``.

    Each file is as it is when it is read first, so that nothing is made of two versions of it.
    """
    return FileStore(unsaved=unsaved_files(*texts)).pinned()


def unsaved_files(*texts: str | None) -> UnsavedFiles:
    """The bytes of standard input, if one of the addresses names it."""
    unsaved = UnsavedFiles()
    if any(is_standard(text) for text in texts if text is not None):
        unsaved.overlay(Path(STANDARD), _standard_input())
    return unsaved


def is_standard(text: str) -> bool:
    """Whether an address is that of standard input, or of something in it."""
    return text.split(SEPARATOR, 1)[0] == STANDARD


def _standard_input() -> bytes:
    source = _("standard input")
    if not sys.stdin:  # None if the program was started with it closed
        raise AddressError("is closed", source=source)
    try:
        data = read_at_most(sys.stdin.buffer, SIZE_LIMIT + 1)
    except OSError as error:
        raise AddressError(_("cannot be read: {reason}", reason=reason_of(error)), source=source) from error
    if len(data) > SIZE_LIMIT:
        raise AddressError(_("more than {size_limit} bytes", size_limit=SIZE_LIMIT), source=source)
    return data


def expand(options: Namespace, store: FileStore | None = None, *, is_last_kept: bool = False) -> None:
    """Put what the wildcards in the addresses of the options stand for in their place.

    What they print then has the form of several inputs, however many there are. Without a store wildcards
    in standard input, which can be read only once, stay as they are.
    """
    if not any(map(has_wildcards, options.addresses)):
        return
    found: list[str] = []
    for text in options.addresses:
        if store is None and is_standard(text):
            found.append(text)
            continue
        given = Address.given(text)
        addresses = expanded(store or FileStore(), given, is_last_kept=is_last_kept)
        is_same = addresses == [given]
        options.results = getattr(options, "results", False) or not is_same
        found += [text] if is_same else map(str, addresses)
    options.addresses = found


def single(store: FileStore, text: str) -> Address:
    """The address that a text with wildcards stands for; raises `UsageError` if there are several."""
    found = expanded(store, Address.given(text))
    if len(found) > 1:
        words = _("matches {count}; one is needed, such as {found}", count=len(found), found=found[0])
        raise UsageError(words, source=text)
    return found[0]


def open_item(options: Namespace, address: Address, store: FileStore) -> Item:
    """The item at an address; strict options refuse an item with an error, in itself or inside it."""
    item = store.open(address)
    findings_in(options, item)
    return item


def findings_in(options: Namespace, item: Item, decoded: Iterable[Diagnostic] = ()) -> Iterable[Diagnostic]:
    """The problems of an item: those of its decoder, or with strict options those of `validate`.

    Strict options refuse an item with an error, in itself or inside it.
    """
    if not options.strict:
        return decoded
    from viewer.model.validation import validate  # noqa: PLC0415

    reports = validate.check_item(item)
    for report in reports:
        refuse_errors(report.source, report.errors)
    return reports[0].diagnostics if reports else decoded
