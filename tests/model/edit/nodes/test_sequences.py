"""Sequences of changes of nodes and keys: nothing gets wrong, all can be undone, no other node moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import Key, ModelBuilder, Node, quad, turn
from tests.model.edit.drafts import corpus_models, draft_of
from tests.model.edit.nodes.golden import poses
from tests.share import examples, some
from viewer.errors import EditError, MshviewError, Severity, UsageError
from viewer.formats import splice
from viewer.model.checks.models import check_model
from viewer.model.edit import script
from viewer.model.edit.change import Change
from viewer.model.edit.draft import Draft
from viewer.model.edit.nodes.node_count import AddNode, RemoveNode, ReorderNodes, SetCell, SetParent
from viewer.model.edit.nodes.rename_node import RenameNode
from viewer.model.edit.nodes.set_key import AddKey, Animate, RemoveKey, SetKey
from viewer.model.edit.nodes.track_edit import Retime, SetFrameCount
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.skeleton import ROOT, Skeleton
from viewer.model.mesh.reading import FIELD, SEED
from viewer.model.mesh.reading_choices import ReadingChoice

SQUARE = [quad()]
SCENE = (
    Node("hull", shapes={(0, 0): SQUARE}, keys=[Key(0), Key(6, (2, 0, 0), turn((0, 0, 1), 90))]),
    Node("turret", parent=0, shapes={(0, 0): SQUARE}, keys=[Key(0, (0, 0, 2), turn((0, 1, 0), 20))]),
    Node(
        "gun", parent=1, keys=[Key(0, (0, 3, 0)), Key(2, (0, 2, 0), turn((1, 0, 0), 30)), Key(5, (0, 3, 0))]
    ),
    Node("leg", parent=0, keys=[Key(0, (1, 0, -1)), Key(9, (2, 0, -1), turn((1, 0, 0), -40))]),
    Node("foot", parent=3, shapes={(0, 0): SQUARE}, keys=[Key(0, (0, 0, -2))]),
)
MODELS = {
    ReadingChoice.SEED: ModelBuilder.of(SCENE, SEED).build(),
    ReadingChoice.FIELD: ModelBuilder.of(SCENE, FIELD).build(),
}
NODES = st.integers(0, 6)
TIMES = st.integers(0, 14)
NUMBERS = st.floats(-9, 9, width=32)
FRAMES = range(-1, 31)

STILL: tuple[st.SearchStrategy[Change], ...] = (
    st.builds(RenameNode, NODES, st.sampled_from(["x", "", None, "Ствол", "y" * 31])),
    st.builds(AddKey, NODES, TIMES),
    st.builds(AddNode, st.sampled_from(["", "a", "b"]), st.none() | NODES, st.none() | NODES),
    st.builds(RemoveNode, NODES, st.booleans()),
    st.builds(ReorderNodes, st.permutations(range(5)).map(tuple)),
    st.builds(SetParent, NODES, st.none() | NODES, st.just(value=True), st.booleans()),
    st.builds(SetFrameCount, st.integers(1, 30)),
    st.builds(Animate, NODES),
)
"""Changes after which every node that is still there is where it was, at every frame."""
MOVING: tuple[st.SearchStrategy[Change], ...] = (
    st.builds(SetKey, NODES, st.integers(0, 3), st.none() | st.tuples(NUMBERS, NUMBERS, NUMBERS), time=TIMES),
    st.builds(SetKey, NODES, st.integers(0, 3), quaternion=st.just((0.6, 0.0, 0.8, 0.0))),
    st.builds(RemoveKey, NODES, st.integers(0, 3)),
    st.builds(Animate, NODES, st.just(value=False)),
    st.builds(Retime, TIMES, TIMES, TIMES, TIMES, NODES, st.booleans()),
    st.builds(SetParent, NODES, st.none() | NODES, st.just(value=False), st.booleans()),
)
"""Changes that move one node and those under it."""
ANY = st.one_of(
    *STILL, *MOVING, st.builds(SetCell, NODES, st.integers(0, 2), st.integers(0, 4), st.integers(0, 1))
)


def applied(draft: Draft, change: Change) -> bool:
    """Whether a change was made; a refused one is asserted to change nothing."""
    before = bytes(draft.data)
    try:
        change.apply(draft)
    except (EditError, UsageError):
        assert bytes(draft.data) == before
        return False
    return True


def wrong(data: bytes) -> Counter[tuple[str, Severity]]:
    """Rules that are broken, and how often; what is only remarkable is left out."""
    found = (it for it in check_model(Model.read(data)) if it.severity is not Severity.INFO)
    return Counter((it.rule, it.severity) for it in found)


@pytest.mark.parametrize("reading", [ReadingChoice.SEED, ReadingChoice.FIELD])
@settings(max_examples=examples(60))
@given(changes=st.lists(ANY, min_size=1, max_size=8))
def test_nothing_gets_wrong_and_all_is_undone(reading: ReadingChoice, changes: Sequence[Change]) -> None:
    data = MODELS[reading]
    draft = draft_of(data, reading)
    made = [change for change in changes if applied(draft, change)]
    after = bytes(draft.data)
    assert after == splice.applied(data, draft.splices)
    assert splice.applied(after, splice.reverse(draft.splices)) == data
    assert not wrong(after) - wrong(data) - Counter({("A08", Severity.WARNING): 1})
    again = draft_of(data, reading)
    for change in script.parse(script.forms(made)):
        change.apply(again)
    assert bytes(again.data) == after


@pytest.mark.parametrize("reading", [ReadingChoice.SEED, ReadingChoice.FIELD])
@settings(max_examples=examples(80))
@given(change=st.one_of(*STILL))
def test_changes_that_move_nothing(reading: ReadingChoice, change: Change) -> None:
    stays(MODELS[reading], reading, change, 2e-3)


@pytest.mark.parametrize("reading", [ReadingChoice.SEED, ReadingChoice.FIELD])
@settings(max_examples=examples(80))
@given(change=st.one_of(*MOVING))
def test_a_moved_node_takes_along_only_those_under_it(reading: ReadingChoice, change: Change) -> None:
    data = MODELS[reading]
    draft = draft_of(data, reading)
    if not applied(draft, change):
        return
    moved = below(Model.read(data), int(getattr(change, "node", 0)))
    kept = [index for index in range(len(SCENE)) if index not in moved]
    old, new = (
        placed(it, reading, [SCENE[index].name for index in kept]) for it in (data, bytes(draft.data))
    )
    assert np.array_equal(old, new)


def stays(data: bytes, reading: ReadingChoice, change: Change, limit: float) -> None:
    """Assert that every node with a name that is still there is where it was."""
    draft = draft_of(data, reading)
    if not applied(draft, change) or isinstance(change, RenameNode):
        return
    in_records = reading is ReadingChoice.FIELD
    old, new = (set(it.node_names(from_records=in_records)) for it in (Model.read(data), draft.model))
    names = sorted((old & new) - {""})
    before, after = (placed(it, reading, names) for it in (data, bytes(draft.data)))
    scale = max(1.0, float(np.abs(before).max(initial=0)))
    assert np.abs(before - after).max(initial=0) <= limit * scale


def placed(data: bytes, reading: ReadingChoice, names: Sequence[str]) -> np.ndarray:
    """World matrices of the first node of each name at frames."""
    model = Model.read(data)
    known = model.node_names(from_records=reading is ReadingChoice.FIELD)
    order = (FIELD if reading is ReadingChoice.FIELD else SEED).quaternion_order
    return poses(model, FRAMES, order)[:, [known.index(name) for name in names]]


def below(model: Model, node: int) -> set[int]:
    """A node and all under it."""
    found = {node}
    for index, parent in enumerate(Skeleton(model).parents.tolist()):
        if parent != ROOT and parent in found:
            found.add(index)
    return found


def test_every_model_of_the_corpora_takes_a_sequence(files: Path) -> None:
    for corpus in ["seed", "field"]:
        reading = ReadingChoice(corpus)
        sequence: Sequence[Change] = (
            AddNode("new", 0, 1),
            AddKey(1, 5),
            SetKey(1, 1, (1.0, 2.0, 3.0)),
            SetParent(0, None),
            Retime(5, 5, 7, 7, 1),
            RemoveNode(2),
            Animate(0),
            RemoveKey(1, 1),
            SetCell(1, 2, 4, 0),
        )
        for key, data in corpus_models(files, corpus):
            draft = draft_of(data, reading)
            made = [change for change in sequence if applied(draft, change)]
            assert len(made) > 6, key
            after = bytes(draft.data)
            assert splice.applied(after, splice.reverse(draft.splices)) == data, key
            assert not wrong(after) - wrong(data), key


def test_damaged_models_are_changed_or_refused_without_any_other_error(files: Path) -> None:
    sequence: Sequence[Change] = (
        RenameNode(0, "new"),
        SetCell(0, 0, 1, 0),
        SetKey(0, 0, (1.0, 2.0, 3.0), (1.0, 0.0, 0.0, 0.0)),
        AddKey(0, 3),
        SetKey(0, 1, time=4),
        Retime(0, 4, 0, 8),
        AddNode("more", 0, 1),
        SetParent(1, None, keeps_pose=True),
        RemoveNode(0),
        ReorderNodes((1, 0)),
        SetFrameCount(40),
        Animate(0, is_animated=False),
    )
    made = refused = 0
    paths = [*files.glob("damaged/msh/*"), *files.glob("*/odd/*"), *files.glob("*/game/**/*.msh")]
    for path in some(sorted(paths), files):
        data = path.read_bytes()
        try:
            Model.read(data)
        except MshviewError:
            continue
        draft = draft_of(data)
        for change in sequence:
            if applied(draft, change):
                made += 1
            else:
                refused += 1
        assert splice.applied(draft.data, splice.reverse(draft.splices)) == data, path
    assert made > 100
    assert refused > 20
