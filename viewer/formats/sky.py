"""The sky of a mission (``sky.ske``): the keyframes of its days, between which everything is interpolated.

Source: spec/field-notes.md 10.
Status: inferred.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Annotated, Final

import numpy as np
import numpy.typing as npt
from msgspec import Meta, Struct

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.formats.findings import Rule
from viewer.formats.layout.layout import Count, Layout
from viewer.formats.layout.lists import CountedText, Listing, Nested
from viewer.formats.layout.members import Single, tail
from viewer.formats.record import CP1251, Field, Record, Status
from viewer.formats.text import decode as text_of
from viewer.json_types import Hex, JsonObject, Natural, Pair, Quaternion, described, names_of

SECTIONS: Final = "sections"
KEYFRAMES: Final = "keyframes"
NAME_COUNT: Final = 6
SLOT_COUNT: Final = 22
SLOT_SIZE: Final = 4
FAR: Final = 700.0
"""The game's far plane, units: the fog's ends are fractions of it."""
LAST_HOUR: Final = 24
START, STOP = 0, 1
"""Events that begin and end the way of the sun or the moon."""
EVENTS: Final = {
    START: "start of sun or moon",
    STOP: "stop of sun or moon",
    2: "nothing",
    3: "rain",
    4: "rain",
    5: "snow",
    6: "snow",
    7: "nothing",
    8: "lightning",
    9: "lightning",
}
WITHOUT_EFFECTS: Final = 2
"""The version of a keyframe without a list of effects."""
MOST_SECTIONS: Final = 256
MOST_KEYFRAMES: Final = 4096
"""Most rows that are read; known files have 2 sections of some 20 keyframes."""
_OPEN: Final = Status.OPEN
_BGRA: Final = {"": ("blue", "green", "red", "alpha")}


def _time(prefix: str, hour: str, minute: str) -> tuple[Field, ...]:
    """The fields of a time, 32 bytes, with the meanings of its hour and its minute."""
    return (
        Field(f"{prefix}section", "<u4", "Section of the time."),
        Field(f"{prefix}unknown_0x04", "<u4", "Not read by the game.", (2,), status=_OPEN),
        Field(f"{prefix}hour", "<u4", hour),
        Field(f"{prefix}minute", "<u4", minute),
        Field(f"{prefix}unknown_0x14", "<u4", "Not read by the game.", (3,), status=_OPEN),
    )


def _color(name: str, doc: str) -> Field:
    return Field(name, "u1", doc, (SLOT_SIZE,), components=_BGRA)


def _horizon(degrees: int) -> Field:
    """The horizon at a compass point, degrees from +Y towards +X."""
    return _color(f"horizon_{degrees}", "Color of the horizon at a compass point, and of the fog there.")


def _ring(number: int, degrees: int) -> Field:
    """A ring above the horizon, which is ring 1."""
    return _color(f"ring{number}_{degrees}", "Color of a ring of the dome at a compass point.")


HEADER = Record(
    "header",
    12,
    Field("mark", "<u4", "0xFFFFFFFF.", allowed=(0xFFFFFFFF,)),
    Field("version", "<u4", "Version of the format, 5.", allowed=(5,)),
    Field("section_count", "<i4", "Number of sections, which are played in turn."),
    doc="Version, and the number of sections.",
    status=Status.INFERRED,
)
SECTION = Record(
    "section",
    72,
    Field("mark", "<u4", "Always 1.", allowed=(1,)),
    Field("keyframe_count", "<i4", "Number of keyframes."),
    *_time("last_", "Hour 23 of the last minute; not read by the game.", "Minute 59; not read by the game."),
    *_time("day_", "Real hours that a day of the game takes.", "Real minutes that are added to them."),
    doc="Number of keyframes, and how long the day takes.",
    status=Status.INFERRED,
)
SLOTS: Final = (
    Field("slot_0", "u1", "Left-over memory.", (SLOT_SIZE,), status=_OPEN),
    # Slots are in no order of the compass: 1 to 4 are 180, 0, 90, 270 degrees from +Y towards +X, and both
    # rings are 0, 180, 270, 90 (spec/field-notes.md 10).
    *map(_horizon, (180, 0, 90, 270)),
    # Two floats among the colors, slots 5 and 6: all others are four bytes.
    Field("fog_start", "<f4", "Start of the fog as a fraction of 700 units."),
    Field("fog_end", "<f4", "End of the fog as a fraction of 700 units."),
    *(_ring(2, degrees) for degrees in (0, 180, 270, 90)),
    *(_ring(3, degrees) for degrees in (0, 180, 270, 90)),
    _color("apex", "Color of the apex and of the ring around it."),
    Field("slot_16", "u1", "Not read by the game.", (SLOT_SIZE,), status=_OPEN),
    _color("sun_glare", "Its alpha weights how much brighter the main light is while the sun is in view."),
    _color("clouds", "Color of the clouds."),
    _color("main_light", "Color of the main light, times its strength."),
    _color("scene", "Scene color: the least light of a surface."),
    _color("counter_light", "Color of the light from the opposite side."),
)
"""The slots of a keyframe in their order; colors are blue, green, red, alpha."""
# 4 bytes of version, 32 of time, 4 of event and 22 slots of 4.
KEYFRAME = Record(
    "keyframe",
    128,
    Field(
        "version",
        "<u4",
        "Version of the keyframe: 3, or 2 without effects. Which 20 slots version 1 has is not known.",
        allowed=(WITHOUT_EFFECTS, 3),
    ),
    *_time("", "Hour of the day.", "Minute of the hour."),
    Field("event", "<u4", "What begins or ends at this time.", values=EVENTS),
    *SLOTS,
    doc="Colors, fog and event at one time of the day.",
    status=Status.INFERRED,
)
FLOATS = Record(
    "measures",
    16,
    Field("sun_width", "<f4", "The sun's extent across."),
    Field("sun_height", "<f4", "The sun's extent upwards."),
    Field("strength", "<f4", "Strength of the main light."),
    Field("weather", "<f4", "Strength of the weather."),
    doc="Extent of the sun, strengths of the main light and of the weather.",
    status=Status.INFERRED,
)
EFFECTS = Record(
    "effect_count",
    4,
    Field("count", "<i4", "Number of effects and sounds.", status=Status.INFERRED),
    doc="Number of effects and sounds.",
)
CLOCK = Record(
    "start",
    40,
    *_time("", "Hour at which the clock starts.", "Minute at which the clock starts."),
    Field("unknown_0x20", "<u4", "0; not read by the game.", status=_OPEN),
    Field("unknown_0x24", "<u4", "0 or 1; not read by the game.", status=_OPEN),
    doc="Where the clock starts.",
    status=Status.INFERRED,
)


# Keyed by the length, of which the names of a file have few.
@lru_cache(64)
def text_record(length: int) -> Record:
    """The record of a text after its length, without a NUL."""
    stated = Field("length", "<u4", "Length of the text.")
    texts = [Field("text", f"V{length}", "Name of a body, an effect or a sound.", encoding=CP1251)]
    return Record("text", 4 + length, stated, *(texts if length else ()), doc="Text with its length.")


class Keyframe(Struct, frozen=True, eq=False):
    """The sky at one time of the day.

    Parameters
    ----------
    header, floats, effect_count
        One `KEYFRAME`, `FLOATS` and `EFFECTS` record.
        In version 2 the number of effects is None.
    name_rows, effect_rows
        Records of `text_record`: six names, the first that of the body that starts; effects and sounds.
    """

    header: np.void
    name_rows: tuple[np.void, ...]
    floats: np.void
    effect_count: np.void | None
    effect_rows: tuple[np.void, ...]

    @property
    def hours(self) -> float:
        """The time of the day of a keyframe, hours."""
        return int(self.header["hour"]) + int(self.header["minute"]) / 60

    @property
    def names(self) -> tuple[bytes, ...]:
        """The six names, up to their NULs."""
        return tuple(map(_text, self.name_rows))

    @property
    def effects(self) -> tuple[bytes, ...]:
        """The names of effects and sounds."""
        return tuple(map(_text, self.effect_rows))

    @property
    def fog(self) -> npt.NDArray[np.float64]:
        """Start and end of the fog, units, (2,)."""
        return np.array([self.header["fog_start"], self.header["fog_end"]], np.float64) * FAR


class Section(Struct, frozen=True, eq=False):
    """A list of keyframes.

    Parameters
    ----------
    header
        One `SECTION` record.
    keyframes
        Its whole keyframes.
    """

    header: np.void
    keyframes: tuple[Keyframe, ...]

    @property
    def day_seconds(self) -> int:
        """Real seconds that a day of the game takes."""
        # The time of the section is how long a day takes: 0:15 is a day of 900 s, as in most files.
        return (int(self.header["day_hour"]) * 60 + int(self.header["day_minute"])) * 60


class Sky(Struct, frozen=True, eq=False):
    """A decoded sky: its sections of keyframes.

    Parameters
    ----------
    header
        One `HEADER` record.
    sections
        The sections that could be read.
    start
        One `CLOCK` record; None if it is missing.
    tail
        Everything from the first section or keyframe that does not fit.
    """

    header: np.void
    sections: tuple[Section, ...]
    start: np.void | None
    tail: bytes
    diagnostics: tuple[Diagnostic, ...] = ()


def _text(row: np.void) -> bytes:
    # Behind the 4 bytes of the length.
    return row.tobytes()[text_record(0).size :]


def _has_clock(left: memoryview, _ignored: object) -> bool:
    return len(left) >= CLOCK.size


def _has_effects(_ignored: memoryview, keyframe: Keyframe) -> bool:
    return bool(keyframe.header["version"] != WITHOUT_EFFECTS)


def _effect_count(keyframe: Keyframe) -> int:
    return 0 if keyframe.effect_count is None else int(keyframe.effect_count["count"])


def _findings(sky: Sky) -> Iterator[Diagnostic]:
    """Times that are none, out of order or without a section; numbers that are not finite."""
    if sky.start is None and not sky.diagnostics:
        yield Rule("SKY01").finding("no start of the clock after the sections")
    for index, section in enumerate(sky.sections):
        place = f"{SECTIONS}[{index}].{KEYFRAMES}"
        yield from _wrong_keyframes(section.keyframes, place)
    if sky.start is not None:
        count = len(sky.sections)
        rule = Rule("SKY03", CLOCK.name, "section", Severity.WARNING)
        if sky.start["section"] >= count:
            yield rule.finding("{section} of {count} sections", section=sky.start["section"], count=count)
        yield from _wrong_time(sky.start, CLOCK.name)


def _wrong_keyframes(keyframes: tuple[Keyframe, ...], place: str) -> Iterator[Diagnostic]:
    last = 0.0
    for index, keyframe in enumerate(keyframes):
        table = f"{place}[{index}].{KEYFRAME.name}"
        yield from _wrong_time(keyframe.header, table)
        if keyframe.hours < last:
            words = "{hours:.6g} h is before {last:.6g} h of the keyframe before"
            rule = Rule("SKY02", table, "hour", Severity.WARNING)
            yield rule.finding(words, hours=keyframe.hours, last=last)
        last = keyframe.hours
        for record, row in ((KEYFRAME, keyframe.header), (FLOATS, keyframe.floats)):
            for declared in record.fields:
                if declared.is_float and not np.isfinite(row[declared.name]):
                    rule = Rule("SKY04", f"{place}[{index}].{record.name}", declared.name, Severity.WARNING)
                    yield rule.finding("{values} is not finite", values=row[declared.name])


def _wrong_time(row: np.void, table: str) -> Iterator[Diagnostic]:
    """The hour or the minute of a time that no clock shows; the last time of a day is 24:00."""
    hour, minute = int(row["hour"]), int(row["minute"])
    rule = "SKY03"
    # 24:00 ends a day and is a time; 24:01 is none.
    if hour * 60 + minute > LAST_HOUR * 60:
        yield Rule(rule, table, "hour", Severity.WARNING).finding("{hour} exceeds 24 hours", hour=hour)
    elif minute > 59:
        yield Rule(rule, table, "minute", Severity.WARNING).finding("{minute} exceeds 59", minute=minute)


_KEYFRAME = Layout(
    Keyframe,
    header=Single(KEYFRAME, "SKY01"),
    name_rows=Listing(
        "names",
        CountedText(text_record, has_end=False),
        "The first is the body that starts or stops: sun, or the moon.",
        lambda _: NAME_COUNT,
        "SKY01",
        is_whole=True,
    ),
    floats=Single(FLOATS, "SKY01"),
    effect_count=Single(EFFECTS, "SKY01", is_optional=True, when=_has_effects),
    effect_rows=Listing(
        "effects",
        CountedText(text_record, has_end=False),
        "Effects and sounds from this time on.",
        _effect_count,
        "SKY01",
        is_whole=True,
    ),
)
_SECTION = Layout(
    Section,
    header=Single(SECTION, "SKY01"),
    keyframes=Listing(
        KEYFRAMES,
        Nested("times", _KEYFRAME),
        "Times of the day in their order.",
        Count("header", "keyframe_count"),
        "SKY01",
        MOST_KEYFRAMES,
    ),
)
LAYOUT = Layout(
    Sky,
    check=_findings,
    header=Single(HEADER, "SKY01"),
    sections=Listing(
        SECTIONS,
        Nested("days", _SECTION),
        "Lists of keyframes, played in turn.",
        Count("header", "section_count"),
        "SKY01",
        MOST_SECTIONS,
    ),
    start=Single(CLOCK, "SKY01", is_optional=True, when=_has_clock),
    tail=tail("Bytes that are not decoded.", "SKY01", Severity.WARNING),
)
decode, encode, parts = LAYOUT.decode, LAYOUT.encode, LAYOUT.parts


class KeyframeMembers(JsonObject, frozen=True):
    """A keyframe of a section."""

    hour: Natural
    minute: Natural
    event: Natural
    slots: Annotated[Sequence[Hex], Meta(min_length=22, max_length=22)]
    fog: Annotated[Pair, described("start and end")]
    names: Annotated[Sequence[str], Meta(min_length=6, max_length=6)]
    floats: Quaternion
    effects: Sequence[str]


class SectionMembers(JsonObject, frozen=True):
    """A day of a sky."""

    day_seconds: Natural
    keyframes: Sequence[KeyframeMembers]


class StartTime(JsonObject, frozen=True):
    """Start time of a mission."""

    section: Natural
    hour: Natural
    minute: Natural


class SkyFacts(Struct, frozen=True):
    """Values of a sky."""

    sections: Sequence[SectionMembers]
    start: StartTime | None


def facts(sky: Sky, _ignored: object = None) -> SkyFacts:
    """The sections of a sky with their keyframes, and the start of the mission."""
    start = sky.start
    return SkyFacts(
        [SectionMembers(it.day_seconds, [*map(_plain, it.keyframes)]) for it in sky.sections],
        None if start is None else StartTime(*(int(start[name]) for name in names_of(StartTime))),
    )


def _plain(keyframe: Keyframe) -> KeyframeMembers:
    header = keyframe.header
    return KeyframeMembers(
        hour=int(header["hour"]),
        minute=int(header["minute"]),
        event=int(header["event"]),
        slots=[header[it.name].tobytes().hex() for it in SLOTS],
        fog=keyframe.fog.tolist(),
        names=[*map(text_of, keyframe.names)],
        floats=[*map(float, keyframe.floats.tolist())],
        effects=[*map(text_of, keyframe.effects)],
    )
