"""From rows of tables to selections."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ui.scenes import BODY, GUN, TURRET, tank, tank_document
from viewer.session.document import Document
from viewer.session.selection import Selection
from viewer.ui.fields.field_view import Place
from viewer.ui.fields.navigation import (
    batches_at,
    corners_of,
    reaches,
    selection_at,
    slots_of_batch,
    users_of_slot,
)

NOTHING = Selection()


@pytest.mark.parametrize("table", ["nodes", "slots", "batches", "tri_descriptors"])
def test_every_row_of_a_table_can_be_reached_and_no_other(table: str) -> None:
    document = tank_document()
    rows = {
        "nodes": document.model.nodes,
        "slots": document.model.slots,
        "batches": document.model.batches,
        "tri_descriptors": document.model.tri_descriptors,
    }[table]
    assert reaches(document, Place(table, len(rows) - 1))
    assert not reaches(document, Place(table, len(rows)))
    assert not reaches(document, Place(table, -1))


def test_tables_without_selection_are_not_reached() -> None:
    assert not reaches(tank_document(), Place("indices", 0))


def test_slot_leads_to_its_node() -> None:
    document = tank_document()
    slot = int(document.model.nodes["slots"][GUN, 0, 0])
    assert selection_at(document, Place("slots", slot), NOTHING) == Selection((GUN,), slot=slot)


def test_shared_slot_stays_with_the_active_node() -> None:
    builder = tank()
    shared = int(builder.nodes["slots"][BODY, 0, 0])
    builder.nodes["slots"][GUN, 0, 0] = shared
    document = Document.of("tank.msh", builder.model())
    place = Place("slots", shared)
    assert selection_at(document, place, NOTHING).nodes == (BODY,)
    assert selection_at(document, place, Selection((GUN,))).nodes == (GUN,)
    assert users_of_slot(document, shared) == [(BODY, 0, 0), (GUN, 0, 0)]


def test_batch_leads_to_its_slot_and_node() -> None:
    document = tank_document()
    slot = int(document.model.nodes["slots"][TURRET, 0, 0])
    batch = int(document.model.slots["batch_start"][slot])
    selection = selection_at(document, Place("batches", batch), NOTHING)
    assert selection == Selection((TURRET,), slot=slot, batch=batch)
    assert slots_of_batch(document, batch) == [slot]


def test_descriptor_leads_to_its_triangle() -> None:
    document = tank_document()
    slot = int(document.model.nodes["slots"][TURRET, 0, 0])
    descriptor = int(document.model.slots["tri_start"][slot]) + 5
    selection = selection_at(document, Place("tri_descriptors", descriptor), NOTHING)
    assert selection.node == TURRET
    assert selection.descriptor == descriptor
    assert selection.triangle is not None
    indices = document.model.indices.reshape(-1, 3)[selection.triangle].astype(np.int64)
    base = int(document.model.batches["base_vertex"][selection.batch])
    assert corners_of(document, selection) == tuple(int(index) + base for index in indices)


def test_a_row_stands_for_the_batches_that_it_is_holds_or_is_drawn_by() -> None:
    document = tank_document()
    slot = int(document.model.nodes["slots"][BODY, 0, 0])
    first = int(document.model.slots["batch_start"][slot])
    assert [*batches_at(document, Place("slots", slot))] == [first, first + 1]
    assert [*batches_at(document, Place("batches", first + 1))] == [first + 1]
    descriptor = int(document.model.slots["tri_start"][slot]) + 12
    assert [*batches_at(document, Place("tri_descriptors", descriptor))] == [first + 1]


@pytest.mark.parametrize("place", [Place("nodes", 0), Place("indices", 0), Place("batches", 999)])
def test_a_row_that_is_no_geometry_or_does_not_exist_stands_for_no_batch(place: Place) -> None:
    assert not batches_at(tank_document(), place)


def test_a_range_of_batches_beyond_the_table_ends_with_it() -> None:
    builder = tank()
    count = len(builder.model().batches)
    builder.slots["batch_start"], builder.slots["batch_count"] = count - 1, 0xFFFF
    document = Document.of("tank.msh", builder.model())
    assert [*batches_at(document, Place("slots", 0))] == [count - 1]
    builder.slots["batch_start"] = count + 7
    assert not batches_at(Document.of("tank.msh", builder.model()), Place("slots", 0))


def test_what_nothing_draws_is_selected_alone() -> None:
    builder = tank()
    slot = int(builder.nodes["slots"][GUN, 0, 0])
    builder.nodes["slots"][GUN] = 0xFFFF
    document = Document.of("tank.msh", builder.model())
    assert selection_at(document, Place("slots", slot), NOTHING) == Selection(slot=slot)
    descriptor = int(document.model.slots["tri_start"][slot])
    assert selection_at(document, Place("tri_descriptors", descriptor), NOTHING).nodes == ()
    assert corners_of(document, NOTHING) is None
