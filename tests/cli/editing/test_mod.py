"""``mod``: what it prints and writes, and its exit statuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.console import Capture, failure, success
from tests.mod_games import changed, contents, diffuse, entries, file, write_game
from viewer.cli.main import main
from viewer.model.store.disk import JOURNAL
from viewer.operations.mods import transaction

LIBRARY: Final = "Material.lib"
CONFLICT: Final = {
    "address": f"{LIBRARY}::SKIN",
    "field": "phases[0].diffuse",
    "mods": ["one", "two"],
    "values": [[1, 0, 0], [2, 0, 0]],
    "winner": "two",
}


@pytest.fixture(autouse=True)
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Path:
    """A game in the current folder, and three mods of it, of which the first two conflict."""
    monkeypatch.chdir(tmp_path)
    folder = write_game(tmp_path / "game")
    changed(folder, "a", entries(LIBRARY, SKIN=diffuse(1)), file("new/a.txt", b"1"))
    changed(folder, "b", entries(LIBRARY, SKIN=diffuse(2)))
    changed(folder, "c", file("DATA/old.cfg", None))
    success(capsys, "mod", "make", "game", "a", "-o", "one", "--name", "one", "--version", "1.2")
    success(capsys, "mod", "make", "game", "b", "-o", "two.zip", "--name", "two", "--author", "me")
    success(capsys, "mod", "make", "game", "c", "-o", "three", "--name", "three", "--needs", "one, zero")
    return Path("game")


def document(capsys: Capture, *arguments: object, status: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(success(capsys, "mod", *arguments, "--json", status=status)[0])
    return found


def test_mods_are_listed(capsys: Capture) -> None:
    found = document(capsys, "list", "one", "two.zip", "three")
    assert [[*it.values()] for it in found["mods"]] == [
        ["one", "1.2", "", [], 2, "one"],
        ["two", "", "me", [], 1, "two.zip"],
        ["three", "", "", ["one", "zero"], 1, "three"],
    ]
    assert document(capsys, "list", "game") == {"schema": "mshview-mod-1", "mods": []}
    assert success(capsys, "mod", "list", "game")[0] == "no mod is applied\n"
    lines = success(capsys, "mod", "list", "one", "two.zip", "-v")[0].splitlines()
    assert lines[lines.index("one") + 1 :][:2] == [f"  changed: {LIBRARY}::SKIN", "  added: new/a.txt"]
    success(capsys, "mod", "apply", "game", "one", "-q")
    success(capsys, "mod", "apply", "game", "two.zip", "--force", "-q")
    assert [it["name"] for it in document(capsys, "list", "game")["mods"]] == ["one", "two"]
    assert success(capsys, "mod", "list", "game")[0].splitlines()[1].split() == [
        "one", "1.2", "2", str(Path("game", JOURNAL, "mods/000001.zip")),
    ]  # fmt: skip


def test_what_a_check_says(capsys: Capture) -> None:
    assert document(capsys, "check", "game", "one", "two.zip", status=1) == {
        "schema": "mshview-mod-1",
        "conflicts": [CONFLICT],
        "missing": [],
        "changed_base": [],
    }
    lines = success(capsys, "mod", "check", "game", "one", "two.zip", status=1)[0]
    assert lines == f"{LIBRARY}::SKIN: phases[0].diffuse: one: [1, 0, 0], two: [2, 0, 0]; two wins\n"
    assert document(capsys, "check", "game", "three", status=1)["missing"] == ["one", "zero"]
    assert document(capsys, "check", "b", "one", status=1)["changed_base"] == [f"{LIBRARY}::SKIN"]
    assert document(capsys, "check", "game", "one") == {
        "schema": "mshview-mod-1", "conflicts": [], "missing": [], "changed_base": [],
    }  # fmt: skip
    assert success(capsys, "mod", "check", "game", "one")[0].startswith("The mods go together")


def test_a_check_knows_what_is_applied(capsys: Capture) -> None:
    success(capsys, "mod", "apply", "game", "one")
    assert document(capsys, "check", "game", "two.zip", status=1)["conflicts"] == [CONFLICT]
    assert document(capsys, "check", "game", "one")["conflicts"] == []


@pytest.mark.parametrize("more", [[], ["-o", "copy"]])
def test_apply_refuses_what_a_check_finds(capsys: Capture, game: Path, more: list[str]) -> None:
    before = contents(game)
    for mods, name in ((["one", "two.zip"], "conflicts"), (["three"], "missing")):
        assert document(capsys, "apply", "game", *mods, *more, status=1)[name]
    out, err = success(capsys, "mod", "apply", "game", "three", *more, status=1)
    assert out == "one is needed\nzero is needed\n"
    assert "--force" in err
    assert contents(game) == before
    assert not Path("copy").exists()


def test_three_mods_of_which_two_conflict(capsys: Capture, game: Path) -> None:
    """Applied in place, one taken out again, then all: the game is what it was."""
    before = contents(game)
    found = document(capsys, "apply", "game", "one", "two.zip", "three", "--force")
    assert found["mods"] == ["one", "two", "three"]
    assert {it["path"]: it["size"] for it in found["files"]} == {
        LIBRARY: len(before[LIBRARY]), "new/a.txt": 1, "DATA/old.cfg": None,
    }  # fmt: skip
    out, _ = success(capsys, "inspect", f"game/{LIBRARY}::SKIN", "--json")
    assert json.loads(out)["phases"][0]["diffuse"] == [2, 0, 0]
    assert document(capsys, "revert", "game", "two")["mods"] == ["one", "three"]
    out, _ = success(capsys, "inspect", f"game/{LIBRARY}::SKIN", "--json")
    assert json.loads(out)["phases"][0]["diffuse"] == [1, 0, 0]
    assert success(capsys, "mod", "revert", "game")[0] == "game: 3 files changed\nno mod is applied\n"
    assert contents(game) == before
    assert document(capsys, "revert", "game") == {"schema": "mshview-mod-1", "mods": [], "files": []}


def test_a_mod_that_another_one_needs_stays(capsys: Capture, game: Path) -> None:
    success(capsys, "mod", "apply", "game", "one", "three", "--force")
    assert main(["mod", "revert", "game", "one"]) == 1
    assert "another mod needs one" in capsys.readouterr().err
    assert [it["name"] for it in document(capsys, "list", "game")["mods"]] == ["one", "three"]
    success(capsys, "mod", "revert", "game", "one", "--force")
    success(capsys, "mod", "revert", "game")
    assert not (game / JOURNAL).exists()


def test_what_another_program_has_changed_is_said(capsys: Capture, game: Path) -> None:
    success(capsys, "mod", "apply", "game", "one")
    (game / LIBRARY).write_bytes(b"theirs")
    changed = f"{Path('game', LIBRARY)}: was changed since mods were applied"
    assert main(["mod", "revert", "game"]) == 2
    said = capsys.readouterr().err
    assert changed in said
    assert "revert --force takes the mods back and keeps what was changed" in said
    assert main(["mod", "apply", "game", "two.zip", "--force"]) == 2
    assert "revert --force" in capsys.readouterr().err
    success(capsys, "mod", "revert", "game", "--force")
    assert (game / f"{LIBRARY}.bak").read_bytes() == b"theirs"


def test_what_stays_out_is_said(capsys: Capture, game: Path) -> None:
    """Forced, what can be applied is."""
    entries(LIBRARY, SKIN=None)(game)
    out, err = success(capsys, "mod", "apply", "game", "one", "--force")
    assert f"{LIBRARY}::SKIN: left as it is" in err
    assert out.startswith("game: 1 file changed")
    assert (game / "new/a.txt").read_bytes() == b"1"


def test_other_verbs_do_not_see_the_journal(capsys: Capture) -> None:
    """Its files are those of the game, a second time."""
    before = success(capsys, "ls", "-R", "game")[0]
    success(capsys, "mod", "apply", "game", "two.zip")
    assert success(capsys, "ls", "-R", "game")[0].splitlines()[0] == before.splitlines()[0]
    assert JOURNAL not in success(capsys, "ls", "-R", "game")[0]
    found = json.loads(success(capsys, "diff", "game", "b", "--json")[0])
    assert found["entries"] == []


def test_names_ignore_case(capsys: Capture, game: Path) -> None:
    """Those of files and of entries, in archives of both sorts."""
    manifest = Path("one/mod.json")
    text = manifest.read_text("utf-8")
    text = text.replace(f"{LIBRARY}::SKIN", "MATERIAL.LIB::skin").replace("new/a.txt", "data/INNER/a.txt")
    manifest.write_text(text, "utf-8")
    before = contents(game)
    success(capsys, "mod", "apply", "game", "one")
    assert contents(game)["DATA/Inner/a.txt"] == b"1"
    out, _ = success(capsys, "inspect", f"game/{LIBRARY}::SKIN", "--json")
    assert json.loads(out)["phases"][0]["diffuse"] == [1, 0, 0]
    success(capsys, "mod", "revert", "game")
    assert contents(game) == before


def test_a_mod_that_is_applied_is_said(capsys: Capture) -> None:
    success(capsys, "mod", "apply", "game", "one")
    out, err = success(capsys, "mod", "apply", "game", "one")
    assert "0 files" in out
    assert "one is applied already" in err


def test_a_change_that_was_stopped_is_said(
    capsys: Capture, game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(game)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(transaction, "_give_up", lambda *_: None)
        patch.setattr(transaction._Change, "_flush", stop)
        assert main(["mod", "apply", "game", "one"]) == 130
    capsys.readouterr()
    assert "a change of the game that was stopped is finished" in success(capsys, "mod", "list", "game")[1]
    success(capsys, "mod", "revert", "game")
    assert contents(game) == before


WRONG: Final = [
    (["make", "game", "a", "-o", "x"], "needs --name"),
    (["make", "game", "a", "--name", "x"], "needs --name and -o"),
    (["make", "game", "--name", "x", "-o", "x"], "make takes BASE CHANGED"),
    (["make", "game", "game", "--name", "x", "-o", "x"], "nothing differs"),
    (["make", "game", "a", "--name", "x\ny", "-o", "x"], "name"),
    (["make", "game", "a", "--name", "x", "-o", "-"], "standard output"),
    (["make", "game", "a", "--name", "x", "-o", "one"], "not empty"),
    (["make", "game", "none", "--name", "x", "-o", "x"], "is not a folder"),
    (["check", "game"], "check takes GAME MOD..."),
    (["check", "game", "a"], "a: is not a mod: mod.json is not in it"),
    (["check", "game", "one", "one"], "two mods are called"),
    (["check", "game", "one", "-o", "x"], "check does not have it"),
    (["check", "game", "one", "--name", "x"], "check does not have it"),
    (["apply", "game", "one", "-o", "game/x"], "in the game folder"),
    (["apply", "game", "one", "-o", "a"], "not empty"),
    (["apply", "game", "one", "-o", "-"], "standard output"),
    (["revert", "game", "one", "two"], "revert takes GAME [NAME]"),
    (["revert", "game", "one"], "no mod of this name is applied"),
    (["revert", "one/mod.json"], "is not a folder"),
    (["remove", "game"], "is not one of make"),
]


@pytest.mark.parametrize(("arguments", "expected"), WRONG)
def test_wrong_usage(capsys: Capture, game: Path, arguments: list[str], expected: str) -> None:
    before = contents(Path())
    assert expected in failure(capsys, "mod", *arguments)
    assert contents(Path()) == before


def test_the_program_says_its_version_with_a_letter_only(capsys: Capture) -> None:
    assert success(capsys, "mod", "-V")[0].startswith("mshview ")
    assert "--version" in failure(capsys, "mod", "list", "--version")
