"""What the user sets for a document stays over reload, another reading and edits, and ends with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gui.hand import click
from tests.gui.harness import GuiTester, bring_to_front, exists
from viewer.session.selection import Selection

pytestmark = pytest.mark.closed("browser", "inspector")


def test_folds_cells_and_the_selection_stay_with_the_document(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    identity, revision = gui.document.identity, gui.document.revision
    bring_to_front(gui, "outline")
    click(gui, "//outline/**/###fold1")
    gui.change(overrides={1: (1, 0)}, selection=Selection((0,)))
    gui.commands.opening.reload()
    gui.until(lambda: not gui.app.jobs.title)
    assert gui.document.revision == revision, "nothing has changed"
    for steps, change in enumerate((read_otherwise, edit), start=1):
        change(gui, archive)
        gui.until(lambda: not gui.app.jobs.title)
        gui.settle()
        assert (gui.document.identity, gui.document.revision) == (identity, revision + steps)
        assert not exists(gui, "//outline/**/###node3")
        assert dict(gui.state.view.overrides) == {1: (1, 0)}
        assert gui.state.view.selection.nodes == (0,)


def read_otherwise(gui: GuiTester, _: Path) -> None:
    """Read the archive in the field reading."""
    gui.app.opener.use_reading("field")


def edit(gui: GuiTester, archive: Path) -> None:
    """Lay an archive over the one on the disk with eight more bytes."""
    gui.app.opener.library.unsaved.overlay(archive, archive.read_bytes() + bytes(8))
    gui.app.opener.reload()


def test_nothing_of_one_document_stays_in_another(gui: GuiTester, archive: Path, tmp_path: Path) -> None:
    gui.open(archive)
    first = gui.document.identity
    bring_to_front(gui, "outline")
    click(gui, "//outline/**/###fold1")
    gui.change(overrides={1: (1, 0)})
    other = tmp_path / "other.rlb"
    other.write_bytes(archive.read_bytes())
    gui.open(other)
    assert gui.document.identity != first
    assert exists(gui, "//outline/**/###node3")
    assert dict(gui.state.view.overrides) == {}
