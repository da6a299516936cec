"""Tables of unknown meaning in the window: a guess is a way to look at them, and changes no byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import legacy24, quad
from tests.formats.msh.test_guesses import model
from tests.gui.hand import click
from tests.gui.harness import GuiTester, bring_to_front, exists
from viewer.formats.msh.tables import NODES
from viewer.session.selection import Selection
from viewer.ui.panels.bytes import BytesPanel
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


def test_the_engine_s_memory_leads_to_bytes_and_nodes_of_24_bytes_are_shown(
    gui: GuiTester, tmp_path: Path
) -> None:
    path = tmp_path / "relic.msh"
    path.write_bytes(legacy24([quad()]))
    gui.open(path)
    assert exists(gui, "//inspector/###legacy_nodes")
    click(gui, "//inspector/###legacy_nodes", "//inspector/###resources", "//inspector/###header_bounds")
    click(gui, "//inspector/###engine")
    gui.settle()
    click(gui, "//inspector/**/###to_bytes")
    gui.settle()
    panel = next(it for it in gui.app.shell._panels if it.id == "bytes")
    assert isinstance(panel, BytesPanel)
    index = gui.document.model.archive.find_type(NODES)
    assert index is not None
    view = panel._views.of(gui.state.tabs)
    assert view._grids[False].cursor == gui.document.model.archive.entries[index].offset
