"""The sky of the sample's mission: one day of 15 minutes, with a sun, a moon and a shower of rain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from viewer.formats import sky, wear

Color = tuple[int, int, int]
"""Red, green and blue."""

ROLES = ("SMOKE", "HALO", "SMOKE", "HALO", "LAMP", "HALO", "HALO", "HALO", "SMOKE")
"""Materials of nebula, stars, clouds, sun, moon, two lens flares, snow and rain."""
SUN, MOON = b"sun", b"moon"


@dataclass(frozen=True)
class Time:
    """A time of the day.

    Parameters
    ----------
    at
        Hour and minute.
    scene, main, counter
        Colors of the scene, of the main light and of the light opposite.
    horizon, apex
        Colors of the sky.
    strength
        Strength of the main light.
    fog
        Where the fog ends, units.
    event, body
        What begins or ends, and the body that does.
    effects
        Sounds.
    """

    at: tuple[int, int]
    scene: Color
    main: Color
    counter: Color
    horizon: Color
    apex: Color
    strength: float
    fog: float = 560.0
    event: int = 2
    body: bytes = b""
    effects: Sequence[bytes] = field(default_factory=tuple)

    def bytes(self) -> bytes:
        """The keyframe."""
        head = sky.KEYFRAME.new()
        head["version"], head["hour"], head["minute"], head["event"] = 3, *self.at, self.event
        head["fog_end"] = self.fog / sky.FAR
        for name, color in self._colors().items():
            head[name] = (*color[::-1], 255)
        floats = sky.FLOATS.new()
        floats["sun_width"], floats["sun_height"], floats["strength"] = 1.2, 1.2, self.strength
        floats["weather"] = float(self.event == RAIN)
        names = [self.body, *[b""] * (sky.NAME_COUNT - 1)]
        return head.tobytes() + _texts(names) + floats.tobytes() + _counted(self.effects)

    def _colors(self) -> Mapping[str, Color]:
        around = {name: self.horizon for name in sky.KEYFRAME.dtype.names or () if "horizon_" in name}
        between = _mixed(self.horizon, self.apex)
        rings = {name: between for name in sky.KEYFRAME.dtype.names or () if name.startswith("ring")}
        lights = {"main_light": self.main, "scene": self.scene, "counter_light": self.counter}
        return {
            **around,
            **rings,
            **lights,
            "apex": self.apex,
            "clouds": _mixed(self.horizon, (255, 255, 255)),
        }


RAIN, DRY = 3, 4

DAY = (
    Time((0, 0), (44, 50, 78), (70, 84, 140), (14, 16, 34), (24, 28, 52), (8, 10, 24), 0.4),
    Time((0, 30), (78, 56, 60), (214, 120, 84), (26, 30, 52), (196, 108, 84), (40, 48, 92), 0.6,
         event=sky.START, body=SUN),
    Time((3, 0), (66, 62, 66), (255, 206, 150), (40, 52, 74), (216, 190, 168), (84, 124, 186), 1.4),
    Time((7, 30), (52, 54, 58), (255, 246, 228), (52, 64, 86), (196, 214, 230), (70, 122, 200), 2.0, 700.0),
    Time((10, 0), (58, 62, 68), (210, 216, 224), (52, 60, 72), (150, 162, 174), (96, 112, 132), 1.2, 320.0,
         RAIN, effects=(b"rain.wav",)),
    Time((11, 30), (60, 58, 60), (255, 220, 178), (46, 54, 72), (206, 190, 170), (78, 116, 178), 1.6, 520.0,
         DRY),
    Time((14, 30), (84, 52, 48), (232, 104, 66), (30, 28, 52), (208, 92, 66), (46, 44, 86), 0.6,
         event=sky.STOP, body=SUN),
    Time((15, 30), (54, 50, 72), (92, 96, 150), (16, 18, 38), (52, 46, 74), (18, 20, 44), 0.6,
         event=sky.START, body=MOON),
    Time((19, 30), (46, 54, 82), (128, 146, 208), (18, 22, 42), (30, 36, 64), (10, 12, 30), 1.0),
    Time((23, 30), (44, 50, 78), (78, 92, 148), (14, 16, 34), (24, 28, 52), (8, 10, 24), 0.5,
         event=sky.STOP, body=MOON),
    Time((24, 0), (44, 50, 78), (70, 84, 140), (14, 16, 34), (24, 28, 52), (8, 10, 24), 0.4),
)  # fmt: skip


def day_bytes(day: Sequence[Time] = DAY, minutes: int = 15, start: tuple[int, int] = (5, 0)) -> bytes:
    """The file: one day, and the time at which the mission begins."""
    head, section, clock = sky.HEADER.new(), sky.SECTION.new(), sky.CLOCK.new()
    head["mark"], head["version"], head["section_count"] = 0xFFFFFFFF, 5, 1
    section["mark"], section["keyframe_count"] = 1, len(day)
    section["last_hour"], section["last_minute"], section["day_minute"] = 23, 59, minutes
    clock["hour"], clock["minute"] = start
    frames = b"".join(it.bytes() for it in day)
    return head.tobytes() + section.tobytes() + frames + clock.tobytes()


def roles_bytes() -> bytes:
    """The materials of the sky by their roles."""
    return wear.build([name.encode() for name in ROLES])


def _texts(texts: Sequence[bytes]) -> bytes:
    return b"".join(len(it).to_bytes(4, "little") + it for it in texts)


def _counted(texts: Sequence[bytes]) -> bytes:
    return len(texts).to_bytes(4, "little") + _texts(texts)


def _mixed(one: Color, other: Color) -> Color:
    red, green, blue = ((first + second) // 2 for first, second in zip(one, other, strict=True))
    return red, green, blue
