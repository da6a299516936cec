"""Readings: the box decides, then the vote, then the seeds; the material field by its values.

The hierarchy: any order of parents, damage, world matrices.

Which tables of a model have rows.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import Key, ModelBuilder, Node, box, legacy24, quad, turn
from tests.terrains import terrain
from tests.ui.scenes import tank
from viewer.diagnostics import NAMED_ROWS, Diagnostic
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.nodes import FLAG_COCKPIT
from viewer.formats.msh.path_graph import PATH_LINK, PATH_NODE
from viewer.formats.msh.strings import NAME_SIZE
from viewer.formats.msh.tables import LIGHT_PROBES, NAME_RECORDS, NORMALS, PATH_GRAPH, TABLES
from viewer.geometry.transforms import translation
from viewer.model.checks.geometry import PARENTS
from viewer.model.checks.joined_tables import Tables
from viewer.model.checks.rules import findings
from viewer.model.mesh import draw_builder, reading
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.skeleton import ROOT, Skeleton, sockets
from viewer.model.mesh.reading import FIELD, SEED, MaterialField, Reading, Reason, ResolvedReading
from viewer.model.mesh.reading_choices import ReadingChoice

XYZW, WXYZ = QuaternionOrder
named = pytest.mark.parametrize("written", [SEED, FIELD], ids=["seed", "field"])


def choose(
    source: ModelBuilder | bytes, requested: ReadingChoice = ReadingChoice.AUTO, wear_rows: int | None = None
) -> ResolvedReading:
    model = Model.read(source if isinstance(source, bytes) else source.build())
    return reading.choose(
        model, Skeleton(model), draw_builder.build(model), requested=requested, wear_rows=wear_rows
    )


def arm() -> list[Node]:
    """A long box turned about a slanted axis, so that the two orders pose it differently."""
    key = Key(0, (0, 0, 5), turn((0, 0.6, 0.8), 30))
    return [
        Node("hull", shapes={(0, 0): [box(material=1)]}),
        Node("arm", 0, shapes={(0, 0): [box((8, 1, 1), center=(4, 0, 0))]}, keys=[key]),
    ]


@named
def test_the_box_finds_the_order_that_was_written(written: Reading) -> None:
    choice = choose(ModelBuilder.of(arm(), written))
    assert choice.reading == written
    assert choice.reason is Reason.BOX
    assert choice.errors is not None
    assert choice.errors[written.quaternion_order] < 1e-4
    assert max(choice.errors.values()) > 0.05


@named
def test_a_user_may_want_either_reading(written: Reading) -> None:
    builder = ModelBuilder.of(arm(), written)
    assert choose(builder, ReadingChoice.SEED).reading == SEED
    field = choose(builder, ReadingChoice.FIELD)
    assert (field.reading, field.reason, field.requested) == (FIELD, Reason.USER, ReadingChoice.FIELD)
    assert field.errors is not None


@named
def test_without_a_header_the_vote_decides(written: Reading) -> None:
    builder = ModelBuilder.of(arm(), written)
    builder.header["hull"] = 0
    choice = choose(builder)
    assert (choice.reading.quaternion_order, choice.errors) == (written.quaternion_order, None)
    assert choice.votes[written.quaternion_order] == 1
    assert choice.reason is Reason.VOTE


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_header_that_is_not_finite_is_no_judge(value: float) -> None:
    builder = ModelBuilder.of(arm())
    builder.header["hull"][0, 3, 1] = value
    assert choose(builder).errors is None


def test_boxes_that_fit_equally_leave_it_to_the_vote() -> None:
    choice = choose(ModelBuilder.of([Node(shapes={(0, 0): [box()]})], FIELD))
    assert choice.errors is not None
    assert max(choice.errors.values()) < 1e-5
    assert (choice.reading.quaternion_order, choice.reason) == (WXYZ, Reason.VOTE)


def test_the_box_of_a_small_model_is_a_judge_too() -> None:
    """Its diagonal is below 1."""
    choice = choose(ModelBuilder.of([Node(shapes={(0, 0): [box((0.1, 0.2, 0.1))]})]))
    assert choice.errors is not None
    assert max(choice.errors.values()) < 1e-4


def test_a_box_that_fits_neither_is_no_judge() -> None:
    builder = ModelBuilder.of(arm(), FIELD)
    builder.header["hull"] *= 2
    choice = choose(builder)
    assert choice.errors is not None
    assert min(choice.errors.values()) > 0.01
    assert choice.reason is Reason.VOTE


def test_a_tie_goes_to_the_seeds() -> None:
    builder = ModelBuilder.of(arm(), FIELD)
    builder.header["hull"] = 0
    builder.keys["quaternion"] = 16384
    choice = choose(builder)
    assert (choice.reading.quaternion_order, choice.reason) == (XYZW, Reason.TIE)
    assert choice.votes == {XYZW: 0, WXYZ: 0}


@pytest.mark.parametrize(
    ("raw", "votes"),
    [
        ((0, 0, 0, 32000), (1, 0)),
        ((0, 0, 0, -32767), (1, 0)),
        ((0, 0, 0, -32768), (1, 0)),
        ((8000, -8000, 8000, 32000), (1, 0)),
        ((8001, 0, 0, 32767), (0, 0)),
        ((0, 0, 0, 31999), (0, 0)),
        ((32000, 0, 0, 8000), (0, 1)),
        ((32767, 0, 0, 32767), (0, 0)),
    ],
)
def test_keys_near_the_identity_vote(raw: tuple[int, int, int, int], votes: tuple[int, int]) -> None:
    builder = ModelBuilder.of([Node()])
    builder.keys["quaternion"][0] = raw
    assert reading.quaternion_votes(builder.model()) == dict(zip(QuaternionOrder, votes, strict=True))


def test_hulls_do_not_count_for_the_box() -> None:
    scene = [*arm(), Node("CP_hull", 0, shapes={(0, 0): [box((99, 99, 99))]}, flags=FLAG_COCKPIT)]
    choice = choose(ModelBuilder.of(scene, FIELD))
    assert choice.reason is Reason.BOX


def test_a_model_that_draws_nothing_has_no_box() -> None:
    builder = ModelBuilder.of([Node()])
    builder.header["hull"] = np.arange(24).reshape(8, 3)
    assert choose(builder).errors is None


@pytest.mark.parametrize("source", [legacy24([quad()]), terrain()])
def test_what_has_no_pose_has_no_box(source: bytes) -> None:
    choice = choose(source)
    assert choice.errors is None
    assert choice.reason is not Reason.BOX


# Materials.


@pytest.mark.parametrize(
    ("material", "opaque4", "wear_rows", "expected"),
    [
        ([0, 0], [0xFF00, 0xFF01], None, MaterialField.FIELD),
        ([0, 0], [0x0001, 0xFF00], None, MaterialField.FIELD),
        ([0, 0], [0xFF00, 0x0000], None, MaterialField.SEED),
        ([0, 0], [0x0101, 0xFF00], None, MaterialField.SEED),
        ([1, 0], [0xFF01, 0xFF02], None, MaterialField.SEED),
        ([0, 9], [0xFF00, 0xFF01], 2, MaterialField.FIELD),
        ([0, 9], [0xFF00, 0xFF02], 2, MaterialField.SEED),
        ([0, 1], [0xFF00, 0xFF01], 2, MaterialField.SEED),
        ([0, 9], [0x1200, 0xFF01], 2, MaterialField.SEED),
        ([0, 9], [0xFF00, 0xFF01], None, MaterialField.SEED),
        ([], [], 2, MaterialField.SEED),
    ],
)
def test_the_values_decide_where_materials_are(
    material: list[int], opaque4: list[int], wear_rows: int | None, expected: MaterialField
) -> None:
    builder = ModelBuilder.of([Node()])
    builder.batches = BATCH.new(len(material))
    builder.batches["material"], builder.batches["opaque4"] = material, opaque4
    assert choose(builder, wear_rows=wear_rows).reading.material_field is expected


def test_wear_rows_are_taken_from_their_field() -> None:
    batches = BATCH.new(2)
    batches["material"], batches["opaque4"] = [3, 4], [0xFF07, 0x0008]
    assert reading.wear_rows_of(batches, MaterialField.SEED).tolist() == [3, 4]
    assert reading.wear_rows_of(batches, MaterialField.FIELD).tolist() == [7, 8]


# Names.


def test_records_name_the_nodes_whatever_the_strings_say() -> None:
    builder = ModelBuilder.of(arm(), FIELD)
    assert choose(builder).reading.has_name_records
    builder.names = [b"", b"label"]
    assert choose(builder).reading.has_name_records


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ([b"hull", b""], True),
        ([b"hull", "Башня".encode("cp1251")], True),
        ([b"hull", b"\0\x01noise behind the NUL"], True),
        ([b"hull", b"a name of exactly 32 bytes......"], True),
        ([b"hull", b"\x01\x02"], False),
        ([b"hull", b"gun\x7f"], False),
        ([b"", b""], False),
        ([b"hull"], False),
        ([b"hull", b"gun", b"gun"], False),
        ([], False),
    ],
)
def test_records_name_the_nodes_where_all_are_printable_and_one_is_not_empty(
    records: list[bytes], expected: bool
) -> None:
    builder = ModelBuilder.of(arm())
    builder.tables[NAME_RECORDS] = b"".join(record.ljust(NAME_SIZE, b"\0") for record in records)
    assert choose(builder).reading.has_name_records is expected


def test_a_record_that_is_cut_short_names_nothing() -> None:
    builder = ModelBuilder.of(arm(), FIELD)
    builder.tables[NAME_RECORDS] = builder.payloads()[NAME_RECORDS][:-1]
    assert not choose(builder).reading.has_name_records


def test_the_readings_asked_for_do_not_look_at_the_records() -> None:
    seed, field = ModelBuilder.of(arm()).model(), ModelBuilder.of(arm(), FIELD).model()
    assert [reading.has_name_records(model, ReadingChoice.SEED) for model in (seed, field)] == [False, False]
    assert [reading.has_name_records(model, ReadingChoice.FIELD) for model in (seed, field)] == [True, True]


def skeleton_of(parents: list[int]) -> Skeleton:
    builder = ModelBuilder.of([Node() for _ in parents])
    builder.nodes["parent"] = parents
    return Skeleton(builder.model())


def parents_found(parents: list[int]) -> list[Diagnostic]:
    """What the rules say of these parents, but for their order."""
    builder = ModelBuilder.of([Node() for _ in parents])
    builder.nodes["parent"] = parents
    return findings(PARENTS.all, Tables([builder.model()]))[0]


def usable(parents: list[int], node: int) -> int:
    """The parent of a node by walking, -1 where it has none, is outside, or leads back to the node."""
    parent = parents[node]
    current = parent
    for _ in parents:
        if current == node:
            return ROOT
        if current >= len(parents):
            break
        current = parents[current]
    return parent if parent < len(parents) else ROOT


def test_parents_are_taken_as_stored() -> None:
    skeleton = skeleton_of([0xFFFF, 0, 0, 1])
    assert skeleton.parents.tolist() == [ROOT, 0, 0, 1]
    assert [level.tolist() for level in skeleton.levels] == [[0], [1, 2], [3]]
    assert skeleton.children() == [[1, 2], [3], [], []]
    assert parents_found([0xFFFF, 0, 0, 1]) == []


def test_parents_may_follow_their_children() -> None:
    skeleton = skeleton_of([2, 0xFFFF, 1])
    assert skeleton.parents.tolist() == [2, ROOT, 1]
    assert [level.tolist() for level in skeleton.levels] == [[1], [2], [0]]
    assert parents_found([2, 0xFFFF, 1]) == []


@pytest.mark.parametrize(
    ("parents", "expected", "rows"),
    [
        ([0xFFFF, 7], [ROOT, ROOT], [1]),
        ([0], [ROOT], [0]),
        ([1, 0], [ROOT, ROOT], [0, 1]),
        ([1, 2, 0, 2], [ROOT, ROOT, ROOT, 2], [0, 1, 2]),
        ([0xFFFF, 2, 3, 2, 1], [ROOT, 2, ROOT, ROOT, 1], [2, 3]),
    ],
)
def test_parents_that_cannot_be_used_make_roots(
    parents: list[int], expected: list[int], rows: list[int]
) -> None:
    skeleton = skeleton_of(parents)
    assert skeleton.parents.tolist() == expected
    found = parents_found(parents)
    assert sorted(it.where for it in found) == [f"nodes[{row}].parent" for row in rows]
    assert {it.rule for it in found} == {"V22"}


@given(st.integers(1, 12).flatmap(lambda n: st.lists(st.integers(0, n), min_size=n, max_size=n)))
def test_any_parents_make_a_forest(parents: list[int]) -> None:
    skeleton = skeleton_of(parents)
    assert skeleton.parents.tolist() == [usable(parents, node) for node in range(len(parents))]
    placed: list[int] = []
    for level in skeleton.levels:
        assert all(skeleton.parents[node] in (ROOT, *placed) for node in level)
        placed += level.tolist()
    assert sorted(placed) == list(range(len(parents)))


def test_a_flood_of_bad_parents_is_bounded() -> None:
    assert len(parents_found([9999] * 5000)) == NAMED_ROWS + 1


def test_world_matrices_are_parent_times_local() -> None:
    skeleton = skeleton_of([2, 0xFFFF, 1])
    quarter = np.array([(0, -1, 0, 0), (1, 0, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)], np.float32)
    local = np.stack([translation((1, 0, 0)), quarter, translation((0, 2, 0))]).astype(np.float32)
    world = skeleton.world_from_node(local)
    assert np.array_equal(world[1], local[1])
    assert np.array_equal(world[2], local[1] @ local[2])
    assert np.array_equal(world[0], local[1] @ local[2] @ local[0])
    assert world[0][:3, 3].tolist() == [-2, 1, 0]


def test_a_long_chain_is_walked_to_its_end() -> None:
    skeleton = skeleton_of([0xFFFF, *range(299)])
    world = skeleton.world_from_node(np.tile(translation((1, 0, 0)).astype(np.float32), (300, 1, 1)))
    assert world[:, 0, 3].tolist() == list(range(1, 301))


def test_no_nodes() -> None:
    skeleton = skeleton_of([])
    assert skeleton.levels == []
    assert skeleton.world_from_node(np.empty((0, 4, 4), np.float32)).shape == (0, 4, 4)


def test_a_socket_is_named_base_and_has_no_geometry_in_any_cell() -> None:
    builder = ModelBuilder.of(
        [
            Node("body", shapes={(0, 0): [box()]}),
            Node("Base_TM", parent=0),
            Node("BASE_g1", parent=0),
            Node("Base_plate", parent=0, shapes={(2, 4): [box()]}),
            Node("joint", parent=0),
            Node("Database_1", parent=0),
        ]
    )
    assert sockets(builder.model(), [node.name for node in builder.scene]) == {1, 2}


def test_tables_without_rows_are_left_out() -> None:
    builder = tank()
    builder.missing.add(NORMALS)
    names = builder.model().tables
    assert "nodes" in names
    assert TABLES[NORMALS].name not in names
    assert TABLES[LIGHT_PROBES].name not in names


def test_header_texts_and_directory_are_tables_too() -> None:
    model = tank().model()
    assert [len(model.tables[name].rows) for name in ("header", "container")] == [1, 1]
    assert len(model.tables["directory"].rows) == len(model.archive.entries)
    assert tuple(model.tables["strings"].rows) == model.strings


def test_both_tables_of_a_path_graph() -> None:
    builder = tank()
    graph = PATH_NODE.new(2).tobytes() + PATH_LINK.new(3).tobytes()
    builder.tables[PATH_GRAPH], builder.attributes[PATH_GRAPH] = graph, (2, 3, 0)
    tables = builder.model().tables
    assert [len(tables[name].rows) for name in ("path_graph", "path_links")] == [2, 3]
    assert tables["path_links"].has_field("start")
    assert not tables["path_graph"].has_field("start")
