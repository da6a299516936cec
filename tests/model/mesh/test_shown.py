"""Which parts and draws a choice shows."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import pytest

from tests.builders import ModelBuilder, Node, box, quad
from tests.terrains import terrain
from viewer.cli.reading import model_tables
from viewer.formats.msh.nodes import FLAG_COCKPIT, FLAG_INTERNAL, FLAG_SURVIVES, GROUPS, LODS
from viewer.model.mesh import cell_names, draw_builder
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.mesh.shown import (
    NO_CELL,
    NO_ROOM,
    THRESHOLDS,
    Cell,
    CellRule,
    Cutaway,
    PartChoice,
    PartChooser,
    group_at,
)
from viewer.session.opened.document import Document

WALL, TOWER, HALL, GAP, EYE = range(5)
NONE = NO_CELL


def node(*cells: Cell, flags: int = 0) -> Node:
    """A node with a triangle of its own in each cell."""
    return Node(shapes={cell: [quad()] for cell in cells}, flags=flags)


def builder() -> ModelBuilder:
    """One stage; three stages with levels; internal, with the own view; a gap in column 0; a cockpit."""
    return ModelBuilder(
        [
            node((0, 0), (0, 1)),
            node((0, 0), (0, 2), (1, 0), (1, 1), (2, 0), flags=FLAG_SURVIVES),
            node((0, 0), (0, 4), flags=FLAG_INTERNAL),
            node((0, 2), (1, 0), (2, 3)),
            node((0, 4), flags=FLAG_COCKPIT),
        ]
    )


def chooser(made: ModelBuilder | None = None) -> PartChooser:
    model = (made or builder()).model()
    return PartChooser(model, draw_builder.build(model))


def cells(choice: PartChoice) -> list[int]:
    """Row * 10 + column of the cell that each node shows."""
    found = chooser().shown(choice).cell.tolist()
    return [cell if cell == NONE else cell // 5 * 10 + cell % 5 for cell in found]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ((0, 0), [0, 0, 0, NONE, NONE]),
        ((0, 1), [1, 0, 0, NONE, NONE]),
        ((0, 2), [1, 2, 0, 2, NONE]),
        ((0, 3), [1, 2, 0, 2, NONE]),
        ((0, 4), [NONE, NONE, 4, NONE, 4]),
        ((1, 0), [0, 10, 0, 10, NONE]),
        ((1, 3), [1, 11, 0, 10, NONE]),
        ((2, 0), [0, 20, 0, NONE, NONE]),
        ((2, 3), [1, 20, 0, 23, NONE]),
        ((2, 4), [NONE, NONE, 4, NONE, 4]),
    ],
)
def test_the_game_draws_the_last_stage_up_to_the_row_at_the_nearest_finer_level(
    asked: Cell, expected: list[int]
) -> None:
    assert cells(PartChoice(*asked)) == expected


def test_exactly_is_the_cell_asked_for_or_nothing() -> None:
    for row in range(3):
        for column in range(5):
            shown = cells(PartChoice(row, column, CellRule.EXACT))
            filled = [(row, column) in each.shapes for each in builder().scene]
            assert [cell != NONE for cell in shown] == filled
            assert {*shown} <= {NONE, row * 10 + column}


def test_a_destroyed_model_keeps_the_nodes_that_survive_in_their_last_row() -> None:
    assert cells(PartChoice(0, 1, is_destroyed=True)) == [NONE, 20, NONE, NONE, NONE]
    assert cells(PartChoice(0, 0, CellRule.EXACT, is_destroyed=True)) == [0, 0, 0, NONE, NONE]


def test_a_building_is_cut_open() -> None:
    inside, outside = (
        {node for node, cell in enumerate(cells(PartChoice(0, 2, cutaway=cutaway))) if cell != NONE}
        for cutaway in (Cutaway.INSIDE, Cutaway.OUTSIDE)
    )
    assert inside == {HALL}
    assert outside == {WALL, TOWER, GAP}


def test_what_the_cutaway_and_the_user_leave_out_is_known_of_nodes_without_geometry_too() -> None:
    kept = chooser().shown(PartChoice(cutaway=Cutaway.OUTSIDE, hidden=frozenset({WALL, 99}))).kept
    assert kept.tolist() == [False, True, False, True, True]


def test_an_override_is_exact_and_stays_when_the_rest_is_destroyed() -> None:
    overrides = {TOWER: (1, 1), WALL: (1, 0), EYE: (0, 4)}
    choice = PartChoice(0, 0, is_destroyed=True, overrides=overrides)
    assert cells(choice) == [NONE, 11, NONE, NONE, 4]
    assert cells(PartChoice(0, 0, overrides={99: (0, 0)})) == cells(PartChoice())


def test_hidden_nodes_and_those_outside_the_isolated_show_nothing() -> None:
    assert cells(PartChoice(hidden=frozenset({WALL, 99}))) == [NONE, 0, 0, NONE, NONE]
    assert cells(PartChoice(isolated=frozenset({WALL}))) == [0, NONE, NONE, NONE, NONE]


def test_portals_are_apart_from_the_draws() -> None:
    made = ModelBuilder([Node(shapes={(0, 0): [quad(), quad(), quad()]}), node((0, 0))])
    made.batches["flags"][1:3] = 0x8
    made.batches["opaque6"][:] = [0xFFFF, 1, 7, 0xFFFF]
    found = chooser(made)
    shown = found.shown(PartChoice())
    assert shown.draws.tolist() == [True, False, False, True]
    assert shown.portals.tolist() == [False, True, True, False]
    assert found.room.tolist() == [NO_ROOM, 1, NO_ROOM, NO_ROOM]
    assert shown.triangle_count == 4
    assert shown.visible(has_portals=True).all()
    assert found.portal_count == 2


def test_counts_are_those_of_every_choice() -> None:
    found = chooser()
    for rule in CellRule:
        counts = found.triangle_counts(PartChoice(rule=rule, hidden=frozenset({WALL})))
        for row in range(3):
            for column in range(5):
                assert counts[row, column] == found.shown(PartChoice(row, column, rule)).triangle_count


def test_the_nearest_cell_shows_something() -> None:
    found = chooser()
    assert found.nearest_cell(PartChoice(2, 4)) == (2, 4)
    assert found.nearest_cell(PartChoice(1, 4, CellRule.EXACT)) in {(0, 4), (2, 3)}
    assert chooser(ModelBuilder([Node("nothing")])).nearest_cell(PartChoice()) is None


def test_an_equal_choice_is_not_worked_out_again() -> None:
    found = chooser()
    shown = found.shown(PartChoice(1, 1, hidden=frozenset({TOWER})))
    assert found.shown(PartChoice(1, 1, hidden=frozenset({TOWER}))) is shown


def test_a_smaller_model_is_drawn_coarser() -> None:
    sizes = [inf, 1.0, *reversed(THRESHOLDS), *(share * 0.99 for share in reversed(THRESHOLDS)), 0.0]
    assert [group_at(size) for size in sizes] == [0, 0, 0, 1, 2, 1, 2, 3, 3]


def test_the_meaning_follows_the_number_of_row_and_column() -> None:
    assert cell_names.FIELD.lod(1) == "LOD 1 - damaged"
    assert [cell_names.FIELD.group(group) for group in (2, 4)] == ["group 2 - far", "group 4 - own view"]
    assert cell_names.FIELD.cell(0, 3) == "LOD 0 - intact, group 3 - farthest"


def test_the_seeds_state_no_meaning() -> None:
    assert [cell_names.SEED.cell(2, 4), cell_names.SEED.lod(0), cell_names.SEED.group(1)] == [
        "LOD 2, group 4",
        "LOD 0",
        "group 1",
    ]


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (terrain(), ["LOD 0, group 0 - fine", "LOD 0, group 1 - coarse"]),
        (terrain(coarse=(1, 0)), ["LOD 0 - fine, group 0", "LOD 1 - coarse, group 0"]),
        (terrain(is_coarse=False), ["LOD 0, group 0 - fine"]),
    ],
)
def test_the_coarse_level_of_a_terrain_is_named_where_its_file_has_it(data: bytes, names: list[str]) -> None:
    document = Document.of("Land.msh", Model.read(data))
    assert [cell["name"] for cell in model_tables.cells(document)] == names


def test_cells_have_different_names() -> None:
    def named(names: cell_names.CellNames) -> Iterator[str]:
        yield from (names.cell(lod, group) for lod in range(LODS) for group in range(GROUPS))

    assert len({*named(cell_names.FIELD)}) == len({*named(cell_names.SEED)}) == LODS * GROUPS


@pytest.mark.parametrize(
    ("requested", "name"),
    [
        (ReadingChoice.AUTO, "LOD 1 - damaged"),
        (ReadingChoice.FIELD, "LOD 1 - damaged"),
        (ReadingChoice.SEED, "LOD 1"),
    ],
)
def test_a_document_has_the_names_of_its_reading(requested: ReadingChoice, name: str) -> None:
    model = ModelBuilder([Node("hull", shapes={(0, 0): [box()]})]).model()
    assert Document.of("hull.msh", model, requested=requested).cell_names.lod(1) == name
