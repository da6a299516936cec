"""Whatever the bytes: a result or an error of ours, and no more work than the file is worth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import Key, ModelBuilder, Node, box, container, legacy24, quad, turn
from tests.cells import parts_in
from tests.terrains import terrain
from viewer.errors import FormatError
from viewer.formats.archive import nres
from viewer.formats.msh.tables import TABLES
from viewer.geometry import frustum
from viewer.geometry.transforms import look_at, perspective
from viewer.model.checks.models import check_model
from viewer.model.mesh import draw_builder, reading
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.draws import visible_parts
from viewer.model.mesh.model import Model, encode
from viewer.model.mesh.skeleton import Skeleton

PLANES = frustum.planes(perspective(1.0, 1.0, 0.1, 100.0) @ look_at((9, 9, 9), (0, 0, 0), (0, 0, 1)))
SHARED = [quad(material=2)]
SCENE = [
    Node("hull", shapes={(0, 0): [box(), quad()], (1, 0): SHARED}),
    Node("gun", 0, shapes={(0, 0): SHARED}, keys=[Key(0), Key(4, (1, 2, 3), turn((0, 0, 1), 90)), Key(7)]),
    Node("tip", 1, shapes={(0, 4): [box()], (2, 2): SHARED}, keys=[Key(0, (0, 0, 1)), Key(7)]),
]
SOURCES = {
    "model": ModelBuilder(SCENE).build(),
    "legacy24": legacy24([box(), quad()]),
    "terrain": terrain(3, 2),
}
TYPES = [type_id for type_id, table in TABLES.items() if table.record or type_id == 10]


def inspect(data: bytes) -> None:
    """Everything that is done to a model on the way to the screen."""
    try:
        model = Model.read(data)
    except FormatError:
        return
    skeleton = Skeleton(model)
    draws = draw_builder.build(model)
    choice = reading.choose(model, skeleton, draws, wear_rows=3)
    animation = Animation(model, skeleton, choice.reading.quaternion_order)
    for time in (0.0, 3.3, -1.0, 1e9):
        pose = animation.pose(time)
        assert pose.world.shape == (model.node_count, 4, 4)
        parts = parts_in(model, draws)
        visible_parts(draws, pose.world, PLANES, parts)
        draws.posed_bounds(model, pose.world, draws.draws_of(parts))
    animation.pose(0.0, 3.3, 0.5)
    assert len(model.node_names(from_records=True)) == model.node_count
    assert len(model.node_names(from_records=False)) == model.node_count
    reading.wear_rows_of(model.batches, choice.reading.material_field)
    assert (draws.corners < model.vertex_count).all()
    assert (draws.descriptor < len(model.tri_descriptors)).all()
    assert draws.triangle_start[-1] == len(draws.corners) == len(draws.triangle) == len(draws.descriptor)
    found = check_model(model)
    assert len({finding.rule for finding in found}) * 300 >= len(found)
    assert all(str(finding) for finding in found)
    assert encode(model) == data


@given(st.binary(max_size=300))
def test_arbitrary_bytes(data: bytes) -> None:
    inspect(data)


@given(st.dictionaries(st.sampled_from(TYPES), st.binary(max_size=200)))
def test_arbitrary_tables(tables: dict[int, bytes]) -> None:
    required = dict.fromkeys((1, 2, 3, 6, 13), b"")
    inspect(container({**required, **tables}, frame_count=3))
    inspect(container({3: b"", 21: b"", **{t: data for t, data in tables.items() if t != 6}}))


@st.composite
def structured(draw: st.DrawFn) -> bytes:
    """A model whose tables hold small numbers, so that most references lead somewhere."""
    small = st.integers(0, 6)
    words = st.one_of(small, st.sampled_from([0x10, 0x7FFF, 0x8000, 0xFFFE, 0xFFFF]))
    tables = {}
    for type_id in TYPES:
        record = TABLES[type_id].record
        count = draw(st.integers(0, 4)) * (record.size if record else 6) + TABLES[type_id].header_size
        values = draw(st.lists(words, min_size=count // 2, max_size=count // 2))
        tables[type_id] = np.array(values, "<u2").tobytes()
    return container(tables, frame_count=draw(st.integers(0, 3)))


@given(structured())
def test_tables_of_small_numbers(data: bytes) -> None:
    inspect(data)


@pytest.mark.parametrize("source", SOURCES)
@settings(max_examples=200)
@given(data=st.data())
def test_one_wrong_byte(source: str, data: st.DataObject) -> None:
    broken = bytearray(SOURCES[source])
    broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    inspect(bytes(broken))


@pytest.mark.parametrize("source", SOURCES)
@settings(max_examples=200)
@given(data=st.data())
def test_wrong_words(source: str, data: st.DataObject) -> None:
    broken = bytearray(SOURCES[source])
    for _ in range(data.draw(st.integers(1, 4))):
        start = 2 * data.draw(st.integers(0, len(broken) // 2 - 2))
        word = data.draw(
            st.sampled_from([0, 1, 2, 0x7F, 0x7F80, 0x7FC0, 0x7FFF, 0x8000, 0xFF80, 0xFFFE, 0xFFFF])
        )
        broken[start : start + 2] = word.to_bytes(2, "little")
    inspect(bytes(broken))


@pytest.mark.parametrize("source", SOURCES)
@given(data=st.data())
def test_a_table_cut_short(source: str, data: st.DataObject) -> None:
    archive = nres.Archive.read(SOURCES[source])
    cut = data.draw(st.sampled_from(archive.entries)).index
    length = data.draw(st.integers(0, archive.entries[cut].size))
    entries = [
        nres.NewEntry(
            entry.type_id,
            archive.payload(entry.index)[: length if entry.index == cut else entry.size],
            entry.name,
            entry.attr1,
            entry.attr2,
            entry.attr3,
        )
        for entry in archive.entries
    ]
    inspect(nres.build(entries))


@pytest.mark.parametrize("source", SOURCES)
@given(size=st.integers(0, 4000))
def test_a_file_cut_short(source: str, size: int) -> None:
    inspect(SOURCES[source][:size])


HUGE = st.sampled_from([0.0, 1e-45, 1e20, 3e38, -3e38, np.inf, -np.inf, np.nan])


@given(st.lists(HUGE, min_size=40, max_size=40), st.integers(-32768, 32767))
def test_numbers_too_large_for_single_precision(numbers: list[float], component: int) -> None:
    builder = ModelBuilder(SCENE)
    values = np.array(numbers, np.float32)
    builder.positions[:8] = values[:24].reshape(8, 3)
    builder.slots["aabb_min"][0], builder.slots["aabb_max"][0] = values[24:27], values[27:30]
    builder.slots["sphere_radius"][:2] = values[30:32]
    builder.keys["position"][1] = values[32:35]
    builder.keys["time"][1] = values[35]
    builder.keys["quaternion"][:3] = component
    builder.header["hull"][0, 0] = values[36:39]
    inspect(builder.build())


@pytest.mark.slow
@settings(max_examples=5000)
@given(structured())
def test_many_tables_of_small_numbers(data: bytes) -> None:
    inspect(data)


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_every_byte_wrong_in_turn(source: str) -> None:
    for position in range(len(SOURCES[source])):
        for value in (0, 0x7F, 0x80, 0xFF):
            broken = bytearray(SOURCES[source])
            broken[position] = value
            inspect(bytes(broken))
