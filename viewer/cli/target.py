"""Targets of results: the files of ``-o``, the edited files, or standard output; always written whole."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from viewer.cli import output
from viewer.cli.usage.arguments import STANDARD, output_name
from viewer.cli.usage.values import Value, takes
from viewer.errors import UsageError
from viewer.formats.record import Bytes
from viewer.model.compare.file_plan import FilePlan
from viewer.model.store.address import Address
from viewer.model.store.disk import BACKUP_SUFFIX, with_target
from viewer.model.store.temporary import in_parts
from viewer.model.store.writing import WrittenFile, refuse_existing
from viewer.translation import _


def is_standard(options: Namespace) -> bool:
    """Whether the options name standard output."""
    return bool(options.out == STANDARD)


def check(options: Namespace, *paths: Path) -> None:
    """Refuse a target that exists, if the options say so, before any work; by default that of ``-o``."""
    if options.no_clobber and not is_standard(options):
        for path in paths or (Path(options.out),):
            refuse_existing(path)


def refuse_sources(options: Namespace, *sources: Address, paths: Sequence[Path] = ()) -> None:
    """Refuse a target that is read to make it; by default that of ``-o``."""
    if is_standard(options) or not options.out:
        return
    from viewer.operations import saving  # noqa: PLC0415 not needed for standard output

    saving.refuse_sources(paths or (Path(options.out),), (it.path for it in sources))


def check_folder(options: Namespace) -> None:
    """Refuse a folder on standard output, or one that exists if the options say so."""
    if is_standard(options):
        raise UsageError("a folder cannot be standard output", source="-o")
    check(options)


def write(options: Namespace, data: Bytes | Iterable[Bytes], path: Path | None = None) -> None:
    """Write a file, by default that of ``-o``, and say so; only the bytes if it is standard output.

    `data` may come in parts.
    """
    write_new(options, [FilePlan(path or Path(options.out), data=data)])


def write_new(options: Namespace, plans: Sequence[FilePlan]) -> None:
    """Write new files, all or none, and say so of the last, which names the others.

    Standard output gets the bytes of the last one only.
    """
    if is_standard(options):
        output.write_bytes(in_parts(plans[-1].written))
    else:
        output.confirm([*lines_of(_written(options, plans))][-1:])


def hint_at_backups(written: Iterable[WrittenFile]) -> None:
    """Say if a backup has not its usual name."""
    for it in written:
        usual = f"{it.target.name}{BACKUP_SUFFIX}"
        if it.backup is not None and it.backup.name != usual:
            words = "{path}: {usual} is not a file; the backup is {name}"
            output.write_hint(_(words, path=it.path, usual=usual, name=it.backup.name))


def lines_of(written: Iterable[WrittenFile]) -> Iterator[str]:
    """Say what was written, and where what it has replaced is kept."""
    for it in written:
        kept = "" if it.backup is None else _("; the file before is kept as {name}", name=it.backup.name)
        yield _("wrote {path}{kept}", path=with_target(it.path), kept=kept)


def add_target(parser: ArgumentParser) -> None:
    """Add where the result is written."""
    group = parser.add_argument_group("output")
    where = group.add_mutually_exclusive_group()
    takes(
        where.add_argument(
            "-o",
            "--output",
            dest="out",
            type=output_name,
            metavar="OUT",
            help="the file to write, or a folder, which is made for several files; it may be the file that "
            "is changed, which is then kept as NAME.bak, once; - is standard output",
        ),
        Value.FILE,
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


def check_edit(options: Namespace, paths: Sequence[Path]) -> None:
    """Refuse options that do not go together, before any work; `paths` are those of the inputs."""
    if not (options.out or options.in_place or options.dry_run):
        raise UsageError("one of -o OUT, --in-place and --dry-run is needed", source=_("output"))
    if options.in_place and Path(STANDARD) in paths:
        raise UsageError("standard input cannot be replaced; -o names a file", source="--in-place")
    if is_printed(options) and (options.json or len(paths) > 1):
        raise UsageError("standard output can have one file only, without --json", source="-o")
    options.has_several = len(paths) > 1
    if options.out and options.has_several:
        _check_folder(Path(options.out), paths)
    if options.no_clobber and options.out and options.out != STANDARD:
        for path in paths:
            refuse_existing(path_for(options, path))


def is_printed(options: Namespace) -> bool:
    """Whether standard output is the edited file."""
    return bool(options.out == STANDARD) and not options.dry_run


def _check_folder(out: Path, paths: Sequence[Path]) -> None:
    """Refuse what is not a folder, and files that one folder cannot hold."""
    if out.exists() and not _is_folder(out):
        raise UsageError(_("{out} is not a folder; several files are written into one", out=out), source="-o")
    name, count = Counter(path.name for path in paths).most_common(1)[0]
    if count > 1:
        raise UsageError(_("{count} files are called {name!r}", count=count, name=name), source="-o")


def path_for(options: Namespace, path: Path) -> Path:
    """Return where the edited file of a path is written."""
    if options.in_place:
        return path
    out = Path(options.out)
    return out / path.name if options.has_several or _is_folder(out) else out


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def planned(options: Namespace, plan: FilePlan) -> FilePlan:
    """The plan of a file that is written where the options say."""
    if options.dry_run or is_printed(options):
        return plan
    from viewer.operations.saving import written_to  # noqa: PLC0415 not needed for standard output

    return written_to(plan, path_for(options, plan.path))


def write_plans(options: Namespace, plans: Sequence[FilePlan]) -> list[WrittenFile]:
    """Write files as they are planned, all or none, and return what was written; nothing on a dry run.

    The last one is written last, and alone if that is standard output; of the others those that are new come
    first.
    """
    if options.dry_run:
        return []
    *others, last = plans
    if is_printed(options):
        output.write_bytes(in_parts(last.written))
        return []
    ordered = [*sorted(others, key=lambda it: it.is_in_place), last]
    return _written(options, [it for it in ordered if it.is_needed])


def _written(options: Namespace, plans: Sequence[FilePlan]) -> list[WrittenFile]:
    """Write files as they are planned, and say if a backup has not its usual name."""
    if not plans:
        return []
    from viewer.operations import saving  # noqa: PLC0415 not needed for standard output

    written = saving.write([replace(it, can_replace=not options.no_clobber) for it in plans])
    output.note_written()
    hint_at_backups(written)
    return written
