"""``draws``: the draws of a cell, exactly or as the game chooses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.builders import ModelBuilder, Node, box, quad
from tests.cli.console import Capture, failure, success
from viewer.formats.msh.nodes import FLAG_COCKPIT, FLAG_INTERNAL, FLAG_SURVIVES

FINE, WALL, EYE = range(3)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Three groups and two LODs; an internal wall with a portal; a cockpit."""
    stages = {(0, 0): [box()], (0, 1): [quad()], (0, 2): [quad()], (1, 0): [quad(2)]}
    builder = ModelBuilder(
        [
            Node("fine", shapes=stages, flags=FLAG_SURVIVES),
            Node("wall", shapes={(0, 0): [quad(), quad()]}, flags=FLAG_INTERNAL),
            Node("CP_eye", shapes={(0, 4): [box()]}, flags=FLAG_COCKPIT),
        ]
    )
    portal = int(builder.slots["batch_start"][int(builder.nodes["slots"][WALL, 0, 0])]) + 1
    builder.batches["flags"][portal], builder.batches["opaque6"][portal] = 0x8, FINE
    path = tmp_path / "hall.msh"
    path.write_bytes(builder.build())
    return path


Draws = Callable[..., dict[str, Any]]


@pytest.fixture
def draws(model: Path, capsys: Capture) -> Draws:
    def run(*options: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(success(capsys, "draws", model, *options, "--json")[0])
        return found

    return run


def nodes(found: dict[str, Any]) -> list[int]:
    return [draw["node"] for draw in found["draws"]]


def test_by_default_it_is_exactly_the_cell_with_its_portals(draws: Draws) -> None:
    found = draws()
    assert (found["lod"], found["group"], nodes(found)) == (0, 0, [FINE, WALL, WALL])
    assert found["cell"] == "LOD 0 - intact, group 0 - near"
    assert [draw["portal"] for draw in found["draws"]] == [False, False, True]
    assert nodes(draws("--lod", "1")) == [FINE]
    assert nodes(draws("--group", "1")) == [FINE]


def test_the_game_draws_what_is_nearest(draws: Draws) -> None:
    assert nodes(draws("--lod", "1", "--cells", "game")) == [FINE, WALL, WALL]
    assert nodes(draws("--group", "3", "--cells", "game")) == [FINE, WALL, WALL]
    assert nodes(draws("--cells", "game", "--stage", "destroyed")) == [FINE]
    assert nodes(draws("--cells", "game", "--cutaway", "inside")) == [WALL, WALL]
    assert nodes(draws("--own-view")) == [EYE]


@pytest.mark.parametrize("lod", ["-1", "auto"])
def test_the_distance_chooses_the_group(draws: Draws, lod: str) -> None:
    """The coarsest group is the last one that the model has."""
    assert (draws("--lod", lod)["lod"], draws("--lod", lod)["group"]) == (0, 0)
    groups = [draws("--lod", lod, "--distance", str(distance))["group"] for distance in (1, 12, 24, 1000)]
    assert groups == [0, 1, 2, 2]
    assert draws("--lod", lod, "--distance", "1", "--group", "2")["group"] == 2
    assert nodes(draws("--lod", lod, "--distance", "1000", "--cells", "game")) == [FINE, WALL, WALL]
    assert draws("--lod", lod, "--stage", "1")["lod"] == 1


@pytest.mark.parametrize("lod", ["-1", "auto"])
def test_in_the_seed_reading_the_current_lod_is_a_row_that_is_set(draws: Draws, lod: str) -> None:
    found = [draws("--reading", "seed", "--lod", lod, *more) for more in ((), ("--current-lod", "1"))]
    assert [(it["lod"], it["group"]) for it in found] == [(0, 0), (1, 0)]
    assert nodes(found[1]) == [FINE]
    far = draws("--reading", "field", "--lod", lod, "--current-lod", "1", "--distance", "1000")
    assert (far["lod"], far["group"]) == (1, 0), "LOD 1 has no other group"
    far = draws("--reading", "field", "--lod", lod, "--distance", "1000")
    assert (far["lod"], far["group"]) == (0, 2)


def test_the_text_names_the_cell_with_its_meaning(model: Path, capsys: Capture) -> None:
    cell = ("--lod", "1", "--group", "2", "--reading")
    lines = [success(capsys, "draws", model, *cell, it)[0].splitlines()[0] for it in ("field", "seed")]
    assert lines == ["LOD 1 - damaged, group 2 - far", "LOD 1, group 2"]


@pytest.mark.parametrize(
    "options",
    [
        ["--distance", "5"],
        ["--distance", "5", "--lod", "auto", "--reading", "seed"],
        ["--current-lod", "1"],
        ["--current-lod", "1", "--lod", "0"],
        ["--current-lod", "1", "--lod", "auto", "--stage", "2"],
        ["--lod", "auto", "--distance", "0"],
        ["--lod", "1", "--stage", "2"],
        ["--stage", "destroyed"],
        ["--own-view", "--group", "2"],
        ["--own-view", "--lod", "auto"],
        ["--lod", "3"],
        ["--lod", "-2"],
    ],
)
def test_options_that_contradict_are_refused(model: Path, capsys: Capture, options: list[str]) -> None:
    assert options[0] in failure(capsys, "draws", model, *options)
