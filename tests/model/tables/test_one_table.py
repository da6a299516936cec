"""A table has the same columns wherever it is read: printed, copied, named in conditions, described."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from functools import cache
from io import StringIO

import numpy as np
import pytest

from tests.cli.console import MODELS, Capture, success
from tests.ui.scenes import tank_document
from viewer.cli.schemas import inspection
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.tables.column import NAME
from viewer.model.tables.model_tables import DECLARED, computed_texts, row_count, table_of
from viewer.model.tables.set_fields import RAW_NAMES
from viewer.operations.opening import Source
from viewer.session.opened.document import Document
from viewer.session.tables.table_view import CopyFormat, copied

MODEL = f"{MODELS}::b_tower.msh"


@cache
def document() -> Document:
    return Document.open(FileStore(), Source(Address.parse(MODEL)), has_effects=True)


def heads(cells: list[str]) -> list[str]:
    """The columns of a header, which has one cell for each element of an array."""
    return [*dict.fromkeys(cell.partition("[")[0] for cell in cells)]


@pytest.mark.parametrize("name", DECLARED)
def test_every_reader_of_a_table_has_its_columns(name: str, capsys: Capture) -> None:
    declared, table = DECLARED[name], table_of(document().tables, name)
    columns = [*table.words.columns]
    assert columns == [*inspection.table_columns(declared)], "the schema"
    rows = np.arange(min(table.count, 3))
    header = next(csv.reader(StringIO(copied(table, rows, CopyFormat.TSV)), delimiter="\t"))
    assert heads(header) == columns, "the grid's copy as TSV"
    for row in json.loads(copied(table, rows, CopyFormat.JSON)):
        assert [*row] == columns, "the grid's copy as JSON"
    printed = next(
        csv.reader(success(capsys, "inspect", MODEL, "--table", name, "--format", "csv")[0].splitlines())
    )
    assert heads(printed) == columns, "inspect as CSV"
    found = json.loads(success(capsys, "inspect", MODEL, "--table", name, "--json")[0])
    if declared.scalar:
        assert {*found.get("columns", ()), declared.scalar} == {*columns[1:]}, "inspect as JSON"
    for row in found["rows"] if not declared.scalar else ():
        assert [*row] == columns, "inspect as JSON"
    shown = [column.name for column in table.shown]
    assert shown == [it for it in columns[1:] if it in shown], "the grid, names beside numbers in one cell"
    assert {it.removesuffix(NAME) for it in columns[1:]} >= set(declared.column_names)


def test_a_column_is_declared_once() -> None:
    for table in DECLARED.values():
        assert len(table.column_names) == len(set(table.column_names)), table.name


def test_the_inspector_shows_what_is_computed_of_a_row() -> None:
    source = tank_document().tables
    assert computed_texts(source, "slots", 0) == {"node": "0 body", "lod": "0 intact", "group": "0 near"}
    assert computed_texts(source, "slots", row_count(source, "slots")) == {}
    assert computed_texts(source, "nodes", 0) == {}, "a name is set, not computed"


def test_stored_columns_behind_decoded_ones_are_named_for_scripts_too() -> None:
    """The short list that setting a field loads is what the declarations say."""
    expected = {
        (table.name, table.stored_name(field)): field.name
        for table in DECLARED.values()
        if table.record is not None
        for field in table.record.fields
        if table.stored_name(field) != field.name
    }
    assert expected == RAW_NAMES
    assert RAW_NAMES["keys", "quaternion_raw"] == "quaternion"


def test_setting_a_field_loads_no_table() -> None:
    code = (
        "import sys, viewer.model.edit.set_field; print(*(it for it in sys.modules if 'model.tables.' in it))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert {*loaded.split()} == {"viewer.model.tables.set_fields", "viewer.model.tables.table_names"}
