"""Textures for the panels: decoded once, refused ones tried again only when they come back on screen."""

from __future__ import annotations

from dataclasses import dataclass, field

import moderngl
import numpy as np
import pytest

from tests.control.waiting import Waiting
from viewer.app.images.textures import MOST_AT_ONCE, SCENE_UPLOADS, Gallery, TextureCache, TextureFeed
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import Image, PixelFormat
from viewer.model.material.materials import MissingResource, TextureKey, TextureRef
from viewer.model.store.address import Address
from viewer.progress import Cancelled
from viewer.render.textures.label import label
from viewer.render.textures.texels import Texels
from viewer.session.view.options.textures import TextureSwitches, TextureView
from viewer.session.view.view_state import ViewState


def part(number: int = 1) -> TextureView:
    data = texm.build(np.full((4, 4, 4), number * 8, np.uint8), PixelFormat.RGB565)
    return TextureView(TextureRef(Address.parse("here"), f"{number}", texm.decode(data)))


@dataclass
class TextureWorkspace:
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
def desk(ctx: moderngl.Context) -> TextureWorkspace:
    return TextureWorkspace(ctx)


def test_a_texture_is_decoded_once_for_all_equal_views(desk: TextureWorkspace) -> None:
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
    desk: TextureWorkspace, error: Exception, lines: int
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


SIZE = 4 * 2 * 4
"""Bytes of each picture in here."""


def image(value: int) -> Image:
    return np.full((2, 4, 4), value, np.uint8)


def shelf(ctx: moderngl.Context, room: int, *values: int) -> TextureCache[int]:
    """A shelf with room for some pictures beside those on screen, filled one by one."""
    result: TextureCache[int] = TextureCache(ctx, room * SIZE)
    for value in values:
        result.put(value, image(value))
    return result


def test_a_picture_is_found_as_it_was_put(ctx: moderngl.Context) -> None:
    texture = shelf(ctx, 1, 7).find(7)
    assert texture is not None
    assert texture.size == (4, 2)
    assert texture.read() == image(7).tobytes()
    assert shelf(ctx, 1).find(7) is None


def test_what_was_looked_up_longest_ago_goes_first(ctx: moderngl.Context) -> None:
    full = shelf(ctx, 2, 1, 2, 3)
    full.find(1)
    full.free_unused()
    full.free_unused()
    assert [key in full for key in (1, 2, 3)] == [True, False, True]
    assert full.size == 2 * SIZE


def test_what_is_on_screen_stays_however_much_it_is(ctx: moderngl.Context) -> None:
    full = shelf(ctx, 1, 1, 2, 3)
    for key in (1, 2, 3):
        full.find(key)
    full.free_unused()
    assert full.size == 3 * SIZE
    full.free_unused()
    assert full.size == SIZE


def test_a_picture_takes_the_place_of_the_one_before(ctx: moderngl.Context) -> None:
    changed = shelf(ctx, 1, 1)
    changed.put(1, image(9))
    texture = changed.find(1)
    assert texture is not None
    assert texture.read() == image(9).tobytes()
    assert changed.size == SIZE


def test_nothing_is_left_after_release(ctx: moderngl.Context) -> None:
    full = shelf(ctx, 2, 1, 2)
    full.release()
    assert full.size == 0
    assert full.find(1) is None


def picture(number: int) -> TextureRef:
    data = texm.build(np.full((4, 4, 4), number * 8, np.uint8), PixelFormat.RGB565)
    return TextureRef(Address.parse("here"), f"{number}", texm.decode(data))


class Wanting:
    """A renderer that wants some pictures until it has them."""

    texture_limit = 64

    def __init__(self, *pictures: TextureRef) -> None:
        self.requested = list(pictures)
        self.got: list[TextureKey | MissingResource] = []
        self.pixels: list[Image] = []

    def requested_textures(self, switches: TextureSwitches) -> list[TextureRef]:
        """What has not been provided."""
        del switches
        return [requested for requested in self.requested if requested.key not in self.got]

    def provide(self, decoded: Texels) -> None:
        """Remember what came."""
        self.got.append(decoded.key.texture)
        self.pixels.append(decoded.levels[0])


def feed(renderer: Wanting, jobs: Waiting, log: list[str] | None = None) -> TextureFeed:
    told = [] if log is None else log
    return TextureFeed(renderer, jobs, told.append)  # type: ignore[arg-type]


def test_a_few_are_decoded_at_once_and_fewer_uploaded_per_frame() -> None:
    renderer, jobs = Wanting(*map(picture, range(9))), Waiting()
    feeding = feed(renderer, jobs)
    assert not feeding.update(ViewState())
    assert len(jobs.begun) == MOST_AT_ONCE
    jobs.finish()
    assert feeding.has_work
    assert feeding.update(ViewState())
    assert len(renderer.got) == SCENE_UPLOADS


def test_everything_wanted_arrives_in_the_end() -> None:
    renderer, jobs = Wanting(*map(picture, range(9))), Waiting()
    feeding = feed(renderer, jobs)
    for _ in range(9):
        feeding.update(ViewState())
        jobs.finish()
    assert sorted(renderer.got) == sorted(picture.key for picture in renderer.requested)
    assert not feeding.has_work


def test_what_cannot_be_decoded_says_so_and_is_not_asked_for_again() -> None:
    renderer, jobs, log = Wanting(picture(0)), Waiting(), list[str]()
    feeding = feed(renderer, jobs, log)
    feeding.update(ViewState())
    jobs.fail(ValueError("broken"))
    assert log == ["texture 0 cannot be shown: an unexpected value"]
    feeding.update(ViewState())
    feeding.update(ViewState())
    assert renderer.got == [renderer.requested[0].key]
    assert (renderer.pixels[0] == label(MissingResource("damaged texture", "0"))).all()
    assert jobs.begun == []


def test_what_says_that_it_is_damaged_does_so_again_after_it_had_to_go() -> None:
    renderer, jobs = Wanting(picture(0)), Waiting()
    feeding = feed(renderer, jobs)
    feeding.update(ViewState())
    jobs.fail(ValueError("broken"))
    for _ in range(2):
        feeding.update(ViewState())
        feeding.update(ViewState())
        assert renderer.got == [renderer.requested[0].key]
        renderer.got.clear()
    assert jobs.begun == []


def test_what_is_decoded_while_frames_go_by_is_not_lost() -> None:
    renderer, jobs = Wanting(picture(1), picture(2)), Waiting()
    feeding = feed(renderer, jobs)
    feeding.update(ViewState())
    feeding.update(ViewState())
    jobs.finish()
    feeding.update(ViewState())
    assert len(renderer.got) == 2


def test_what_was_cancelled_is_decoded_with_the_next_document() -> None:
    renderer, jobs, log = Wanting(picture(0)), Waiting(), list[str]()
    feeding = feed(renderer, jobs, log)
    feeding.update(ViewState())
    jobs.fail(Cancelled())
    feeding.update(ViewState())
    assert (jobs.begun, log, renderer.got) == ([], [], [])
    feeding.retry()
    feeding.update(ViewState())
    assert len(jobs.begun) == 1
