"""``ls --columns``: the rows, their forms, and how it ends."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.console import GAME, MODELS, Capture, failure, json_of, success
from tests.cli.usage.test_schemas import validator
from tests.messages import states
from viewer.cli.bench.install import InstallSize, make_install
from viewer.operations.overview.columns import COLUMNS

ALL = ",".join(COLUMNS)


def test_json_of_an_archive_adds_columns_and_a_total(capsys: Capture) -> None:
    plain = json_of(capsys, "ls", MODELS)
    found = json_of(capsys, "ls", MODELS, "--columns", ALL)
    assert validator("ls").is_valid(found)
    entries = found.pop("entries")
    assert [it["columns"].keys() for it in entries] == [COLUMNS.keys()] * len(entries)
    total = found.pop("total")
    assert total == {
        name: sum(it["columns"][name] or 0 for it in entries)
        for name, it in COLUMNS.items()
        if not it.is_text
    }
    listed = plain.pop("entries")
    assert found == plain
    for it in entries:
        del it["columns"]
    assert entries == [{name: it[name] for name in it if name != "called"} for it in listed]


def test_json_of_a_folder_has_addresses(capsys: Capture) -> None:
    found = json_of(capsys, "ls", GAME, "--columns", "kind,size", "--where", "size>300000")
    assert validator("ls").is_valid(found)
    assert (found["source"], found["kind"]) == (str(GAME), "folder")
    assert {it["address"] for it in found["entries"]} == {
        f"{MODELS}::walker.msh", f"{MODELS}::b_tower.msh", f"{GAME / 'seed.rlb'}::drone_seed.msh"
    }  # fmt: skip
    for it in found["entries"]:
        one = json_of(capsys, "inspect", it["address"])
        assert one["format"] == it["columns"]["kind"]


def test_groups_have_sums(capsys: Capture) -> None:
    found = json_of(capsys, "ls", MODELS, "--columns", "size", "--group-by", "kind")
    assert validator("ls").is_valid(found)
    assert sum(it["count"] for it in found["groups"]) == len(found["entries"])
    assert sum(it["total"]["size"] for it in found["groups"]) == found["total"]["size"]
    values = [it["value"] for it in found["groups"]]
    assert values == sorted(values)


def test_text_ends_with_the_sums(capsys: Capture) -> None:
    lines = success(
        capsys, "ls", f"{MODELS}::*.msh", "--columns", "triangles", "--sort", "triangles", "--reverse"
    )[0].splitlines()
    assert lines[0].split() == ["name", "triangles"]
    assert [it.split()[0] for it in lines[1:3]] == ["walker.msh", "b_tower.msh"]
    numbers = [int(it.split()[-1]) for it in lines[1:]]
    assert numbers[-1] == sum(numbers[:-1])
    out, _ = success(capsys, "ls", MODELS, "--columns", "kind,size", "--group-by", "kind")
    assert out.splitlines()[0] == "kind: control"
    out, _ = success(capsys, "ls", MODELS, "--columns", "nodes,display_name", "--format", "tsv")
    rows = [line.split("\t") for line in out.splitlines()]
    assert rows[0] == ["name", "nodes", "display_name"]
    assert rows[1] == ["walker.msh", "39", "Heron scout walker"]
    assert rows[2] == ["walker.wea", "", ""]


def test_a_damaged_archive_is_a_row_and_no_failure(capsys: Capture, tmp_path: Path) -> None:
    shutil.copy(GAME / "guns.rlb", tmp_path / "a.rlb")
    (tmp_path / "b.rlb").write_bytes(b"NRes\0\1\0\0")
    found = json_of(capsys, "ls", tmp_path, "--columns", "kind,size")
    assert validator("ls").is_valid(found)
    last = found["entries"][-1]
    assert last["address"] == str(tmp_path / "b.rlb")
    assert last["columns"] == {"kind": "nres", "size": 8}
    assert last["error"]
    assert all("error" not in it for it in found["entries"][:-1])
    assert success(capsys, "ls", tmp_path, "--columns", "size")[0].splitlines()[0].endswith("error")
    (tmp_path / "a.rlb").unlink()
    assert states(failure(capsys, "ls", tmp_path, "--columns", "size"), str(tmp_path))
    assert states(failure(capsys, "ls", tmp_path / "b.rlb", "--columns", "size"), "b.rlb")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--columns", "triangle"], "triangles"),
        (["--columns", ""], "kind"),
        (["--columns", "size", "--where", "triangle>5"], "triangles"),
        (["--columns", "size", "--where", "size>"], "missing"),
        (["--columns", "size", "--sort", "nothing"], "nothing"),
        (["--columns", "size", "--group-by", "nothing"], "nothing"),
        (["--columns", "size", "--lod", "3"], "--lod"),
        (["--columns", "size", "--game", "nowhere"], "nowhere"),
        (["--sort", "size"], "--sort --columns"),
        (["--where", "size>4"], "--where --columns"),
    ],
)
def test_wrong_options(capsys: Capture, arguments: list[str], words: str) -> None:
    assert states(failure(capsys, "ls", MODELS, *arguments), words)


def test_several_processes_find_the_same(capsys: Capture, tmp_path: Path) -> None:
    install = make_install(tmp_path, InstallSize(2, 40))
    outs = [success(capsys, "ls", install, "--columns", ALL, "--json", "--jobs", jobs)[0] for jobs in (1, 3)]
    assert outs[0] == outs[1]
    found = json.loads(outs[0])
    assert len(found["entries"]) == len(json_of(capsys, "ls", GAME, "--columns", "size")["entries"]) + 80
    used = {it["address"]: it["columns"]["used_by"] for it in found["entries"]}
    assert used[f"{install / 'models.rlb'}::walker.msh"] == 1
    assert used[f"{install / 'made_000.rlb'}::0_SIGN.0"] == 0
