"""Keys over time: which are in a box, and what moving, scaling, removing and pasting several changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, box
from tests.model.edit.drafts import planned
from viewer.errors import Severity
from viewer.formats.archive import nres
from viewer.formats.msh.tables import FRAME_MAP
from viewer.model.edit.change import Change
from viewer.model.edit.nodes.set_key import MoveKeys
from viewer.model.mesh.model import Model, Variant
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.session.opened.document import Document
from viewer.session.play.keys.key_sheet import KeySheet, Mark

ROOT, ARM, HAND, STILL = range(4)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An arm with keys at 0, 4, 8, 12, of which two say the same, a hand at 0, 5; two nodes stand still."""
    keys = [Key(time, position=(time, 0, 0)) for time in (0, 4)]
    keys += [Key(time, position=(9, 0, 0)) for time in (8, 12)]
    nodes = [
        Node("root", shapes={(0, 0): [box()]}),
        Node("arm", parent=ROOT, keys=keys),
        Node("hand", parent=ARM, keys=[Key(position=(0, 1, 0)), Key(5, position=(0, 2, 0))]),
        Node("still", parent=ROOT, keys=[Key(position=(0, 0, 3))]),
    ]
    made = tmp_path / "arm.msh"
    made.write_bytes(ModelBuilder.of(nodes).build())
    return made


def opened(path: Path) -> Document:
    return Document.open(FileStore(), Source(Address.given(str(path))))


def times(document: Document, node: int) -> list[float]:
    sheet = KeySheet(document)
    found: list[float] = sheet.times[sheet.of(node)].tolist()
    return found


def made(path: Path, changes: tuple[Change, ...]) -> Document:
    """The document after some changes."""
    path.write_bytes(bytes(planned(path.read_bytes(), *changes).after))
    return opened(path)


def test_keys_by_node_and_time(path: Path) -> None:
    sheet = KeySheet(opened(path))
    assert [times(opened(path), node) for node in (ARM, HAND, STILL)] == [[0, 4, 8, 12], [0, 5], [0]]
    assert sheet.moving() == {ARM, HAND}
    assert sheet.is_held[sheet.of(ARM)].tolist() == [False, False, True, False]
    assert sheet.inside([ARM, HAND], 4, 8) == {Mark(ARM, 1), Mark(ARM, 2), Mark(HAND, 1)}
    assert sheet.inside([ARM, 99], 12, 99) == {Mark(ARM, 3)}
    assert sheet.marks(sheet.chosen({Mark(ARM, 2), Mark(ARM, 77)})) == {Mark(ARM, 2)}


def test_where_the_frame_map_says_the_fallback_key(path: Path) -> None:
    """The arm has 13 frames, its last key is at 12; the hand is at its last key from 5 on."""
    sheet = KeySheet(opened(path))
    assert sheet.fallback_spans(ARM).tolist() == [[12, 12]]
    assert sheet.fallback_spans(HAND).tolist() == [[5, 12]]
    assert sheet.fallback_spans(STILL).tolist() == []


def test_several_keys_move_as_one_step_and_the_first_ones_stay(path: Path) -> None:
    sheet = KeySheet(opened(path))
    edit = sheet.shifted(sheet.inside([ARM, HAND], 0, 99), 2)
    assert len(edit.changes) == 2, "one for each node"
    moved = made(path, edit.changes)
    assert [times(moved, ARM), times(moved, HAND)] == [[0, 6, 10, 14], [0, 7]]
    assert KeySheet(moved).marks(edit.chosen) == KeySheet(moved).inside([ARM, HAND], 0, 99)


def test_keys_moved_to_the_beginning_keep_their_distances(path: Path) -> None:
    sheet = KeySheet(opened(path))
    marks = {Mark(ARM, 0), Mark(ARM, 1), Mark(ARM, 2), Mark(HAND, 1)}
    assert [sheet.distance(marks, way) for way in (-99, -3, -2, 7)] == [-3, -3, -2, 7]
    assert sheet.distance({Mark(ARM, 0)}, 5) == 0, "the first key stays at 0"
    edit = sheet.shifted(marks, -99)
    moved = made(path, edit.changes)
    assert [times(moved, node) for node in (ARM, HAND)] == [[0, 1, 5, 12], [0, 2]]


def test_keys_are_scaled_about_a_time_to_whole_frames(path: Path) -> None:
    sheet = KeySheet(opened(path))
    edit = sheet.scaled(sheet.inside([ARM], 4, 12), 4.0, 0.6)
    assert times(made(path, edit.changes), ARM) == [0, 4, 6, 9]


def test_keys_that_do_not_move_change_nothing(path: Path) -> None:
    sheet = KeySheet(opened(path))
    assert sheet.shifted({Mark(ARM, 1)}, 0).changes == ()
    assert sheet.shifted({Mark(ARM, 0)}, 5).changes == (), "the first key stays at 0"
    assert sheet.shifted({Mark(ARM, 1)}, -99).changes == (MoveKeys("arm", (1,), (1.0,)),), (
        "and is alone there"
    )


def test_removed_keys_leave_the_others_and_the_first(path: Path) -> None:
    sheet = KeySheet(opened(path))
    edit = sheet.removed({Mark(ARM, 0), Mark(ARM, 1), Mark(ARM, 3), Mark(HAND, 1)})
    left = made(path, edit.changes)
    assert [times(left, ARM), times(left, HAND)] == [[0, 8], [0]]


def test_keys_of_one_node_are_pasted_into_another(path: Path) -> None:
    document = opened(path)
    sheet = KeySheet(document)
    copied = sheet.copied({Mark(ARM, 1), Mark(ARM, 2)})
    edit = sheet.pasted(copied, 5.0, HAND)
    pasted = made(path, edit.changes)
    assert times(pasted, HAND) == [0, 5, 9]
    assert edit.chosen == {(HAND, 5.0), (HAND, 9.0)}
    place = pasted.animation.pose(9.5).position[HAND]
    assert place.tolist() == [9, 0, 0]
    assert pasted.animation.pose(5.5).position[HAND].tolist() == pytest.approx([4.625, 0, 0], abs=1e-6)


def test_keys_of_several_nodes_are_pasted_into_their_own(path: Path) -> None:
    sheet = KeySheet(opened(path))
    copied = sheet.copied({Mark(ARM, 1), Mark(HAND, 1)})
    pasted = made(path, sheet.pasted(copied, 9.0, STILL).changes)
    assert [times(pasted, ARM), times(pasted, HAND)] == [[0, 4, 8, 9, 12], [0, 5, 10]]
    assert np.array_equal(
        pasted.animation.sample_nodes(np.array([ARM]), np.array([9.0], np.float32)).position[0], [4, 0, 0]
    )


def test_what_is_not_there_is_not_copied(path: Path) -> None:
    sheet = KeySheet(opened(path))
    assert sheet.copied({Mark(ARM, 9), Mark(99, 0)}) == ()
    assert sheet.pasted((), 3.0).changes == ()


def test_what_is_wrong_stands_with_its_node(tmp_path: Path) -> None:
    """A key that is not after the one before it, a fallback key that does not exist, a word beyond it."""
    builder = ModelBuilder.of(
        [Node(name, keys=[Key(), Key(4, position=(1, 0, 0))]) for name in ("late", "keyless", "beyond")]
    )
    builder.keys["time"][1] = 0
    builder.nodes["fallback_key"][1] = 99
    builder.frame_map[2 * 5 + 3] = 5000
    path = tmp_path / "odd.msh"
    path.write_bytes(builder.build())
    sheet = KeySheet(opened(path))
    rules = {node: {it.rule for it in found} for node, found in sheet.problems.items()}
    assert "A05" in rules[0]
    assert "A02" in rules[1]
    assert {"A04", "A10"} & rules[2]


def test_nothing_is_wrong_with_a_sound_model(path: Path) -> None:
    assert {node for node in KeySheet(opened(path)).problems if node >= 0} == set()


def test_wrong_keys_and_words_are_marked_at_their_times(path: Path) -> None:
    """The arm has the keys 1 to 4 of the pool and the first 13 words of the map; the hand the next 13."""
    builder = ModelBuilder.of(
        [
            Node("root", shapes={(0, 0): [box()]}),
            Node("arm", parent=ROOT, keys=[Key(time) for time in (0, 4, 8, 12)]),
            Node("hand", parent=ARM, keys=[Key(), Key(5)]),
        ]
    )
    builder.keys["time"][3] = 4
    builder.keys["quaternion"][5] = 0
    data = bytearray(builder.build())
    model = Model(nres.Archive.read(bytes(data)), Variant.MODEL)
    start = model.archive.entries[model.archive.find_type(FRAME_MAP) or 0].offset
    data[start + 2 * 9 : start + 2 * 10] = b"\xff\xff"
    data[start + 2 * (13 + 2) : start + 2 * (13 + 3)] = b"\x00\x00"
    path.write_bytes(data)
    faults = KeySheet(opened(path)).faults
    found = {node: [(it.time, it.is_key, it.problem.rule) for it in rows] for node, rows in faults.items()}
    assert found == {
        ARM: [(4, True, "A05"), (9, False, "A10")],
        HAND: [(2, False, "A11"), (0, True, "A13")],
    }
    assert KeySheet(opened(path)).faults[HAND][1].problem.severity is Severity.INFO


def test_keys_that_meet_others_are_counted_before_the_edit(path: Path) -> None:
    """The keys of the arm are at 0, 4, 8, 12: moved by 4 the one at 4 meets that at 8; scaled, two meet."""
    sheet = KeySheet(opened(path))
    first, second, last = (Mark(ARM, place) for place in (1, 2, 3))
    assert sheet.taken([first], sheet.shifted([first], 4)) == 1
    assert sheet.taken([first], sheet.shifted([first], 3)) == 0
    assert sheet.taken([first, second, last], sheet.shifted([first, second, last], 4)) == 0
    assert sheet.taken([second, last], sheet.scaled([second, last], 8, 0.1)) == 1
    assert sheet.taken([first], sheet.shifted([first], 0)) == 0


def test_keys_after_the_last_frame_are_in_sight(tmp_path: Path) -> None:
    """Of a model that states one frame; a key at no time that is possible is left out."""
    builder = ModelBuilder.of([Node("arm", keys=[Key(), Key(4), Key(9), Key(10)])])
    builder.frame_count, builder.keys["time"][3] = 1, 3e38
    (tmp_path / "short.msh").write_bytes(builder.build())
    document = opened(tmp_path / "short.msh")
    assert document.last_frame == 0
    assert KeySheet(document).last_time == 9


def test_the_words_of_the_frame_map_in_runs(path: Path) -> None:
    """The map that spec/animation.md 6 gives an arm of keys at 0, 4, 8 and 12."""
    sheet = KeySheet(opened(path))
    assert sheet.word_runs(ARM) == ((0, 3, 0, False), (4, 7, 1, False), (8, 11, 2, False), (12, 12, 3, True))
    assert sheet.word_at(ARM, 8.4) == (8, 11, 2, False)
    assert sheet.word_at(ARM, 12.0) == (12, 12, 3, True)
    assert sheet.word_at(ARM, 13.0) is None
    assert sheet.word_at(STILL, 0.0) is None
