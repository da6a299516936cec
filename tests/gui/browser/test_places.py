"""Going to places: problems, steps of a trace and links show what they are about."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builders import ModelBuilder
from tests.gui.harness import Context, GuiTester, bring_to_front, click, exists, write_model
from tests.ui.scenes import tank
from viewer.formats import mat0, wear
from viewer.formats.archive import nres
from viewer.formats.msh.tables import BATCHES, STRINGS
from viewer.model.material.materials import TraceStep
from viewer.model.store.place import Place
from viewer.session.opened.browser import neighbour
from viewer.session.places import problems
from viewer.ui.panels.problems import by_severity

Change = Callable[[ModelBuilder], object]


@pytest.fixture
def walker(gui: GuiTester) -> GuiTester:
    """The bundled sample, paused."""
    gui.commands.opening.open_sample()
    gui.until(lambda: gui.state.document is not None)
    gui.pause()
    return gui


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
    assert gui.state.reveal.spot.startswith(spot)
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
