"""Filter fields: the x, Esc, and what happens to a filter when another file is opened.

The filter and the order of the browser, which looks into folded archives in worker threads.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import imgui

from tests.builders import ModelBuilder, Node, archive_of
from tests.gui.conftest import rock
from tests.gui.hand import click
from tests.gui.harness import Context, GuiTester, bring_to_front, exists, write_model
from viewer.control.settings import settings_file
from viewer.formats.archive import nres
from viewer.model.material.materials import MATERIALS
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.session.opened.entry_list import ArchiveEntries, BrowserEntry, EntryOrder
from viewer.session.selection import Selection
from viewer.ui.panels.browser import BrowserPanel, hits_text, no_hits_text

pytestmark = pytest.mark.closed("inspector")

FILTERS = {
    "//browser/##browser_filter": "//browser/**/###entry3",
    "//outline/##outline_filter": "//outline/**/###node3",
    "//materials/##material_filter": "//materials/**/###texture",
    "//problems/##problem_filter": "//problems/**/###problem0",
    "//settings/##settings_filter": "//settings/**/###choose_game",
}
"""Filters of panels, and a row that none of them shows if nothing matches."""


@pytest.fixture
def crane(crane: GuiTester) -> GuiTester:
    """The crane, paused at time 0, with its arm selected, and every panel with a filter in front."""
    crane.select(2)
    crane.commands.panels.show_settings()
    for panel in ("materials", "problems", "settings"):
        bring_to_front(crane, panel)
    return crane


def clear_button(field: str) -> str:
    panel, _, name = field.rpartition("##")
    return f"{panel}###clear_{name}"


def type_into(context: Context, field: str, words: str = "nothing is called so") -> None:
    """Type into a filter and leave the cursor in it; the end of a script takes the focus away."""
    context.item_click(field)
    context.key_chars(words)
    context.yield_(2)


def tap(context: Context, key: imgui.Key) -> None:
    context.key_press(key)
    context.yield_(2)


def test_the_x_clears_a_filter_and_is_there_only_then(crane: GuiTester) -> None:
    for field, row in FILTERS.items():
        assert not exists(crane, clear_button(field)), field
        crane.run(partial(type_into, field=field))
        crane.settle()
        assert not exists(crane, row), field
        click(crane, clear_button(field))
        crane.settle()
        assert exists(crane, row), field
        assert not exists(crane, clear_button(field)), field


def test_escape_clears_a_filter_and_nothing_else(crane: GuiTester) -> None:
    def script(context: Context) -> None:
        for field in FILTERS:
            type_into(context, field)
            tap(context, imgui.Key.escape)

    crane.run(script)
    for row in FILTERS.values():
        crane.until(lambda row=row: exists(crane, row))  # type: ignore[misc]
    assert crane.state.view.selection == Selection((2,))


def test_escape_clears_the_filter_of_the_panel_with_the_focus(crane: GuiTester) -> None:
    seen = []

    def script(context: Context) -> None:
        type_into(context, "//outline/##outline_filter", "mast")
        context.item_click("//outline/**/###node1")
        for _ in range(3):
            seen.append((context.item_exists("//outline/**/###node3"), crane.state.view.selection.nodes))
            tap(context, imgui.Key.escape)

    crane.run(script)
    assert seen == [(False, (1,)), (True, (1,)), (True, ())]


def test_escape_clears_the_filter_of_a_window_before_it_closes_the_window(crane: GuiTester) -> None:
    seen = []

    def script(context: Context) -> None:
        tap(context, imgui.Key.f1)
        context.key_chars("grid")
        context.yield_(2)
        for _ in range(3):
            items = "//keys/##key_filter", "//keys/**/###file.open"
            seen.append(tuple(map(context.item_exists, items)))
            tap(context, imgui.Key.escape)

    crane.run(script)
    assert seen == [(True, False), (True, True), (False, False)]


def test_the_filter_of_the_outline_ends_with_a_model_in_which_it_hides_everything(
    crane: GuiTester, tmp_path: Path
) -> None:
    crane.run(lambda context: type_into(context, "//outline/##outline_filter", "mast"))
    crane.open(write_model(tmp_path / "stone.msh", rock()))
    assert exists(crane, "//outline/**/###node0")
    assert not exists(crane, "//outline/###clear_outline_filter")


def test_an_outline_without_rows_says_why(
    crane: GuiTester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr("viewer.ui.panels.outline.empty", said.append)
    crane.settle()
    assert not said
    crane.run(partial(type_into, field="//outline/##outline_filter"))
    assert said[-1] == "No node matches the filter."
    crane.open(write_model(tmp_path / "bare.msh", ModelBuilder.of([])))
    crane.settle()
    assert said[-1] == "This model has no nodes."


def test_the_filter_of_the_outline_stays_with_a_model_that_has_such_a_part(
    crane: GuiTester, archive: Path
) -> None:
    crane.run(lambda context: type_into(context, "//outline/##outline_filter", "r*"))
    crane.open(f"{archive}::rock.msh")
    assert exists(crane, "//outline/**/###node0")
    assert exists(crane, "//outline/###clear_outline_filter")


@pytest.mark.parametrize(("panel", "field"), [("browser", "browser_filter"), ("outline", "outline_filter")])
def test_another_filter_shows_the_first_rows(gui: GuiTester, tmp_path: Path, panel: str, field: str) -> None:
    nodes = [Node("root"), *(Node(f"wheel_{at}", 0) for at in range(200))]
    path = tmp_path / "many.rlb"
    path.write_bytes(archive_of({f"wheel_{at}.wea": b"1\r\n0 A\r\n" for at in range(200)}))
    gui.open(write_model(tmp_path / "many.msh", ModelBuilder.of(nodes)))
    gui.open(path, is_paused=True) if panel == "browser" else None
    tables = {"browser": "/##entries", "outline": "/##nodes"}

    def table() -> imgui.internal.Window:
        return next(
            it for it in imgui.get_current_context().windows if it.was_active and tables[panel] in it.name
        )

    imgui.internal.set_scroll_y(table(), 1500)
    gui.settle()
    assert table().scroll.y > 1000
    gui.run(lambda context: type_into(context, f"//{panel}/##{field}", "wheel"))
    gui.settle()
    assert table().scroll.y == 0
    imgui.internal.set_scroll_y(table(), 500)
    gui.settle()
    assert table().scroll.y == 500, "it is only scrolled when the filter changes"


def test_the_list_of_keys_opens_with_an_empty_filter(crane: GuiTester) -> None:
    def script(context: Context) -> None:
        tap(context, imgui.Key.f1)
        context.key_chars("grid")
        context.yield_(2)
        context.item_click("//keys/#CLOSE")
        tap(context, imgui.Key.f1)

    crane.run(script)
    assert exists(crane, "//keys/**/###file.open")


def test_a_material_that_a_place_names_is_shown_whatever_the_filter(crane: GuiTester) -> None:
    crane.run(lambda context: type_into(context, "//materials/##material_filter", "steel"))
    crane.commands.opening.go_to(Place(crane.document.address, MATERIALS, 0))
    assert not exists(crane, clear_button("//materials/##material_filter"))


def test_the_filter_of_the_settings_keeps_the_rows_that_match(crane: GuiTester) -> None:
    crane.run(lambda context: type_into(context, "//settings/##settings_filter", "alias"))
    assert exists(crane, "//settings/**/###samples1")
    assert not exists(crane, "//settings/**/###texture_memory")
    assert not exists(crane, "//settings/**/###reset")


FIELD = "//browser/##browser_filter"


@pytest.fixture
def game(gui: GuiTester, tmp_path: Path) -> Path:
    """A folder with an open model and a folded archive, which has an archive in it."""
    inner = archive_of({"deep.msh": rock().build()})
    folder = tmp_path / "game"
    folder.mkdir()
    (folder / "a.rlb").write_bytes(archive_of({"rock.msh": rock().build()}))
    (folder / "b.rlb").write_bytes(archive_of({"inner.rlb": inner, "z.wea": b"0\r\n", "other": bytes(99)}))
    (folder / "broken.rlb").write_bytes(b"NResX")
    gui.open(folder)
    gui.open(folder / "a.rlb")
    return folder


def browser(gui: GuiTester) -> BrowserPanel:
    return next(panel for panel in gui.app.shell._panels if isinstance(panel, BrowserPanel))


def names(gui: GuiTester) -> list[str]:
    """The names of the rows of the browser."""
    return [row.entry.name for row in browser(gui)._rows]


def set_filter(gui: GuiTester, words: str) -> None:
    """Type a filter and wait until everything has been read for it."""
    gui.run(lambda context: context.item_input_value(FIELD, words))
    gui.until(lambda: gui.state.arrangement.requested.text == words and not gui.state.arrangement.unread)
    gui.settle()


def test_entries_of_folded_archives_are_found_and_shown_under_their_archives(
    gui: GuiTester, game: Path
) -> None:
    assert "b.rlb" in names(gui)
    assert "deep.msh" not in names(gui)
    set_filter(gui, "deep")
    assert names(gui) == ["game", "b.rlb", "inner.rlb", "deep.msh"]
    assert hits_text(gui.state.arrangement, browser(gui)._filter.names) == "1 hit"
    gui.run(lambda context: context.item_input_value(FIELD, ""))
    gui.until(lambda: "broken.rlb" in names(gui))
    assert "inner.rlb" not in names(gui)


def test_nothing_is_said_to_be_missing_while_something_is_unread(gui: GuiTester, game: Path) -> None:
    seen = []

    def note() -> bool:
        found = gui.state.arrangement
        seen.append((bool(found.unread), no_hits_text(found), hits_text(found, browser(gui)._filter.names)))
        return found.requested.text == "no such name" and not found.unread

    gui.run(lambda context: context.item_input_value(FIELD, "no such name"))
    gui.until(note)
    assert seen[-1] == (False, "No entry has such a name.", "0 hits")
    assert all(words == "Nothing found yet." for is_unread, words, _ in seen if is_unread)


def test_a_damaged_archive_does_not_interrupt_the_filter(gui: GuiTester, game: Path) -> None:
    set_filter(gui, "deep")
    assert gui.state.message == ""
    assert gui.state.browser.unreadable == {Address(game / "broken.rlb")}
    assert any("broken.rlb cannot be searched" in line for line in gui.state.log)


def test_a_click_on_a_hit_opens_it(gui: GuiTester, game: Path) -> None:
    set_filter(gui, "d*.msh")
    click(gui, "//browser/**/###entry3")
    gui.until(lambda: str(gui.document.address) == f"{game / 'b.rlb'}::inner.rlb::deep.msh")


def test_hits_can_be_folded(gui: GuiTester, game: Path) -> None:
    set_filter(gui, "deep")
    click(gui, "//browser/**/###fold2")
    assert names(gui) == ["game", "b.rlb", "inner.rlb"]


def test_a_filter_ends_with_a_file_in_which_it_hides_everything(
    gui: GuiTester, game: Path, archive: Path
) -> None:
    set_filter(gui, "deep")
    gui.open(archive)
    gui.until(lambda: browser(gui)._filter.is_empty)
    gui.until(lambda: "crane.msh" in names(gui))
    assert "b.rlb" in names(gui)


def test_a_filter_stays_with_a_file_in_which_it_has_hits(gui: GuiTester, game: Path, archive: Path) -> None:
    set_filter(gui, "rock")
    gui.open(archive)
    gui.until(lambda: gui.state.arrangement.tree is gui.state.browser)
    gui.settle()
    assert names(gui) == ["game", "a.rlb", "rock.msh", "models.rlb", "rock.msh"]
    assert browser(gui)._filter.text == "rock"


def test_the_order_is_chosen_and_remembered(gui: GuiTester, archive: Path, tmp_path: Path) -> None:
    gui.open(archive)
    assert names(gui) == ["models.rlb", "crane.msh", "crane.wea", "rock.msh", "broken.msh"]
    for order, expected in (
        ("name", ["broken.msh", "crane.msh", "crane.wea", "rock.msh"]),
        ("size", ["crane.msh", "rock.msh", "broken.msh", "crane.wea"]),
        ("file", ["crane.msh", "crane.wea", "rock.msh", "broken.msh"]),
        ("kind", ["broken.msh", "crane.msh", "rock.msh", "crane.wea"]),
    ):
        click(gui, "//browser/###entry_order", f"//$FOCUSED/order_{order}")
        gui.until(lambda expected=expected: names(gui)[1:] == expected)  # type: ignore[misc]
    gui.app.save_settings()
    assert settings_file.load(tmp_path / "settings.json").entry_order == EntryOrder.KIND.value


def test_down_goes_to_the_next_entry_as_sorted(gui: GuiTester, archive: Path) -> None:
    gui.open(f"{archive}::rock.msh")
    click(gui, "//browser/###entry_order", "//$FOCUSED/order_size")
    gui.until(lambda: gui.state.arrangement.order is EntryOrder.SIZE)

    def script(context: Context) -> None:
        context.item_click("//browser/**/###entry2")
        context.key_press(imgui.Key.up_arrow)

    gui.run(script)
    gui.until(lambda: str(gui.document.address) == f"{archive}::crane.msh")


def test_a_cleared_filter_reads_no_more(gui: GuiTester, game: Path) -> None:
    gui.run(lambda context: context.item_input_value(FIELD, "deep"))
    gui.run(lambda context: context.item_input_value(FIELD, ""))
    gui.settle()
    assert gui.state.arrangement.is_plain
    assert exists(gui, "//browser/**/###entry0")


def test_a_large_directory_makes_no_more_rows_than_are_drawn(
    gui: GuiTester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count, made = 200_000, []
    rows = nres.ENTRY.new(count)
    rows["data_offset"] = 16
    rows["name"] = np.char.mod("n%06d.x", np.arange(count)).astype("S36").view("V36").reshape(-1)
    (tmp_path / "large.rlb").write_bytes(nres.close(bytearray(16), rows))
    make = ArchiveEntries.entry

    def counted(entries: ArchiveEntries, index: int) -> BrowserEntry:
        made.append(index)
        return make(entries, index)

    monkeypatch.setattr(ArchiveEntries, "entry", counted)
    gui.open(tmp_path / "large.rlb")
    assert len(browser(gui)._rows) == count + 1
    gui.commands.browser.sort(EntryOrder.SIZE)
    set_filter(gui, "99999")
    assert names(gui) == ["large.rlb", "n099999.x", "n199999.x"]
    set_filter(gui, "")
    gui.settle()
    assert len(made) < 5000


def test_the_tooltip_of_an_entry_covers_no_row_and_not_the_viewport(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    found: list[tuple[imgui.ImVec2, imgui.ImVec2]] = []

    def script(context: Context) -> None:
        context.mouse_move("//browser/**/###entry0")
        gui.rest(context, 2)
        windows = imgui.get_current_context().windows
        found.extend((it.pos, it.size) for it in windows if it.active and "##Tooltip" in it.name)

    gui.run(script)
    ((pos, size),) = found
    browser, stage = (imgui.internal.find_window_by_name(it) for it in ("browser", "viewport"))
    assert browser is not None
    assert stage is not None
    assert size.x > 20
    assert pos.x + size.x <= stage.pos.x
    assert pos.y >= browser.pos.y + browser.size.y
