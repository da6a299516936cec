"""``extract``: payloads as files that are safe wherever they land, whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.broken.archives import past_directory
from tests.builders import archive_of
from tests.cli.console import Capture, failure, success
from tests.messages import states
from viewer.formats.archive import nres
from viewer.model.write import unpacked_folder
from viewer.model.write.folder_index import INDEX

FILES = {"one.msh": b"1", "two.wea": b"22", "Два.bin": b"333"}


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "small.rlb"
    path.write_bytes(archive_of(FILES))
    return path


def extracted(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != INDEX}


def test_all_entries(archive: Path, tmp_path: Path, capsys: Capture) -> None:
    out, err = success(capsys, "extract", archive, "-o", tmp_path / "out")
    assert (out, err) == (f"wrote 3 of 3 entries to {tmp_path / 'out'}\n", "")
    assert extracted(tmp_path / "out") == FILES
    rows = json.loads((tmp_path / "out" / INDEX).read_text("utf-8"))["entries"]
    assert [(row["name"], row["file"], row["size"]) for row in rows] == [
        (name, name, len(data)) for name, data in FILES.items()
    ]


def test_chosen_entries_by_name_and_index(archive: Path, tmp_path: Path, capsys: Capture) -> None:
    success(capsys, "extract", archive, "ONE.MSH", "#2", "-o", tmp_path / "out")
    assert extracted(tmp_path / "out") == {"one.msh": b"1", "Два.bin": b"333"}


def test_an_archive_inside_an_archive(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "outer.rlb"
    path.write_bytes(archive_of({"inner.rlb": archive_of(FILES)}))
    success(capsys, "extract", f"{path}::inner.rlb", "-o", tmp_path / "out")
    assert extracted(tmp_path / "out") == FILES


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
    archive.write_bytes(archive_of({**FILES, "large": bytes(2 << 20)}))
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
