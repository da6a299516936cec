"""Belts that share a material: each shows its own fraction of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from viewer.formats.neighbors.component import BodyMotion
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.operations.reading_options import ReadingOptions
from viewer.render import offscreen
from viewer.render.offscreen import OffscreenRenderer
from viewer.session.opened.document import Document
from viewer.session.play import playing, timeline
from viewer.session.play.stage import ModelStage, with_motion
from viewer.session.view.options.lighting import Lighting, LightKind
from viewer.session.view.view_state import ViewState

SIZE = 48, 48
HEAD = Lighting(kind=LightKind.HEAD)
BELTS = 6, 7
"""The nodes of two plates with one row of the wear table, which run at 41.12 and 61.68 turns a second."""


def test_belts_of_one_material_are_apart_in_a_turn(samples: Path) -> None:
    game = samples / "field2" / "game"
    rotor = Document.open(
        FileStore(), Source(Address(game / "made.rlb", ("rotor.msh",)), ReadingOptions(game=game))
    )
    view = playing.play_first(ViewState(overlays=frozenset(), lighting=HEAD), rotor)
    driven = with_motion(view, ModelStage(rotor), BodyMotion(1.0, 0.4))
    renderer = OffscreenRenderer(rotor)
    shown = []
    with renderer.ctx:
        for seconds in (0.0, 0.01):
            moved = timeline.advance(driven, seconds, playing.axis_of(rotor, driven))
            for node in BELTS:
                alone = replace(moved, isolated=frozenset({node}))
                (camera,) = offscreen.cameras(rotor, alone, [alone.time], [offscreen.direction(35, 40)], 1)
                picture = renderer.image(replace(alone, camera=camera), SIZE, is_transparent=True)
                is_covered = picture[..., 3] == 255
                assert is_covered.any()
                shown.append(np.round(picture[is_covered][:, :3].mean(axis=0)).tolist())
    assert shown[0] == shown[1], "alike at rest"
    # The second and the third of four phases, whose diffuse colors are 120 and 180.
    assert np.array(shown[2]) / shown[3] == pytest.approx([120 / 180] * 3, abs=0.02)
