"""Opening the model of a verb as a document, of which verbs show what the window does."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import Any

from viewer.cli import models
from viewer.cli.models import source_of, without_model, write_findings
from viewer.errors import FormatError
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.opened.document import Document


def open_document(options: Namespace, address: Address, store: FileStore) -> Document:
    """Open the model at an address, in the requested reading; raises `MshviewError`."""
    source = source_of(options, address)
    try:
        document = Document.open(store, source)
    except FormatError as error:
        raise without_model(store, source.address, error) from error
    write_findings(options, document.opened, document.controller.problem)
    return document


def write_answers(
    verb: str,
    options: Namespace,
    document: Callable[[Document], Any],
    lines: Callable[[Document], Any],
    table: str = "",
) -> int:
    """Print the answer about the document at each of the options' addresses and return the exit status."""
    return models.write_answers(verb, options, open_document, document, lines, table)
