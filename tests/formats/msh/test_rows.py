"""Res1: the worked example and the slot matrix.

Res2: the worked example, and the header in front of the slots.

Res13: the worked example, and the unaligned index start.

Res7: the worked example, selectors and face normals.

Positions, normals and texture coordinates.

Res10: the worked example, round trips, and damage in the middle.

Path graphs: nodes, links, damage, and the graph of the corpus.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.contract import check_field_change, check_payload
from tests.messages import states
from viewer.diagnostics import NAMED_ROWS
from viewer.errors import Severity
from viewer.formats.archive.nres import Archive
from viewer.formats.msh import path_graph
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.nodes import FLAG_COCKPIT, FLAG_HINTS, FLAG_INTERNAL, LEGACY_SIZE, NODE
from viewer.formats.msh.slots import HEADER, SLOT
from viewer.formats.msh.strings import NAME, Strings, build, build_name_records, decode, encode, parts
from viewer.formats.msh.tables import PATH_GRAPH
from viewer.formats.msh.triangles import (
    ALL_NONE,
    NO_SELECTOR,
    TRIANGLE,
    decode_normal,
    decode_selectors,
    encode_normal,
    encode_selectors,
)
from viewer.formats.msh.vertices import (
    INDEX,
    NORMAL,
    POSITION,
    UV,
    decode_normals,
    decode_uvs,
    encode_normals,
    encode_uvs,
)
from viewer.formats.part import place_at

EXAMPLE = bytes.fromhex("4000 0000 FFFF 0100 0000FFFFFFFFFFFFFFFF 0100FFFFFFFFFFFFFFFF FFFFFFFFFFFFFFFFFFFF")


def test_the_worked_example() -> None:
    row = NODE.row(NODE.read(EXAMPLE))
    nothing = [None] * 4
    assert row == {
        "flags": 0x40,
        "parent": 0,
        "map_start": None,
        "fallback_key": 1,
        "slots": [[0, *nothing], [1, *nothing], [None, *nothing]],
    }


def test_a_slot_lies_where_the_engine_looks_it_up() -> None:
    words = np.arange(57, dtype="<u2")
    rows = NODE.view(words.tobytes())
    for node in range(3):
        for lod in range(3):
            for group in range(5):
                assert rows["slots"][node, lod, group] == node * 19 + 4 + lod * 5 + group


@pytest.mark.parametrize(
    ("name", "offset"), [("flags", 0), ("parent", 2), ("map_start", 4), ("fallback_key", 6), ("slots", 8)]
)
def test_fields_lie_where_the_spec_puts_them(name: str, offset: int) -> None:
    assert NODE.field(name).offset == offset


def test_every_flag_in_use_has_a_hint() -> None:
    assert {FLAG_COCKPIT, FLAG_INTERNAL} <= FLAG_HINTS.keys()
    assert NODE.size > LEGACY_SIZE


SLOT_EXAMPLE = bytes.fromhex(
    "0000020000000100 000000BF000000BF00000000 0000003F0000003F00000000" + 12 * "00" + "F304353F" + 20 * "00"
)


def test_the_worked_example_of_slots_is_read() -> None:
    assert SLOT.row(SLOT.read(SLOT_EXAMPLE)) == {
        "tri_start": 0,
        "tri_count": 2,
        "batch_start": 0,
        "batch_count": 1,
        "aabb_min": [-0.5, -0.5, 0.0],
        "aabb_max": [0.5, 0.5, 0.0],
        "sphere_center": [0.0, 0.0, 0.0],
        "sphere_radius": float(np.float32(0.70710677)),
        "opaque": [0, 0, 0, 0, 0],
    }


def test_the_header_is_thirty_five_floats() -> None:
    row = HEADER.row(HEADER.read(np.arange(35, dtype="<f4").tobytes()))
    assert row["hull"][7] == [21.0, 22.0, 23.0]
    assert row["sphere_center"] == [24.0, 25.0, 26.0]
    assert row["sphere_radius"] == 27.0
    assert (row["capsule_a"], row["capsule_b"]) == ([28.0, 29.0, 30.0], [31.0, 32.0, 33.0])
    assert row["capsule_radius"] == 34.0


def test_the_layout_is_the_specs() -> None:
    assert (HEADER.size, SLOT.size) == (0x8C, 68)
    assert [SLOT.field(name).offset for name in ("aabb_min", "sphere_center", "sphere_radius", "opaque")] == [
        0x08,
        0x20,
        0x2C,
        0x30,
    ]


BATCH_EXAMPLE = bytes.fromhex("0000 0300 0000 0000 0600 00000000 0400 00000000")


def test_the_worked_example_of_batches_is_read() -> None:
    assert BATCH.row(BATCH.read(BATCH_EXAMPLE)) == {
        "flags": 0,
        "material": 3,
        "opaque4": 0,
        "opaque6": 0,
        "index_count": 6,
        "index_start": 0,
        "opaque14": 4,
        "base_vertex": 0,
    }


def test_wide_fields_are_packed_without_alignment() -> None:
    data = bytes.fromhex("0100 0200 0300 0400 0500 06000100 0700 08000200")
    assert list(BATCH.row(BATCH.read(data)).values()) == [1, 2, 3, 4, 5, 0x10006, 7, 0x20008]
    assert BATCH.field("index_start").offset == 0x0A


TRIANGLE_EXAMPLE = bytes.fromhex("0000 FFFF FFFF 0100 0000 0000 FF7F 0F00")


def test_the_worked_example_of_triangles_is_read() -> None:
    row = TRIANGLE.read(TRIANGLE_EXAMPLE)
    assert TRIANGLE.row(row) == {
        "flags": 0,
        "links": [None, None, 1],
        "normal": [0, 0, 32767],
        "selectors": 0x000F,
    }
    assert decode_normal(row["normal"]).tolist() == [0.0, 0.0, 1.0]
    assert decode_selectors(row["selectors"]).tolist() == [NO_SELECTOR, NO_SELECTOR, 0]


def test_no_selectors_are_three_times_none() -> None:
    assert int(encode_selectors([NO_SELECTOR] * 3)) == ALL_NONE


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1))
def test_selectors_survive(selectors: list[tuple[int, int, int]]) -> None:
    packed = encode_selectors(selectors)
    assert decode_selectors(packed).tolist() == [list(each) for each in selectors]
    assert (packed <= ALL_NONE).all()


def test_the_upper_bits_of_the_selectors_do_not_count() -> None:
    assert decode_selectors(np.array([0xFFC0], np.uint16)).tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("component", [-32767, -1, 0, 1, 16384, 32767])
def test_normals_survive(component: int) -> None:
    raw = np.array([[component, 0, 0]], "<i2")
    assert np.array_equal(encode_normal(decode_normal(raw)), raw)


def test_normals_are_clamped_to_symmetric_values() -> None:
    assert encode_normal([[-2.0, 2.0, 0.0]]).tolist() == [[-32767, 32767, 0]]


def test_positions_are_three_floats() -> None:
    data = bytes.fromhex("0000803F 00000040 000040C0")
    assert POSITION.view(data)["position"].tolist() == [[1.0, 2.0, -3.0]]


def test_indices_are_unsigned_words() -> None:
    assert INDEX.view(bytes.fromhex("0000 FFFF 0180"))["index"].tolist() == [0, 0xFFFF, 0x8001]


ALL = np.arange(-128, 128).astype(np.int8)


@pytest.mark.parametrize(
    ("value", "raw"), [(0.5, 64), (0.70710678, 90), (-1, -127), (1, 127), (2, 127), (-2, -128)]
)
def test_the_check_values(value: float, raw: int) -> None:
    assert encode_normals([[value, 0, 0]]).tolist() == [[raw, 0, 0, 0]]


def test_every_value_but_minus_128_survives() -> None:
    raw = np.stack([ALL, ALL, ALL, np.zeros_like(ALL)], axis=1)
    expected = raw.copy()
    expected[0, :3] = -127
    assert np.array_equal(encode_normals(decode_normals(raw)), expected)


def test_no_component_leaves_minus_one_to_one() -> None:
    decoded = decode_normals(np.array([[-128, -127, 127, 5]], np.int8))
    assert decoded.tolist() == [[-1.0, -1.0, 1.0]]
    assert decoded.dtype == np.float32


def test_w_is_stored_as_given() -> None:
    raw = encode_normals([[0, 0, 1], [0, 0, 1]], w=[-128, 7])
    assert raw[:, 3].tolist() == [-128, 7]
    assert NORMAL.view(raw.tobytes())["normal"].tolist() == [[0, 0, 127, -128], [0, 0, 127, 7]]


def test_half_a_step_rounds_away_from_zero() -> None:
    assert encode_uvs([[0.00048828125, -0.00048828125]]).tolist() == [[1, -1]]


def test_every_value_survives() -> None:
    every = np.arange(-32768, 32768).astype("<i2")
    raw = np.stack([every, every[::-1]], axis=1)
    assert np.array_equal(encode_uvs(decode_uvs(raw)), raw)


def test_values_are_clamped() -> None:
    assert decode_uvs(encode_uvs([[-99, 99]])).tolist() == [[-32.0, 32767 / 1024]]


def test_u_comes_first() -> None:
    assert UV.view(bytes.fromhex("0004 00FE"))["uv"].tolist() == [[1024, -512]]
    assert decode_uvs(UV.view(bytes.fromhex("0004 00FE"))["uv"]).tolist() == [[1.0, -0.5]]


STRING_EXAMPLE = bytes.fromhex("00000000 07000000 63656E7472616C00")


def test_the_worked_example_of_strings_is_read() -> None:
    read = decode(STRING_EXAMPLE, 2)
    assert (read.texts, read.tail, read.diagnostics) == ((b"", b"central"), b"", ())
    assert build([b"", b"central"]) == STRING_EXAMPLE
    assert [row.item() for row in read.rows] == [(0,), (7, b"central", 0)]


@given(st.lists(st.binary(max_size=20)))
def test_what_is_written_is_read_back(texts: list[bytes]) -> None:
    read = decode(build(texts), len(texts))
    assert read.texts == tuple(texts)
    assert read.diagnostics == ()


@pytest.mark.parametrize(
    ("data", "count", "texts", "values", "index"),
    [
        (STRING_EXAMPLE, 3, 2, "0", 2),
        (STRING_EXAMPLE[:6], 2, 1, "2", 1),
        (STRING_EXAMPLE[:-1], 2, 1, "7 7", 1),
        (b"\xff\xff\xff\xff" + STRING_EXAMPLE, 2, 0, "4294967295 16", 0),
        (STRING_EXAMPLE, 1, 1, "12", None),
        (b"", 1, 0, "0", 0),
    ],
)
def test_reading_stops_at_damage(data: bytes, count: int, texts: int, values: str, index: int | None) -> None:
    read = decode(data, count)
    assert len(read.texts) == texts
    assert [(found.rule, found.index) for found in read.diagnostics] == [("V21", index)]
    assert states(read.diagnostics[0].message, values)


def test_a_missing_nul_is_reported_and_reading_goes_on() -> None:
    read = decode(b"\1\0\0\0AX\1\0\0\0B\0", 2)
    assert read.texts == (b"A", b"B")
    assert [(found.severity, found.index) for found in read.diagnostics] == [(Severity.ERROR, 0)]
    assert states(read.diagnostics[0].message, "NUL")


@given(st.binary(max_size=60), st.integers(0, 10**9))
def test_arbitrary_bytes_are_read_as_far_as_they_go(data: bytes, count: int) -> None:
    read = decode(data, count)
    assert len(read.diagnostics) <= NAMED_ROWS + 2
    check_payload(data, encode(read), parts(read), read.diagnostics)


@given(st.data())
def test_a_changed_field_changes_its_bytes_alone(data: st.DataObject) -> None:
    read = decode(STRING_EXAMPLE + b"\1\0\0\0A\0tail", 3)
    check_field_change(read, encode, parts(read), data)


def test_a_text_is_a_row_and_its_fields_have_offsets() -> None:
    listed, tail = parts(decode(STRING_EXAMPLE + b"tail", 2), 100).children
    assert listed.span(1, "text") == (108, 7)
    assert tail.start == 100 + len(STRING_EXAMPLE)
    assert place_at(listed, 110).row == 1
    assert encode(Strings((), b"x")) == b"x"


def test_names_fill_their_records() -> None:
    data = build_name_records([b"Base_TM", b"", b"x" * 31])
    assert data == b"Base_TM".ljust(32, b"\0") + bytes(32) + b"x" * 31 + b"\0"
    assert len(NAME.view(data)) == 3


@pytest.mark.parametrize("name", [b"x" * 32, b"Base\0TM"])
def test_a_name_that_would_come_back_otherwise_is_refused(name: bytes) -> None:
    with pytest.raises(ValueError, match="31 bytes"):
        build_name_records([name])


NODES = struct.pack("<3fII", 1, 2, 3, 16, 7) + struct.pack("<3fII", 4, 5, 6, 0, 1)
LINK = struct.pack("<10I", 0, 1, *[0xFFFFFFFF] * 8)


def test_nodes_and_links() -> None:
    graph = path_graph.decode(NODES + LINK, 2, 1)
    assert graph.nodes["position"].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert (graph.nodes["flags"][0], graph.nodes["node"][0]) == (16, 7)
    assert (graph.links["start"].tolist(), graph.links["end"].tolist()) == ([0], [1])
    assert graph.diagnostics == ()


@pytest.mark.parametrize(
    ("data", "counts", "place"),
    [
        (NODES, (3, 0), "path_graph[2]"),
        (NODES + LINK[:-1], (2, 1), "path_links[0]"),
        (NODES + LINK + b"?", (2, 1), "path_graph_tail"),
        (NODES[20:] + LINK, (1, 1), "path_links[0].end"),
    ],
)
def test_one_finding_for_each_damage(data: bytes, counts: tuple[int, int], place: str) -> None:
    graph = path_graph.decode(data, *counts)
    assert [finding.where for finding in graph.diagnostics] == [place]
    check_payload(data, path_graph.encode(graph), path_graph.parts(graph), graph.diagnostics)


@given(st.binary(max_size=200), st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_any_bytes_survive(data: bytes, node_count: int, link_count: int) -> None:
    graph = path_graph.decode(data, node_count, link_count)
    check_payload(data, path_graph.encode(graph), path_graph.parts(graph), graph.diagnostics)


@given(st.data())
def test_a_changed_field_of_the_path_graph_changes_its_bytes_alone(data: st.DataObject) -> None:
    graph = path_graph.decode(NODES + LINK + b"tail", 2, 1)
    check_field_change(graph, path_graph.encode, path_graph.parts(graph), data)


def test_the_graph_of_the_corpus(samples: Path) -> None:
    folder = samples / "field"
    models = json.loads((folder / "truth.json").read_text())["models"]
    for address, truth in models.items():
        if "path_graph" not in truth:
            continue
        path, _, name = address.partition("::")
        outer = Archive.read((folder / path).read_bytes())
        index = outer.find(name.encode("cp1251"))
        assert index is not None
        model = Archive.read(outer.payload(index))
        index = model.find_type(PATH_GRAPH)
        assert index is not None
        entry = model.entries[index]
        graph = path_graph.decode(model.payload(index), entry.attr1, entry.attr2)
        positions = np.array([node[:3] for node in truth["path_graph"]["nodes"]], np.float32)
        assert np.array_equal(graph.nodes["position"], positions)
        assert [[*pair] for pair in zip(graph.nodes["flags"], graph.nodes["node"], strict=True)] == [
            node[3:] for node in truth["path_graph"]["nodes"]
        ]
        links = [[*pair] for pair in zip(graph.links["start"], graph.links["end"], strict=True)]
        assert links == truth["path_graph"]["links"]
        assert graph.diagnostics == ()
