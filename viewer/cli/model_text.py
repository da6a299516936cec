"""A model as ``inspect`` prints it as text: a summary, then the start of its tables and its materials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from viewer.cli import material_tables, output, text_table
from viewer.cli.model_tables import model_document
from viewer.session.opened.document import Document

SHOWN_ROWS: Final = 40
"""Rows of each table that a terminal shows unless all are requested."""


def lines(document: Document) -> Iterator[str]:
    """The whole text, line by line."""
    yield from _model_lines(model_document(document))
    yield ""
    yield "materials"
    for line in material_tables.lines(document, output.most_shown(SHOWN_ROWS)):
        yield text_table.INDENT + line if line else ""


def _model_lines(model: Mapping[str, Any]) -> Iterator[str]:
    counts, reading = model["counts"], model["reading"]
    yield f"source    {model['source']}"
    yield f"variant   {model['variant']}"
    yield f"counts    {text_table.cell({name: count for name, count in counts.items() if count})}"
    yield f"reading   {_reading_line(reading)}"
    for index, cell in enumerate(model["cells"]):
        yield f"{'' if index else 'cells':8}  {cell['name']}: {cell['triangles']} triangles"
    for name, values in (model["header"] or {}).items():
        yield f"{name.ljust(8)}  {text_table.cell(values)}"
    for name in ("resources", "nodes", "slots", "batches"):
        yield ""
        yield name
        rows = text_table.lines(model[name], output.most_shown(SHOWN_ROWS))
        yield from (text_table.INDENT + line for line in rows)


def _reading_line(reading: Mapping[str, Any]) -> str:
    errors = reading["errors"]
    judged = "" if errors is None else "; box error " + text_table.cell(errors)
    decided = f"{reading['chosen']}, by {reading['decided_by']}{judged}"
    return (
        f"quaternions {reading['quaternion_order']} ({decided}), "
        f"material {reading['material_field']}, names from {reading['names_from']}"
    )
