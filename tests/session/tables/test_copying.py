"""Rows as tab-separated values and as JSON."""

from __future__ import annotations

import json

import numpy as np

from tests.ui.scenes import tank_document
from viewer.model.query.table import Column, Texts
from viewer.session.tables.copying import CopyFormat, copied
from viewer.session.tables.model_tables import table_view
from viewer.session.tables.table_view import TableColumn, TableView

NODES = np.array([2, 0])


def test_tsv_has_a_header_and_a_column_for_each_element() -> None:
    lines = copied(table_view(tank_document(), "nodes"), NODES, CopyFormat.TSV).splitlines()
    header, gun, body = (line.split("\t") for line in lines)
    assert header[:6] == ["row", "name", "flags", "parent", "parent_name", "map_start"]
    assert header[-1] == "slots[2][4]"
    assert header[6:8] == ["fallback_key", "fallback_key_name"]
    assert len(header) == len(gun) == len(body) == 8 + 15
    assert gun[:5] == ["2", "gun", "0", "1", "turret"]
    assert body[:5] == ["0", "body", "0", "", ""], "a missing parent is an empty cell"


def test_json_has_an_object_per_row_with_stored_values_and_names() -> None:
    gun, body = json.loads(copied(table_view(tank_document(), "nodes"), NODES, CopyFormat.JSON))
    assert (gun["row"], gun["name"], gun["parent"], gun["parent_name"]) == (2, "gun", 1, "turret")
    assert (body["parent"], body["parent_name"]) == (None, None)
    assert body["slots"][0] == [0, None, None, None, None]


def test_floats_are_copied_in_their_shortest_form_in_both() -> None:
    values = np.array([(0.1, np.nan), (1e-20, 3.0)], "<f4")
    view = TableView("t", 2, (TableColumn(Column("x", lambda: values)),))
    assert copied(view, np.arange(2), CopyFormat.TSV) == "row\tx[0]\tx[1]\n0\t0.1\tnan\n1\t1e-20\t3.0\n"
    assert json.loads(copied(view, np.arange(2), CopyFormat.JSON))[0]["x"] == [0.1, "nan"]


def test_a_text_with_tabs_and_lines_stays_in_its_cell() -> None:
    texts = Texts.of(["a\tb\r\nc", ""])
    view = TableView("t", 2, (TableColumn(Column("x", lambda: texts)),))
    assert copied(view, np.arange(2), CopyFormat.TSV) == "row\tx\n0\ta b  c\n1\t\n"
    assert json.loads(copied(view, np.arange(2), CopyFormat.JSON))[1]["x"] is None
