"""What verbs read: a model or whatever else an address leads to, with its damage reported."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from viewer.app import output
from viewer.errors import UsageError
from viewer.model.library import Address, Library
from viewer.model.reading import Wanted
from viewer.session.document import Document


def open_library(options: Namespace) -> Library:
    """The library of a short-lived command; raises `UsageError` for a game folder that is none."""
    if options.game is not None and not Path(options.game).is_dir():
        raise UsageError("is no folder", source=options.game)
    return Library(is_mapped=True)


def open_document(options: Namespace) -> Document:
    """The model that the options name, in the reading that they ask for; raises `MshviewError`."""
    library = open_library(options)
    document = Document.open(library, Address.parse(options.address), Wanted(options.reading))
    output.report(document.address, document.diagnostics, is_strict=options.strict)
    return document
