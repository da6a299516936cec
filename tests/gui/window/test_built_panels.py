"""While an animation plays panels are built when there is a reason, and drawn again in between."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from imgui_bundle import imgui
from msgspec.structs import replace

from tests.gui.harness import GuiTester
from viewer.app.scene_renderer import FRAMES_TO_SETTLE
from viewer.control.settings import settings_writer
from viewer.control.settings.settings import Settings
from viewer.options import option_at
from viewer.session.selection import Selection
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading
from viewer.ui.frame.toolbar import Toolbar
from viewer.ui.timeline.timeline import TimelinePanel

STATUS_BAR = 26
"""Its height, pixels."""


class Playing:
    """A crane that plays, and how often its panels are built."""

    def __init__(self, gui: GuiTester, build: Mock) -> None:
        self.gui = gui
        self._build = build

    def built(self, count: int, seconds: float = 1 / 60) -> int:
        """How many of some frames build the panels."""
        before = self._build.call_count
        for _ in range(count):
            self.gui.frames(1, seconds)
        return self._build.call_count - before

    def rest(self) -> None:
        """Wait until the panels have just been built for no other reason than the time."""
        self.gui.state.notice_end = 0.0  # it would be shown for seconds
        self.gui.until(lambda: not (self.gui.app.is_ticking or self.gui.app.jobs.is_busy))
        self.gui.frames(20)
        while not self.built(1):
            pass


@pytest.fixture
def playing(gui: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch) -> Playing:
    """The crane, playing."""
    monkeypatch.setattr(settings_writer, "REST", 0.0)
    gui.open(archive)
    build = Mock(wraps=gui.app.shell.draw)
    monkeypatch.setattr(gui.app.shell, "draw", build)
    gui.change(is_playing=True, speed=1.0)
    found = Playing(gui, build)
    found.rest()
    return found


def test_a_second_of_playing_builds_the_panels_fifteen_times_and_poses_every_frame(playing: Playing) -> None:
    poses = []
    built = 0
    for _ in range(60):
        built += playing.built(1)
        poses.append(playing.gui.state.pose)
    assert (built, len(set(map(id, poses)))) == (15, 60)


def test_frames_in_between_draw_the_scene_into_the_panels_that_are_there(playing: Playing) -> None:
    drawn = Mock(wraps=playing.gui.app.images.scene.renderer.draw)
    playing.gui.app.images.scene.renderer.draw = drawn  # type: ignore[method-assign]
    assert playing.built(3) == 0
    assert drawn.call_count == 3


def _tap(_: GuiTester) -> None:
    for is_down in (True, False):
        imgui.get_io().add_key_event(imgui.Key.f13, is_down)


def _click(_: GuiTester) -> None:
    for is_down in (True, False):
        imgui.get_io().add_mouse_button_event(2, is_down)


REASONS: dict[str, Callable[[GuiTester], object]] = {
    "the pointer moves": lambda _: imgui.get_io().add_mouse_pos_event(640, 300),
    "a button goes down and up": _click,
    "the wheel turns": lambda _: imgui.get_io().add_mouse_wheel_event(0, 1),
    "a key goes down and up": _tap,
    "a letter is typed": lambda _: imgui.get_io().add_input_character(ord("x")),
    "the window loses the focus": lambda _: imgui.get_io().add_focus_event(False),
    "a line is logged": lambda gui: gui.state.note("line"),
    "a notice is shown": lambda gui: gui.state.announce("notice"),
    "a part is selected": lambda gui: setattr(
        gui.state, "view", replace(gui.state.view, selection=Selection((1,)))
    ),
    "the shading changes": lambda gui: setattr(
        gui.state, "view", replace(gui.state.view, shading=Shading.LIT)
    ),
    "a command is called": lambda gui: gui.app.later(
        gui.app.control.settings.turn, option_at(Settings, "has_thumbnails")
    ),
    "a setting changes": lambda gui: gui.state.set(texture_memory=99),
    "a panel asks for it": lambda gui: gui.app.rebuild_panels(),
}


def test_every_reason_builds_the_panels_at_once(playing: Playing) -> None:
    built = {}
    for reason, give in REASONS.items():
        playing.rest()
        before = playing.built(1)
        give(playing.gui)
        built[reason] = before, playing.built(1)
    assert built == dict.fromkeys(REASONS, (0, 1))


def test_panels_are_built_when_a_job_has_finished(playing: Playing) -> None:
    found: list[int] = []
    playing.gui.app.jobs.start("lane", "", lambda _: 1, found.append, lambda _: None)
    built = 0
    while not found:
        built = playing.built(1)
    assert built == 1


def test_panels_are_built_in_every_frame_while_a_key_or_a_button_is_held(playing: Playing) -> None:
    io = imgui.get_io()
    holds: tuple[Callable[[bool], object], ...] = (
        lambda is_down: io.add_key_event(imgui.Key.f13, is_down),
        lambda is_down: io.add_mouse_button_event(2, is_down),
    )
    for hold in holds:
        hold(True)
        assert playing.built(20) == 20
        hold(False)
        playing.rest()
        assert playing.built(3) == 0


def test_panels_are_built_in_every_frame_while_labels_move_with_the_model(playing: Playing) -> None:
    playing.gui.change(overlays=frozenset({Overlay.NAMES}))
    assert playing.built(20) == 20
    playing.gui.change(overlays=frozenset())
    playing.rest()
    assert playing.built(3) == 0


def test_panels_are_built_while_a_modal_window_fades_in(playing: Playing) -> None:
    playing.gui.state.message = "no"
    playing.built(6)
    assert imgui.get_current_context().dim_bg_ratio > 0
    while imgui.get_current_context().dim_bg_ratio < 1:
        assert playing.built(1) == 1


def test_a_tooltip_comes_without_another_event(playing: Playing) -> None:
    places: list[imgui.ImVec2] = []
    playing.gui.run(
        lambda context: places.append(
            context.item_info("//##toolbar/###frame_selection").rect_full.get_center()
        )
    )
    imgui.get_io().add_mouse_pos_event(places[0].x, places[0].y)
    windows = imgui.get_current_context().windows
    playing.built(60)
    assert any(it.active and "Tooltip" in it.name for it in windows)


def test_panels_are_built_in_another_size_of_the_window(playing: Playing) -> None:
    size = playing.gui.window.size
    try:
        playing.gui.window._width -= 64
        assert playing.built(1) == 1
        assert imgui.get_main_viewport().size.x == size[0] - 64
    finally:
        playing.gui.window._width += 64


def test_panels_are_built_in_every_frame_of_what_is_not_a_model(playing: Playing, archive: Path) -> None:
    playing.gui.open(f"{archive}::crane.wea")
    assert playing.built(10) == 10


def test_panels_drawn_again_are_those_of_a_full_build(playing: Playing) -> None:
    """The animation plays at no speed, so that nothing but the measured times at the bottom may differ."""
    playing.gui.change(speed=0.0, samples=1)  # with more, slow frames get one for a while
    playing.rest()
    assert playing.built(2) == 0
    again = playing.gui.shown()[:-STATUS_BAR].copy()
    playing.gui.app.rebuild_panels()
    np.testing.assert_array_equal(playing.gui.shown()[:-STATUS_BAR], again)


def test_panels_are_built_with_the_image_that_replaces_theirs(
    playing: Playing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More samples, a slower computer: whatever makes the renderer give another texture."""
    assert playing.built(1) == 0
    draw = playing.gui.app.images.scene.draw

    def draw_elsewhere() -> None:
        draw()
        playing.gui.app.images.scene._texture = int(elsewhere.glo)

    elsewhere = playing.gui.window.ctx.texture((8, 8), 4)
    monkeypatch.setattr(playing.gui.app.images.scene, "draw", draw_elsewhere)
    assert playing.built(1) == 1


class Drawn:
    """How often panels, the toolbar and the list of clips were drawn since they were counted last."""

    def __init__(self, gui: GuiTester, monkeypatch: pytest.MonkeyPatch) -> None:
        self._mocks: dict[str, Mock] = {}
        parts: dict[str, tuple[Any, str]] = {panel.id: (panel, "draw") for panel in gui.app.shell._panels}
        parts |= {"toolbar": (Toolbar, "draw"), "list": (TimelinePanel, "_draw_list")}
        for name, (owner, method) in parts.items():
            self._mocks[name] = mock = Mock(side_effect=getattr(owner, method))
            monkeypatch.setattr(owner, method, lambda *given, mock=mock: mock(*given))

    def count(self) -> dict[str, int]:
        """The panels that were drawn, and how often."""
        found = {name: mock.call_count for name, mock in self._mocks.items() if mock.call_count}
        for mock in self._mocks.values():
            mock.reset_mock()
        return found


@pytest.fixture
def drawn(playing: Playing, monkeypatch: pytest.MonkeyPatch) -> Drawn:
    """The panels of a crane that plays; the pointer is on none of them."""
    imgui.set_window_focus("viewport")
    imgui.get_io().add_mouse_pos_event(*_middle("viewport"))
    found = Drawn(playing.gui, monkeypatch)
    playing.rest()
    found.count()
    return found


def _window(name: str) -> imgui.internal.Window:
    window = imgui.internal.find_window_by_name(name)
    assert window is not None
    return window


def _middle(panel: str) -> imgui.ImVec2:
    return _window(panel).rect().get_center()


def _assert_up_to_date(gui: GuiTester) -> None:
    """The panels look as they do when all of them are built."""
    kept = gui.shown()[:-STATUS_BAR].copy()
    gui.app.rebuild_panels()
    np.testing.assert_array_equal(gui.shown()[:-STATUS_BAR], kept)


def test_for_the_time_alone_only_panels_that_show_it_are_drawn(playing: Playing, drawn: Drawn) -> None:
    playing.built(60)
    assert drawn.count() == {"timeline": 15}


def test_the_inspector_shows_the_time_of_what_is_selected(playing: Playing, drawn: Drawn) -> None:
    playing.gui.select(1)
    playing.rest()
    drawn.count()
    playing.built(60)
    assert drawn.count() == {"timeline": 15, "inspector": 15}


def test_kept_panels_are_those_of_a_full_build(playing: Playing, drawn: Drawn) -> None:
    playing.gui.change(speed=0.0, samples=1)
    playing.rest()
    drawn.count()
    playing.built(8)
    assert drawn.count() == {"timeline": 2}
    _assert_up_to_date(playing.gui)
    assert {"browser", "toolbar", "list"} <= drawn.count().keys()


def test_the_panel_under_the_pointer_is_drawn_until_it_has_left(playing: Playing, drawn: Drawn) -> None:
    playing.gui.change(speed=0.0, samples=1)
    io, browser = imgui.get_io(), _middle("browser")
    for point in (browser, imgui.ImVec2(browser.x, browser.y + 20), _middle("viewport")):
        playing.rest()
        drawn.count()
        io.add_mouse_pos_event(*point)
        playing.built(1)
        assert "browser" in drawn.count()
        _assert_up_to_date(playing.gui)
    playing.rest()
    drawn.count()
    playing.built(8)
    assert "browser" not in drawn.count()


@pytest.mark.usefixtures("drawn")
def test_wherever_the_pointer_goes_the_panels_are_those_of_a_full_build(playing: Playing) -> None:
    playing.gui.change(speed=0.0, samples=1)
    width, height = playing.gui.window.size
    places, steps = np.random.default_rng(4), 0
    while steps < 25:
        imgui.get_io().add_mouse_pos_event(*places.uniform(0, (width, height)))
        imgui.get_io().add_mouse_wheel_event(0, float(places.integers(-1, 2)))
        playing.gui.frames(FRAMES_TO_SETTLE + 1)
        if not playing.gui.state.view.flash:  # whose brightness changes with every frame
            _assert_up_to_date(playing.gui)
            steps += 1


def test_turning_the_model_draws_no_panel_that_shows_nothing_of_it(playing: Playing, drawn: Drawn) -> None:
    io, middle = imgui.get_io(), _middle("viewport")
    io.add_mouse_button_event(0, True)
    playing.built(6)
    drawn.count()
    camera = playing.gui.state.view.camera
    for step in range(1, 11):
        io.add_mouse_pos_event(middle.x + 8 * step, middle.y)
        assert playing.built(1) == 1
    assert drawn.count() == {"timeline": 10}
    assert playing.gui.state.view.camera.yaw != camera.yaw
    io.add_mouse_button_event(0, False)


def test_the_edge_of_a_panel_can_be_dragged(playing: Playing, drawn: Drawn) -> None:
    io, browser = imgui.get_io(), _window("browser")
    edge, width = imgui.ImVec2(browser.pos.x + browser.size.x + 1, _middle("browser").y), browser.size.x
    io.add_mouse_pos_event(*edge)
    playing.built(4)
    io.add_mouse_button_event(0, True)
    for step in range(1, 11):
        io.add_mouse_pos_event(edge.x + 4 * step, edge.y)
        playing.built(1)
    io.add_mouse_button_event(0, False)
    playing.built(2)
    assert _window("browser").size.x == width + 40
    assert drawn.count()["browser"] >= 10


def test_kept_panels_follow_the_texture_of_their_glyphs(playing: Playing, drawn: Drawn) -> None:
    """ImGui makes a larger one when there is no room for the next letter, and frees the one before."""
    fonts = imgui.get_io().fonts
    before = fonts.tex_data.unique_id
    playing.gui.change(speed=0.0, samples=1)
    playing.rest()
    drawn.count()
    font, size = imgui.get_font(), 200.0
    for letter in range(0x410, 0x450):
        font.get_font_baked(size).find_glyph(letter)
    playing.built(8)
    assert fonts.tex_data.unique_id != before
    assert "browser" in drawn.count()
    _assert_up_to_date(playing.gui)
