"""Readings in the window: an override for one model, and many models ranked."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.cli.console import Capture
from tests.corpora import GAME
from tests.gui.hand import click
from tests.gui.harness import SIDES, GuiTester, bring_to_front, exists
from viewer.cli.main import main
from viewer.control.settings.settings import Settings
from viewer.model.mesh.reading_choices import GroundReading
from viewer.model.store.address import Address
from viewer.operations.reading_options import USUAL, ReadingOptions
from viewer.options import option_at
from viewer.session.jobs import CorpusScope
from viewer.session.view.state_link import StateLink
from viewer.ui.actions.actions import option_actions
from viewer.ui.panels.readings import ReadingsPanel

pytestmark = pytest.mark.closed(*SIDES)


def score(gui: GuiTester, scope: CorpusScope = CorpusScope.FILE) -> None:
    gui.app.later(gui.app.control.statistics.score, scope)
    gui.frames(2)
    gui.until(lambda: not gui.state.scores.is_running)
    gui.frames(2)


def test_a_model_may_be_read_unlike_its_archive(crane: GuiTester) -> None:
    bring_to_front(crane, ReadingsPanel.id)
    archive, before = str(crane.document.address).partition("::")[0], crane.document
    click(crane, "//readings/##reading_model", "//$FOCUSED/###seed")
    crane.until(lambda: crane.document is not before)
    assert crane.document.choice.requested == "seed"
    assert crane.state.settings.readings == {str(crane.document.address): "seed"}
    crane.open(f"{archive}::rock.msh")
    assert crane.document.choice.requested == "auto"


def test_the_models_of_the_file_are_ranked_as_in_the_shell(
    crane: GuiTester, capsys: Capture, tmp_path: Path
) -> None:
    bring_to_front(crane, ReadingsPanel.id)
    click(crane, "//readings/###scores", "//readings/###score_file")
    crane.until(lambda: crane.state.scores.found is not None)
    crane.frames(3)
    assert exists(crane, "//readings/##scores/###score0")
    found = crane.state.scores.found
    assert found is not None
    assert [str(it.address).partition("::")[2] for it in found.models] == ["crane.msh", "rock.msh"]
    assert [*found.unreadable] == [f"{str(crane.document.address).partition('::')[0]}::broken.msh"]
    path = tmp_path / "ranked.csv"
    crane.commands.files.save_text(found.csv(), path)
    crane.until(path.exists)
    archive = str(crane.document.address).partition("::")[0]
    main(["readings", archive, "--format", "csv"])
    assert path.read_text() == capsys.readouterr().out


def test_a_click_on_a_ranked_model_opens_it(crane: GuiTester) -> None:
    score(crane)
    bring_to_front(crane, ReadingsPanel.id)
    click(crane, "//readings/###scores", "//readings/##scores/###score1")
    crane.until(lambda: str(crane.document.address).endswith("rock.msh"))


def test_what_cannot_be_ranked_is_said_and_work_can_be_cancelled(crane: GuiTester) -> None:
    score(crane, CorpusScope.GAME)
    assert "no game folder" in crane.state.scores.problem
    crane.app.later(crane.app.control.statistics.score, CorpusScope.FILE)
    crane.frames(1)
    crane.app.later(crane.app.control.window.cancel_job, "scores")
    crane.until(lambda: not crane.state.scores.is_running)


def test_the_materials_of_a_terrain_are_read_otherwise_at_once_and_from_now_on(gui: GuiTester) -> None:
    gui.open(GAME / "DATA" / "MAPS" / "SAMPLE" / "Land.msh")
    before, option = gui.document, option_at(Settings, "opening.ground")
    assert "view.ground.crossed" in [it.id for it in option_actions(option)]
    gui.app.later(gui.app.control.settings.choose, option, GroundReading.CROSSED)
    gui.until(lambda: gui.document is not before)
    assert gui.document.source.options.ground is GroundReading.CROSSED
    assert gui.state.settings.opening == ReadingOptions(ground=GroundReading.CROSSED)
    assert StateLink.of(gui.document, gui.state.view).given == {"ground": GroundReading.CROSSED}


def ground_of(gui: GuiTester) -> GroundReading:
    """The reading of the materials of the terrain that is shown."""
    return gui.document.source.options.ground


def test_a_link_reads_its_file_otherwise_and_no_other(gui: GuiTester) -> None:
    """Until its file is closed, or something else is chosen, also what the settings say already."""
    path, option = GAME / "DATA" / "MAPS" / "SAMPLE" / "Land.msh", option_at(Settings, "opening.ground")
    gui.open(path)
    before = gui.document
    link = StateLink.of(before, gui.state.view)
    gui.app.later(
        gui.app.control.opening.open_link,
        replace(link, given={**link.given, "ground": GroundReading.CROSSED}),
    )
    gui.until(lambda: gui.document is not before)
    assert ground_of(gui) is GroundReading.CROSSED
    assert gui.state.settings.opening == USUAL
    linked = gui.document
    assert gui.app.control.opening.choices(link.address).options.ground is GroundReading.CROSSED
    assert gui.app.control.opening.choices(Address(path.parent)).options.ground is GroundReading.LAND1
    gui.app.later(gui.app.control.opening.choose, option, GroundReading.LAND1)
    gui.until(lambda: gui.document is not linked)
    assert ground_of(gui) is GroundReading.LAND1
