"""Readings: the box decides, then the vote, then the seeds; the material field by its values."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, box, legacy24, quad, turn
from tests.terrains import terrain
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.nodes import FLAG_COCKPIT
from viewer.formats.msh.strings import NAME_SIZE
from viewer.formats.msh.tables import NAME_RECORDS
from viewer.model.mesh import draw_builder, reading
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import (
    FIELD,
    SEED,
    MaterialField,
    Reading,
    ReadingChoice,
    Reason,
    ResolvedReading,
)
from viewer.model.mesh.skeleton import Skeleton

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
    choice = choose(ModelBuilder(arm(), written))
    assert choice.reading == written
    assert choice.reason is Reason.BOX
    assert choice.errors is not None
    assert choice.errors[written.quaternion_order] < 1e-4
    assert max(choice.errors.values()) > 0.05


@named
def test_a_user_may_want_either_reading(written: Reading) -> None:
    builder = ModelBuilder(arm(), written)
    assert choose(builder, ReadingChoice.SEED).reading == SEED
    field = choose(builder, ReadingChoice.FIELD)
    assert (field.reading, field.reason, field.requested) == (FIELD, Reason.USER, ReadingChoice.FIELD)
    assert field.errors is not None


@named
def test_without_a_header_the_vote_decides(written: Reading) -> None:
    builder = ModelBuilder(arm(), written)
    builder.header["hull"] = 0
    choice = choose(builder)
    assert (choice.reading.quaternion_order, choice.errors) == (written.quaternion_order, None)
    assert choice.votes[written.quaternion_order] == 1
    assert choice.reason is Reason.VOTE


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_header_that_is_not_finite_is_no_judge(value: float) -> None:
    builder = ModelBuilder(arm())
    builder.header["hull"][0, 3, 1] = value
    assert choose(builder).errors is None


def test_boxes_that_fit_equally_leave_it_to_the_vote() -> None:
    choice = choose(ModelBuilder([Node(shapes={(0, 0): [box()]})], FIELD))
    assert choice.errors is not None
    assert max(choice.errors.values()) < 1e-5
    assert (choice.reading.quaternion_order, choice.reason) == (WXYZ, Reason.VOTE)


def test_a_box_that_fits_neither_is_no_judge() -> None:
    builder = ModelBuilder(arm(), FIELD)
    builder.header["hull"] *= 2
    choice = choose(builder)
    assert choice.errors is not None
    assert min(choice.errors.values()) > 0.01
    assert choice.reason is Reason.VOTE


def test_a_tie_goes_to_the_seeds() -> None:
    builder = ModelBuilder(arm(), FIELD)
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
    builder = ModelBuilder([Node()])
    builder.keys["quaternion"][0] = raw
    assert reading.quaternion_votes(builder.model()) == dict(zip(QuaternionOrder, votes, strict=True))


def test_hulls_do_not_count_for_the_box() -> None:
    scene = [*arm(), Node("CP_hull", 0, shapes={(0, 0): [box((99, 99, 99))]}, flags=FLAG_COCKPIT)]
    choice = choose(ModelBuilder(scene, FIELD))
    assert choice.reason is Reason.BOX


def test_a_model_that_draws_nothing_has_no_box() -> None:
    builder = ModelBuilder([Node()])
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
    builder = ModelBuilder([Node()])
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
    builder = ModelBuilder(arm(), FIELD)
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
    builder = ModelBuilder(arm())
    builder.tables[NAME_RECORDS] = b"".join(record.ljust(NAME_SIZE, b"\0") for record in records)
    assert choose(builder).reading.has_name_records is expected


def test_a_record_that_is_cut_short_names_nothing() -> None:
    builder = ModelBuilder(arm(), FIELD)
    builder.tables[NAME_RECORDS] = builder.payloads()[NAME_RECORDS][:-1]
    assert not choose(builder).reading.has_name_records


def test_the_readings_asked_for_do_not_look_at_the_records() -> None:
    seed, field = ModelBuilder(arm()).model(), ModelBuilder(arm(), FIELD).model()
    assert [reading.has_name_records(model, ReadingChoice.SEED) for model in (seed, field)] == [False, False]
    assert [reading.has_name_records(model, ReadingChoice.FIELD) for model in (seed, field)] == [True, True]
