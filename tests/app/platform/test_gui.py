"""What ImGui makes of keys that come faster than frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest
from imgui_bundle import imgui  # before glfw: it says which GLFW library both are to use

import glfw  # isort: skip
from viewer.app.platform.gui import Gui
from viewer.app.platform.keyboard import Keyboard

CTRL, SHIFT, P, LEFT = glfw.KEY_LEFT_CONTROL, glfw.KEY_LEFT_SHIFT, glfw.KEY_P, glfw.KEY_LEFT
_KEYS = {CTRL: imgui.Key.left_ctrl, SHIFT: imgui.Key.left_shift, P: imgui.Key.p, LEFT: imgui.Key.left_arrow}
_MODIFIERS = {
    CTRL: (glfw.MOD_CONTROL, imgui.Key.mod_ctrl),
    SHIFT: (glfw.MOD_SHIFT, imgui.Key.mod_shift),
}


class Typist:
    """A window with a text field and somebody at its keyboard, as GLFW and ImGui's backend report them.

    Attributes
    ----------
    text
        What is in the field.
    """

    def __init__(self) -> None:
        self.io = imgui.get_io()
        self.keyboard = Keyboard(self._forward)
        self.held: set[int] = set()
        self.text = ""

    def _forward(self, key: int, _scancode: int, action: int, _mods: int) -> None:
        """Tell ImGui as its backend does: first the modifiers that are down, then the key."""
        for code, (_, modifier) in _MODIFIERS.items():
            self.io.add_key_event(modifier, code in self.held)
        letter: imgui.Key = getattr(imgui.Key, chr(key).lower(), imgui.Key.space)
        self.io.add_key_event(_KEYS.get(key, letter), action != glfw.RELEASE)

    def press(self, *keys: int) -> None:
        """Press keys one after the other, and keep them down."""
        for key in keys:
            self.held.add(key)
            self.keyboard.receive(None, key, 0, glfw.PRESS, self._mods())

    def let_go(self, *keys: int) -> None:
        """Let go of keys."""
        for key in keys:
            mods = self._mods()
            self.held.discard(key)
            self.keyboard.receive(None, key, 0, glfw.RELEASE, mods)

    def _mods(self) -> int:
        return sum(mod for key, (mod, _) in _MODIFIERS.items() if key in self.held)

    def type(self, words: str) -> None:
        """Type a text; capitals with Shift."""
        for letter in words:
            keys = (SHIFT, ord(letter)) if letter.isupper() else (ord(letter.upper()),)
            self.press(*keys)
            self.io.add_input_character(ord(letter))
            self.let_go(*reversed(keys))

    def frame(self, *, has_field: bool = True) -> None:
        """Draw a frame."""
        imgui.new_frame()
        imgui.begin("window")
        if has_field:
            if imgui.is_window_appearing():
                imgui.set_keyboard_focus_here()
            self.text = imgui.input_text("##field", self.text)[1]
        imgui.end()
        imgui.end_frame()

    def chords(self, key: imgui.Key, modifier: imgui.Key, count: int) -> list[bool]:
        """Whether a chord is pressed in each of the next frames."""
        seen = []
        for _ in range(count):
            imgui.new_frame()
            seen.append(imgui.is_key_chord_pressed(int(modifier) | int(key)))
            imgui.end_frame()
        return seen


@pytest.fixture
def typist() -> Iterator[Typist]:
    """A window of a context of its own."""
    before = imgui.get_current_context()
    context = imgui.create_context()
    imgui.set_current_context(context)
    io = imgui.get_io()
    io.set_ini_filename("")
    io.display_size = imgui.ImVec2(640, 480)
    io.backend_flags |= imgui.BackendFlags_.renderer_has_textures
    yield Typist()
    imgui.destroy_context(context)
    if before is not None:
        imgui.set_current_context(before)


@pytest.fixture
def field(typist: Typist) -> Typist:
    """The window with the cursor in its field."""
    for _ in range(3):
        typist.frame()
    assert typist.io.want_text_input
    return typist


@pytest.mark.parametrize("words", ["the quick brown fox", "Walker_JOINT.Msh 42", "aaaaaaaaaaaaaaaaaaaa"])
def test_all_that_is_typed_within_one_slow_frame_arrives_in_it(field: Typist, words: str) -> None:
    field.type(words)
    field.frame()
    assert field.text == words


def test_keys_that_move_the_cursor_keep_their_order_with_the_letters(field: Typist) -> None:
    field.type("ac")
    field.press(LEFT)
    field.let_go(LEFT)
    field.type("b")
    while imgui.get_current_context().input_events_queue.size():
        field.frame()
    assert field.text == "abc"


def test_shift_with_an_arrow_selects_what_the_next_letter_replaces(field: Typist) -> None:
    field.type("abx")
    field.press(SHIFT, LEFT)
    field.let_go(LEFT, SHIFT)
    field.type("c")
    for _ in range(8):
        field.frame()
    assert field.text == "abc"


def test_a_chord_reaches_the_field(field: Typist) -> None:
    """Select all, then type over it: a quick Ctrl+A as xdotool sends it."""
    field.type("wrong")
    field.press(CTRL, ord("A"))
    field.let_go(CTRL, ord("A"))
    field.type("right")
    for _ in range(8):
        field.frame()
    assert field.text == "right"


@pytest.mark.parametrize("ends", [(CTRL, P), (P, CTRL)])
def test_a_chord_counts_however_quickly_it_is_let_go(typist: Typist, ends: Sequence[int]) -> None:
    typist.chords(imgui.Key.p, imgui.Key.mod_ctrl, 2)
    typist.press(CTRL, P)
    typist.let_go(*ends)
    assert typist.chords(imgui.Key.p, imgui.Key.mod_ctrl, 3) == [True, False, False]
    assert not typist.io.key_ctrl


def test_a_key_after_the_modifier_is_no_chord(typist: Typist) -> None:
    typist.chords(imgui.Key.p, imgui.Key.mod_ctrl, 2)
    typist.press(CTRL)
    typist.let_go(CTRL)
    typist.press(P)
    assert typist.chords(imgui.Key.p, imgui.Key.mod_ctrl, 3) == [False, False, False]


def test_a_display_of_another_scale_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    listeners: list[Callable[..., None]] = []
    monkeypatch.setattr(glfw, "set_window_content_scale_callback", lambda _window, it: listeners.append(it))
    gui, told = object.__new__(Gui), list[None]()
    gui._handle = object()
    gui.on_rescale(lambda: told.append(None))
    listeners[0](gui._handle, 2.0, 2.0)
    assert told == [None]


def test_a_window_without_a_display_has_a_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, answer in (("window_content_scale", (0.0, 0.0)), ("window_size", (0, 0))):
        monkeypatch.setattr(glfw, f"get_{name}", lambda _, answer=answer: answer)
    monkeypatch.setattr(glfw, "get_framebuffer_size", lambda _: (640, 480))
    gui = object.__new__(Gui)
    gui._handle = object()
    assert gui.window_size == (0, 0)
