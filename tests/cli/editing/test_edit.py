"""``edit``: what it says is what it writes, and every other byte stays as it was."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import PIL.Image
import pytest

from tests.builders import ModelBuilder, Node, archive_of, box
from tests.cli.console import GAME, Capture, failure, json_of, success
from viewer.cli.main import main
from viewer.formats.archive import nres
from viewer.model.compare import edit_report
from viewer.model.mesh.model import Model
from viewer.model.tables.model_tables import DECLARED

MODEL = ModelBuilder.of(
    [
        Node("hull", shapes={(0, 0): [box(), box()]}),
        Node("turret", parent=0, shapes={(0, 0): [box()]}),
    ]
).build()
ARCHIVE = archive_of({"a.msh": MODEL, "b.wea": b"1\r\n0 A\r\n", "c.msh": MODEL})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.msh").write_bytes(MODEL)
    (tmp_path / "a.rlb").write_bytes(ARCHIVE)
    return tmp_path


def spliced(data: bytes, ranges: list[dict[str, Any]]) -> bytes:
    """The bytes after the ranges that an edit prints, which have all of their bytes."""
    for row in reversed(ranges):
        start, end = row["offset"], row["offset"] + row["size"]
        assert data[start:end].hex() == row["before"]
        data = data[:start] + bytes.fromhex(row["after"]) + data[end:]
    return data


def test_it_says_what_it_writes(folder: Path, capsys: Capture) -> None:
    found = json_of(capsys, "edit", "a.rlb::c.msh", "--set", "nodes[name=turret].flags=0x40", "-o", "b.rlb")
    assert found["changes"] == [
        {
            "what": "changed",
            "address": "a.rlb::c.msh",
            "table": "nodes",
            "row": 1,
            "field": "flags",
            "before": 0,
            "after": 0x40,
        }
    ]
    assert not found["identical"]
    written = (folder / "b.rlb").read_bytes()
    assert written == spliced(ARCHIVE, found["ranges"])
    assert sum(a != b for a, b in zip(ARCHIVE, written, strict=True)) == 1
    archive = nres.Archive.read(memoryview(written))
    assert Model.read(archive.payload(2)).nodes["flags"].tolist() == [0, 0x40]
    assert (folder / "a.rlb").read_bytes() == ARCHIVE


def test_flags_are_written_in_hexadecimal(folder: Path, capsys: Capture) -> None:
    out, _ = success(capsys, "edit", "a.rlb::c.msh", "--set", "nodes[name=turret].flags=0x40", "-o", "b.rlb")
    assert "nodes[1].flags (turret): 0x0000 -> 0x0040\n" in out
    out, _ = success(
        capsys, "edit", "a.rlb::c.msh", "--set", "slots[0].batch_count=0", "--dry-run", "--force"
    )
    assert "slots[0].batch_count: 2 -> 0\n" in out


def test_changes_are_made_in_order(folder: Path, capsys: Capture) -> None:
    script = [{"do": "set", "table": "batches", "rows": "flags & 8", "field": "opaque6", "value": 3}]
    Path("s.json").write_text(json.dumps(script))
    json_of(capsys, "edit", "a.msh", "--set", "batches[1].flags=8", "--script", "s.json", "-o", "b.msh")
    assert Model.read(memoryview(Path("b.msh").read_bytes())).batches["opaque6"].tolist() == [0, 3, 0]
    json_of(capsys, "edit", "a.msh", "--script", "s.json", "--set", "batches[1].flags=8", "-o", "b.msh")
    assert Model.read(memoryview(Path("b.msh").read_bytes())).batches["opaque6"].tolist() == [0, 0, 0]


def test_elements_lists_and_nothing(folder: Path, capsys: Capture) -> None:
    success(
        capsys, "edit", "a.msh", "-o", "b.msh",
        "--set", "nodes[1].slots[0][2]=1", "--set", "slots[0].aabb_min=[-5, -5.5, -1e9]",
        "--set", "nodes[1].parent=null",
    )  # fmt: skip
    model = Model.read(memoryview(Path("b.msh").read_bytes()))
    assert model.nodes["slots"][1].tolist()[0][2] == 1
    assert model.slots["aabb_min"][0].tolist() == [-5, -5.5, -1e9]
    assert model.nodes["parent"].tolist() == [0xFFFF, 0xFFFF]


def test_a_dry_run_writes_nothing(folder: Path, capsys: Capture) -> None:
    before = sorted(folder.iterdir())
    out, _ = success(capsys, "edit", "a.msh", "--set", "batches[*].flags=8", "--dry-run")
    assert out.splitlines()[-1] == "3 ranges, 6 bytes; everything else identical"
    assert "batches[0:3].flags: 0x0000 -> 0x0008" in out
    for target in (("-o", "b.msh"), ("-o", "-"), ("--in-place",)):
        assert success(capsys, "edit", "a.msh", "--set", "batches[*].flags=8", "--dry-run", *target)[0] == out
    assert sorted(folder.iterdir()) == before
    assert (folder / "a.msh").read_bytes() == MODEL


def test_the_value_that_is_there_leaves_the_file(folder: Path, capsys: Capture) -> None:
    stamp = (folder / "a.msh").stat()
    found = json_of(capsys, "edit", "a.msh", "--set", "batches[*].flags=0", "--in-place")
    assert (found["identical"], found["changes"], found["ranges"]) == (True, [], [])
    assert (folder / "a.msh").stat().st_mtime_ns == stamp.st_mtime_ns
    assert not (folder / "a.msh.bak").exists()


def test_the_backup_stays_the_original(folder: Path, capsys: Capture) -> None:
    for value in (1, 2):
        success(capsys, "edit", "a.msh", "--set", f"batches[0].flags={value}", "-o", "a.msh")
    assert (folder / "a.msh.bak").read_bytes() == MODEL
    assert Model.read(memoryview((folder / "a.msh").read_bytes())).batches["flags"][0] == 2


def test_entries_of_one_file_are_changed_together(folder: Path, capsys: Capture) -> None:
    found = json_of(capsys, "edit", "a.rlb::a.msh", "a.rlb::#2", "--set", "batches[0].flags=9", "-o", "b.rlb")
    assert len(found["changes"]) == 2
    written = (folder / "b.rlb").read_bytes()
    assert written == spliced(ARCHIVE, found["ranges"])
    archive = nres.Archive.read(memoryview(written))
    assert [Model.read(archive.payload(row)).batches["flags"][0] for row in (0, 2)] == [9, 9]


def test_several_files_go_on_after_one_that_fails(folder: Path, capsys: Capture) -> None:
    (folder / "out").mkdir()
    (folder / "c.msh").write_bytes(MODEL)
    arguments = ("a.msh", "missing.msh", "c.msh", "--set", "batches[0].flags=9", "-o", "out")
    assert main(["edit", *arguments, "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert ["error" in result for result in found["results"]] == [False, True, False]
    for name in ("a.msh", "c.msh"):
        assert Model.read(memoryview((folder / "out" / name).read_bytes())).batches["flags"][0] == 9
    assert len([*(folder / "out").iterdir()]) == 2


def test_new_errors_are_refused_unless_forced(folder: Path, capsys: Capture) -> None:
    arguments = ("a.msh", "--set", "nodes[1].parent=77", "-o", "b.msh")
    assert main(["edit", *arguments, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [row["severity"] for row in found["diagnostics"]] == ["error"]
    assert not (folder / "b.msh").exists()
    json_of(capsys, "edit", *arguments, "--force")
    assert Model.read(memoryview((folder / "b.msh").read_bytes())).nodes["parent"][1] == 77


def test_errors_that_are_there_already_are_nobody_s_fault(folder: Path, capsys: Capture) -> None:
    success(capsys, "edit", "a.msh", "--set", "nodes[1].parent=77", "-o", "b.msh", "--force")
    found = json_of(capsys, "edit", "b.msh", "--set", "batches[0].flags=1", "-o", "c.msh")
    assert found["diagnostics"] == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("batches[0].flags=70000", "a.msh: batches[0].flags: 70000 exceeds 0..65535"),
        ("batches[99].flags=0", "a.msh: batches[99]: "),
        ("wheels[0].flags=0", "a.msh: there is no wheels"),
        ("batches[0].color=0", "a.msh: batches[0].color: "),
        ("batches[0].flags", "--set: "),
        ("batches[0].=1", "--set: "),
        ("batches[x >].flags=1", "a.msh: "),
    ],
)
def test_what_the_format_cannot_hold_is_refused(
    folder: Path, capsys: Capture, change: str, words: str
) -> None:
    assert f"error: {words}" in failure(capsys, "edit", "a.msh", "--set", change, "-o", "b.msh")
    assert not (folder / "b.msh").exists()


@pytest.mark.parametrize("source", ["a.msh", "a.rlb"])
def test_what_inspect_prints_can_be_set(folder: Path, capsys: Capture, source: str) -> None:
    printed = json_of(capsys, "inspect", source)
    places = [
        (place, value)
        for table in ("resources", "entries", "header", "nodes", "slots", "batches")
        for place, value in fields_of(table, printed.get(table))
        if place.rpartition(".")[2] not in COMPUTED and is_set(table, place.rpartition(".")[2])
    ]
    assert places
    for place, value in places:
        found = json_of(capsys, "edit", source, "--set", f"{place}={json.dumps(value)}", "--dry-run")
        assert found["identical"], place


def test_rows_that_are_printed_as_plain_values_have_no_field(folder: Path, capsys: Capture) -> None:
    change = ("--set", "indices[0:2]=3", "--set", "strings[0]=bow", "--set", "resources[0].name=a")
    assert main(["edit", "a.msh", *change, "-o", "b.msh"]) == 0
    model = Model.read(memoryview(Path("b.msh").read_bytes()))
    assert model.indices[:2].tolist() == [3, 3]
    assert model.node_names(from_records=False)[0] == "bow"
    assert model.archive.entry(0).name == b"a"


def test_a_script_of_the_changes_that_are_listed_makes_them(folder: Path, capsys: Capture) -> None:
    changes = ("--key", "1", "0", "quaternion=[0,1,0,0]", "--move", "0", "1,0,2", "--with", "header")
    turned = json_of(capsys, "edit", "a.msh", *changes, "-o", "b.msh")
    assert "quaternion_raw" in {change["field"] for change in turned["changes"]}
    script = [
        {"do": "set", "table": it["table"], "rows": it["row"], "field": it["field"], "value": it["after"]}
        for it in turned["changes"]
    ]
    Path("s.json").write_text(json.dumps(script))
    json_of(capsys, "edit", "a.msh", "--script", "s.json", "--without", "all", "-o", "c.msh")
    assert Path("c.msh").read_bytes() == Path("b.msh").read_bytes()


COMPUTED = {"index", "type_name", "packed_size", "method"}
"""What is printed and not stored."""


def is_set(table: str, name: str) -> bool:
    """Whether a column of a table is stored, or is a name that is stored elsewhere."""
    record = DECLARED[table].record if table in {"nodes", "slots", "batches"} else None
    return record is None or name in {"name", "takes"} | {it.name for it in record.fields}


def fields_of(place: str, printed: Any) -> Iterator[tuple[str, Any]]:
    """Yield the fields of printed records, of lists of the first and the last, as `--set` names them."""
    if isinstance(printed, dict):
        for name, value in printed.items():
            yield from fields_of(f"{place}.{name}", value)
    elif isinstance(printed, list) and printed and isinstance(printed[0], dict):
        for row in {0, len(printed) - 1}:
            yield from fields_of(f"{place}[{row}]", printed[row])
    elif printed is not None or "." in place:
        yield place, printed


@pytest.mark.parametrize("text", ["{", '[{"do": "sett"}]', "[1]", "7", "[" * 100_000])
def test_bad_scripts_are_refused(folder: Path, capsys: Capture, text: str) -> None:
    Path("s.json").write_text(text)
    assert "error: s.json: " in failure(capsys, "edit", "a.msh", "--script", "s.json", "-o", "b.msh")


@pytest.mark.parametrize(
    "arguments",
    [
        ["a.msh", "-o", "b.msh"],
        ["a.msh", "--set", "batches[0].flags=1"],
        ["a.msh", "--set", "batches[0].flags=1", "-o", "b.msh", "--in-place"],
        ["a.msh", "--set", "batches[0].flags=1", "-o", "-", "--json"],
        ["a.msh", "a.rlb::a.msh", "--set", "batches[0].flags=1", "-o", "a.msh"],
        ["a.msh", "--set", "batches[0].flags=1", "--without", "weather", "-o", "b.msh"],
        ["a.msh", "--set", "batches[0].flags=1", "-o", "a.rlb", "--no-clobber"],
    ],
)
def test_options_that_do_not_go_together(folder: Path, capsys: Capture, arguments: list[str]) -> None:
    failure(capsys, "edit", *arguments)
    assert not (folder / "b.msh").exists()


def test_through_a_pipe(
    folder: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(MODEL)))
    assert main(["edit", "-", "--set", "batches[0].flags=1", "-o", "-"]) == 0
    model = Model.read(memoryview(capfdbinary.readouterr().out))
    assert model.batches["flags"].tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("option", "changed"),
    [
        (["--rename-node", "turret", "cannon"], "strings"),
        (["--parent", "1", "none"], "nodes"),
        (["--cell", "turret", "0", "0", "none"], "nodes"),
        (["--move", "turret", "-1,0,2.5"], "positions"),
        (["--transform", "turret", "1,0,0,0,0,1,0,0,0,0,1,-3,0,0,0,1"], "positions"),
        (["--add-node", "arm", "turret"], "nodes"),
        (["--remove", "turret"], "nodes"),
        (["--do", '{"do": "cell", "node": "turret", "lod": 0, "group": 1, "slot": 0}'], "nodes"),
    ],
)
def test_every_option_is_a_change(folder: Path, capsys: Capture, option: list[str], changed: str) -> None:
    found = json_of(capsys, "edit", "a.msh", *option, "-o", "b.msh", "--without", "all")
    assert changed in {row["table"] for row in found["changes"]}
    assert found["made"] == []


def test_rows_are_added_moved_and_removed(folder: Path, capsys: Capture) -> None:
    success(
        capsys, "edit", "a.rlb::b.wea", "-o", "b.rlb",
        "--add-rows", "materials", "2", "--set", "materials[1].name=B", "--set", "materials[2].name=C",
        "--move-rows", "materials[2]", "0", "--remove-rows", "materials[1]",
    )  # fmt: skip
    archive = nres.Archive.read(memoryview((folder / "b.rlb").read_bytes()))
    assert bytes(archive.payload(1)).split()[::2] == [b"2", b"C", b"B"]


def test_a_picture_replaces_that_of_a_texture(folder: Path, capsys: Capture) -> None:
    textures = GAME / "Textures.lib"
    success(capsys, "texture", f"{textures}::#1", "-o", "one.png")
    before = json_of(capsys, "inspect", f"{textures}::#0")
    success(capsys, "edit", f"{textures}::#0", "--picture", "one.png", "-o", "t.lib")
    after = json_of(capsys, "inspect", "t.lib::#0")
    assert before["pixel_format"] == after["pixel_format"]
    success(capsys, "texture", "t.lib::#0", "-o", "again.png")
    assert main(["diff", f"{textures}::#0", "t.lib::#0"]) == 1


def test_pixels_are_counted_and_not_listed(folder: Path, capsys: Capture) -> None:
    textures = GAME / "Textures.lib"
    PIL.Image.new("RGB", (128, 256), (3, 200, 7)).save("same.png")
    out, _ = success(capsys, "edit", f"{textures}::SIGN.0", "--picture", "same.png", "--dry-run")
    first, *others = out.splitlines()
    assert re.fullmatch(r"\d+ pixels of levels\[0\] changed, .*levels\[5\] changed", first)
    assert not any("levels[" in line or "more" in line for line in others)
    found = json.loads(
        success(capsys, "edit", f"{textures}::SIGN.0", "--picture", "same.png", "--dry-run", "--json")[0]
    )
    assert len(found["changes"]) == found["count"] > 30_000


@pytest.mark.parametrize(
    "text", ['[{"do": "add-slot", "do": "add-node"}]', '[{"do": "set", "x": {"a": 1, "a": 2}}]']
)
def test_a_key_that_a_script_has_twice_is_refused(folder: Path, capsys: Capture, text: str) -> None:
    Path("twice.json").write_text(text)
    for option, value in (("--script", "twice.json"), ("--do", text[1:-1])):
        error = failure(capsys, "edit", "a.msh", option, value, "--dry-run")
        assert "is there twice in one object" in error


def test_consequences_can_be_declined(folder: Path, capsys: Capture) -> None:
    move = ("--move", "turret", "1,0,0", "--dry-run")
    made = json_of(capsys, "edit", "a.msh", *move)
    assert "slot bounds" in made["made"]
    declined = json_of(capsys, "edit", "a.msh", *move, "--without", "slot-bounds")
    assert "slot bounds" in declined["offered"]
    assert len(declined["ranges"]) < len(made["ranges"])


def test_entries_of_an_archive(folder: Path, capsys: Capture) -> None:
    success(
        capsys, "edit", "a.rlb", "-o", "b.rlb",
        "--rename-entry", "a.msh", "d.msh", "--add-entry", "new.msh", "a.msh", "--remove-entry", "c.msh",
        "--replace-entry", "b.wea", "a.rlb::b.wea",
    )  # fmt: skip
    archive = nres.Archive.read(memoryview((folder / "b.rlb").read_bytes()))
    assert [entry.text for entry in archive.entries] == ["d.msh", "b.wea", "new.msh"]
    assert bytes(archive.payload(2)) == MODEL


def test_an_added_entry_has_the_type_of_its_likes(folder: Path, capsys: Capture) -> None:
    materials = GAME / "Material.lib"
    success(capsys, "copy", f"{materials}::#0", "-o", "one.bin")
    success(capsys, "edit", materials, "-o", "m.lib", "--add-entry", "DOME", "one.bin")
    success(capsys, "validate", "m.lib")
    added = nres.Archive.read((folder / "m.lib").read_bytes()).entries[-1]
    assert (added.text, added.type_id, added.attr2) == ("DOME", int.from_bytes(b"MAT0", "little"), 6)
    success(
        capsys, "edit", "m.lib", "-o", "n.lib", "--do", '{"do":"describe-entry","entry":"DOME","type_id":0}'
    )
    assert "TYPE01" in success(capsys, "validate", "n.lib")[0]


@pytest.mark.parametrize(
    "option",
    [
        ["--move", "turret", "1,0"],
        ["--move", "turret", "x"],
        ["--key", "turret", "0", "position"],
        ["--key", "turret", "0", "color=1"],
        ["--cell", "turret", "0", "x", "0"],
        ["--recompute", "everything"],
        ["--do", "[]"],
    ],
)
def test_bad_values_are_refused_by_their_option(folder: Path, capsys: Capture, option: list[str]) -> None:
    assert f"error: {option[0]}: " in failure(capsys, "edit", "a.msh", *option, "-o", "b.msh")


def test_every_changed_value_is_printed(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edit_report, "MOST_VALUES", 2)
    count = len(Model.read(MODEL).positions)
    found = json_of(capsys, "edit", folder / "a.msh", "--set", "vertices[*].uv_raw=[1,2]", "--dry-run")
    assert found["count"] == len(found["changes"]) == count > 2
