"""What a view keeps when its document is reloaded, read otherwise or edited."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests import game_folders
from tests.builders import Key, ModelBuilder, Node, box
from viewer.formats import wear
from viewer.model.material.lookup import MaterialLookup
from viewer.model.material.phases import PhaseMoment
from viewer.model.material.selectors import WearTable
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.file_store import FileStore
from viewer.session.opened.document import Document
from viewer.session.play.material_play import MaterialPlay
from viewer.session.selection import Selection
from viewer.session.view.kept_view import kept
from viewer.session.view.view_state import ViewState, with_override


def document(count: int, last_key: int = 9) -> Document:
    """A chain of boxes that moves."""
    keys = [Key(), Key(last_key, (1, 0, 0))]
    nodes = [Node(f"n{i}", i - 1, shapes={(0, 0): [box()]}, keys=keys) for i in range(count)]
    nodes[0] = replace(nodes[0], parent=Node("x").parent)
    return Document.of("a.msh", ModelBuilder(nodes).model())


@pytest.fixture
def view() -> ViewState:
    chosen = ViewState(
        hidden=frozenset({0, 2}),
        isolated=frozenset({1, 2}),
        selection=Selection((0, 2), slot=2, batch=2, triangle=25),
        flash=frozenset({1}),
        time=7.5,
        lod=1,
    )
    return with_override(with_override(chosen, 1, (2, 0)), 2, (1, 1))


def test_a_document_of_the_same_shape_keeps_all_of_it(view: ViewState) -> None:
    after = kept(view, document(3), document(3))
    assert after == replace(view, flash=frozenset())


def test_what_names_missing_rows_goes_and_nothing_else(view: ViewState) -> None:
    after = kept(view, document(3), document(2, last_key=5))
    assert (after.hidden, after.isolated) == (frozenset({0}), frozenset({1}))
    assert dict(after.overrides) == {1: (2, 0)}
    assert after.selection == Selection((0,))
    assert (after.time, after.lod) == (5, 1)
    gone = kept(replace(view, isolated=frozenset({2})), document(3), document(2))
    assert gone.isolated is None, "a set of missing nodes would hide everything"


@pytest.mark.parametrize("row", [{"batch": 2}, {"vertex": 50}, {"key": 5}])
def test_a_row_that_was_picked_goes_alone(view: ViewState, row: dict[str, int]) -> None:
    picked = replace(view, selection=Selection((0,), **row))
    assert kept(picked, document(3), document(2)).selection == Selection((0,))


def dressed(folder: Path, names: list[bytes], rows: list[int]) -> Document:
    """A model whose batches use some rows of a wear table."""
    shapes = [box(material=row) for row in rows]
    model = ModelBuilder([Node("a", shapes={(0, 0): shapes})]).model()
    table = WearTable("a.wea", wear.decode(wear.build(names)))
    libraries = MaterialLookup(game_folders.write(folder), FileStore())
    return Document.of("a.msh", model, ReadingChoice.SEED, [table], libraries)


def test_what_is_set_for_a_material_follows_it(tmp_path: Path) -> None:
    before = dressed(tmp_path / "game", [b"SKIN", b"DUO", b"BLINK"], [0, 1, 2])
    after = dressed(tmp_path / "game", [b"BLINK", b"DUO"], [0, 1])
    play = MaterialPlay({1: 1, 0: 1}, {2: PhaseMoment(1), 1: PhaseMoment(0)})
    moved = kept(ViewState(materials=play), before, after).materials
    assert [row.name for row in after.materials.rows] == ["BLINK", "DUO"]
    assert dict(moved.variants) == {1: 1}
    assert dict(moved.still) == {0: PhaseMoment(1), 1: PhaseMoment(0)}
