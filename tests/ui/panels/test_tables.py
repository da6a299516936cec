"""Which tables are shown, and what their cells say."""

from __future__ import annotations

from tests.ui.scenes import SOCKET, tank_document
from viewer.ui.panels.tables import columns


def test_each_field_is_a_column_with_its_explanation() -> None:
    made = columns(tank_document().model.tables["nodes"])
    assert [column.title for column in made] == ["flags", "parent", "map_start", "fallback_key", "slots"]
    assert made[1].cell(0) == "none"
    assert made[1].cell(SOCKET) == "1"
    assert any("0x02" in line for line in made[1].hint)


def test_texts_are_one_column() -> None:
    (made,) = columns(tank_document().model.tables["strings"])
    assert made.cell(SOCKET) == "Base_gun"
