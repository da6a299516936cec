"""The user's own fields in the tables: a column of their own, as long as the overlay is in use."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.gui.harness import GuiTester, bring_to_front, enlarge
from tests.gui.panels.test_tables import choose_table, panel, shown, sort_by, type_filter
from viewer.model.kinds.explained import set_own
from viewer.model.kinds.own_fields import SCHEMA
from viewer.ui.table.cell_editing import can_edit

pytestmark = pytest.mark.closed("browser", "outline", "inspector")
OWN = {"format": "msh", "table": "slots", "field": "tri_count", "name": "faces", "values": {"12": "a box"}}


@pytest.fixture(autouse=True)
def no_overlay() -> Iterator[None]:
    """None is in use after a test."""
    yield
    set_own(())


def test_a_table_has_a_column_of_the_user(crane: GuiTester, archive: Path) -> None:
    """Sorted and filtered as any other, and not edited; it goes with the overlay."""
    bring_to_front(crane, "tables")
    enlarge(crane, "tables")
    choose_table(crane, "slots")
    crane.settle()
    view = panel(crane)._view
    assert view is not None
    before = [it.name for it in view.shown]
    path = archive.parent / "own.json"
    path.write_text(json.dumps({"schema": SCHEMA, "fields": [OWN]}), "utf-8")
    crane.commands.settings.use_overlay(path)
    crane.settle()
    place = before.index("tri_count") + 1
    assert [it.name for it in view.shown] == [*before[:place], "faces", *before[place:]]
    column, stored = view.column("faces"), view.column("tri_count")
    assert column is not None
    assert stored is not None
    assert np.array_equal(np.asarray(column.values), np.asarray(stored.values))
    assert column.texts([0]) == ["12 a box"]
    assert "Yours" in column.explanation
    assert not can_edit(view, column)
    sort_by(crane, "faces")
    assert np.all(np.diff(np.asarray(stored.values)[shown(crane)].astype(np.int64)) >= 0)
    type_filter(crane, "a box")
    assert shown(crane) == np.flatnonzero(np.asarray(stored.values) == 12).tolist()
    type_filter(crane, "")
    crane.commands.settings.use_overlay(None)
    crane.settle()
    assert [it.name for it in view.shown] == before
