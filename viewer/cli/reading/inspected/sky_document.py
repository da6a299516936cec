"""A sky as ``inspect`` prints it: its keyframes to read, and the lights at an hour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from viewer.cli.usage.arguments import HOUR
from viewer.errors import UsageError
from viewer.formats.sky import SECTIONS, Sky
from viewer.json_types import JsonObject, Natural, Number, Pair, Vector
from viewer.model.sky.day import first_day
from viewer.model.sky.rows import keyframe_rows
from viewer.translation import _

KEYFRAMES: Final = "keyframes"


class LightMembers(JsonObject, frozen=True):
    """A light of a sky."""

    direction: Vector
    color: Vector


class SkyHour(JsonObject, frozen=True):
    """Light of a sky at an hour; the fog is its start and its end."""

    scene: Vector
    lights: Sequence[LightMembers]
    fog: Pair


class SkyAt(Struct, frozen=True):
    """Members that `inspect --hour` adds to a sky."""

    at: SkyHour


class KeyframeLine(JsonObject, frozen=True):
    """A keyframe to read; colors are ``#rrggbb``."""

    section: Natural
    keyframe: Natural
    time: str
    event: str
    name: str
    scene: str
    main_light: str
    strength: Number
    counter_light: str
    fog: Pair
    effects: Sequence[str]


def at(sky: Sky, hour: float) -> SkyAt:
    """Return scene color, lights and fog at an hour; raises `UsageError` if there is no keyframe."""
    day = first_day(sky)
    if day is None:
        raise UsageError(_("{option}: the sky has no keyframes", option=HOUR), source="inspect")
    moment = day.at(hour)
    return SkyAt(SkyHour(moment.light.scene, [*map(LightMembers.of, moment.light.lights)], moment.fog))


def readable(sky: Sky, fields: dict[str, Any]) -> dict[str, Any]:
    """Return a document with a table of all keyframes in the place of its sections."""
    rows = [*map(KeyframeLine.of, keyframe_rows(sky))]
    days = [
        {"day_seconds": section.day_seconds, KEYFRAMES: len(section.keyframes)} for section in sky.sections
    ]
    return {**fields, SECTIONS: days, KEYFRAMES: rows}
