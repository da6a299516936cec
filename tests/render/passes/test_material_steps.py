"""What is kept from one picture to the next: every picture is that of a renderer that draws its first."""

from __future__ import annotations

import random
from math import inf
from unittest.mock import Mock

import moderngl
import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import Key, Node, box, quad
from tests.render.canvas import DARK, PLAIN_LOOK, Canvas
from tests.render.materials import material, picture, unlit
from tests.share import IS_WHOLE
from viewer.model.material.materials import AlphaKind, Blend
from viewer.model.material.phases import PhaseState, state_at
from viewer.render import renderer
from viewer.render.portions import Frame
from viewer.session.selection import Selection
from viewer.session.view.options.lighting import Lighting
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading
from viewer.session.view.options.textures import TextureSwitches
from viewer.session.view.view_state import ViewState

RED, BLUE, HALF = (200, 20, 10, 255), (10, 40, 220, 255), (60, 180, 90, 120)
ROWS = (
    material(
        picture(RED),
        textures=(picture(RED), picture(BLUE)),
        phases=(unlit(), unlit()),
        alphas=(AlphaKind.NONE,) * 2,
    ),
    material(picture(BLUE)),
    material(picture(HALF), unlit(0.5), Blend.ALPHA, AlphaKind.TRANSLUCENT),
    material(picture(HALF), unlit(), Blend.ADD, AlphaKind.TRANSLUCENT),
    material(picture(HALF), unlit(), Blend.ALPHA, AlphaKind.CUTOUT),
)
SCENE = [
    Node(
        shapes={(0, 0): [box((1, 2, 1), material=row), quad(3, material=(row + 2) % 5)]},
        keys=[Key(position=place)],
    )
    for row, place in enumerate([(0, 0, 0), (1, 1, 1), (-1, 1, 2), (0.5, -1, 3), (-2, -1, 1)])
]


def phases(step: int) -> list[PhaseState]:
    """The phases of the rows, in which textures, colors and what is see-through change."""
    states = [state_at(row, 0.0) for row in ROWS]
    states[0] = replace(states[0], phase=step % 2)
    states[2] = replace(states[2], ambient=(1, 1, 1, 0.5 + 0.5 * (step % 2)))
    states[3] = replace(states[3], ambient=(0.2 * (step % 5), 1, 1, 1))
    return states


def views(canvas: Canvas, count: int) -> list[tuple[ViewState, list[PhaseState]]]:
    choose = random.Random(7)
    found = []
    for _ in range(count):
        view = replace(
            canvas.view,
            shading=choose.choice([Shading.TEXTURED, Shading.TEXTURED, Shading.ALBEDO, Shading.LIT]),
            lighting=choose.choice([Lighting(), PLAIN_LOOK, DARK]),
            hidden=frozenset(choose.sample(range(5), choose.randrange(3))),
            camera=replace(
                canvas.view.camera, yaw=choose.choice([1.0, 3.0]), pitch=choose.choice([0.5, 1.5])
            ),
            overlays=frozenset(choose.sample(sorted(Overlay), 2)),
            selection=choose.choice(
                [Selection(), Selection((1, 3)), Selection((2,), 2, 4), Selection((3,), 3, 7, 90)]
            ),
            flash=choose.choice([frozenset(), frozenset({1, 4}), frozenset({7})]),
            textures=TextureSwitches(hides_back_faces=choose.random() < 0.5),
        )
        found.append((view, phases(choose.randrange(10))))
    return found


def test_a_picture_is_the_same_whatever_was_drawn_before(ctx: moderngl.Context) -> None:
    canvas = Canvas(ctx)
    canvas.dress(SCENE, *ROWS)
    seen, count = set(), 60 if IS_WHOLE else 30
    for view, states in views(canvas, count):
        fresh = Canvas(ctx)
        fresh.dress(SCENE, *ROWS)
        drawn = []
        for each in (canvas, fresh):
            each.renderer.take_phases(states)
            each.provide(view.textures)
            drawn.append(each.renderer.image(Frame(view, each.pose, (48, 48))))
        np.testing.assert_array_equal(drawn[0], drawn[1])
        seen.add(drawn[0].tobytes())
    assert len(seen) > count * 5 // 6


def test_what_does_not_change_is_not_made_again(canvas: Canvas) -> None:
    canvas.dress(SCENE, *ROWS)
    bindings = canvas.renderer._subject.bindings
    before = bindings.textures(), bindings.layers
    colors = phases(0)
    canvas.renderer.take_phases([replace(state, ambient=(0.5, *state.ambient[1:])) for state in colors])
    assert all(new is old for new, old in zip((bindings.textures(), bindings.layers), before, strict=True))
    canvas.renderer.take_phases(phases(1))
    assert bindings.textures() is not before[0]


def test_rows_are_solid_or_blended_or_see_through(canvas: Canvas) -> None:
    canvas.dress(SCENE, *ROWS)
    bindings = canvas.renderer._subject.bindings
    for look in (PLAIN_LOOK.look, Lighting().look):
        bindings.draw_as(look)
        is_sorted = [
            bindings.blend(row) is not Blend.OPAQUE or bindings.is_see_through(row) for row in range(5)
        ]
        is_last = [bindings.is_see_through(row) for row in range(5)]
        assert bindings.layers[0].tolist() == [not it for it in is_sorted]
        assert bindings.layers[1].tolist() == [a and not b for a, b in zip(is_sorted, is_last, strict=True)]
        assert bindings.layers[2].tolist() == is_last


def test_nothing_is_made_on_the_card_while_only_the_pose_and_the_phases_change(
    canvas: Canvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renderer, "SMOOTH_SECONDS", inf)  # a busy computer changes no number of samples
    canvas.dress(SCENE, *ROWS)
    overlays = frozenset(Overlay)
    view = replace(
        canvas.view, shading=Shading.TEXTURED, overlays=overlays, selection=Selection((1,)), samples=4
    )
    turned = replace(canvas.pose, world=canvas.pose.world[::-1].copy())
    poses = canvas.pose, turned, replace(turned, world=canvas.pose.world.copy())

    def draw() -> None:
        for step in range(6):
            canvas.renderer.take_phases(phases(step))
            frame = canvas.renderer.draw(Frame(view, poses[step % 3], (48, 48)))
            while not frame.is_final:
                frame = canvas.renderer.draw_further()

    draw()
    for name in ("buffer", "texture", "vertex_array", "framebuffer", "renderbuffer", "depth_renderbuffer"):
        monkeypatch.setattr(moderngl.Context, name, Mock(side_effect=AssertionError(name)))
    draw()
