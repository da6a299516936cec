"""Opening the model of a verb with its materials, in the same way as the window."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from viewer.cli import answers, inputs, output
from viewer.cli.answers import Answer
from viewer.cli.usage.help import found_games
from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, Severity
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.operations import opening
from viewer.operations.opening import ModelFiles, OpenedModel, Source
from viewer.operations.units.units import problems_of
from viewer.translation import _

if TYPE_CHECKING:
    from viewer.model.game.assembly import MountedPart
    from viewer.operations.export_sources import SourceReader

Opened = TypeVar("Opened")
NAMED: Final = 8
"""Models of an archive that an error names."""
NO_WEAR: Final = Diagnostic("", Severity.WARNING, "is not a wear table; materials will be missing")


def open_model(options: Namespace, address: Address, store: FileStore) -> OpenedModel:
    """Open the model at an address, in the requested reading; raises `MshviewError`."""
    source = source_of(options, address)
    try:
        files, opened = opening.open_model(store, source)
    except FormatError as error:
        raise without_model(store, source.address, error) from error
    write_findings(options, opened, files.found.problem)
    return opened


def source_reader(options: Namespace, store: FileStore) -> SourceReader:
    """A reader of what is exported, which warns of what is wrong with it."""
    from viewer.operations.export_sources import SourceReader  # noqa: PLC0415 only needed for conversions

    def found(files: ModelFiles, opened: OpenedModel) -> None:
        write_findings(options, opened, files.found.problem)

    def found_parts(unit: Item, parts: tuple[MountedPart, ...]) -> None:
        output.report(unit.address, [*problems_of(parts)], is_strict=False)

    return SourceReader(store, partial(source_of, options), found=found, found_parts=found_parts)


def write_findings(options: Namespace, opened: OpenedModel, controller: Diagnostic | None) -> None:
    """Warn of what is wrong with a model, and with its controller."""
    if options.wear is not None and opened.materials.wear_source is None:
        output.write_warnings(options.wear, [NO_WEAR])
    output.write_warnings(opened.address, opened.diagnostics)
    if controller is not None:
        output.write_warnings(opened.address, [controller])
    if opened.materials.packed is not None:
        output.write_warnings(opened.address, [opened.materials.packed.finding])
    if opened.game.folder is None and opened.materials.wear_source is not None:
        for line in found_games():
            output.write_hint(_("a game was found on this computer: {line}", line=line))


def source_of(options: Namespace, address: Address) -> Source:
    """The model at an address as the options request it."""
    return Source(address, inputs.reading_options(options))


def without_model(store: FileStore, address: Address, error: FormatError) -> FormatError:
    """The error of an address without a model: its kind if it is of another one, else what is wrong."""
    from viewer.model.kinds.entry_kinds import named_entries  # noqa: PLC0415 rarely needed
    from viewer.model.kinds.registry import ARCHIVE, KINDS, MODEL, promised_kind  # noqa: PLC0415

    item = store.open(address)
    kind = promised_kind(item)
    if kind in KINDS and kind not in (ARCHIVE, MODEL):
        return FormatError(_("not a model: {kind}", kind=kind.title), source=address)
    models = named_entries(item.container, MODEL.id)
    if not models:
        return error
    names = ", ".join(models[:NAMED]) + (
        _(", ... ({count} in all)", count=len(models)) if len(models) > NAMED else ""
    )
    message = _(
        "is an archive, not a model; name one as in {first}: {names}",
        first=address.child(models[0]),
        names=names,
    )
    return FormatError(message, source=address)


def store_for(options: Namespace, *addresses: str) -> FileStore:
    """The file store for some models and what the options use with them."""
    return inputs.file_store(*addresses, options.wear, _control(options))


def _control(options: Namespace) -> str | None:
    """The controller that the options name, for verbs that have such an option."""
    named: str | None = getattr(options, "control", None)
    return named


def write_answers(
    verb: str,
    options: Namespace,
    open_one: Callable[[Namespace, Address, FileStore], Opened],
    document: Callable[[Opened], Any],
    lines: Callable[[Opened], Any],
    table: str = "",
) -> int:
    """Print the answer about the model at each of the options' addresses and return the exit status.

    `table` is the member of the JSON document with the rows of a table.
    """
    store = store_for(options, *options.addresses)
    inputs.expand(options, store)

    def answer(text: str) -> Answer:
        opened = open_one(options, inputs.single(store, text), store)
        return Answer(
            lambda: document(opened),
            lambda: lines(opened),
            lambda: getattr(document(opened), table) if table else (),
        )

    return answers.write(verb, options, answer)
