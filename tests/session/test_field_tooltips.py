"""Every field of every table says where it is, of what type, what it means and how sure that is."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import pytest

import viewer.formats
from tests.builders import ModelBuilder, Node, box
from tests.terrains import terrain
from viewer.formats.part import table
from viewer.formats.record import Field, Record
from viewer.model.mesh.model import Model
from viewer.model.store.address import Address
from viewer.model.tables.model_tables import table_names, table_of
from viewer.session.field_text import tooltip_lines
from viewer.session.opened.document import Document
from viewer.ui.fields.field_view import certainty
from viewer.ui.fields.part_rows import PartRow, children_of
from viewer.ui.fields.part_tree import explanation
from viewer.ui.table.grid import _explanation


def records() -> Iterator[Record]:
    """Every record that a module of the formats declares, each once."""
    found: dict[int, Record] = {}
    for module in pkgutil.walk_packages(viewer.formats.__path__, "viewer.formats."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, Record):
                found[id(value)] = value
    yield from found.values()


FIELDS = [
    pytest.param(record, field, id=f"{record.name}.{field.name}")
    for record in records()
    for field in record.fields
]


def test_the_records_are_found() -> None:
    names = {record.name for record in records()}
    assert {"nodes", "batches", "tri_descriptors", "keys", "phases", "faces", "header"} <= names
    assert len(FIELDS) > 200


@pytest.mark.parametrize(("record", "field"), FIELDS)
def test_a_field_of_a_record_is_explained(record: Record, field: Field) -> None:
    name, where, *rest = tooltip_lines(field)
    assert name == field.name
    assert f"0x{field.offset:02X}" in where
    assert field.type_name in where
    assert len(rest[-1]) > 2
    assert len(certainty(field.status)) > 3
    row = PartRow("", record.name, table(record, record.new(1)), 0)
    (line,) = [it for it in children_of(row) if it.field is field]
    words = explanation(line)
    assert f"0x{field.offset:X}, {field.type_name}" in words[1]
    assert {field.doc, certainty(field.status)} <= set(words)


def documents() -> Iterator[Document]:
    builder = ModelBuilder.of([Node("box", shapes={(0, 0): [box()]})])
    yield Document.of(Address.parse("model.msh"), builder.model())
    yield Document.of(Address.parse("Land.msh"), Model.read(terrain()))


@pytest.mark.parametrize("document", [*documents()], ids=["model", "terrain"])
def test_every_column_of_every_table_is_explained(document: Document) -> None:
    for name in table_names(document.tables):
        view = table_of(document.tables, name)
        assert view.columns, name
        for column in view.columns:
            lines = _explanation(column)
            assert len(lines) >= (4 if column.field is not None else 2), (name, column.name)
            assert all(len(line) > 1 for line in lines), (name, column.name)
