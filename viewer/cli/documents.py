"""Opening the model of a verb with its materials, in the same way as the window."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import Any, Final

from viewer.cli import answers, found_games, inputs, output
from viewer.cli.answers import Answer
from viewer.errors import Diagnostic, FormatError, Severity
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.opened.document import Document
from viewer.session.opened.source import Source

NO_WEAR: Final = Diagnostic("", Severity.WARNING, "is not a wear table; materials will be missing")


def open_document(options: Namespace, address: str, store: FileStore) -> Document:
    """Open the model at an address, in the requested reading; raises `MshviewError`."""
    source = _source(options, address)
    try:
        document = Document.open(store, source)
    except FormatError as error:
        raise _without_model(store, source.address, error) from error
    if options.wear is not None and document.materials.wear_source is None:
        output.write_warnings(options.wear, [NO_WEAR])
    output.write_warnings(document.address, document.diagnostics)
    if document.controller.problem is not None:
        output.write_warnings(document.address, [document.controller.problem])
    if document.materials.packed is not None:
        output.write_warnings(document.address, [document.materials.packed.finding])
    found_games.write_hint(document)
    return document


def _source(options: Namespace, address: str) -> Source:
    control = _control(options)
    return Source(
        Address.parse(address),
        ReadingChoice(options.reading),
        wear=None if options.wear is None else Address.parse(options.wear),
        control=None if control is None else Address.parse(control),
        game=inputs.game_option(options),
        is_strict=options.strict,
    )


def _without_model(store: FileStore, address: Address, error: FormatError) -> FormatError:
    """The error of an address without a model: its kind if it is of another one, else what is wrong."""
    from viewer.model.kinds.registry import ARCHIVE, KINDS, MODEL, promised_kind  # noqa: PLC0415 rarely needed

    kind = promised_kind(store.open(address))
    is_other = kind in KINDS and kind not in (ARCHIVE, MODEL)
    return FormatError(f"not a model: {kind.title}", source=str(address)) if is_other else error


def store_for(options: Namespace, *addresses: str) -> FileStore:
    """The file store for some models and what the options use with them."""
    return inputs.file_store(*addresses, options.wear, _control(options))


def _control(options: Namespace) -> str | None:
    """The controller that the options name, for verbs that have such an option."""
    named: str | None = getattr(options, "control", None)
    return named


def write_answers(
    verb: str, options: Namespace, document: Callable[[Document], Any], lines: Callable[[Document], Any]
) -> int:
    """Print the answer about the model at each of the options' addresses and return the exit status."""
    store = store_for(options, *options.addresses)

    def answer(address: str) -> Answer:
        opened = open_document(options, address, store)
        return Answer(lambda: document(opened), lambda: lines(opened))

    return answers.write(verb, options, answer)
