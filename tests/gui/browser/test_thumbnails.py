"""Thumbnails in the browser, and what its rows offer."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import imgui
from PIL import Image

from tests import game_folders
from tests.gui.hand import click
from tests.gui.harness import Context, GuiTester
from viewer.control.settings import user_files
from viewer.control.settings.settings import Settings
from viewer.formats.archive import nres
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.session.jobs import Thumbnail
from viewer.ui.panels.browser import BrowserPanel
from viewer.ui.panels.entry_view import row_height
from viewer.ui.stage import archive_view
from viewer.ui.widgets import widgets
from viewer.ui.widgets.theme import Color

pytestmark = pytest.mark.closed("outline", "inspector")

TEXM = int.from_bytes(b"Texm", "little")
ROWS = 400


def color_of(number: int) -> tuple[int, int, int]:
    """A color that nothing else in the window has."""
    return 255 - number % 200, 3, number // 200 * 50 + 7


@pytest.fixture
def gui(gui: GuiTester) -> GuiTester:
    """The application as it is at first: with thumbnails."""
    gui.state.settings = Settings(has_seen_hint=True)
    return gui


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """One-colored textures, and a cut one behind the first of them."""
    payloads = [
        texm.build(np.full((8, 8, 4), (*color_of(number), 255), np.uint8), PixelFormat.RGB888)
        for number in range(ROWS)
    ]
    payloads[1] = payloads[1][:20]
    path = tmp_path / "Textures.lib"
    path.write_bytes(nres.build(nres.NewEntry(TEXM, data, b"T%d" % n) for n, data in enumerate(payloads)))
    return path


def place_of(gui: GuiTester, name: str) -> int:
    """The row that an entry of the browser is in."""
    panel = next(panel for panel in gui.app.shell._panels if isinstance(panel, BrowserPanel))
    return [row.entry.name for row in panel._rows].index(name)


def settle(gui: GuiTester) -> None:
    """Wait until nothing is on its way any more."""

    def is_quiet() -> bool:
        shown = gui.app.images.thumbnails
        return not (shown.has_work or shown._busy or shown._requested())

    gui.settle()
    gui.until(is_quiet)
    gui.settle()


def known(gui: GuiTester) -> dict[str, Thumbnail]:
    """What the browser knows of entries, by their names."""
    shown = gui.app.images.thumbnails
    rows = [row for below in gui.state.browser.children.values() for row in below]
    seen = [row for row in rows if row.address in shown._known]
    return {row.name: found for row in seen if (found := shown.find(row, 40)) is not None}


def test_textures_on_screen_show_their_pictures_and_no_others(gui: GuiTester, library: Path) -> None:
    gui.open(library)
    settle(gui)
    colors = gui.colors()
    assert color_of(0) in colors
    assert color_of(2) in colors
    assert color_of(ROWS - 1) not in colors
    names = known(gui).keys()
    assert "T0" in names
    assert "T100" not in names
    assert len(names) < 30, "what was never seen is not read"


def test_models_show_what_they_look_like(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    settle(gui)
    found = known(gui)
    assert found["crane.msh"].facts == ("36 triangles", "4 nodes")
    assert found["crane.msh"].image is not None
    assert found["crane.msh"].image != found["rock.msh"].image


def test_what_is_damaged_is_marked_and_nobody_is_bothered(gui: GuiTester, library: Path) -> None:
    gui.open(library)
    settle(gui)
    damaged = known(gui)["T1"]
    assert damaged.image is None
    assert damaged.problem
    assert gui.state.message == ""


def test_scrolling_down_brings_the_rows_there(gui: GuiTester, library: Path) -> None:
    gui.open(library)

    def script(context: Context) -> None:
        context.mouse_move("//browser/**/###entry4")
        context.mouse_wheel_y(-2000)

    gui.run(script)
    settle(gui)
    assert color_of(ROWS - 1) in gui.colors()
    assert f"T{ROWS // 2}" not in known(gui)


def test_the_switch_leaves_icons_and_asks_for_nothing(gui: GuiTester, library: Path) -> None:
    gui.state.settings = Settings(has_thumbnails=False)
    gui.open(library)
    assert known(gui) == {}
    assert color_of(2) not in gui.colors()
    click(gui, "//browser/###thumbnails")
    assert gui.state.settings.has_thumbnails
    settle(gui)
    assert color_of(2) in gui.colors()
    click(gui, "//browser/###thumbnails")
    gui.settle()
    assert color_of(2) not in gui.colors()


@pytest.mark.parametrize(("scale", "side"), [(1.0, 64), (2.0, 128)])
def test_pictures_are_as_sharp_as_the_rest(gui: GuiTester, library: Path, scale: float, side: int) -> None:
    gui.commands.settings.set(interface_scale=scale)
    gui.open(library)
    settle(gui)
    assert max(it for _key, it in gui.app.images.thumbnails._shelf._textures) == side


def test_an_idle_window_draws_no_frames_for_them(gui: GuiTester, library: Path) -> None:
    gui.open(library)
    settle(gui)
    assert known(gui)
    assert not gui.app.is_moving


def test_a_file_that_changed_shows_what_is_in_it_now(gui: GuiTester, library: Path) -> None:
    gui.open(library)
    settle(gui)
    blue = texm.build(np.full((8, 8, 4), (1, 2, 250, 255), np.uint8), PixelFormat.RGB888)
    library.write_bytes(nres.build([nres.NewEntry(TEXM, blue, b"T%d" % n) for n in range(ROWS)]))
    os.utime(library, (1e9, 1e9))
    gui.commands.browser.list_entries(Address(library))
    gui.until(lambda: (1, 2, 250) in gui.colors())
    settle(gui)
    assert color_of(2) not in gui.colors()


def test_a_texture_is_saved_from_its_menu(
    gui: GuiTester, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_files, "user_pictures_path", lambda: tmp_path)
    gui.open(library)
    place = place_of(gui, "T0")

    def script(context: Context) -> None:
        context.item_click(f"//browser/**/###entry{place}", imgui.MouseButton_.right)
        context.item_click("//$FOCUSED/save_png")

    gui.run(script)
    gui.until(lambda: not gui.app.jobs.title)
    saved = np.array(Image.open(tmp_path / "mshview" / "T0-1.png"))
    assert (saved == (*color_of(0), 255)).all()


def scroll_to(gui: GuiTester, row: int) -> None:
    """Bring a row of the browser, all of which are low, to the middle of the panel."""
    table = next(it for it in imgui.get_current_context().windows if "/##entries" in it.name)
    imgui.internal.set_scroll_y(table, (row - 3) * row_height(is_tall=False))
    gui.settle()


def test_wear_tables_and_a_folder_are_taken_from_their_menus(gui: GuiTester, archive: Path) -> None:
    game = game_folders.write(archive.parent / "game")
    loose = archive.parent / "alone.wea"
    loose.write_bytes(b"1\r\n0 STEEL\r\n")
    gui.open(archive.parent)
    gui.commands.opening.open(Address.parse(f"{archive}::rock.msh"))
    gui.until(lambda: gui.state.document is not None)
    assert gui.document.materials.wear_source is None
    wear, folder = place_of(gui, "crane.wea"), place_of(gui, "game")

    def script(context: Context) -> None:
        context.item_click(f"//browser/**/###entry{wear}", imgui.MouseButton_.right)
        context.item_click("//$FOCUSED/use_wear")

    scroll_to(gui, wear)
    gui.run(script)
    scroll_to(gui, folder)

    def choose_folder(context: Context) -> None:
        context.item_click(f"//browser/**/###entry{folder}", imgui.MouseButton_.right)
        context.item_click("//$FOCUSED/use_game")

    gui.run(choose_folder)
    gui.until(lambda: str(gui.document.materials.wear_source) == f"{archive}::crane.wea")
    gui.until(lambda: gui.state.settings.game == str(game))

    scroll_to(gui, place_of(gui, loose.name))

    def choose_file(context: Context) -> None:
        context.item_click(f"//browser/**/###entry{place_of(gui, loose.name)}", imgui.MouseButton_.right)
        context.item_click("//$FOCUSED/use_wear")

    gui.run(choose_file)
    gui.until(lambda: str(gui.document.materials.wear_source) == str(loose))


def test_the_page_of_an_archive_says_what_its_models_have(
    gui: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The crane has three boxes in LOD 0 and group 0; the rock is one box of 12 triangles."""
    said: list[str] = []
    draw = widgets.text

    def note(words: str, *color: Color) -> None:
        said.append(words)
        draw(words, *color)

    monkeypatch.setattr(archive_view, "text", note)
    gui.commands.opening.go_to(Place(Address(archive)))
    gui.until(lambda: gui.state.resource is not None)
    gui.until(lambda: {"36 triangles, 4 nodes", "12 triangles, 1 node"} <= {*said})
    said.clear()
    gui.state.set(has_thumbnails=False)
    gui.frames(3)
    assert "36 triangles, 4 nodes" not in said, "nothing is read if that is not wanted"
