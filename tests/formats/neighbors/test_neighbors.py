"""What lies beside a model: control points, damage, ground plan, and the unit files that combine models."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.contract import check_field_change, check_places, check_tree
from viewer.errors import FormatError
from viewer.formats import units
from viewer.formats.archive.nres import Archive
from viewer.formats.meaning import meaning
from viewer.formats.neighbors import control_points, damage, explosion, ground_plan
from viewer.formats.text import decode, until_nul

POINT = struct.pack("<I2i6f", 0, 1, 18, 1, 2, 3, 4, 5, 6)
RING = struct.pack("<Ii6f2i", 1, 1, 0, 0, 0, 3, 4, 0, 77, 2)
PLAIN_RING = struct.pack("<i3f", 0, 5, 6, 7)
OUTER = struct.pack("<i", 1) + PLAIN_RING


def component(attachment: int, children: int, name: bytes = b"x") -> bytes:
    return struct.pack("<32s32sIi32sIi", b"objects.rlb", b"key", 1, attachment, name, 0, children)


def text(raw: Any) -> str:
    return decode(until_nul(bytes(raw)))


def test_control_points() -> None:
    data = struct.pack("<I", 1) + POINT + b"TurretCenter".ljust(32, b"\0")
    decoded = control_points.decode(data)
    point = control_points.POINT.row(decoded.points[0])
    assert point["nodes"] == [1, 18]
    assert (point["position"], point["direction"]) == ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    assert decoded.names == (b"TurretCenter",)
    assert decoded.diagnostics == ()


def test_damage() -> None:
    data = struct.pack("<i", 1) + struct.pack("<Iff32s32s", 0x20, 100, 0.5, b"effects.rlb", b"fx_02")
    row = damage.NODE_DAMAGE.row(damage.decode(data).rows[0])
    assert (row["flags"], row["hit_points"], row["density"]) == (0x20, 100.0, 0.5)
    assert (text(row["archive"]), text(row["explosion"])) == ("effects.rlb", "fx_02")


EXPLOSION = struct.pack("<iffffi", 3, 40, 1.5, 1, 1, 7) + b"".join(
    struct.pack("<32s32s", b"effects.rlb", b"fx_%d" % slot) for slot in range(12)
)


def test_explosion() -> None:
    decoded = explosion.decode(EXPLOSION)
    header = explosion.HEADER.row(decoded.header)
    assert (header["kind"], header["damage"], header["radius"], header["placement"]) == (3, 40.0, 1.5, 7)
    assert decoded.names[0] == (b"effects.rlb", b"fx_0")
    assert [name for _archive, name in decoded.names[1:]] == [b"fx_%d" % slot for slot in range(1, 12)]
    assert (decoded.diagnostics, explosion.encode(decoded)) == ((), EXPLOSION)
    with pytest.raises(FormatError, match="12 rows, 11 fit"):
        explosion.decode(EXPLOSION[:-1])


def test_inner_rings_are_tied_to_triangles_and_outer_ones_are_not() -> None:
    plan = ground_plan.decode(RING + OUTER)
    (first,), (second,) = plan.inner, plan.outer
    assert plan.rings == (first, second)
    assert first.points.tolist() == [[0, 0, 0], [3, 4, 0]]
    assert (first.triangles.tolist(), first.corners.tolist()) == ([77], [2])
    assert second.points.tolist() == [[5, 6, 7]]
    assert len(second.triangles) == 0
    assert plan.diagnostics == ()


def test_each_set_has_as_many_rings_as_it_states() -> None:
    two = struct.pack("<i", 2) + 2 * RING[4:]
    plan = ground_plan.decode(two + struct.pack("<i", 3) + 3 * PLAIN_RING)
    assert [it.triangles.tolist() for it in plan.inner] == [[77], [77]]
    assert [it.points.tolist() for it in plan.outer] == [[[5, 6, 7]]] * 3
    assert plan.diagnostics == ()
    assert ground_plan.decode(struct.pack("<2i", 0, 0)).rings == ()


def test_a_cut_ring_leaves_the_ones_before_it() -> None:
    plan = ground_plan.decode(RING + OUTER[:-1])
    assert (len(plan.inner), len(plan.outer)) == (1, 0)
    assert plan.tail == PLAIN_RING[:-1]
    assert [(d.rule, d.where) for d in plan.diagnostics] == [("BAS01", "outer[0]")]
    plan = ground_plan.decode(RING)
    assert [(d.rule, d.where) for d in plan.diagnostics] == [("BAS01", "inner")]


def test_rings_beyond_all_reason_are_kept_unread() -> None:
    count = ground_plan.MAX_RINGS + 1
    data = RING + struct.pack("<i", count) + PLAIN_RING * count
    plan = ground_plan.decode(data)
    assert len(plan.outer) == ground_plan.MAX_RINGS
    assert ground_plan.encode(plan) == data


def test_components_are_a_tree_written_depth_first() -> None:
    children = [3, 1, 0, 2, 0, 0, 0]
    data = struct.pack("<II", 0xF0F1, 5) + b"".join(component(-1, count) for count in children)
    unit = units.decode(data)
    assert unit.header["unit_type"] == 5
    assert unit.parents == (-1, 0, 1, 0, 3, 3, 0)


@pytest.mark.parametrize(
    ("unit_type", "words"),
    [
        (0x01008000, "warrior"),
        (0x01020000, "hero"),
        (0x80000010, "factory"),
        (0x80000001, "building"),
        (5, "unnamed value 5"),
    ],
)
def test_the_type_of_a_unit_in_words(unit_type: int, words: str) -> None:
    header = units.decode(struct.pack("<II", 0xF0F1, unit_type)).header
    assert meaning(units.HEADER.field("unit_type"), header["unit_type"]) == words


def test_child_counts_that_lie_still_give_a_forest() -> None:
    data = struct.pack("<II", 0xF0F1, 5) + component(-1, 1000) + component(0, -5) + component(0, 0)
    assert units.decode(data).parents == (-1, 0, 0)


@pytest.mark.parametrize(
    ("decoder", "data", "where"),
    [
        (control_points.decode, b"\0\0", "header"),
        (control_points.decode, b"\2\0\0\0" + bytes(100), "header.count"),
        (damage.decode, b"", "header"),
        (damage.decode, b"\xff\xff\xff\xff", "header.count"),
        (damage.decode, b"\2\0\0\0" + bytes(100), "header.count"),
        (ground_plan.decode, b"", "inner_count"),
        (ground_plan.decode, b"\xff\xff\xff\xff", "inner[0]"),
        (ground_plan.decode, b"\1\0\0\0\xff\xff\xff\x7f", "inner[0]"),
        (units.decode, b"\xf1\xf0", "header"),
        (units.decode, bytes(8), "header.magic"),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_place(
    decoder: Callable[[bytes], object], data: bytes, where: str
) -> None:
    with pytest.raises(FormatError) as caught:
        decoder(data)
    assert caught.value.where == where


@pytest.mark.parametrize(
    ("module", "data", "rule"),
    [
        (control_points, bytes(4) + b"?", "CPT01"),
        (damage, bytes(4) + b"?", "NDP01"),
        (units, struct.pack("<II", 0xF0F1, 5) + b"?", "UNIT01"),
    ],
)
def test_a_tail_is_reported_and_kept(module: Any, data: bytes, rule: str) -> None:
    decoded = module.decode(data)
    assert decoded.tail == b"?"
    assert [finding.rule for finding in decoded.diagnostics] == [rule]
    assert module.encode(decoded) == data
    check_places(module.parts(decoded), decoded.diagnostics)


@pytest.mark.parametrize(
    ("module", "data"),
    [
        (control_points, struct.pack("<I", 2) + POINT * 2 + b"Left".ljust(32) + b"Right".ljust(32) + b"tail"),
        (damage, struct.pack("<i", 2) + bytes(range(152))),
        (explosion, EXPLOSION + b"tail"),
        (ground_plan, RING + PLAIN_RING + b"tail"),
        (units, struct.pack("<II", 0xF0F1, 5) + component(-1, 1) + component(0, 0)),
    ],
)
@given(changes=st.data())
def test_a_changed_field_changes_its_bytes_alone(module: Any, data: bytes, changes: st.DataObject) -> None:
    decoded = module.decode(data)
    check_field_change(decoded, module.encode, module.parts(decoded), changes)


@pytest.mark.parametrize("module", [control_points, damage, explosion, ground_plan, units])
@given(
    head=st.sampled_from([b"", b"\1\0\0\0", b"\1\0\0\0\2\0\0\0", b"\xf1\xf0\0\0"]),
    rest=st.binary(max_size=300) | st.binary(min_size=780, max_size=800),
)
def test_any_bytes_are_read_or_refused(module: Any, head: bytes, rest: bytes) -> None:
    try:
        decoded = module.decode(head + rest)
    except FormatError:
        return
    assert module.encode(decoded) == head + rest
    check_tree(head + rest, module.parts(decoded))
    check_places(module.parts(decoded), decoded.diagnostics)


def corpus(samples: Path, table: str) -> list[tuple[memoryview, Any]]:
    """Payloads of the field corpus with the truth about them."""
    root = samples / "field"
    found = []
    for address, truth in json.loads((root / "truth.json").read_text())[table].items():
        path, _, name = address.partition("::")
        archive = Archive.read((root / path).read_bytes())
        index = archive.find(name.encode("cp1251"))
        assert index is not None
        found.append((archive.payload(index), truth))
    return found


def test_control_points_of_the_corpus(samples: Path) -> None:
    for data, truth in corpus(samples, "cpt"):
        decoded = control_points.decode(data)
        check_tree(bytes(data), control_points.parts(decoded))
        assert [decode(name) for name in decoded.names] == truth["names"]
        for row, point in zip(decoded.points, truth["points"], strict=True):
            assert (row["unknown_0x00"], row["nodes"].tolist()) == (point["head"], point["nodes"])
            assert np.array_equal(row["position"], np.float32(point["position"]))
            assert np.array_equal(row["direction"], np.float32(point["direction"]))


def test_damage_of_the_corpus(samples: Path) -> None:
    for data, truth in corpus(samples, "ndp"):
        decoded = damage.decode(data)
        check_tree(bytes(data), damage.parts(decoded))
        rows = decoded.rows
        assert len(rows) == truth["count"]
        for row, record in zip(rows, truth["records"], strict=True):
            assert row["flags"] == record["flags"]
            assert row["hit_points"] == np.float32(record["hit_points"])
            assert row["density"] == np.float32(record["density"])
            assert [text(row["archive"]), text(row["explosion"])] == [record["archive"], record["explosion"]]


def test_ground_plans_of_the_corpus(samples: Path) -> None:
    for data, truth in corpus(samples, "bas"):
        plan = ground_plan.decode(data)
        check_tree(bytes(data), ground_plan.parts(plan))
        for ring, expected in zip(plan.rings, truth["rings"], strict=True):
            assert np.array_equal(ring.points, np.float32(expected["points"]))
            assert ring.triangles.tolist() == expected.get("triangles", [])
            assert ring.corners.tolist() == expected.get("corners", [])


def test_units_of_the_corpus(samples: Path) -> None:
    for path, truth in json.loads((samples / "field" / "truth.json").read_text())["units"].items():
        data = (samples / "field" / path).read_bytes()
        unit = units.decode(data)
        check_tree(data, units.parts(unit))
        assert unit.header["unit_type"] == truth["unit_type"]
        assert unit.parents == tuple(component["parent"] for component in truth["components"])
        for row, expected in zip(unit.components, truth["components"], strict=True):
            assert [text(row[name]) for name in ("archive", "key", "name")] == [
                expected[name] for name in ("archive", "key", "name")
            ]
            assert [row[name] for name in ("flags", "attachment", "class_id", "child_count")] == [
                expected[name] for name in ("flags", "attachment", "class", "children")
            ]
            assert units.CLASSES[row["class_id"]] == expected["class_name"]
