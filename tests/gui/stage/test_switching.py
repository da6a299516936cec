"""Going through documents faster than they are read: what comes late is dropped, and nothing stays behind."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterator
from ctypes.util import find_library
from pathlib import Path

import numpy as np
import pytest
from moderngl_window.context.headless.window import Window

from tests.builders import Node, quad
from tests.gui.engine import headless_window
from tests.gui.harness import GuiTester
from tests.render import painted
from viewer.formats import mat0
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.store.address import Address
from viewer.session.opened.document import Document

KINDS = ("Buffer", "Texture", "VertexArray", "Framebuffer", "Renderbuffer", "Sampler", "Program")
MOST_NAMES = 5000
"""Names that a driver may have given in a test, counted from 1; it need not use one again."""


@pytest.fixture
def window() -> Iterator[Window]:
    """A window of its own, in which the driver counts from 1."""
    window = headless_window()
    yield window
    window.destroy()


@pytest.fixture
def models(tmp_path: Path) -> list[str]:
    """Two game folders with a model of four quads in four textures each."""
    return [str(write(tmp_path / name, seed)) for seed, name in enumerate("ab")]


def write(folder: Path, seed: int) -> object:
    names = [f"M{number}" for number in range(4)]
    noise = np.random.default_rng(seed).integers(0, 256, (4, 128, 128, 4), np.uint8)
    files = painted.libraries(
        {name: mat0.build([PhaseRecord(f"{name}.0".encode())]) for name in names},
        {f"{name}.0": texm.build(noise[number], PixelFormat.ARGB8888) for number, name in enumerate(names)},
    )
    scene = [Node(shapes={(0, 0): [quad(4, center=(n * 4, 0, 0), material=n)]}) for n in range(4)]
    return painted.write(folder, scene, names, files)


def held(gui: GuiTester) -> dict[str, int]:
    """How many objects of each kind the driver holds once what nothing refers to is given back."""
    gc.collect()
    gui.change(time=gui.state.view.time + 0.5)
    driver = ctypes.CDLL(find_library("GL") or find_library("OpenGL"))
    known = {kind: getattr(driver, f"glIs{kind}") for kind in KINDS}
    return {
        kind: sum(is_held(name) & 0xFF for name in range(1, MOST_NAMES)) for kind, is_held in known.items()
    }


def settle(gui: GuiTester) -> None:
    """Draw until everything that was asked for is there."""
    gui.until(lambda: not gui.app.jobs.title and not gui.app.images.scene.has_work)
    gui.settle()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks the driver of Linux")
def test_fifty_documents_in_a_row_leave_nothing_behind(gui: GuiTester, models: list[str]) -> None:
    for model in models * 2:
        gui.open(model)
        settle(gui)
    before = held(gui)
    for number in range(50):
        gui.app.opener.open(Address.parse(models[number % 2]))
        gui.frames(number % 3)
    settle(gui)
    gui.open(models[1])
    settle(gui)
    assert str(gui.document.address) == models[1]
    assert held(gui) == before
    assert min(before.values()) > 0
    assert sum(isinstance(found, Document) for found in gc.get_objects()) == 1


def test_textures_that_come_after_their_document_change_nothing(gui: GuiTester, models: list[str]) -> None:
    """The second model looks as it does alone, though textures of the first were on their way."""
    gui.open(models[1])
    settle(gui)
    alone = gui.picture()
    gui.open(models[0])
    gui.app.opener.open(Address.parse(models[1]))
    settle(gui)
    assert str(gui.document.address) == models[1]
    assert (gui.picture() == alone).all()


def test_the_window_closes_while_textures_are_decoded(gui: GuiTester, models: list[str]) -> None:
    gui.app.opener.open(Address.parse(models[0]))
    gui.until(lambda: gui.state.document is not None)
    gui.app.jobs.close()
    gui.app.jobs.collect()
    assert not gui.app.images.scene.has_work
    assert not gui.app.jobs.title
