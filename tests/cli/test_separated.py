"""Tables for other programs: each cell is the value that ``--json`` prints at the place its heading names."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.builders import archive_of
from tests.cli.console import GAME, MODELS, WALKER, Capture, failure, json_of, success

EFFECT = f"{GAME / 'effects.rlb'}::#0"
GUN = f"{GAME / 'guns.rlb'}::e_gun_tw_01.msh"
VERBS = [
    (["ls", MODELS], "entries"),
    (["ls", GAME], "entries"),
    (["find", MODELS, "walker"], "hits"),
    (["inspect", GUN, "--table", "slots"], "rows"),
    (["inspect", GUN, "--table", "keys"], "rows"),
    (["draws", GUN], "draws"),
    (["triangles", GUN], "triangles"),
    (["materials", GUN], "batches"),
    (["clips", GUN], "clips"),
    (["edit", GUN, "--set", "batches[3].index_count=6", "--dry-run"], "changes"),
    (["selfcheck"], "checks"),
]


def table(capsys: Capture, *arguments: object, form: str = "csv", status: int = 0) -> list[dict[str, str]]:
    text = success(capsys, *arguments, "--format", form, status=status)[0]
    return [*csv.DictReader(io.StringIO(text), delimiter={"csv": ",", "tsv": "\t"}[form])]


def value_at(row: Any, heading: str) -> Any:
    """What a heading such as ``phase.ambient[2]`` names in a JSON row; types of entries are four letters."""
    if heading == "type" and "type_name" in row and row["type"] is not None:
        return row["type"].to_bytes(4, "little").decode()
    for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", heading):
        if row is None:
            return None
        row = row[name] if name else row[int(index)]
    return row


def is_same(cell: str, value: Any) -> bool:
    match value:
        case None:
            return cell == ""
        case bool():
            return cell == str(value).lower()
        case float():
            return bool(np.float32(cell) == np.float32(value))
        case list() | dict():
            return bool(json.loads(cell) == value)
    return cell == str(value)


@pytest.mark.parametrize("form", ["csv", "tsv"])
@pytest.mark.parametrize(("arguments", "member"), VERBS, ids=lambda it: it if isinstance(it, str) else it[0])
def test_cells_are_the_values_of_the_document(
    arguments: list[object], member: str, form: str, capsys: Capture
) -> None:
    document = json_of(capsys, *arguments)
    found = table(capsys, *arguments, form=form)
    assert len(found) == len(document[member]) > 0
    for row, expected in zip(found, document[member], strict=True):
        assert {re.split(r"[.\[]", heading)[0] for heading in row} == {*expected}
        assert all(is_same(cell, value_at(expected, heading)) for heading, cell in row.items())


def test_numbers_of_a_list_are_numbered(capsys: Capture) -> None:
    document = json_of(capsys, "inspect", WALKER, "--table", "frame_map")
    found = table(capsys, "inspect", WALKER, "--table", "frame_map")
    assert [int(row["key"]) for row in found] == document["rows"]
    assert [int(row["index"]) for row in found] == [*range(len(found))]


def test_statistics(capsys: Capture) -> None:
    document = json_of(capsys, "stats", MODELS, "--field", "batches.flags")
    bars = table(capsys, "stats", MODELS, "--field", "batches.flags")
    assert [[int(row["value"]), int(row["count"])] for row in bars] == document["histogram"]
    fields = table(capsys, "stats", MODELS)
    assert {"batches.flags", "nodes.parent"} <= {row["field"] for row in fields}


def test_several_inputs_are_one_table(capsys: Capture) -> None:
    drone = f"{MODELS}::drone.msh"
    found = table(capsys, "draws", WALKER, drone)
    assert {row["source"] for row in found} == {WALKER, drone}


def test_sprites_of_an_effect(capsys: Capture) -> None:
    document = json_of(capsys, "effect", EFFECT, "--time", "0.2")
    found = table(capsys, "effect", EFFECT, "--time", "0.2")
    expected = [(block["index"], it["particle"]) for block in document["blocks"] for it in block["sprites"]]
    assert [(int(row["block"]), int(row["particle"])) for row in found] == expected != []


def test_differences(capsys: Capture) -> None:
    models = f"{MODELS}::s_sign.msh", f"{MODELS}::s_tree_oak.msh"
    document = json_of(capsys, "diff", *models, status=1)
    found = table(capsys, "diff", *models, status=1)
    assert len(found) == sum(len(change["rows"]) for change in document["changes"])
    assert {row["what"] for row in found} == {change["what"] for change in document["changes"]}
    assert success(capsys, "diff", WALKER, WALKER, "--format", "csv")[0].count("\n") == 1, "the heading"


def test_what_is_no_table_is_refused(capsys: Capture) -> None:
    assert "--table names" in failure(capsys, "inspect", WALKER, "--format", "csv")
    assert "not allowed with" in failure(capsys, "ls", MODELS, "--format", "csv", "--json")


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+cmd", "'+cmd"),
        ("-x", "'-x"),
        ("-1", "-1"),
        ("+1e3", "+1e3"),
        ("a=b", "a=b"),
    ],
)
def test_no_text_of_a_file_is_a_formula(tmp_path: Path, capsys: Capture, name: str, cell: str) -> None:
    path = tmp_path / "a.rlb"
    path.write_bytes(archive_of({name: b"x"}))
    (row,) = table(capsys, "ls", path)
    assert row["name"] == cell
    assert json.loads(success(capsys, "ls", path, "--json")[0])["entries"][0]["name"] == name
