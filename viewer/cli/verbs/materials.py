"""``materials``: the material of every batch of a model, and how it was found."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from viewer.cli import material_tables, output
from viewer.cli.arguments import add_address, add_json, add_reading
from viewer.cli.documents import open_document
from viewer.model.mesh.reading import why_material_field
from viewer.session.opened.document import Document


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_address(parser)
    add_json(parser)
    add_reading(parser)


def run(options: Namespace) -> int:
    """Print the material of each batch."""
    document = open_document(options)
    if options.json:
        output.write_json("materials", _document(document))
    else:
        reading = _reading(document)
        output.write_lines([f"reading     {reading['material_field']}: {reading['why']}"])
        output.write_lines(material_tables.lines(document))
    return 0


def _document(document: Document) -> dict[str, Any]:
    return {
        "source": document.address,
        "reading": _reading(document),
        "wear": document.materials.wear_source,
        "batches": material_tables.batch_rows(document),
    }


def _reading(document: Document) -> dict[str, str]:
    choice = document.choice
    why = why_material_field(document.model.batches, choice)
    return {"material_field": str(choice.reading.material_field), "why": why}
