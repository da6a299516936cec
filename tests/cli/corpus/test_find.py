"""``find``: each hit is an address that other verbs take, and what it says is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.console import GAME, MODELS, WALKER, Capture, json_of, success
from tests.systems import below
from viewer.cli.main import main
from viewer.formats.archive import nres


def test_a_condition_finds_the_rows_that_a_scalar_reading_finds(capsys: Capture) -> None:
    """A batch has 20 bytes in resource 13, its count of indices at offset 8 (spec/msh.md 6)."""
    archive = nres.Archive.read(memoryview(MODELS.read_bytes()))
    expected = []
    for entry in archive.entries:
        if not entry.text.endswith(".msh"):
            continue
        model = nres.Archive.read(archive.payload(entry.index))
        batches = next(bytes(model.payload(it.index)) for it in model.entries if it.type_id == 13)
        expected += [
            (f"{MODELS}::{entry.text}", start // 20)
            for start in range(0, len(batches), 20)
            if int.from_bytes(batches[start + 8 : start + 10], "little") > 600
        ]
    found = json_of(capsys, "find", MODELS, "batches.index_count>600")
    assert [(hit["address"], hit["row"]) for hit in found["hits"]] == expected
    assert found["count"] == len(expected) > 0
    assert json_of(capsys, "find", MODELS, "slots.index_count>600", status=1)["hits"] == []


def test_every_hit_can_be_inspected(capsys: Capture) -> None:
    found = json_of(capsys, "find", f"{MODELS}::w*", "walker")["hits"]
    assert {hit["by"] for hit in found} == {"names", "text"}
    for hit in found:
        at = ("--at", hit["at"]) if hit["at"] else ()
        out, _ = success(capsys, "inspect", hit["address"], *at, "--json")
        assert not hit["at"] or hit["text"] in out


def test_bytes_are_where_the_address_says(capsys: Capture) -> None:
    (hit, *_) = json_of(capsys, "find", WALKER, "hex:4E 52 ?? 73")["hits"]
    assert (hit["address"], hit["at"], hit["by"]) == (WALKER, "container.magic", "bytes")


def test_users_name_a_material_or_use_its_wear_table(capsys: Capture) -> None:
    out, _ = success(capsys, "find", GAME, "users:walker_armour")
    assert [below(GAME, line.partition("  ")[0]) for line in out.splitlines()] == [
        "machines.rlb::r_crawler.wea: materials[0].name",
        "machines.rlb::r_crawler.msh",
        "models.rlb::walker.wea: materials[0].name",
        "models.rlb::walker.msh",
        "turrets.rlb::e_tur_bt_01.wea: materials[0].name",
        "turrets.rlb::e_tur_bt_01.msh",
    ]


@pytest.mark.parametrize(
    ("arguments", "status", "answer"),
    [
        (["type:wear", "-l"], 0, "walker.wea"),
        (["no such thing"], 1, ""),
        (["batches.index_count>60000"], 1, ""),
        (["slots.index_count>600"], 1, ""),
        (["hex:00 00", "--most", "5"], 0, "walker.msh"),
    ],
)
def test_status_is_that_of_grep(capsys: Capture, arguments: list[str], status: int, answer: str) -> None:
    out, _ = success(capsys, "find", MODELS, *arguments, status=status)
    assert answer in out
    assert bool(out) == (status == 0)


def test_errors_do_not_stop_it(capsys: Capture, tmp_path: Path) -> None:
    damaged = tmp_path / "a.rlb"
    damaged.write_bytes(b"NRes\0\1\0\0\xff\xff\xff\x7f")
    assert main(["find", str(damaged), str(tmp_path / "absent"), str(MODELS), "type:wear", "-l"]) == 2
    out, err = capsys.readouterr()
    assert f"{MODELS}::walker.wea" in out.splitlines()
    assert [line.split(": ")[2] for line in err.splitlines()] == [str(damaged), str(tmp_path / "absent")]


def test_bytes_of_a_damaged_archive_are_found_and_end_nothing(capsys: Capture, tmp_path: Path) -> None:
    damaged = tmp_path / "a.rlb"
    damaged.write_bytes(b"NRes\0\2\0\0\0\0\0\0\x10\0\0\0\xab\xcd")
    assert main(["find", str(damaged), str(MODELS), "hex:AB CD"]) == 2
    out, err = capsys.readouterr()
    assert f"{damaged}: bytes[16]" in out
    assert str(damaged) in err


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("batches index_count>600", "a field of a table is written batches.index_count"),
        ("batches where index_count>600", "a field of a table is written batches.index_count"),
        (
            "batchs.index_count>600",
            "no table has a field batchs.index_count; did you mean batches.index_count?",
        ),
        ("batches.indexcount>600", "table batches has no field indexcount; did you mean index_count?"),
        ("frob>600", "no table has a field frob; there are the tables batches, "),
    ],
)
def test_a_field_that_nothing_has_is_named_with_those_that_there_are(
    capsys: Capture, query: str, words: str
) -> None:
    models = str(MODELS)
    assert main(["find", models, query]) in (1, 2)
    assert words in capsys.readouterr().err
    assert main(["stats", models, "--where", query]) == 2
    assert words in capsys.readouterr().err


def test_a_condition_that_no_row_fulfills_is_not_blamed_on_its_field(capsys: Capture) -> None:
    models = str(MODELS)
    assert main(["find", models, "batches.index_count>60000"]) == 1
    assert "field" not in capsys.readouterr().err
    assert main(["stats", models, "--where", "batches.index_count>60000"]) == 2
    assert capsys.readouterr().err.rstrip().endswith("no row fulfills the condition")


def test_hits_beyond_the_most_are_counted(capsys: Capture) -> None:
    out, err = success(capsys, "find", MODELS, "hex:00 00", "--most", "5")
    assert len(out.splitlines()) == 5
    assert "more are not listed" in err


@pytest.mark.parametrize("query", ["", "hex:zz", "users:", "index_count >"])
def test_what_cannot_be_searched_for_is_refused(capsys: Capture, query: str) -> None:
    assert main(["find", str(MODELS), query]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
