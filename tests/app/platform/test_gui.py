"""What ImGui makes of keys that come faster than frames."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from imgui_bundle import imgui  # before glfw: it says which GLFW library both are to use

import glfw  # isort: skip
from viewer.app.platform.gui import divide_frames

Keys = tuple[imgui.Key, ...]
CTRL: Keys = (imgui.Key.mod_ctrl, imgui.Key.left_ctrl)
P: Keys = (imgui.Key.p,)
CODES = {CTRL: glfw.KEY_LEFT_CONTROL, P: glfw.KEY_P}


@pytest.fixture
def io() -> Iterator[imgui.IO]:
    """The input of a context of its own."""
    before = imgui.get_current_context()
    context = imgui.create_context()
    imgui.set_current_context(context)
    io = imgui.get_io()
    io.set_ini_filename("")
    io.display_size = imgui.ImVec2(64, 64)
    io.backend_flags |= imgui.BackendFlags_.renderer_has_textures
    yield io
    imgui.destroy_context(context)
    if before is not None:
        imgui.set_current_context(before)


def give(io: imgui.IO, keys: Keys, *, is_down: bool) -> None:
    """A key as a window hears of it: first what divides frames, then ImGui."""
    divide_frames(CODES[keys], glfw.PRESS if is_down else glfw.RELEASE)
    for key in keys:
        io.add_key_event(key, is_down)


def chords(count: int) -> list[bool]:
    """Whether Ctrl+P is pressed in each of the next frames."""
    seen = []
    for _ in range(count):
        imgui.new_frame()
        seen.append(imgui.is_key_chord_pressed(int(imgui.Key.mod_ctrl) | int(imgui.Key.p)))
        imgui.end_frame()
    return seen


@pytest.mark.parametrize("ends", [(CTRL, P), (P, CTRL)])
def test_a_chord_counts_however_quickly_it_is_let_go(io: imgui.IO, ends: tuple[Keys, ...]) -> None:
    chords(2)
    for keys in (CTRL, P):
        give(io, keys, is_down=True)
    for keys in ends:
        give(io, keys, is_down=False)
    assert chords(3) == [True, False, False]
    assert not io.key_ctrl


def test_a_key_after_the_modifier_is_no_chord(io: imgui.IO) -> None:
    chords(2)
    give(io, CTRL, is_down=True)
    give(io, CTRL, is_down=False)
    give(io, P, is_down=True)
    assert chords(3) == [False, False, False]
