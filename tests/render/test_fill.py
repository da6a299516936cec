"""How much of a picture a model takes: measured on the models of the sample as they are drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from viewer.app.images.thumbnail_reading import cropped
from viewer.app.images.thumbnails import MARGINS
from viewer.control.opening import loading
from viewer.control.opening.loading import OpenOptions
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.render.offscreen import OffscreenRenderer, cameras, direction, plain_view
from viewer.session.opened.document import Document
from viewer.session.play.posing import framed
from viewer.session.view.camera import FILL, Camera
from viewer.session.view.options.shading import Shading
from viewer.session.view.view_state import ViewState

GAME = Path(__file__).parents[2] / "assets" / "game"
MODELS = [f"models.rlb::{stem}.msh" for stem in ("walker", "drone", "b_tower", "s_tree_oak", "s_sign")] + [
    "seed.rlb::drone_seed.msh",
    "DATA/MAPS/SAMPLE/Land.msh",
]
SIZES = [(512, 384), (400, 400), (640, 300)]
THUMBNAIL = 160
"""Side of a thumbnail, pixels."""
STEP = 3.0
"""Pixels of rounding and smoothing."""


@pytest.fixture(scope="module")
def renderer() -> OffscreenRenderer:
    return OffscreenRenderer(opened(MODELS[0]))


def opened(name: str) -> Document:
    address, library = Address.parse(str(GAME / name)), FileStore()
    return Document.open(library, loading.source_of(library, address, OpenOptions()))


def filled(renderer: OffscreenRenderer, view: ViewState, size: tuple[int, int]) -> tuple[float, float]:
    """The shares of the width and of the height that a model takes, its holes filled."""
    plain = replace(view, shading=Shading.LIT, overlays=frozenset())
    alpha = renderer.image(plain, size, is_transparent=True)[..., 3]
    height, width = cropped(np.repeat(alpha[..., None], 4, axis=2)).shape[:2]
    return width / size[0], height / size[1]


def check(share: tuple[float, float], size: tuple[int, int]) -> None:
    """One of the two shares is what it should be, and neither is above that."""
    over = [taken - meant for taken, meant in zip(share, FILL, strict=True)]
    assert max(over) == pytest.approx(0.0, abs=STEP / min(size))


@pytest.mark.parametrize("name", MODELS)
def test_a_model_fills_four_fifths_of_the_height(renderer: OffscreenRenderer, name: str) -> None:
    """Or nine tenths of the width, if it is wider than the picture: in the window and in `render`."""
    document = opened(name)
    renderer.show(document)
    for size in SIZES:
        aspect = size[0] / size[1]
        view = document.first_view(ViewState())
        shown = replace(view, camera=framed(document, Camera(), view, aspect))
        check(filled(renderer, shown, size), size)
        rendered = cameras(document, view, [0.0], [direction(None, None)], aspect)[0]
        check(filled(renderer, replace(view, camera=rendered), size), size)


@pytest.mark.parametrize("name", MODELS)
def test_a_thumbnail_is_drawn_as_large_as_it_is_shown(renderer: OffscreenRenderer, name: str) -> None:
    """Its margins are cut off, and what is left is as large as the tooltip shows it."""
    document = opened(name)
    renderer.show(document)
    side = round(THUMBNAIL * MARGINS)
    view = plain_view(document)
    view = replace(view, camera=framed(document, Camera(), view, 1.0))
    share = filled(renderer, view, (side, side))
    check(share, (side, side))
    assert max(share) * side >= THUMBNAIL - STEP


def test_the_sample_stands_upright_and_fills_the_height(renderer: OffscreenRenderer) -> None:
    """What the window shows first: the walker in a viewport that is wider than high."""
    document = opened(MODELS[0])
    renderer.show(document)
    view = replace(document.first_view(ViewState()), camera=framed(document, Camera(), ViewState(), 1.2))
    assert filled(renderer, view, (600, 500))[1] == pytest.approx(0.8, abs=0.01)


def test_a_turntable_never_leaves_the_picture(renderer: OffscreenRenderer) -> None:
    document = opened(MODELS[0])
    renderer.show(document)
    directions = [replace(Camera(), yaw=turn) for turn in np.linspace(0.0, 6.0, 8).tolist()]
    views = cameras(document, ViewState(), [0.0], directions, 1.0)
    assert len({camera.target for camera in views}) == 1
    view = document.first_view(ViewState())
    shares = [filled(renderer, replace(view, camera=camera), (300, 300)) for camera in views]
    assert 0.7 < max(height for _, height in shares) < 0.82
    assert max(width for width, _ in shares) < 0.95
