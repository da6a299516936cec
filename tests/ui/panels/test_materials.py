"""What the list of materials says of one."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.material.materials import PLAIN_PHASE, Block, FoundIn, Material, Rectangle, TextureRef
from viewer.model.material.phases import state_at
from viewer.model.store.address import Address
from viewer.session.view.options.lighting import Look
from viewer.ui.material.material_sheet import summary
from viewer.ui.material.texture_viewer import shown_part, small_level
from viewer.ui.panels.materials import main_colors, title_of


def picture(side: int, mip_count: int) -> TextureRef:
    data = texm.build(np.zeros((side, side, 4), np.uint8), PixelFormat.RGB565, mip_count=mip_count)
    return TextureRef(Address.parse("here"), "name", texm.decode(data))


def test_a_material_is_called_by_its_row_and_name() -> None:
    assert title_of(Material(2, "STEEL", FoundIn.NAME)) == "2  STEEL"
    assert title_of(Material(2, "STEEL", FoundIn.DEFAULT)) == "2  STEEL: default material"
    assert (
        title_of(Material(0, "GRASS", FoundIn.NAME), Material(1, "ROCK", FoundIn.NAME))
        == "0  GRASS + 1  ROCK"
    )
    assert title_of(Material(7)) == "7  (unnamed)"


def test_a_phase_that_no_light_falls_on_has_the_color_of_its_ambient() -> None:
    unlit = replace(PLAIN_PHASE, is_lit=False)
    states = [state_at(Material(0, phases=(phase,)), 0.0) for phase in (PLAIN_PHASE, unlit)]
    shown = [main_colors(state, Look.PLAIN) for state in states]
    assert shown == [("diffuse", "emissive"), ("ambient", "emissive")]
    assert {main_colors(state, Look.GAME) for state in states} == {("ambient", "diffuse")}


def test_what_is_out_of_the_ordinary_is_said() -> None:
    material = Material(0, phases=(PLAIN_PHASE, PLAIN_PHASE), attr1=3 << 2, has_see_through_flag=True)
    assert summary(material) == "multiply, 2 phases, see-through"
    assert summary(Material(0, blocks=(Block(0, 0, ()), Block(0, 0, ())))) == "opaque, 2 variants"


def test_a_small_picture_takes_the_smallest_level_that_is_sharp() -> None:
    assert small_level(picture(256, 5)) == 1
    assert small_level(picture(64, 3)) == 0


def test_a_small_picture_shows_the_rectangle_in_use_and_as_sharp() -> None:
    whole = picture(256, 5)
    part = replace(whole, page=Rectangle(64, 128, 128, 32))
    assert [tuple(corner) for corner in shown_part(whole)] == [(0, 0), (1, 1)]
    assert [tuple(corner) for corner in shown_part(part)] == [(0.25, 0.5), (0.75, 0.625)]
    assert small_level(part) == 0
