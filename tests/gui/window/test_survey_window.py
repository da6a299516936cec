"""The survey in the window: live figures with links, what is shared before it is saved, two reports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.corpora import GAME
from tests.gui.hand import click
from tests.gui.harness import GuiTester
from viewer.app.dialogs.dialogs import Dialogs
from viewer.operations.survey.report import SurveyReport, read_report

pytestmark = pytest.mark.closed("browser", "outline", "inspector")


def surveyed(gui: GuiTester, folder: Path = GAME) -> SurveyReport:
    gui.run(lambda context: context.menu_click("//##MainMenuBar/###game/###window.survey"))
    gui.app.later(gui.app.control.survey.start, folder)
    gui.frames(2)
    gui.until(lambda: not gui.state.survey.is_running)
    gui.frames(2)
    assert gui.state.survey.found is not None
    return gui.state.survey.found.report


def test_it_is_surveyed_explained_saved_and_compared(
    crane: GuiTester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = surveyed(crane)
    click(crane, "//survey/**/###to_shared")
    path = tmp_path / "report.json"
    monkeypatch.setattr(Dialogs, "choose_new", lambda _self, _title, _name, then, *_others: then(path))
    click(crane, "//survey/**/###save_report")
    crane.until(path.exists)
    crane.settle()
    assert read_report(path.read_bytes()) == report
    assert "walker" not in path.read_text("utf-8")

    other = tmp_path / "other.json"
    changed = json.loads(path.read_text("utf-8"))
    changed["questions"][7]["answer"] = "edges 12 20 01"
    other.write_text(json.dumps(changed), "utf-8")
    click(crane, "//survey/**/###reports")
    crane.app.later(crane.app.control.survey.compare_current, 0)
    crane.app.later(crane.app.control.survey.compare_file, 1, other)
    crane.until(lambda: crane.state.survey.sides[1].report is not None)
    crane.frames(2)
    crane.app.later(crane.app.control.survey.compare_file, 1, GAME / "models.rlb")
    crane.until(lambda: bool(crane.state.survey.sides[1].problem))
    assert "JSON" in crane.state.survey.sides[1].problem


def test_an_example_leads_to_its_row(crane: GuiTester) -> None:
    surveyed(crane)
    click(crane, "//survey/**/###choose_S03")
    found = crane.state.survey.found
    assert found is not None
    place = found.examples["S03"].of_reading("+0x30 volume of the box", is_held=False)[0]
    assert place.table == "slots"
    assert place.row is not None
    crane.app.later(crane.app.control.opening.go_to, place)
    crane.until(lambda: crane.state.tabs.active.address == place.address)


def test_a_survey_that_is_cancelled_cannot_be_saved(crane: GuiTester) -> None:
    crane.app.later(crane.app.control.survey.start, GAME)
    crane.frames(1)
    crane.app.jobs.cancel("survey")
    crane.until(lambda: not crane.state.survey.is_running)
    assert crane.state.survey.problem
    assert not crane.state.survey.is_whole
