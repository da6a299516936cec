"""The model in memory: variants, views, names, damage in its tables, lossless writing."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, box, container, legacy24, quad
from tests.terrains import terrain
from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, Severity
from viewer.formats.archive import nres
from viewer.formats.msh.strings import NAME_SIZE
from viewer.formats.msh.tables import (
    BATCHES,
    FACES,
    FRAME_MAP,
    INDICES,
    KEYS,
    LIGHT_PROBES,
    NAME_RECORDS,
    NODES,
    NORMALS,
    PATH_GRAPH,
    POSITIONS,
    REQUIRED,
    SLOTS,
    STRINGS,
    TABLES,
    TRIANGLES,
    UVS,
)
from viewer.model.checks.models import layout_findings
from viewer.model.mesh.model import Model, Variant, encode, variant_of
from viewer.model.mesh.reading import FIELD

SCENE = [
    Node("hull", shapes={(0, 0): [box()]}),
    Node("Башня", 0, shapes={(0, 0): [quad()]}, keys=[Key(0), Key(5, (1, 2, 3))]),
]


def test_a_sound_model_has_nothing_to_report() -> None:
    model = ModelBuilder.of(SCENE).model()
    assert model.variant is Variant.MODEL
    assert layout_findings(model) == []


def test_tables_are_views_on_the_file() -> None:
    data = bytearray(ModelBuilder.of(SCENE).build())
    model = Model.read(data)
    start = model.archive.entries[0].offset
    data[start] = 0x20
    assert model.nodes["flags"].tolist() == [0x20, 0]
    with pytest.raises(ValueError, match="read-only"):
        model.nodes["flags"][0] = 1


def test_counts_and_shapes() -> None:
    model = ModelBuilder.of(SCENE).model()
    assert (model.node_count, len(model.slots), len(model.batches)) == (2, 2, 2)
    assert model.positions.shape == (28, 3)
    assert model.normals_raw is not None
    assert model.normals_raw.shape == (28, 4)
    assert model.uvs_raw is not None
    assert model.uvs_raw.shape == (28, 2)
    assert model.indices.shape == (42,)
    assert len(model.tri_descriptors) == 14
    assert (len(model.keys), model.frame_count, model.frame_map.tolist()) == (3, 6, [1, 1, 1, 1, 1, 2])


@pytest.mark.parametrize("missing", sorted(REQUIRED))
def test_without_a_required_table_it_is_no_model(missing: int) -> None:
    builder = ModelBuilder.of(SCENE)
    builder.missing.add(missing)
    with pytest.raises(FormatError) as caught:
        builder.model()
    assert f"{missing} ({TABLES[missing].name})" in caught.value.message


@pytest.mark.parametrize(
    ("types", "variant"),
    [
        ({1, 2, 3, 6, 13}, Variant.MODEL),
        ({1, 2, 3, 6, 13, 21}, Variant.MODEL),
        ({3, 21}, Variant.TERRAIN),
        ({3, 6, 21}, None),
        ({12}, None),
        (set(), None),
    ],
)
def test_the_types_present_decide_the_variant(types: set[int], variant: Variant | None) -> None:
    archive = nres.Archive.read(nres.build(nres.NewEntry(type_id, b"") for type_id in sorted(types)))
    assert variant_of(archive) is variant


def test_order_and_unknown_tables_do_not_matter() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.tables[99] = b"unknown"
    payloads = dict(reversed(builder.payloads().items()))
    model = Model.read(container(payloads, node_count=2, frame_count=builder.frame_count))
    assert layout_findings(model) == []
    assert bytes(model.payload(99)) == b"unknown"
    assert np.array_equal(model.positions, builder.positions)


def test_optional_tables_may_be_missing() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.missing = set(builder.payloads()) - REQUIRED
    model = builder.model()
    assert layout_findings(model) == []
    assert model.normals_raw is None
    assert model.uvs_raw is None
    assert (len(model.keys), len(model.tri_descriptors), len(model.frame_map)) == (0, 0, 0)
    assert model.frame_count == 1
    assert model.node_names(from_records=False) == ("", "")


def test_names_come_from_either_table() -> None:
    assert ModelBuilder.of(SCENE).model().node_names(from_records=False) == ("hull", "Башня")
    assert ModelBuilder.of(SCENE, FIELD).model().node_names(from_records=True) == ("hull", "Башня")
    assert ModelBuilder.of(SCENE, FIELD).model().node_names(from_records=False) == ("", "")


def test_strings_are_labels_only_where_names_come_from_records() -> None:
    builder = ModelBuilder.of(SCENE, FIELD)
    builder.names = [b"", "e_tur_ё".encode("cp1251")]
    assert builder.model().node_socket_tags(from_records=True) == ("", "e_tur_ё")
    assert builder.model().node_socket_tags(from_records=False) == ("", "")
    builder.missing = {STRINGS}
    assert builder.model().node_socket_tags(from_records=True) == ("", "")


def test_other_bytes_where_names_may_be_are_no_names() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.tables[NAME_RECORDS] = b"\x01\x02\x03".ljust(NAME_SIZE, b"\0") + b"ok".ljust(NAME_SIZE, b"\0")
    assert builder.model().node_names(from_records=True) == ("", "ok")


@pytest.mark.parametrize(("size", "expected"), [(0, ("", "")), (40, ("hull", "")), (200, ("hull", "Башня"))])
def test_there_is_one_name_per_node_however_long_the_table(size: int, expected: tuple[str, str]) -> None:
    builder = ModelBuilder.of(SCENE, FIELD)
    builder.tables[NAME_RECORDS] = builder.payloads()[NAME_RECORDS].ljust(size, b"\0")[:size]
    assert builder.model().node_names(from_records=True) == expected


@pytest.mark.parametrize(
    ("type_id", "rule"),
    [
        (type_id, "V04")
        for type_id in (NODES, POSITIONS, NORMALS, UVS, INDICES, TRIANGLES, KEYS, BATCHES, FRAME_MAP)
    ]
    + [(SLOTS, "V05")],
)
def test_a_tail_behind_whole_records_is_reported_and_ignored(type_id: int, rule: str) -> None:
    builder = ModelBuilder.of(SCENE)
    sound = builder.model()
    builder.tables[type_id] = builder.payloads()[type_id] + b"\1"
    model = builder.model()
    count = len(sound.rows(type_id))
    assert len(model.rows(type_id)) == count
    assert [finding for finding in layout_findings(model) if finding.rule != "V21"] == [
        Diagnostic(
            rule,
            Severity.ERROR,
            f"1 trailing bytes after {count} records of {model.rows(type_id).dtype.itemsize}",
            TABLES[type_id].name,
            count,
        )
    ]


@pytest.mark.parametrize("type_id", [NAME_RECORDS, LIGHT_PROBES, PATH_GRAPH])
def test_tables_of_disputed_content_are_not_judged(type_id: int) -> None:
    builder = ModelBuilder.of(SCENE)
    builder.tables[type_id] = b"odd"
    assert layout_findings(builder.model()) == []


def test_a_cut_header_is_no_header() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.tables[SLOTS] = bytes(0x8B)
    model = builder.model()
    assert model.header is None
    assert len(model.slots) == 0
    assert [it.rule for it in layout_findings(model)] == ["V05"]


def test_the_header_is_read() -> None:
    model = ModelBuilder.of(SCENE).model()
    assert model.header is not None
    assert model.header["hull"][6].tolist() == [0.5, 0.5, 0.5]


def test_the_first_of_two_tables_is_used() -> None:
    builder = ModelBuilder.of(SCENE)
    entries = [nres.NewEntry(type_id, data) for type_id, data in builder.payloads().items()]
    doubled = [*entries, nres.NewEntry(NODES, b""), nres.NewEntry(UVS, b"")]
    model = Model.read(nres.build(doubled))
    assert model.node_count == 2
    second = len(entries)
    assert [(f.rule, f.severity, f.where) for f in layout_findings(model)] == [
        ("V02", Severity.ERROR, f"directory[{second}].type_id"),
        ("V02", Severity.WARNING, f"directory[{second + 1}].type_id"),
    ]


@pytest.mark.parametrize("type_id", [NODES, POSITIONS, UVS, KEYS, STRINGS])
def test_a_table_outside_the_file_is_empty_and_reported(type_id: int) -> None:
    data = bytearray(ModelBuilder.of(SCENE).build())
    archive = nres.Archive.read(data)
    index = archive.find_type(type_id)
    assert index is not None
    row = archive.directory_offset + index * nres.ENTRY.size + nres.ENTRY.field("size").offset
    data[row : row + 4] = b"\xff\xff\xff\x7f"
    model = Model.read(data)
    assert not model.has(type_id)
    assert len(model.payload(type_id)) == 0
    assert "N05" in [it.rule for it in layout_findings(model)]


@pytest.mark.parametrize("type_id", [NORMALS, UVS])
def test_short_vertex_tables_are_filled_with_zeros(type_id: int) -> None:
    builder = ModelBuilder.of(SCENE)
    builder.tables[type_id] = builder.payloads()[type_id][:-8]
    model = builder.model()
    fitted = model.normals_raw if type_id == NORMALS else model.uvs_raw
    assert fitted is not None
    assert len(fitted) == model.vertex_count
    assert not fitted[-2:].any()
    assert fitted[:-2].tobytes() == builder.tables[type_id]


def test_long_vertex_tables_are_cut() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.tables[UVS] = builder.payloads()[UVS] + bytes(8)
    model = builder.model()
    assert model.uvs_raw is not None
    assert len(model.uvs_raw) == model.vertex_count


def test_positions_that_are_not_finite_count_as_zero() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.positions[3] = (np.nan, 1, -np.inf)
    model = builder.model()
    assert model.positions[3].tolist() == [0, 1, 0]
    assert np.isfinite(model.positions).all()


def test_a_frame_count_is_at_least_one() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.attributes[FRAME_MAP] = (0, 0, 2)
    assert builder.model().frame_count == 1


def test_a_legacy_model_is_one_node() -> None:
    model = Model.read(legacy24([box()]))
    assert model.variant is Variant.LEGACY24
    assert (model.node_count, len(model.nodes)) == (1, 0)
    assert layout_findings(model) == []
    assert model.node_names(from_records=False) == ("relic",)


def test_a_terrain_has_a_node_per_tile() -> None:
    model = Model.read(terrain(3, 2))
    assert model.variant is Variant.TERRAIN
    assert (model.node_count, len(model.faces)) == (6, 24)
    assert layout_findings(model) == []


def test_nothing_replaced_is_the_same_file() -> None:
    data = ModelBuilder.of(SCENE).build()
    assert Model.read(data).encode() == encode(Model.read(data)) == data
    assert Model.read(data).encode({NODES: bytes(Model.read(data).payload(NODES))}) == data


def test_replacing_one_table_keeps_all_others() -> None:
    model = ModelBuilder.of(SCENE).model()
    changed = Model.read(model.encode({STRINGS: b"\0" * 8}))
    assert changed.strings == (b"", b"")
    for entry in model.archive.entries:
        if entry.type_id != STRINGS:
            assert changed.payload(entry.type_id) == model.payload(entry.type_id)


def test_a_table_that_is_not_there_cannot_be_replaced() -> None:
    with pytest.raises(FormatError, match="no resource of type 99"):
        ModelBuilder.of(SCENE).model().encode({99: b""})


def attributes_of(model: Model, type_id: int) -> tuple[int, int, int]:
    index = model.archive.find_type(type_id)
    assert index is not None
    entry = model.archive.entries[index]
    return entry.attr1, entry.attr2, entry.attr3


def test_an_attribute_that_counts_the_records_follows_them() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.tables |= {NAME_RECORDS: bytes(2 * 32), LIGHT_PROBES: bytes(3 * 48)}
    builder.attributes |= {NAME_RECORDS: (2, 7, 32), LIGHT_PROBES: (2, 0, 48)}
    changed = Model.read(
        builder.model().encode({NAME_RECORDS: bytes(3 * 32), LIGHT_PROBES: bytes(2 * 48)}),
    )
    assert attributes_of(changed, NAME_RECORDS) == (3, 7, 32)
    assert attributes_of(changed, LIGHT_PROBES) == (2, 0, 48)


def test_replaced_tables_get_the_attributes_of_their_size() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.attributes |= {NODES: (9, 55, 38), POSITIONS: (1, 2, 3), NAME_RECORDS: (7, 8, 9)}
    model = builder.model()
    changed = Model.read(
        model.encode(
            {NODES: bytes(3 * 38), KEYS: bytes(5 * 24), NAME_RECORDS: b"new", STRINGS: bytes(12)},
        )
    )
    assert attributes_of(changed, NODES) == (3, 55, 38)
    assert attributes_of(changed, KEYS) == (5, 0, 4)
    assert attributes_of(changed, STRINGS) == (3, 0, 0)
    assert attributes_of(changed, NAME_RECORDS) == (7, 8, 9)
    assert attributes_of(changed, POSITIONS) == (1, 2, 3)


def test_a_new_frame_map_can_be_of_another_length() -> None:
    model = ModelBuilder.of(SCENE).model()
    words = bytes(model.payload(FRAME_MAP))
    assert attributes_of(Model.read(model.encode({FRAME_MAP: words + b"\0\0"})), FRAME_MAP) == (7, 6, 2)
    assert attributes_of(Model.read(model.encode({FRAME_MAP: words}, frame_count=3)), FRAME_MAP) == (6, 3, 2)


def test_nodes_of_a_legacy_model_keep_their_stride() -> None:
    model = Model.read(legacy24([box()]))
    assert attributes_of(Model.read(model.encode({NODES: bytes(48)})), NODES) == (2, 0, 24)
    assert model.encode({NODES: bytes(model.payload(NODES))}) == model.archive.data


def test_tables_of_a_terrain_are_counted_too() -> None:
    model = Model.read(terrain(3, 2))
    nodes = attributes_of(model, NODES)
    changed = Model.read(model.encode({FACES: bytes(28), NODES: bytes(model.payload(NODES))[:38]}))
    assert attributes_of(changed, FACES) == (1, 0, 28)
    assert attributes_of(changed, NODES) == (1, *nodes[1:])


def test_the_header_of_the_slots_is_listed_before_the_slots() -> None:
    assert [*ModelBuilder.of(SCENE).model().tables][:4] == ["nodes", "header", "slots", "positions"]
