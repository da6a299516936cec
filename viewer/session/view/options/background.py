"""The background of a view: a tone, nothing, or a color of the user."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

import numpy as np
from msgspec.structs import replace

from viewer.options import OF_SETTINGS, MenuEntry, Option, OptionChoice
from viewer.translation import _

if TYPE_CHECKING:
    from viewer.session.play.playback import Rgb
    from viewer.session.view.view_state import ViewState

LIGHT_FROM: Final = 0.5
"""Brightness of an own background from which lines on it are dark."""


class Background(StrEnum):
    """Backgrounds; the values are saved."""

    DARK = "dark"
    LIGHT = "light"
    TRANSPARENT = "transparent"
    OWN = "own"


def _on_own_color(_before: ViewState, after: ViewState) -> ViewState:
    """The view on a background of the color that was just chosen."""
    return replace(after, background=Background.OWN)


KIND: Final = Option(
    _("Background"),
    stored="background",
    link="background",
    choices=(
        OptionChoice(Background.DARK, _("Dark"), icon="moon"),
        OptionChoice(Background.LIGHT, _("Light gray"), icon="sun"),
        OptionChoice(Background.TRANSPARENT, _("Transparent"), icon="chess-board"),
        OptionChoice(
            Background.OWN, _("Own color"), _("Chosen in Display and in the settings"), icon="palette"
        ),
    ),
    action=MenuEntry("view.background"),
    section=OF_SETTINGS,
    has_button=True,
    label=_("background"),
)
COLOR: Final = Option(
    _("Background color"),
    stored="background_color",
    link="background_color",
    section=OF_SETTINGS,
    label=_("own background"),
    settles=_on_own_color,
)


def tone_of(background: Background, color: Rgb) -> Background:
    """The background whose colors of lines and letters are seen on a background, whose own color is given."""
    if background is not Background.OWN:
        return background
    # The weights of red, green and blue in the brightness of a pixel (ITU-R BT.709).
    brightness = np.dot(color, (0.2126, 0.7152, 0.0722))
    return Background.LIGHT if brightness > LIGHT_FROM else Background.DARK
