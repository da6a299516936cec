"""A day of a sky at any hour: colors, fog and lights between its keyframes.

Source: spec/field-notes.md 10, 4.2.
Status: inferred.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.formats import sky
from viewer.formats.sky import Keyframe, Section, Sky
from viewer.formats.text import fold
from viewer.model.sky.clock import LAST_HOUR
from viewer.model.sky.light import MOON, SUN, Body, Color, Light, SkyLight

Floats = npt.NDArray[np.float64]

MIDDAY: Final = 0.5
"""The fraction that counts while no body is in the sky: the main light is at the top of its way. Ours."""
_SUN: Final = b"sun"
_COLORS: Final = tuple(it.name for it in sky.SLOTS if it.components)


class Passage(NamedTuple):
    """The time in which a body passes over the sky, hours."""

    body: Body
    start: float
    stop: float


class SkyMoment(Struct, frozen=True):
    """A sky at one hour.

    Attributes
    ----------
    light
        The scene color, the main light and the counter light.
    fog
        Start and end of the fog, units.
    horizon
        The horizon's colors, which are those of the fog, 0, 90, 180 and 270 degrees from +Y towards +X.
    body
        The body in the sky, if there is one, and the part of its time that has passed.
    """

    light: SkyLight
    fog: tuple[float, float]
    horizon: tuple[Color, Color, Color, Color]
    body: Body | None
    fraction: float


class Day:
    """The keyframes of a section as curves over the hours.

    Parameters
    ----------
    keyframes
        One or more keyframes.

    Attributes
    ----------
    hours
        The times of the keyframes, ascending, (n,).
    """

    def __init__(self, keyframes: tuple[Keyframe, ...]) -> None:
        # Keyframes of a damaged file may be out of order; equal times keep theirs.
        self._keyframes = sorted(keyframes, key=lambda it: it.hours)
        self.hours: Floats = np.array([it.hours for it in self._keyframes], np.float64)

    @cached_property
    def _colors(self) -> dict[str, Floats]:
        """The colors of each slot at the keyframes, red, green, blue, alpha from 0 to 1, (n, 4)."""
        return {
            # Stored as blue, green, red, alpha (spec/field-notes.md 10).
            name: np.array([it.header[name][[2, 1, 0, 3]] for it in self._keyframes], np.float64) / 255
            for name in _COLORS
        }

    @cached_property
    def _strength(self) -> Floats:
        return _finite([it.floats["strength"] for it in self._keyframes])

    @cached_property
    def _fog(self) -> Floats:
        return _finite([it.fog for it in self._keyframes])

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """Passages of bodies: each from its start to the first later stop, or to the end of the day."""
        found: list[Passage] = []
        for index, keyframe in enumerate(self._keyframes):
            if keyframe.header["event"] == sky.START:
                # Of a start at 00:30 and stops at 14:30 and 23:30 the first later one counts, 14:30.
                stops = (it.hours for it in self._keyframes[index + 1 :] if it.header["event"] == sky.STOP)
                body = SUN if fold(keyframe.names[0]) == _SUN else MOON
                found.append(Passage(body, keyframe.hours, next(stops, float(LAST_HOUR))))
        return tuple(found)

    def color(self, slot: str, hour: float) -> Color:
        """A slot's color at an hour; before the first and after the last keyframe that of it."""
        red, green, blue, _alpha = self.shade(slot, hour)
        return red, green, blue

    def shade(self, slot: str, hour: float) -> tuple[float, float, float, float]:
        """A slot's color and alpha at an hour; before the first and after the last keyframe those of it."""
        rows = self._colors[slot]
        red, green, blue, alpha = (float(self._between(rows[:, index], hour)) for index in range(4))
        return red, green, blue, alpha

    def strength(self, hour: float) -> float:
        """The strength of the main light at an hour."""
        return float(self._between(self._strength, hour))

    def at(self, hour: float) -> SkyMoment:
        """The sky at an hour, 0 to 24."""
        passing = [it for it in self.passages if it.start <= hour < it.stop]
        body, fraction = None, MIDDAY
        if passing:
            body, start, stop = passing[-1]
            # Never of no length: `it.start <= hour < it.stop` holds for none.
            fraction = (hour - start) / (stop - start)
        direction = (body or SUN).direction(fraction)
        strength = self.strength(hour)
        red, green, blue = self.color("main_light", hour)
        # The third float of a keyframe multiplies the main light alone; it reaches 5, so colors above 1 are
        # right here.
        main = Light(direction, (red * strength, green * strength, blue * strength))
        counter = Light(main.towards, self.color("counter_light", hour))
        begin, end = (float(self._between(self._fog[:, index], hour)) for index in range(2))
        first, second, third, fourth = (self.color(f"horizon_{it}", hour) for it in (0, 90, 180, 270))
        light = SkyLight(self.color("scene", hour), (main, counter))
        return SkyMoment(light, (begin, end), (first, second, third, fourth), body, fraction)

    def _between(self, values: Floats, hour: float) -> np.float64:
        # np.interp holds the first and the last value outside of the keyframes: it does not run over
        # midnight.
        found: np.float64 = np.interp(hour, self.hours, values)
        return found


def _finite(values: list[npt.ArrayLike]) -> Floats:
    """Numbers with 0 in the place of those that a damaged file makes infinite or no number."""
    return np.nan_to_num(np.array(values, np.float64), nan=0.0, posinf=0.0, neginf=0.0)


def day_of(section: Section) -> Day | None:
    """The day of a section; None if no keyframe could be read."""
    return Day(section.keyframes) if section.keyframes else None


def first_day(decoded: Sky) -> Day | None:
    """The day in which the clock starts, or the first one; None if there is no keyframe."""
    # Six shipped files have two sections; a damaged clock may name one that is not there.
    index = 0 if decoded.start is None else int(decoded.start["section"])
    sections = decoded.sections[index : index + 1] or decoded.sections[:1]
    return day_of(sections[0]) if sections else None


def first_hour(decoded: Sky) -> float:
    """The hour at which the clock starts, 0 to 24; 0 if that could not be read."""
    if decoded.start is None:
        return 0.0
    hours = int(decoded.start["hour"]) + int(decoded.start["minute"]) / 60
    return min(hours, float(LAST_HOUR))
