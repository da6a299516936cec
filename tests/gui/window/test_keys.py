"""Who has the keys: a text field, else the menu, the list or the dialog on top, else the actions."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

import glfw  # isort: skip
from tests.gui.editing.test_cell_editing import column, show
from tests.gui.harness import AT_END, Context, GuiTester, bring_to_front, enlarge, steps
from viewer.app.platform.keyboard import Keyboard
from viewer.session.selection import Selection

W = int(imgui.Key.w)
ESCAPE, F2, ENTER, DELETE = map(int, (imgui.Key.escape, imgui.Key.f2, imgui.Key.enter, imgui.Key.delete))
FLAGS = (0, 0, 0)
ARM = 2


def levels() -> int:
    """How many menus, lists and dialogs are open over each other."""
    return int(imgui.get_current_context().open_popup_stack.size())


def is_moving(gui: GuiTester) -> bool:
    return gui.app.shell._stage.gizmo.handle is not None


@pytest.fixture
def crane(crane: GuiTester) -> GuiTester:
    """The crane with its arm selected."""
    crane.select(ARM)
    return crane


@pytest.fixture
def tables(crane: GuiTester) -> GuiTester:
    """The crane with the Tables panel in front."""
    enlarge(crane, "timeline")
    bring_to_front(crane, "tables")
    return crane


def test_an_open_menu_has_the_keys_and_escape_closes_it_alone(crane: GuiTester) -> None:
    seen: list[tuple[int, bool, tuple[int, ...]]] = []

    def script(context: Context) -> None:
        context.item_click("//##MainMenuBar/##MenuBar/###file")
        for key in (W, int(imgui.Key.x), ESCAPE, ESCAPE):
            context.key_press(key)
            seen.append((levels(), is_moving(crane), crane.state.view.selection.nodes))

    before = crane.state.view.overlays
    crane.run(script)
    assert seen == [(1, False, (ARM,)), (1, False, (ARM,)), (0, False, (ARM,)), (0, False, ())]
    assert crane.state.view.overlays == before


def test_a_menu_gives_the_focus_back(gui: GuiTester, archive: Path) -> None:
    """To what had it at the start too; else a panel behind a tab would come to the front."""
    gui.open(archive, is_paused=True)
    focused: list[str] = []

    def script(context: Context) -> None:
        context.item_click("//##MainMenuBar/##MenuBar/###file")
        context.key_press(ESCAPE)
        focused.append(imgui.get_current_context().nav_window.root_window.name.partition("###")[2])

    gui.run(script)
    assert focused == ["viewport"]


def test_escape_closes_a_menu_with_its_submenu(crane: GuiTester) -> None:
    seen: list[int] = []

    def script(context: Context) -> None:
        context.item_click("//##MainMenuBar/##MenuBar/###view")
        context.item_click("//$FOCUSED/###view.shading")
        for _ in range(2):
            seen.append(levels())
            context.key_press(ESCAPE)

    crane.run(script)
    assert seen == [2, 0]


def test_a_context_menu_keeps_the_keys_from_its_panel(crane: GuiTester) -> None:
    seen: list[tuple[int, int | None]] = []

    def script(context: Context) -> None:
        context.item_click(f"//outline/**/###node{ARM}", imgui.MouseButton_.right, AT_END)
        for key in (DELETE, F2, int(imgui.Key.down_arrow)):
            context.key_press(key)
            seen.append((levels(), crane.state.view.selection.node))

    crane.run(script)
    crane.settle()
    assert seen == [(1, ARM)] * 3
    assert (steps(crane), crane.document.names[ARM]) == ((), "arm")


def test_the_flags_of_selected_rows_are_typed_after_f2(tables: GuiTester) -> None:
    show(tables, "batches")
    before = tables.document.model.batches["flags"].tolist()
    camera, overlays = tables.state.view.camera, tables.state.view.overlays

    def script(context: Context) -> None:
        column(context, 0, "flags")
        context.mouse_click()
        context.key_down(int(imgui.Key.mod_shift))
        column(context, 1, "flags")
        context.mouse_click()
        context.key_up(int(imgui.Key.mod_shift))
        context.key_press(F2)
        assert levels() == 1
        context.key_chars("0x100")
        context.key_press(ENTER)
        assert levels() == 0

    tables.run(script)
    tables.settle()
    assert tables.document.model.batches["flags"].tolist() == [0x100, 0x100, *before[2:]]
    assert len(steps(tables)) == 1
    assert (tables.state.view.camera, tables.state.view.overlays) == (camera, overlays)


def test_what_is_typed_for_a_cell_that_cannot_be_set_runs_no_action(tables: GuiTester) -> None:
    """The node of a batch follows from other tables: 0, X and 1 would move the camera and hide the axes."""
    show(tables, "batches")
    overlays: list[object] = []

    def script(context: Context) -> None:
        column(context, 0, "node")
        context.mouse_click()
        overlays.append(tables.state.view.overlays)
        for key in (F2, *map(int, (imgui.Key._0, imgui.Key.x, imgui.Key._1)), ENTER):
            context.key_press(key)
        overlays.append(tables.state.view.overlays)
        context.key_press(ESCAPE)
        context.key_press(int(imgui.Key.x))
        overlays.append(tables.state.view.overlays)

    camera = tables.state.view.camera
    tables.run(script)
    assert overlays[0] == overlays[1]
    assert overlays[1] != overlays[2], "Esc leaves the cell"
    assert (tables.state.view.camera, steps(tables)) == (camera, ())


def test_a_wrong_number_of_flags_stays_to_be_corrected(tables: GuiTester) -> None:
    show(tables, "batches")

    def script(context: Context) -> None:
        column(context, 0, "flags")
        context.mouse_double_click()
        context.key_chars("0x10000")
        context.key_press(ENTER)
        context.yield_(3)
        assert levels() == 1
        context.key_chars_replace("3")
        context.key_press(ENTER)

    tables.run(script)
    tables.settle()
    assert int(tables.document.model.batches["flags"][0]) == 3


def test_digits_in_open_flags_leave_the_camera(crane: GuiTester) -> None:
    bring_to_front(crane, "inspector")
    camera = crane.state.view.camera

    def script(context: Context) -> None:
        context.item_click("//inspector/**/###value_flags")
        context.item_click("//$FOCUSED/###bit40")
        for key in (imgui.Key._1, imgui.Key._7, imgui.Key._0, imgui.Key.f):
            context.key_press(int(key))

    crane.run(script)
    crane.settle()
    assert crane.state.view.camera == camera
    assert int(crane.document.model.nodes["flags"][ARM]) == 0x40


def test_escape_closes_a_list_before_its_window(crane: GuiTester) -> None:
    crane.commands.panels.show_settings()
    seen: list[tuple[int, bool, tuple[int, ...]]] = []

    def script(context: Context) -> None:
        context.item_click("//settings/##picture/###language")
        for _ in range(3):
            is_open = crane.app.shell._windows.settings.is_open
            seen.append((levels(), is_open, crane.state.view.selection.nodes))
            context.key_press(ESCAPE)

    crane.run(script)
    assert seen == [(1, True, (ARM,)), (0, True, (ARM,)), (0, False, (ARM,))]
    assert crane.state.view.selection == Selection()


_CODES = {
    glfw.KEY_F2: imgui.Key.f2,
    glfw.KEY_ENTER: imgui.Key.enter,
    glfw.KEY_LEFT_CONTROL: imgui.Key.left_ctrl,
    ord("1"): imgui.Key._1,
    ord("7"): imgui.Key._7,
}


class FastTypist:
    """Somebody who types while a slow frame is drawn, as GLFW reports it."""

    def __init__(self, gui: GuiTester) -> None:
        self._gui = gui
        self._io = imgui.get_io()
        gui.app.gui._keyboard = self._keyboard = Keyboard(self._forward)

    def _forward(self, key: int, _scancode: int, action: int, _mods: int) -> None:
        if key == glfw.KEY_LEFT_CONTROL:
            self._io.add_key_event(imgui.Key.mod_ctrl, action != glfw.RELEASE)
        code: imgui.Key = _CODES[key] if key in _CODES else getattr(imgui.Key, chr(key).lower())
        self._io.add_key_event(code, action != glfw.RELEASE)

    def go_to(self, panel: str) -> None:
        """Give the focus to a panel."""
        imgui.set_window_focus(panel)
        self._gui.frames(2)

    def press(self, key: int, mods: int = 0) -> None:
        """Press a key and let go of it."""
        for action in (glfw.PRESS, glfw.RELEASE):
            self._keyboard.receive(None, key, 0, action, mods)

    def chord(self, key: int) -> None:
        """Press a key with Ctrl."""
        self._keyboard.receive(None, glfw.KEY_LEFT_CONTROL, 0, glfw.PRESS, 0)
        self.press(key, glfw.MOD_CONTROL)
        self._keyboard.receive(None, glfw.KEY_LEFT_CONTROL, 0, glfw.RELEASE, glfw.MOD_CONTROL)

    def type(self, words: str) -> None:
        """Type letters."""
        for letter in words:
            self._keyboard.receive(None, ord(letter.upper()), 0, glfw.PRESS, 0)
            self._io.add_input_character(ord(letter))
            self._keyboard.receive(None, ord(letter.upper()), 0, glfw.RELEASE, 0)

    def rest(self) -> None:
        """Let the window take all of it."""
        self._gui.until(lambda: not self._gui.app.gui.has_input)
        self._gui.settle()


@pytest.mark.parametrize("frames_between", [0, 1, 2])
def test_what_is_typed_right_after_f2_is_the_new_name(crane: GuiTester, frames_between: int) -> None:
    bring_to_front(crane, "outline")
    typist = FastTypist(crane)
    typist.go_to("outline")
    typist.press(glfw.KEY_F2)
    crane.frames(frames_between)
    typist.type("wagex")
    typist.press(glfw.KEY_ENTER)
    typist.rest()
    assert crane.document.names[ARM] == "wagex"
    assert not is_moving(crane)


def test_what_is_typed_right_after_a_chord_is_searched(crane: GuiTester) -> None:
    typist = FastTypist(crane)
    typist.chord(glfw.KEY_F)
    typist.type("west")
    typist.rest()
    assert crane.app.shell._outline._filter.text == "west"
    assert not is_moving(crane)


def test_what_is_typed_right_after_f2_is_the_number_of_flags(tables: GuiTester) -> None:
    show(tables, "batches")

    def script(context: Context) -> None:
        column(context, 0, "flags")
        context.mouse_click()

    tables.run(script)
    typist = FastTypist(tables)
    typist.go_to("tables")
    typist.press(glfw.KEY_F2)
    typist.type("17")
    typist.press(glfw.KEY_ENTER)
    typist.rest()
    assert int(tables.document.model.batches["flags"][0]) == 17
