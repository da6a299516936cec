"""``texture --all``: all textures of a library as pictures in a folder, and back into a library."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from viewer.cli import output, target
from viewer.cli.inputs import container_in, file_store, is_standard, open_item, single
from viewer.cli.usage.values import Value, takes
from viewer.cli.usage.verbs import DONE, FOUND
from viewer.diagnostics import Diagnostic
from viewer.errors import Severity, UsageError, reading_from
from viewer.model.store.disk import with_target
from viewer.session.field_text import counted
from viewer.translation import _

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
    from viewer.operations import saving  # noqa: PLC0415
    from viewer.operations.textures.picture_folder import Pictures  # noqa: PLC0415 loads every format
    from viewer.operations.textures.texture_folders import plan_pictures  # noqa: PLC0415

    target.check_folder(options)
    (text,) = options.addresses
    store = file_store(text)
    library = open_item(options, single(store, text), store)
    pictures, folder = Pictures(library, container_in(library)), Path(options.out)
    with reading_from(library.address):
        saving.write_folder(folder, plan_pictures(pictures, folder))
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
    planned = plan_return(store, library, container_in(library), Path(folder))
    output.write_warnings(folder, _remarks(planned))
    if target.is_standard(options):
        output.write_bytes([planned.file.after])
        return DONE
    options.in_place = options.dry_run = options.has_several = False
    written = target.write_plans(options, [target.planned(options, planned.file)])
    output.confirm([*_lines(planned), *target.lines_of(written)])
    return DONE


def _remarks(planned: ReturnPlan) -> Iterator[Diagnostic]:
    """Say which pictures are not used, and which are not there."""
    for name, picture in planned.missing:
        words = "{picture!r} is missing: texture {name!r} stays as it is"
        yield Diagnostic("", Severity.WARNING, _(words, picture=picture, name=name))
    for name in planned.unknown:
        words = "{name!r} is left alone: the index does not name it"
        yield Diagnostic("", Severity.WARNING, _(words, name=name))


def _lines(planned: ReturnPlan) -> Iterator[str]:
    """Say what changes, and how large the library becomes."""
    for it in planned.changed:
        yield from _lines_of(it)
    file, total = planned.file, counted(planned.total, "{count} texture", "{count} textures")
    yield _("{count} of {total} changed", count=len(planned.changed), total=total)
    sizes = {"after": file.size_after, "before": file.size_before}
    yield _("size: {after:,} bytes, {before:,} before", **sizes)


def _lines_of(it: ReturnedTexture) -> Iterator[str]:
    """Say what changes of a texture."""
    yield _("{name}: {after:,} bytes, {before:,} before", name=it.name, after=it.after, before=it.before)
    for note in it.notes:
        yield f"  {note}"
