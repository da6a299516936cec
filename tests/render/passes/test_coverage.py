"""Picking follows what is seen: neither faces turned away nor holes are there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
import pytest

from tests.builders import Key, Node, box, quad, turn
from tests.render.canvas import DARK, PLAIN_LOOK, SIZE, Canvas, area, drawn
from tests.render.materials import material, picture, unlit
from viewer.model.material.materials import AlphaKind, Blend, Material
from viewer.session.view.lighting import Lighting
from viewer.session.view.textures import TextureSwitches
from viewer.session.view.view_state import Shading

WHITE = (255, 255, 255, 255)
NEAREST = TextureSwitches(is_filtered=False, has_mip_maps=False)
ONE_SIDE = replace(NEAREST, hides_back_faces=True)
TEXTURED: Final[dict[str, Any]] = {"shading": Shading.TEXTURED, "textures": NEAREST}
IN_HOLE, ON_LEAF = (-0.75, 0.25), (0.75, 0.25)


def _plate(height: float, row: int, *, is_flipped: bool = False) -> Node:
    """A plate of 4 x 4 over the ground."""
    over = turn((1, 0, 0), 180 if is_flipped else 0)
    return Node(
        shapes={(0, 0): [quad(4, material=row)]}, keys=[Key(position=(0, 0, height), quaternion=over)]
    )


def _half(left: int, **fields: Any) -> Material:
    """A material whose left half has an alpha of `left`, and the right half is solid."""
    return material(picture([[(255, 255, 255, left), WHITE]]), blend=Blend.ALPHA, **fields)


def _leaf() -> Material:
    return _half(0, alpha=AlphaKind.CUTOUT)


def test_a_face_turned_away_is_not_hit_but_what_lies_beneath(canvas: Canvas) -> None:
    canvas.dress([_plate(1, 0, is_flipped=True), _plate(0, 0)], material(picture(WHITE)))
    hidden = {**TEXTURED, "textures": ONE_SIDE}
    assert [hit.node for hit in canvas.pick_all(0.1, 0.1, **hidden)] == [1]


@pytest.mark.parametrize(
    "view",
    [{"shading": Shading.TEXTURED}, {"shading": Shading.LIT, "textures": ONE_SIDE}],
    ids=["not culled", "without materials"],
)
def test_a_face_turned_away_is_hit_where_it_is_drawn(canvas: Canvas, view: dict[str, Any]) -> None:
    plates = [_plate(1, 0, is_flipped=True), _plate(0, 0)]
    canvas.dress(plates, material(picture(WHITE)))
    assert [hit.node for hit in canvas.pick_all(0.1, 0.1, **view)] == [0, 1]


@pytest.mark.parametrize("shading", [Shading.TEXTURED, Shading.UV_CHECKER])
def test_a_model_without_materials_is_hit_where_its_picture_is(canvas: Canvas, shading: Shading) -> None:
    canvas.load([_plate(0, 0, is_flipped=True)])
    is_seen = drawn(canvas.image(shading=shading, textures=ONE_SIDE)).any()
    assert is_seen == (shading is Shading.TEXTURED), "lit, for want of materials"
    assert (canvas.pick(0.1, 0.1, shading=shading, textures=ONE_SIDE) is not None) == is_seen


def test_through_a_hole_what_is_behind_is_hit(canvas: Canvas) -> None:
    canvas.dress([_plate(1, 0), _plate(0, 1)], _leaf(), material(picture(WHITE)))
    assert [hit.node for hit in canvas.pick_all(*IN_HOLE, **TEXTURED)] == [1]
    assert [hit.node for hit in canvas.pick_all(*ON_LEAF, **TEXTURED)] == [0, 1]
    through, hit = canvas.pick(*IN_HOLE, **TEXTURED), canvas.pick(*ON_LEAF, **TEXTURED)
    assert (through and through.node, hit and hit.node) == (1, 0)


def test_a_hole_with_nothing_behind_is_the_background(canvas: Canvas) -> None:
    canvas.dress([_plate(0, 0)], _leaf())
    assert canvas.pick(*IN_HOLE, **TEXTURED) is None
    assert canvas.pick(*IN_HOLE, shading=Shading.LIT, textures=NEAREST) is not None


@pytest.mark.parametrize(
    ("lighting", "alpha", "is_hit"),
    [(DARK, 0, False), (DARK, 1, True), (PLAIN_LOOK, 6, False), (PLAIN_LOOK, 26, True)],
)
def test_glass_is_hit_where_it_is_drawn_at_all(
    canvas: Canvas, lighting: Lighting, alpha: int, is_hit: bool
) -> None:
    canvas.dress([_plate(0, 0)], _half(alpha, alpha=AlphaKind.TRANSLUCENT))
    assert (canvas.pick(*IN_HOLE, **TEXTURED, lighting=lighting) is not None) == is_hit


@pytest.mark.parametrize("lighting", [DARK, PLAIN_LOOK])
@pytest.mark.parametrize("switches", [NEAREST, ONE_SIDE])
@pytest.mark.parametrize("shading", [Shading.TEXTURED, Shading.ALBEDO, Shading.ALPHA, Shading.LIT])
def test_identities_are_where_the_picture_is(
    canvas: Canvas, shading: Shading, switches: TextureSwitches, lighting: Lighting
) -> None:
    def at(x: float, y: float) -> list[Key]:
        return [Key(position=(x, y, 0), quaternion=turn((0.3, 1, 0.2), 60 * x + 35 * y))]

    scene = [
        Node(shapes={(0, 0): [quad(1.8, material=n % 5), box((0.5, 0.5, 1), material=n % 5)]}, keys=at(x, y))
        for n, (x, y) in enumerate((x, y) for x in (-2.5, 0, 2.5) for y in (-2.5, 0, 2.5))
    ]
    glass = _half(0, alpha=AlphaKind.TRANSLUCENT, phase=unlit(0.6))
    solid = material(picture(WHITE))
    canvas.dress(scene, solid, solid, _leaf(), glass, replace(glass, has_see_through_flag=True))
    view: dict[str, Any] = {"shading": shading, "textures": switches, "lighting": lighting}
    shown = drawn(canvas.image(**view))
    ids = canvas.ids(**view)
    assert (ids.any(axis=2) == shown).all()
    assert 0 < shown.sum() < area((-4, -4, 4, 4)).sum()
    for row, column in np.argwhere(np.ones(SIZE[::-1]))[::23].tolist():
        hit = canvas.renderer.pick(replace(canvas.view, **view), canvas.pose, SIZE, column, row)
        named = (0, 0, 0) if hit is None else (hit.node + 1, (hit.batch or 0) + 1, hit.triangle + 1)
        assert named == tuple(ids[row, column].tolist())
