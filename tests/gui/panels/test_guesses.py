"""Tables of unknown meaning in the window: a guess is a way to look at them, and changes no byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.formats.msh.test_guesses import model
from tests.gui.harness import GuiTester, bring_to_front, click, exists
from viewer.session.selection import Selection
from viewer.ui.panels.tables import TablesPanel

pytestmark = pytest.mark.closed("browser", "outline", "timeline")


def test_a_guess_is_chosen_in_the_table_and_in_the_inspector(gui: GuiTester, tmp_path: Path) -> None:
    path = tmp_path / "a.msh"
    path.write_bytes(model())
    gui.open(path)
    document = gui.document
    bring_to_front(gui, TablesPanel.id)
    click(gui, "//tables/##table", "//$FOCUSED/###stream18")
    gui.settle()
    click(gui, "//tables/##guess_stream18", "//$FOCUSED/###color")
    assert gui.state.view.guesses == {"stream18": "color"}
    gui.change(selection=Selection(vertex=1))
    gui.settle()
    click(gui, "//inspector/vertex/##guess_stream16", "//$FOCUSED/###vectors")
    assert gui.state.view.guesses == {"stream18": "color", "stream16": "vectors"}
    assert exists(gui, "//tables/**/###row1")
    click(gui, "//tables/##guess_stream18", "//$FOCUSED/###declared")
    assert gui.state.view.guesses == {"stream16": "vectors"}
    assert gui.document is document
    assert path.read_bytes() == model()
