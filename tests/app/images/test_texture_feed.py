"""Textures on their way from a library to the renderer."""

from __future__ import annotations

import numpy as np

from tests.app.waiting import Waiting
from tests.messages import states
from viewer.app.images.texture_feed import MOST_AT_ONCE, UPLOADS_PER_FRAME, TextureFeed
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import Image, PixelFormat
from viewer.model.material.materials import MissingResource, TextureKey, TextureRef
from viewer.progress import Cancelled
from viewer.render.textures.label import label
from viewer.render.textures.texels import Texels
from viewer.session.view.texture_switches import TextureSwitches
from viewer.session.view.view_state import ViewState


def picture(number: int) -> TextureRef:
    data = texm.build(np.full((4, 4, 4), number * 8, np.uint8), PixelFormat.RGB565)
    return TextureRef.of("here", f"{number}", texm.decode(data))


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
    assert len(renderer.got) == UPLOADS_PER_FRAME


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
    assert [states(line, "texture 0 broken") for line in log] == [True]
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
