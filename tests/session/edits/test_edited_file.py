"""Undo steps of a file: what is done, what can be redone, and what is on the disk.

Changes name a node by its name only where that is its own.
"""

from __future__ import annotations

from functools import reduce
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.systems import IS_WINDOWS, needs_links
from viewer.formats import splice
from viewer.formats.splice import Splice
from viewer.model.store.address import Address
from viewer.session.edits.edited_file import (
    NO_RANGES,
    NOT_REACHABLE,
    ChangedRanges,
    EditedFile,
    Edits,
    Step,
    UnsavedMarks,
)
from viewer.session.edits.row_commands import free_name, node_choice

PATH = Path("/models.rlb").absolute()
BASE = b"0123456789"


def step(offset: int, before: bytes, after: bytes, gesture: object = None, entry: str = "a.msh") -> Step:
    return Step(Address(PATH, (entry,)), "step", (Splice(offset, before, after),), gesture=gesture)


def bytes_at(file: EditedFile, position: int) -> bytes:
    """The bytes at a position, from those of the start."""
    data = BASE
    for splices in file.at(0).splices_to(position):
        data = splice.applied(data, splices)
    return data


def test_steps_are_undone_and_redone() -> None:
    file = EditedFile(PATH).added(step(0, b"0", b"A")).added(step(1, b"1", b"BB"))
    assert bytes_at(file, 2) == b"ABB23456789"
    after = splice.applied(splice.applied(bytes_at(file, 2), file.splices_to(0)[0]), file.splices_to(0)[1])
    assert after == BASE


def test_an_edit_drops_what_could_be_redone() -> None:
    file = EditedFile(PATH).added(step(0, b"0", b"A")).added(step(1, b"1", b"B"))
    again = file.at(1).added(step(1, b"1", b"C"))
    assert [it.splices[0].after for it in again.steps] == [b"A", b"C"]


def test_saved_steps_that_are_undone_are_changes_too() -> None:
    named = [replace(step(at, BASE[at : at + 1], b"x"), words=f"step {at}") for at in range(5)]
    saved = reduce(EditedFile.added, named[:3], EditedFile(PATH)).after_saving()
    assert (saved.unsaved, saved.undone) == ((), ())
    back = saved.at(1)
    assert (back.unsaved, back.undone) == ((), ("step 2", "step 1"))
    other = back.added(named[3]).added(named[4])
    assert other.unsaved == (named[3], named[4])
    assert other.undone == ("step 2", "step 1")
    farther = other.at(0)
    assert (farther.unsaved, farther.undone) == ((), ("step 2", "step 1", "step 0"))
    assert farther.added(named[4]).undone == farther.undone
    assert other.after_saving(saved).undone == ("step 2", "step 1")


def test_a_gesture_is_one_step() -> None:
    file = EditedFile(PATH)
    for before, after in ((b"0", b"1"), (b"1", b"2"), (b"2", b"3")):
        file = file.added(step(0, before, after, gesture="drag"))
    assert len(file.steps) == 1
    assert bytes_at(file, 1)[:1] == b"3"
    assert len(file.added(step(0, b"3", b"4", gesture="other")).steps) == 2
    assert len(file.added(step(0, b"3", b"4")).steps) == 2


def test_a_gesture_does_not_reach_over_saved_bytes() -> None:
    file = EditedFile(PATH).added(step(0, b"0", b"1", gesture="drag")).after_saving()
    assert len(file.added(step(0, b"1", b"2", gesture="drag")).steps) == 2


def test_the_saved_position_is_lost_with_its_branch() -> None:
    file = EditedFile(PATH).added(step(0, b"0", b"A")).after_saving()
    assert not file.is_changed
    assert file.at(0).is_changed
    other = file.at(0).added(step(0, b"0", b"B"))
    assert other.saved == NOT_REACHABLE
    assert other.is_changed
    assert other.at(0).is_changed


def test_only_what_an_unsaved_step_changed_is_marked() -> None:
    file = EditedFile(PATH).added(step(0, b"0", b"A", entry="a.msh")).after_saving()
    edits = Edits().with_file(file.added(step(1, b"1", b"B", entry="b.msh")))
    assert edits.is_changed(Address(PATH))
    assert edits.is_changed(Address(PATH, ("b.msh",)))
    assert not edits.is_changed(Address(PATH, ("a.msh",)))
    assert not edits.is_changed(Address(Path("/other.rlb")))


def test_what_was_changed_from_a_model_is_undone_from_there() -> None:
    model, library = f"{PATH}::a.msh", Path("/Material.lib").absolute()
    own = EditedFile(PATH).added(step(0, b"0", b"A").as_made(None, Address.parse(model)))
    other = Step(Address(library), "color", (Splice(0, b"0", b"C"),), made_in=Address.parse(model))
    edits = Edits().with_file(own).with_file(EditedFile(library).added(other))
    assert edits.next_undo(Address.parse(model)).path == library
    edits = edits.with_file(edits.of(library).at(0))
    assert edits.next_undo(Address.parse(model)).path == PATH
    edits = edits.with_file(edits.of(PATH).at(0))
    assert not edits.next_undo(Address.parse(model)).can_undo
    assert edits.next_redo(Address.parse(model)).path == PATH
    edits = edits.with_file(edits.of(PATH).at(1))
    assert edits.next_redo(Address.parse(model)).path == library
    assert edits.next_redo(Address.parse("/other.rlb::b.msh")).path == Path("/other.rlb").absolute()
    assert edits.next_save(Address.parse(model)).path == PATH
    edits = edits.with_file(edits.of(library).at(1)).with_file(edits.of(PATH).after_saving())
    assert edits.next_save(Address.parse(model)).path == library


def test_files_that_one_step_has_changed_are_saved_together() -> None:
    def file(name: str, *groups: str) -> EditedFile:
        found = EditedFile(Path(name))
        for group in groups:
            found = found.added(Step(Address(found.path), "w", (Splice(0, b"0", b"0"),), group=group))
        return found

    model, library, textures = file("/m", "1"), file("/l", "1", "2"), file("/t", "2")
    other, alone = file("/o", "3"), file("/a", "", "")
    edits = Edits()
    for it in (model, library, textures, other, alone):
        edits = edits.with_file(it)
    assert {it.path.name for it in edits.saved_with(model)} == {"l", "t"}, "with those of their steps"
    assert edits.saved_with(other) == edits.saved_with(alone) == ()
    edits = edits.with_file(library.after_saving())
    assert edits.saved_with(model) == (), "what is saved needs nothing"
    undone = library.after_saving().at(1)
    assert edits.with_file(undone).saved_with(textures) == (undone,), "undoing is a change too"


@given(st.lists(st.tuples(st.integers(0, 9), st.binary(min_size=1, max_size=3)), max_size=12), st.data())
def test_any_way_between_positions_gives_the_same_bytes(
    edits: list[tuple[int, bytes]], chosen: st.DataObject
) -> None:
    file, data, states = EditedFile(PATH), BASE, [BASE]
    for offset, after in edits:
        at = min(offset, len(data) - 1)
        new = (Splice(at, data[at : at + 1], after),)
        data = splice.applied(data, new)
        states.append(data)
        file = file.added(Step(Address(PATH), "step", new))
    here = chosen.draw(st.integers(0, len(edits)))
    there = chosen.draw(st.integers(0, len(edits)))
    data = states[here]
    for splices in file.at(here).splices_to(there):
        data = splice.applied(data, splices)
    assert data == states[there]


@given(
    st.lists(
        st.tuples(st.sampled_from(["edit", "drag", "go", "save", "again"]), st.integers(0, 12)), max_size=14
    )
)
def test_the_way_from_the_saved_bytes_leads_to_those_of_now(actions: list[tuple[str, int]]) -> None:
    file, data, saved = EditedFile(PATH), BASE, BASE
    for what, number in actions:
        at = number % len(data)
        if what == "go":
            for splices in file.splices_to(min(number, len(file.steps))):
                data = splice.applied(data, splices)
            file = file.at(number)
        elif what == "save":
            saved, file = data, file.after_saving()
        elif what == "again":
            position = min(number, file.position)
            for splices in file.splices_to(position):
                data = splice.applied(data, splices)
            made = (Splice(0, data[:1], b"again"),)
            data = splice.applied(data, made)
            file = file.with_steps(position, [Step(Address(PATH), "step", made)])
        else:
            new = (Splice(at, data[at : at + 1], b"xy"[: 1 + number % 2]),)
            data = splice.applied(data, new)
            gesture = "drag" if what == "drag" else None
            file = file.added(Step(Address(PATH), "step", new, gesture=gesture))
        reached = saved
        for splices in file.splices_from_saved:
            reached = splice.applied(reached, splices)
        assert reached == data
        assert file.is_changed or data == saved


def test_steps_since_a_save_was_begun_are_unsaved() -> None:
    file = EditedFile(PATH).added(step(0, b"0", b"A")).added(step(1, b"1", b"B"))
    later = file.added(step(2, b"2", b"C"))
    assert later.after_saving(file).saved == 2
    other = file.at(1).added(step(1, b"1", b"D"))
    left = other.after_saving(file)
    data = b"AB23456789"
    for splices in left.splices_from_saved:
        data = splice.applied(data, splices)
    assert data == b"AD23456789"


SPANS = st.lists(st.integers(0, 60), max_size=8, unique=True).map(sorted)


@given(SPANS, st.integers(0, 60), st.integers(0, 12))
def test_a_row_touches_a_range_if_they_share_a_byte(edges: list[int], start: int, size: int) -> None:
    ranges = [*zip(edges[::2], edges[1::2], strict=False)]
    changed = {offset for first, last in ranges for offset in range(first, last)}
    is_touched = bool(changed & {*range(start, start + size)})
    assert ChangedRanges(reversed(ranges)).touches(start, size) == is_touched


def test_empty_ranges_count_for_nothing() -> None:
    assert not NO_RANGES
    assert not ChangedRanges([(5, 5), (7, 3)])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file that links lead to."""
    path = tmp_path.resolve() / "models" / "a.rlb"
    path.parent.mkdir()
    path.write_bytes(b"x")
    if not IS_WINDOWS:
        (path.parent / "link.rlb").symlink_to(path)
    return path


def edited(path: Path) -> Edits:
    step = Step(Address(path, ("b.msh",)), "change", (Splice(0, b"x", b"y"),))
    return Edits().with_file(EditedFile(path).added(step))


def test_the_payload_and_what_holds_it_are_marked(path: Path) -> None:
    marks = UnsavedMarks()
    marks.follow(edited(path))
    for text in (f"{path}::b.msh", str(path), str(path.parent), str(path.parent.parent)):
        assert marks.is_unsaved(Address.parse(text)), text
    for text in (f"{path}::c.msh", str(path.parent / "other.rlb"), f"{path.parent}::b.msh"):
        assert not marks.is_unsaved(Address.parse(text)), text


@needs_links
def test_a_link_is_the_file_that_it_leads_to(path: Path) -> None:
    marks = UnsavedMarks()
    marks.follow(edited(path))
    assert marks.is_unsaved(Address.parse(f"{path.parent / 'link.rlb'}::b.msh"))


def test_answers_follow_the_edits(path: Path) -> None:
    marks, edits = UnsavedMarks(), edited(path)
    marks.follow(edits)
    assert marks.is_unsaved(Address(path))
    marks.follow(edits.with_file(edits.of(path).after_saving()))
    assert not marks.is_unsaved(Address(path))
    marks.follow(edits.with_file(edits.of(path).after_saving().at(0)))
    assert marks.is_unsaved(Address(path)), "undone after saving it differs from the disk again"


NAMES = ("hull", "gun", "gun", "", "7")


@pytest.mark.parametrize(("node", "choice"), [(0, "hull"), (1, 1), (3, 3), (4, 4), (9, 9)])
def test_a_name_is_used_if_it_is_the_only_one(node: int, choice: object) -> None:
    assert node_choice(NAMES, node) == choice


def test_new_names_are_free() -> None:
    assert free_name(["Node1", "node2", "gun"]) == "node3"
