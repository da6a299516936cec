"""The mouse and the keys over the viewport."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from imgui_bundle import imgui
from msgspec.structs import replace

from tests.gui.hand import drag, press
from tests.gui.harness import BOTTOM, RIGHT, Context, GuiTester
from viewer.model.mesh.shown import CellRule
from viewer.render import portions, renderer
from viewer.render.portions import Pace
from viewer.session.jobs import DRAWING
from viewer.session.view.camera import Side
from viewer.session.view.options.drawn_parts import DrawnParts
from viewer.session.view.options.shading import Shading

pytestmark = pytest.mark.closed("browser", *BOTTOM, *RIGHT)

VIEWPORT = "//viewport/viewport"
BASE, MAST, ARM, HOOK = range(4)


@pytest.fixture
def crane(crane: GuiTester) -> GuiTester:
    """The crane, paused at time 0 and seen from above: the middle of the arm lies over the base."""
    crane.look_from(Side.TOP)
    crane.change(camera=replace(crane.state.view.camera, target=(1.0, 0.0, 3.0)))
    return crane


def click(context: Context, button: int = 0) -> None:
    context.mouse_move(VIEWPORT)
    context.mouse_click(button)


def test_clicking_selects_and_clicking_again_selects_beneath(crane: GuiTester) -> None:
    seen = []
    for _ in range(3):
        crane.run(click)
        crane.wait(imgui.get_io().mouse_double_click_time + 0.1)
        seen.append(crane.state.view.selection.node)
    assert seen == [ARM, BASE, ARM]


def test_a_click_finds_the_triangle_and_what_it_belongs_to(crane: GuiTester) -> None:
    crane.run(click)
    selection = crane.state.view.selection
    batch = crane.document.model.batches[selection.batch]
    triangle = int(batch["index_start"]) // 3
    assert selection.triangle is not None
    assert triangle <= selection.triangle < triangle + int(batch["index_count"]) // 3
    assert selection.descriptor == selection.triangle


def test_control_adds_to_the_selection(crane: GuiTester) -> None:
    crane.select(BASE)

    def add(context: Context) -> None:
        context.key_down(imgui.Key.mod_ctrl)
        click(context)
        context.key_up(imgui.Key.mod_ctrl)

    crane.run(add)
    assert crane.state.view.selection.nodes == (BASE, ARM)


def test_escape_and_a_click_beside_the_model_select_nothing(crane: GuiTester) -> None:
    crane.select(BASE)
    press(crane, imgui.Key.escape)
    assert crane.state.view.selection.nodes == ()
    crane.select(BASE)

    def click_beside(context: Context) -> None:
        context.mouse_move(VIEWPORT)
        area = crane.app.viewport.area
        context.mouse_move_to_pos((area.left + 5, area.top + 5))
        context.mouse_click(0)

    crane.run(click_beside)
    assert crane.state.view.selection.nodes == ()


def test_dragging_orbits_and_selects_nothing(crane: GuiTester) -> None:
    before = crane.state.view.camera

    drag(crane, VIEWPORT, by=(120, -60))
    camera = crane.state.view.camera
    assert (camera.eye - before.eye) @ before.axes[0] < 0, "the model follows the mouse to the right"
    assert camera.pitch < before.pitch
    assert camera.target == before.target
    assert crane.state.view.selection.nodes == ()


@pytest.mark.parametrize(("button", "modifier"), [(1, None), (0, imgui.Key.mod_shift)])
def test_dragging_with_the_right_button_or_shift_pans(
    crane: GuiTester, button: int, modifier: imgui.Key | None
) -> None:
    before = crane.state.view.camera

    drag(crane, VIEWPORT, key=int(modifier or 0), by=(100, 0), button=button)
    camera = crane.state.view.camera
    assert (camera.yaw, camera.pitch) == (before.yaw, before.pitch)
    moved = np.subtract(camera.target, before.target) @ camera.axes.T
    assert moved[0] < 0
    assert abs(moved[1:]).max() < 1e-6


def test_the_wheel_comes_closer_and_keeps_what_is_under_the_cursor(crane: GuiTester) -> None:
    before = crane.state.view.camera

    def turn(context: Context) -> None:
        context.mouse_move(VIEWPORT)
        context.mouse_wheel_y(3)

    crane.run(turn)
    camera = crane.state.view.camera
    assert camera.distance < before.distance * 0.7
    np.testing.assert_allclose(camera.target, before.target, atol=before.half_height / 50)


def test_a_double_click_brings_the_node_into_view(crane: GuiTester) -> None:
    before = crane.state.view.camera

    def double_click(context: Context) -> None:
        context.mouse_move(VIEWPORT)
        context.mouse_double_click(0)

    crane.run(double_click)
    assert crane.state.view.selection.node == ARM
    assert crane.state.view.camera.distance < before.distance


def test_the_right_button_offers_to_isolate_and_hide(crane: GuiTester) -> None:
    def isolate(context: Context) -> None:
        click(context, 1)
        context.item_click("//$FOCUSED/isolate")

    crane.run(isolate)
    assert crane.state.view.isolated == frozenset({ARM})
    assert crane.state.statistics.triangles == 12
    press(crane, int(imgui.Key.mod_alt) | int(imgui.Key.h))
    assert crane.state.statistics.triangles == 36


def test_escape_closes_the_menu_before_it_forgets_the_selection(crane: GuiTester) -> None:
    menu_levels: list[int] = []
    selected: list[tuple[int, ...]] = []

    def escape(context: Context) -> None:
        click(context, 1)
        for _ in range(2):
            menu_levels.append(imgui.get_current_context().open_popup_stack.size())
            context.key_press(imgui.Key.escape)
            assert imgui.get_current_context().open_popup_stack.size() == 0
            selected.append(crane.state.view.selection.nodes)

    crane.run(escape)
    assert menu_levels == [1, 0]
    assert selected == [(ARM,), ()]


def test_an_empty_cell_says_so_and_offers_the_nearest(crane: GuiTester) -> None:
    crane.change(lod=2, group=1, drawn=DrawnParts(CellRule.EXACT))
    assert crane.state.statistics.triangles == 0
    crane.run(lambda context: context.item_click("//##message/###accept"))
    assert (crane.state.view.lod, crane.state.view.group) in {(0, 1), (1, 0)}
    assert crane.state.statistics.triangles > 0


def test_keys_choose_lod_and_group(crane: GuiTester) -> None:
    """Only the hook has a group 1, and the mast has one LOD."""
    press(crane, int(imgui.Key.mod_shift) | int(imgui.Key.right_bracket))
    assert (crane.state.view.group, crane.state.statistics.triangles) == (1, 48)
    press(crane, int(imgui.Key.mod_shift) | int(imgui.Key.left_bracket))
    press(crane, imgui.Key.right_bracket)
    assert (crane.state.view.lod, crane.state.statistics.triangles) == (1, 36)


def test_keys_do_nothing_while_somebody_types(crane: GuiTester) -> None:
    def type_into_filter(context: Context) -> None:
        context.item_click("//outline/##outline_filter")
        context.key_chars("gm]")

    overlays = crane.state.view.overlays
    crane.run(type_into_filter)
    assert (crane.state.view.overlays, crane.state.view.lod) == (overlays, 0)


def test_space_plays_and_pauses(crane: GuiTester) -> None:
    press(crane, imgui.Key.space)
    assert crane.state.view.is_playing
    time = crane.state.view.time
    crane.frames(10, seconds=0.1)
    assert crane.state.view.time != time
    press(crane, imgui.Key.space)
    time = crane.state.view.time
    crane.frames(10, seconds=0.1)
    assert crane.state.view.time == time


def test_only_what_plays_and_has_frames_keeps_the_window_busy(crane: GuiTester, archive: Path) -> None:
    crane.settle()
    seen = [crane.app.is_moving]
    crane.change(is_playing=True)
    seen.append(crane.app.is_moving)
    crane.open(f"{archive}::rock.msh")
    crane.change(is_playing=True)
    seen.append(crane.app.is_moving)
    assert seen == [False, True, False]


def test_a_picture_that_did_not_change_is_not_drawn_again(
    crane: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    crane.frames(is_seen=True)
    draw = Mock(wraps=crane.app.images.scene.renderer.draw)
    monkeypatch.setattr(crane.app.images.scene.renderer, "draw", draw)
    crane.frames(5, is_seen=True)
    assert draw.call_count == 0
    crane.state.view = replace(crane.state.view, lod=1)
    crane.frames(2, is_seen=True)
    assert draw.call_count == 1


def test_an_animation_that_is_slow_to_draw_shows_whole_pictures(
    crane: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    crane.frames(is_seen=True)
    monkeypatch.setattr(Pace, "room", lambda *_: 4)  # triangles a frame
    monkeypatch.setattr(renderer, "LONGEST", 0.0)
    monkeypatch.setattr(renderer, "FRAME_SECONDS", 0.0)
    monkeypatch.setattr(portions, "HELD_SECONDS", 1e9)
    crane.change(is_playing=True)
    pictures, is_whole = [], True
    for _ in range(50):
        crane.frames(is_seen=True)
        pictures.append(crane.app.images.scene.renderer._screen.pixels().tobytes())
        is_whole &= crane.state.statistics.is_whole
    assert is_whole
    assert 2 <= len({*pictures}) < 10
    crane.change(is_playing=False)
    while crane.app.images.scene.has_work:
        crane.frames(is_seen=True)
    last = crane.app.images.scene.renderer._screen.pixels()
    np.testing.assert_array_equal(last, crane.app.images.scene.picture())


def test_an_animation_whose_pictures_take_too_long_to_be_held_shows_each_until_it_is_whole_or_cancelled(
    crane: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    crane.frames(is_seen=True)
    monkeypatch.setattr(Pace, "room", lambda *_: 4)
    monkeypatch.setattr(portions, "HELD_SECONDS", 0.0)
    for name in ("LONGEST", "FRAME_SECONDS"):
        monkeypatch.setattr(renderer, name, 0.0)
    crane.change(is_playing=True, overlays=frozenset())
    scene, drawn = crane.app.images.scene, []
    for _ in range(50):
        crane.frames(1, is_seen=True)
        drawn.append(0 if scene.statistics.is_whole else scene.statistics.drawn)
    assert drawn.count(0) > 1, "some are whole"
    assert all(not now or now > before for before, now in pairwise(drawn)), "none begins anew"
    while scene.statistics.is_whole:
        crane.frames(1, is_seen=True)
    crane.app.later(crane.app.control.window.cancel_job, DRAWING)
    crane.frames(2, is_seen=True)
    stopped = scene.statistics
    crane.frames(6, is_seen=True)
    assert scene.statistics == stopped == replace(stopped, is_cancelled=True)
    crane.change(shading=Shading.LIT)
    crane.frames(2, is_seen=True)
    assert not scene.statistics.is_cancelled


def test_what_changes_while_a_slow_picture_is_drawn_is_drawn_after_it(
    crane: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New textures are reported once, and no change is left that would keep the window busy."""
    crane.change(is_playing=False)
    crane.frames(4, is_seen=True)
    monkeypatch.setattr(Pace, "room", lambda *_: 1)
    monkeypatch.setattr(renderer, "LONGEST", 0.0)
    monkeypatch.setattr(renderer, "FRAME_SECONDS", 0.0)
    monkeypatch.setattr(portions, "HELD_SECONDS", 1e9)
    scene = crane.app.images.scene
    draw = Mock(wraps=scene.renderer.draw)
    monkeypatch.setattr(scene.renderer, "draw", draw)
    crane.state.view = replace(crane.state.view)
    crane.frames(2, is_seen=True)
    assert scene.renderer.is_holding
    with monkeypatch.context() as patch:
        patch.setattr(scene, "_set_materials", lambda: True)
        crane.frames(1, is_seen=True)
    assert draw.call_count == 1
    for _ in range(500):
        if not scene.has_work:
            break
        crane.frames(1, is_seen=True)
    assert not scene.has_work
    assert draw.call_count == 2


def test_the_pose_follows_the_time(crane: GuiTester) -> None:
    crane.change(time=10.0)
    assert crane.state.pose is not None
    assert crane.state.pose.time == 10.0
    expected = crane.document.animation.pose(10.0).world
    np.testing.assert_array_equal(crane.state.pose.world, expected)


def test_a_picture_is_written_where_the_log_says(crane: GuiTester, tmp_path: Path) -> None:
    path = tmp_path / "crane.png"
    crane.commands.pictures.save_screenshot(path)
    crane.until(path.exists)
    crane.until(lambda: any(str(path) in line for line in crane.state.log))


def test_pictures_that_are_asked_for_at_once_are_all_written(crane: GuiTester, tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.png" for number in range(4)]
    for path in paths:
        crane.app.later(crane.app.control.pictures.save_screenshot, path)
    crane.until(lambda: all(path.exists() for path in paths))


def test_the_first_hint_goes_away_once_it_has_been_followed(crane: GuiTester) -> None:
    crane.state.settings = replace(crane.state.settings, has_seen_hint=False)
    crane.settle()
    press(crane, imgui.Key._7)
    assert not crane.state.settings.has_seen_hint
    press(crane, imgui.Key.space)
    assert crane.state.settings.has_seen_hint


def test_frames_go_on_while_input_waits(crane: GuiTester) -> None:
    """A press and its release come in two frames; the second is not left until something else happens."""
    crane.pause()
    crane.settle()
    assert not crane.app.is_moving
    for is_down in (True, False):
        imgui.get_io().add_mouse_button_event(2, is_down)
    seen = []
    for _ in range(3):
        seen.append(crane.app.is_moving)
        crane.frames()
    assert seen == [True, True, False]


@pytest.mark.parametrize(
    ("key", "eye"), [(imgui.Key._1, (0, 1, 0)), (imgui.Key._3, (1, 0, 0)), (imgui.Key._7, (0, 0, 1))]
)
def test_keys_look_at_the_sides_of_a_model_that_faces_plus_y(
    crane: GuiTester, key: imgui.Key, eye: tuple[int, ...]
) -> None:
    """Front, right and top; with Ctrl their opposites."""
    press(crane, key)
    assert crane.state.view.camera.axes[2] == pytest.approx(eye, abs=1e-9)
    press(crane, int(imgui.Key.mod_ctrl) | int(key))
    assert -crane.state.view.camera.axes[2] == pytest.approx(eye, abs=1e-9)


def test_a_slow_picture_goes_on_until_it_is_cancelled_and_begins_anew_with_a_change(
    crane: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    crane.change(is_playing=False, overlays=frozenset())
    crane.frames(1, is_seen=True)
    screen = crane.app.images.scene.renderer._screen
    whole = screen.pixels()
    monkeypatch.setattr(Pace, "room", lambda *_: 1)
    monkeypatch.setattr(portions, "HELD_SECONDS", 0.0)
    for name in ("LONGEST", "FRAME_SECONDS"):
        monkeypatch.setattr(renderer, name, 0.0)
    crane.state.view = replace(crane.state.view)
    crane.frames(4, is_seen=True)
    drawn = crane.state.statistics.drawn
    assert drawn > 0
    crane.frames(4, is_seen=True)
    assert drawn < crane.state.statistics.drawn < crane.state.statistics.total
    crane.app.later(crane.app.control.window.cancel_job, DRAWING)
    crane.frames(2, is_seen=True)
    stopped = crane.state.statistics
    assert stopped == replace(stopped, is_cancelled=True)
    crane.frames(4, is_seen=True)
    assert crane.state.statistics == stopped
    assert crane.app.images.scene.has_work is False
    crane.state.view = replace(crane.state.view)
    while (statistics := crane.state.statistics) and (
        not statistics.is_whole or crane.app.images.scene.has_work
    ):
        crane.frames(1, is_seen=True)
    assert statistics == replace(statistics, is_cancelled=False)
    np.testing.assert_array_equal(screen.pixels(), whole)


def test_two_fingers_sideways_orbit_and_with_shift_pan(crane: GuiTester) -> None:
    before = crane.state.view.camera

    def sideways(context: Context) -> None:
        context.mouse_move(VIEWPORT)
        context.mouse_wheel_x(2)
        context.yield_(2)

    def with_shift(context: Context) -> None:
        context.key_down(imgui.Key.mod_shift)
        context.mouse_wheel_x(2)
        context.yield_(2)
        context.key_up(imgui.Key.mod_shift)

    crane.run(sideways)
    turned = crane.state.view.camera
    assert turned.yaw != before.yaw
    assert (turned.distance, turned.target, turned.pitch) == (before.distance, before.target, before.pitch)
    crane.run(with_shift)
    moved = crane.state.view.camera
    assert (moved.yaw, moved.distance) == (turned.yaw, turned.distance)
    assert moved.target != turned.target
