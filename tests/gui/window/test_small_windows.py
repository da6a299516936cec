"""What is left of the viewport in a small window, the viewport alone, and where the first-run hint is."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from imgui_bundle import imgui, implot
from moderngl_window.context.headless.window import Window
from msgspec.structs import replace

from tests.gui.conftest import rock
from tests.gui.engine import headless_window, release_lock_in_frames
from tests.gui.hand import press
from tests.gui.harness import Context, GuiTester, bring_to_front, exists, write_model
from tests.gui.tab_steps import open_tabs
from viewer.app.dialogs import dialogs
from viewer.control.settings.settings import Settings
from viewer.render.portions import Frame
from viewer.render.targets import free_dropped
from viewer.session.program import FrameStatistics
from viewer.session.view.camera import Side
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading
from viewer.ui.panels.display import DisplayPanel
from viewer.ui.widgets import theme

PANELS = ("browser", "outline", "inspector", "timeline")
SIDES = [(1600, 1000), (1024, 700), (800, 500), (640, 420)]
VIEWPORT_ONLY = int(imgui.Key.mod_shift) | int(imgui.Key.f11)


class Resizable(Window):
    """A window without a display that gets another size while it is open."""

    shown = (1600, 1000)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height as the panels see it."""
        return self.shown

    @size.setter
    def size(self, value: tuple[int, int]) -> None:
        self.shown = value


@pytest.fixture(scope="module")
def resizable() -> Iterator[Window]:
    headless_window().destroy()
    window = Resizable(size=SIDES[0], gl_version=(3, 3), aspect_ratio=None, backend="egl", vsync=False)
    yield window
    window.destroy()


@pytest.fixture
def sized(monkeypatch: pytest.MonkeyPatch, resizable: Window) -> Iterator[GuiTester]:
    release_lock_in_frames(monkeypatch)
    resizable.size = SIDES[0]
    with resizable.ctx:
        yield (gui := started(resizable))
        gui.close()
        del gui
        gc.collect()
        free_dropped(resizable.ctx)


def started(window: Window, layout: str = "") -> GuiTester:
    gui = GuiTester(window, Settings(has_seen_hint=True, has_thumbnails=False, layout=layout))
    gui.settle()
    return gui


def resize(gui: GuiTester, size: tuple[int, int]) -> None:
    gui.window.shown = size  # type: ignore[attr-defined]
    gui.frames(2)
    gui.settle()


def size_of(name: str) -> tuple[float, float]:
    window = imgui.internal.find_window_by_name(name)
    assert window is not None
    return window.size.x, window.size.y


def shares(gui: GuiTester) -> dict[str, tuple[float, float]]:
    """The share of the window that each panel has of its width and height."""
    width, height = gui.window.size
    return {name: (size_of(name)[0] / width, size_of(name)[1] / height) for name in (*PANELS, "viewport")}


def test_the_viewport_has_half_of_a_new_window(sized: GuiTester) -> None:
    """When the window opens at that size, and the layout is the default one."""
    for size in SIDES:
        resize(sized, size)
        sized.app.shell.reset_layout()
        sized.settle()
        width, height = shares(sized)["viewport"]
        assert width > 0.48, size
        assert height > 0.5, size


def test_panels_keep_their_shares_when_the_window_shrinks_and_grows(sized: GuiTester) -> None:
    """Up to the bars around them, which are as high as before: the toolbar has more lines if it is narrow."""
    before = {name: size_of(name) for name in (*PANELS, "viewport")}
    first = shares(sized)
    for size in SIDES[1:]:
        resize(sized, size)
        for name, (width, height) in shares(sized).items():
            assert width == pytest.approx(first[name][0], abs=0.02), (size, name)
            assert height == pytest.approx(first[name][1], abs=0.18), (size, name)
    resize(sized, SIDES[0])
    for name, expected in before.items():
        assert size_of(name) == pytest.approx(expected, abs=2), name


def test_panels_that_are_not_shown_keep_their_shares(sized: GuiTester, archive: Path) -> None:
    """A tab that is no model has no inspector and no outline; they come back as large as they were."""
    sized.open(archive)
    first, outside = shares(sized), size_of("inspector")
    open_tabs(sized, f"{archive}::crane.wea")
    assert not is_drawn("inspector")
    for size in ((800, 500), (1024, 700)):
        resize(sized, size)
    sized.commands.opening.step_tab(1)
    sized.settle()
    assert is_drawn("inspector")
    for name, (width, _) in shares(sized).items():
        assert width == pytest.approx(first[name][0], abs=0.02), name
    resize(sized, SIDES[0])
    assert size_of("inspector") == pytest.approx(outside, abs=2)


def test_panels_keep_their_shares_while_the_viewport_is_alone(sized: GuiTester) -> None:
    first = shares(sized)
    sized.app.shell.toggle_viewport_only()
    for size in ((800, 500), (1024, 700)):
        resize(sized, size)
    sized.app.shell.toggle_viewport_only()
    sized.settle()
    for name, (width, _) in shares(sized).items():
        assert width == pytest.approx(first[name][0], abs=0.02), name


def test_a_layout_of_a_large_window_fits_a_small_one(
    sized: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, layout = shares(sized), sized.app.gui.layout
    sized.close()
    monkeypatch.setattr(Resizable, "shown", (800, 500))
    sized.window.shown = (800, 500)  # type: ignore[attr-defined]
    small = started(sized.window, layout)
    assert shares(small)["viewport"][0] == pytest.approx(first["viewport"][0], abs=0.02)
    sized.__dict__.update(small.__dict__)


def is_drawn(name: str) -> bool:
    window: Any = imgui.internal.find_window_by_name(name)
    return window is not None and window.active


def test_a_key_leaves_the_viewport_alone_and_brings_the_rest_back(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    before = {name: size_of(name) for name in (*PANELS, "viewport")}
    press(gui, VIEWPORT_ONLY)
    others = (*PANELS, "viewport", "##toolbar", "##status", "##MainMenuBar")
    assert not any(map(is_drawn, others))
    assert gui.app.viewport.area.size == gui.window.size
    assert "Shift+F11" in gui.state.notice
    press(gui, VIEWPORT_ONLY)
    gui.settle()
    assert {name: size_of(name) for name in (*PANELS, "viewport")} == before
    assert all(map(is_drawn, ("browser", "viewport", "##toolbar", "##status")))


def test_the_viewport_alone_is_seen(gui: GuiTester, archive: Path) -> None:
    """Nothing lies over the picture: the window shows its colors from one edge to the other."""
    gui.open(archive)
    gui.pause()
    press(gui, VIEWPORT_ONLY)
    gui.settle()
    shown = gui.picture()[..., :3]
    window = gui.shown()[..., :3]
    assert shown.shape == window.shape
    assert (np.abs(shown.astype(int) - window).max(axis=2) < 8).mean() > 0.85


def test_the_viewport_alone_takes_mouse_and_keys(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    gui.pause()
    press(gui, VIEWPORT_ONLY)
    gui.look_from(Side.TOP)
    gui.run(lambda context: context.item_click("//alone/viewport"))
    assert gui.state.view.selection.node is not None
    press(gui, imgui.Key.space)
    assert gui.state.view.is_playing


def test_the_viewport_alone_is_in_the_menu(gui: GuiTester) -> None:
    gui.run(lambda context: context.menu_click("//##MainMenuBar/###view/###view.viewport_only"))
    assert exists(gui, "//alone/viewport")


def warned(gui: GuiTester) -> np.ndarray:
    """Where the window has the color of warnings, (h, w), above the footer and the status bar."""
    gui.shown()  # what is drawn in a frame is told in the next one
    shown = gui.shown()[..., :3]
    marked: np.ndarray = (shown == [round(255 * part) for part in theme.WARNING[:3]]).all(axis=2)
    bottom = int(gui.app.viewport.area.top + gui.app.viewport.area.height)
    return marked[bottom - 60 : bottom]


@pytest.mark.parametrize("shading", [Shading.TEXTURED, Shading.NODE])
@pytest.mark.parametrize("overlays", [frozenset({Overlay.GRID}), frozenset()])
def test_no_card_covers_the_line_that_says_how_much_is_drawn(
    gui: GuiTester,
    archive: Path,
    monkeypatch: pytest.MonkeyPatch,
    shading: Shading,
    overlays: frozenset[Overlay],
) -> None:
    """Neither the hint nor the legend, which are in the lower corners."""
    gui.open(archive)
    far = gui.state.view.camera.zoom(8, 0, 0, 1)
    gui.change(is_playing=False, shading=Shading.LIT, overlays=overlays, camera=far)
    statistics, renderer = FrameStatistics(1, 0, 126_000, 76, 126_000), gui.app.images.scene.renderer
    draw = renderer.draw
    monkeypatch.setattr(renderer, "draw", lambda *given: replace(draw(*given), statistics=statistics))
    alone = warned(gui)
    assert alone.sum() > 40
    gui.state.settings = replace(gui.state.settings, has_seen_hint=False)
    gui.change(shading=shading)
    assert np.array_equal(warned(gui), alone)
    assert is_drawn("##hint")
    assert is_drawn("##legend") is (shading is Shading.NODE)


def test_the_toolbar_fits_into_any_window(sized: GuiTester, archive: Path) -> None:
    """Its last button is inside the window, and overlays are switched by a button or from a menu."""
    sized.open(archive)
    ends: list[float] = []

    def look(context: Context) -> None:
        ends.append(context.item_info("//##toolbar/###frame_selection").rect_full.max.x)
        if context.item_exists("//##toolbar/###overlays"):
            context.item_click("//##toolbar/###overlays")
            context.item_click("//$FOCUSED/###bones")
        else:
            context.item_click("//##toolbar/###bones")

    for number, size in enumerate(SIDES, 1):
        resize(sized, size)
        sized.run(look)
        assert ends[-1] <= size[0]
        assert (Overlay.BONES in sized.state.view.overlays) == (number % 2 == 1), size


def test_the_status_bar_ends_inside_the_window(sized: GuiTester, tmp_path: Path) -> None:
    """Where there is little room the counts are left out, not what can be clicked."""
    sized.open(write_model(tmp_path / "a_model_of_a_name_that_is_long.msh", rock()))
    ends: list[float] = []
    for size in SIDES:
        resize(sized, size)
        sized.run(lambda context: ends.append(context.item_info("//##status/###reading").rect_full.max.x))
        assert ends[-1] <= size[0]


def test_values_have_half_of_the_inspector(
    sized: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in a panel that has shrunk with the window."""
    widths: list[float] = []
    set_up = imgui.table_setup_column

    def record(label: str, flags: int = 0, width: float = 0.0) -> None:
        widths.extend([width] if width and label in ("name", "fact") else [])
        set_up(label, flags, width)

    sized.open(archive)
    monkeypatch.setattr(imgui, "table_setup_column", record)
    for size in SIDES:
        resize(sized, size)
        widths.clear()
        sized.app.rebuild_panels()
        sized.frames(1)
        assert widths
        assert max(widths) < size_of("inspector")[0] / 2, size


DIALOGS = ("open", "message", "about", "report", "keys", "manual", "settings", "picture", "saved_views")


@pytest.mark.parametrize(("scale", "size"), [(1.0, (640, 420)), (2.0, (1600, 1000)), (3.0, (1600, 1000))])
@pytest.mark.parametrize("name", DIALOGS)
def test_dialogs_lie_inside_the_window(
    sized: GuiTester, monkeypatch: pytest.MonkeyPatch, name: str, scale: float, size: tuple[int, int]
) -> None:
    """So that their buttons can be reached."""
    monkeypatch.setattr(dialogs, "has_native_dialog", lambda: False)
    sized.commands.settings.set(interface_scale=scale)
    resize(sized, size)
    windows = sized.app.shell._windows
    if name == "open":
        sized.commands.dialogs.open_file()
    elif name == "message":
        sized.state.message = "words " * 40
    else:
        help_windows = windows.help
        opened = (
            windows.settings,
            windows.picture,
            windows.views,
            help_windows.about,
            help_windows.keys,
            help_windows.manual,
            help_windows.report,
        )
        next(window for window in opened if window.id == name).toggle()
    sized.settle()
    shown = next(w for w in imgui.get_current_context().windows if w.active and w.name.endswith(f"###{name}"))
    assert min(shown.pos) >= 0
    assert shown.pos.x + shown.size.x <= size[0]
    assert shown.pos.y + shown.size.y <= size[1]


def test_a_notice_lies_inside_the_window(sized: GuiTester) -> None:
    """A long path is wrapped."""
    resize(sized, (640, 420))
    sized.state.announce(f"Picture saved as /{'a_long_folder/' * 12}walker-1.png")
    sized.settle()
    shown = next(w for w in imgui.get_current_context().windows if w.active and w.name == "##notice")
    assert shown.pos.x >= 0
    assert shown.pos.x + shown.size.x <= 640
    assert shown.content_size.x <= shown.size.x


def test_every_choice_of_the_display_panel_is_in_it(sized: GuiTester) -> None:
    bring_to_front(sized, DisplayPanel.id)
    resize(sized, (640, 420))
    panel = imgui.internal.find_window_by_name("###display") or imgui.internal.find_window_by_name("display")
    assert panel is not None
    ends: dict[str, float] = {}

    def script(context: Context) -> None:
        for name in ("game", "plain", "default", "game_day", "exact", "lod", "group"):
            ends[name] = context.item_info(f"//display/**/###{name}").rect_full.max.x

    sized.run(script)
    assert all(0 < end <= panel.inner_rect.max.x for end in ends.values()), (ends, panel.inner_rect.max.x)


SAMPLE = Path(__file__).parents[3] / "assets" / "game" / "models.rlb"


def hint(gui: GuiTester) -> tuple[int, int, int, int] | None:
    """The pixels of the viewport under the hint: left, top, right, bottom; None if it is not shown."""
    window = imgui.internal.find_window_by_name("##hint")
    if window is None or not window.was_active:
        return None
    area = gui.app.viewport.area
    left, top = window.pos.x - area.left, window.pos.y - area.top
    return int(left), int(top), int(left + window.size.x), int(top + window.size.y)


@pytest.mark.parametrize(("entry", "least"), [("walker", SIDES[:2]), ("drone", [])])
def test_the_hint_leaves_the_model_free(sized: GuiTester, entry: str, least: list[tuple[int, int]]) -> None:
    """Where there is room for it, which there is at the first start."""
    seen = []
    sized.state.settings = replace(sized.state.settings, has_seen_hint=False)
    for size in (*SIDES[:2], SIDES[-1]):
        resize(sized, size)
        sized.app.shell.reset_layout()
        sized.open(f"{SAMPLE}::{entry}.msh")
        sized.commands.camera.frame_all()
        for time in np.linspace(0, sized.document.last_frame, 5).tolist():
            sized.pause(time)
            place = hint(sized)
            if place is not None:
                seen.append(size)
                left, top, right, bottom = place
                ids = sized.app.images.scene.renderer.ids(
                    Frame(sized.state.view, sized.state.pose, sized.app.viewport.area.size)
                )
                assert not ids[top:bottom, left:right].any(), (size, entry, time)
    assert {*least} <= {*seen}


def test_curves_without_room_are_not_drawn_over_what_is_above(
    sized: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    begin = implot.begin_plot

    def noting(name: str, *arguments: Any) -> bool:
        drawn.append(name)
        return begin(name, *arguments)

    monkeypatch.setattr(implot, "begin_plot", noting)
    sized.open(archive)
    sized.select(1)
    bring_to_front(sized, "curves")
    assert drawn
    sized.app.later(sized.app.control.settings.set, interface_scale=2.0)
    resize(sized, (1280, 720))
    drawn.clear()
    sized.app.rebuild_panels()
    sized.frames(3)
    assert not drawn
