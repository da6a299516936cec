"""The target of ``-o``: a file that appears whole, or standard output."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Sequence
from pathlib import Path

from viewer.cli import output
from viewer.cli.arguments import STANDARD
from viewer.errors import UsageError
from viewer.formats.record import Bytes
from viewer.model.store.files import in_parts, refuse_existing, write_atomically, write_together


def is_standard(options: Namespace) -> bool:
    """Whether the options name standard output."""
    return bool(options.out == STANDARD)


def check(options: Namespace, *paths: Path) -> None:
    """Refuse a target that exists, if the options say so, before any work; by default that of ``-o``."""
    if options.no_clobber and not is_standard(options):
        for path in paths or (Path(options.out),):
            refuse_existing(path)


def check_folder(options: Namespace) -> None:
    """Refuse a folder on standard output, or one that exists if the options say so."""
    if is_standard(options):
        raise UsageError("a folder cannot be standard output", source="-o")
    check(options)


def write(
    options: Namespace,
    data: Bytes | Iterable[Bytes],
    path: Path | None = None,
    beside: Sequence[tuple[Path, Iterable[Bytes]]] = (),
) -> None:
    """Write a file, by default that of ``-o``, and say so; only the bytes if it is standard output.

    `data` may come in parts. The files `beside` it, which it names, appear with it or not at all.
    """
    if is_standard(options):
        output.write_bytes(in_parts(data))
        return
    can_replace = not options.no_clobber
    if beside:
        write_together([*beside, (path or Path(options.out), in_parts(data))], can_replace=can_replace)
    else:
        write_atomically(path or Path(options.out), data, can_replace=can_replace)
    output.confirm([f"wrote {path or options.out}"])
