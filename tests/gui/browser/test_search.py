"""The search over everything open, as somebody uses it.

Going to places: problems, steps of a trace and links show what they are about.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from imgui_bundle import imgui

from tests.builders import ModelBuilder, archive_of
from tests.gui.conftest import crane, rock
from tests.gui.hand import click
from tests.gui.harness import Context, GuiTester, bring_to_front, exists, write_model
from tests.ui.scenes import tank
from viewer.control.lookups import searches
from viewer.formats import mat0, wear
from viewer.formats.archive import nres
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.tables import BATCHES, STRINGS
from viewer.model.edit.nodes.rename_node import RenameNode
from viewer.model.material.materials import TraceStep
from viewer.model.query.search_query import Query, Scope
from viewer.model.store.place import Place
from viewer.operations.corpus.searching import search
from viewer.progress import Progress
from viewer.session.jobs import EVERYTHING_OPEN
from viewer.session.opened.browser import neighbour
from viewer.session.places import problems
from viewer.ui.panels.problems import by_severity
from viewer.ui.panels.search import SearchPanel, place_text, rows_of, state_text

pytestmark = pytest.mark.closed("outline")

FIELD = "//search/##search_field"


@pytest.fixture
def game(gui: GuiTester, tmp_path: Path) -> Path:
    """A folder: ``a.rlb`` with a rock, which is open, and ``b.rlb`` with a crane and its wear table."""
    folder = tmp_path / "game"
    folder.mkdir()
    (folder / "a.rlb").write_bytes(archive_of({"rock.msh": rock().build()}))
    entries = {"crane.msh": crane().build(), "crane.wea": b"2\r\n0 YELLOW\r\n1 STEEL\r\n"}
    (folder / "b.rlb").write_bytes(archive_of(entries))
    gui.open(folder)
    gui.open(folder / "a.rlb")
    return folder


def panel(gui: GuiTester) -> SearchPanel:
    return next(panel for panel in gui.app.shell._panels if isinstance(panel, SearchPanel))


def search_for(gui: GuiTester, words: str) -> None:
    """Press the keys, type, press Enter, and wait until everything has been searched."""

    def script(context: Context) -> None:
        context.key_press(int(imgui.Key.mod_ctrl) | int(imgui.Key.mod_shift) | int(imgui.Key.f))
        context.yield_(3)
        context.key_chars(words)
        context.key_press(imgui.Key.enter)

    gui.run(script)
    gui.until(lambda: gui.state.search.query is not None and not gui.state.search.is_running)
    gui.settle()


def rows(gui: GuiTester) -> list[str]:
    """The rows of the panel: files, and places in them."""
    found = rows_of(gui.state.search.found, panel(gui)._folded)
    return [Path(file.path).name if hit is None else place_text(hit) for file, hit in found]


def test_a_search_lists_hits_by_file_and_a_click_goes_there(gui: GuiTester, game: Path) -> None:
    search_for(gui, "steel")
    assert rows(gui) == ["b.rlb", "crane.wea: materials[1].name"]
    assert state_text(gui.state.search, None) == "1 hit in 1 file"
    click(gui, "//search/**/###hit1")
    gui.until(lambda: gui.state.resource is not None)
    assert gui.state.resource is not None
    assert str(gui.state.resource.address) == f"{game / 'b.rlb'}::crane.wea"
    assert gui.state.reveal is not None
    assert (gui.state.reveal.table, gui.state.reveal.row) == ("materials", 1)


def test_a_condition_selects_the_row_in_its_model(gui: GuiTester, game: Path) -> None:
    search_for(gui, "index_count > 30 and material = 1")
    hit = gui.state.search.found.files[0].hits[0]
    assert (hit.scope, hit.place.table) == (Scope.VALUES, BATCH.name)
    click(gui, "//search/**/###hit1")
    gui.until(lambda: gui.document.address == hit.place.address)
    assert gui.state.view.selection.batch == hit.place.row


def test_a_file_is_folded(gui: GuiTester, game: Path) -> None:
    search_for(gui, "crane")
    assert len(rows(gui)) > 1
    click(gui, "//search/**/###file0")
    assert rows(gui)[1:2] in ([], ["a.rlb"])


def test_another_choice_of_scopes_searches_again(gui: GuiTester, game: Path) -> None:
    search_for(gui, "crane.wea")
    assert [file.hits[0].scope for file in gui.state.search.found.files] == [Scope.NAMES]
    click(gui, "//search/###scope_names")
    gui.until(lambda: not gui.state.search.is_running)
    gui.settle()
    assert [file.hits[0].scope for file in gui.state.search.found.files] == [Scope.TEXT]


def test_escape_clears_the_field_and_its_results(gui: GuiTester, game: Path) -> None:
    search_for(gui, "steel")

    def script(context: Context) -> None:
        context.item_click(FIELD)
        context.key_press(imgui.Key.escape)

    gui.run(script)
    assert rows(gui) == []
    assert gui.state.search.query is None


def test_a_hit_names_the_node_and_the_material_of_its_row(gui: GuiTester, game: Path) -> None:
    search_for(gui, "index_count > 30 and material = 1")
    found = [hit for file in gui.state.search.found.files for hit in file.hits]
    assert {hit.names for hit in found} == {("arm", "STEEL")}
    assert {hit.place.address.name for hit in found} == {"crane.msh"}


def test_enter_again_takes_the_first_hit(gui: GuiTester, game: Path) -> None:
    search_for(gui, "steel")
    assert gui.state.resource is None

    def again(context: Context) -> None:
        context.item_click(FIELD)
        context.key_press(imgui.Key.enter)

    gui.run(again)
    gui.until(lambda: gui.state.resource is not None)
    assert gui.state.reveal is not None
    assert (gui.state.reveal.table, gui.state.reveal.row) == ("materials", 1)


def test_the_game_or_a_chosen_folder_is_searched_instead(
    gui: GuiTester, game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "loose.wea").write_bytes(b"1\r\n0 STEEL\r\n")
    search_for(gui, "steel")
    assert rows(gui) == ["b.rlb", "crane.wea: materials[1].name"]
    click(gui, "//search/##area", "//$FOCUSED/###game")
    gui.settle()
    assert state_text(gui.state.search, None) == "no game folder is set"
    monkeypatch.setattr(gui.app.dialog, "choose_folder", lambda _title, then: then(other))
    click(gui, "//search/##area", "//$FOCUSED/###folder")
    gui.settle()
    gui.until(lambda: not gui.state.search.is_running)
    gui.settle()
    assert rows(gui) == ["loose.wea", "loose.wea: materials[0].name"]
    click(gui, "//search/##area", "//$FOCUSED/###open")
    gui.settle()
    gui.until(lambda: not gui.state.search.is_running)
    gui.settle()
    assert rows(gui) == ["b.rlb", "crane.wea: materials[1].name"]


def test_what_cannot_be_searched_for_is_said(gui: GuiTester, game: Path) -> None:
    search_for(gui, "index_count >")
    assert state_text(gui.state.search, None) == "a value is missing after >"
    assert gui.state.message == ""
    search_for(gui, "no such thing anywhere")
    assert state_text(gui.state.search, None) == "0 hits in 0 files"


def test_a_field_that_nothing_has_is_said_with_the_nearest_one(gui: GuiTester, game: Path) -> None:
    gui.open(game / "models.rlb")
    gui.commands.search.start(Query("batchs.index_count>5"), EVERYTHING_OPEN)
    gui.settle()
    assert gui.state.search.found.count == 0
    assert gui.state.search.found.unknown.endswith("did you mean batches.index_count?")


def test_hits_of_a_file_that_has_changed_since_say_so(gui: GuiTester, game: Path) -> None:
    search_for(gui, "name:rock")
    read = gui.state.search.read
    assert read is not None
    assert not read.changed(gui.state.changes)
    assert not exists(gui, "//search/###read_again")
    gui.commands.edits.edit(gui.document.address, (RenameNode(0, "other"),))
    gui.settle()
    assert read.changed(gui.state.changes) == (game / "a.rlb",)
    click(gui, "//search/###read_again")
    gui.settle()
    assert gui.state.search.query == Query.typed("name:rock")
    assert gui.state.search.read is not read
    assert not exists(gui, "//search/###read_again")


def test_hits_come_while_the_search_goes_on_and_it_can_be_cancelled(
    gui: GuiTester, game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached, goes_on = Event(), Event()

    def slow(*arguments: object) -> None:
        search(*arguments)  # type: ignore[arg-type]
        reached.set()
        assert goes_on.wait(60)
        progress = arguments[-1]
        assert isinstance(progress, Progress)
        progress.check()

    monkeypatch.setattr(searches, "search", slow)

    def script(context: Context) -> None:
        context.menu_click("//##MainMenuBar/select/select.search")
        context.yield_(3)
        context.key_chars("steel")
        context.item_click("//search/###start_search")

    gui.run(script)
    gui.until(reached.is_set)
    gui.frames(3)
    assert gui.state.search.is_running
    assert len(rows(gui)) == 2
    gui.commands.window.cancel_job("search")
    goes_on.set()
    gui.until(lambda: not gui.state.search.is_running)
    assert state_text(gui.state.search, None) == "1 hit in 1 file, cancelled"


def test_files_that_are_open_outside_of_the_folder_are_searched_too(
    gui: GuiTester, game: Path, tmp_path: Path
) -> None:
    (tmp_path / "loose.wea").write_bytes(b"1\r\n0 STEEL\r\n")
    gui.open(tmp_path / "loose.wea")
    search_for(gui, "steel")
    assert "loose.wea" in rows(gui)
    assert exists(gui, FIELD)


Change = Callable[[ModelBuilder], object]


def opened(gui: GuiTester, tmp_path: Path, change: Change) -> GuiTester:
    """The tank after a change that breaks something."""
    builder = tank()
    change(builder)
    gui.open(write_model(tmp_path / "tank.msh", builder))
    return gui


def click_problem(gui: GuiTester, table: str) -> Place:
    """Click the first problem of a table and return the place that it leads to."""
    found = by_severity(problems(gui.document))
    number, problem = next((n, item) for n, item in enumerate(found) if item.finding.table == table)
    bring_to_front(gui, "problems")
    click(gui, f"//problems/**/###problem{number}")
    return problem.place


def _bad_word(builder: ModelBuilder) -> None:
    builder.frame_map[1] = 0xFFF0


def _attributes(builder: ModelBuilder) -> None:
    builder.attributes[BATCHES] = (len(builder.batches), 0, 21)


def _long_text(builder: ModelBuilder) -> None:
    builder.tables[STRINGS] = builder.payloads()[STRINGS][:-3] + b"abc"


@pytest.mark.parametrize(
    ("change", "table", "spot", "column"),
    [
        (_bad_word, "frame_map", "frame_map[1].key", "key"),
        (_attributes, "directory", "directory[", "attr3"),
        (_long_text, "strings", "strings", "text"),
    ],
)
def test_a_problem_of_a_row_that_cannot_be_selected_shows_it_in_the_tables(
    gui: GuiTester, tmp_path: Path, change: Change, table: str, spot: str, column: str
) -> None:
    opened(gui, tmp_path, change)
    place = click_problem(gui, table)
    assert gui.state.reveal is not None
    assert gui.state.reveal.in_file.startswith(spot)
    assert exists(gui, f"//tables/**/{column}")
    if place.row is not None:
        assert exists(gui, f"//tables/**/###row{place.row}")
    assert not gui.state.view.selection.nodes


def test_a_problem_of_a_node_selects_it_and_brings_the_inspector(gui: GuiTester, tmp_path: Path) -> None:
    opened(gui, tmp_path, lambda builder: builder.nodes["parent"].__setitem__(3, 77))
    bring_to_front(gui, "materials")
    click_problem(gui, "nodes")
    assert gui.state.view.selection.nodes == (3,)
    assert exists(gui, "//inspector/**/parent")


def test_a_problem_of_the_materials_brings_their_panel(gui: GuiTester, tmp_path: Path) -> None:
    opened(gui, tmp_path, lambda _: None)
    assert not exists(gui, "//materials/**/###details")
    assert click_problem(gui, "materials") == Place(gui.document.address, "materials", 0)
    assert exists(gui, "//materials/**/###details")
    assert exists(gui, "//materials/**/step0"), "it is unfolded"


def _scroll_and_click(context: Context, item: str) -> None:
    context.mouse_move("//materials/**/###texture")
    for _ in range(60):
        if context.item_exists(item):
            break
        context.mouse_wheel_y(-2)
    context.item_click(item)


def click_step(gui: GuiTester, requested: Callable[[TraceStep], bool]) -> Place:
    """Unfold the first material, click a step of its trace and return where it leads."""
    material = gui.document.materials.rows[0]
    number, step = next((n, step) for n, step in enumerate(material.steps) if requested(step))
    gui.commands.opening.go_to(Place(gui.document.address, "materials", 0))
    gui.settle()
    gui.run(lambda context: _scroll_and_click(context, f"//materials/**/step{number}"))
    gui.until(lambda: not gui.app.jobs.title)
    gui.settle()
    assert step.place is not None
    return step.place


@pytest.mark.parametrize("table", [wear.MATERIALS, mat0.PHASE.name, nres.ENTRY.name])
def test_a_step_of_a_trace_opens_what_it_is_about(walker: GuiTester, table: str) -> None:
    document = walker.document
    place = click_step(walker, lambda step: step.place is not None and step.place.table == table)
    assert walker.state.resource is not None
    assert walker.state.resource.address == place.address
    assert walker.state.reveal == place
    assert exists(walker, "//viewport/**/###fields")
    assert walker.state.tabs.documents == (document,), "the model stays"


def test_the_first_step_of_a_trace_selects_the_batch(walker: GuiTester) -> None:
    place = click_step(walker, lambda step: step.place is not None and step.place.table == "batches")
    assert walker.state.view.selection.batch == place.row
    assert exists(walker, "//inspector/**/flags")


def test_a_place_in_another_model_opens_that(walker: GuiTester) -> None:
    following = neighbour(walker.state.browser, walker.state.arrangement, 1)
    assert following is not None
    other = following.address
    walker.commands.opening.go_to(Place(other, "indices", 0))
    walker.until(lambda: walker.document.address == other and not walker.app.jobs.title)
    walker.settle()
    assert walker.state.reveal == Place(other, "indices", 0)
    assert exists(walker, "//tables/**/index")


def test_going_to_the_same_place_again_shows_it_again(walker: GuiTester) -> None:
    place = Place(walker.document.address, "indices", 1)
    for _ in range(2):
        bring_to_front(walker, "timeline")
        assert not exists(walker, "//tables/**/index")
        walker.commands.opening.go_to(place)
        walker.settle()
        assert exists(walker, "//tables/**/index")
