"""Deep trees stay readable, and tooltips do not cover the rows of a tree.

What is done with an entry from its row in the browser: opened in a tab, extracted, copied.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from imgui_bundle import ImVec2, imgui
from msgspec.structs import replace

from tests.builders import ModelBuilder, Node, archive_of, box
from tests.gui.conftest import rock
from tests.gui.hand import choose, click
from tests.gui.harness import BOTTOM, Context, GuiTester, write_model
from tests.gui.tab_steps import CTRL, active, names
from viewer.app.dialogs import dialogs
from viewer.model.store.address import Address
from viewer.ui.panels.outline import OutlinePanel
from viewer.ui.widgets import theme
from viewer.ui.widgets.table_grid import DEEPEST_INDENT
from viewer.ui.widgets.widgets import STAGE

pytestmark = pytest.mark.closed(*BOTTOM)

DEPTH = 40


@pytest.fixture
def deep(gui: GuiTester, tmp_path: Path) -> GuiTester:
    """A chain of nodes, each with the one before as its parent."""
    shapes = {(0, 0): [box()]}
    nodes = [Node("root", shapes=shapes)]
    nodes += [Node(f"node_with_quite_a_long_name_{at}", at - 1, shapes=shapes) for at in range(1, DEPTH)]
    gui.open(write_model(tmp_path / "deep.msh", ModelBuilder.of(nodes)))
    return gui


def table_of(panel: str) -> imgui.internal.Window:
    """The scrolling part of a panel's tree."""
    found = [
        window
        for window in imgui.get_current_context().windows
        if window.was_active
        and window.name.partition("/")[0].endswith(f"###{panel}")
        and "/##" in window.name
    ]
    assert found
    return found[0]


def test_deep_rows_have_the_indent_of_the_last_level_that_has_one(deep: GuiTester) -> None:
    lefts: list[float] = []
    table, line = table_of("outline"), imgui.get_text_line_height_with_spacing()
    deepest = outline_of(deep)._table.deepest
    imgui.internal.set_scroll_y(table, (deepest - 4) * line)
    deep.settle()
    nodes = range(deepest - 2, deepest + 3)

    def look(context: Context) -> None:
        lefts.extend(context.item_info(f"//outline/**/###fold{node}").rect_full.min.x for node in nodes)

    deep.run(look)
    steps = [after - before for before, after in pairwise(lefts)]
    assert min(steps[:2]) > 0
    assert max(map(abs, steps[2:])) < 1


def outline_of(gui: GuiTester) -> OutlinePanel:
    return next(it for it in gui.app.shell._panels if isinstance(it, OutlinePanel))


def test_names_of_deep_nodes_keep_most_of_a_narrow_panel(deep: GuiTester) -> None:
    table = outline_of(deep)._table
    room = table_of("outline").size.x
    assert 2 <= table.deepest < DEEPEST_INDENT
    assert table.indent(DEPTH) == table.indent(table.deepest) < 0.4 * room
    assert table.level_mark(table.deepest) == ""
    assert table.level_mark(DEPTH - 1) == f"{DEPTH - 1}  "


def test_rows_wider_than_the_panel_scroll_sideways(deep: GuiTester) -> None:
    assert table_of("outline").scroll_max.x > 0


def test_the_eyes_stay_in_sight_when_the_tree_is_scrolled(deep: GuiTester) -> None:
    table = table_of("outline")
    imgui.internal.set_scroll_x(table, table.scroll_max.x)
    deep.settle()
    assert table_of("outline").scroll.x > 0
    seen: list[float] = []
    deep.run(lambda context: seen.append(context.item_info("//outline/**/###eye0").rect_clipped.min.x))
    assert seen[0] >= table.pos.x
    deep.run(lambda context: context.item_click("//outline/**/###eye3"))
    assert 3 in deep.state.view.hidden


def test_short_rows_do_not_scroll(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    assert table_of("outline").scroll_max.x == 0
    assert table_of("browser").scroll_max.x == 0


@pytest.mark.parametrize(
    ("panel", "item"),
    [
        ("outline", "//outline/**/###fold0"),
        ("outline", "//outline/**/###node1"),
        ("outline", "//outline/**/###eye1"),
        ("browser", "//browser/**/###fold0"),
        ("browser", "//browser/**/###entry0"),
    ],
)
def test_a_tooltip_covers_no_row_of_the_tree(deep: GuiTester, panel: str, item: str) -> None:
    seen: list[tuple[imgui.ImVec2, imgui.ImVec2]] = []

    def hover(context: Context) -> None:
        shown = context.item_info(item).rect_clipped
        context.mouse_move_to_pos((shown.min.x + 6, (shown.min.y + shown.max.y) / 2))
        deep.rest(context, 1)
        tips = [w for w in imgui.get_current_context().windows if w.name.startswith("##Tooltip") and w.active]
        seen.extend((tip.pos, tip.pos + tip.size) for tip in tips)

    deep.run(hover)
    window = imgui.internal.find_window_by_name(panel)
    assert window is not None
    assert seen, "there is a tooltip"
    end = window.pos + window.size
    stage = imgui.internal.find_window_by_name(STAGE)
    assert stage is not None
    for low, high in seen:
        is_beside = low.x >= end.x or high.x <= window.pos.x
        assert is_beside or low.y >= end.y or high.y <= window.pos.y
        assert high.x <= stage.pos.x or low.x >= stage.pos.x + stage.size.x, "nor the viewport"


@pytest.mark.parametrize("panel", ["browser", "outline", "inspector"])
def test_no_tooltip_of_a_panel_at_the_side_covers_the_viewport(deep: GuiTester, panel: str) -> None:
    """Wherever the mouse is in it: buttons, rows, fields."""
    deep.select(3)
    window, stage = imgui.internal.find_window_by_name(panel), imgui.internal.find_window_by_name(STAGE)
    assert window is not None
    assert stage is not None
    seen: list[tuple[float, float]] = []

    def hover(context: Context) -> None:
        for x in (0.1, 0.93):
            for y in (0.05, 0.1, 0.18, 0.3, 0.5, 0.8):
                context.mouse_move_to_pos(window.pos + ImVec2(x * window.size.x, y * window.size.y))
                deep.rest(context, 0.7)
                windows = imgui.get_current_context().windows
                tips = [it for it in windows if it.name.startswith("##Tooltip") and it.active]
                seen.extend((tip.pos.x, tip.pos.x + tip.size.x) for tip in tips)

    deep.run(hover)
    assert seen, "there are tooltips"
    for left, right in seen:
        assert right <= stage.pos.x + 1 or left >= stage.pos.x + stage.size.x - 1


def test_rows_with_thumbnails_end_at_the_edge_of_the_panel(gui: GuiTester, tmp_path: Path) -> None:
    """Names and facts wider than the panel do not reach into the viewport, and scroll sideways."""
    path = tmp_path / "models.rlb"
    path.write_bytes(archive_of({f"{letter * 26}.msh": rock().build() for letter in "WM"}))
    gui.state.settings = replace(gui.state.settings, has_thumbnails=True)
    gui.open(path)
    table = table_of("browser")
    assert table.scroll_max.x > 0
    shown = gui.shown()[..., :3]
    inside, right = table.inner_clip_rect, int(table.inner_clip_rect.max.x)
    rows = slice(int(inside.min.y), int(inside.max.y))
    is_text = (shown[rows] == [round(255 * part) for part in theme.TEXT[:3]]).all(axis=2)
    assert is_text[:, :right].any()
    assert not is_text[:, right + 1 : int(gui.app.viewport.area.left) + 10].any()


def row_of(gui: GuiTester, name: str) -> str:
    """Reference of the row of an entry in the browser, below the one root."""
    (rows,) = gui.state.browser.children.values()
    return f"//browser/**/###entry{[row.name for row in rows].index(name) + 1}"


def test_the_middle_button_and_ctrl_open_a_row_in_a_new_tab(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    gui.run(lambda context: context.item_click(row_of(gui, "rock.msh"), imgui.MouseButton_.middle))
    gui.until(lambda: active(gui) == "rock.msh")

    def with_ctrl(context: Context) -> None:
        context.key_down(CTRL)
        context.item_click(row_of(gui, "crane.wea"))
        context.key_up(CTRL)

    gui.run(with_ctrl)
    gui.until(lambda: active(gui) == "crane.wea")
    assert names(gui) == ["crane.msh", "rock.msh", "crane.wea"]


def test_the_menu_of_an_entry_opens_it_in_a_second_tab(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    choose(gui, row_of(gui, "crane.wea"), "open_in_tab")
    gui.until(lambda: active(gui) == "crane.wea")
    assert names(gui) == ["crane.msh", "crane.wea"]


def test_the_menu_of_an_entry_copies_its_address(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    copied = []

    def script(context: Context) -> None:
        context.item_click(row_of(gui, "crane.wea"), imgui.MouseButton_.right)
        context.item_click("//$FOCUSED/###copy_address")
        context.yield_(2)
        copied.append(imgui.get_clipboard_text())

    gui.run(script)
    assert copied == [f"{archive}::crane.wea"]


def test_the_menu_of_an_entry_extracts_it(
    gui: GuiTester, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialogs, "has_native_dialog", lambda: False)
    gui.open(archive)
    gui.state.settings = replace(gui.state.settings, save_folder=str(tmp_path))
    choose(gui, row_of(gui, "rock.msh"), "extract")
    click(gui, "//open/###confirm")
    gui.until(lambda: (tmp_path / "rock.msh").exists() and not gui.app.jobs.title)
    assert (tmp_path / "rock.msh").read_bytes() == rock().build()
    assert str(tmp_path / "rock.msh") in gui.state.notice


def test_what_cannot_be_read_is_not_extracted(gui: GuiTester, archive: Path, tmp_path: Path) -> None:
    gui.open(archive)
    gui.commands.files.extract(Address.parse(f"{archive}::missing.wea"), tmp_path / "a.wea")
    gui.until(lambda: not gui.app.jobs.title)
    assert "missing.wea" in gui.state.message
    assert not (tmp_path / "a.wea").exists()


def test_an_archive_itself_is_shown_in_a_tab(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    choose(gui, "//browser/**/###entry0", "open_in_tab")
    gui.until(lambda: gui.state.resource is not None)
    assert gui.state.resource is not None
    assert (gui.state.resource.kind, str(gui.state.resource.address)) == ("nres", str(archive))


@pytest.mark.parametrize(("keys", "expected"), [(0, ["rock.msh"]), (CTRL, ["crane.msh", "rock.msh"])])
def test_enter_in_the_filter_opens_the_first_hit(
    gui: GuiTester, archive: Path, keys: int, expected: list[str]
) -> None:
    gui.open(archive)

    def script(context: Context) -> None:
        context.item_click("//browser/##browser_filter")
        context.key_chars("ROCK")
        context.yield_(10)
        context.key_press(keys | int(imgui.Key.enter))

    gui.run(script)
    gui.until(lambda: active(gui) == "rock.msh")
    assert names(gui) == expected


def test_a_middle_click_on_a_folder_shows_all_in_it(gui: GuiTester, archive: Path) -> None:
    (archive.parent / "inner").mkdir()
    archive.rename(archive.parent / "inner" / archive.name)
    gui.open(archive.parent)
    gui.run(lambda context: context.item_click("//browser/**/###entry1", imgui.MouseButton_.middle))
    gui.until(lambda: gui.state.tabs.active.address == Address(archive.parent / "inner"))
    assert len(gui.state.tabs.opened) == 2
