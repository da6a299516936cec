"""What is uploaded for another revision of the model on screen: the tables that changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import moderngl
import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, box
from tests.render.canvas import Canvas
from tests.terrains import terrain
from viewer.formats.msh.tables import STREAM14
from viewer.model.mesh.draw_builder import build
from viewer.model.mesh.model import Model
from viewer.render.buffers.merge import MergedDraws, merge, merge_again

BOXES = 600
"""Boxes of the model: so many that each of its tables is larger than anything that a pass uploads."""


def scene(size: float = 1.0) -> ModelBuilder:
    return ModelBuilder.of([Node(shapes={(0, 0): [box((size, 1, 1)) for _ in range(BOXES)]}), Node()])


@pytest.fixture
def uploads(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Everything put into a new buffer from now on."""
    found: list[bytes] = []
    make = moderngl.Context.buffer

    def buffer(ctx: moderngl.Context, data: Any = None, **named: Any) -> moderngl.Buffer:
        if data is not None:
            found.append(bytes(np.asarray(data)))
        return make(ctx, data, **named)

    monkeypatch.setattr(moderngl.Context, "buffer", buffer)
    return found


def edited(change: Callable[[ModelBuilder], None]) -> Model:
    builder = scene()
    change(builder)
    return builder.model()


def test_the_same_bytes_read_again_are_not_uploaded_again(canvas: Canvas, uploads: list[bytes]) -> None:
    canvas.load_model(scene().model())
    smallest = BOXES * 24
    assert sum(len(data) >= smallest for data in uploads) >= 6
    before = canvas.image()
    uploads.clear()
    canvas.load_model(scene().model())
    assert [len(data) for data in uploads if len(data) >= smallest] == []
    np.testing.assert_array_equal(canvas.image(), before)


def test_only_the_table_that_was_edited_is_uploaded(canvas: Canvas, uploads: list[bytes]) -> None:
    canvas.load_model(scene().model())
    narrow = canvas.image()
    uploads.clear()
    model = scene(3.0).model()
    canvas.load_model(model)
    large = [data for data in uploads if len(data) >= BOXES * 24]
    assert [len(data) for data in large] == [model.positions.nbytes]
    assert set(np.frombuffer(large[0], np.float32)) == set(model.positions.ravel().tolist())
    assert (canvas.image() != narrow).any(), "the picture is that of the new positions"


def test_another_model_takes_nothing_from_the_one_before(canvas: Canvas, uploads: list[bytes]) -> None:
    canvas.load_model(scene().model())
    uploads.clear()
    canvas.load([Node(shapes={(0, 0): [box()] * (BOXES + 1)})])
    assert sum(len(data) >= BOXES * 24 for data in uploads) >= 6


def test_what_no_longer_is_on_screen_is_uploaded_again(canvas: Canvas, uploads: list[bytes]) -> None:
    model = scene().model()
    canvas.load_model(model)
    before = canvas.image()
    canvas.renderer.unload()
    uploads.clear()
    canvas.load_model(model)
    assert sum(len(data) >= BOXES * 24 for data in uploads) >= 6
    np.testing.assert_array_equal(canvas.image(), before)


def test_draws_are_merged_again_only_if_they_changed(canvas: Canvas, monkeypatch: pytest.MonkeyPatch) -> None:
    merged: list[object] = []

    def counted(*made_of: Any) -> MergedDraws:
        merged.append(made_of)
        return merge(*made_of)

    monkeypatch.setattr("viewer.render.buffers.merge.merge", counted)
    model = scene().model()
    draws = build(model)
    for material in (np.zeros(BOXES), np.zeros(BOXES), np.ones(BOXES), None):
        canvas.renderer.load(model, draws, material)
    assert len(merged) == 3
    canvas.renderer.load(model, build(model), None)
    assert len(merged) == 4


def test_other_opacities_of_a_terrain_are_uploaded() -> None:
    """Res14 alone changed: the triangles are the same, and what lies over them is not."""
    data = terrain()
    before = Model.read(data)
    index = before.archive.find_type(STREAM14)
    assert index is not None
    entry, changed = before.archive.entry(index), bytearray(data)
    changed[entry.offset : entry.end] = np.full(entry.size // 4, 0.5, "<f4").tobytes()
    model = Model.read(bytes(changed))
    merged = merge(before, build(before))
    found = merge_again(merged, before, model).second_alphas
    assert found is not None
    np.testing.assert_array_equal(found, np.float32(0.5))
    assert merge_again(merged, before, Model.read(data)) is merged
