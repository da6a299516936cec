"""The target of ``-o``: files that appear whole, or standard output."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from viewer.cli import output
from viewer.cli.arguments import STANDARD
from viewer.errors import UsageError
from viewer.formats.record import Bytes
from viewer.model.store.backups import BACKUP_SUFFIX
from viewer.model.store.temporary import in_parts
from viewer.model.store.writing import NewFile, WrittenFile, refuse_existing


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
    files = [*beside, (path or Path(options.out), data)]
    written = replace_files([NewFile(*file, can_replace=not options.no_clobber) for file in files])
    output.confirm([*lines_of(written)][-1:])


def replace_files(files: Sequence[NewFile]) -> list[WrittenFile]:
    """Write files, keep those of the game that they replace, and say if a backup has not its usual name."""
    from viewer.model.write import saving  # noqa: PLC0415 not needed for standard output

    written = saving.write(files)
    for it in written:
        usual = f"{it.target.name}{BACKUP_SUFFIX}"
        if it.backup is not None and it.backup.name != usual:
            output.write_hint(f"{it.path}: {usual} is not a file; the backup is {it.backup.name}")
    return written


def lines_of(written: Iterable[WrittenFile]) -> Iterator[str]:
    """Say what was written, and where what it has replaced is kept."""
    for it in written:
        kept = "" if it.backup is None else f"; the file before is kept as {it.backup.name}"
        yield f"wrote {it.path}{kept}"
