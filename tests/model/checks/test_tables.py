"""One finding per table whose size, attributes or counts are wrong.

One finding per broken rule of neighbours, batches and parents, at its row.

One finding per broken rule of tracks, frame map and quaternions, at its row.

One finding per broken rule of terrain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, box, container, legacy24, quad
from tests.formats.neighbors.test_control import controller, corpus
from tests.messages import states
from tests.terrains import terrain
from viewer.diagnostics import NAMED_ROWS, Diagnostic
from viewer.errors import Severity
from viewer.formats.msh.keys import KEY
from viewer.formats.msh.tables import (
    DRAW_LIST,
    FACES,
    FRAME_MAP,
    INDICES,
    KEYS,
    NAME_RECORDS,
    NODES,
    NORMALS,
    PATH_GRAPH,
    POSITIONS,
    SLOTS,
    STREAM14,
    STREAM15,
    STREAM18,
    STRINGS,
    TRIANGLES,
    UVS,
)
from viewer.formats.msh.terrain import FACE
from viewer.formats.neighbors import control
from viewer.model.checks import animation
from viewer.model.checks.animation import frames_in_model, nodes_in_model
from viewer.model.checks.geometry import BOUNDS, CELLS, DRAWS, GEOMETRY
from viewer.model.checks.joined_tables import Tables
from viewer.model.checks.model_tables import LAYOUT, TABLE
from viewer.model.checks.rules import Rules, findings
from viewer.model.checks.terrain import FACED, TERRAIN
from viewer.model.mesh.model import Model
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore

SCENE = [Node("hull", shapes={(0, 0): [quad()]})]


def of(rules: Sequence[Rules[Tables]], model: Model) -> list[Diagnostic]:
    """The diagnostics of some rules."""
    return findings([rule for some in rules for rule in some.all], Tables([model]))[0]


def table_findings(model: Model) -> list[Diagnostic]:
    return [*model.archive.diagnostics, *of((LAYOUT, TABLE), model)]


def found_in(builder: ModelBuilder) -> list[str]:
    return [f"{finding.rule} {finding.where}" for finding in table_findings(builder.model())]


def test_a_sound_model_has_nothing_against_it() -> None:
    assert found_in(ModelBuilder.of(SCENE)) == []


@pytest.mark.parametrize(
    ("type_id", "attributes", "expected"),
    [
        (NODES, (2, 0, 38), "V06 attr1"),
        (NODES, (1, 0, 40), "V03 attr3"),
        (SLOTS, (1, 1, 68), "V08 attr2"),
        (POSITIONS, (4, 0, 13), "V07 attr3"),
        (INDICES, (5, 0, 2), "V06 attr1"),
        (KEYS, (1, 0, 24), "V07 attr3"),
        (FRAME_MAP, (1, 1, 2), "V06 attr1"),
        (STRINGS, (2, 0, 0), "V06 attr1"),
        (STRINGS, (1, 0, 1), "V07 attr3"),
        (STRINGS, (1, 7, 0), "V08 attr2"),
    ],
)
def test_attributes_that_do_not_match(type_id: int, attributes: tuple[int, int, int], expected: str) -> None:
    builder = ModelBuilder.of(SCENE)
    builder.attributes[type_id] = attributes
    index = builder.model().archive.find_type(type_id)
    rule, field = expected.split()
    assert found_in(builder) == [f"{rule} directory[{index}].{field}"]


@pytest.mark.parametrize(
    ("type_id", "attributes"),
    [(NODES, (1, 99, 38)), (FRAME_MAP, (0, 5, 2)), (NAME_RECORDS, (9, 9, 9)), (PATH_GRAPH, (9, 9, 9))],
)
def test_attributes_that_are_free(type_id: int, attributes: tuple[int, int, int]) -> None:
    builder = ModelBuilder.of(SCENE)
    builder.tables[PATH_GRAPH] = b"path"
    builder.attributes[type_id] = attributes
    assert found_in(builder) == []


@pytest.mark.parametrize(
    ("type_id", "expected"),
    [(NORMALS, "V09 normals[3]"), (UVS, "V09 uvs[3]"), (STREAM15, "V10 stream15[3]")],
)
def test_vertex_tables_of_another_length(type_id: int, expected: str) -> None:
    builder = ModelBuilder.of(SCENE)
    size = len(builder.payloads()[type_id])
    builder.tables[type_id] = bytes(size - size // 4)
    assert found_in(builder) == [expected]


def test_numbers_that_are_not_finite() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.positions[2, 1] = np.nan
    builder.header["sphere_radius"] = np.inf
    assert found_in(builder) == ["V20 positions[2].position", "V20 header.sphere_radius"]


def test_unknown_types_and_legacy_nodes_are_mentioned() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.tables[77] = b"?"
    assert found_in(builder) == ["V27 directory[13].type_id"]
    found = table_findings(Model.read(legacy24([quad()])))
    assert [(finding.rule, finding.severity) for finding in found] == [("V03", Severity.INFO)]


def test_a_flood_of_unknown_types_is_counted() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.tables.update(dict.fromkeys(range(1000, 1150), b"?"))
    found = [it for it in table_findings(builder.model()) if it.rule == "V27"]
    assert len(found) == NAMED_ROWS + 1
    assert states(found[-1].message, "50")


GEOMETRY_SCENE = [Node("hull", shapes={(0, 0): [box(), quad()]}), Node("gun", 0, shapes={(1, 0): [box()]})]


def found_in_geometry(builder: ModelBuilder) -> list[str]:
    found = of((CELLS, DRAWS, BOUNDS, GEOMETRY), builder.model())
    return [f"{finding.rule} {finding.where}" for finding in found]


def test_a_sound_model_has_nothing_against_its_geometry() -> None:
    assert found_in_geometry(ModelBuilder.of(GEOMETRY_SCENE)) == []


def link_nowhere(builder: ModelBuilder) -> None:
    builder.triangles["links"][20, 1] = 26


def cut_a_triangle(builder: ModelBuilder) -> None:
    builder.batches["index_count"][1] = 5


def count_too_few(builder: ModelBuilder) -> None:
    builder.slots["tri_count"][1] = 11


def turn_parents_round(builder: ModelBuilder) -> None:
    builder.nodes["parent"] = [1, 0xFFFF]


def hide_a_slot(builder: ModelBuilder) -> None:
    builder.nodes["slots"][1] = 0xFFFF


def overrun_the_batches(builder: ModelBuilder) -> None:
    builder.slots["batch_count"][1] = 2


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (link_nowhere, ["V16 tri_descriptors[20].links"]),
        (cut_a_triangle, ["V17 batches[1].index_count", "V27 positions[27]"]),
        (count_too_few, ["V18 slots[1].tri_count"]),
        (turn_parents_round, ["V22 nodes[0].parent"]),
        (hide_a_slot, ["V27 slots[1]", "V27 batches[2]", "V27 positions[28]"]),
        (overrun_the_batches, ["V12 slots[1].batch_start"]),
    ],
)
def test_a_broken_rule_is_named_at_its_row(
    damage: Callable[[ModelBuilder], None], expected: list[str]
) -> None:
    builder = ModelBuilder.of(GEOMETRY_SCENE)
    damage(builder)
    assert found_in_geometry(builder) == expected


def test_without_descriptors_nothing_is_said_about_their_number() -> None:
    builder = ModelBuilder.of(GEOMETRY_SCENE)
    builder.missing.add(TRIANGLES)
    assert found_in_geometry(builder) == []


def test_of_a_model_that_is_not_drawn_whole_nothing_is_said_to_be_unused() -> None:
    """What is left out might use the batches and vertices that nothing else does."""
    builder = ModelBuilder.of([Node(shapes={(0, 0): [quad()]})])
    builder.indices = np.zeros(65_535, "<u2")
    builder.batches = np.repeat(builder.batches, 1000)
    builder.batches["index_start"], builder.batches["index_count"] = 0, 65_535
    builder.slots["batch_count"] = 1000
    found = found_in_geometry(builder)
    assert "V12 slots" in found
    assert not [it for it in found if it.startswith("V27")]


def test_slots_far_outside_are_judged_without_going_there() -> None:
    builder = ModelBuilder.of(GEOMETRY_SCENE)
    builder.slots["batch_start"], builder.slots["batch_count"] = 0xFFFF, 0xFFFF
    assert np.isin(["V12 slots[0].batch_start", "V18 slots[1].tri_count"], found_in_geometry(builder)).all()


MOVING_SCENE = [
    Node("hull", keys=[Key(0), Key(4, (1, 0, 0)), Key(8)]),
    Node("socket"),
    Node("gun", 0, keys=[Key(0), Key(3, (0, 1, 0)), Key(8)]),
]


def found_in_animation(builder: ModelBuilder) -> list[str]:
    return [f"{finding.rule} {finding.where}" for finding in animation.check(builder.model())]


def test_canonical_tracks_have_nothing_against_them() -> None:
    assert found_in_animation(ModelBuilder.of(MOVING_SCENE)) == []


def swap_times(builder: ModelBuilder) -> None:
    builder.keys["time"][1] = 9


def repeat_a_time(builder: ModelBuilder) -> None:
    builder.keys["time"][5] = 0


def start_late(builder: ModelBuilder) -> None:
    builder.keys["time"][3] = 2


def use_half_frames(builder: ModelBuilder) -> None:
    builder.keys["time"][1] = 4.5


def share_a_key(builder: ModelBuilder) -> None:
    builder.nodes["fallback_key"][1] = 2


def map_a_single_key(builder: ModelBuilder) -> None:
    builder.nodes["map_start"][1] = 0


def point_beyond_the_fallback(builder: ModelBuilder) -> None:
    builder.frame_map[5] = 60_000


def point_before_the_track(builder: ModelBuilder) -> None:
    builder.frame_map[10] = 1


def shrink_a_quaternion(builder: ModelBuilder) -> None:
    builder.keys["quaternion"][3] = (0, 0, 0, 16_000)


def forget_the_frames(builder: ModelBuilder) -> None:
    builder.attributes[FRAME_MAP] = (18, 0, 2)


def append_words(builder: ModelBuilder) -> None:
    builder.frame_map = np.append(builder.frame_map, np.zeros(3, "<u2")).astype("<u2")


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (swap_times, ["A05 keys[2].time"]),
        (repeat_a_time, ["A05 keys[5].time"]),
        (start_late, ["A07 keys[3].time"]),
        (use_half_frames, ["A07 keys[1].time"]),
        (share_a_key, ["A07 nodes[1].fallback_key"]),
        (map_a_single_key, ["A05 nodes[1].fallback_key"]),
        (point_beyond_the_fallback, ["A10 frame_map[5].key"]),
        (point_before_the_track, ["A11 frame_map[10].key"]),
        (shrink_a_quaternion, ["A13 keys[3].quaternion"]),
        (forget_the_frames, ["A06 directory[10].attr2"]),
        (append_words, ["A09 frame_map"]),
    ],
)
def test_a_broken_rule_of_tracks_is_named_at_its_row(
    damage: Callable[[ModelBuilder], None], expected: list[str]
) -> None:
    builder = ModelBuilder.of(MOVING_SCENE)
    damage(builder)
    found = found_in_animation(builder)
    assert set(expected) <= set(found)
    rules = {line.partition(" ")[0] for line in expected}
    assert [line for line in found if line.partition(" ")[0] in rules] == expected


def test_a_word_at_the_end_of_the_keys_has_no_right_key() -> None:
    builder = ModelBuilder.of(MOVING_SCENE)
    builder.nodes["fallback_key"][2] = 7
    builder.frame_map[9] = 6
    assert "A02 nodes[2].fallback_key" in found_in_animation(builder)
    assert "A04 frame_map[9].key" in found_in_animation(builder)


def test_a_frame_count_that_the_tracks_do_not_reach_is_odd() -> None:
    builder = ModelBuilder.of(MOVING_SCENE)
    builder.keys["time"][[2, 6]] = 7
    assert found_in_animation(builder) == ["A08 directory[10].attr2"]


def test_words_that_two_nodes_share_are_judged_once() -> None:
    builder = ModelBuilder.of([MOVING_SCENE[0], MOVING_SCENE[0]])
    builder.nodes["map_start"][1] = 0
    found = found_in_animation(builder)
    assert "A09 nodes[1].map_start" in found
    assert not [line for line in found if line.startswith(("A10", "A11"))]


def test_tracks_that_overlap_are_looked_at_once() -> None:
    builder = ModelBuilder.of([Node() for _ in range(4000)])
    builder.keys = KEY.new(60_000)
    builder.keys["quaternion"][:, 3] = 32_767
    builder.keys["time"] = np.arange(60_000)[::-1]
    builder.nodes["fallback_key"] = np.where(np.arange(4000) % 2, 59_999, 5)
    found = found_in_animation(builder)
    assert sum(line.startswith("A05 keys") for line in found) == NAMED_ROWS + 1


def changed(field: str, row: int, value: list[float] | int) -> control.Control:
    """The controller of these tests with another value in one row."""
    decoded = control.decode(controller())
    rows = decoded.channels if field == "node" else decoded.states
    rows = rows.copy()
    rows[field][row] = value
    tables = {"channels": rows} if field == "node" else {"states": rows}
    names = ("counts", "parameters", "states", "costs", "channels", "components", "rest")
    return control.Control(**{name: getattr(decoded, name) for name in names} | tables)


def test_frames_beyond_the_strip_are_found_at_their_state() -> None:
    control_ = changed("frames_b", 1, [0, 10])
    assert list(frames_in_model(control_, 11)) == []
    found = list(frames_in_model(control_, 10))
    assert [(item.rule, item.where) for item in found] == [("K02", "states[1].frames_b")]


def test_negative_frames_are_no_pair() -> None:
    assert list(frames_in_model(changed("frames_a", 0, [-1, -1]), 10)) == []


def test_nodes_that_are_missing_are_found_at_their_channel() -> None:
    assert nodes_in_model(changed("node", 0, 3), 4) == []
    for node in (4, -1):
        found = nodes_in_model(changed("node", 0, node), 4)
        assert [(item.rule, item.where) for item in found] == [("K03", "channels[0].node")]


def test_the_controllers_of_the_corpus_fit_their_models(samples: Path) -> None:
    folder = samples / "field"
    models = {
        address: FileStore().open(Address.parse(str(folder / address))).read_model()
        for address in {truth["model"] for _, _, truth in corpus(samples)} - {None}
    }
    for address, payload, truth in corpus(samples):
        if truth["model"] is not None:
            model, decoded = models[truth["model"]], control.decode(payload)
            assert list(frames_in_model(decoded, model.frame_count)) == [], address
            assert nodes_in_model(decoded, model.record_count) == [], address


GOOD = Model.read(terrain(2, 3))


def found_in_terrain(tables: dict[int, bytes], columns: int = 2, missing: tuple[int, ...] = ()) -> list[str]:
    payloads = {entry.type_id: bytes(GOOD.payload(entry.type_id)) for entry in GOOD.archive.entries}
    payloads.update(tables)
    kept = {type_id: data for type_id, data in payloads.items() if type_id not in missing}
    model = Model.read(container(kept, changed={NODES: (6, columns, 38)}))
    found = of((CELLS, FACED, BOUNDS, TERRAIN), model)
    return [f"{finding.rule} {finding.where}" for finding in found]


def test_a_sound_terrain_has_nothing_against_it() -> None:
    assert found_in_terrain({}) == []
    assert found_in_terrain({}, missing=(STREAM14,)) == []


@pytest.mark.parametrize("type_id", [STREAM18, DRAW_LIST])
def test_tables_that_the_engine_needs(type_id: int) -> None:
    assert found_in_terrain({}, missing=(type_id,)) == ["L01 directory"]


@pytest.mark.parametrize("columns", [0, 4])
def test_columns_that_do_not_divide_the_tiles(columns: int) -> None:
    assert found_in_terrain({}, columns) == ["L07 directory[0].attr2"]


def test_neighbours_that_are_not_there() -> None:
    faces = FACE.view(GOOD.payload(FACES)).copy()
    faces["neighbours"][7, 1] = len(faces)
    assert found_in_terrain({FACES: faces.tobytes()}) == ["L04 faces[7].neighbours"]


def test_another_order_of_types() -> None:
    payloads = [(entry.type_id, bytes(GOOD.payload(entry.type_id))) for entry in GOOD.archive.entries]
    model = Model.read(container(dict(reversed(payloads)), changed={NODES: (6, 2, 38)}))
    found = of((CELLS, FACED, BOUNDS, TERRAIN), model)
    assert [finding.rule for finding in found] == ["L08"]
    assert np.array_equal(model.positions, GOOD.positions)
