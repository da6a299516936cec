"""The section plane of a view: where a choice puts it, and what links keep of it."""

from __future__ import annotations

from math import pi

import pytest
from msgspec.structs import replace

from viewer.options import option_at
from viewer.session.view.camera import Camera
from viewer.session.view.options.section import SectionAxis, offset_of, plane_of
from viewer.session.view.view_state import ViewState, for_document, lasting

AXIS = option_at(ViewState, "section")


def test_nothing_is_cut_at_first() -> None:
    assert plane_of(ViewState()) is None
    assert offset_of(ViewState()) == 0.0


@pytest.mark.parametrize(
    ("axis", "place"), [(SectionAxis.X, 3.0), (SectionAxis.Y, 4.0), (SectionAxis.Z, 5.0)]
)
def test_a_choice_puts_it_through_what_the_camera_looks_at(axis: SectionAxis, place: float) -> None:
    view = AXIS.chosen(ViewState(camera=Camera(target=(3.0, 4.0, 5.0))), axis)
    assert view.section_offset == place
    moved = replace(view, camera=Camera())
    assert offset_of(moved) == place, "the camera moves on without it"


def test_the_half_before_the_camera_is_cut_away() -> None:
    front, back = (AXIS.chosen(ViewState(camera=Camera(yaw=yaw)), SectionAxis.Y) for yaw in (0.0, pi))
    assert plane_of(front) == (-0.0, -1.0, -0.0, 0.0) or plane_of(front) == (0.0, -1.0, 0.0, 0.0)
    assert plane_of(back) == (0.0, 1.0, 0.0, -0.0)


def test_the_same_choice_again_moves_nothing() -> None:
    view = replace(AXIS.chosen(ViewState(), SectionAxis.X), section_offset=7.0)
    assert AXIS.chosen(view, SectionAxis.X) == view
    assert AXIS.chosen(view, SectionAxis.OFF).section_offset == 7.0


def test_it_stays_in_the_tab_and_not_for_the_next_start() -> None:
    view = AXIS.chosen(ViewState(), SectionAxis.Z)
    assert for_document(view).section is SectionAxis.Z
    assert lasting(view).section is SectionAxis.OFF
