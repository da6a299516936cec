"""The sheet of what will change, and the other questions: what they show, and what answers they give."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from imgui_bundle import imgui
from msgspec.structs import replace

from tests.gui.hand import click, press
from tests.gui.harness import SIDES, GuiTester, exists
from tests.ui.commands import calls, stand_ins
from viewer.control.editing import save_controller
from viewer.control.later import Call
from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.model.compare.differences import ChangeKind, Difference
from viewer.model.compare.edit_report import Finding, by_kind
from viewer.model.edit.change import Topic
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.store.address import Address
from viewer.progress import checkpoint
from viewer.session.edits.questions import (
    CloseChoice,
    CloseQuestion,
    Conflict,
    ConflictChoice,
    DiskState,
    Question,
    RecoverableFile,
    Recovery,
    RecoveryChoice,
    RefusalChoice,
    SaveChoice,
    SaveRefusal,
    SaveSheet,
)
from viewer.ui.edits import value_list
from viewer.ui.widgets import widgets
from viewer.ui.widgets.theme import Color

pytestmark = pytest.mark.closed(*SIDES)


@pytest.fixture
def crane(gui: GuiTester, archive: Path) -> GuiTester:
    """The crane with two changes."""
    gui.open(archive)
    for row in (0, 1):
        change = SetField("batches", RowChoice.of(row), "opaque6", 7)
        gui.commands.edits.edit(gui.document.address, (change,))
        gui.settle()
    return gui


def sheet(gui: GuiTester) -> SaveSheet:
    """The sheet of what was changed, with a value and without problems."""
    gui.commands.saving.save()
    found = gui.state.question
    assert isinstance(found, SaveSheet)
    rows = np.array([0])
    value = Difference("batches", "opaque6", ChangeKind.CHANGED, 1, rows, rows, a=[0], b=[7])
    return with_report(found, changed=((gui.document.address, value),))


def with_report(sheet: SaveSheet, **found: Any) -> SaveSheet:
    """A sheet that was compared, with other findings."""
    report = replace(sheet.plan.report, **found)
    return replace(sheet, plan=replace(sheet.plan, findings=report), is_compared=True)


def shown(gui: GuiTester, question: Question | None) -> list[Call]:
    """Ask a question; gives the calls that answer it from then on, which are only recorded."""
    answers = list[Call]()
    to = stand_ins(answers)
    gui.app.control = replace(
        gui.app.control, saving=to.saving, closing=to.closing, recovery=to.recovery, edits=to.edits
    )
    gui.state.question = question
    gui.settle()
    return answers


def test_enter_writes_and_escape_does_not(crane: GuiTester) -> None:
    answers = shown(crane, sheet(crane))
    assert exists(crane, "//save_sheet/###write")
    press(crane, imgui.Key.escape)
    press(crane, imgui.Key.enter)
    assert answers == calls(
        lambda it: it.later(it.control.saving.answer, SaveChoice.CANCEL),
        lambda it: it.later(it.control.saving.answer, SaveChoice.WRITE, is_forced=False),
    )


def test_it_closes_with_the_question(crane: GuiTester) -> None:
    shown(crane, sheet(crane))
    shown(crane, None)
    assert not exists(crane, "//save_sheet/###write")
    assert imgui.internal.get_top_most_popup_modal() is None


def test_closing_it_ends_the_comparison_without_a_word(
    crane: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compare_forever(*_: object) -> None:
        while True:
            checkpoint()

    monkeypatch.setattr(save_controller, "with_findings", compare_forever)
    before = crane.state.notice
    crane.commands.saving.save()
    crane.commands.saving.answer(SaveChoice.CANCEL)
    crane.settle()
    assert (crane.state.question, crane.state.notice) == (None, before)


def test_nothing_is_written_before_everything_is_known(crane: GuiTester) -> None:
    answers = shown(crane, replace(sheet(crane), is_compared=False))
    click(crane, "//save_sheet/###write")
    press(crane, imgui.Key.enter)
    assert answers == []


def test_added_errors_block_unless_they_are_forced(crane: GuiTester) -> None:
    error = Diagnostic("V14", Severity.ERROR, "range exceeds the table", table="batches", index=0)
    answers = shown(crane, with_report(sheet(crane), added=(Finding(Address.parse("a"), error),)))
    click(crane, "//save_sheet/###write")
    assert answers == []
    click(crane, "//save_sheet/###force", "//save_sheet/###write")
    assert answers == calls(lambda it: it.later(it.control.saving.answer, SaveChoice.WRITE, is_forced=True))


def test_added_problems_of_one_kind_are_one_line_that_unfolds(
    crane: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    def finding(rule: str, index: int, field: str) -> Finding:
        words = f"range {index} exceeds the table"
        found = Diagnostic(rule, Severity.WARNING, words, table="batches", index=index, field=field)
        return Finding(Address.parse("a"), found)

    many = [finding("V14", index, "index_start") for index in range(7)]
    alone, other = finding("V14", 3, "flags"), finding("V15", 3, "index_start")
    assert by_kind([many[0], alone, *many[1:], other]) == [tuple(many), (alone,), (other,)]
    shown(crane, with_report(sheet(crane), added=(many[0], alone, *many[1:], other)))
    assert _lines(crane, monkeypatch) == [
        "batches[0].index_start: range 0 exceeds the table, and 6 more like it",
        "batches[3].flags: range 3 exceeds the table",
        "batches[3].index_start: range 3 exceeds the table",
    ]
    click(crane, "//save_sheet/**/###kind")
    assert _lines(crane, monkeypatch)[1:8] == [
        f"batches[{index}].index_start: range {index} exceeds the table" for index in range(7)
    ]


def _lines(gui: GuiTester, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The problems that a frame draws, in order."""
    drawn: list[str] = []
    draw = widgets.text

    def record(words: str, *others: Color) -> None:
        drawn.append(words)
        draw(words, *others)

    with monkeypatch.context() as patched:
        patched.setattr(value_list, "text", record)
        gui.settle()
    last = max(index for index, it in enumerate(drawn) if it.startswith("The changes add"))
    return [it for it in drawn[last:] if "exceeds" in it]


def test_a_consequence_is_declined_with_its_check_box(crane: GuiTester) -> None:
    found = sheet(crane)
    steps = (found.steps[0], replace(found.steps[1], topics=(Topic.BOUNDS,)))
    answers = shown(crane, replace(found, steps=steps))
    click(crane, "//save_sheet/**/###1bounds")
    assert answers == calls(
        lambda it: it.later(it.control.edits.decide, found.path, 1, frozenset({Topic.BOUNDS}), frozenset()),
        lambda it: it.later(it.control.saving.save, found.path),
    )


def test_the_sheet_leads_to_a_patch(crane: GuiTester) -> None:
    answers = shown(crane, sheet(crane))
    click(crane, "//save_sheet/###patch")
    assert answers == calls(
        lambda it: it.later(it.control.saving.answer, SaveChoice.CANCEL),
        lambda it: it.later(it.control.saving.save_patch),
    )


def test_files_that_are_saved_together_have_a_tab_each(crane: GuiTester, tmp_path: Path) -> None:
    own = sheet(crane)
    error = Diagnostic("V14", Severity.ERROR, "range exceeds the table", table="batches", index=0)
    library = tmp_path / "Material.lib"
    other = replace(own, plan=replace(own.plan, path=library), target=library)
    other = with_report(other, added=(Finding(Address.parse("a"), error),))
    answers = shown(crane, replace(own, others=(other,)))
    click(crane, "//save_sheet/###write")
    assert answers == [], "an error in one of them blocks all"
    click(crane, "//save_sheet/files/###file1", "//save_sheet/###force", "//save_sheet/###write")
    assert answers == calls(lambda it: it.later(it.control.saving.answer, SaveChoice.WRITE, is_forced=True))


def test_changes_of_an_earlier_run_are_made_on_theirs_or_not(crane: GuiTester) -> None:
    file = crane.state.edits.at(crane.document.address)
    answers = shown(crane, Conflict(file, DiskState.CHANGED, file.path, is_recovered=True))
    assert not exists(crane, "//conflict/###keep_mine")
    assert not exists(crane, "//conflict/###compare")
    click(crane, "//conflict/###onto_theirs", "//conflict/###take_theirs", "//conflict/###cancel")
    made = ConflictChoice.ONTO_THEIRS, ConflictChoice.TAKE_THEIRS, ConflictChoice.CANCEL
    assert [it.arguments for it in answers] == [(choice,) for choice in made]


def test_closing_asks(crane: GuiTester) -> None:
    file = crane.state.edits.at(crane.document.address)
    for choice in CloseChoice:
        answers = shown(crane, CloseQuestion((file,)))
        click(crane, f"//unsaved/###{choice.value}")
        assert answers == calls(lambda it, choice=choice: it.later(it.control.closing.answer, choice))  # type: ignore[misc]


def test_a_conflict_has_five_ways_out(crane: GuiTester) -> None:
    file = crane.state.edits.at(crane.document.address)
    for choice in ConflictChoice:
        answers = shown(crane, Conflict(file, DiskState.CHANGED, file.path))
        click(crane, f"//conflict/###{choice.value.replace(' ', '_')}")
        assert answers == calls(lambda it, choice=choice: it.later(it.control.saving.settle, choice))  # type: ignore[misc]


@pytest.mark.parametrize("is_read_only", [True, False])
def test_a_refused_save_has_three_ways_out(crane: GuiTester, *, is_read_only: bool) -> None:
    refused = sheet(crane)
    first = RefusalChoice.WRITABLE if is_read_only else RefusalChoice.AGAIN
    for choice in (first, RefusalChoice.SAVE_AS, RefusalChoice.CANCEL):
        answers = shown(crane, SaveRefusal(refused, refused, is_read_only, "cannot be written"))
        click(crane, f"//refusal/###{choice.value.replace(' ', '_')}")
        assert answers == calls(lambda it, choice=choice: it.later(it.control.saving.answer_refusal, choice))  # type: ignore[misc]
    other = "again" if is_read_only else "writable"
    assert not exists(crane, f"//refusal/###{other}")


def test_a_file_that_is_gone_cannot_be_taken(crane: GuiTester) -> None:
    file = crane.state.edits.at(crane.document.address)
    shown(crane, Conflict(file, DiskState.GONE, file.path))
    assert exists(crane, "//conflict/###keep_mine")
    assert not exists(crane, "//conflict/###take_theirs")


def test_recovery_is_for_the_chosen_files_that_are_there(crane: GuiTester, tmp_path: Path) -> None:
    files = tuple(
        RecoverableFile(tmp_path / name, ("set a flag",), datetime(2000, 1, 1), state)
        for name, state in (
            ("a", DiskState.SAME),
            ("b", DiskState.SAME),
            ("c", DiskState.CHANGED),
            ("d", DiskState.GONE),
        )
    )
    answers = shown(crane, Recovery(files))
    click(crane, "//recovery/**/###chosen", "//recovery/###replay", "//recovery/###discard")
    assert answers == calls(
        lambda it: it.later(
            it.control.recovery.answer, RecoveryChoice.REPLAY, (tmp_path / "b", tmp_path / "c")
        ),
        lambda it: it.later(
            it.control.recovery.answer,
            RecoveryChoice.DISCARD,
            (tmp_path / "b", tmp_path / "c", tmp_path / "d"),
        ),
    )
