"""``extract``: payloads as files that are safe wherever they land, whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.broken.archives import past_directory
from tests.builders import archive_of
from tests.cli.console import Capture, failure, success
from tests.messages import states
from tests.share import some
from tests.systems import needs_links
from viewer.cli.main import main
from viewer.errors import FormatError
from viewer.formats.archive import nres, rsli
from viewer.model.store.item import container_of
from viewer.model.store.whole_folder import write_folder
from viewer.model.write import unpacked_folder
from viewer.model.write.unpacked_folder import INDEX, Unpacking

EXTRACTED = {"one.msh": b"1", "two.wea": b"22", "Два.bin": b"333"}


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "small.rlb"
    path.write_bytes(archive_of(EXTRACTED))
    return path


def extracted(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != INDEX}


def test_all_entries(archive: Path, tmp_path: Path, capsys: Capture) -> None:
    out, err = success(capsys, "extract", archive, "-o", tmp_path / "out")
    assert (out, err) == (f"wrote 3 of 3 entries to {tmp_path / 'out'}\n", "")
    assert extracted(tmp_path / "out") == EXTRACTED
    rows = json.loads((tmp_path / "out" / INDEX).read_text("utf-8"))["entries"]
    assert [(row["name"], row["file"], row["size"]) for row in rows] == [
        (name, name, len(data)) for name, data in EXTRACTED.items()
    ]


def test_chosen_entries_by_name_and_index(archive: Path, tmp_path: Path, capsys: Capture) -> None:
    success(capsys, "extract", archive, "ONE.MSH", "#2", "-o", tmp_path / "out")
    assert extracted(tmp_path / "out") == {"one.msh": b"1", "Два.bin": b"333"}


def test_an_archive_inside_an_archive(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "outer.rlb"
    path.write_bytes(archive_of({"inner.rlb": archive_of(EXTRACTED)}))
    success(capsys, "extract", f"{path}::inner.rlb", "-o", tmp_path / "out")
    assert extracted(tmp_path / "out") == EXTRACTED


@pytest.mark.parametrize("entry", ["three", "#3", "#-1", "", "Ж☃"])
def test_an_entry_that_is_not_there(archive: Path, tmp_path: Path, capsys: Capture, entry: str) -> None:
    assert repr(entry) in failure(capsys, "extract", archive, entry, "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_empty_folder_is_filled_and_no_other(archive: Path, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "out"
    out.mkdir()
    success(capsys, "extract", archive, "-o", out)
    before = extracted(out)
    line = failure(capsys, "extract", archive, "-o", out)
    assert line.startswith(f"mshview: error: {out}: ")
    assert states(line, "not empty")
    assert extracted(out) == before


@pytest.mark.parametrize("name", ["../up.msh", "..", "/etc/x", "a/../../x", "C:\\x", "\\x", "\\\\host\\x"])
def test_only_names_that_leave_the_folder_are_refused(tmp_path: Path, capsys: Capture, name: str) -> None:
    path = tmp_path / "evil.rlb"
    path.write_bytes(archive_of({"good": b"1", name: b"evil", "a:b?": b"2"}))
    out, err = success(capsys, "extract", path, "-o", tmp_path / "out", status=1)
    assert states(out, "wrote 2 of 3 entries")
    assert err.startswith(f"mshview: warning: {path}: directory[1].name: ")
    assert err.count("\n") == 1
    assert sorted(extracted(tmp_path / "out").values()) == [b"1", b"2"]
    success(capsys, "pack", tmp_path / "out", "-o", tmp_path / "again.rlb")
    assert (tmp_path / "again.rlb").read_bytes() == path.read_bytes()


def test_no_folder_is_filled_that_exists_if_asked_so(archive: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "out").mkdir()
    failure(capsys, "extract", archive, "-o", tmp_path / "out", "--no-clobber")
    failure(capsys, "extract", archive, "-o", "-")
    success(capsys, "extract", archive, "-o", tmp_path / "new", "--no-clobber")


def test_of_chosen_entries_the_index_is_small(archive: Path, tmp_path: Path, capsys: Capture) -> None:
    archive.write_bytes(archive_of({**EXTRACTED, "large": bytes(2 << 20)}))
    success(capsys, "extract", archive, "one.msh", "-o", tmp_path / "out")
    assert (tmp_path / "out" / INDEX).stat().st_size < 1000


def test_names_are_safe_on_every_system(tmp_path: Path, capsys: Capture) -> None:
    names = [
        b"CON",
        b"nul.msh",
        b"ab:c",
        b"x?",
        b"tail.",
        b"tail ",
        b"\x98\x01",
        b"same",
        b"SAME",
        b"index.json",
    ]
    path = tmp_path / "odd.rlb"
    path.write_bytes(nres.build(nres.NewEntry(0, b"%d" % row, name) for row, name in enumerate(names)))
    success(capsys, "extract", path, "-o", tmp_path / "out")
    written = extracted(tmp_path / "out")
    assert sorted(written.values()) == [b"%d" % row for row in range(len(names))]
    assert len({name.casefold() for name in written}) == len(names)
    for name in written:
        assert name.isprintable()
        assert not set(name) & set('<>:"/\\|?*')
        assert name.rstrip(". ") == name
        assert name.partition(".")[0].casefold() not in {"con", "nul"}


def test_damaged_entries_stay_in_the_index(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "cut.rlb"
    path.write_bytes(past_directory(archive_of({f"{row}.bin": b"%d" % row for row in range(6)})))
    out, err = success(capsys, "extract", path, "-o", tmp_path / "out")
    assert states(out, "5 6 entries")
    assert f"mshview: warning: {path}: directory[5].size: " in err
    assert "directory[5].size" in failure(capsys, "extract", path, "#5", "-o", tmp_path / "no")
    failure(capsys, "extract", path, "--strict", "-o", tmp_path / "no")
    assert not (tmp_path / "no").exists()


def test_what_is_no_archive(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"text")
    assert states(failure(capsys, "extract", path, "-o", tmp_path / "out"), f"{path} archive")


def test_entries_that_share_their_bytes_do_not_fill_the_disk(
    archive: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacked_folder, "LEAST_ROOM", 0)
    data = bytearray(archive_of({f"{row}": b"" for row in range(9)}) + bytes(600))
    monkeypatch.setattr(unpacked_folder, "GROWTH", 1)
    rows = nres.ENTRY.view(data, offset=16, count=9)
    rows["size"], rows["data_offset"] = 600, 16
    data[12:16] = len(data).to_bytes(4, "little")
    shared = bytes(data[:16]) + bytes(600) + bytes(data[16:-600])
    archive.write_bytes(shared)
    assert "too large" in failure(capsys, "extract", archive, "-o", tmp_path / "out")


FILES = {"one.msh": b"1", "two.wea": b"22", "three.bin": b"333"}


@pytest.fixture
def folder(tmp_path: Path, capsys: Capture) -> Path:
    (tmp_path / "small.rlb").write_bytes(archive_of(FILES))
    success(capsys, "extract", tmp_path / "small.rlb", "-o", tmp_path / "folder")
    return tmp_path / "folder"


def test_every_archive_of_the_corpora_comes_back(files: Path, tmp_path: Path, capsys: Capture) -> None:
    for corpus in ["seed", "field", "damaged"]:
        compared = 0
        for path in some(sorted((files / corpus).rglob("*.*")), files):
            if not is_archive(path.read_bytes()):
                continue
            folder = tmp_path / f"{corpus}{compared}"
            success(capsys, "extract", path, "-o", folder)
            success(capsys, "pack", folder, "-o", tmp_path / "out")
            assert (tmp_path / "out").read_bytes() == path.read_bytes(), path.name
            compared += 1
        assert compared > 6


def is_archive(data: bytes) -> bool:
    try:
        return container_of(memoryview(data)) is not None
    except FormatError:
        return False


def test_a_changed_file_changes_its_payload_alone(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    (folder / "two.wea").write_bytes(b"something longer than it was before")
    success(capsys, "pack", folder, "-o", tmp_path / "out.rlb")
    changed = FILES | {"two.wea": b"something longer than it was before"}
    assert (tmp_path / "out.rlb").read_bytes() == archive_of(changed)


def test_a_changed_member_of_a_packed_library(files: Path, tmp_path: Path, capsys: Capture) -> None:
    success(capsys, "extract", files / "seed/game/sprites.lib", "-o", tmp_path / "folder")
    for name in ("RAWTEXT.TXT", "XLZTEXT.TXT", "DEFTEXT.TXT"):
        (tmp_path / "folder" / name).write_bytes(b"quite another text " * 9)
    success(capsys, "pack", tmp_path / "folder", "-o", tmp_path / "out.lib")
    library = rsli.PackedLibrary.read((tmp_path / "out.lib").read_bytes())
    for entry in library.entries:
        unpacked = library.unpack(entry.index)
        assert unpacked.diagnostics == ()
        assert unpacked.data == (tmp_path / "folder" / entry.text).read_bytes()


def test_a_folder_of_chosen_entries_needs_their_archive(tmp_path: Path, capsys: Capture) -> None:
    base, part, out = tmp_path / "small.rlb", tmp_path / "part", tmp_path / "out.rlb"
    base.write_bytes(archive_of(FILES))
    success(capsys, "extract", base, "three.bin", "-o", part)
    (part / "three.bin").write_bytes(b"4444")
    assert states(failure(capsys, "pack", part, "-o", out), "chosen entries --base ARCHIVE")
    assert not out.exists()
    success(capsys, "pack", part, "--base", base, "-o", out)
    assert out.read_bytes() == archive_of(FILES | {"three.bin": b"4444"})


def test_files_that_the_index_does_not_name_are_ignored_aloud(
    folder: Path, tmp_path: Path, capsys: Capture
) -> None:
    (folder / "new.msh").write_bytes(b"new")
    (folder / "below").mkdir()
    _, err = success(capsys, "pack", folder, "-o", tmp_path / "out.rlb")
    assert [line.split(": ")[2] for line in err.splitlines()] == [str(folder)] * 2
    assert states(err, "'below' ignored 'new.msh' ignored")
    assert (tmp_path / "out.rlb").read_bytes() == archive_of(FILES)


def test_nothing_is_replaced_if_asked_so(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "out.rlb"
    out.write_bytes(b"mine")
    assert f"{out}: " in failure(capsys, "pack", folder, "-o", out, "--no-clobber")
    assert out.read_bytes() == b"mine"
    out.unlink()
    success(capsys, "pack", folder, "-o", out, "--no-clobber")
    assert out.read_bytes() == archive_of(FILES)


def test_an_archive_on_standard_output(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    files = Unpacking(nres.Archive.read(archive_of(FILES)))
    write_folder(tmp_path / "folder", files)
    assert main(["pack", str(tmp_path / "folder"), "-o", "-"]) == 0
    assert capfdbinary.readouterr() == (archive_of(FILES), b"")


def test_a_file_that_is_missing(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    (folder / "two.wea").unlink()
    assert "two.wea: " in failure(capsys, "pack", folder, "-o", tmp_path / "out.rlb")


@needs_links
def test_a_file_that_is_elsewhere(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "out.rlb"
    (folder / "two.wea").unlink()
    (folder / "two.wea").symlink_to(tmp_path / "small.rlb")
    assert states(failure(capsys, "pack", folder, "-o", out), "two.wea out of folder")
    assert not out.exists()


@pytest.mark.parametrize("name", ["../small.rlb", "/etc/passwd", "..", "", 5, "a\\b", "C:x", []])
def test_an_index_cannot_lead_anywhere(folder: Path, tmp_path: Path, capsys: Capture, name: object) -> None:
    index = json.loads((folder / INDEX).read_text("utf-8"))
    index["entries"][1]["file"] = name
    (folder / INDEX).write_text(json.dumps(index), "utf-8")
    line = failure(capsys, "pack", folder, "-o", tmp_path / "out.rlb")
    assert line.startswith(f"mshview: error: {folder / INDEX}: entries[1].file: ")
    assert not (tmp_path / "out.rlb").exists()


def test_a_folder_without_an_index(tmp_path: Path, capsys: Capture) -> None:
    assert f"{tmp_path / INDEX}: " in failure(capsys, "pack", tmp_path, "-o", tmp_path / "x")
    assert f"{tmp_path / 'none'}" in failure(capsys, "pack", tmp_path / "none", "-o", tmp_path / "x")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b'{"version": 1,\n}', "line 2, column 1"),
        (b"[" * 100_000, "is nested too deeply"),
        (b'{"version": ' + b"9" * 5000 + b"}", "a number is too long"),
        (b'{"\xff": 1}', "not UTF-8"),
    ],
)
def test_an_index_that_is_no_json_is_refused_in_plain_words(
    folder: Path, tmp_path: Path, capsys: Capture, text: bytes, reason: str
) -> None:
    (folder / INDEX).write_bytes(text)
    line = failure(capsys, "pack", folder, "-o", tmp_path / "out.rlb")
    assert line.startswith(f"mshview: error: {folder / INDEX}: is n")
    assert reason in line


def test_a_broken_index_is_one_line(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    for text in (
        "",
        "{}",
        "[1]",
        "{" * 9999,
        '{"version": 1, "kind": "nres", "size": 5, "rest": [], "entries": []}',
    ):
        (folder / INDEX).write_text(text, "utf-8")
        failure(capsys, "pack", folder, "-o", tmp_path / "out.rlb")
    assert not (tmp_path / "out.rlb").exists()


def test_the_archive_may_lie_in_the_folder(folder: Path, capsys: Capture) -> None:
    success(capsys, "pack", folder, "-o", folder / "again.rlb")
    entries = nres.Archive.read((folder / "again.rlb").read_bytes()).entries
    assert [entry.text for entry in entries] == [*FILES]
