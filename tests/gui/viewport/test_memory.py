"""What the window holds after it has shown many different files: every cache has its bound."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, archive_of, box
from tests.gui.harness import GuiTester
from viewer.app import scene_renderer
from viewer.app.images import textures
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.formats.texture.texm import Texture
from viewer.model.mesh.model import Model
from viewer.model.store import file_store
from viewer.session.opened import browser
from viewer.session.opened.document import Document

FILES = 24
BOUND = 4


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Archives with a model and a texture each, all different; the caches hold less than all of them."""
    monkeypatch.setattr(file_store, "MOST_FILES", BOUND)
    monkeypatch.setattr(browser, "MOST_ROOTS", BOUND)
    monkeypatch.setattr(textures, "CAPACITY", 2 << 20)
    paths = []
    for number in range(FILES):
        model = ModelBuilder([Node("box", shapes={(0, 0): [box((1 + number, 1, 1))]})]).build()
        texture = texm.build(np.full((16, 16, 4), number * 8, np.uint8), PixelFormat.RGB888)
        path = tmp_path / f"{number}.rlb"
        path.write_bytes(archive_of({"a.msh": model, "a.0": texture}))
        paths.append(path)
    return paths


def held(kind: type) -> int:
    """How many objects of a class exist."""
    gc.collect()
    return sum(type(it) is kind for it in gc.get_objects())


@pytest.fixture
def seen(files: list[Path], request: pytest.FixtureRequest) -> GuiTester:
    """The application after it has shown every model and every texture."""
    gui: GuiTester = request.getfixturevalue("gui")
    for path in files:
        gui.open(path)
        gui.open(f"{path}::a.0")
    return gui


def test_only_the_files_shown_last_are_held(seen: GuiTester) -> None:
    library, tabs = seen.app.opener.library, len(seen.state.tabs.tabs)
    assert len(library._files) <= BOUND
    assert len(seen.state.browser.roots) <= BOUND
    assert len(seen.state.browser.children) <= BOUND
    assert held(Document) <= scene_renderer.MOST_MODELS + tabs
    assert held(Model) <= scene_renderer.MOST_MODELS + tabs + BOUND
    assert held(Texture) <= tabs + BOUND


def test_textures_of_the_panels_keep_to_their_share_of_the_graphics_card(seen: GuiTester) -> None:
    seen.settle()
    assert seen.app.gallery._shelf.size <= textures.CAPACITY + max(
        texture.width * texture.height * 4 for texture in seen.app.gallery._shelf._textures.values()
    )
    assert not seen.app.gallery._asked
    assert not seen.app.gallery._decoded
