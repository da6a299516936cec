"""Which tables are shown, and what their cells say."""

from __future__ import annotations

import pytest

from tests.ui.scenes import SOCKET, tank, tank_document
from viewer.formats.msh.tables import LIGHT_PROBES, NODES, NORMALS, TABLES
from viewer.session.document import Document
from viewer.ui.fields.field_view import Place
from viewer.ui.panels.tables import TablesPanel, columns, shown_tables


def test_tables_without_rows_are_not_offered() -> None:
    builder = tank()
    builder.missing.add(NORMALS)
    names = shown_tables(Document.of("tank.msh", builder.model()))
    assert "nodes" in names
    assert TABLES[NORMALS].name not in names
    assert TABLES[LIGHT_PROBES].name not in names


def test_each_field_is_a_column_with_its_explanation() -> None:
    document = tank_document()
    made = columns(TABLES[NODES], document.model.nodes)
    assert [column.title for column in made] == ["flags", "parent", "map_start", "fallback_key", "slots"]
    assert made[1].cell(0) == "none"
    assert made[1].cell(SOCKET) == "1"
    assert any("0x02" in line for line in made[1].hint)


@pytest.mark.parametrize(
    ("table", "row", "expected"), [("keys", 0, True), ("vertices", 0, True), ("wear", 0, False)]
)
def test_rows_that_can_be_revealed(table: str, row: int, *, expected: bool) -> None:
    assert TablesPanel().reaches(tank_document(), Place(table, row)) is expected


def test_a_row_behind_the_last_cannot_be_revealed() -> None:
    document = tank_document()
    assert not TablesPanel().reaches(document, Place("keys", len(document.model.keys)))
