"""Frames of models that cost much: what repeats is drawn once, and the rest as far as there is time."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, box, quad
from tests.fuzz import bombs
from tests.render.canvas import SIZE, Canvas, drawn
from viewer.model.mesh.model import Model
from viewer.render.frame_limit import GROWTH, LAYERS, FrameLimit
from viewer.session.view.view_state import Shading

SCREEN = SIZE[0] * SIZE[1]
COLORS = (Shading.LIT, Shading.NODE, Shading.BATCH, Shading.NORMALS)


@pytest.fixture
def strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even little work is measured per triangle, with room for everything here."""
    monkeypatch.setattr(FrameLimit, "is_light", lambda *_: False)


@pytest.mark.parametrize("shading", COLORS)
@pytest.mark.usefixtures("strict")
def test_what_repeats_is_drawn_once_and_the_picture_is_the_same(canvas: Canvas, shading: Shading) -> None:
    shapes = {(0, 0): [box((2, 3, 1)), quad(6)]}
    builder = ModelBuilder([Node(shapes=shapes) for _ in range(9)])
    builder.batches = builder.batches[[0, 1, 0, 1, 1]]
    builder.slots["batch_count"] = 5
    canvas.load_model(builder.model())
    once = canvas.image(shading=shading)
    assert canvas.renderer.statistics.triangles == 14
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FrameLimit, "is_light", lambda *_: True)
        np.testing.assert_array_equal(canvas.image(shading=shading), once)
        assert canvas.renderer.statistics.triangles == 9 * (2 * 12 + 3 * 2)


def test_a_frame_leaves_out_what_takes_too_long_and_says_so(canvas: Canvas) -> None:
    canvas.load_model(Model.read(bombs.overlapping_batches(60_000, 1)))
    canvas.renderer._limit = FrameLimit(0.0)
    statistics = canvas.statistics()
    assert statistics.left_out > 0
    assert statistics.triangles + statistics.left_out == 20_000
    assert statistics.triangles * SCREEN < 2 * canvas.renderer._limit.allowed + 2 * 8e6
    assert drawn(canvas.image()).all()


def test_pictures_and_identities_leave_out_no_more_than_they_must(canvas: Canvas) -> None:
    canvas.load_model(Model.read(bombs.overlapping_batches(6_000, 1)))
    everything = FrameLimit(60.0, allowed=1e12)
    little = FrameLimit(0.0, allowed=SCREEN * 3.5)
    view = canvas.view
    full = canvas.renderer.image(view, canvas.pose, SIZE, limit=everything)
    assert canvas.renderer.left_out == 0
    ids = canvas.renderer.ids(view, canvas.pose, SIZE, everything)
    assert canvas.renderer.left_out == 0
    assert set(ids[..., 2].ravel().tolist()) == {1999, 2000}
    np.testing.assert_array_equal(canvas.renderer.image(view, canvas.pose, SIZE, limit=little), full)
    assert canvas.renderer.left_out > 1900
    few = canvas.renderer.ids(view, canvas.pose, SIZE, FrameLimit(0.0, allowed=SCREEN * 3.5))
    assert canvas.renderer.left_out > 1900
    assert few[..., 2].max() < 100


def test_the_next_frame_shows_more_while_there_is_time(canvas: Canvas) -> None:
    canvas.load_model(Model.read(bombs.overlapping_batches(6_000, 1)))
    canvas.renderer._limit = FrameLimit(60.0, allowed=SCREEN * 3.0)
    shown, frames = [], 0
    while frames < 40:
        frame = canvas.renderer.draw(canvas.view, canvas.pose, SIZE)
        shown.append(frame.statistics.triangles)
        frames += 1
        if frame.is_final:
            break
    assert shown == sorted(shown)
    assert shown[-1] == 2000
    assert canvas.renderer.left_out == 0


def test_a_sound_model_is_not_timed(canvas: Canvas, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        pytest.fail("a small frame was timed")

    monkeypatch.setattr(FrameLimit, "learn", fail)
    canvas.load([Node(shapes={(0, 0): [box()]})])
    assert canvas.statistics().left_out == 0


def test_the_limit_follows_the_time_and_grows_step_by_step() -> None:
    limit = FrameLimit(0.25, allowed=4e6)
    limit.learn(4e6, 0.001)
    assert limit.allowed == GROWTH * 4e6
    limit.learn(16e6, 1.0)
    assert limit.allowed == pytest.approx(4e6)
    assert not limit.has_grown_from(4e6)
    limit.learn(4e6, 1000.0)
    assert limit.allowed < 4e6
    assert limit.room(SCREEN) == LAYERS * SCREEN
