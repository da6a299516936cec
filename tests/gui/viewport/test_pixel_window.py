"""Why this pixel: Y, a tool and Alt+click open the card; its lines and the menu lead to the things."""

from __future__ import annotations

import json

import pytest
from imgui_bundle import imgui

from tests.gui.hand import click
from tests.gui.harness import BOTTOM, LEFT, Context, GuiTester, bring_to_front, exists, in_child
from viewer.formats.texture import pixels
from viewer.model.store.place import BYTES, Place
from viewer.session.pixel.card_lines import CardLine
from viewer.session.pixel.explanation import PixelExplanation
from viewer.session.places import exists as exists_in
from viewer.session.selection import Selection
from viewer.session.view.camera import Side

pytestmark = pytest.mark.closed("inspector", *BOTTOM, *LEFT)

ALT = imgui.Key.mod_alt


@pytest.fixture
def crane(crane: GuiTester) -> GuiTester:
    """The crane from above, its middle in the middle of the viewport."""
    crane.look_from(Side.TOP)
    crane.commands.camera.frame_all()
    crane.settle()
    return crane


def middle(context: Context) -> None:
    """Point at the middle of the viewport."""
    box = context.item_info("//viewport/viewport").rect_full
    context.mouse_move_to_pos(((box.min.x + box.max.x) / 2, (box.min.y + box.max.y) / 2))


def alt_click(context: Context) -> None:
    middle(context)
    context.key_down(ALT)
    context.mouse_click()
    context.key_up(ALT)


def line(place: str) -> str:
    """The line of the card that leads to a row of a table."""
    return in_child("pixel/lines", f"**/to_{place}")


def test_alt_click_explains_the_pixel_and_selects_what_it_shows(crane: GuiTester) -> None:
    crane.run(alt_click)
    selection = crane.state.view.selection
    assert selection.node is not None
    assert selection.batch is not None
    assert selection.descriptor is not None
    for row in (f"nodes{selection.node}", f"slots{selection.slot}", f"batches{selection.batch}"):
        assert exists(crane, line(row)), row
    copied: list[str] = []

    def copy(context: Context) -> None:
        for name in ("copy_json", "copy_text"):
            context.item_click(f"//pixel/###{name}")
            context.yield_(2)
            copied.append(imgui.get_clipboard_text())

    crane.run(copy)
    found = json.loads(copied[0])
    names = ("node", "slot", "batch", "triangle", "descriptor")
    assert [found[name] for name in names] == [getattr(selection, name) for name in names]
    assert [it["size"] for it in found["bytes"] if it["what"] == "batch"] == [20]
    assert crane.document.label(selection.node) in copied[1]


def test_a_key_explains_the_pixel_under_the_pointer_without_alt(crane: GuiTester) -> None:
    crane.run(alt_click)
    explained = crane.state.view.selection
    assert explained.node is not None
    crane.app.viewport.pixel_window.is_open = False
    crane.change(selection=Selection())

    def script(context: Context) -> None:
        middle(context)
        context.key_press(int(imgui.Key.y))

    crane.run(script)
    assert crane.state.view.selection == explained
    assert crane.app.viewport.pixel_window.is_open
    assert not crane.app.viewport.explains


def test_the_tool_explains_the_pixel_that_is_clicked_next_alone(crane: GuiTester) -> None:
    seen: list[tuple[bool, bool]] = []
    window, viewport = crane.app.viewport.pixel_window, crane.app.viewport

    def note() -> None:
        seen.append((viewport.explains, window.is_open))

    def script(context: Context) -> None:
        context.menu_click("//##MainMenuBar/select/select.why_pixel")
        note()
        middle(context)
        context.key_press(int(imgui.Key.escape))
        note()
        context.menu_click("//##MainMenuBar/select/select.why_pixel")
        note()
        middle(context)
        context.mouse_click()
        note()

    crane.run(script)
    assert seen == [(True, False), (False, False), (True, False), (False, True)]
    assert crane.state.view.selection.descriptor is not None


def lines_of(gui: GuiTester) -> list[CardLine]:
    parts = gui.app.viewport.pixel_window._sections
    return [it for part in parts for it in part.lines]


def test_every_line_leads_somewhere_that_exists(crane: GuiTester) -> None:
    crane.run(alt_click)
    lines = lines_of(crane)
    assert len(lines) > 30
    panels = {panel.id for panel in crane.app.shell._panels}
    for it in lines:
        assert it.place is not None or it.panel in panels, it.title
    for place in {it.place for it in lines if it.place is not None}:
        if place.address == crane.document.address:
            assert not place.table or exists_in(crane.document, place), place


def test_from_a_pixel_to_its_bytes_and_back_in_two_clicks(crane: GuiTester) -> None:
    crane.run(alt_click)
    click(crane, "//pixel/###show_bytes")
    crane.settle()
    view = crane.app.shell._bytes._views.of(crane.state.tabs)
    payload = crane.app.lookups.payload(crane.document.address)
    chosen = crane.state.view.selection
    assert payload is not None
    assert view._marks._value == [payload.fields.span("tri_descriptors", chosen.descriptor)]
    # Back: one click on a byte of the indices of another triangle selects that.
    bring_to_front(crane, "bytes")
    grid = view._grids[False]
    start, _size = payload.fields.span("indices", 9) or (0, 0)
    grid.scroll_to(start)
    crane.frames(3)

    def click_byte(context: Context) -> None:
        assert grid._layout is not None
        corner = grid._layout.corner_of(start)
        context.mouse_move_to_pos((corner.x + 4, corner.y + 5))
        context.mouse_click(0)
        context.window_focus("//viewport")

    crane.run(click_byte)
    assert crane.state.view.selection.triangle == 3


def test_lines_of_the_background_lead_somewhere_too(crane: GuiTester) -> None:
    def click_corner(context: Context) -> None:
        box = context.item_info("//viewport/viewport").rect_full
        context.mouse_move_to_pos((box.min.x + 30, box.max.y - 30))
        context.key_down(ALT)
        context.mouse_click()
        context.key_up(ALT)

    crane.run(click_corner)
    assert [it.panel or it.place for it in lines_of(crane)] == [Place(crane.document.address), "display"]
    click(crane, in_child("pixel/lines", "**/panel_display"))
    crane.settle()
    assert "display" in crane.app.shell._tabs_in_front._seen


def test_what_plays_stops_for_an_explanation(crane: GuiTester) -> None:
    crane.change(is_playing=True)
    crane.run(alt_click)
    assert not crane.state.view.is_playing
    assert exists(crane, "//pixel/###copy_text")


def test_lines_lead_to_what_they_name(crane: GuiTester, monkeypatch: pytest.MonkeyPatch) -> None:
    crane.run(alt_click)
    vertex = int(crane.document.draws.corners[crane.document.draws.triangle == _triangle(crane)][0][0])
    click(crane, line(f"vertices{vertex}"))
    crane.settle()
    assert crane.state.view.selection.vertex == vertex
    address = crane.document.address
    asked: list[Place] = []
    monkeypatch.setattr(crane.app.shell._bytes, "show", asked.append)
    descriptor = crane.state.view.selection.descriptor
    click(crane, in_child("pixel/lines", f"**/bytes_tri_descriptors{descriptor}"))
    crane.settle()
    assert asked == [Place(address, "tri_descriptors", descriptor)]
    assert exists(crane, "//pixel/###copy_json"), "it stays until it is closed"
    crane.run(lambda context: context.window_close("//pixel"))
    assert not exists(crane, "//pixel/###copy_json")


def _triangle(gui: GuiTester) -> int:
    triangle = gui.state.view.selection.triangle
    assert triangle is not None
    return triangle


def test_a_texel_leads_to_its_bytes_in_the_texture(walker: GuiTester) -> None:
    walker.select(walker.document.names.index("central"))
    walker.commands.camera.frame_selection()
    walker.settle()
    walker.run(alt_click)
    shown = walker.app.viewport.pixel_window._shown
    assert shown is not None
    assert isinstance(shown.found, PixelExplanation)
    texel = shown.found.texel
    assert texel is not None
    places = [it.place for it in lines_of(walker) if it.title in ("texel", "lightmap texel")]
    assert [it.table for it in places if it] == [BYTES, BYTES]
    (stored,) = (it for it in shown.found.ranges if it.what == "texel")
    data = texel.texture.address.path.read_bytes()[stored.offset : (stored.offset or 0) + stored.size]
    form = texel.texture.texture.format
    assert pixels.decode(data, form)[0].tolist() == [*texel.color]
    offset = texel.span[0]
    click(walker, line(f"{BYTES}{offset}"))
    walker.until(lambda: walker.state.resource is not None)
    bring_to_front(walker, "bytes")
    walker.settle()
    view = walker.app.shell._bytes._views.of(walker.state.tabs)
    assert view._grids[False].cursor == offset > 100


def test_the_card_stands_over_the_panels_next_to_the_image(crane: GuiTester) -> None:
    crane.app.shell._switches.set_open("browser", is_open=True)
    crane.settle()
    crane.run(alt_click)
    image, card = crane.app.viewport.area, imgui.internal.find_window_by_name("Why this pixel###pixel")
    assert card.size.x >= 19 * imgui.get_font_size()
    covered = min(card.pos.x + card.size.x, image.right) - max(card.pos.x, image.left)
    assert covered < image.width / 10


def test_the_menu_of_the_viewport_goes_to_the_texture_under_the_pointer(walker: GuiTester) -> None:
    batches: list[int | None] = []

    def script(context: Context) -> None:
        middle(context)
        context.mouse_click(imgui.MouseButton_.right)
        batches.append(walker.state.view.selection.batch)
        context.item_click("//$FOCUSED/###go_to_texture0")

    materials = walker.document.materials
    walker.select(walker.document.names.index("central"))
    walker.commands.camera.frame_selection()
    walker.settle()
    walker.run(script)
    walker.until(lambda: walker.state.resource is not None)
    assert walker.state.resource is not None
    texture = materials.rows[materials.of_batch[batches[0]]].textures[0]
    assert texture is not None
    assert walker.state.resource.address.name == texture.name == "DARK.0"


@pytest.mark.parametrize("item", ["go_to_batch", "go_to_material", "go_to_bytes", "why_pixel"])
def test_the_menu_of_the_viewport_goes_there(
    crane: GuiTester, monkeypatch: pytest.MonkeyPatch, item: str
) -> None:
    asked: list[Place] = []
    monkeypatch.setattr(crane.app.shell._bytes, "show", asked.append)

    def script(context: Context) -> None:
        middle(context)
        context.mouse_click(imgui.MouseButton_.right)
        context.item_click(f"//$FOCUSED/###{item}")

    crane.run(script)
    crane.settle()
    reveal = crane.state.reveal
    if item == "why_pixel":
        assert exists(crane, "//pixel/###copy_text")
    elif item == "go_to_bytes":
        assert [it.table for it in asked] == ["tri_descriptors"]
    else:
        assert reveal is not None
        assert reveal.table == {"go_to_batch": "batches", "go_to_material": "materials"}[item]
