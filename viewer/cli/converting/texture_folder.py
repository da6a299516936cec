"""``texture --all``: all textures of a library as pictures in a folder, and back into a library."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from viewer.cli import output, target
from viewer.cli.inputs import file_store, is_standard, open_item, single
from viewer.cli.usage.values import Value, takes
from viewer.cli.usage.verbs import DONE, FOUND
from viewer.diagnostics import Diagnostic
from viewer.errors import Severity, UsageError
from viewer.model.store.disk import with_target
from viewer.session.field_text import counted
from viewer.translation import _, count_text

if TYPE_CHECKING:
    from viewer.operations.textures.texture_folders import ReturnedTexture, ReturnPlan


def declare(parser: ArgumentParser) -> None:
    """Add the options of folders."""
    parser.add_argument(
        "--all",
        action="store_true",
        help="all textures of a library, as pictures in a new folder with an index.json; with --into back",
    )
    takes(
        parser.add_argument(
            "--into",
            metavar="LIBRARY",
            help="with --all and that folder: put the pictures that were changed into this library, each "
            "in the format of its texture",
        ),
        Value.ADDRESS,
    )


def run(options: Namespace) -> int:
    """Write the pictures of a library, or a library with the pictures of a folder."""
    if not options.all:
        raise UsageError("--into needs --all and a folder", source="texture")
    if len(options.addresses) > 1:
        raise UsageError("--all takes one library or folder", source="texture")
    return _pictures(options) if options.into is None else _library(options)


def _pictures(options: Namespace) -> int:
    """Write the folder of the pictures."""
    from viewer.operations.textures.texture_folders import write_pictures  # noqa: PLC0415 loads every format

    target.check_folder(options)
    (text,) = options.addresses
    store = file_store(text)
    library, folder = open_item(options, single(store, text), store), Path(options.out)
    pictures = write_pictures(library, folder)
    output.note_written()
    output.write_warnings(library.address, pictures.refused)
    count = counted(pictures.count, "{count} picture", "{count} pictures")
    output.confirm([_("wrote {count} to {out}", count=count, out=with_target(folder))])
    return FOUND if pictures.refused else DONE


def _library(options: Namespace) -> int:
    """Write the library with the changed pictures."""
    from viewer.operations.textures.texture_folders import plan_return  # noqa: PLC0415

    target.check(options)
    (folder,) = options.addresses
    if is_standard(folder):
        raise UsageError("a folder cannot be standard input", source="--all")
    store = file_store(options.into)
    library = open_item(options, single(store, options.into), store)
    planned = plan_return(store, library, Path(folder))
    for refused in planned.refused:
        raise refused.error from refused.reason
    output.write_warnings(folder, (Diagnostic("", Severity.WARNING, it) for it in planned.remarks))
    if target.is_standard(options):
        output.write_bytes([planned.file.after])
        return DONE
    options.in_place = options.dry_run = options.has_several = False
    written = target.write_plans(options, [target.planned(options, planned.file)])
    output.confirm([*_lines(planned), *target.lines_of(written)])
    return DONE


def _lines(planned: ReturnPlan) -> Iterator[str]:
    """Say what changes, and how large the library becomes."""
    for it in planned.changed:
        yield from _lines_of(it)
    yield from planned.summary


def _lines_of(it: ReturnedTexture) -> Iterator[str]:
    """Say what changes of a texture."""
    sizes = {"after": count_text(it.size_after), "before": count_text(it.size_before)}
    yield _("{name}: {after} bytes, {before} before", name=it.name, **sizes)
    for note in it.notes:
        yield f"  {note}"
