"""``diff``: what it prints and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders import Key, ModelBuilder, Node, archive_of, box
from tests.cli.console import MODELS, Capture, failure, json_of, success, terminal_output
from tests.messages import states
from viewer.cli.comparing.diff import SHOWN_CHANGES, SHOWN_ROWS
from viewer.cli.main import main

SCENE = [Node("hull", shapes={(0, 0): [box()]}), Node("gun", 0, shapes={(0, 0): [box()]})]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Two archives of one model; all vertices and one parent differ."""
    builder = ModelBuilder.of(SCENE)
    before = builder.build()
    builder.positions += 1
    builder.nodes["parent"][1] = 0xFFFF
    paths = tmp_path / "a.rlb", tmp_path / "b.rlb"
    for path, data in zip(paths, (before, builder.build()), strict=True):
        path.write_bytes(archive_of({"hull.msh": data}))
    return paths


def test_same(files: tuple[Path, Path], capsys: Capture) -> None:
    assert success(capsys, "diff", files[0], files[0]) == ("", "")
    out, _ = success(capsys, "diff", files[0], files[0], "--json")
    found = json.loads(out)
    assert found.pop("schema") == "mshview-diff-1"
    assert found == {"a": str(files[0]), "b": str(files[0]), "same": True, "summary": [], "changes": []}


def test_different(files: tuple[Path, Path], capsys: Capture) -> None:
    out, err = success(capsys, "diff", *files, status=1)
    assert err == ""
    lines = out.splitlines()
    assert lines[:3] == [
        "hull.msh: nodes.parent: 1 changed",
        "  row_a  row_b  name  a  b",
        "      1      1  gun   0  -",
    ]
    start = lines.index("hull.msh: positions.position: 48 changed")
    assert lines[start + 2 + 47].split()[:2] == ["47", "47"]
    with terminal_output():
        lines = success(capsys, "diff", *files, status=1)[0].splitlines()
    assert lines[start + 2 + SHOWN_ROWS] == f"  ... {48 - SHOWN_ROWS} more"


def test_a_tree_has_one_row_for_one_inserted_key(tmp_path: Path, capsys: Capture) -> None:
    paths = tmp_path / "a.msh", tmp_path / "b.msh"
    paths[0].write_bytes(ModelBuilder.of([Node("hull", keys=[Key(), Key(time=9)]), Node("gun", 0)]).build())
    success(capsys, "edit", paths[0], "--add-key", "hull", "4", "-o", paths[1])
    out, _ = success(capsys, "diff", *paths, "--tree", status=1)
    lines = out.splitlines()
    assert lines[0].startswith("one key inserted")
    keys = lines.index("  keys: 1 added")
    assert lines[keys + 1] == "    [1]: added"
    assert not lines[keys + 2].startswith("    [")


def test_a_tree_writes_flags_in_hexadecimal(tmp_path: Path, capsys: Capture) -> None:
    paths = tmp_path / "a.msh", tmp_path / "b.msh"
    paths[0].write_bytes(ModelBuilder.of([Node("hull")]).build())
    success(capsys, "edit", paths[0], "--set", "nodes[0].flags=0x40", "-o", paths[1])
    out, _ = success(capsys, "diff", *paths, "--tree", status=1)
    assert "0x0000 -> 0x0040\n" in out


def test_json_has_every_row(files: tuple[Path, Path], capsys: Capture) -> None:
    out, _ = success(capsys, "diff", *files, "--json", status=1)
    document = json.loads(out)
    assert not document["same"]
    parent, position = document["changes"]
    assert parent == {
        "path": ["hull.msh"], "table": "nodes", "field": "parent", "what": "changed", "count": 1,
        "rows": [{"row_a": 1, "row_b": 1, "name": "gun", "a": 0, "b": None}],
    }  # fmt: skip
    assert (position["table"], position["field"], position["count"]) == ("positions", "position", 48)
    assert [row["row_a"] for row in position["rows"]] == list(range(48))
    for row in position["rows"]:
        assert [after - before for before, after in zip(row["a"], row["b"], strict=True)] == [1.0] * 3


def test_stat_counts_the_rows_of_each_table(files: tuple[Path, Path], capsys: Capture) -> None:
    assert success(capsys, "diff", files[0], files[0], "--stat") == ("", "")
    out, _ = success(capsys, "diff", *files, "--stat", status=1)
    assert [line.split() for line in out.splitlines()] == [
        ["path", "table", "fields", "changed", "removed", "added", "renumbered"],
        ["hull.msh", "nodes", "1", "1", "0", "0", "0"],
        ["hull.msh", "positions", "1", "48", "0", "0", "0"],
        ["tables", "2;", "rows", "49", "changed,", "0", "removed,", "0", "added,", "0", "renumbered"],
    ]
    document = json_of(capsys, "diff", *files, "--stat", status=1)
    assert document["tables"][0] == {
        "path": ["hull.msh"], "table": "nodes", "fields": 1, "changed": 1, "removed": 0, "added": 0,
        "renumbered": 0,
    }  # fmt: skip


def test_stat_counts_a_row_with_two_fields_once(files: tuple[Path, Path], capsys: Capture) -> None:
    builder = ModelBuilder.of(SCENE)
    builder.nodes["parent"][1] = 0xFFFF
    builder.nodes["flags"] += 1
    other = files[0].with_name("c.rlb")
    other.write_bytes(archive_of({"hull.msh": builder.build()}))
    document = json_of(capsys, "diff", files[0], other, "--stat", status=1)
    assert [(row["fields"], row["changed"]) for row in document["tables"]] == [(2, 2)]


def test_entries_by_address(files: tuple[Path, Path], capsys: Capture) -> None:
    out, _ = success(capsys, "diff", f"{files[0]}::hull.msh::#0", f"{files[1]}::#0::#0", "--json", status=1)
    (change,) = json.loads(out)["changes"]
    assert (change["path"], change["table"], change["field"]) == ([], "nodes", "parent")


def test_text_ends_somewhere_on_a_terminal_alone(tmp_path: Path, capsys: Capture) -> None:
    for name, data in (("a.rlb", b"1"), ("b.rlb", b"2")):
        (tmp_path / name).write_bytes(archive_of({f"{row}.bin": data for row in range(SHOWN_CHANGES + 5)}))
    with terminal_output():
        out, _ = success(capsys, "diff", tmp_path / "a.rlb", tmp_path / "b.rlb", status=1)
    assert states(out.splitlines()[-1], "5 more -v")
    out, _ = success(capsys, "diff", tmp_path / "a.rlb", tmp_path / "b.rlb", status=1)
    assert out.count("1 changed") == SHOWN_CHANGES + 5
    out, _ = success(capsys, "diff", tmp_path / "a.rlb", tmp_path / "b.rlb", "--json", status=1)
    assert len(json.loads(out)["changes"]) == SHOWN_CHANGES + 5


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["a.rlb", "broken.rlb"], "broken.rlb: container."),
        (["broken.rlb", "a.rlb"], "broken.rlb: container."),
        (["a.rlb", "none"], "none: "),
        (["a.rlb", "longer.rlb", "--strict"], "longer.rlb: container"),
        (["a.rlb"], "diff: "),
    ],
)
def test_what_is_refused(
    arguments: list[str],
    answer: str,
    files: tuple[Path, Path],
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(files[0].parent)
    Path("broken.rlb").write_bytes(files[0].read_bytes()[:50])
    Path("longer.rlb").write_bytes(files[1].read_bytes() + b"behind the end")
    assert failure(capsys, "diff", *arguments).startswith(f"mshview: error: {answer}")


def test_what_is_behind_the_end_is_no_difference(files: tuple[Path, Path], capsys: Capture) -> None:
    files[1].write_bytes(files[1].read_bytes() + b"behind the end")
    assert success(capsys, "diff", *files, status=1)[0].startswith("hull.msh: nodes.parent: 1 changed")


def test_the_corpora_differ(samples: Path, capsys: Capture) -> None:
    for name in ("static.rlb", "weapons.rlb", "Textures.lib", "Material.lib", "sprites.lib", "effects.rlb"):
        paths = [samples / corpus / "game" / name for corpus in ("seed", "field")]
        success(capsys, "diff", *paths, status=1)
        out, _ = success(capsys, "diff", *paths, "--json", status=1)
        assert json.loads(out)["changes"]


def test_flags_are_hexadecimal_in_a_plain_diff_and_in_a_patch(capsys: Capture, tmp_path: Path) -> None:
    other, patch = tmp_path / "models.rlb", tmp_path / "p.json"
    other.write_bytes(MODELS.read_bytes())
    assert main(["edit", f"{other}::walker.msh", "--set", "batches[0].flags=0x104", "--in-place", "-q"]) == 0
    capsys.readouterr()
    assert main(["diff", str(MODELS), str(other)]) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[-1].split() == ["0", "0", "0x0000", "0x0104"]
    assert main(["diff", str(MODELS), str(other), "--json"]) == 1
    assert '"a": 0, "b": 260' in capsys.readouterr().out, "numbers stay numbers for programs"
    assert main(["patch", "make", str(MODELS), str(other), "-o", str(patch), "-q"]) == 0
    assert main(["patch", "show", str(patch)]) == 0
    assert "batches[0].flags: 0x0000 -> 0x0104" in capsys.readouterr().out
