"""An effect in a tab: it plays, is paused and sought, blocks are hidden, the mouse turns it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import cast

import pytest
from imgui_bundle import ImVec2, imgui

from tests.gui.hand import click
from tests.gui.harness import Context, GuiTester, exists, in_stage
from tests.model.effects.effects import SOUND, SPRITE, block, effect
from viewer.formats.fxid import Effect
from viewer.model.effects.blocks import EffectBlocks
from viewer.model.effects.program import EffectProgram
from viewer.model.effects.templates import TemplateName
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.resources import bundled_path
from viewer.session.pixel.sprites import EffectPixel
from viewer.session.play.effect_play import curves
from viewer.session.play.model_effects import HeardSound
from viewer.ui.stage import effect_controls
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import text

pytestmark = pytest.mark.closed("browser", "outline", "inspector")

BLAST = f"{bundled_path('assets/game/effects.rlb')}::blast"


def open_effect(gui: GuiTester, address: str = BLAST) -> None:
    gui.open(address)
    gui.until(lambda: not gui.app.jobs.title)
    gui.settle()


def is_playing(gui: GuiTester) -> bool:
    return gui.state.view.is_playing


def test_an_effect_plays_when_it_is_opened_and_is_paused(gui: GuiTester) -> None:
    open_effect(gui)
    assert is_playing(gui)
    assert gui.state.axis.end == 30.0  # 1.5 s, and half a second before the next round, at 15 frames
    click(gui, in_stage("**/###play"))
    assert not is_playing(gui)
    time = gui.state.view.time
    gui.settle()
    assert gui.state.view.time == time
    click(gui, in_stage("**/###restart"))
    assert gui.state.view.time == 0.0


def test_blocks_are_hidden_shown_alone_and_counted(gui: GuiTester, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    def note(words: str, *color: Color) -> None:
        said.append(words)
        text(words, *color)

    monkeypatch.setattr(effect_controls, "text", note)
    open_effect(gui)
    click(gui, in_stage("**/###play"))
    gui.change(time=5.0)
    gui.settle()
    shown = gui.shown()
    for row in range(4):
        click(gui, in_stage(f"**/###shown{row}"))
    gui.settle()
    assert (gui.shown() != shown).any()
    assert said[-1] == "0 sprites, 0 triangles"
    click(gui, in_stage("**/###alone2"))
    assert said[-1] == "16 sprites, 32 triangles"  # of the burst alone
    assert exists(gui, in_stage("**/###scrubber"))


def test_the_mouse_turns_and_zooms_the_image(gui: GuiTester) -> None:
    open_effect(gui)
    click(gui, in_stage("**/###play"))
    gui.settle()
    before = gui.state.view.camera

    def drag(context: Context) -> None:
        context.mouse_move(in_stage("**/viewport"))
        context.mouse_wheel_y(2)
        context.mouse_drag_with_delta(ImVec2(60, 20))

    gui.run(drag)
    gui.settle()
    after = gui.state.view.camera
    assert after.distance < before.distance
    assert after.yaw != before.yaw


def test_a_click_on_a_sprite_shows_the_curves_of_its_block(gui: GuiTester) -> None:
    open_effect(gui)
    click(gui, in_stage("**/###play"))
    gui.change(time=5.0)
    gui.settle()
    area, pictures = gui.app.viewport.area, gui.app.images.pictures
    width, height = area.size
    pixels = ((x, y) for y in range(0, height, 8) for x in range(0, width, 8))
    found = ((it, pictures.hits(area.size, *it)) for it in pixels)
    (x, y), hits = next((at, it) for at, it in found if it and it[0].node == 2)
    point = ImVec2(area.left + (x + 0.5) / area.pixels, area.top + (y + 0.5) / area.pixels)

    def press(context: Context) -> None:
        context.mouse_move_to_pos(point)
        context.mouse_click()

    gui.run(press)
    assert gui.state.view.selection == hits[0]
    # The row of the block is marked, and a click on another row selects that.
    click(gui, in_stage("**/###alone1"))
    assert gui.state.view.selection.nodes == (1,)
    gui.run(lambda context: context.key_press(imgui.Key.escape))
    assert not gui.state.view.selection.nodes


def curve_of(gui: GuiTester, block: int) -> list[float]:
    assert gui.state.resource is not None
    blocks = EffectBlocks.of(gui.state.resource.value, 1)
    return curves(blocks, block)[0].values[[0, -1]].ravel().tolist()


def test_a_field_of_a_block_is_dragged_while_its_curve_follows(gui: GuiTester) -> None:
    open_effect(gui)
    click(gui, in_stage("**/###play"))
    gui.commands.opening.go_to(Place(Address.parse(BLAST), "commands", 1, "fade_start"))
    gui.settle()
    seen: list[list[float]] = []

    def drag(context: Context) -> None:
        context.mouse_move(in_stage("**/###value_fade_start"))
        context.mouse_down()
        for step in (20, 40):
            at = context.item_info(in_stage("**/###value_fade_start")).rect_full.get_center()
            context.mouse_move_to_pos(ImVec2(at.x + step, at.y))
            context.yield_(2)
            seen.append(curve_of(gui, 1))
        context.mouse_up()

    gui.run(drag)
    gui.settle()
    assert [it[1] for it in seen] == [0, 0]
    assert 1 < seen[0][0] < seen[1][0]
    assert curve_of(gui, 1) == seen[1]
    (file,) = gui.state.edits.files.values()
    assert len(file.done) == 1
    gui.commands.edits.step(-1)
    gui.settle()
    assert curve_of(gui, 1) == [1, 0]


def test_blocks_are_added_and_their_material_is_chosen_from_the_library(gui: GuiTester) -> None:
    open_effect(gui)
    click(gui, in_stage("**/###play"), in_stage("**/###new_rows"), "//**/###add_glow")
    gui.settle()
    assert gui.state.resource is not None
    assert gui.state.resource.value.opcodes.tolist() == [1, 3, 7, 10, 4]
    assert names(gui)[4] == b"SMOKE"
    click(gui, in_stage("**/###choose_resource"))
    gui.run(lambda context: context.key_chars_replace("HALO"))
    gui.run(lambda context: context.key_press(int(imgui.Key.enter)))
    gui.settle()
    assert b"HALO" in names(gui).values()


def names(gui: GuiTester) -> dict[int, bytes]:
    assert gui.state.resource is not None
    return {index: name for index, _archive, name in gui.state.resource.value.references()}


def test_a_library_of_effects_has_new_ones_from_templates(gui: GuiTester) -> None:
    library = str(bundled_path("assets/game/effects.rlb"))
    gui.open(BLAST)
    gui.commands.opening.go_to(Place(Address.parse(library), "directory", 2))
    gui.settle()
    click(gui, "//**/###new_effect", "//**/###new_smoke")
    gui.settle()
    gui.open(f"{library}::smoke_2")
    gui.settle()
    assert gui.state.resource is not None
    assert gui.state.resource.value.opcodes.tolist() == [8]
    assert names(gui) == {0: b"SMOKE"}


def test_sounds_that_cannot_be_played_say_so_when_they_are_switched_on(
    gui: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_effect(gui)
    click(gui, in_stage("**/###play"))
    monkeypatch.setitem(sys.modules, "miniaudio", None)  # importing it fails
    for _ in range(2):
        gui.state.notice = ""
        gui.run(lambda context: context.key_press(imgui.Key.s))
        assert gui.state.view.playback.has_sound
        assert gui.state.notice == "sounds need miniaudio: pip install miniaudio"
        assert gui.state.is_warned
        gui.run(lambda context: context.key_press(imgui.Key.s))


def test_sounds_are_muted_until_they_are_switched_on(
    gui: GuiTester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A loop inside its window is heard only while time moves; a sound that is not there is no error."""
    path = tmp_path / "a.fxid"
    path.write_bytes(effect(block(2, b"a.wav", **SOUND), block(3, **SPRITE), time_mode=2))
    heard: list[list[HeardSound]] = []
    open_effect(gui, str(path))
    monkeypatch.setattr(gui.app.sounds._player, "prepare", lambda: None)
    monkeypatch.setattr(gui.app.sounds._player, "play", lambda _address, sounds: heard.append([*sounds]))
    gui.settle()
    assert not any(heard)
    click(gui, in_stage("**/###sound"))
    gui.settle()
    assert gui.state.view.playback.has_sound
    assert [(it.name, it.is_loop, it.volume) for it in heard[-1]] == [(b"a.wav", True, 1.0)]
    click(gui, in_stage("**/###play"))
    gui.settle()
    assert not heard[-1]


def test_a_new_effect_is_written_as_a_file_and_opened(gui: GuiTester, tmp_path: Path) -> None:
    path = tmp_path / "fire.fxid"
    gui.app.later(gui.app.control.files.new_effect, TemplateName.EXPLOSION, path)
    gui.until(lambda: gui.state.resource is not None and gui.state.resource.address == Address(path))
    resource = gui.state.resource
    assert resource is not None
    assert resource.kind == "fxid"
    assert resource.value.opcodes.tolist() == [1, 3, 7]


def sprite_pixel(gui: GuiTester, block: int) -> tuple[int, int]:
    """A pixel of the stage whose nearest sprite is one of a block."""
    area, pictures = gui.app.viewport.area, gui.app.images.pictures
    width, height = area.size
    pixels = ((x, y) for y in range(0, height, 8) for x in range(0, width, 8))
    found = ((it, pictures.hits(area.size, *it)) for it in pixels)
    return next(at for at, it in found if it and it[0].node == block)


def shown_effect(gui: GuiTester) -> Effect:
    assert gui.state.resource is not None
    return cast(Effect, gui.state.resource.value)


@pytest.mark.parametrize("key", ["alt", "y"])
def test_a_pixel_of_an_effect_is_explained(gui: GuiTester, key: str) -> None:
    open_effect(gui)
    click(gui, in_stage("**/###play"))
    gui.change(time=5.0)
    gui.settle()
    x, y = sprite_pixel(gui, 2)
    area = gui.app.viewport.area
    point = ImVec2(area.left + (x + 0.5) / area.pixels, area.top + (y + 0.5) / area.pixels)

    def ask(context: Context) -> None:
        context.mouse_move_to_pos(point)
        if key == "y":
            context.key_press(int(imgui.Key.y))
            return
        context.key_down(imgui.Key.mod_alt)
        context.mouse_click()
        context.key_up(imgui.Key.mod_alt)

    gui.run(ask)
    window = gui.app.viewport.pixel_window
    assert window.is_open
    assert window._shown is not None
    found = window._shown.found
    assert isinstance(found, EffectPixel)
    assert (found.x, found.y, found.source) == (x, y, Address.parse(BLAST))
    nearest = found.sprites.nearest[0]
    assert (nearest.block, gui.state.view.selection.nodes) == (2, (2,))
    assert [it.away for it in found.sprites.nearest] == sorted(it.away for it in found.sprites.nearest)
    assert nearest.material is not None
    name, blocks = nearest.material.name, EffectProgram.of(shown_effect(gui)).blocks
    assert blocks.names[2] is not None
    assert name == blocks.names[2][1].decode()
    # The block is found in its file, byte by byte: its word is the first of its bytes.
    stored = next(it for it in found.ranges if it.what == "block" and it.place.row == 2)
    assert stored.offset is not None
    data = Path(bundled_path("assets/game/effects.rlb")).read_bytes()
    assert data[stored.offset] == int(shown_effect(gui).opcodes[2])
    click(gui, "//pixel/###show_bytes")
    gui.settle()
    start, size = gui.app.shell._bytes._views.of(gui.state.tabs)._marks._value[0]
    whole = gui.app.lookups.payload(Address.parse(BLAST))
    assert whole is not None
    assert (start, size) == whole.fields.span("commands", 2)
    click(gui, in_stage("**/###alone1"))
    assert window._shown.is_outdated(gui.state.stage, gui.state.view)
