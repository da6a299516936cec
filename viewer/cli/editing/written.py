"""Where edited files are written: over themselves with a backup, to a file, into a folder, or nowhere."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from viewer.cli import output
from viewer.cli.arguments import STANDARD, output_name
from viewer.errors import OutputError, UsageError
from viewer.formats.record import Bytes
from viewer.model.store.files import refuse_existing, write_atomically, write_together
from viewer.model.write.saving import digest_of, save


def add_target(parser: ArgumentParser) -> None:
    """Add where the result is written."""
    group = parser.add_argument_group("output")
    where = group.add_mutually_exclusive_group()
    where.add_argument(
        "-o",
        "--output",
        dest="out",
        type=output_name,
        metavar="OUT",
        help="the file to write, or a folder for it; it may be the file that is changed, which is then kept "
        "as NAME.bak, once; - is standard output",
    )
    where.add_argument(
        "--in-place", action="store_true", help="write over the changed file, which is kept as NAME.bak, once"
    )
    group.add_argument("--dry-run", action="store_true", help="write nothing, only say what would be changed")
    group.add_argument("--no-clobber", action="store_true", help="refuse to replace OUT if it exists already")
    group.add_argument(
        "--force",
        action="store_true",
        help="write even what is refused: an edit that adds errors, a patch of another file",
    )


def check(options: Namespace, paths: Sequence[Path]) -> None:
    """Refuse options that do not go together, before any work; `paths` are those of the inputs."""
    if not (options.out or options.in_place or options.dry_run):
        raise UsageError("one of -o OUT, --in-place and --dry-run is needed", source="output")
    if options.in_place and Path(STANDARD) in paths:
        raise UsageError("standard input cannot be replaced; -o names a file", source="--in-place")
    if is_printed(options) and (options.json or len(paths) > 1):
        raise UsageError("standard output can have one file only, without --json", source="-o")
    if options.out and len(paths) > 1:
        _check_folder(Path(options.out), paths)
    if options.no_clobber and options.out and options.out != STANDARD:
        for path in paths:
            refuse_existing(path_for(options, path))


def is_printed(options: Namespace) -> bool:
    """Whether standard output is the edited file."""
    return bool(options.out == STANDARD) and not options.dry_run


def _check_folder(out: Path, paths: Sequence[Path]) -> None:
    """Refuse a folder that does not exist, or that cannot hold all files."""
    name, count = Counter(path.name for path in paths).most_common(1)[0]
    if count > 1:
        raise UsageError(f"{count} files are called {name!r}", source="-o")
    if not _is_folder(out):
        raise OutputError("is not a folder; several files are written into one", source=str(out))


def path_for(options: Namespace, path: Path) -> Path:
    """Return where the edited file of a path is written."""
    if options.in_place:
        return path
    out = Path(options.out)
    return out / path.name if _is_folder(out) else out


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def write(
    options: Namespace, path: Path, before: Bytes, after: Bytes, beside: Mapping[Path, Bytes] | None = None
) -> Path | None:
    """Write the edited file of a path, and return where; None if nothing had to be written.

    A file is written over itself only if it still has the bytes `before`. The files `beside` it appear
    together with it or before it.
    """
    files = [(name, [data]) for name, data in (beside or {}).items()]
    if options.dry_run:
        return None
    if is_printed(options):
        output.write_bytes([after])
        return None
    target = path_for(options, path)
    if not _is_same(target, path):
        if files:
            write_together([*files, (target, [after])], can_replace=not options.no_clobber)
        else:
            write_atomically(target, after, can_replace=not options.no_clobber)
        return target
    write_together(files, can_replace=False)
    if before == after:
        return None
    save(target, after, expected=digest_of(before))
    return target


def _is_same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except (OSError, ValueError):
        return False
