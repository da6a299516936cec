"""A second model of the same folder: what is loaded already is read, decoded and uploaded no more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import pytest

from tests.gui.harness import GuiTester
from viewer.app import loading
from viewer.formats import mat0
from viewer.formats.texture import texm
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.render.textures import texels
from viewer.render.textures.texture_store import TextureStore
from viewer.session.opened.document import Document
from viewer.session.view.textures import TextureSwitches

GAME = Address.parse(loading.sample_address()).path.parent


class Tally:
    """Counts calls of functions by what they were asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.counts: dict[str, Counter[Hashable]] = {}
        self._patch = monkeypatch
        self.count("files", FileStore, "_read", lambda _, path, __: path.name)
        self.count("materials", mat0, "decode", lambda data, *_: bytes(data))
        self.count("textures", texm, "decode", bytes)
        self.count("texels", texels, "decode", lambda picture, switches, _: texels.key_of(picture, switches))
        self.count("uploads", TextureStore, "_upload", lambda _, ready: ready.key)

    def count(self, name: str, owner: Any, function: str, key: Callable[..., Hashable]) -> None:
        """Count the calls of one function under a name."""
        original, counts = getattr(owner, function), self.counts.setdefault(name, Counter())

        def counted(*arguments: Any) -> Any:
            counts[key(*arguments)] += 1
            return original(*arguments)

        self._patch.setattr(owner, function, counted)

    def clear(self) -> None:
        """Begin anew."""
        for counts in self.counts.values():
            counts.clear()

    def totals(self) -> dict[str, int]:
        """The calls of each function."""
        return {name: counts.total() for name, counts in self.counts.items()}


@pytest.fixture
def tally(monkeypatch: pytest.MonkeyPatch) -> Tally:
    """What is read, decoded and uploaded in this test."""
    return Tally(monkeypatch)


def show(gui: GuiTester, address: str) -> Document:
    """Open a model of the sample and wait for its textures."""
    gui.open(f"{GAME}/{address}")
    gui.pause()
    gui.until(lambda: not gui.app.scene.renderer.requested_textures(gui.state.view.textures))
    return gui.document


def keys_of(document: Document) -> set[texels.TexelKey]:
    """The textures of a model."""
    shown = [picture for row in document.materials.rows for picture in (*row.textures, row.lightmap)]
    switches = TextureSwitches()
    return {texels.key_of(picture, switches) for picture in shown if picture}


def test_a_second_model_reads_decodes_and_uploads_only_what_is_new(gui: GuiTester, tally: Tally) -> None:
    walker = keys_of(show(gui, "models.rlb::walker.msh"))
    drone = keys_of(show(gui, "models.rlb::drone.msh"))
    assert walker & drone
    assert drone - walker
    for name in ("files", "materials", "textures", "texels", "uploads"):
        assert max(tally.counts[name].values()) == 1, name
    assert set(tally.counts["uploads"]) == set(tally.counts["texels"]) == walker | drone


def test_a_model_in_another_archive_of_the_folder_shares_too(gui: GuiTester, tally: Tally) -> None:
    show(gui, "models.rlb::drone.msh")
    tally.clear()
    others = keys_of(show(gui, "seed.rlb::drone_seed.msh"))
    assert tally.counts["files"] == {"seed.rlb": 1}
    assert (tally.totals()["texels"], tally.totals()["uploads"]) == (0, 0)
    assert all(key in gui.app.scene.renderer._store for key in others)


def test_the_same_model_again_costs_nothing_but_its_own_tables(gui: GuiTester, tally: Tally) -> None:
    before = show(gui, "models.rlb::walker.msh")
    show(gui, "models.rlb::drone.msh")
    tally.clear()
    assert show(gui, "models.rlb::walker.msh") is not before
    assert set(tally.totals().values()) == {0}


def test_a_library_that_has_changed_is_read_again(gui: GuiTester, tally: Tally, tmp_path: Path) -> None:
    for path in GAME.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    gui.open(f"{tmp_path}/models.rlb::walker.msh")
    tally.clear()
    (tmp_path / "Material.lib").write_bytes(b"")
    gui.open(f"{tmp_path}/models.rlb::drone.msh")
    assert tally.counts["files"] == {"Material.lib": 1}
    assert gui.document.materials.rows[0].is_missing
