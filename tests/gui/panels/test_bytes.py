"""The Bytes panel: one selection with the viewport, overwriting, bookmarks, the whole file."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.gui.hand import click
from tests.gui.harness import Context, GuiTester, bring_to_front, exists, in_child
from viewer.formats.archive import nres
from viewer.model.references.byte_fields import FieldMap
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.resources import bundled_path
from viewer.session.opened.payload_bytes import Bookmark
from viewer.session.places import corners_of
from viewer.session.selection import Selection
from viewer.session.view.state_link import StateLink
from viewer.ui.bytes.bytes_view import BytesView

pytestmark = pytest.mark.closed("browser", "outline")


@pytest.fixture(autouse=True)
def shown(crane: GuiTester) -> GuiTester:
    """The crane, with its bytes in front."""
    bring_to_front(crane, "bytes")
    crane.frames(3)
    return crane


def view_of(gui: GuiTester) -> BytesView:
    """The view of the active tab."""
    return gui.app.shell._bytes._views.of(gui.state.tabs)


def fields_of(gui: GuiTester) -> FieldMap:
    """The fields of the open model."""
    payload = gui.app.lookups.payload(gui.document.address)
    assert payload is not None
    return payload.fields


def data_of(gui: GuiTester) -> bytes:
    """The bytes of the open model as they are now."""
    return bytes(gui.document.model.archive.data)


def click_byte(gui: GuiTester, offset: int, *keys: imgui.Key, is_file: bool = False) -> None:
    """Click a byte, brought into view first, with the left button; then press keys."""
    grid = view_of(gui)._grids[is_file]
    grid.scroll_to(offset)
    gui.frames(3)

    def script(context: Context) -> None:
        assert grid._layout is not None
        corner = grid._layout.corner_of(offset)
        context.mouse_move_to_pos((corner.x + 4, corner.y + 5))
        context.mouse_click(0)
        for key in keys:
            context.key_press(key)
            context.yield_(3)

    gui.run(script)
    gui.frames(3)


def test_a_byte_selects_its_vertex_triangle_node_and_key(crane: GuiTester) -> None:
    fields = fields_of(crane)
    start, _size = fields.span("positions", 3, "position[1]") or (0, 0)
    click_byte(crane, start + 2)
    assert crane.state.view.selection.vertex == 3
    start, _size = fields.span("indices", 7) or (0, 0)
    click_byte(crane, start)
    selection = crane.state.view.selection
    assert selection.triangle == 2
    corners = corners_of(crane.document, selection)
    index = int(crane.document.model.indices[7])
    batch = crane.document.model.batches[selection.batch or 0]
    assert corners is not None
    assert corners[1] == index + int(batch["base_vertex"])
    start, _size = fields.span("nodes", 2, "parent") or (0, 0)
    click_byte(crane, start)
    assert crane.state.view.selection.nodes == (2,)
    start, _size = fields.span("keys", 1, "time") or (0, 0)
    click_byte(crane, start)
    assert crane.state.view.selection.key == 1


def test_what_is_selected_is_marked_and_brought_into_view(crane: GuiTester) -> None:
    fields, view = fields_of(crane), view_of(crane)
    crane.select(3)
    crane.frames(3)
    span = fields.span("nodes", 3)
    assert span is not None
    assert view._marks._value == [span]
    assert view._grids[False].cursor == span[0]
    low, high = view._grids[False].on_screen
    assert low <= span[0] < high
    crane.change(selection=Selection((1,), vertex=4))
    crane.frames(3)
    streams = [fields.span(table, 4) for table in ("positions", "normals", "uvs")]
    assert [it for it in view._marks._value if it in streams] == [it for it in streams if it]


def test_a_field_that_is_followed_is_brought_into_view(crane: GuiTester, archive: Path) -> None:
    model = crane.document.address
    crane.commands.opening.go_to(Place(model, "batches", 2, "flags"))
    crane.settle()
    span = fields_of(crane).span("batches", 2, "flags")
    assert span is not None
    assert view_of(crane)._marks._value == [span]
    assert view_of(crane)._grids[False].cursor == span[0]

    material = bundled_path("assets/game/Material.lib")
    crane.commands.opening.go_to(Place(Address(material, ("WALKER_METAL",)), "phases", 0, "texture"))
    crane.until(lambda: crane.state.resource is not None)
    bring_to_front(crane, "bytes")
    crane.settle()
    assert crane.state.resource is not None
    data, cursor = crane.state.resource.data, view_of(crane)._grids[False].cursor
    assert bytes(data[cursor : cursor + 5]) == b"METAL"


def test_overwritten_bytes_are_one_undo_step(crane: GuiTester) -> None:
    before = data_of(crane)
    start, _size = fields_of(crane).span("batches", 0, "flags") or (0, 0)
    click(crane, "//bytes/###overwrite")
    click_byte(crane, start, imgui.Key.a, imgui.Key._7, imgui.Key._0, imgui.Key.c)
    crane.settle()
    assert data_of(crane) == before[:start] + b"\xa7\x0c" + before[start + 2 :]
    crane.app.later(crane.app.control.edits.step, -1)
    crane.settle()
    assert data_of(crane) == before


def test_bytes_without_which_nothing_can_be_read_stay(crane: GuiTester) -> None:
    before = data_of(crane)
    click(crane, "//bytes/###overwrite")
    click_byte(crane, 0, imgui.Key._0, imgui.Key._1)
    crane.settle()
    assert data_of(crane) == before
    assert "read" in crane.state.message


def test_the_file_leads_down_to_the_field_of_an_entry(crane: GuiTester, archive: Path) -> None:
    entries = nres.Archive.read(archive.read_bytes()).entries
    base = next(it.offset for it in entries if str(crane.document.address).endswith(it.text))
    click(crane, "//bytes/###is_fileTrue")
    crane.frames(2)
    start, _size = fields_of(crane).span("positions", 5) or (0, 0)
    click_byte(crane, base + start, is_file=True)
    assert crane.state.view.selection.vertex == 5


def test_a_bookmark_is_kept_with_the_settings(crane: GuiTester) -> None:
    click_byte(crane, 16)
    click(crane, "//bytes/###bookmarks", "//$FOCUSED/###add")
    crane.frames(3)
    assert crane.state.settings.bookmarks == {str(crane.document.address): (Bookmark(16),)}


def test_the_menu_of_a_field_shows_and_copies_what_it_is(crane: GuiTester) -> None:
    crane.select(1)
    crane.frames(3)
    found: list[str] = []

    def script(context: Context) -> None:
        for name in ("copy_raw", "copy_decoded", "copy_address", "copy_link"):
            context.item_click("//inspector/**/map_start", imgui.MouseButton_.right)
            context.item_click(f"//$FOCUSED/###{name}")
            context.yield_(3)
            found.append(imgui.get_clipboard_text())
        context.item_click("//inspector/**/map_start", imgui.MouseButton_.right)
        context.item_click("//$FOCUSED/###show_bytes")

    crane.run(script)
    crane.frames(3)
    start, size = fields_of(crane).span("nodes", 1, "map_start") or (0, 0)
    raw, decoded, address, link = found
    assert raw == data_of(crane)[start : start + size].hex(" ")
    stored = int(crane.document.model.nodes["map_start"][1])
    assert decoded == ("none" if stored == 0xFFFF else str(stored))
    assert Place.parse(address) == Place(crane.document.address, "nodes", 1, "map_start")
    assert StateLink.parse(link).applied(crane.state.view).selection == Selection((1,))
    assert view_of(crane)._marks._value == [(start, size)]


def test_the_search_goes_to_what_it_finds(crane: GuiTester) -> None:
    def script(context: Context) -> None:
        context.item_click("//bytes/##bytes_search")
        context.key_chars("ff ff")

    crane.run(script)
    crane.settle()
    click(crane, "//bytes/###next_found")
    crane.frames(3)
    found, data = view_of(crane)._search.found, data_of(crane)
    assert found is not None
    assert len(found.offsets) == data.count(b"\xff\xff")
    assert view_of(crane)._grids[False].cursor == found.offsets[1]
    assert exists(crane, in_child("bytes/hex", "##hex"))
