"""Batches that flash, against colors worked out from the picture without them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.builders import Key, Node, quad, turn
from tests.render.canvas import Canvas, Image, area, pixel
from tests.render.materials import material, picture
from viewer.model.material.materials import AlphaKind, Blend
from viewer.model.mesh.draws import NO_BATCH
from viewer.render.passes.base import FLASH
from viewer.render.passes.marks import COVERED, FLASH_FILL
from viewer.session.selection import Selection
from viewer.session.view.textures import TextureSwitches
from viewer.session.view.view_state import FAINTEST, PERIOD, Overlay, Shading

WHITE, CLEAR = (255, 255, 255, 255), (255, 255, 255, 0)
NEAREST = TextureSwitches(is_filtered=False, has_mip_maps=False)
PLATE, OTHER_CELL, COVER = range(3)
SEEN, UNDER_COVER, BESIDE = (1.5, 0.0), (-1.5, 0.0), (3.5, 0.0)


def _scene() -> list[Node]:
    """A batch whose left half lies under a cover, and the same node in another cell."""
    return [
        Node(shapes={(0, 0): [quad(5)], (1, 0): [quad(5)]}),
        Node(shapes={(0, 0): [quad(4, center=(-2, 0, 1))]}),
    ]


def _mixed(under: Image, at: tuple[float, float], share: float) -> list[float]:
    """The color of a point below a flash of which `share` is seen."""
    color = np.array([255 * channel for channel in FLASH[:3]])
    mixed: list[float] = (under[pixel(*at)][:3] * (1 - share) + color * share).tolist()
    return mixed


def _flashes(canvas: Canvas, at: tuple[float, float], share: float, **view: Any) -> None:
    """Assert how much of the flash of the first batch a point shows."""
    under, flashing = canvas.image(**view), canvas.image(flash=frozenset({PLATE}), **view)
    assert flashing[pixel(*at)][:3].tolist() == pytest.approx(_mixed(under, at, share), abs=1.51)


@pytest.mark.parametrize("samples", [1, 4])
@pytest.mark.parametrize("shading", [*Shading])
def test_a_batch_flashes_where_it_is_seen_and_faintly_where_it_is_covered(
    canvas: Canvas, shading: Shading, samples: int
) -> None:
    canvas.dress(_scene(), material(picture((200, 90, 60, 255))))
    view: dict[str, Any] = {"shading": shading, "samples": samples}
    hidden = FLASH_FILL if shading is Shading.WIREFRAME else FLASH_FILL * COVERED
    for at, share in ((SEEN, FLASH_FILL), (UNDER_COVER, hidden), (BESIDE, 0.0)):
        _flashes(canvas, at, share, **view)


def test_it_pulses(canvas: Canvas) -> None:
    canvas.load(_scene())
    for time, brightness in ((0.0, 1.0), (PERIOD / 2, FAINTEST), (PERIOD, 1.0)):
        _flashes(canvas, SEEN, FLASH_FILL * brightness, flash_time=time)
    assert (canvas.image(flash=frozenset({PLATE})) == canvas.image(flash=frozenset({PLATE}))).all()


def test_a_rim_surrounds_it(canvas: Canvas) -> None:
    canvas.load(_scene())
    changed = (canvas.image() != canvas.image(flash=frozenset({PLATE}))).any(axis=2)
    assert changed[area((-2.5, -2.5, 2.5, 2.5))].all()
    assert changed[area((-2.5, -2.6, 2.5, -2.5))].all()
    assert not changed[~area((-2.75, -2.75, 2.75, 2.75))].any()


def test_it_is_drawn_over_the_selection(canvas: Canvas) -> None:
    canvas.load(_scene())
    selected = Selection((0,), 0, 0, 0)
    _flashes(canvas, SEEN, FLASH_FILL, selection=selected)
    _flashes(canvas, (2.55, 1.0), 1.0, selection=selected)


@pytest.mark.parametrize(
    ("batch", "view"),
    [
        (OTHER_CELL, {}),
        (PLATE, {"lod": 1}),
        (PLATE, {"hidden": frozenset({0})}),
        (77, {}),
        (NO_BATCH, {}),
    ],
    ids=["in another cell", "not in this cell", "hidden", "no such batch", "no batch"],
)
def test_a_batch_that_no_visible_cell_has_flashes_nowhere(
    canvas: Canvas, batch: int, view: dict[str, Any]
) -> None:
    canvas.load(_scene())
    assert (canvas.image(flash=frozenset({batch}), **view) == canvas.image(**view)).all()


def test_several_batches_flash_at_once(canvas: Canvas) -> None:
    canvas.load(_scene())
    plain, flashing = canvas.image(), canvas.image(flash=frozenset({PLATE, COVER}))
    for at in (SEEN, (-3.5, 0.0)):
        assert flashing[pixel(*at)][:3].tolist() == pytest.approx(_mixed(plain, at, FLASH_FILL), abs=1.51)


def test_holes_are_no_part_of_what_is_seen(canvas: Canvas) -> None:
    leaf = material(picture([[CLEAR, WHITE]]), blend=Blend.ALPHA, alpha=AlphaKind.CUTOUT)
    canvas.dress([Node(shapes={(0, 0): [quad(4)]})], leaf)
    view: dict[str, Any] = {"shading": Shading.TEXTURED, "textures": NEAREST}
    _flashes(canvas, (-1.5, 0.5), FLASH_FILL * COVERED, **view)
    _flashes(canvas, (1.5, 0.5), FLASH_FILL, **view)
    _flashes(canvas, (-1.5, 0.5), FLASH_FILL, shading=Shading.LIT)


def test_what_is_turned_away_is_shown_faintly(canvas: Canvas) -> None:
    flipped = Node(shapes={(0, 0): [quad(4)]}, keys=[Key(quaternion=turn((1, 0, 0), 180))])
    canvas.dress([flipped], material(picture(WHITE)))
    hidden = TextureSwitches(hides_back_faces=True)
    _flashes(canvas, (0.5, 0.5), FLASH_FILL * COVERED, shading=Shading.TEXTURED, textures=hidden)


def test_edges_do_not_hide_it(canvas: Canvas) -> None:
    canvas.load(_scene())
    _flashes(canvas, SEEN, FLASH_FILL, overlays=frozenset({Overlay.EDGES}))
