"""``--watch``: a verb that runs again whenever a file that it may read has changed, until Ctrl+C ends it."""

from __future__ import annotations

import gc
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from typing import Final, NoReturn

from viewer.cli import output
from viewer.cli.inputs import is_standard
from viewer.errors import MshviewError, UsageError
from viewer.model.store.address import Address
from viewer.operations.corpus.wildcards import has_wildcards

INTERVAL: Final = 0.3
"""Seconds between two looks at the files; the verb runs when two looks see the same."""
READ: Final = ("wear", "control", "palette", "like")
"""Options that name a file to read."""
MOST_FILES: Final = 20_000
"""Files and folders that are looked at; of more only these."""

State = dict[Path, tuple[int, int, int]]
"""Size, time of the last change in nanoseconds and number on the disk of each file."""


def add_watch(parser: ArgumentParser) -> None:
    """Add the option to run again after each change."""
    parser.add_argument(
        "--watch",
        action="store_true",
        help="run again whenever PATH, a file in its folder or in that of --game changes, until Ctrl+C; "
        "errors are printed and do not end it",
    )


def run(
    options: Namespace, verb: Callable[[Namespace], int], wait: Callable[[float], None] = time.sleep
) -> NoReturn:
    """Run a verb now and after each change; only Ctrl+C ends it. Raises `UsageError` for standard input."""
    if any(map(is_standard, (*options.addresses, getattr(options, "out", "")))):
        raise UsageError("files are watched, not standard input or output", source="--watch")
    while True:
        before = _state(options)
        try:
            verb(Namespace(**vars(options)))  # as verbs change their options
        except MshviewError as error:
            output.write_error(str(error))
        gc.collect()  # which is rare in a verb
        _wait_for_change(options, before, wait)


def _wait_for_change(options: Namespace, before: State, wait: Callable[[float], None]) -> None:
    """Wait until a file has changed, and then until none does.

    `before` is the state before the verb ran: of the files that changed since then only those named count, as
    the verb may have written others itself.
    """
    named = {it for it in _named(options) if it != Path(getattr(options, "out", "")).absolute()}
    known = _state(options)
    is_changed = any(before.get(path) != known.get(path) for path in named)
    last = None if is_changed else known
    while known == last:
        wait(INTERVAL)
        known = _state(options)
    while known != last:
        wait(INTERVAL)
        known, last = _state(options), known


def _named(options: Namespace) -> Iterator[Path]:
    """The files and folders that the options name to be read."""
    for text in (*options.addresses, *(getattr(options, name, None) for name in READ)):
        if text is not None:
            yield Address.given(text).path.absolute()


def _state(options: Namespace) -> State:
    """The state of the files named, of those next to them, and of all below named folders and the game."""
    folders: dict[Path, bool] = {}
    for path in _named(options):
        folder = path if path.is_dir() else path.parent
        while has_wildcards(str(folder)):
            folder = folder.parent
        folders[folder] = folders.get(folder, False) or path.is_dir() or folder not in (path, path.parent)
    if options.game:
        folders[Path(options.game).absolute()] = True
    found: State = {}
    paths = (path for folder, is_deep in folders.items() for path in folder.glob("**/*" if is_deep else "*"))
    for path in islice(paths, MOST_FILES):
        try:
            status = path.stat()
        except OSError:
            continue
        if S_ISREG(status.st_mode):
            found[path] = status.st_size, status.st_mtime_ns, status.st_ino
    return found
