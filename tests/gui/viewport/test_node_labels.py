"""Names of nodes over the image, and at sockets what they take."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.builders import Key, ModelBuilder, Node, box
from tests.gui.harness import GuiTester, click, write_model
from tests.gui.window.test_language import recorded
from viewer.model.mesh.reading import FIELD


def mount() -> ModelBuilder:
    """A body with two sockets, one of which says what it takes."""
    builder = ModelBuilder(
        [
            Node("body", shapes={(0, 0): [box((4, 4, 4))]}),
            Node("Base_TM", parent=0, keys=[Key(position=(0, 0, 2))]),
            Node("Base_CL", parent=0, keys=[Key(position=(0, 0, -2))]),
        ],
        FIELD,
    )
    builder.names = [b"", b"e_tur_bt", b""]
    return builder


def press(gui: GuiTester, key: imgui.Key) -> None:
    """Press a key with Shift."""
    gui.run(lambda context: context.key_press(int(imgui.Key.mod_shift) | int(key)))


def test_sockets_say_what_they_take(
    gui: GuiTester, tmp_path: Path, written: dict[str, tuple[float, float]]
) -> None:
    gui.open(write_model(tmp_path / "mount.msh", mount()))
    assert written == {}
    press(gui, imgui.Key.s)
    assert {*written} == {"Base_TM\ntakes e_tur_bt", "Base_CL"}
    assert written["Base_TM\ntakes e_tur_bt"][1] < written["Base_CL"][1]
    gui.change(hidden=frozenset({2}))
    assert {*written} == {"Base_TM\ntakes e_tur_bt"}


def test_names_are_at_their_nodes_and_sockets_are_written_once(
    gui: GuiTester, tmp_path: Path, written: dict[str, tuple[float, float]]
) -> None:
    gui.open(write_model(tmp_path / "mount.msh", mount()))
    press(gui, imgui.Key.n)
    assert {*written} == {"body", "Base_TM", "Base_CL"}
    click(gui, "//##toolbar/###sockets")
    assert {*written} == {"body", "Base_TM\ntakes e_tur_bt", "Base_CL"}
    gui.change(isolated=frozenset({0}))
    assert {*written} == {"body"}


def test_the_inspector_and_the_outline_say_what_a_socket_takes(
    gui: GuiTester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gui.open(write_model(tmp_path / "mount.msh", mount()))
    with recorded(monkeypatch) as drawn:
        gui.select(2)
        assert "takes" not in drawn
        gui.select(1)
        assert {"takes", "e_tur_bt"} <= drawn
    assert any("Base_TM   takes e_tur_bt" in words for words in drawn)
