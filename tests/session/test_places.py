"""What places mean for a document: whether they exist, what they select, what is nearest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.broken import models, terrains
from tests.broken.case import Case
from tests.terrains import terrain
from tests.ui.scenes import BODY, GUN, TURRET, tank, tank_document
from viewer.errors import MshviewError
from viewer.formats import wear
from viewer.formats.archive import nres
from viewer.formats.msh.tables import BATCHES, TABLES
from viewer.model.mesh.model import Model
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.place import Place
from viewer.operations.opening import Source
from viewer.resources import bundled_path
from viewer.session.opened import listing
from viewer.session.opened.document import Document
from viewer.session.opened.listing import locate
from viewer.session.places import (
    batches_at,
    corners_of,
    exists,
    is_selectable,
    linked,
    nearest,
    places_of,
    problems,
    selection_at,
    slots_of_batch,
    users_of_slot,
)
from viewer.session.selection import Selection

NOTHING = Selection()
TANK = "tank.msh"
"""The address of the scene."""


@pytest.mark.parametrize(
    "table", ["nodes", "slots", "batches", "tri_descriptors", "keys", "vertices", "positions", "uvs"]
)
def test_every_row_of_a_table_can_be_reached_and_no_other(table: str) -> None:
    document = tank_document()
    rows = {
        "nodes": document.model.nodes,
        "slots": document.model.slots,
        "batches": document.model.batches,
        "tri_descriptors": document.model.tri_descriptors,
        "keys": document.model.keys,
    }.get(table, document.model.positions)
    assert is_selectable(document, Place(Address.parse(TANK), table, len(rows) - 1))
    assert not is_selectable(document, Place(Address.parse(TANK), table, len(rows)))
    assert not is_selectable(document, Place(Address.parse(TANK), table, -1))


def test_rows_of_other_tables_exist_but_cannot_be_selected() -> None:
    document = tank_document()
    for table in ("indices", "strings", "header", "frame_map", "directory", "container"):
        assert exists(document, Place(Address.parse(TANK), table, 0))
        assert not is_selectable(document, Place(Address.parse(TANK), table, 0))
    assert not exists(document, Place(Address.parse("other.msh"), "indices", 0))


def test_every_table_with_records_has_rows_that_exist() -> None:
    model = tank_document().model
    for type_id, table in TABLES.items():
        if table.record is not None and len(model.rows(type_id)):
            assert exists(
                tank_document(), Place(Address.parse(TANK), table.name, len(model.rows(type_id)) - 1)
            )
            assert not exists(
                tank_document(), Place(Address.parse(TANK), table.name, len(model.rows(type_id)))
            )
            assert exists(
                tank_document(), Place(Address.parse(TANK), table.name, 0, table.record.fields[-1].name)
            )
            assert not exists(tank_document(), Place(Address.parse(TANK), table.name, 0, "no_such_field"))


@pytest.mark.parametrize(
    ("spot", "found"),
    [
        ("nodes[2].parent", "nodes[2].parent"),
        ("nodes[2].nothing", "nodes[2]"),
        ("nodes[99].parent", "nodes"),
        ("strings[1].length", "strings[1]"),
        ("header.capsule_radius", "header.capsule_radius"),
        ("light_probes[0].node", "directory"),
        ("materials[0]", "materials[0]"),
        ("materials[9]", "materials"),
        ("nothing[1].like", "directory"),
    ],
)
def test_what_does_not_exist_leads_to_what_is_around_it(spot: str, found: str) -> None:
    assert nearest(tank_document(), Place.parse(f"{TANK}: {spot}")).in_file == found


def test_attributes_of_a_table_stand_in_its_directory_entry() -> None:
    document = tank_document()
    index = document.model.archive.find_type(BATCHES)
    assert nearest(document, Place(Address.parse(TANK), "batches", field="attr1")) == Place(
        Address.parse(TANK), "directory", index, "attr1"
    )


def test_a_whole_document_is_shown_by_selecting_nothing() -> None:
    document = tank_document()
    assert is_selectable(document, Place(Address.parse(TANK)))
    assert selection_at(document, Place(Address.parse(TANK)), Selection((GUN,))) == NOTHING


def test_selections_and_places_lead_to_each_other() -> None:
    document = tank_document()
    place = Place(Address.parse(TANK), "tri_descriptors", int(document.model.slots["tri_start"][1]))
    selection = selection_at(document, place, NOTHING)
    found = [*places_of(document, selection)]
    assert [item.table for item in found] == ["nodes", "slots", "batches", "indices", "tri_descriptors"]
    assert found[-1] == place
    assert all(exists(document, item) for item in found)
    assert selection_at(document, found[2], selection) == replace(selection, triangle=None, descriptor=None)


def test_materials_without_a_wear_table_are_a_problem_of_the_materials() -> None:
    last = [*problems(tank_document())][-1]
    assert last.finding.table == "materials"
    assert last.place == Place(Address.parse(TANK), "materials", 0)


def test_slot_leads_to_its_node() -> None:
    document = tank_document()
    slot = int(document.model.nodes["slots"][GUN, 0, 0])
    assert selection_at(document, Place(Address.parse(TANK), "slots", slot), NOTHING) == Selection(
        (GUN,), slot=slot
    )


def test_shared_slot_stays_with_the_active_node() -> None:
    builder = tank()
    shared = int(builder.nodes["slots"][BODY, 0, 0])
    builder.nodes["slots"][GUN, 0, 0] = shared
    document = Document.of(Address.parse("tank.msh"), builder.model())
    place = Place(Address.parse(TANK), "slots", shared)
    assert selection_at(document, place, NOTHING).nodes == (BODY,)
    assert selection_at(document, place, Selection((GUN,))).nodes == (GUN,)
    assert users_of_slot(document, shared) == [(BODY, 0, 0), (GUN, 0, 0)]


def test_batch_leads_to_its_slot_and_node() -> None:
    document = tank_document()
    slot = int(document.model.nodes["slots"][TURRET, 0, 0])
    batch = int(document.model.slots["batch_start"][slot])
    selection = selection_at(document, Place(Address.parse(TANK), "batches", batch), NOTHING)
    assert selection == Selection((TURRET,), slot=slot, batch=batch)
    assert slots_of_batch(document, batch) == [slot]


def test_descriptor_leads_to_its_triangle() -> None:
    document = tank_document()
    slot = int(document.model.nodes["slots"][TURRET, 0, 0])
    descriptor = int(document.model.slots["tri_start"][slot]) + 5
    selection = selection_at(document, Place(Address.parse(TANK), "tri_descriptors", descriptor), NOTHING)
    assert selection.node == TURRET
    assert selection.descriptor == descriptor
    assert selection.triangle is not None
    indices = document.model.indices.reshape(-1, 3)[selection.triangle].astype(np.int64)
    base = int(document.model.batches["base_vertex"][selection.batch])
    assert corners_of(document, selection) == tuple(int(index) + base for index in indices)


def test_a_face_of_a_terrain_is_selected_with_its_tile() -> None:
    document = Document.of(Address.parse("Land.msh"), Model.read(terrain()))
    place = Place(Address.parse("Land.msh"), "faces", 5)
    found = selection_at(document, place, NOTHING)
    assert found == Selection((2,), slot=2, triangle=5)
    assert [*places_of(document, found)][-1] == place
    assert selection_at(document, Place(Address.parse("Land.msh"), "faces", 15), NOTHING).nodes == (3,)


def test_a_vertex_is_selected_with_what_draws_it() -> None:
    document = tank_document()
    draws = document.draws
    draw = int(np.flatnonzero(draws.node == TURRET)[0])
    vertex = int(draws.corners[draws.triangle_start[draw]][0])
    for table in ("vertices", "positions", "uvs"):
        selection = selection_at(document, Place(Address.parse(TANK), table, vertex), NOTHING)
        assert selection == Selection(
            (TURRET,), slot=int(draws.slot[draw]), batch=int(draws.batch[draw]), vertex=vertex
        )
    assert [*places_of(document, selection)][-1] == Place(Address.parse(TANK), "vertices", vertex)
    assert [*batches_at(document, Place(Address.parse(TANK), "vertices", vertex))] == [int(draws.batch[draw])]


def test_a_vertex_of_the_selected_triangle_keeps_it_selected() -> None:
    document = tank_document()
    place = Place(Address.parse(TANK), "tri_descriptors", int(document.model.slots["tri_start"][1]))
    triangle = selection_at(document, place, NOTHING)
    corners = corners_of(document, triangle)
    assert corners is not None
    selection = selection_at(document, Place(Address.parse(TANK), "vertices", corners[1]), triangle)
    assert selection == replace(triangle, vertex=corners[1])


def test_a_vertex_that_two_nodes_draw_stays_with_the_active_one() -> None:
    builder = tank()
    builder.nodes["slots"][GUN, 0, 0] = builder.nodes["slots"][BODY, 0, 0]
    document = Document.of(Address.parse(TANK), builder.model())
    for node in (BODY, GUN):
        assert selection_at(
            document, Place(Address.parse(TANK), "vertices", 0), Selection((node,))
        ).nodes == (node,)


def test_a_vertex_that_nothing_draws_is_selected_alone() -> None:
    builder = tank()
    builder.nodes["slots"] = 0xFFFF
    document = Document.of(Address.parse(TANK), builder.model())
    assert selection_at(document, Place(Address.parse(TANK), "vertices", 3), NOTHING) == Selection(vertex=3)


def test_a_key_is_selected_with_the_node_whose_track_it_is_in() -> None:
    document = tank_document()
    for key in document.animation.track(TURRET):
        selection = selection_at(document, Place(Address.parse(TANK), "keys", key), NOTHING)
        assert selection == Selection((TURRET,), key=key)
        assert [*places_of(document, selection)][-1] == Place(Address.parse(TANK), "keys", key)


def test_a_key_of_no_track_is_selected_alone() -> None:
    builder = tank()
    builder.nodes["fallback_key"] = 0
    document = Document.of(Address.parse(TANK), builder.model())
    assert selection_at(document, Place(Address.parse(TANK), "keys", 4), NOTHING) == Selection(key=4)


def test_a_link_to_a_wear_row_leads_to_its_material() -> None:
    document = tank_document()
    assert linked(document, Place(Address.parse(TANK), "wear", 0)) == Place(
        Address.parse(TANK), "materials", 0
    )
    assert linked(document, Place(Address.parse(TANK), "wear", 9)) == Place(Address.parse(TANK), "wear", 9)
    assert linked(document, Place(Address.parse(TANK), "nodes", 1)) == Place(Address.parse(TANK), "nodes", 1)


def test_a_row_stands_for_the_batches_that_it_is_holds_or_is_drawn_by() -> None:
    document = tank_document()
    slot = int(document.model.nodes["slots"][BODY, 0, 0])
    first = int(document.model.slots["batch_start"][slot])
    assert [*batches_at(document, Place(Address.parse(TANK), "slots", slot))] == [first, first + 1]
    assert [*batches_at(document, Place(Address.parse(TANK), "batches", first + 1))] == [first + 1]
    descriptor = int(document.model.slots["tri_start"][slot]) + 12
    assert [*batches_at(document, Place(Address.parse(TANK), "tri_descriptors", descriptor))] == [first + 1]


@pytest.mark.parametrize(
    "place",
    [
        Place(Address.parse(TANK), "nodes", 3),
        Place(Address.parse(TANK), "strings", 999),
        Place(Address.parse(TANK), "batches", 999),
    ],
)
def test_a_row_that_is_no_geometry_or_does_not_exist_stands_for_no_batch(place: Place) -> None:
    assert not batches_at(tank_document(), place)


def test_a_node_a_key_and_an_index_stand_for_what_draws_them() -> None:
    document = tank_document()
    drawn = set(document.draws.batch[document.draws.node == TURRET].tolist())
    assert {*batches_at(document, Place(Address.parse(TANK), "nodes", TURRET))} == drawn
    key = document.animation.track(TURRET)[1]
    assert {*batches_at(document, Place(Address.parse(TANK), "keys", key))} == drawn
    assert {*batches_at(document, Place(Address.parse(TANK), "strings", TURRET))} == drawn
    word = int(document.model.nodes["map_start"][TURRET])
    assert {*batches_at(document, Place(Address.parse(TANK), "frame_map", word))} == drawn
    assert not batches_at(document, Place(Address.parse(TANK), "frame_map", 9999))
    index = int(document.model.batches["index_start"][1])
    assert {*batches_at(document, Place(Address.parse(TANK), "indices", index))} == {1}


def test_a_range_of_batches_beyond_the_table_ends_with_it() -> None:
    builder = tank()
    count = len(builder.model().batches)
    builder.slots["batch_start"], builder.slots["batch_count"] = count - 1, 0xFFFF
    document = Document.of(Address.parse("tank.msh"), builder.model())
    assert [*batches_at(document, Place(Address.parse(TANK), "slots", 0))] == [count - 1]
    builder.slots["batch_start"] = count + 7
    assert not batches_at(
        Document.of(Address.parse("tank.msh"), builder.model()), Place(Address.parse(TANK), "slots", 0)
    )


def test_what_nothing_draws_is_selected_alone() -> None:
    builder = tank()
    slot = int(builder.nodes["slots"][GUN, 0, 0])
    builder.nodes["slots"][GUN] = 0xFFFF
    document = Document.of(Address.parse("tank.msh"), builder.model())
    assert selection_at(document, Place(Address.parse(TANK), "slots", slot), NOTHING) == Selection(slot=slot)
    descriptor = int(document.model.slots["tri_start"][slot])
    assert (
        selection_at(document, Place(Address.parse(TANK), "tri_descriptors", descriptor), NOTHING).nodes == ()
    )
    assert corners_of(document, NOTHING) is None


CASES = [*models.CASES, *terrains.CASES]
CONTAINER = {nres.ENTRY.name, nres.HEADER.name}


def documents(folder: Path) -> Iterator[Document]:
    """Every model in a folder that opens."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        store = FileStore()
        try:
            yield Document.open(store, Source(Address(path)))
        except MshviewError:
            continue


def check(document: Document, place: Place) -> None:
    """A place of a document leads to something that exists, at least to its table if that has rows."""
    found = nearest(document, place)
    assert exists(document, found), place
    if place.table in document.model.tables and not place.field:
        assert found.table == place.table
    if exists(document, Place(place.address, place.table, place.row)):
        assert found.row == place.row or found.table in CONTAINER


def opens(store: FileStore, document: Document, place: Place) -> bool:
    """Whether a place lies in the document, in a folder, or in something that can be read."""
    if place.address == document.address:
        return exists(document, nearest(document, place))
    address = place.address
    return address.path.is_dir() or len(store.open(address).data) > 0


def test_every_finding_of_the_damaged_models_leads_to_what_it_is_about(files: Path) -> None:
    found = 0
    for document in documents(files / "damaged"):
        for finding, place in problems(document):
            assert place.address == document.address
            check(document, place)
            assert (place.table, place.row) == (finding.table, finding.index) or finding.table == "materials"
            found += 1
    assert found > 100


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_broken_rule_has_a_place(case: Case) -> None:
    document = Document.of(Address.parse("sound.msh"), models.sound().model())
    for finding in case.find():
        place = Place.of(document.address, finding)
        assert Place.parse(str(place)) == place
        check(document, place)


def sample_models() -> Iterator[Address]:
    """Every model and terrain of the bundled sample."""
    store = FileStore()
    folder = bundled_path("assets/game")
    for path in sorted(path for path in folder.rglob("*") if path.suffix in {".msh", ".rlb"}):
        if path.suffix == ".msh":
            yield Address(path)
        else:
            rows = listing.entries_below(store, Address(path))
            yield from (row.address for row in rows if row.name.endswith(".msh"))


@pytest.mark.parametrize("address", [*sample_models()], ids=lambda address: address.name)
def test_every_step_of_a_trace_leads_to_something_that_opens(address: Address) -> None:
    store = FileStore()
    document = Document.open(store, Source(address))
    steps = [step for row in (*document.materials.rows, *document.materials.unused) for step in row.steps]
    assert steps
    for step in steps:
        assert step.place is not None, step
        assert opens(store, document, step.place), step
    assert any(step.place.table == wear.MATERIALS for step in steps if step.place)


def test_steps_that_find_nothing_lead_to_what_was_searched(tmp_path: Path) -> None:
    store = FileStore()
    model = locate(store, Address(bundled_path("assets/game/models.rlb"))).first_model
    assert model is not None
    (tmp_path / "Material.lib").write_bytes(nres.build([]))
    (tmp_path / "lost.msh").write_bytes(model.data)
    (tmp_path / "lost.wea").write_bytes(b"1\n0 NAMELESS\n")
    document = Document.open(store, Source(Address(tmp_path / "lost.msh")))
    row = document.materials.rows[0]
    lost = next(step for step in row.steps if step.is_missing)
    assert lost.place == Place(Address(tmp_path / "Material.lib"), nres.ENTRY.name)
    about = {place for finding, place in problems(document) if finding.message == lost.text}
    assert about == {Place(document.address, "materials", 0)}


def test_every_table_name_is_a_place() -> None:
    model = Model.read(models.sound().build())
    document = Document.of(Address.parse("sound.msh"), model)
    for type_id, table in TABLES.items():
        entry = Place(Address.parse("sound.msh"), nres.ENTRY.name, model.archive.find_type(type_id))
        place = Place(Address.parse("sound.msh"), table.name)
        assert nearest(document, place) == (place if table.name in model.tables else entry)
