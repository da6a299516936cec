"""Units and effects have what models have: pictures, films, views, overlays, the explanation of a pixel."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import ImVec2, imgui
from msgspec.structs import replace
from PIL import Image, ImageSequence

from tests.gui.hand import click, press
from tests.gui.harness import BOTTOM, LEFT, Context, GuiTester, exists, in_stage
from viewer.control.converting import files
from viewer.operations.effects.model_effects import MOST
from viewer.resources import bundled_path
from viewer.session.pixel.explanation import PixelExplanation
from viewer.session.play import unit_posing
from viewer.session.play.filming import Film, FilmOptions
from viewer.session.play.stage import UnitStage, file_stem
from viewer.session.selection import Selection
from viewer.session.view.camera import DIRECTIONS, Side
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading
from viewer.session.view.view_state import ViewState
from viewer.ui.actions.actions import Action
from viewer.ui.frame.bottom_bars import Activity, activity

pytestmark = pytest.mark.closed("inspector", *BOTTOM, *LEFT)

GAME = bundled_path("assets/game")
WALKER, BLAST = f"{GAME}/UNITS/UNITS/SAMPLE/walker.dat", f"{GAME}/effects.rlb::blast"
STAGES = pytest.mark.parametrize("address", [WALKER, BLAST], ids=["unit", "effect"])
GUN, LASER = 2, 0
"""A component of the unit, and an effect of it."""
SMALL = (64, 48)
WALK = 1.1
"""Seconds of the clip that a walker plays when it is opened."""


def opened(gui: GuiTester, address: str) -> GuiTester:
    """What is open, paused a third of a second after its start."""
    gui.open(address)
    gui.until(lambda: not gui.app.jobs.title)
    gui.settle()
    gui.change(is_playing=False, time=5.0)
    gui.settle()
    return gui


def unit_stage(gui: GuiTester) -> UnitStage:
    stage = gui.state.stage
    assert isinstance(stage, UnitStage)
    return stage


def picture_of(gui: GuiTester, view: ViewState) -> np.ndarray:
    """The small image of another view of what is in front."""
    pictures = gui.app.images.pictures
    return pictures.picture_of(unit_stage(gui), view, SMALL, pictures.size)


def test_the_explanation_of_a_part_has_the_effects_of_all_parts(gui: GuiTester) -> None:
    """The laser of the gun is a light of the chassis too."""
    unit = unit_stage(opened(gui, WALKER)).unit
    gui.state.view = unit_posing.with_effect_toggled(unit, gui.state.view, GUN, LASER)
    gui.settle()
    pictures, size = gui.app.images.pictures, gui.app.images.pictures.size
    places = ((size[0] * x // 12, size[1] * y // 12) for y in range(1, 12) for x in range(1, 12))
    found = (pictures.pointed(size, x, y) for x, y in places)
    at = next(it for it in found if it and it.hit and it.document is unit.chassis)
    assert at.effects is not None
    assert GUN in {it.key // MOST for it in at.effects}


def action(gui: GuiTester, name: str) -> Action:
    return next(it for it in gui.app.shell.actions if it.id == name)


def reason(gui: GuiTester, name: str) -> str:
    return action(gui, name).reason(gui.app.panel_context())


@STAGES
def test_f12_writes_the_picture_that_is_on_screen(
    gui: GuiTester, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "new_path", lambda *_ignored, **_names: tmp_path / "picture.png")
    opened(gui, address)
    press(gui, int(imgui.Key.f12))
    gui.settle()
    gui.until((tmp_path / "picture.png").exists)
    gui.settle()
    area = gui.app.viewport.area
    with Image.open(tmp_path / "picture.png") as picture:
        found = np.asarray(picture.convert("RGB")).astype(int)
    assert found.shape == (area.size[1], area.size[0], 3)
    left, top = round(area.left), round(area.top)
    screen = gui.shown()[top : top + found.shape[0], left : left + found.shape[1], :3].astype(int)
    # Over the image on screen are letters, the cube and its grid text: a small part of it.
    differs = (np.abs(found - screen) > 2).any(axis=2)
    assert differs.mean() < 0.1
    assert len(np.unique(found.reshape(-1, 3), axis=0)) > 300


@STAGES
def test_a_transparent_picture_of_another_size_has_no_ground(gui: GuiTester, address: str) -> None:
    opened(gui, address)
    before = gui.shown()
    picture = gui.app.images.pictures.picture((300, 200), is_transparent=True)
    assert picture.shape == (200, 300, 4)
    assert picture[0, 0, 3] == 0
    assert 0.005 < (picture[..., 3] > 0).mean() < 0.6
    assert np.array_equal(gui.shown(), before), "the picture on screen stays"


@STAGES
def test_keys_of_the_view_do_what_they_do_with_a_model(gui: GuiTester, address: str) -> None:
    opened(gui, address)
    distance = gui.state.view.camera.distance
    press(gui, int(imgui.Key._7))
    gui.settle()
    np.testing.assert_allclose(gui.state.view.camera.axes[2], DIRECTIONS[Side.TOP], atol=1e-6)
    press(gui, int(imgui.Key.g), int(imgui.Key._5))
    gui.settle()
    assert Overlay.GRID not in gui.state.view.overlays
    assert gui.state.view.camera.is_orthographic
    gui.change(camera=replace(gui.state.view.camera, distance=5 * distance))
    press(gui, int(imgui.Key.home))
    gui.settle()
    assert gui.state.view.camera.distance < 2 * distance
    press(gui, int(imgui.Key.space))
    gui.settle()
    assert gui.state.view.is_playing
    press(gui, int(imgui.Key.right_arrow))
    gui.settle()
    assert not gui.state.view.is_playing


def test_shading_lod_and_overlays_apply_to_units(gui: GuiTester) -> None:
    stage = unit_stage(opened(gui, WALKER))
    click(gui, "//##toolbar/##shading", "//$FOCUSED/###normals")
    assert gui.state.view.shading is Shading.NORMALS
    press(gui, int(imgui.Key.right_bracket))
    gui.settle()
    assert gui.state.view.lod == 1
    assert {it.view.lod for it in unit_posing.placed(stage.unit, gui.state.view)} == {1}
    edges = gui.shown()
    press(gui, int(imgui.Key.e))
    gui.settle()
    assert (gui.shown() != edges).any()
    assert reason(gui, "view.overlay.header_bounds") == "only for a single model: open that of a part"
    assert reason(gui, "view.own_view") == "only for a single model"
    assert not reason(gui, "view.overlay.edges")


def test_names_stand_at_the_nodes_of_parts(gui: GuiTester, written: dict[str, tuple[float, float]]) -> None:
    stage, area = unit_stage(opened(gui, WALKER)), gui.app.viewport.area
    gui.change(isolated=frozenset({1, 2}))
    press(gui, int(imgui.Key.n) | int(imgui.Key.mod_shift))
    gui.settle()
    gui.frames(2)
    parts = unit_posing.placed(stage.unit, gui.state.view)
    assert [it.component for it in parts] == [1, 2]
    nodes = [(it, node) for it in parts for node in range(it.document.model.node_count)]
    known = {it.document.label(node): (it, node) for it, node in nodes}
    assert written
    for name, (_x, top) in written.items():
        part, node = known[name]
        place = np.append(part.pose.world[node, :3, 3], 1.0)
        _x, y, _z, w = gui.state.view.camera.clip_from_world(area.aspect) @ place
        middle = top + imgui.get_text_line_height() / 2
        assert middle == pytest.approx(area.top + (1 - y / w) / 2 * area.height, abs=1.0)


def test_what_an_effect_does_not_have_is_grey_with_a_reason(gui: GuiTester) -> None:
    opened(gui, BLAST)
    assert reason(gui, "view.shading.normals") == "an effect is drawn with its materials alone"
    assert reason(gui, "view.overlay.bones") == "an effect has no nodes, triangles and bounds"
    assert reason(gui, "view.next_lod") == "an effect has no models"
    for name in ("view.overlay.grid", "view.frame_all", "file.save_image", "file.save_animation"):
        assert not reason(gui, name)
    lod = gui.state.view.lod
    click(gui, "//##toolbar/###lod1")
    assert gui.state.view.lod == lod


def test_the_footer_names_the_keys_of_what_is_shown(gui: GuiTester) -> None:
    opened(gui, WALKER)
    assert activity(gui.app.panel_context(), "") is Activity.LOOKING
    gui.change(selection=Selection((1,)))
    assert activity(gui.app.panel_context(), "") is Activity.SELECTION
    gui.open(BLAST)
    assert activity(gui.app.panel_context(), "") is Activity.RESOURCE


def test_a_resource_that_is_not_in_space_has_no_picture(gui: GuiTester) -> None:
    gui.open(f"{GAME}/Textures.lib::METAL.0")
    assert gui.state.stage is None
    assert reason(gui, "file.save_image") == "nothing is open that is shown in space"


def images(path: Path) -> list[np.ndarray]:
    with Image.open(path) as film:
        return [np.asarray(it.convert("RGBA")).astype(int) for it in ImageSequence.Iterator(film)]


def fire(gui: GuiTester, component: int, row: int) -> None:
    unit = unit_stage(gui).unit
    gui.state.view = unit_posing.with_effect_toggled(unit, gui.state.view, component, row)
    gui.change(is_playing=False)
    gui.settle()


def test_a_film_of_a_unit_that_fires_shows_one_step_of_its_walk_and_the_shot(
    gui: GuiTester, tmp_path: Path
) -> None:
    opened(gui, WALKER)
    plain = Film(unit_stage(gui).shown, gui.state.view, FilmOptions(".webp", SMALL, 25))
    gui.change(past=40.0)  # the shot begins with the film, whenever it was fired
    fire(gui, 2, 0)
    film = Film(unit_stage(gui).shown, gui.state.view, FilmOptions(".webp", SMALL, 25))
    count = round(WALK * 25)
    assert len(plain) == len(film) == count == 28
    view, unit = film.view(9), unit_stage(gui).unit
    assert view.playback.seconds == pytest.approx(9 / count * WALK)
    (shot,) = unit_posing.played(unit, view, unit_posing.placed(unit, view))
    assert shot.inputs.seconds == pytest.approx(9 / count * WALK)
    gui.app.images.films.save(tmp_path / "fires.webp", film.options)
    gui.until((tmp_path / "fires.webp").exists)
    found = images(tmp_path / "fires.webp")
    assert len(found) == count
    without = picture_of(gui, plain.view(9)).astype(int)
    moved = np.abs(found[9] - without).max(axis=2) > 40
    assert moved.any(), "the shot is seen"
    assert np.abs(found[9][~moved] - without[~moved]).mean() < 4, "and the unit below it"


def test_a_film_has_as_many_steps_as_the_longest_effect_takes(gui: GuiTester) -> None:
    opened(gui, WALKER)
    fire(gui, 2, 2)  # its explosion: 1.5 s, and half a second before it would begin anew
    film = Film(unit_stage(gui).shown, gui.state.view, FilmOptions(".webp", SMALL, 25))
    assert len(film) == 2 * 28
    assert film.view(28).past == pytest.approx(16.5)
    assert film.view(28).playback.seconds == 0.0


def test_a_film_of_an_effect_shows_one_round(gui: GuiTester, tmp_path: Path) -> None:
    opened(gui, BLAST)
    options = FilmOptions(".png", SMALL, 10, is_transparent=True)
    gui.app.images.films.save(tmp_path / "blast.png", options)
    gui.until((tmp_path / "blast.png").exists)
    found = images(tmp_path / "blast.png")
    # 1.5 s with something to see, then half a second with nothing: equal images are written as one.
    assert len(found) in (15, 16)
    assert (found[5][..., 3] > 0).any()
    assert not found[-1][..., 3].any()
    with Image.open(tmp_path / "blast.png") as film:
        assert sum(it.info["duration"] for it in ImageSequence.Iterator(film)) == pytest.approx(2000)


def test_files_of_a_unit_have_its_own_name(gui: GuiTester, tmp_path: Path) -> None:
    opened(gui, WALKER)
    assert file_stem(unit_stage(gui)) == "Шагоход «Цапля»"
    gui.state.settings = replace(gui.state.settings, save_folder=str(tmp_path))
    gui.commands.panels.show_picture_window()
    press(gui, int(imgui.Key.enter))
    gui.settle()
    assert gui.app.dialog._own._path == str(tmp_path / "Шагоход «Цапля».png")


def test_a_film_of_a_unit_is_finished_although_its_tab_was_left(gui: GuiTester, tmp_path: Path) -> None:
    opened(gui, WALKER)
    turn = FilmOptions(".png", SMALL, 5, seconds_around=2.0)
    whole, left = tmp_path / "whole.png", tmp_path / "left.png"
    gui.app.images.films.save(whole, turn)
    gui.until(whole.exists)
    gui.settle()
    gui.app.images.films.save(left, turn)
    gui.frames(2)
    gui.open(BLAST)
    gui.until(left.exists)
    with Image.open(whole) as first, Image.open(left) as second:
        assert first.n_frames == second.n_frames == 10  # type: ignore[attr-defined]
        for number in range(10):
            first.seek(number)
            second.seek(number)
            assert np.array_equal(np.asarray(first), np.asarray(second))


def test_a_turn_shows_a_unit_from_all_sides(gui: GuiTester) -> None:
    opened(gui, WALKER)
    film = Film(unit_stage(gui).shown, gui.state.view, FilmOptions(".gif", SMALL, 10, 0.4))
    yaws = [film.view(number).camera.yaw for number in range(len(film))]
    assert np.diff(yaws) == pytest.approx([np.pi / 2] * 3)
    pictures = [picture_of(gui, film.view(number)) for number in (0, 2)]
    assert (pictures[0] != pictures[1]).any()


def test_the_windows_for_pictures_and_films_are_filled(gui: GuiTester) -> None:
    opened(gui, WALKER)
    gui.commands.panels.show_picture_window(is_animated=True)
    assert exists(gui, "//film/###played")
    gui.until(lambda: gui.app.images.films._shown.count > 0)
    assert gui.app.images.films._shown.count == 28
    assert not gui.app.images.films._shown.problem


def test_alt_click_explains_the_part_that_is_there(gui: GuiTester) -> None:
    opened(gui, WALKER)
    unit, view, area = unit_stage(gui).unit, gui.state.view, gui.app.viewport.area
    turret = next(it for it in unit_posing.placed(unit, view) if it.component == 1)
    x, y, _z, w = view.camera.clip_from_world(area.aspect) @ np.append(_middle(turret), 1.0)
    point = ImVec2(area.left + (x / w + 1) / 2 * area.width, area.top + (1 - y / w) / 2 * area.height)

    def script(context: Context) -> None:
        context.mouse_move_to_pos(point)
        context.key_down(int(imgui.Key.mod_alt))
        context.mouse_click()
        context.key_up(int(imgui.Key.mod_alt))

    gui.run(script)
    gui.settle()
    shown = gui.app.viewport.pixel_window._shown
    assert shown is not None
    (chosen,) = gui.state.view.selection.nodes
    document = unit.documents[chosen]
    assert isinstance(shown.found, PixelExplanation)
    assert shown.found.hit is not None
    assert (shown.shown, shown.found.source) == (document, document.address)
    # The point lies in the triangle: its corners, where the part stands, enclose it.
    part = next(it for it in unit_posing.placed(unit, gui.state.view) if it.component == chosen)
    hit = shown.found.hit
    matrix = part.pose.world[hit.node].astype(float)
    corners = document.model.positions[list(hit.vertices)] @ matrix[:3, :3].T + matrix[:3, 3]
    weights = [it.weight for it in shown.found.corners]
    np.testing.assert_allclose(np.array(weights) @ corners, hit.position, atol=1e-3)
    assert min(weights) > -1e-3
    assert not shown.is_outdated(gui.state.stage, gui.state.view)


def _middle(part: unit_posing.PlacedPart) -> np.ndarray:
    bounds = part.document.posed(part.pose, part.view).bounds
    assert bounds is not None
    return bounds.center


def test_the_menu_of_a_part_hides_it_and_opens_its_model(gui: GuiTester) -> None:
    opened(gui, WALKER)

    def hide(context: Context) -> None:
        context.item_click(in_stage("**/viewport"), imgui.MouseButton_.right)
        context.item_click("//$FOCUSED/###hide")

    gui.run(hide)
    (chosen,) = gui.state.view.selection.nodes
    assert gui.state.view.hidden == {chosen}
    press(gui, int(imgui.Key.h) | int(imgui.Key.mod_alt))
    gui.settle()
    assert not gui.state.view.hidden


@STAGES
def test_a_stage_is_framed_when_it_is_opened_and_keeps_its_view_in_its_tab(
    gui: GuiTester, address: str
) -> None:
    opened(gui, address)
    camera, area = gui.state.view.camera, gui.app.viewport.area
    stage = gui.state.stage
    assert stage is not None
    whole = stage.framed(gui.state.view, camera, area.aspect)
    assert camera.distance == pytest.approx(whole.distance, rel=0.2)
    turned = replace(camera, yaw=camera.yaw + 1)
    gui.change(camera=turned)
    gui.open(f"{GAME}/Textures.lib::METAL.0")
    gui.commands.history.step(-1)
    gui.until(lambda: gui.state.stage is not None)
    gui.settle()
    assert gui.state.view.camera == turned
