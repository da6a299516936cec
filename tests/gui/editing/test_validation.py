"""Validating what is open: in the background, with the results in the problems panel."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.broken import models
from tests.builders import archive_of
from tests.gui.hand import click
from tests.gui.harness import SIDES, GuiTester, exists
from viewer.model.edit.nodes.rename_node import RenameNode
from viewer.model.store.address import Address
from viewer.progress import current

pytestmark = pytest.mark.closed(*SIDES)


@pytest.fixture
def two(gui: GuiTester, tmp_path: Path) -> GuiTester:
    """An archive with a sound model, which is shown, and one with an error."""
    path = tmp_path / "two.rlb"
    sound, broken = models.sound().build(), models.broken()
    path.write_bytes(archive_of({"a.msh": sound, "b.msh": broken}))
    gui.open(path)
    return gui


def test_the_problems_of_everything_open_are_listed_and_lead_to_their_files(two: GuiTester) -> None:
    assert str(two.document.address).endswith("a.msh")
    two.run(lambda context: context.menu_click("//##MainMenuBar/###file/###file.validate"))
    two.until(lambda: two.state.validation is not None)
    two.settle()
    click(two, "//problems/**/###problem0")
    two.until(lambda: str(two.document.address).endswith("b.msh"))
    two.settle()
    assert exists(two, "//problems/**/###problem0"), "the list stays"


def test_a_click_lists_the_problems_of_the_open_file_again(two: GuiTester) -> None:
    two.commands.validation.start()
    two.until(lambda: two.state.validation is not None)
    two.settle()
    beyond_the_file = f"//problems/**/###problem{len(two.document.findings)}"
    assert exists(two, beyond_the_file)
    click(two, "//problems/###this_file")
    assert not exists(two, beyond_the_file)
    click(two, "//problems/###validation")
    assert exists(two, beyond_the_file)


def test_one_entry_is_validated_from_its_menu(two: GuiTester) -> None:
    two.commands.validation.start(two.document.address)
    two.until(lambda: two.state.validation is not None)
    assert two.state.validation is not None
    assert two.state.validation.addresses == (two.document.address,)
    assert not two.state.validation.problems


def test_validation_is_cancelled(two: GuiTester, monkeypatch: pytest.MonkeyPatch) -> None:
    def check_forever(*_: object) -> None:
        while True:
            current().check()

    monkeypatch.setattr("viewer.model.validation.validate.checkpoint", check_forever)
    two.commands.validation.start()
    two.until(lambda: bool(two.app.jobs.running))
    click(two, "//##status/###cancel_validate")
    two.settle()
    assert two.state.validation is None
    assert two.state.message == ""


def test_results_of_a_file_that_has_changed_since_say_so_and_are_found_again(two: GuiTester) -> None:
    two.commands.validation.start()
    two.settle()
    (found,) = (it for it in [two.state.validation] if it is not None)
    assert not found.read.changed(two.state.changes)
    assert not exists(two, "//problems/###read_again")
    two.commands.edits.edit(two.document.address, (RenameNode(0, "other"),))
    two.settle()
    assert [it.name for it in found.read.changed(two.state.changes)] == ["two.rlb"]
    click(two, "//problems/###read_again")
    two.settle()
    again = two.state.validation
    assert again is not None
    assert again is not found
    assert again.addresses == found.addresses
    assert not exists(two, "//problems/###read_again")


def test_results_of_a_file_that_another_program_has_written_say_so(two: GuiTester, tmp_path: Path) -> None:
    """Also of one that is only named by them, and neither open nor edited here."""
    other = tmp_path / "other.rlb"
    other.write_bytes(archive_of({"c.msh": models.broken()}))
    watch, address = two.app.editing.watch, Address(other)
    two.commands.validation.start(address)
    two.settle()
    found = two.state.validation
    assert found is not None
    watch.look()
    other.write_bytes(archive_of({"c.msh": models.sound().build()}))
    watch.look()
    watch.look()
    two.settle()
    assert found.read.changed(two.state.changes) == (other,)
