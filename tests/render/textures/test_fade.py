"""Textures that are not there yet are never white: their mean color stands for them, and they fade in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.render.canvas import SIZE, Canvas, drawn
from tests.render.test_golden import GROUND, OPAQUE, bgra, over_ground, stored, unlit
from viewer.formats import mat0
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import Image
from viewer.model.material.materials import TextureRef
from viewer.render.textures import texels
from viewer.render.textures.texture_store import FADE
from viewer.session.opened.document import Document
from viewer.session.view.textures import TextureSwitches
from viewer.session.view.view_state import Shading

RED, BLUE = (200, 40, 0), (0, 40, 200)
HALF = bgra(*RED) + bgra(*BLUE)
"""Two columns, whose mean is (100, 40, 100)."""


@pytest.fixture
def document(tmp_path: Path) -> Document:
    textures = {"T.0": stored((2, 2), 8888, HALF * 2)}
    return over_ground(tmp_path, OPAQUE, mat0.build([unlit(b"T.0")]), textures)


def load(canvas: Canvas, document: Document) -> None:
    """Show a document of which no texture is uploaded."""
    canvas.draws = document.draws
    canvas.renderer.load(document.model, document.draws, None, document.materials)
    canvas.pose = document.animation.pose(0.0)


def on_screen(canvas: Canvas) -> set[tuple[int, ...]]:
    """The colors of the model in the frame on screen."""
    view = replace(canvas.view, shading=Shading.TEXTURED)
    canvas.renderer.requested_textures(view.textures)
    canvas.renderer.draw(view, canvas.pose, SIZE)
    image = canvas.renderer._screen.pixels()
    return {tuple(color[:3]) for color in image[drawn(image)].tolist()}


def is_fading(canvas: Canvas) -> bool:
    return canvas.renderer.is_fading


def test_the_mean_color_is_there_before_the_texture(canvas: Canvas, document: Document) -> None:
    load(canvas, document)
    colors = on_screen(canvas)
    assert (255, 255, 255) not in colors
    assert any(np.allclose(color, (100, 40, 100), atol=2) for color in colors)
    assert any(np.allclose(color, GROUND, atol=2) for color in colors)


def test_a_texture_fades_in_on_screen_and_is_whole_in_a_picture(canvas: Canvas, document: Document) -> None:
    load(canvas, document)
    canvas.renderer.fades_in = True
    canvas.provide(TextureSwitches())
    assert is_fading(canvas)
    first = on_screen(canvas)
    assert any(np.allclose(color, (100, 40, 100), atol=3) for color in first)
    saved = canvas.textured()
    canvas.renderer.advance(FADE / 2)
    assert on_screen(canvas) != first
    canvas.renderer.advance(FADE)
    assert not is_fading(canvas)
    assert {tuple(color[:3]) for color in saved[drawn(saved)].tolist()} == on_screen(canvas)


def test_a_texture_does_not_fade_where_nobody_waits_for_it(canvas: Canvas, document: Document) -> None:
    load(canvas, document)
    canvas.provide(TextureSwitches())
    assert not is_fading(canvas)


def ref(data: bytes) -> TextureRef:
    return TextureRef(b"t", "t", "t", texm.decode(data))


def test_the_mean_is_that_of_the_smallest_level() -> None:
    data = stored((2, 2), 8888, bgra(9, 9, 9) * 4 + bgra(10, 20, 30, 40), mips=2)
    assert texels.mean_color(ref(data), TextureSwitches()) == bytes((10, 20, 30, 40))


def test_a_large_texture_is_looked_at_in_a_few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    rows = texm.Texture.rows

    def counted(self: texm.Texture, level: texm.Level, start: int, end: int) -> Image:
        seen.append(end - start)
        return rows(self, level, start, end)

    monkeypatch.setattr(texm.Texture, "rows", counted)
    color = texels.mean_color(ref(stored((64, 512), 8888, bgra(1, 2, 3, 4) * 64 * 512)), TextureSwitches())
    assert color == bytes((1, 2, 3, 4))
    assert sum(seen) <= texels.MOST_ROWS
