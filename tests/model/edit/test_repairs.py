"""Repair of arbitrary damage: it never fails, never adds an error, and can be undone."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.builders import Key, ModelBuilder, Node, archive_of, box, quad
from tests.corpora import SAMPLES
from tests.share import examples
from viewer.errors import FormatError, UsageError
from viewer.formats import splice, wear
from viewer.formats.archive import nres
from viewer.formats.msh.tables import NORMALS, STRINGS
from viewer.model.edit.draft import Draft
from viewer.model.edit.faults import Fault
from viewer.model.edit.geometry.measures import CLOSE
from viewer.model.edit.plan import plan
from viewer.model.edit.repair import Repair, findings, found_repairs
from viewer.model.kinds.registry import by_id
from viewer.model.mesh.model import Model
from viewer.model.validation.validate import errors

MODEL = ModelBuilder.of(
    [
        Node("hull", shapes={(0, 0): [box(), quad()]}, keys=[Key(0), Key(2)]),
        Node("gun", 0, {(0, 0): [quad()]}),
    ]
).build()
WHOLE = {
    "msh": MODEL,
    "nres": archive_of({"b.msh": MODEL[:99], "a.wea": b"1\r\n0 M\r\n"}),
    "wear": wear.build([b"A", b"B", b"C"], [b"L.0"]),
}


WORDS = [b"\xff\xff", b"\0\0", b"\xff\x7f", b"\x01", b"\0\0\xc0\x7f", b"9"]
patches = st.lists(st.tuples(st.floats(0, 0.9999), st.sampled_from(WORDS)), min_size=1, max_size=6)


def damaged(data: bytes, places: list[tuple[float, bytes]], cut: int) -> bytes:
    """A payload with some words overwritten, each at a fraction of its length, and its end cut off."""
    made = bytearray(data)
    for place, word in places:
        offset = int(place * len(made))
        made[offset : offset + len(word)] = word
    return bytes(made[: len(made) - cut])


def is_readable(draft: Draft) -> bool:
    """Whether the payload can be decoded."""
    try:
        return draft.value is not None
    except FormatError:
        return False


@settings(max_examples=examples(150), suppress_health_check=list(HealthCheck), deadline=None)
@given(st.sampled_from(sorted(WHOLE)), patches, st.sampled_from([0, 0, 0, 1, 64]))
@example("msh", [(0.1875, b"\xff\xff"), (0.00390625, b"\x00\x00\xc0\x7f")], 0)
def test_any_damage(kind: str, places: list[tuple[float, bytes]], cut: int) -> None:
    data = damaged(WHOLE[kind], places, cut)
    draft = Draft(by_id(kind), data)
    found = [repair.change for repair in found_repairs(draft)]
    for count in range(len(found) + 1):
        made = plan(Draft(by_id(kind), data), found[:count])
        assert splice.applied(made.after, splice.reverse(made.splices)) == data
    if not is_readable(draft):
        return
    before, after = errors(findings(draft)), errors(findings(Draft(by_id(kind), made.after)))
    assert {it.rule for it in after} <= {it.rule for it in before} or len(after) < len(before)


DAMAGED = SAMPLES / "damaged"
SCENE = [
    Node("hull", shapes={(0, 0): [box(), quad()]}, keys=[Key(0), Key(4)]),
    Node("gun", 0, {(0, 0): [quad()]}),
]
KINDS = {"msh": "msh", "rlb": "nres", "wea": "wear"}


def repaired(kind: str, data: bytes) -> tuple[bytes, tuple[Fault, ...]]:
    """A payload after all that can be repaired in it, and what that is."""
    draft = Draft(by_id(kind), data)
    found = found_repairs(draft)
    assert draft.splices == ()
    for repair in found:
        alone = plan(Draft(by_id(kind), data), [repair.change])
        assert splice.applied(alone.after, splice.reverse(alone.splices)) == data
        assert splice.applied(data, repair.splices) != data
    made = plan(Draft(by_id(kind), data), [repair.change for repair in found])
    faults = tuple(repair.change.fault for repair in found)
    if not found:
        return data, faults
    assert len(errors(findings(draft.fresh()))) >= len(errors(findings(Draft(by_id(kind), made.after))))
    after, more = repaired(kind, bytes(made.after))
    return after, (*faults, *more)


Damage = Callable[[ModelBuilder], None]


def _set(table: str, row: int, field: str, value: object) -> Damage:
    def damage(builder: ModelBuilder) -> None:
        getattr(builder, table)[field][row] = value

    return damage


def _attribute(builder: ModelBuilder) -> None:
    builder.attributes[13] = (99, 5, 24)


def _texts(builder: ModelBuilder) -> None:
    builder.tables[STRINGS] = builder.payloads()[STRINGS] + b"tail"


def _tail(builder: ModelBuilder) -> None:
    builder.tables[NORMALS] = builder.payloads()[NORMALS] + b"\0"


EXACT: dict[str, tuple[Fault, Damage]] = {
    "a link to no descriptor": (Fault.LINKS, _set("triangles", 3, "links", 0xFFF0)),
    "a range of indices beyond the table": (Fault.INDEX_RANGES, _set("batches", 1, "index_start", 1 << 20)),
    "an index too few": (Fault.INDEX_COUNTS, _set("batches", 0, "index_count", 35)),
    "a range of descriptors beyond the table": (Fault.TRIANGLE_RANGES, _set("slots", 1, "tri_start", 900)),
    "too few descriptors": (Fault.TRIANGLE_RANGES, _set("slots", 0, "tri_count", 3)),
    "a box that is none": (Fault.BOUNDS, _set("slots", 0, "aabb_min", np.nan)),
    "a box that is too small": (Fault.BOUNDS, _set("slots", 1, "aabb_max", (0.1, 0.1, 0))),
    "a header that is not finite": (Fault.HEADER, _set("header", 0, "capsule_radius", np.inf)),
    "a word beyond the fallback key": (Fault.MAP_WORDS, lambda it: it.frame_map.__setitem__(4, 60000)),
    "a quaternion of nothing": (Fault.QUATERNIONS, _set("keys", 2, "quaternion", 0)),
    "attributes": (Fault.ATTRIBUTES, _attribute),
    "bytes after the texts": (Fault.TEXTS, _texts),
    "a byte after the last record": (Fault.TAILS, _tail),
}


@pytest.mark.parametrize("case", EXACT)
def test_what_the_rest_of_the_file_says_is_restored(case: str) -> None:
    fault, damage = EXACT[case]
    builder = ModelBuilder.of(SCENE)
    whole = builder.build()
    damage(builder)
    data = builder.build()
    assert data != whole
    after, faults = repaired("msh", data)
    assert fault in faults
    if fault is not Fault.LINKS:
        assert after == whole
    assert not findings(Draft(by_id("msh"), after))


SHOWN: dict[str, tuple[Fault, Damage]] = {
    "a parent that is no node": (Fault.PARENTS, _set("nodes", 1, "parent", 77)),
    "a cell with no slot": (Fault.CELLS, lambda it: it.nodes["slots"].__setitem__((1, 2, 3), 500)),
    "a frame map beyond the table": (Fault.MAPS, _set("nodes", 0, "map_start", 3)),
    "a position that is no number": (
        Fault.POSITIONS,
        _set_position := lambda it: it.positions.__setitem__((3, 1), np.nan),
    ),
    "batches that do not exist": (Fault.BATCH_RANGES, _set("slots", 1, "batch_count", 9)),
}


@pytest.mark.parametrize("case", SHOWN)
def test_what_cannot_be_known_becomes_what_is_shown(case: str) -> None:
    fault, damage = SHOWN[case]
    builder = ModelBuilder.of(SCENE)
    damage(builder)
    after, faults = repaired("msh", builder.build())
    assert fault in faults
    assert not errors(findings(Draft(by_id("msh"), after)))


def test_ranges_of_indices_move_to_gaps_of_their_size_or_keep_whole_triangles() -> None:
    builder = ModelBuilder.of(SCENE)
    whole = builder.build()
    total, rows = len(builder.indices), builder.batches.copy()
    builder.batches["index_start"][[0, 2]] = 1 << 20
    assert repaired("msh", builder.build()) == (whole, (Fault.INDEX_RANGES,))
    builder.batches = rows
    builder.batches["index_start"][1], builder.batches["index_count"][1] = total - 7, 9
    made = plan(Draft(by_id("msh"), builder.build()), [Repair(Fault.INDEX_RANGES)])
    row = Model.read(made.after).batches[1]
    assert (row["index_start"], row["index_count"]) == (total - 7, 6)


def test_bounds_are_compared_by_the_size_of_their_own_slot() -> None:
    builder = ModelBuilder.of(
        [Node("hull", shapes={(0, 0): [box((4096,) * 3)]}), Node("gun", 0, {(0, 0): [quad()]})]
    )
    whole = builder.build()
    builder.slots["aabb_max"][1] += 1000 * CLOSE
    assert repaired("msh", builder.build()) == (whole, (Fault.BOUNDS,))


def test_a_sound_model_has_nothing_to_repair() -> None:
    assert found_repairs(Draft(by_id("msh"), ModelBuilder.of(SCENE).build())) == ()


def test_a_repair_names_the_findings_that_it_takes_away() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.triangles["links"][3] = 0xFFF0
    builder.nodes["parent"][1] = 77
    found = {repair.change.fault: repair for repair in found_repairs(Draft(by_id("msh"), builder.build()))}
    assert [it.rule for it in found[Fault.LINKS].diagnostics] == ["V16"]
    assert [(it.rule, it.index) for it in found[Fault.PARENTS].diagnostics] == [("V22", 1)]
    assert set(found) == {Fault.LINKS, Fault.PARENTS}


def test_vertex_tables_become_as_long_as_the_positions() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.normals = builder.normals[:-3]
    builder.uvs = np.concatenate([builder.uvs, builder.uvs])
    after, faults = repaired("msh", builder.build())
    assert Fault.VERTEX_TABLES in faults
    model = Model.read(after)
    assert len(model.rows(4)) == len(model.rows(5)) == model.vertex_count


def test_counts_of_wear_rows() -> None:
    whole = wear.build([b"A", b"B"], [b"L.0"])
    assert found_repairs(Draft(by_id("wear"), whole)) == ()
    for stated in (b"3", b"1", b"2000000000"):
        assert repaired("wear", stated + whole[1:]) == (whole, (Fault.ROW_COUNTS,))
    empty = wear.build([b"A", b"B"]) + b"\r\nLIGHTMAPS\r\n0\r\n"
    assert repaired("wear", empty) == (wear.build([b"A", b"B"]), (Fault.LIGHTMAPS,))


def test_archives() -> None:
    whole = nres.build([nres.NewEntry(1, b"abc", b"b"), nres.NewEntry(2, b"defg", b"a")])
    archive = nres.Archive.read(whole)
    assert found_repairs(Draft(by_id("nres"), whole)) == ()
    for offset, value, fault in (
        (0, b"nres", Fault.MAGIC),
        (4, b"\0\2", Fault.MAGIC),
        (8, b"\7\0\0\0", Fault.EXTENT),
        (8, b"\xff\xff\xff\xff", Fault.EXTENT),
        (12, bytes(4), Fault.EXTENT),
        (archive.total_size - 4, b"\7\0\0\0", Fault.SORT_INDICES),
        (archive.entry(0).end, b"\1", Fault.PADDING),
    ):
        data = bytearray(whole)
        data[offset : offset + len(value)] = value
        assert repaired("nres", bytes(data)) == (whole, (fault,))


def test_an_archive_of_one_entry_is_as_long_as_it_is() -> None:
    whole = nres.build([nres.NewEntry(1, b"abc", b"b")])
    for offset in (8, 12):
        data = bytearray(whole)
        data[offset] ^= 7
        assert repaired("nres", bytes(data)) == (whole, (Fault.EXTENT,))


def test_of_tables_of_one_type_the_first_stays() -> None:
    whole = Model.read(MODEL)
    second = nres.NewEntry(NORMALS, bytes(len(whole.payload(NORMALS))), b"second")
    entries = [
        nres.NewEntry(it.type_id, whole.archive.payload(it.index), it.name, it.attr1, it.attr2, it.attr3)
        for it in whole.archive.entries
    ]
    assert bytes(nres.build(entries)) == MODEL
    assert repaired("msh", bytes(nres.build([*entries, second]))) == (MODEL, (Fault.UNUSED_TABLES,))


@pytest.mark.skipif(not DAMAGED.is_dir(), reason="needs the samples")
def test_damaged_samples_are_repaired_without_new_errors() -> None:
    manifest = json.loads((DAMAGED / "manifest.json").read_text())
    bases = {kind: (DAMAGED / "base" / f"base.{suffix}").read_bytes() for suffix, kind in KINDS.items()}
    exact: list[str] = []
    for mutant in manifest["mutants"]:
        path = DAMAGED / mutant["file"]
        kind = KINDS.get(path.suffix[1:])
        if kind is None or mutant["size"] > 500_000:
            continue
        after, faults = repaired(kind, path.read_bytes())
        if faults and after == bases[kind]:
            exact.append(mutant["name"])
    assert {"res8_attr1", "res13_attr3", "res10_trailing", "slot_tri_range", "batch_index_range"} <= {*exact}
    assert {"batch_count_not_3", "nres_bad_version", "nres_magic_case", "nres_sort_reversed"} <= {*exact}
    assert {"nres_total_zero", "nres_count_huge", "nres_count_minus_one_value"} <= {*exact}


def test_what_empties_something_says_so() -> None:
    builder = ModelBuilder.of([Node("hull", shapes={(0, 0): [box()]})])
    builder.nodes["slots"][0, 1, 0] = 7
    emptied = {it.change.fault: it.empties for it in found_repairs(Draft(by_id("msh"), builder.build()))}
    assert emptied == {Fault.CELLS: True}
    builder = ModelBuilder.of([Node("hull", shapes={(0, 0): [box()]})])
    builder.nodes["parent"] = 5
    kept = {it.change.fault: it.empties for it in found_repairs(Draft(by_id("msh"), builder.build()))}
    assert kept == {Fault.PARENTS: False}


def test_a_fault_of_another_kind_is_refused() -> None:
    with pytest.raises(UsageError):
        Repair(Fault.LINKS).apply(Draft(by_id("wear"), wear.build([b"A"])))
