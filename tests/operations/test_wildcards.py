"""Wildcards in the names of files and entries: exact names go first, each match has an address."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders import archive_of
from tests.cli.console import Capture, failure, success
from tests.systems import below
from viewer.formats.archive import nres
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.corpus.wildcards import expanded

WEAR = b"1\r\n0 STEEL\r\n"


@pytest.fixture
def game(tmp_path: Path) -> Path:
    inner = archive_of({"deep.wea": WEAR, "note": b"x"})
    (tmp_path / "a.rlb").write_bytes(
        archive_of({"b.lib": inner, "one.wea": WEAR, "two.WEA": WEAR, "[x].wea": WEAR})
    )
    repeated = [nres.NewEntry(0, WEAR, name) for name in (b"same.wea", b"same.wea", b"*.wea")]
    (tmp_path / "c.rlb").write_bytes(nres.build(repeated))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "d.rlb").write_bytes(archive_of({"d.wea": WEAR}))
    return tmp_path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.rlb::*.wea", ["a.rlb::one.wea", "a.rlb::two.WEA", "a.rlb::[x].wea"]),
        ("a.rlb::T?O.wea", ["a.rlb::two.WEA"]),
        ("a.rlb::[x].wea", ["a.rlb::[x].wea"]),  # which is also the name of an entry
        ("a.rlb::[xn]*", ["a.rlb::[xn]*"]),  # nothing matches
        ("a.rlb::*::*.wea", ["a.rlb::b.lib::deep.wea"]),
        ("a.rlb::#1", ["a.rlb::#1"]),
        ("c.rlb::*.wea", ["c.rlb::*.wea"]),  # the entry with that name
        ("c.rlb::*.we?", ["c.rlb::same.wea", "c.rlb::#1", "c.rlb::*.wea"]),
        ("?.rlb::same.wea", ["c.rlb::same.wea"]),  # not of archives that have no such entry
        ("*.rlb::o*", ["a.rlb::one.wea"]),
        ("**/*.rlb::d.wea", ["sub/d.rlb::d.wea"]),
        ("none*.rlb::*", ["none*.rlb::*"]),
        ("absent.rlb::*", ["absent.rlb::*"]),
    ],
)  # fmt: skip
def test_what_an_address_stands_for(game: Path, text: str, expected: list[str]) -> None:
    found = expanded(FileStore(), Address.parse(f"{game}/{text}"))
    assert [below(game, it) for it in found] == expected


def test_an_entry_called_like_a_pattern_is_found_by_its_index_too(game: Path, capsys: Capture) -> None:
    for text in ("#2", "*.wea"):
        out, _ = success(capsys, "inspect", f"{game}/c.rlb::{text}", "--json")
        assert json.loads(out)["source"].endswith(text)


def test_verbs_read_every_match(game: Path, capsys: Capture, tmp_path: Path) -> None:
    pattern = f"{game}/a.rlb::*.wea"
    results = json.loads(success(capsys, "inspect", pattern, "--json")[0])["results"]
    assert [it["source"].rpartition("::")[2] for it in results] == ["one.wea", "two.WEA", "[x].wea"]
    checked = json.loads(success(capsys, "validate", pattern, "--json")[0])
    assert len(checked["files"]) == 3
    success(capsys, "export", pattern, "-o", tmp_path / "out" / "{entry}.json")
    success(capsys, "extract", pattern, "-o", tmp_path / "wears")
    assert sorted(it.name for it in (tmp_path / "wears").iterdir() if it.suffix != ".json") == [
        "[x].wea",
        "one.wea",
        "two.WEA",
    ]
    assert len([*(tmp_path / "out").iterdir()]) == 3


def test_every_match_is_changed_in_one_file(game: Path, capsys: Capture, tmp_path: Path) -> None:
    out = tmp_path / "out.rlb"
    success(capsys, "edit", f"{game}/a.rlb::*.wea", "--set", "materials[0].name=GLASS", "-o", out)
    names = [
        json.loads(success(capsys, "inspect", f"{out}::{name}", "--json")[0])["materials"][0]["name"]
        for name in ("one.wea", "two.WEA", "[x].wea", "b.lib::deep.wea")
    ]
    assert names == ["GLASS", "GLASS", "GLASS", "STEEL"]
    success(capsys, "repair", f"{game}/a.rlb::*.wea", "--dry-run")


@pytest.mark.parametrize(
    "arguments",
    [
        ("copy", "{}"), ("diff", "{}", "a.rlb"), ("diff", "a.rlb", "{}"), ("extract", "*.rlb", "*.wea"),
        ("why", "{}", "--at", "1,1"), ("open", "{}"), ("thumbnail", "{}"), ("patch", "make", "{}", "a.rlb"),
    ],
)  # fmt: skip
def test_a_verb_that_takes_one_says_that_a_pattern_has_several_matches(
    game: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(game)
    written = () if arguments[0] in ("diff", "why", "open") else ("-o", "out")
    error = failure(capsys, *(it.format("a.rlb::*.wea") for it in arguments), *written)
    count, first = (3, "a.rlb::one.wea") if "*.rlb" not in arguments else (2, "a.rlb")
    assert error.endswith(f"matches {count}; one is needed, such as {first}")
    assert not (game / "out").exists()


def test_what_a_wildcard_does_not_mean_is_left_out(game: Path, capsys: Capture, tmp_path: Path) -> None:
    """Of all entries only textures are decoded; what is named without wildcards has to be one."""
    out = tmp_path / "{entry}.png"
    assert "holds no texture" in failure(capsys, "texture", f"{game}/a.rlb::*", "-o", out)
    assert "is not a texture" in failure(capsys, "texture", f"{game}/a.rlb::one.wea", "-o", out)


def test_a_name_that_begins_with_a_dot_is_one_like_others(game: Path) -> None:
    (game / "c.rlb").rename(game / ".rlb")
    (game / "sub").rename(game / ".sub")
    found = expanded(FileStore(), Address.parse(f"{game}/**/*.rlb"))
    assert {it.path.relative_to(game).as_posix() for it in found} == {".rlb", "a.rlb", ".sub/d.rlb"}


def test_nothing_matches(game: Path, capsys: Capture) -> None:
    for verb in ("ls", "inspect", "validate"):
        arguments = [verb, f"{game}/a.rlb::*.xyz"]
        assert "'*.xyz'" in failure_of(capsys, *arguments)


def failure_of(capsys: Capture, *arguments: str) -> str:
    from viewer.cli.main import main  # noqa: PLC0415

    assert main([*arguments]) == 2
    return capsys.readouterr().err


def test_ls_lists_the_matching_entries(game: Path, capsys: Capture) -> None:
    listed = json.loads(success(capsys, "ls", f"{game}/*.rlb::*e.w?a", "--json")[0])["results"]
    assert [(below(game, it["source"]), [row["index"] for row in it["entries"]]) for it in listed] == [
        ("a.rlb::*e.w?a", [1]),
        ("c.rlb::*e.w?a", [0, 1]),
    ]


def test_ls_recurses(game: Path, capsys: Capture) -> None:
    listed = json.loads(success(capsys, "ls", "-R", game, "--json")[0])["results"]
    sources = [below(game, it["source"]) for it in listed[1:]]
    assert listed[0]["source"] == str(game)
    assert sources == ["a.rlb", "a.rlb::b.lib", "c.rlb", "sub", "sub/d.rlb"]
