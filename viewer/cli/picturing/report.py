"""``report``: a zip for the developers, with what is wrong with a file and no more of it than that."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from viewer.cli import output, target
from viewer.cli.inputs import file_store, reading_options, single
from viewer.cli.usage.arguments import ADDRESS, add_out
from viewer.cli.usage.reading_arguments import add_game
from viewer.cli.usage.values import Value, takes
from viewer.cli.usage.verbs import DONE
from viewer.diagnostics import Diagnostic
from viewer.errors import AddressError, MshviewError, Severity
from viewer.model.store.address import Address
from viewer.translation import _, count_text

if TYPE_CHECKING:
    from viewer.model.store.file_store import FileStore
    from viewer.operations.checking.bug_report import BugReport
    from viewer.session.view.state_link import StateLink

SIZE: Final = 512
"""Longest side of the picture of a model, a unit or an effect, pixels,"""
SMALL: Final = 64
"""and of anything else, of which it has one in four pixels: all those of a texture would be the texture."""


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    takes(
        parser.add_argument(
            "address",
            nargs="?",
            metavar="PATH[::ENTRY]",
            help=_("{address}; without it only versions and system", address=ADDRESS),
        ),
        Value.ADDRESS,
    )
    add_out(parser, "OUT.zip", "the zip; - is standard output")
    parser.add_argument(
        "--state", metavar="LINK", help="a link that the View menu copied; PATH is by default its file"
    )
    parser.add_argument("--no-picture", action="store_true", help="leave the picture out")
    parser.add_argument("--dry-run", action="store_true", help="write nothing, only list what it would hold")
    add_game(parser)


def run(options: Namespace) -> int:
    """Say what the report holds, and write it."""
    from viewer.session.view.state_link import StateLink  # noqa: PLC0415 loads documents

    target.check(options)
    link = None if options.state is None else StateLink.parse(options.state)
    store = file_store(options.address)
    address = None if link is None else link.address
    if options.address is not None:
        address = single(store, options.address)
        link = StateLink(address) if link is None else link.within(address)
    if address is not None:
        target.refuse_sources(options, address)
    if address is not None and (address.entries or not store.is_folder(address.path)):
        _check_exists(store, address)
    report = _report(options, store, address, link)
    if not target.is_standard(options):
        output.confirm(_contents(report))
    if not options.dry_run:
        target.write(options, report.zipped)
    return DONE


def _check_exists(store: FileStore, address: Address) -> None:
    """Raise `AddressError` for a missing file or entry; damaged ones are reported."""
    store.file(address.path)
    try:
        store.open(address)
    except AddressError:
        raise
    except MshviewError:
        return


def _report(
    options: Namespace, store: FileStore, address: Address | None, link: StateLink | None
) -> BugReport:
    """The report about what is at an address; what cannot be drawn or read is said in it."""
    from viewer.operations.checking import bug_report  # noqa: PLC0415 loads every format
    from viewer.operations.checking.validating import ValidationOptions  # noqa: PLC0415

    log: list[str] = []
    has_picture = address is not None and not options.no_picture
    sources = bug_report.ReportSources(
        address,
        "" if link is None else str(link),
        _picture(store, address, log) if address is not None and has_picture else b"",
        _versions(),
        log,
        ValidationOptions(reading_options(options)),
    )
    return bug_report.made(store, sources)


def _picture(store: FileStore, address: Address, log: list[str]) -> bytes:
    """The picture of what is at an address; empty if there is none, which the log says."""
    from viewer.cli.picturing.thumbnail import picture_of  # noqa: PLC0415
    from viewer.model.convert.pictures.images import write_png  # noqa: PLC0415
    from viewer.model.kinds.registry import EFFECT, MODEL, UNIT, kind_of  # noqa: PLC0415

    try:
        item = store.open(address)
        is_drawn = kind_of(item) in (EFFECT, MODEL, UNIT)
        picture = picture_of(store, item, SIZE) if is_drawn else picture_of(store, item, 2 * SMALL)[::2, ::2]
        return write_png(picture)
    except MshviewError as error:
        words = _("the report has no picture: {reason}", reason=error.text)
        output.write_warnings("report", [Diagnostic("", Severity.WARNING, words)])
        log.append(str(words))
        return b""


def _versions() -> str:
    """The program, and the system that it runs on."""
    from viewer.app import program_info  # noqa: PLC0415 loads OpenGL
    from viewer.render.offscreen import GraphicsError, create_context  # noqa: PLC0415

    try:
        context = create_context()
    except GraphicsError as error:
        return program_info.collect(None, str(error.message)).text
    try:
        return program_info.collect(context).text
    finally:
        context.release()


def _contents(report: BugReport) -> Iterator[str]:
    """Say what is in a report."""
    yield _("The report holds these files and nothing else:")
    for name, size, what in report.contents:
        yield f"  {name:13}{count_text(size):>9}  {what}"
