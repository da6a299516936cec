"""Own background colors: what is chosen with them, what lines are seen on them, what lasts."""

from __future__ import annotations

import pytest

from viewer.control.settings.settings import Settings
from viewer.options import option_at
from viewer.session.play.playback import Rgb
from viewer.session.view.options.background import Background
from viewer.session.view.view_state import ViewState, lasting

COLOR = option_at(ViewState, "background_color")


def test_a_color_that_is_chosen_is_the_background() -> None:
    view = COLOR.chosen(ViewState(), (0.5, 0.25, 0.0))
    assert (view.background, view.background_color) == (Background.OWN, (0.5, 0.25, 0.0))


@pytest.mark.parametrize(
    ("color", "tone"),
    [
        ((0.0, 0.0, 0.0), Background.DARK),
        ((1.0, 1.0, 1.0), Background.LIGHT),
        ((0.0, 0.0, 1.0), Background.DARK),
        ((0.0, 1.0, 0.0), Background.LIGHT),
    ],
)
def test_lines_are_light_on_a_dark_color_and_dark_on_a_light_one(color: Rgb, tone: Background) -> None:
    assert COLOR.chosen(ViewState(), color).tone is tone


@pytest.mark.parametrize("kind", [Background.DARK, Background.LIGHT, Background.TRANSPARENT])
def test_the_others_have_their_own_tone(kind: Background) -> None:
    assert ViewState(background=kind, background_color=(1.0, 1.0, 1.0)).tone is kind


def test_it_is_remembered() -> None:
    view = COLOR.chosen(ViewState(), (0.5, 0.25, 0.0))
    assert lasting(view).background_color == (0.5, 0.25, 0.0)
    assert Settings().with_view(view).view.background is Background.OWN
