"""Every panel draws every damaged file, with the first of everything selected."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests import damaged_files
from tests.gui.harness import GuiTester
from viewer.model.effects import blocks
from viewer.session.selection import Selection
from viewer.session.view.kept_view import existing
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading
from viewer.session.view.options.triangle_lab import TriangleLab
from viewer.ui.context import Panel, UiContext
from viewer.ui.frame.panel_roles import panels_about

Draw = Callable[[UiContext], None]
LAB = TriangleLab(is_marked=True, has_numbers=True, has_edges=True, has_links=True)


def draw_all(gui: GuiTester) -> None:
    """Bring each panel to the front in turn, one on each side at a time."""
    shell = gui.app.shell
    for panels in zip_longest(*shell._sides.values()):
        for panel in panels:
            if panel is not None:
                shell.bring(panel.id)
        gui.draw_panels()
    gui.frames()


@pytest.fixture
def drawn(gui: GuiTester, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The ids of the panels that were drawn."""
    found: set[str] = set()
    for panel in gui.app.shell._panels:

        def draw(frame: UiContext, panel: Panel = panel, draw: Draw = panel.draw) -> None:
            found.add(panel.id)
            draw(frame)

        monkeypatch.setattr(panel, "draw", draw)
    return found


def test_every_panel_draws_every_damaged_file(
    gui: GuiTester, drawn: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An effect of more particles than are shown is drawn with as few as that takes.
    monkeypatch.setattr(blocks, "MOST_PARTICLES", 100)
    damaged_files.write(tmp_path)
    files = sorted(it for it in tmp_path.glob("*/*") if it.is_file() and it.parent.name != "base")
    assert len(files) > 40
    for path in files:
        gui.state.message = ""
        gui.open(path)
        if gui.state.document is not None:
            gui.state.view = replace(
                gui.state.view,
                selection=existing(Selection((0,), 0, 0, 0, 0, 0, 0), gui.document),
                lab=LAB,
                shading=Shading.NORMAL_ERROR,
                overlays=frozenset({Overlay.SLOT_BOUNDS, Overlay.HEADER_BOUNDS, Overlay.NORMALS}),
            )
        drawn.clear()
        draw_all(gui)
        assert drawn == {it.id for it in panels_about(gui.app.shell._panels, gui.app.panel_context())}
        assert gui.state.failure is None, path
