"""``diff`` of two folders: its forms, its page, and how it ends."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.builders import archive_of
from tests.cli.console import GAME, Capture, failure, json_of, success
from tests.cli.usage.test_schemas import validator
from tests.messages import states
from viewer.cli.bench.install import InstallSize, change_install, make_install
from viewer.cli.main import main


@pytest.fixture(scope="module")
def installs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """An install, and a copy in which ten things are changed."""
    root = tmp_path_factory.mktemp("installs")
    before, after = (make_install(root / name, InstallSize(2, 30)) for name in ("before", "after"))
    change_install(after)
    return before, after


def test_json(installs: tuple[Path, Path], capsys: Capture) -> None:
    found = json_of(capsys, "diff", *installs, status=1)
    assert validator("diff").is_valid(found)
    assert [*found] == ["schema", "entries", "same", "errors"]
    assert found["schema"] == "mshview-diff-folders-1"
    assert found["errors"] == []
    assert len(found["entries"]) == 10
    assert {
        "state": "changed",
        "a": "models.rlb::walker.msh",
        "b": "models.rlb::walker.msh",
        "kind": "msh",
        "fields": 1,
    } in found["entries"]
    addresses = [it["a"] or it["b"] for it in found["entries"]]
    assert addresses == sorted(addresses)
    same = json_of(capsys, "diff", installs[0], installs[0])
    assert validator("diff").is_valid(same)
    assert same["entries"] == []
    assert same["same"] == found["same"] + 9
    for count in (1, 3):
        assert json_of(capsys, "diff", *installs, "--jobs", count, status=1) == found


def test_text_and_tables(installs: tuple[Path, Path], capsys: Capture) -> None:
    lines = success(capsys, "diff", *installs, status=1)[0].splitlines()
    assert lines[0].split() == ["state", "kind", "fields", "entry"]
    assert "changed  msh         1  models.rlb::walker.msh" in lines
    assert states(lines[-1], "1 added 1 removed 2 renamed 1 moved 5 changed")
    rows = success(capsys, "diff", *installs, "--format", "csv", status=1)[0].splitlines()
    assert rows[0] == "state,a,b,kind,fields"
    assert "added,,made_001.rlb::ADDED,0," in rows
    assert len(success(capsys, "diff", installs[0], installs[0])[0].splitlines()) == 1


def test_a_damaged_archive_is_an_error_and_not_the_end(
    installs: tuple[Path, Path], tmp_path: Path, capsys: Capture
) -> None:
    other = tmp_path / "other"
    shutil.copytree(installs[1], other)
    (other / "guns.rlb").write_bytes((GAME / "guns.rlb").read_bytes()[:-1000])
    assert main(["diff", str(installs[0]), str(other), "--json"]) == 1
    out, err = capsys.readouterr()
    assert f"mshview: error: {other / 'guns.rlb'}: " in err
    found = json.loads(out)
    assert len(found["entries"]) == 10
    assert [it["path"] for it in found["errors"]] == [str(other / "guns.rlb")]


def test_sides_that_cannot_be_read(installs: tuple[Path, Path], tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "lost").mkdir()
    (tmp_path / "lost" / "a.rlb").write_bytes(b"no archive")
    for wrong in (tmp_path / "nowhere", tmp_path / "lost", installs[0] / "guns.rlb"):
        assert states(failure(capsys, "diff", installs[0], wrong), str(wrong))
        assert states(failure(capsys, "diff", wrong, installs[0], "--json"), str(wrong))
    assert states(failure(capsys, "diff", *installs, "--stat"), "--stat")
    files = installs[0] / "guns.rlb", installs[1] / "guns.rlb"
    assert states(failure(capsys, "diff", *files, "-o", tmp_path / "page"), "-o")
    assert not (tmp_path / "page").exists()


def test_the_page_has_pictures_side_by_side_and_fields(
    installs: tuple[Path, Path], tmp_path: Path, capsys: Capture
) -> None:
    page = tmp_path / "page"
    out, _ = success(capsys, "diff", *installs, "-o", page, "--jobs", "1", status=1)
    assert states(out, str(page))
    html = (page / "index.html").read_text("utf-8")
    pictures = re.findall(r'src="(pictures/\d+[ab]\.png)"', html)
    # Of a model, two materials, a texture and a unit both sides; of what is removed and a material one.
    assert len(pictures) == 2 * 5 + 1
    assert sorted(pictures) == sorted(it.relative_to(page).as_posix() for it in page.rglob("*.png"))
    assert "batches[0].flags</td><td>0x0000</td><td>0x0001" in html
    assert "directory.attr1</td><td>2</td><td>3" in html
    assert "made_000.rlb::0_FAILING_LAMP -&gt; made_001.rlb::MOVED" in html
    found = json.loads((page / "differences.json").read_text("utf-8"))
    assert found == json_of(capsys, "diff", *installs, status=1)
    success(capsys, "diff", *installs, "-o", page, "--jobs", "1", status=1)
    assert states(failure(capsys, "diff", *installs, "-o", page, "--no-clobber"), str(page))
    (page / "mine.txt").write_text("mine")
    assert states(failure(capsys, "diff", *installs, "-o", page), "mine.txt")
    assert (page / "mine.txt").read_text() == "mine"


def test_names_are_no_markup_of_the_page(tmp_path: Path, capsys: Capture) -> None:
    for name, data in (("a", b"1"), ("b", b"2")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.rlb").write_bytes(archive_of({"<script>&'\"": data}))
    success(capsys, "diff", tmp_path / "a", tmp_path / "b", "-o", tmp_path / "page", status=1)
    html = (tmp_path / "page" / "index.html").read_text("utf-8")
    assert "<script" not in html
    assert "x.rlb::&lt;script&gt;&amp;" in html
