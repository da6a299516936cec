"""Where nobody points, rows and values are painted: they look as the items that can be touched."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest
from imgui_bundle import imgui

from tests.gui.harness import GuiTester, click
from viewer.session.selection import Selection
from viewer.ui.fields.field_view import RecordEditing
from viewer.ui.panels import browser, outline
from viewer.ui.widgets.widgets import STAGE

Pixels = npt.NDArray[np.uint8]


def tables_of(*panels: str) -> list[imgui.internal.Window]:
    """The scrolling parts of the trees of some panels."""
    return [
        window
        for window in imgui.get_current_context().windows
        if window.was_active and window.name.partition("/")[0].endswith(panels) and "/##" in window.name
    ]


def part(gui: GuiTester, window: imgui.internal.Window) -> Pixels:
    """What a window of ImGui shows."""
    x, y, width, height = (int(it) for it in (*window.pos, *window.size))
    return gui.shown()[y : y + height, x : x + width]


@pytest.mark.parametrize("has_thumbnails", [False, True])
@pytest.mark.parametrize("scale", [0.75, 1.0, 1.3])
def test_rows_of_trees(
    walker: GuiTester, scale: float, has_thumbnails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    walker.commands.window.scale(scale)
    walker.commands.window.show_thumbnails(is_on=has_thumbnails)
    walker.change(hidden=frozenset({2, 3}), isolated=frozenset({0, 7, 8}), selection=Selection((4, 6)))
    click(walker, "//outline/**/###fold5")
    for offset in (0.0, 7.0, 55.5):
        for table in tables_of("###outline", "###browser"):
            imgui.internal.set_scroll_y(table, offset)
        imgui.get_io().add_mouse_pos_event(-1, -1)
        imgui.set_window_focus(STAGE)
        walker.settle()
        walker.until(lambda: not (walker.app.thumbnails.running or walker.app.thumbnails.has_work))
        shown = []
        for is_near in (False, True):
            for module in (browser, outline):
                monkeypatch.setattr(module, "is_pointed_at", lambda answer=is_near: answer)
            walker.frames(2, 0.0)
            shown.append([part(walker, table) for table in tables_of("###outline", "###browser")])
        assert len(shown[0]) == 2
        for painted, drawn in zip(*shown, strict=True):
            assert (painted == drawn).all(), offset
            assert len(np.unique(painted.reshape(-1, 4), axis=0)) > 20  # there are rows


SELECTIONS = (
    Selection(),
    Selection((4,)),
    Selection((4,), slot=9, batch=3, triangle=5, descriptor=2),
    Selection((5,), vertex=7),
    Selection((6,), key=140),
)


@pytest.mark.parametrize("selection", SELECTIONS)
def test_fields_of_records(walker: GuiTester, selection: Selection, monkeypatch: pytest.MonkeyPatch) -> None:
    painted: list[bool] = []
    paints = RecordEditing.may_paint
    walker.change(selection=selection)
    walker.settle()

    def shown() -> Iterator[Pixels]:
        walker.frames(2, 0.0)
        window = next(it for it in imgui.get_current_context().windows if it.name.endswith("###inspector"))
        for offset in (0.0, 400.0, 2000.0):
            imgui.internal.set_scroll_y(window, offset)
            walker.frames(2, 0.0)
            yield part(walker, window)

    def noted(editing: RecordEditing) -> bool:
        painted.append(paints(editing))
        return painted[-1]

    monkeypatch.setattr(RecordEditing, "may_paint", noted)
    before = [*shown()]
    assert all(painted)
    monkeypatch.setattr(RecordEditing, "may_paint", lambda _ignored: False)
    for with_paint, without in zip(before, shown(), strict=True):
        assert (with_paint == without).all()
