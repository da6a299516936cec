"""What the list of materials says of one."""

from __future__ import annotations

import numpy as np

from viewer.formats import texm
from viewer.formats.pixels import PixelFormat
from viewer.model.materials import PLAIN_PHASE, AlphaKind, Found, Material, Picture
from viewer.session.timeline import material_time
from viewer.session.view_state import ViewState
from viewer.ui.panels.materials import facts, mode_text, small_level, stopped_at, summary, title_of


def picture(side: int, mip_count: int) -> Picture:
    data = texm.build(np.zeros((side, side, 4), np.uint8), PixelFormat.RGB565, mip_count=mip_count)
    return Picture.of("here", "name", texm.decode(data))


def test_a_material_is_called_by_its_row_and_name() -> None:
    assert title_of(Material(2, "STEEL", Found.NAME)) == "2  STEEL"
    assert title_of(Material(2, "STEEL", Found.DEFAULT)) == "2  STEEL: default"
    assert title_of(Material(7)) == "7  no such row: missing"


def test_what_is_out_of_the_ordinary_is_said() -> None:
    material = Material(0, phases=(PLAIN_PHASE, PLAIN_PHASE), attr1=3 << 2, is_two_sided=True)
    assert summary(material) == "multiply, 2 phases, two-sided"


def test_every_field_of_a_phase_is_told() -> None:
    assert facts(PLAIN_PHASE, AlphaKind.GLOSS) == {
        "power": "0",
        "is lit": "yes",
        "texture": "none",
        "page": "whole texture",
        "alpha": "gloss",
    }


def test_a_small_picture_takes_the_smallest_level_that_is_sharp() -> None:
    assert small_level(picture(256, 5)) == 1
    assert small_level(picture(64, 3)) == 0


def test_a_key_stops_the_time_where_it_begins() -> None:
    view = stopped_at(ViewState(is_playing=True, speed=20.0), 750)
    assert material_time(view) == 750.0
    assert not view.is_playing


def test_unknown_modes_are_told_by_number() -> None:
    assert mode_text(1) == "ping-pong"
    assert mode_text(9) == "mode 9"
