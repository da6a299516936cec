"""Takes the pictures of the manual in the program itself: python -m docs.make.pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import imgui
from PIL import Image

from tests.gui.engine import release_lock_in_frames
from tests.gui.harness import Context, GuiTester, bring_to_front, enlarge
from viewer.app.platform.window import open_headless
from viewer.control.settings.settings import Settings
from viewer.resources import bundled_path

ROOT = Path(__file__).parents[2]
SIZE = (1440, 900)
GAME = bundled_path("assets/game")
WALKER = f"{GAME / 'models.rlb'}::walker.msh"
Step = Callable[[GuiTester], None]


def main() -> None:
    """Take all of them, each in a window of its own."""
    for name, step in PICTURES.items():
        with pytest.MonkeyPatch.context() as patch:
            release_lock_in_frames(patch)
            window = open_headless(SIZE)
            gui = GuiTester(window, Settings(has_seen_hint=True))
            gui.frames(4)
            step(gui)
            gui.settle()
            write(ROOT / name, gui)
            gui.close()
            window.destroy()


def write(path: Path, gui: GuiTester) -> None:
    """Write the window in 256 colors, which is a third of the bytes."""
    path.parent.mkdir(exist_ok=True)
    image = Image.fromarray(np.ascontiguousarray(gui.shown()[..., :3]))
    image.quantize(256, kmeans=3, dither=Image.Dither.NONE).save(path, optimize=True)


def walking(gui: GuiTester) -> None:
    """The walker in the middle of a step."""
    gui.open(WALKER)
    gui.pause(0.4)


def whole(gui: GuiTester) -> None:
    """The walker and its materials: no panel in front names a folder of this computer."""
    walking(gui)
    bring_to_front(gui, "materials")


def why(gui: GuiTester) -> None:
    """The card of a pixel of the turret."""
    walking(gui)
    area = gui.app.viewport.area
    at = imgui.ImVec2(area.left + area.width * 0.5, area.top + area.height * 0.42)

    def script(context: Context) -> None:
        context.mouse_move_to_pos(at)
        context.key_down(int(imgui.Key.mod_alt))
        context.mouse_click(imgui.MouseButton_.left)
        context.key_up(int(imgui.Key.mod_alt))

    gui.run(script)


def panel(name: str) -> Step:
    """A panel at the bottom, pulled up, with a part selected."""

    def step(gui: GuiTester) -> None:
        walking(gui)
        gui.select(4)
        bring_to_front(gui, name)
        enlarge(gui, name)

    return step


def effect(gui: GuiTester) -> None:
    """An explosion on its stage."""
    gui.open(f"{GAME / 'effects.rlb'}::blast")
    gui.wait(0.6)


PICTURES: dict[str, Step] = {
    "docs/pictures/window.png": whole,
    "docs/pictures/why.png": why,
    "docs/pictures/dope_sheet.png": panel("dope_sheet"),
    "docs/pictures/bytes.png": panel("bytes"),
    "docs/pictures/effect.png": effect,
}

if __name__ == "__main__":
    main()
