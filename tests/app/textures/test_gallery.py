"""Textures for the panels: decoded once, refused ones tried again only when they come back on screen."""

from __future__ import annotations

from dataclasses import dataclass, field

import moderngl
import numpy as np
import pytest

from tests.app.waiting import Waiting
from viewer.app.textures.gallery import Gallery
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.material.materials import TextureRef
from viewer.progress import Cancelled
from viewer.session.view.texture_view import TextureView


def part(number: int = 1) -> TextureView:
    data = texm.build(np.full((4, 4, 4), number * 8, np.uint8), PixelFormat.RGB565)
    return TextureView(TextureRef.of("here", f"{number}", texm.decode(data)))


@dataclass
class Desk:
    """A gallery and what it leans on."""

    ctx: moderngl.Context
    jobs: Waiting = field(default_factory=Waiting)
    log: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.gallery = Gallery(self.ctx, self.jobs, self.log.append)  # type: ignore[arg-type]

    def frame(self, *parts: TextureView) -> list[int | None]:
        """Draw a frame in which some textures are on screen."""
        self.gallery.upload()
        return [self.gallery.texture(it) for it in parts]


@pytest.fixture
def desk(ctx: moderngl.Context) -> Desk:
    return Desk(ctx)


def test_a_texture_is_decoded_once_for_all_equal_views(desk: Desk) -> None:
    assert desk.frame(part(), part(), part(2)) == [None] * 3
    assert len(desk.jobs.begun) == 2
    desk.jobs.finish()
    desk.frame()
    first, same, other = desk.frame(part(), part(), part(2))
    assert first == same is not None
    assert other not in (first, None)
    assert desk.jobs.begun == []


@pytest.mark.parametrize(("error", "lines"), [(ValueError("broken"), 1), (Cancelled(), 0)])
def test_what_was_refused_is_tried_again_when_it_comes_back_on_screen(
    desk: Desk, error: Exception, lines: int
) -> None:
    desk.frame(part())
    desk.jobs.fail(error)
    desk.frame(part())
    desk.frame(part())
    assert (desk.jobs.begun, len(desk.log)) == ([], lines)
    desk.frame()
    desk.frame()
    desk.frame(part())
    assert len(desk.jobs.begun) == 1
