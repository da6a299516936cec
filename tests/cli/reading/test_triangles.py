"""What the callback of the engine's query of triangles gets: descriptor, three indices, three positions."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import mshview
from viewer.cli.main import main
from viewer.resources import bundled_path

WALKER = f"{bundled_path('assets/game') / 'models.rlb'}::walker.msh"


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the verb prints."""
    assert main(["triangles", *arguments]) == 0
    return capsys.readouterr().out


def test_each_triangle_has_the_indices_and_positions_of_the_callback(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (model,) = mshview.models(WALKER)
    stored = model.fields()
    found: list[dict[str, Any]] = json.loads(printed(capsys, WALKER, "--json"))["triangles"]
    # seed 003 1.16: idx = indexBuffer[batch.indexStart + t * 3 + i] + batch.baseVertex, p = positions[idx]
    triangles, before = dict[int, int](), -1
    for row in found:
        batch = stored["batches"][row["batch"]]
        number = triangles[row["batch"]] = triangles.get(row["batch"], -1) + 1
        start = batch["index_start"] + 3 * number
        indices = stored["indices"][start : start + 3]
        assert row["indices"] == indices
        assert row["vertices"] == [it + batch["base_vertex"] for it in indices]
        assert row["positions"] == [stored["positions"][it] for it in row["vertices"]]
        assert row["order"] == before + 1
        before = row["order"]
    assert any(stored["batches"][it]["base_vertex"] for it in triangles), "not all vertices count from 0"
    assert len(found) > 1000


def test_tables_have_them_too_and_a_terminal_the_indices(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [*csv.DictReader(io.StringIO(printed(capsys, WALKER, "--format", "csv")))]
    assert {"indices[0]", "vertices[2]", "positions[2][1]"} <= rows[0].keys()
    heading = next(line for line in printed(capsys, WALKER).splitlines() if line.startswith("order"))
    assert heading.split() == [
        *("order", "node", "slot", "batch", "triangle", "descriptor", "flags", "indices", "links", "steps")
    ]


def test_a_walk_to_what_is_not_drawn_has_none(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = mshview.open(WALKER)
    model.set("nodes[*].slots", [[None] * 5] * 3)
    path = tmp_path / "walker.msh"
    path.write_bytes(model.data)
    (row, *_others) = json.loads(printed(capsys, str(path), "--from", "0", "--json"))["triangles"]
    assert (row["indices"], row["vertices"], row["positions"]) == ([None] * 3, [None] * 3, None)
