"""Where a model is in the image."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, box
from tests.ui.scenes import BODY, GUN, TURRET, tank_document
from viewer.session.opened.document import Document
from viewer.session.opened.silhouette import MOMENTS, Silhouette, is_covered
from viewer.session.play.playback import Playback, Root
from viewer.session.view.camera import Camera
from viewer.session.view.view_state import ViewState


def test_a_part_has_a_rectangle_around_it() -> None:
    document = Document.of("box", ModelBuilder([Node(shapes={(0, 0): [box((2, 2, 2))]})]).model())
    camera = Camera(yaw=0.0, pitch=0.0, is_orthographic=True).frame(
        document.posed(document.animation.pose(0.0), ViewState()), 2.0
    )
    found = Silhouette(document, ViewState()).rectangles(camera, 2.0)
    np.testing.assert_allclose(found, [[0.3, 0.1, 0.7, 0.9]], atol=1e-6)


def test_all_of_an_animation_counts() -> None:
    moving = Node("a", shapes={(0, 0): [box()]}, keys=[Key(0), Key(10, position=(5, 0, 0))])
    document = Document.of("box", ModelBuilder([moving]).model())
    silhouette = Silhouette(document, ViewState(playback=Playback(root=Root.TRAVEL)))
    assert len(silhouette.boxes) == MOMENTS
    assert silhouette.boxes[..., 0].max() == pytest.approx(5.5)


def test_cockpits_do_not_count_from_outside() -> None:
    document = tank_document()
    whole, parts = Silhouette(document, ViewState()), document.draws.parts
    assert len(whole.boxes) == MOMENTS * len({BODY, TURRET, GUN}) < MOMENTS * len(set(parts.node.tolist()))


@pytest.mark.parametrize(
    ("area", "expected"),
    [((0.0, 0.0, 0.2, 0.2), False), ((0.0, 0.0, 0.5, 0.5), True), ((0.45, 0.45, 0.5, 0.5), True)],
)
def test_an_area_is_covered_where_a_rectangle_meets_it(
    area: tuple[float, float, float, float], *, expected: bool
) -> None:
    assert is_covered(np.array([[0.4, 0.4, 0.6, 0.6]]), *area) == expected
