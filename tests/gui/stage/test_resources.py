"""Opening what is no model: textures, materials, wear tables, and anything else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import imgui
from PIL import Image

from tests.gui.hand import click
from tests.gui.harness import Context, GuiTester, exists, in_stage
from viewer.control.settings import user_files
from viewer.formats.archive import nres
from viewer.formats.part import find
from viewer.formats.texture import pixels, texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.store.address import Address
from viewer.session.view.options.textures import ByteOrder, TextureSwitches
from viewer.ui.fields.part_rows import PartRow, children_of

pytestmark = pytest.mark.closed("outline")

TEXM = int.from_bytes(b"Texm", "little")


def gradient(side: int = 8) -> np.ndarray:
    """A picture whose every pixel is another color, half of it transparent."""
    image = np.zeros((side, side, 4), np.uint8)
    image[..., 0], image[..., 1] = np.indices((side, side)) * (256 // side)
    image[..., 3] = np.where(np.arange(side) < side // 2, 255, 64)
    return image


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """``textures.lib`` with a texture of two levels and a rectangle, one that is cut, and plain bytes."""
    whole = texm.build(gradient(), PixelFormat.ARGB8888, mip_count=2, pages=[(2, 2, 4, 4)])
    path = tmp_path / "textures.lib"
    path.write_bytes(
        nres.build(
            [
                nres.NewEntry(TEXM, whole, b"whole.0"),
                nres.NewEntry(TEXM, whole[:20], b"cut.0"),
                nres.NewEntry(77, b"Some bytes", b"bytes"),
            ]
        )
    )
    return path


def on_screen(gui: GuiTester, left: int = 0) -> set[tuple[int, ...]]:
    """Every color in the window, or to the right of a column of it."""
    gui.settle()
    return gui.colors(left)


def in_panel(gui: GuiTester) -> set[tuple[int, ...]]:
    """Every color of the middle and of what lies to the right of it."""
    return on_screen(gui, 240)


def test_a_texture_takes_the_place_of_the_model(gui: GuiTester, archive: Path, library: Path) -> None:
    gui.open(archive)
    gui.open(f"{library}::whole.0")
    assert gui.state.document is None
    assert gui.state.message == ""
    assert gui.state.resource is not None
    assert gui.state.resource.kind == "texm"
    assert exists(gui, "//viewport/**/picture")
    opaque = {tuple(pixel[:3]) for pixel in gradient()[:, :4].reshape(-1, 4).tolist()}
    assert opaque <= on_screen(gui)


def test_a_library_without_a_model_is_a_tree(gui: GuiTester, archive: Path, library: Path) -> None:
    gui.open(archive)
    gui.open(library)
    assert gui.state.message == ""
    assert [row.name for row in gui.state.browser.children[Address(library)]] == ["whole.0", "cut.0", "bytes"]


def test_a_library_without_a_model_shows_what_is_first_in_it(gui: GuiTester, library: Path) -> None:
    gui.open(library)
    assert gui.state.resource is not None
    assert str(gui.state.resource.address) == f"{library}::whole.0"
    assert exists(gui, "//viewport/**/picture")


def test_down_in_the_browser_shows_the_next_texture(gui: GuiTester, library: Path) -> None:
    """The keyboard stays with the browser whatever panel comes to the front."""
    gui.open(library)

    seen = []

    def script(context: Context) -> None:
        context.item_click("//browser/**/###entry1")
        for key in (imgui.Key.down_arrow, imgui.Key.up_arrow):
            context.key_press(key)
            context.yield_(30)
            seen.append(gui.state.resource.address.name if gui.state.resource else "")

    gui.run(script)
    assert seen == ["cut.0", "whole.0"]


def test_an_empty_archive_says_so(gui: GuiTester, tmp_path: Path) -> None:
    path = tmp_path / "empty.lib"
    path.write_bytes(nres.build([]))
    gui.open(path)
    assert "is empty" in gui.state.message


def test_a_picture_is_in_front_again_after_something_without_one(gui: GuiTester, library: Path) -> None:
    for name in ("whole.0", "cut.0", "whole.0"):
        gui.open(f"{library}::{name}")
        assert exists(gui, "//viewport/**/picture") == (name == "whole.0")


def test_channels_are_shown_apart(gui: GuiTester, library: Path) -> None:
    gui.open(f"{library}::whole.0")
    click(gui, in_stage("##sides/image/###channels"), "//$FOCUSED/alpha")
    gui.until(lambda: (64, 64, 64) in on_screen(gui))


def test_a_level_of_a_texture_is_saved_as_it_is(
    gui: GuiTester, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_files, "user_pictures_path", lambda: tmp_path)
    gui.open(f"{library}::whole.0")
    click(gui, "//viewport/**/###save")
    gui.until(lambda: not gui.app.jobs.title)
    saved = np.array(Image.open(tmp_path / "mshview" / "whole-1.png"))
    np.testing.assert_array_equal(saved, gradient())


def test_the_wheel_comes_nearer_to_what_is_under_the_cursor(gui: GuiTester, library: Path) -> None:
    gui.open(f"{library}::whole.0")

    def script(context: Context) -> None:
        context.mouse_move("//viewport/**/picture")
        context.mouse_wheel_y(12)

    assert (224, 0, 0) in on_screen(gui)
    gui.run(script)
    assert (224, 0, 0) not in on_screen(gui)
    click(gui, "//viewport/**/###fit")
    assert (224, 0, 0) in on_screen(gui)


def test_a_broken_texture_says_why_and_shows_its_bytes(gui: GuiTester, library: Path) -> None:
    gui.open(f"{library}::cut.0")
    assert gui.state.resource is not None
    assert gui.state.resource.problem
    assert exists(gui, "//viewport/**/###bytes")


def test_anything_else_shows_its_bytes(gui: GuiTester, library: Path) -> None:
    gui.open(f"{library}::bytes")
    assert gui.state.resource is not None
    assert bytes(gui.state.resource.data) == b"Some bytes"
    assert exists(gui, "//viewport/**/###bytes")
    assert not exists(gui, "//viewport/**/###fields")


def test_a_click_in_the_browser_shows_the_rows_of_a_wear_table(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    place = [row.name for row in gui.state.browser.children[Address(archive)]].index("crane.wea")
    model_rows = 1
    click(gui, f"//browser/**/###entry{place + model_rows}")
    gui.until(lambda: gui.state.resource is not None)
    assert gui.state.resource is not None
    assert gui.state.resource.address.name == "crane.wea"
    assert exists(gui, "//viewport/**/###fields")
    assert gui.state.resource.parts is not None
    materials = find(gui.state.resource.parts, "materials")
    assert materials is not None
    assert [row.text for row in children_of(PartRow("materials", "materials", materials))] == [
        "name 'YELLOW'  number '0'",
        "name 'STEEL'  number '1'",
    ]


def switches(gui: GuiTester) -> TextureSwitches:
    return gui.state.view.textures


def test_the_order_of_bytes_is_chosen_where_it_is_seen(gui: GuiTester, library: Path) -> None:
    gui.open(f"{library}::whole.0")
    assert (0, 96, 0) in in_panel(gui)
    click(gui, in_stage("##sides/image/###order"), "//$FOCUSED/order1")
    assert switches(gui).byte_orders == {ByteOrder.ARGB8888}
    gui.until(lambda: (0, 96, 0) not in in_panel(gui))
    click(gui, in_stage("##sides/image/###order"), "//$FOCUSED/order0")
    gui.until(lambda: (0, 96, 0) in in_panel(gui))


def test_alpha_is_ignored_here_and_on_the_model(gui: GuiTester, library: Path) -> None:
    gui.open(f"{library}::whole.0")
    hidden = tuple(gradient()[7, 7, :3].tolist())
    # Its alpha is no outline, so it is not shown as transparency before that is chosen.
    assert hidden in in_panel(gui)
    click(gui, in_stage("##sides/image/###channels"), "//$FOCUSED/rgba")
    gui.until(lambda: hidden not in in_panel(gui))
    click(gui, "//viewport/**/ignore_alpha")
    assert switches(gui).ignores_alpha
    gui.until(lambda: hidden in in_panel(gui))


def test_an_indexed_texture_lists_its_colors(gui: GuiTester, tmp_path: Path) -> None:
    image = np.full((4, 4, 4), 255, np.uint8)
    image[:, 2:, :3] = 12, 200, 34
    (tmp_path / "a.texm").write_bytes(texm.build(image, PixelFormat.INDEXED))
    gui.open(tmp_path / "a.texm")
    assert gui.state.resource is not None
    click(gui, "//viewport/**/###palette_tab")
    assert exists(gui, "//viewport/**/palette")
    assert (12, 200, 34) in in_panel(gui)


def test_what_is_too_large_for_the_card_is_shown_smaller(gui: GuiTester, library: Path) -> None:
    gui.app.images.gallery._longest = 4
    gui.open(f"{library}::whole.0")
    smaller = pixels.halve(gradient())[:, :2, :3].reshape(-1, 3).tolist()
    assert set(map(tuple, smaller)) <= in_panel(gui)
    assert (0, 96, 0) not in in_panel(gui)


def test_a_page_of_countless_rectangles_is_shown(gui: GuiTester, tmp_path: Path) -> None:
    """Overlapping, outside, empty and turned inside out."""
    numbers = np.random.default_rng(5).integers(-40, 80, (20_000, 4))
    pages = [tuple(row) for row in numbers.tolist()]
    (tmp_path / "a.0").write_bytes(texm.build(gradient(64), PixelFormat.RGB565, pages=pages))
    gui.open(tmp_path / "a.0")
    gui.run(lambda context: context.mouse_move("//viewport/**/picture"))
    gui.settle()
    assert gui.state.message == ""
