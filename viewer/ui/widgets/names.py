"""The names of the values of enumerations on screen; saved and compared are the values."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final

from viewer.errors import Severity
from viewer.model.clips.clip import Gait, Movement
from viewer.model.game.installs import Launcher
from viewer.operations.reading_options import ReadingOptions
from viewer.options import options_of
from viewer.session.keymap import KeyPreset
from viewer.session.view.camera import Side
from viewer.session.view.options.textures import Channels
from viewer.session.view.view_state import ViewState
from viewer.translation import Text, _

_NAMES: Final[Mapping[type[Enum], Mapping[Any, Text]]] = {
    **{
        option.choice_kind: {it.value: it.title for it in option.option.choices}
        for option in (*options_of(ViewState), *options_of(ReadingOptions))
        if option.option.choices
    },
    Gait: {
        Gait.STAND: _("stand"),
        Gait.WALK: _("walk"),
        Gait.RUN: _("run"),
        Gait.BACKWARD: _("backward"),
        Gait.TURN: _("turn"),
    },
    Movement: {
        Movement.YAW: _("yaw"),
        Movement.PITCH: _("pitch"),
        Movement.ROLL: _("roll"),
        Movement.SLIDE: _("slide"),
    },
    Side: {
        Side.FRONT: _("Front"),
        Side.BACK: _("Back"),
        Side.LEFT: _("Left"),
        Side.RIGHT: _("Right"),
        Side.TOP: _("Top"),
        Side.BOTTOM: _("Bottom"),
    },
    Launcher: {
        Launcher.STEAM: _("Steam"),
        Launcher.PROTON: _("Proton"),
        Launcher.GOG: _("GOG"),
        Launcher.HEROIC: _("Heroic"),
        Launcher.LUTRIS: _("Lutris"),
        Launcher.BOTTLES: _("Bottles"),
        Launcher.CROSSOVER: _("CrossOver"),
        Launcher.WINE: _("Wine"),
        Launcher.FOLDER: _("program folder"),
        Launcher.DISC: _("disc"),
    },
    Channels: {
        Channels.RGBA: _("Color and alpha"),
        Channels.RGB: _("Color"),
        Channels.RED: _("Red"),
        Channels.GREEN: _("Green"),
        Channels.BLUE: _("Blue"),
        Channels.ALPHA: _("Alpha"),
    },
    Severity: {
        Severity.ERROR: _("error"),
        Severity.WARNING: _("warning"),
        Severity.INFO: _("note"),
    },
    KeyPreset: {
        KeyPreset.MSHVIEW: Text("mshview"),
        KeyPreset.BLENDER: _("Blender"),
        KeyPreset.NIFSKOPE: _("NifSkope"),
    },
}


def message_of(value: Enum) -> Text:
    """Return what a value of one of the enumerations above is called, not yet translated."""
    return _NAMES[type(value)][value]


def name_of(value: Enum) -> str:
    """Return what a value of one of the enumerations above is called on screen."""
    return str(message_of(value))
