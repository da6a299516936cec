"""``pose`` at several times: lines of JSON, tables and arrays with the same numbers."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, box
from tests.cli.console import Capture
from viewer.cli.main import main

TIMES = [0.0, 2.5, 7.0]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A box that flies up, and one on it, with a name that a table has to quote."""
    flight = Key(), Key(time=10, position=(0, 0.1, 20))
    nodes = [
        Node("body", shapes={(0, 0): [box()]}, keys=flight),
        Node('a,"b', parent=0, keys=(Key(position=(1, 2, 3)),)),
    ]
    path = tmp_path / "flight.msh"
    path.write_bytes(ModelBuilder.of(nodes).build())
    return path


def documents(model: Path, capsys: Capture) -> list[dict[str, list[dict[str, list[float]]]]]:
    found = []
    for time in TIMES:
        assert main(["pose", str(model), "--time", str(time), "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out))
    return found


def test_one_document_a_line(model: Path, capsys: Capture) -> None:
    expected = documents(model, capsys)
    assert main(["pose", str(model), "--times", "0,2.5,7", "--json"]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == expected


@pytest.mark.parametrize(("form", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_a_row_for_each_node_at_each_time(model: Path, form: str, delimiter: str, capsys: Capture) -> None:
    expected = documents(model, capsys)
    assert main(["pose", str(model), "--times", "0,2.5,7", "--format", form]) == 0
    head, *rows = csv.reader(io.StringIO(capsys.readouterr().out), delimiter=delimiter)
    assert head[:10] == ["time", "node", "name", "x", "y", "z", "qw", "qx", "qy", "qz"]
    assert [row[:3] for row in rows] == [
        [str(time), str(node), name] for time in TIMES for node, name in enumerate(["body", 'a,"b'])
    ]
    nodes = [node for document in expected for node in document["nodes"]]
    for row, node in zip(rows, nodes, strict=True):
        numbers = [np.float32(text) for text in row[3:]]
        exact = [*node["position"], *node["quaternion"], *node["world"]]
        assert numbers == [np.float32(value) for value in exact]


def test_arrays_of_all_times(model: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["pose", str(model), "--times", "0:10:2.5", "--format", "npz"]) == 0
    arrays = np.load(io.BytesIO(capsysbinary.readouterr().out))
    assert arrays["time"].tolist() == [0, 2.5, 5, 7.5]
    assert arrays["name"].tolist() == ["body", 'a,"b']
    shapes = {name: arrays[name].shape for name in ("quaternion", "position", "world")}
    assert shapes == {"quaternion": (4, 2, 4), "position": (4, 2, 3), "world": (4, 2, 4, 4)}
    for number, time in enumerate(arrays["time"]):
        assert main(["pose", str(model), "--time", str(time), "--json"]) == 0
        nodes = json.loads(capsysbinary.readouterr().out)["nodes"]
        for name in shapes:
            stored = arrays[name][number].reshape(2, -1)
            assert np.array_equal(stored, np.array([node[name] for node in nodes], np.float32))


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--times", "1,x"], "finite"),
        (["--times", "3:1"], "makes 0 poses"),
        (["--times", "0:1:1e-9"], "not 1 to"),
        (["--times", "0:1e38:1e-300"], "is not A:B:STEP"),
        (["--times", "0:3:1:9"], "is not A:B:STEP"),
        (["--time", "1", "--times", "1"], "not allowed with"),
        (["--time", "1", "--format", "csv", "--json"], "two forms"),
        ([], "required"),
    ],
)
def test_times_that_are_none(model: Path, arguments: list[str], why: str, capsys: Capture) -> None:
    assert main(["pose", str(model), *arguments]) == 2
    assert why in capsys.readouterr().err


def test_several_times_are_of_one_model(model: Path, capsys: Capture) -> None:
    assert main(["pose", str(model), str(model), "--times", "1,2"]) == 2
    assert "one model" in capsys.readouterr().err
