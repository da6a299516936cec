"""Open models and units with the textures of a folder next to those of now."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import PIL.Image
import pytest

from tests.cli.console import GAME
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.operations.textures.texture_folders import ReturnPlan, plan_return, write_pictures
from viewer.session.importing import RetexturedModel, first_library, tabs_with, unit_of
from viewer.session.opened import opened_resource
from viewer.session.opened.document import Document
from viewer.session.opened.tabs import Tab

TEXTURES = GAME / "Textures.lib"
UNIT = GAME / "UNITS" / "UNITS" / "SAMPLE" / "walker.dat"


@pytest.fixture
def plan(tmp_path: Path) -> ReturnPlan:
    """The textures of the sample with one that the walker shows in black."""
    store, folder = FileStore(), tmp_path / "pictures"
    library = store.open(Address(TEXTURES))
    write_pictures(library, folder)
    PIL.Image.new("RGBA", (128, 128), (0, 0, 0, 255)).save(folder / "METAL.0.png")
    return plan_return(store, library, folder)


def model(name: str) -> Tab:
    """A tab with a model of the sample."""
    source = Source(Address(GAME / "models.rlb", (name,)))
    return Tab(document=Document.open(FileStore(), source))


def unit() -> Tab:
    """A tab with the walker as a unit of its parts."""
    store = FileStore()
    return Tab(resource=opened_resource.read(store, store.open(Address(UNIT)), GAME))


def blackest(documents: object) -> set[int]:
    """The largest values of all pixels of the texture in all models that show it."""
    assert isinstance(documents, tuple)
    rows = (row for it in documents for row in it.materials.rows)
    used = (it for row in rows for it in row.textures if it is not None and it.name == "METAL.0")
    return {int(np.max(it.texture.level(0)[..., :3])) for it in used}


@pytest.mark.parametrize("is_unit", [False, True])
def test_what_shows_a_changed_texture_is_read_with_it(plan: ReturnPlan, is_unit: bool) -> None:
    tab, store = unit() if is_unit else model("walker.msh"), FileStore()
    assert tabs_with([tab], plan) == (tab,)
    read = RetexturedModel.read(store, tab, plan)
    assert not read.problem
    before, after = (tuple(it.documents.values()) for it in (read.before, read.after))
    assert read.after.parts == read.before.parts
    assert min(blackest(before)) > 0
    assert blackest(after) == {0}
    # Nothing of it is in the files that are open.
    assert bytes(store.file(TEXTURES)) == TEXTURES.read_bytes()


def test_what_is_left_out_is_shown_as_it_is(plan: ReturnPlan) -> None:
    read = RetexturedModel.read(FileStore(), model("walker.msh"), plan.without(FileStore(), frozenset({0})))
    assert 0 not in blackest(tuple(read.after.documents.values()))


def test_the_library_of_a_tab_is_that_of_its_first_texture() -> None:
    assert first_library(model("walker.msh")) == first_library(unit()) == Address(TEXTURES)
    assert first_library(Tab()) is None
    assert not unit_of(Tab()).documents
