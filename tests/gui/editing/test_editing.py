"""Edits in the window: bytes, undo steps, keys, what stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.gui.hand import press
from tests.gui.harness import BOTTOM, LEFT, GuiTester, current
from viewer.model.edit.change import Topic
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.session.edits.questions import Question, SaveChoice, SaveSheet
from viewer.session.selection import Selection

pytestmark = pytest.mark.closed("inspector", *BOTTOM, *LEFT)

CTRL = int(imgui.Key.mod_ctrl)
SHIFT = int(imgui.Key.mod_shift)


def edit(gui: GuiTester, change: SetField, gesture: object = None, *, is_forced: bool = False) -> None:
    """Request a change of what is open, and wait until it is shown."""
    gui.commands.edits.edit(gui.document.address, (change,), gesture=gesture, is_forced=is_forced)
    gui.settle()


def flags(value: int, row: int = 0) -> SetField:
    """Set the flags of a batch."""
    return SetField("batches", RowChoice.of(row), "flags", value)


def asked(gui: GuiTester) -> list[Question]:
    """The open question, if there is one."""
    return [] if gui.state.question is None else [gui.state.question]


@pytest.fixture
def crane(gui: GuiTester, archive: Path) -> GuiTester:
    """The crane of the archive."""
    gui.open(archive)
    return gui


def test_an_edit_is_shown_with_the_view_kept_and_nothing_written(crane: GuiTester, archive: Path) -> None:
    stored, identity = archive.read_bytes(), crane.document.identity
    crane.change(selection=Selection((1,)), overrides={1: (1, 0)})
    edit(crane, flags(0x1234))
    assert int(crane.document.model.batches["flags"][0]) == 0x1234
    assert crane.document.identity == identity
    assert crane.state.view.selection == Selection((1,))
    assert dict(crane.state.view.overrides) == {1: (1, 0)}
    assert archive.read_bytes() == stored
    changed = [(a, b) for a, b in zip(stored, current(crane, archive), strict=True) if a != b]
    assert changed == [(0, 0x34), (0, 0x12)]


def test_an_edit_is_shown_in_the_same_frame_and_checked_a_moment_later(crane: GuiTester) -> None:
    before = crane.document
    crane.commands.edits.edit(
        before.address, (SetField("positions", RowChoice.of(0), "position", (0, 0, 9)),)
    )
    edited = crane.document
    assert edited.model.positions[0].tolist() == [0, 0, 9]
    assert not edited.opened.is_checked
    assert edited.draws.corners is before.draws.corners
    assert edited.materials is before.materials
    crane.settle()
    assert crane.document.opened.is_checked
    assert crane.document.identity == before.identity
    assert crane.document.revision > edited.revision > before.revision


def test_a_material_that_is_chosen_is_drawn_at_once(crane: GuiTester) -> None:
    before = crane.document.materials.wear_row_of_draw.tolist()
    crane.commands.edits.edit(crane.document.address, (SetField("batches", RowChoice("*"), "material", 1),))
    assert set(crane.document.materials.wear_row_of_draw.tolist()) == {1} != set(before)


def test_keys_undo_and_redo_to_the_same_bytes(crane: GuiTester, archive: Path) -> None:
    stored = archive.read_bytes()
    edit(crane, flags(0x1234))
    once = current(crane, archive)
    edit(crane, flags(7, row=1))
    twice = current(crane, archive)
    press(crane, CTRL | int(imgui.Key.z))
    crane.settle()
    assert current(crane, archive) == once
    press(crane, CTRL | int(imgui.Key.z))
    crane.settle()
    assert current(crane, archive) == stored
    assert int(crane.document.model.batches["flags"][0]) == 0
    press(crane, CTRL | int(imgui.Key.z))
    crane.settle()
    assert current(crane, archive) == stored, "there is nothing to undo any more"
    press(crane, CTRL | int(imgui.Key.y))
    crane.settle()
    press(crane, CTRL | SHIFT | int(imgui.Key.z))
    crane.settle()
    assert current(crane, archive) == twice


def test_one_drag_is_one_step(crane: GuiTester) -> None:
    for value in (1, 2, 3):
        edit(crane, flags(value), gesture="drag 1")
    edit(crane, flags(4), gesture="drag 2")
    (file,) = crane.state.edits.files.values()
    assert [step.changes for step in file.steps] == [(flags(3),), (flags(4),)]
    crane.commands.edits.step(-1)
    crane.commands.edits.step(-1)
    crane.settle()
    assert int(crane.document.model.batches["flags"][0]) == 0


def test_the_history_is_gone_to_anywhere(crane: GuiTester, archive: Path) -> None:
    seen = [current(crane, archive)]
    for value in range(1, 5):
        edit(crane, flags(value))
        seen.append(current(crane, archive))
    for position in (0, 4, 2, 3):
        crane.commands.edits.go_to(archive, position)
        crane.settle()
        assert current(crane, archive) == seen[position]


def test_a_step_is_made_again_without_a_consequence_and_the_later_ones_after_it(
    crane: GuiTester, archive: Path
) -> None:
    bounds = bytes(crane.document.model.slots.tobytes())
    edit(crane, SetField("positions", RowChoice.of(0), "position", (0, 0, 99)))
    assert crane.document.model.slots.tobytes() != bounds
    edit(crane, flags(7, row=1))
    crane.commands.edits.decide(archive, 0, declined=frozenset({Topic.BOUNDS}))
    crane.settle()
    assert crane.document.model.slots.tobytes() == bounds
    assert crane.document.model.positions[0].tolist() == [0, 0, 99]
    assert int(crane.document.model.batches["flags"][1]) == 7
    first, second = crane.state.edits.of(archive).steps
    assert Topic.BOUNDS not in first.topics
    assert second.changes == (flags(7, row=1),)
    for _ in range(2):
        crane.commands.edits.step(-1)
    crane.settle()
    assert current(crane, archive) == archive.read_bytes()


def test_a_refused_change_is_reported_and_changes_nothing(crane: GuiTester, archive: Path) -> None:
    edit(crane, flags(0x12345))
    assert "batches[0].flags" in crane.state.message
    assert "65535" in crane.state.message
    assert current(crane, archive) == archive.read_bytes()
    assert not crane.state.edits.files


def test_a_change_that_sets_what_is_there_is_no_step(crane: GuiTester) -> None:
    edit(crane, flags(0))
    assert not crane.state.edits.files


def test_save_shows_what_it_will_write(crane: GuiTester, archive: Path) -> None:
    press(crane, CTRL | int(imgui.Key.s))
    crane.settle()
    assert not asked(crane), "nothing has changed"
    edit(crane, flags(0x1234))
    edit(crane, flags(1, row=1))
    press(crane, CTRL | int(imgui.Key.s))
    crane.settle()
    (sheet,) = asked(crane)
    assert isinstance(sheet, SaveSheet)
    assert (sheet.path, sheet.target, sheet.plan.byte_count) == (archive, archive, 4)
    assert [step.changes for step in sheet.steps] == [(flags(0x1234),), (flags(1, row=1),)]
    assert [it.after for it in sheet.plan.splices] == [b"\x34\x12", b"\x01\x00"]
    stored = archive.read_bytes()
    assert all(stored[it.offset : it.end] == it.before for it in sheet.plan.splices)
    crane.commands.saving.answer(SaveChoice.CANCEL)
    assert not asked(crane)
    assert archive.read_bytes() == stored
