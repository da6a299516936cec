"""Descriptions: plain data for JSON, every field present, agreeing with the corpora."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import Struct

from tests.broken import models
from tests.formats.payloads import Payload, payloads
from tests.share import some
from viewer.errors import FormatError
from viewer.formats import mat0, objects, wear
from viewer.formats.archive import nres, rsli
from viewer.formats.archive.nres import Archive
from viewer.formats.part import Part, record_at, walk
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.json_types import members
from viewer.model.kinds.columns import Columns
from viewer.model.kinds.json_text import encode
from viewer.model.kinds.plain import at_offset, describe, describe_place, listing
from viewer.model.kinds.registry import KINDS, by_id, recognise
from viewer.model.store.address import CURRENT, Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.model.store.place import Place
from viewer.model.validation.validate import check_item


def test_a_wear_table() -> None:
    described = describe(by_id("wear"), memoryview(wear.build([b"A", b"B"], [b"L.0"])))
    assert (described["format"], described["diagnostics"]) == ("wear", [])
    assert [(row["number"], row["name"]) for row in described["materials"]] == [(0, "A"), (1, "B")]
    assert [(row["offset"], row["name"]) for row in described["lightmaps"]] == [(29, "L.0")]


def test_tables_without_rows_are_empty() -> None:
    described = describe(by_id("wear"), memoryview(wear.build([b"A"])))
    assert [*described["lightmaps"]] == []
    picture = texm.build(np.zeros((1, 1, 4), np.uint8), PixelFormat.ARGB8888)
    assert [*describe(by_id("texm"), memoryview(picture))["pages"]] == []


def test_findings_are_part_of_it() -> None:
    (finding,) = describe(by_id("wear"), memoryview(b"2\n0 A\n"))["diagnostics"]
    assert (finding.rule, finding.severity, finding.table, finding.index) == (
        "W03",
        "error",
        "materials",
        1,
    )


def test_a_material_with_its_attributes() -> None:
    block = mat0.block(1, 2, [(0, 500)])
    payload = mat0.build([mat0.PhaseRecord(b"STEEL.0", diffuse=(1, 2, 3))], [block], ground=(5, 255, 0.5, 7))
    archive = Archive.read(nres.build([nres.NewEntry(0, payload, b"Steel", attr1=2 | 4 << 2, attr2=6)]))
    described = describe(by_id("mat0"), archive.payload(0), archive.entries[0])
    assert (described["attr1"], described["version"]) == (18, 6)
    assert (described["blend_mode"], described["is_lit_skin"]) == (5, True)
    ground = ("ground_surface", "unknown_0x05", "speed_factor", "damage_per_second")
    assert [described[name] for name in ground] == [5, 255, 0.5, 7]
    assert described["phases"][0]["diffuse"] == [1, 2, 3]
    assert described["phases"][0]["texture"] == "STEEL.0"
    assert (described["blocks"][0]["mode"], described["blocks"][0]["mask"]) == (1, 2)
    assert described["blocks"][0]["keys"] == [{"index": 0, "phase": 0, "time": 500, "unknown_0x04": 0}]


def test_a_texture_with_palette_and_pages() -> None:
    image = np.full((2, 4, 4), 9, np.uint8)
    payload = texm.build(image, PixelFormat.INDEXED, mip_count=2, pages=[(0, 1, 2, 3)])
    described = describe(by_id("texm"), memoryview(payload))
    assert (described["width"], described["height"], described["pixel_format"]) == (4, 2, 0)
    assert described["palette"][0] == [9, 9, 9]
    assert members(described["levels"][1]) == {"w": 2, "h": 1, "offset": 32 + 1024 + 8, "size": 2}
    assert described["pages"] == [{"index": 0, "x": 0, "w": 2, "y": 1, "h": 3}]


def test_references() -> None:
    described = describe(by_id("objects"), memoryview(objects.build([(b"a.rlb", b"b.msh")])))
    assert described["references"] == [{"index": 0, "archive": "a.rlb", "resource": "b.msh"}]


def test_a_command_with_its_reference_and_fields() -> None:
    sound = struct.pack("<I80x32s32s", 0x102, b"sounds.lib", b"boom.wav")
    described = describe(by_id("fxid"), memoryview(struct.pack("<IIf48x", 1, 4, 2.5) + sound))
    assert (described["command_count"], described["time_mode"], described["duration"]) == (1, 4, 2.5)
    (command,) = described["commands"]
    assert (command["opcode"], command["kind"], command["on_top"]) == (2, "sound", 1)
    assert (command["offset"], command["size"]) == (60, 148)
    assert (command["archive"], command["resource"]) == ("sounds.lib", "boom.wav")
    assert command["position_start"] == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("mode", "flags", "mode_meaning", "flags_meaning"),
    [
        (0, 0, "value from outside", "none set"),
        (1, 0x208, "normalized age", "random shift, multiplied by the normalized age"),
        (17, 0x8000, "value of a node while it falls", "the damage stage does not count"),
        (18, 0x60001, "unnamed value 18", "random time, unknown 0x60000"),
    ],
)
def test_time_mode_and_flags_are_named_beside_their_numbers(
    mode: int, flags: int, mode_meaning: str, flags_meaning: str
) -> None:
    described = describe(by_id("fxid"), memoryview(struct.pack("<II8xI40x", 0, mode, flags)))
    assert (described["time_mode"], described["flags"]) == (mode, flags)
    assert (described["time_mode_meaning"], described["flags_meaning"]) == (mode_meaning, flags_meaning)


def test_commands_of_several_kinds_stay_in_their_order() -> None:
    point, bolt = struct.pack("<I", 6), struct.pack("<IffII28x32s32s", 5, 1, 0.5, 0, 8, b"material.lib", b"")
    described = describe(by_id("fxid"), memoryview(struct.pack("<I56x", 3) + bolt + point + bolt))
    commands = described["commands"]
    assert [(row["index"], row["kind"], row["offset"]) for row in commands] == [
        (0, "bolt", 60),
        (1, "point", 172),
        (2, "bolt", 176),
    ]
    assert commands[1] == {
        "index": 1, "kind": "point", "offset": 172, "size": 4, "word": 6, "opcode": 6, "on_top": 0
    }  # fmt: skip
    assert (commands[2]["archive"], commands[2]["resource"]) == ("material.lib", "")
    assert (commands[2]["fade_start"], commands[2]["fade_end"]) == (1.0, 0.5)


def test_a_table_of_a_model() -> None:
    assert describe(by_id("frame_map"), memoryview(b"\1\0\2\0"))["frame_map"] == [1, 2]


def test_tables_whose_counts_stand_in_the_directory() -> None:
    graph = struct.pack("<3fII", 1, 2, 3, 16, 7)
    names = struct.pack("<I3sxI", 3, b"arm", 0)
    archive = Archive.read(nres.build([nres.NewEntry(17, graph, attr1=1), nres.NewEntry(10, names, attr1=2)]))
    described = describe(by_id("path_graph"), archive.payload(0), archive.entries[0])
    assert described["path_graph"][0]["position"] == [1.0, 2.0, 3.0]
    assert len(described["path_graph"]) == 1
    assert len(described["path_links"]) == 0
    texts = describe(by_id("strings"), archive.payload(1), archive.entries[1])["strings"]
    assert [row.get("text") for row in texts] == ["arm", None]


def test_what_is_not_known_has_a_size() -> None:
    assert describe(by_id("ABCD"), memoryview(b"12345")) == {"format": "ABCD", "size": 5}


def test_what_cannot_be_read_is_refused() -> None:
    with pytest.raises(FormatError):
        describe(by_id("texm"), memoryview(b"Texm"))


def test_every_entry_of_every_archive_is_plain_data(files: Path) -> None:
    for reading in ["seed", "field"]:
        library = FileStore()
        folder = files / reading / "game"
        for path in sorted(file for file in folder.rglob("*") if file.is_file()):
            item = library.open(Address(path))
            _described(item.data, 0, path.name.encode(), None)
            archive = item.container
            entries: Sequence[nres.Entry | rsli.PackedEntry] = archive.entries if archive else ()
            for entry in some(entries, files):
                data = memoryview(archive.payload(entry.index)) if archive else memoryview(b"")
                if isinstance(entry, nres.Entry):
                    _described(data, entry.type_id, entry.name, entry)
                else:
                    _described(data, 0, entry.name, None)


def _described(data: memoryview, type_id: int, name: bytes, entry: nres.Entry | None) -> dict[str, Any]:
    kind = recognise(type_id, data, name)
    described = describe(kind, data, entry)
    assert described["format"] == kind.id
    json.dumps(described, default=_listed)
    return described


def _listed(value: Any) -> Any:
    """Rows with the same fields by column, and the first and the last of them; all other rows one by one."""
    if isinstance(value, Struct):
        return members(value)
    if not isinstance(value, Columns):
        return [*value]
    columns = value.columns.values()
    ends = [value.row(index) for index in {0, len(value) - 1}] if len(value) else []
    return [ends, *(it.tolist() if isinstance(it, np.ndarray) else it for it in columns)]


def test_a_font_with_its_texture() -> None:
    picture = b"Texm" + struct.pack("<7I", 2, 1, 1, 0, 0, 0, 2) + bytes([7, 250])
    payload = memoryview(b"Tfnt" + struct.pack("<2ifi", 9, 15, 0.125, 1) + bytes(4096) + picture)
    assert recognise(0, payload).id == "font"
    described = describe(by_id("font"), payload)
    sizes = [described[name] for name in ("cell_width", "glyph_height", "row_share", "pen_extra")]
    assert sizes == [9, 15, 0.125, 1]
    assert described["row_pitch"] == 16, "the stored height + 1"
    assert len(described["glyphs"]) == 256
    assert (described["texture"]["pixel_format"], described["texture"]["width"]) == (2, 2)


COUNT = 2000
OF_A_MODEL = 100


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The entries that have been made."""
    indices: list[int] = []
    make = nres.Archive._read_entry

    def counted(archive: nres.Archive, index: int) -> nres.Entry:
        indices.append(index)
        return make(archive, index)

    monkeypatch.setattr(nres.Archive, "_read_entry", counted)
    return indices


def large() -> bytes:
    """An archive of many unknown payloads and one model."""
    unknown = [nres.NewEntry(70_000 + row, b"12345678", b"%d" % row) for row in range(COUNT - 1)]
    return nres.build([*unknown, nres.NewEntry(0, models.still().build(), b"a.msh")])


def test_a_listing_makes_few_entries(made: list[int]) -> None:
    rows = listing(nres.Archive.read(large()))
    assert [row["type_name"] for row in rows][-2:] == [str(70_000 + COUNT - 2), "msh"]
    assert len(made) < OF_A_MODEL


def test_a_check_makes_few_entries(made: list[int]) -> None:
    reports = check_item(Item(Address(Path("large.rlb")), memoryview(large())))
    assert [(str(report.source), report.kind) for report in reports] == [
        ("large.rlb", "nres"),
        ("large.rlb::a.msh", "msh"),
    ]
    assert len(made) < OF_A_MODEL


@pytest.mark.parametrize("kind", [kind.id for kind in KINDS])
def test_every_field_has_an_offset_that_leads_back(kind: str) -> None:
    root = next(roots(kind))
    for place in places(root):
        found = json.loads(encode(describe_place(root, place)))
        assert found["place"] == place.in_file
        if place.field and found["size"]:  # the contacts of a state that has none take no bytes
            assert at_offset(root, found["offset"]) == place


def roots(kind: str) -> Iterator[Part]:
    """The parts of the payloads of a kind that can be read."""
    for payload in payloads(kind):
        try:
            yield parts_of(payload)
        except FormatError:
            continue


def parts_of(payload: Payload) -> Part:
    kind = by_id(payload.kind)
    return kind.parts(kind.decode(payload.data, payload.entry))


def places(root: Part) -> Iterator[Place]:
    """Every part, its first row, and the fields of that row."""
    for path, part in walk(root):
        yield Place(CURRENT, path)
        row = 0 if part.is_table and part.count else None
        found = record_at(part, row)
        if found is not None and not path.endswith("]"):
            yield Place(CURRENT, path, row)
            yield from (Place(CURRENT, path, row, field.name) for field in found[0].fields)
