"""Units assembled: the models of their components are where the truth of the corpora has them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from viewer.formats import units
from viewer.model.game.assembly import MountedPart, assemble
from viewer.model.game.registry import Game, Outcome
from viewer.model.mesh import draw_builder
from viewer.model.mesh.pose.animation import Animation
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.model.mesh.reading import choose
from viewer.model.mesh.shown import PartChoice, PartChooser
from viewer.model.store.file_store import FileStore

UNITS = ("w_test", "w_lost")


@pytest.fixture(params=UNITS)
def unit(request: pytest.FixtureRequest, samples: Path) -> tuple[dict[str, Any], tuple[MountedPart, ...]]:
    """The truth of a unit, and its components as they are assembled."""
    folder = samples / "field"
    path = f"game/UNITS/UNITS/BATTLE/{request.param}.dat"
    truth = json.loads((folder / "truth.json").read_text())["units"][path]
    stored = units.decode(memoryview((folder / path).read_bytes()))
    store = FileStore()
    return truth, assemble(store, Game(folder / "game", store), stored)


def assert_close(made: np.ndarray | None, expected: list[float] | None, what: str) -> None:
    """Both none, or equal to the tolerance of the truth."""
    assert (made is None) == (expected is None), what
    if made is not None and expected is not None:
        tolerance = 1e-4 * (1 + max(map(abs, expected)))
        np.testing.assert_allclose(made[:3].ravel(), expected, atol=tolerance, err_msg=what)


def test_parts_hang_where_the_truth_has_them(unit: tuple[dict[str, Any], tuple[MountedPart, ...]]) -> None:
    truth, parts = unit
    assert len(parts) == len(truth["components"])
    for part, expected in zip(parts, truth["components"], strict=True):
        what = f"component {part.component}"
        assert (part.parent, part.key) == (expected["parent"], expected["key"])
        model = expected["model"]
        assert (part.model is None) == (model is None), what
        if part.model is not None and model is not None:
            assert str(part.model).replace(os.sep, "/").lower().endswith(model.lower())
        assert (part.socket_name or None) == expected["socket"], what
        assert part.is_drawn == expected["drawn"], what
        assert_close(part.mount, expected.get("mount"), what)
        assert_close(part.matrix, expected["matrix"], what)
        assert bool(part.problem) == (model is None)
        if part.socket is not None:
            assert part.is_guess == (expected["class"] in {3, 5})


def test_the_assembled_unit_has_the_box_of_the_truth(
    unit: tuple[dict[str, Any], tuple[MountedPart, ...]],
) -> None:
    truth, parts = unit
    store, boxes = FileStore(), []
    for part in parts:
        if part.model is None or part.matrix is None:
            continue
        model = store.open(part.model).read_model()
        skeleton, draws = Skeleton(model), draw_builder.build(model)
        order = choose(model, skeleton, draws).reading.quaternion_order
        world = part.matrix @ Animation(model, skeleton, order).pose(0.0).world.astype(np.float64)
        shown = PartChooser(model, draws).shown(PartChoice())
        boxes.append(draws.posed_bounds(model, world.astype(np.float32), shown.draws))
    known = [box for box in boxes if box is not None]
    low, high = np.min([box.low for box in known], axis=0), np.max([box.high for box in known], axis=0)
    np.testing.assert_allclose([low, high], truth["bounds"], atol=1e-3)


def test_a_key_that_leads_nowhere_says_so(samples: Path) -> None:
    folder = samples / "field" / "game"
    row = units.COMPONENT.new(2)
    row["key"] = b"w_ch_wlk", b"no_such_part"
    row["child_count"], row["attachment"], row["class_id"] = (1, 0), (-1, 99), (0, 1)
    stored = units.Unit(units.HEADER.new()[0], row, b"")
    store = FileStore()
    root, lost = assemble(store, Game(folder, store), stored)
    assert (root.is_drawn, lost.is_drawn) == (True, False)
    assert lost.matrix is None
    assert lost.outcome is Outcome.NOT_FOUND
    assert "no model" in lost.problem
