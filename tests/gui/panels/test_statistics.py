"""Statistics of fields in the window, and the filter for rows with the same value."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from imgui_bundle import imgui

from tests.corpora import GAME
from tests.gui.editing.test_editing import edit, flags
from tests.gui.hand import click
from tests.gui.harness import LEFT, Context, GuiTester
from viewer.control.lookups.corpus import paths_of
from viewer.control.opening.loading import sample_address
from viewer.errors import FormatError
from viewer.formats.archive import nres
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.slots import SLOT
from viewer.model.mesh.model import Model
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.corpus.statistics import StatisticsOptions, collect
from viewer.progress import Progress
from viewer.session.jobs import CorpusScope, StatisticsRequest
from viewer.ui.editing.field_menu import condition_of
from viewer.ui.panels.tables import TablesPanel
from viewer.ui.table.statistics import StatisticsPanel

pytestmark = pytest.mark.closed("timeline", "dope_sheet", "curves", *LEFT)


def count(gui: GuiTester, request: StatisticsRequest) -> None:
    gui.app.later(gui.app.control.statistics.count, request)
    gui.frames(2)
    gui.until(lambda: not gui.state.corpus.is_running)
    gui.frames(2)


def test_the_panel_is_closed_until_it_is_asked_for(crane: GuiTester) -> None:
    assert StatisticsPanel.id in crane.app.shell.closed_panels
    crane.run(lambda context: context.menu_click("//##MainMenuBar/###select/###select.statistics"))
    crane.until(lambda: not crane.state.corpus.is_running)
    crane.frames(3)
    assert StatisticsPanel.id not in crane.app.shell.closed_panels
    assert "nodes.parent" in [it.field for it in crane.state.corpus.found]
    crane.run(lambda context: context.item_input_value("//statistics/##statistics_fields", "parent"))
    click(crane, "//statistics/**/###nodes.parent")
    crane.until(lambda: not crane.state.corpus.is_running)
    assert crane.state.corpus.request == StatisticsRequest("nodes.parent")
    click(crane, "//statistics/###all_fields")
    crane.until(lambda: len(crane.state.corpus.found) > 1)


def test_a_count_of_a_file_that_has_changed_since_says_so(crane: GuiTester) -> None:
    count(crane, StatisticsRequest("batches.flags", CorpusScope.FILE))
    read = crane.state.corpus.read
    assert read is not None
    assert not read.changed(crane.state.changes)
    edit(crane, flags(0x77))
    assert read.changed(crane.state.changes) == (crane.document.address.path,)
    crane.commands.statistics.count_again()
    crane.until(lambda: not crane.state.corpus.is_running)
    assert crane.state.corpus.read is not None
    assert not crane.state.corpus.read.changed(crane.state.changes)
    assert 0x77 in dict(crane.state.corpus.found[0].histogram)


def test_a_field_is_counted_and_its_condition_chooses_rows(crane: GuiTester) -> None:
    count(crane, StatisticsRequest("batches.index_count", CorpusScope.FILE))
    (found,) = crane.state.corpus.found
    archive = nres.Archive.read(memoryview(crane.document.address.path.read_bytes()))
    models = []
    for entry in archive.entries:
        with suppress(FormatError):  # one of them is cut
            models += [Model.read(archive.payload(entry.index))] if entry.text.endswith(".msh") else []
    values = [count for model in models for count in model.batches["index_count"].tolist()]
    assert dict(found.histogram) == {value: values.count(value) for value in values}
    count(crane, StatisticsRequest("batches.index_count", CorpusScope.FILE, "row = 0"))
    (found,) = crane.state.corpus.found
    assert found.rows == len(models)
    address = Address(crane.document.address.path)
    shell = collect(FileStore(), StatisticsOptions((address,)), Progress()).statistics("nodes.parent")
    count(crane, StatisticsRequest("nodes.parent", CorpusScope.FILE))
    assert crane.state.corpus.found == (shell,)  # as the shell counts it


def test_an_outlier_opens_the_model_at_its_row(gui: GuiTester) -> None:
    gui.open(f"{GAME / 'models.rlb'}::drone.msh")
    count(gui, StatisticsRequest("batches.index_count"))
    gui.app.later(gui.app.control.statistics.show)
    gui.frames(3)
    first = gui.state.corpus.found[0].outliers[0]
    click(gui, "//statistics/**/###outlier0")
    gui.until(lambda: gui.document.address == first.place.address)
    gui.settle()
    assert gui.state.view.selection.batch == first.place.row
    assert gui.document.model.batches["index_count"][first.place.row or 0] == first.value


def test_the_game_is_that_around_the_model_in_front_if_none_is_set(gui: GuiTester) -> None:
    gui.open(sample_address())
    assert gui.state.game is None
    folder = sample_address().path.parent
    assert paths_of(gui.state, CorpusScope.GAME) == (folder,)
    for other in (folder, folder / "Textures.lib", folder / "DATA"):
        gui.commands.opening.open(Address(other))
        gui.settle()
        assert gui.state.document is None
        assert paths_of(gui.state, CorpusScope.GAME) == (folder,)


def test_what_cannot_be_counted_is_said(crane: GuiTester) -> None:
    count(crane, StatisticsRequest("batches.frog"))
    assert "frog" in crane.state.corpus.problem
    count(crane, StatisticsRequest("batches.flags", where="flags >"))
    assert crane.state.corpus.problem
    count(crane, StatisticsRequest("batches.flags", CorpusScope.GAME))
    assert "game folder" in crane.state.corpus.problem


def test_the_menu_of_a_field_counts_it_and_filters_the_table(crane: GuiTester) -> None:
    crane.select(1)
    crane.frames(3)

    def script(context: Context) -> None:
        context.item_click("//inspector/**/map_start", imgui.MouseButton_.right)
        context.item_click("//$FOCUSED/###field_statistics")
        context.yield_(3)
        context.item_click("//inspector/**/map_start", imgui.MouseButton_.right)
        context.item_click("//$FOCUSED/###field_filter")

    crane.run(script)
    crane.until(lambda: not crane.state.corpus.is_running)
    crane.settle()
    assert crane.state.corpus.request == StatisticsRequest("nodes.map_start")
    tables = next(it for it in crane.app.shell._panels if isinstance(it, TablesPanel))
    stored = crane.document.model.nodes["map_start"]
    assert tables._filters["nodes"].text == condition_of(NODE.field("map_start"), stored[1])
    arranged = crane.state.arranged
    assert arranged is not None
    assert arranged.rows.tolist() == np.flatnonzero(stored == stored[1]).tolist()


@pytest.mark.parametrize(
    ("value", "element", "expected"),
    [
        (np.array([0.1, 2, 3], np.float32), (0,), "aabb_min[0] = 0.1"),
        (np.array([0.1, 2, 3], np.float32), (), ""),  # no comparison with a whole vector
    ],
)
def test_conditions_of_values(value: object, element: tuple[int, ...], expected: str) -> None:
    assert condition_of(SLOT.field("aabb_min"), value, element) == expected
    assert condition_of(NODE.field("parent"), np.uint16(0xFFFF)) == "parent = none"
