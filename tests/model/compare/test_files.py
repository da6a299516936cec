"""What differs: one change to a file is one change in the answer, at its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import MESH_TYPE, Key, ModelBuilder, Node, archive_of, box
from tests.model.controllers import Drive, build
from tests.terrains import terrain
from viewer.errors import FormatError
from viewer.formats import mat0, wear
from viewer.formats.archive import nres, nres_edit, rsli, rsli_edit
from viewer.formats.msh.tables import FACES, STRINGS
from viewer.formats.msh.terrain import FACE
from viewer.formats.neighbors import control
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.compare.differences import ChangeKind, Difference
from viewer.model.compare.files import ComparedPayload, compare
from viewer.model.mesh.reading import FIELD
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.item import Item
from viewer.model.store.place import Place

SCENE = [
    Node("hull", shapes={(0, 0): [box()]}),
    Node("turret", 0, shapes={(0, 0): [box()]}),
    Node("gun", 1, keys=(Key(), Key(time=4.0))),
]


def side(data: bytes, name: str) -> ComparedPayload:
    return ComparedPayload.of(Item(Address(Path(name)), memoryview(data)))


def differences(
    a: bytes, b: bytes, name: str = "a.msh", requested: ReadingChoice = ReadingChoice.AUTO
) -> list[Difference]:
    return list(compare(side(a, name), side(b, name), requested))


def places(changes: list[Difference]) -> list[str]:
    return [".".join((*change.path, change.table, change.field)) for change in changes]


def only(changes: list[Difference]) -> Difference:
    assert len(changes) == 1, places(changes)
    return changes[0]


def values(change: Difference) -> tuple[list[object], list[object]]:
    a, b = (side.tolist() if isinstance(side, np.ndarray) else list(side) for side in (change.a, change.b))
    return a, b


def changed_model(change: Callable[[ModelBuilder], None]) -> bytes:
    builder = ModelBuilder.of(SCENE)
    change(builder)
    return builder.build()


def set_batch(builder: ModelBuilder) -> None:
    builder.batches["material"][1] = 7


def set_parent(builder: ModelBuilder) -> None:
    builder.nodes["parent"][2] = 0


def set_root(builder: ModelBuilder) -> None:
    builder.nodes["parent"][1] = 0xFFFF


def set_vertex(builder: ModelBuilder) -> None:
    builder.positions[3, 1] = 9.5


def set_header(builder: ModelBuilder) -> None:
    builder.header["capsule_radius"] = 0.25


def set_name(builder: ModelBuilder) -> None:
    builder.names[2] = b"cannon"


def set_attribute(builder: ModelBuilder) -> None:
    builder.attributes[4] = (1, 2, 3)


@pytest.mark.parametrize(
    ("change", "place", "rows", "a", "b"),
    [
        (set_batch, "batches.material", [1], [0], [7]),
        (set_parent, "nodes.parent", [2], [1], [0]),
        (set_root, "nodes.parent", [1], [0], [None]),
        (set_header, "header.capsule_radius", [0], None, [0.25]),
        (set_name, "strings.text", [2], ["gun"], ["cannon"]),
    ],
)
def test_one_field(
    change: Callable[[ModelBuilder], None],
    place: str,
    rows: list[int],
    a: list[object] | None,
    b: list[object],
) -> None:
    found = only(differences(ModelBuilder.of(SCENE).build(), changed_model(change)))
    assert places([found]) == [place]
    assert (found.what, found.count) == (ChangeKind.CHANGED, len(rows))
    assert found.rows_a is not None
    assert found.rows_a.tolist() == rows
    before, after = values(found)
    assert after == b
    assert a is None or before == a


def test_a_vertex() -> None:
    found = only(differences(ModelBuilder.of(SCENE).build(), changed_model(set_vertex)))
    assert places([found]) == ["positions.position"]
    assert values(found)[1][0][1] == 9.5  # type: ignore[index]


def test_attributes_of_a_table() -> None:
    found = differences(ModelBuilder.of(SCENE).build(), changed_model(set_attribute))
    assert places(found) == ["resources.attr1", "resources.attr2", "resources.attr3"]
    assert [values(change)[1] for change in found] == [[1], [2], [3]]


def test_numbers_that_are_none_are_equal_where_their_bits_are() -> None:
    broken = changed_model(lambda builder: builder.positions.__setitem__((0, 0), np.nan))
    assert differences(broken, broken) == []
    other = changed_model(lambda builder: builder.positions.__setitem__(((0, 0), (0, 1)), np.nan))
    assert only(differences(broken, other)).rows_a.tolist() == [0]  # type: ignore[union-attr]


def test_nodes_are_matched_by_name() -> None:
    """The same tree in another order: only the order differs, parents are the same nodes."""
    reordered = [
        SCENE[0],
        Node("turret", 0, shapes=SCENE[1].shapes),
        Node("lamp", 0),
        Node("gun", 1, keys=SCENE[2].keys),
    ]
    found = differences(ModelBuilder.of(SCENE).build(), ModelBuilder.of(reordered).build())
    nodes = [change for change in found if change.table == "nodes"]
    assert [(change.field, change.what) for change in nodes] == [
        ("", ChangeKind.ADDED),
        ("index", ChangeKind.RENUMBERED),
        ("fallback_key", ChangeKind.RENUMBERED),
    ]
    assert list(nodes[0].names) == ["lamp"]
    assert nodes[0].is_inserted
    for renumbered in nodes[1:]:
        assert list(renumbered.names) == ["gun"]
        assert renumbered.rows_b is not None
        assert renumbered.rows_b.tolist() == [3]


def test_swapped_nodes_have_moved() -> None:
    twins = [SCENE[0], Node("left", 0), Node("right", 0)]
    swapped = [SCENE[0], Node("right", 0), Node("left", 0)]
    found = differences(ModelBuilder.of(twins).build(), ModelBuilder.of(swapped).build())
    order = next(change for change in found if change.field == "index")
    assert (order.table, list(order.names), values(order)) == ("nodes", ["left", "right"], ([1, 2], [2, 1]))


def test_the_reading_says_where_names_are() -> None:
    first = ModelBuilder.of(SCENE, FIELD)
    second = ModelBuilder.of([SCENE[0], Node("gun", 0), Node("turret", 0)], FIELD)
    by_records = differences(first.build(), second.build(), requested=ReadingChoice.FIELD)
    assert "nodes.index" in places(by_records)
    assert "nodes.index" not in places(
        differences(first.build(), second.build(), requested=ReadingChoice.SEED)
    )


def test_labels_are_no_names_to_match_nodes_by() -> None:
    first, second = ModelBuilder.of(SCENE, FIELD), ModelBuilder.of(SCENE, FIELD)
    first.names[1], second.names[2] = b"e_tur", b"e_tur"
    found = only(differences(first.build(), second.build()))
    assert places([found]) == ["nodes.takes"]
    assert list(found.names) == [SCENE[1].name, SCENE[2].name]
    assert values(found) == (["e_tur", None], [None, "e_tur"])


def test_a_changed_label_is_what_its_node_takes_wherever_the_node_is() -> None:
    first = ModelBuilder.of(SCENE, FIELD)
    second = ModelBuilder.of([SCENE[0], SCENE[1], Node("lamp", 0), SCENE[2]], FIELD)
    first.names[2], second.names[3] = b"e_gun_ll", b"e_gun_lr"
    found = [change for change in differences(first.build(), second.build()) if change.field == "takes"]
    assert [(change.table, [*change.names], values(change)) for change in found] == [
        ("nodes", ["gun"], (["e_gun_ll"], ["e_gun_lr"]))
    ]


def test_names_in_res10_are_texts_and_no_labels() -> None:
    first, second = ModelBuilder.of(SCENE), ModelBuilder.of(SCENE, FIELD)
    found = differences(first.build(), second.build())
    assert "strings.text" in places(found)
    assert "nodes.takes" not in places(found)


def test_damaged_labels_are_missing_rows() -> None:
    first, second = ModelBuilder.of(SCENE, FIELD), ModelBuilder.of(SCENE, FIELD)
    second.tables[STRINGS] = bytes(4)
    found = differences(first.build(), second.build())
    assert ("strings", ChangeKind.REMOVED) in [(change.table, change.what) for change in found]


def test_missing_and_added_rows() -> None:
    shorter = changed_model(lambda builder: builder.tables.update({13: builder.batches[:1].tobytes()}))
    found = differences(ModelBuilder.of(SCENE).build(), shorter)
    assert places(found) == ["resources.attr1", "batches."]
    assert (found[1].what, found[1].rows_a is not None and found[1].rows_a.tolist()) == (
        ChangeKind.REMOVED,
        [1],
    )
    assert differences(shorter, ModelBuilder.of(SCENE).build())[1].what is ChangeKind.ADDED


def test_a_table_that_only_one_has() -> None:
    found = differences(
        ModelBuilder.of(SCENE).build(), changed_model(lambda builder: builder.missing.add(15))
    )
    assert [(change.table, change.what, list(change.names)) for change in found] == [
        ("resources", ChangeKind.REMOVED, ["Res15"])
    ]


def test_unknown_tables_by_their_bytes() -> None:
    first, second = (
        changed_model(lambda builder, data=data: builder.tables.update({99: data}))  # type: ignore[misc]
        for data in (b"abcdef", b"abXdeY")
    )
    found = only(differences(first, second))
    assert (found.field, found.rows_a is not None and found.rows_a.tolist()) == ("byte", [2, 5])


ARCHIVE = archive_of({"hull.msh": ModelBuilder.of(SCENE).build(), "hull.wea": wear.build([b"IRON", b"RUST"])})


def test_archives_lead_to_the_field() -> None:
    archive = nres.Archive.read(ARCHIVE)
    changed = nres_edit.rewrite(archive, {0: changed_model(set_batch), 1: wear.build([b"IRON", b"GOLD"])})
    found = differences(ARCHIVE, changed, "a.rlb")
    assert places(found) == ["hull.msh.batches.material", "hull.wea.materials.name"]
    assert values(found[1]) == (["RUST"], ["GOLD"])


def test_entries_are_matched_by_name_without_case() -> None:
    edit = nres_edit.Edit(nres.Archive.read(ARCHIVE))
    edit.rename(0, b"HULL.MSH")
    edit.add(nres.NewEntry(MESH_TYPE, ModelBuilder.of(SCENE).build(), b"new.msh"), 0)
    found = differences(ARCHIVE, edit.encode(), "a.rlb")
    assert [(place, change.what) for place, change in zip(places(found), found, strict=True)] == [
        ("entries.", ChangeKind.ADDED),
        ("entries.name", ChangeKind.CHANGED),
    ]
    assert list(found[0].names) == ["new.msh"]
    assert values(found[1]) == (["hull.msh"], ["HULL.MSH"])


def test_layout_alone() -> None:
    archive = nres.Archive.read(ARCHIVE)
    wider = bytearray(ARCHIVE[: archive.directory_offset] + bytes(8) + ARCHIVE[archive.directory_offset :])
    wider[12:16] = len(wider).to_bytes(4, "little")
    found = only(differences(ARCHIVE, bytes(wider), "a.rlb"))
    assert (*places([found]), found.count) == (".size", 1)
    assert values(found) == ([len(ARCHIVE)], [len(wider)])


def test_bytes_that_no_field_shows() -> None:
    first, second = b"1\r\n0 IRON\r\n", b"1\r\n0  IRON\r\n"
    assert places(differences(first, second, "a.wea")) == ["materials.gap"]
    assert places(differences(b"\x01\x02", b"\x01\x03", "x.bin")) == [".byte"]


def test_bytes_are_named_up_to_a_limit_and_counted() -> None:
    found = only(differences(bytes(3_000_000), b"\x01" * 3_000_000, "x.bin"))
    assert found.count == 3_000_000
    assert len(found.a) == len(found.b) == 1000


def test_materials_by_field() -> None:
    first = mat0.build(
        [mat0.PhaseRecord(b"IRON.0"), mat0.PhaseRecord()], [mat0.block(0, 1, [[0, 100], [1, 50]])]
    )
    second = mat0.build(
        [mat0.PhaseRecord(b"RUST.0"), mat0.PhaseRecord(power=9)],
        [mat0.block(0, 1, [[0, 100], [1, 60]])],
        ground=(255, 255, 0.5, 0),
    )
    found = differences(first, second, "a.mat0")
    expected = ["header.speed_factor", "phases.power", "phases.texture", "blocks[0].keys.time"]
    assert places(found) == expected


def test_textures_by_pixel_and_header() -> None:
    rgba = np.zeros((4, 4, 4), np.uint8)
    first = texm.build(rgba, PixelFormat.RGB565, mip_count=2)
    rgba[1, 2] = 255
    found = differences(first, texm.build(rgba, PixelFormat.RGB565, mip_count=2, flags4=32), "a.texm")
    assert places(found)[:2] == ["header.flags4", "levels[0].bytes"]
    assert found[1].rows_a is not None
    assert found[1].rows_a.tolist() == [1 * 4 + 2]
    assert values(found[1]) == ([[0, 0]], [[255, 255]])
    other = texm.build(rgba, PixelFormat.ARGB4444, mip_count=2)
    assert "header.pixel_format" in places(differences(first, other, "a.texm"))


def test_a_part_that_only_one_has_is_there_from_nothing() -> None:
    """The header of a page table has 8 bytes."""
    rgba = np.zeros((4, 4, 4), np.uint8)
    bare = texm.build(rgba, PixelFormat.ARGB8888)
    paged = texm.build(rgba, PixelFormat.ARGB8888, pages=[(0, 0, 2, 2)])
    for first, second, sizes in ((bare, paged, ([0], [8])), (paged, bare, ([8], [0]))):
        found = [it for it in differences(first, second, "a.texm") if it.field == "size"]
        assert [(it.table, values(it)) for it in found] == [("page_header", sizes)]


def test_an_inserted_face_shifts_no_face_and_no_neighbour() -> None:
    container = nres.Archive.read(terrain(3, 2, is_coarse=False))
    index = container.find_type(FACES)
    assert index is not None
    faces = FACE.view(container.payload(index)).copy()
    faces["neighbours"][:, 0] = np.arange(len(faces))[::-1]
    first = nres_edit.rewrite(container, {index: faces.tobytes()})
    new = faces[:1].copy()
    new["opaque6"] = 7
    faces["neighbours"][:, 0] += 1
    second = nres_edit.rewrite(container, {index: np.concatenate([new, faces]).tobytes()})
    found = [it for it in differences(first, second) if it.table == "faces"]
    assert [(it.field, it.what, it.count) for it in found] == [
        ("", ChangeKind.ADDED, 1),
        ("neighbours", ChangeKind.RENUMBERED, len(faces)),
    ]


def test_what_numbers_nodes_next_to_a_model_follows_them() -> None:
    """The gun is node 2, then node 3 behind a lamp; its channel is the same."""
    longer = [SCENE[0], SCENE[1], Node("lamp", 0), SCENE[2]]
    first, second = (
        archive_of({"hull.msh": ModelBuilder.of(scene).build(), "hull.ctl": control.encode(controller)})
        for scene, controller in (
            (SCENE, build(channels=[Drive(2, (0, 1))])),
            (longer, build(channels=[Drive(3, (0, 1))])),
        )
    )
    found = [it for it in differences(first, second, "a.rlb") if it.path == ("hull.ctl",)]
    assert [(it.table, it.field, it.what) for it in found] == [("channels", "node", ChangeKind.RENUMBERED)]


def test_packed_libraries_by_what_comes_out(files: Path) -> None:
    data = (files / "seed/game/sprites.lib").read_bytes()
    library = rsli.PackedLibrary.read(data)
    index = library.find(b"LZTEXT.TXT")
    assert index is not None
    text = bytearray(library.unpack(index).data)
    text[7] ^= 1
    found = differences(data, rsli_edit.rewrite(library, {index: bytes(text)}), "a.lib")
    assert places(found) == ["LZTEXT.TXT..byte"]
    assert found[0].rows_a is not None
    assert found[0].rows_a.tolist() == [7]


def test_kinds_that_differ() -> None:
    found = only(list(compare(side(ARCHIVE, "a.rlb"), side(ModelBuilder.of(SCENE).build(), "a.msh"))))
    assert (found.field, *values(found)) == ("kind", ["nres"], ["msh"])


def test_what_cannot_be_read_names_its_side() -> None:
    with pytest.raises(FormatError, match=r"^b\.msh: container"):
        list(compare(side(ARCHIVE, "a.rlb"), side(ARCHIVE[:40], "b.msh")))


def test_no_file_differs_from_itself(files: Path) -> None:
    for corpus in ["seed", "field"]:
        for path in (files / corpus).rglob("*.*"):
            if path.is_file() and path.suffix != ".json":
                data = path.read_bytes()
                assert differences(data, data, path.name) == []


def test_every_damage_shows(files: Path) -> None:
    """A changed file is never the same as the one that it was made from."""
    folder = files / "damaged"
    suffixes = {"nres": "rlb", "rsli": "lib", "wear": "wea"}
    for mutant in json.loads((folder / "manifest.json").read_text("utf-8"))["mutants"]:
        name = f"base.{suffixes.get(mutant['kind'], mutant['kind'])}"
        base, data = (folder / "base" / name).read_bytes(), (folder / mutant["file"]).read_bytes()
        try:
            assert differences(base, data, name) or base == data, mutant["name"]
        except FormatError:
            assert mutant["tolerant"] != "shows"


@given(st.integers(0, len(ARCHIVE) - 1), st.integers(1, 255))
def test_any_changed_byte_shows(place: int, change: int) -> None:
    changed = bytearray(ARCHIVE)
    changed[place] ^= change
    try:
        assert differences(ARCHIVE, bytes(changed), "a.rlb")
        assert differences(bytes(changed), ARCHIVE, "a.rlb")
    except FormatError:
        assert place < nres.HEADER.size


def test_a_difference_names_its_rows_in_both_files() -> None:
    def move(builder: ModelBuilder) -> None:
        builder.nodes["parent"][1] = 0xFFFF

    models = changed_model(lambda _: None), changed_model(move)
    change = only(differences(*models))
    assert change.place(Address.parse("a.msh")) == Place(Address.parse("a.msh"), "nodes", field="parent")
    assert [*change.places(Address.parse("a.msh"), Address.parse("b.msh"))] == [
        Place(Address.parse("a.msh"), "nodes", 1, "parent"),
        Place(Address.parse("b.msh"), "nodes", 1, "parent"),
    ]
    before, after = (archive_of({"hull.msh": data}) for data in models)
    inside = only([item for item in differences(before, after, "a.rlb") if item.table == "nodes"])
    assert str(inside.place(Address.parse("a.rlb"))) == "a.rlb::hull.msh: nodes.parent"


def test_a_difference_of_a_whole_file_names_the_field() -> None:
    assert Difference("", "size", ChangeKind.CHANGED, 1).place(Address.parse("a.bin")) == Place(
        Address.parse("a.bin"), "size"
    )
