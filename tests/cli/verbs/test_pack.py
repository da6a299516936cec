"""``pack``: what ``extract`` wrote becomes the same archive, and what was changed is changed, no more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders import archive_of
from tests.cli.console import Capture, failure, success
from tests.messages import states
from viewer.cli.main import main
from viewer.errors import FormatError
from viewer.formats.archive import nres, rsli
from viewer.model.store.file_store import container_of
from viewer.model.store.whole_folder import write_folder
from viewer.model.write.folder_index import INDEX
from viewer.model.write.unpacked_folder import Unpacking

FILES = {"one.msh": b"1", "two.wea": b"22", "three.bin": b"333"}


@pytest.fixture
def folder(tmp_path: Path, capsys: Capture) -> Path:
    (tmp_path / "small.rlb").write_bytes(archive_of(FILES))
    success(capsys, "extract", tmp_path / "small.rlb", "-o", tmp_path / "folder")
    return tmp_path / "folder"


def test_every_archive_of_the_corpora_comes_back(files: Path, tmp_path: Path, capsys: Capture) -> None:
    for corpus in ["seed", "field", "damaged"]:
        compared = 0
        for path in sorted((files / corpus).rglob("*.*")):
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


def test_files_that_are_missing_or_elsewhere(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "out.rlb"
    (folder / "two.wea").unlink()
    assert "two.wea: " in failure(capsys, "pack", folder, "-o", out)
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
