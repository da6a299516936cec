"""A sky as ``inspect`` prints it: its keyframes to read, and the lights at an hour."""

from __future__ import annotations

from typing import Any, Final

from viewer.cli.usage.arguments import HOUR
from viewer.errors import UsageError
from viewer.formats.sky import SECTIONS, Sky
from viewer.model.sky.day import first_day
from viewer.model.sky.rows import keyframe_rows
from viewer.translation import _

KEYFRAMES: Final = "keyframes"
_SHOWN: Final = (
    *("section", "keyframe", "time", "event", "name", "scene", "main_light", "strength", "counter_light"),
    *("fog", "effects"),
)


def at(sky: Sky, hour: float) -> dict[str, Any]:
    """Return scene color, lights and fog at an hour; raises `UsageError` if there is no keyframe."""
    day = first_day(sky)
    if day is None:
        raise UsageError(_("{option}: the sky has no keyframes", option=HOUR), source="inspect")
    moment = day.at(hour)
    return {
        "scene": [*moment.light.scene],
        "lights": [{"direction": [*it.direction], "color": [*it.color]} for it in moment.light.lights],
        "fog": [*moment.fog],
    }


def readable(sky: Sky, fields: dict[str, Any]) -> dict[str, Any]:
    """Return a document with a table of all keyframes in the place of its sections."""
    rows = [{name: getattr(row, name) for name in _SHOWN} for row in keyframe_rows(sky)]
    days = [
        {"day_seconds": section.day_seconds, KEYFRAMES: len(section.keyframes)} for section in sky.sections
    ]
    return {**fields, SECTIONS: days, KEYFRAMES: rows}
