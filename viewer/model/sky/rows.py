"""Keyframes of a sky as rows to read: times, events, colors, lights, fog, effects.

Source: spec/field-notes.md 10.
Status: inferred.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from viewer.formats.meaning import meaning
from viewer.formats.sky import KEYFRAME, Keyframe, Sky
from viewer.formats.text import decode
from viewer.model.sky.clock import clock

_EVENT = KEYFRAME.field("event")


class KeyframeRow(NamedTuple):
    """A keyframe as a row to read.

    Attributes
    ----------
    section, keyframe
        Its section, and its place in it.
    time
        Its time as ``HH:MM``.
    event
        What begins or ends, in words.
    name
        The first of its six names: that of the body that starts; empty if there is none.
    scene, main_light, counter_light, clouds, apex
        Colors as ``#rrggbb``.
    horizon
        The horizon's colors at 0, 90, 180 and 270 degrees from +Y towards +X.
    strength
        Strength of the main light.
    weather
        Strength of the weather.
    fog
        Start and end of the fog, units.
    effects
        Names of effects and sounds.
    """

    section: int
    keyframe: int
    time: str
    event: str
    name: str
    scene: str
    main_light: str
    strength: float
    counter_light: str
    clouds: str
    apex: str
    horizon: tuple[str, ...]
    fog: tuple[float, float]
    weather: float
    effects: tuple[str, ...]


def keyframe_rows(decoded: Sky) -> Iterator[KeyframeRow]:
    """A row for each keyframe, section by section."""
    for section, found in enumerate(decoded.sections):
        for index, keyframe in enumerate(found.keyframes):
            yield _row(section, index, keyframe)


def _row(section: int, index: int, keyframe: Keyframe) -> KeyframeRow:
    header, floats = keyframe.header, keyframe.floats
    scene, main, counter, clouds, apex, *horizon = (
        _color(keyframe, name)
        for name in (
            *("scene", "main_light", "counter_light", "clouds", "apex"),
            *(f"horizon_{degrees}" for degrees in (0, 90, 180, 270)),
        )
    )
    begin, end = keyframe.fog.tolist()
    return KeyframeRow(
        section,
        index,
        clock(keyframe.hours),
        meaning(_EVENT, header["event"]),
        decode(keyframe.names[0]),
        scene,
        main,
        float(floats["strength"]),
        counter,
        clouds,
        apex,
        tuple(horizon),
        (begin, end),
        float(floats["weather"]),
        tuple(map(decode, keyframe.effects)),
    )


def _color(keyframe: Keyframe, slot: str) -> str:
    # Colors are stored as B, G, R, A (spec/field-notes.md 10); 00 80 ff 00 is #ff8000.
    blue, green, red, _alpha = keyframe.header[slot].tolist()
    return f"#{red:02x}{green:02x}{blue:02x}"
