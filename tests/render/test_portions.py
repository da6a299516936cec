"""Pictures drawn in portions: over many frames or at once, they are the same, and nothing is missing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import Key, Node, box, quad
from tests.fuzz import bombs
from tests.render import painted
from tests.render.canvas import SIZE, Canvas
from viewer.formats import mat0
from viewer.formats.mat0 import PhaseRecord
from viewer.model.mesh.model import Model
from viewer.render import portions, renderer
from viewer.render.passes import ids
from viewer.render.portions import GROWTH, DrawingTimeError, DrawnFrame, Frame, Pace, Portions
from viewer.session.selection import Selection
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading
from viewer.session.view.view_state import ViewState

BLENDS = (4, 8, 12, 16)
"""Attributes of materials that blend: over, add, multiply, multiply twice."""


@pytest.fixture(autouse=True)
def _smooth(monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames are whole and have all of their samples, however busy the computer is."""
    for name in ("SMOOTH_SECONDS", "FRAME_SECONDS", "LONGEST"):
        monkeypatch.setattr(renderer, name, 1e9)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No frame has any time, so that each draws a single triangle or call."""
    monkeypatch.setattr(Pace, "room", lambda *_: 1)
    for name in ("FRAME_SECONDS", "LONGEST"):
        monkeypatch.setattr(renderer, name, 0.0)


def frames(canvas: Canvas, view: ViewState, most: int = 10_000) -> list[DrawnFrame]:
    """All frames of a picture on screen."""
    drawn = [canvas.renderer.draw(Frame(view, canvas.pose, SIZE))]
    while not drawn[-1].is_final:
        assert len(drawn) < most
        drawn.append(canvas.renderer.draw_further())
    return drawn


def shown(canvas: Canvas) -> np.ndarray:
    """What is on screen."""
    return canvas.renderer._screen.pixels()


def scene() -> list[Node]:
    """Boxes and quads in several materials, some behind others."""
    shapes = {(0, 0): [box((2, 3, 1), material=1), quad(6, material=2), quad(3, material=3)]}
    return [Node(shapes=shapes, keys=[Key(position=(step, -step, 2 * step))]) for step in range(3)]


def everything(view: ViewState) -> ViewState:
    """A view with everything that is drawn over the model."""
    overlays = frozenset(Overlay) - {Overlay.PORTALS}
    return replace(view, overlays=overlays, selection=Selection((0,), 0, 0, 1), flash=frozenset({1}))


@pytest.mark.parametrize(
    ("shading", "samples", "is_marked"),
    [(Shading.LIT, 4, True), (Shading.NODE, 1, False), (Shading.WIREFRAME, 4, False)],
)
def test_a_picture_of_many_frames_is_that_of_one(
    canvas: Canvas, shading: Shading, samples: int, is_marked: bool, request: pytest.FixtureRequest
) -> None:
    canvas.load(scene())
    view = replace(canvas.view, shading=shading, samples=samples)
    view = everything(view) if is_marked else view
    assert len(frames(canvas, view)) == 1
    at_once = shown(canvas)
    assert (at_once != at_once[0, 0]).any()
    request.getfixturevalue("hurried")
    canvas.load(scene())
    drawn = frames(canvas, view)
    assert len(drawn) >= 3 * (12 + 2 + 2)
    assert drawn[-1].statistics.is_whole
    assert not any(frame.statistics.is_whole for frame in drawn[:-1])
    np.testing.assert_array_equal(shown(canvas), at_once)


@pytest.mark.parametrize("attributes", BLENDS)
def test_blended_layers_of_many_frames_keep_their_order(
    canvas: Canvas, tmp_path: Path, attributes: int, request: pytest.FixtureRequest
) -> None:
    phases = {name: mat0.build([PhaseRecord(b"", ambient=(90, 200, 40), ambient_alpha=60)]) for name in "AB"}
    files = painted.libraries(
        {"DEFAULT": (0, phases["A"]), "A": (attributes, phases["A"]), "B": (0, phases["B"])}, {}
    )
    canvas.show(painted.document(tmp_path, scene(), ["DEFAULT", "A", "B", "A"], files))
    view = replace(canvas.view, shading=Shading.TEXTURED)
    frames(canvas, view)
    at_once = shown(canvas)
    request.getfixturevalue("hurried")
    assert len(frames(canvas, view)) > 30
    np.testing.assert_array_equal(shown(canvas), at_once)


@pytest.mark.usefixtures("hurried")
def test_a_change_in_between_begins_anew(canvas: Canvas) -> None:
    canvas.load(scene())
    first, second = (replace(canvas.view, shading=shading) for shading in (Shading.LIT, Shading.NODE))
    frames(canvas, second)
    expected = shown(canvas)
    canvas.renderer.draw(Frame(first, canvas.pose, SIZE))
    for _ in range(20):
        assert not canvas.renderer.draw_further().is_final
    frames(canvas, second)
    np.testing.assert_array_equal(shown(canvas), expected)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("seconds", [1e9, 0.0])
def test_a_whole_picture_stays_until_the_next_one_is_whole_or_takes_too_long(
    canvas: Canvas, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    canvas.load(scene())
    first, second = (replace(canvas.view, shading=shading) for shading in (Shading.LIT, Shading.NODE))
    frames(canvas, second)
    expected = shown(canvas)
    frames(canvas, first)
    before = shown(canvas)
    monkeypatch.setattr(portions, "HELD_SECONDS", seconds)
    frame = canvas.renderer.draw(Frame(second, canvas.pose, SIZE))
    assert canvas.renderer.is_holding is (seconds > 0)
    assert frame.statistics.is_whole is (seconds > 0)
    assert np.array_equal(shown(canvas), before) is (seconds > 0)
    while canvas.renderer.is_holding:
        np.testing.assert_array_equal(shown(canvas), before)
        frame = canvas.renderer.draw_further()
    while not frame.is_final:
        frame = canvas.renderer.draw_further()
    np.testing.assert_array_equal(shown(canvas), expected)


@pytest.mark.usefixtures("hurried")
def test_an_image_in_between_does_not_disturb_the_picture_on_screen(canvas: Canvas) -> None:
    canvas.load(scene())
    view = everything(canvas.view)
    frames(canvas, view)
    expected = shown(canvas)
    canvas.renderer.draw(Frame(view, canvas.pose, SIZE))
    count = 0
    while not canvas.renderer.draw_further().is_final:
        count += 1
        if count in (5, 60):
            canvas.renderer.image(Frame(replace(view, selection=Selection((1,))), canvas.pose, (32, 16)))
    np.testing.assert_array_equal(shown(canvas), expected)


def test_a_slow_picture_is_coarse_at_first_and_whole_while_it_is_refined(
    canvas: Canvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As soon as nothing changes it has all of its samples; no frame in between shows less than before."""
    canvas.load(scene())
    camera = replace(canvas.view.camera, yaw=2.5)
    fine, coarse = (replace(canvas.view, samples=samples, camera=camera) for samples in (4, 1))
    for view in (coarse, fine):
        assert frames(canvas, view)[-1].is_final
    expected = shown(canvas)
    frames(canvas, coarse)
    rough = shown(canvas)
    assert (rough != expected).any()
    monkeypatch.setattr(renderer, "SMOOTH_SECONDS", 0.0)
    frames(canvas, fine)
    assert not canvas.renderer.draw(Frame(fine, canvas.pose, SIZE)).is_final
    np.testing.assert_array_equal(shown(canvas), rough)
    monkeypatch.setattr(Pace, "room", lambda *_: 1)
    monkeypatch.setattr(renderer, "FRAME_SECONDS", 0.0)
    while not canvas.renderer.draw_further().is_final:
        np.testing.assert_array_equal(shown(canvas), rough)
    np.testing.assert_array_equal(shown(canvas), expected)


@pytest.mark.usefixtures("hurried")
def test_a_picture_that_turns_out_to_be_slow_begins_anew_with_a_single_sample(
    canvas: Canvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas.load(scene())
    camera = replace(canvas.view.camera, yaw=2.5)
    fine, coarse = (replace(canvas.view, samples=samples, camera=camera) for samples in (4, 1))
    expected = []
    for view in (fine, coarse):
        frames(canvas, view)
        expected.append(shown(canvas))
    monkeypatch.setattr(renderer, "SMOOTH_SECONDS", 0.0)
    canvas.load(scene()[:2])
    canvas.load(scene())
    drawn = canvas.renderer.draw(Frame(fine, canvas.pose, SIZE))
    count = 0
    while not drawn.statistics.is_whole:
        drawn, count = canvas.renderer.draw_further(), count + 1
    assert count > 10
    np.testing.assert_array_equal(shown(canvas), expected[1])
    while not drawn.is_final:
        drawn = canvas.renderer.draw_further()
    np.testing.assert_array_equal(shown(canvas), expected[0])


def test_an_image_is_whole_or_fails_at_its_limit(canvas: Canvas) -> None:
    canvas.load_model(Model.read(bombs.overlapping_batches(6_000, 1)))
    whole = canvas.renderer.image(Frame(canvas.view, canvas.pose, SIZE))
    assert canvas.renderer.statistics.is_whole
    ids = canvas.renderer.ids(Frame(canvas.view, canvas.pose, SIZE))
    assert set(ids[..., 2].ravel().tolist()) == {1999, 2000}
    with pytest.raises(DrawingTimeError, match=r"longer than 0 seconds: \d+ of 2.0\d\d triangles"):
        canvas.renderer.image(Frame(canvas.view, canvas.pose, SIZE), seconds=0.0)
    with pytest.raises(DrawingTimeError, match=r"longer than 0 seconds: \d+ of 2.000 triangles"):
        canvas.renderer.ids(Frame(canvas.view, canvas.pose, SIZE), 0.0)
    np.testing.assert_array_equal(canvas.renderer.image(Frame(canvas.view, canvas.pose, SIZE)), whole)


def test_a_pick_finds_the_nearest_of_all_or_fails(canvas: Canvas, monkeypatch: pytest.MonkeyPatch) -> None:
    canvas.load(scene())
    expected = canvas.pick_all(0.5, -0.5)
    assert len(expected) == 3
    monkeypatch.setattr(Pace, "room", lambda *_: 1)
    assert canvas.pick_all(0.5, -0.5) == expected
    monkeypatch.setattr(ids, "PICK_SECONDS", 0.0)
    with pytest.raises(DrawingTimeError):
        canvas.pick(0.5, -0.5)


def test_portions_yield_every_triangle_once_and_in_order() -> None:
    """Whatever the runs are, and however many frames they take."""
    runs = [(10, 5), (0, 1), (40, 7), (100, 0), (3, 4)]
    expected = [number for first, count in runs for number in range(first, first + count)]
    pace = Pace()
    pace.learn(3, 1e9)
    picture = Portions(pace, lambda: None)
    found: list[int] = []
    while not found or not picture.is_whole:
        picture.begin(0.0)
        for at, run in enumerate(runs):
            found += [
                number for first, count in picture.pieces(*run) for number in range(first, first + count)
            ]
            if at == 2:
                found += [-1] if picture.is_due() else []
        picture.end()
        assert picture.total == len(expected) + 1
    place = found.index(-1)
    assert found[:place] + found[place + 1 :] == expected
    assert place == 13


def test_calls_that_fit_are_made_whole_and_others_in_pieces() -> None:
    pace = Pace(8)
    picture = Portions(pace, lambda: None)
    assert picture.fits(5)
    assert not picture.fits(5)
    assert [*picture.pieces(0, 5)] == [(0, 3), (3, 2)]
    picture.end()
    assert (picture.drawn, picture.total) == (10, 10)
    picture.begin(1.0)
    assert not picture.fits(5), "it is drawn"
    assert [*picture.pieces(0, 5)] == []


def test_a_portion_is_as_large_as_the_time_and_the_one_before_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    pace = Pace(4)
    assert pace.room(100.0) == 4
    pace.learn(4, 0.001)
    assert pace.room(1e-9) == 1
    assert pace.room(0.01) == 40
    assert pace.room(100.0) == GROWTH * 4
    monkeypatch.setattr(portions, "LONGEST", 0.005)
    assert pace.room(100.0) == 20
    pace.expect(2.0)
    pace.expect(10.0)
    assert pace.room(100.0) == 4
    pace.expect(1.0)
    assert pace.room(100.0) == 4


def test_a_model_that_fills_a_frame_is_slow_until_it_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(portions, "perf_counter", lambda: now)
    pace = Pace(1)

    def is_slow(seconds: float) -> bool:
        nonlocal now
        picture = Portions(pace, lambda: None)
        picture.begin(portions.LONGEST)
        for _, count in picture.pieces(0, 10):
            now += seconds * count
        picture.end()
        return pace.is_slow

    assert is_slow(portions.LONGEST / 9)
    assert not is_slow(portions.LONGEST / 11)
