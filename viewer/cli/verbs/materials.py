"""``materials``: the material of every batch of a model, and how it was found."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from viewer.cli import material_tables
from viewer.cli.arguments import add_addresses, add_json, add_reading
from viewer.cli.documents import write_answers
from viewer.model.mesh.reading import why_material_field
from viewer.session.opened.document import Document


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_addresses(parser)
    add_json(parser)
    add_reading(parser)


def run(options: Namespace) -> int:
    """Print the material of each batch of each model."""
    return write_answers("materials", options, _document, _lines)


def _document(document: Document) -> dict[str, Any]:
    return {
        "source": document.address,
        "reading": _reading(document),
        "wear": document.materials.wear_source,
        "batches": material_tables.batch_rows(document),
    }


def _lines(document: Document) -> Iterator[str]:
    reading = _reading(document)
    yield f"reading     {reading['material_field']}: {reading['why']}"
    yield from material_tables.lines(document)


def _reading(document: Document) -> dict[str, str]:
    choice = document.choice
    why = why_material_field(document.model.batches, choice)
    return {"material_field": str(choice.reading.material_field), "why": why}
