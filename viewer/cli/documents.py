"""Opening the model of a verb with its materials, in the same way as the window."""

from __future__ import annotations

from argparse import Namespace
from typing import Final

from viewer.cli import inputs, output
from viewer.errors import Diagnostic, Severity
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.opened.document import Document
from viewer.session.opened.source import Source

NO_WEAR: Final = Diagnostic("", Severity.WARNING, "is not a wear table; materials will be missing")


def open_document(options: Namespace) -> Document:
    """Open the model that the options name, in the requested reading; raises `MshviewError`."""
    document = Document.open(
        FileStore(is_mapped=True),
        Source(
            Address.parse(options.address),
            ReadingChoice(options.reading),
            wear=None if options.wear is None else Address.parse(options.wear),
            game=inputs.game_option(options),
            is_strict=options.strict,
        ),
    )
    if options.wear is not None and document.materials.wear_source is None:
        output.write_warnings(options.wear, [NO_WEAR])
    output.write_warnings(document.address, document.diagnostics)
    return document
