"""Settings of playback: clip, channels, ghosts, the parts of a unit, marked ranges of frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from math import floor
from operator import attrgetter
from types import MappingProxyType
from typing import Annotated, Final, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from viewer.formats.neighbors.component import AT_REST, BodyMotion
from viewer.model.clips.machinery import NO_VALUES, Values
from viewer.options import MenuEntry, Needed, Option, ShellOption
from viewer.session.options import is_shared, taking
from viewer.translation import _
from viewer.typed_json import Limits

Key = TypeVar("Key")
Value = TypeVar("Value")
_NO_VALUES: Final[Mapping[int, float]] = MappingProxyType({})
_ALL_FOLLOW: Final[Mapping[int, OwnTime]] = MappingProxyType({})
_NONE_TURNING: Final[Mapping[int, int]] = MappingProxyType({})
SLOWEST: Final = 0.25
FASTEST: Final = 240.0
"""Bounds of the speed, frames per second."""
MOST_FRAMES: Final = 0xFFFF
"""The last frame that a marked range may have."""
METAL: Final = 5
"""The ground surface of machines."""


def with_value(values: Mapping[Key, Value], key: Key, value: Value | None) -> Mapping[Key, Value]:
    """The values with another one for a key, or none for None; they cannot be changed."""
    others = {it: other for it, other in values.items() if it != key}
    return MappingProxyType(others if value is None else {**others, key: value})


class Root(StrEnum):
    """The use of the translation of the first node; the values are saved."""

    STILL = "still"
    TRAVEL = "travel"


class OwnTime(Struct, frozen=True):
    """The time of a node that does not follow what plays.

    Attributes
    ----------
    frames
        The time at which it stands still, or how much later than the others it is.
    is_offset
        Whether it goes on with them.
    """

    frames: float
    is_offset: bool = False

    def at(self, time: float) -> float:
        """The time of the node while the others are at a time, in frames."""
        return time + self.frames if self.is_offset else self.frames


class Fade(Struct, frozen=True):
    """A clip that the playing one is blended with.

    Attributes
    ----------
    clip
        Its index.
    seconds
        Its time; if it is in step, how much later it is than that.
    weight
        That of its pose, 0 to 1.
    is_in_step
        It is as far into its length as the clip that plays is into its own; else it is frozen at its time.
    """

    clip: int
    seconds: float = 0.0
    weight: float = 0.5
    is_in_step: bool = True


class PlayedEffects(Struct, frozen=True):
    """The effects that play on a model.

    Attributes
    ----------
    started
        When each that was started by hand was, in seconds on the clock of the materials, by its row.
    is_with_clip
        Those that are started on loading, and by the clip that plays, play too.
    strength
        What drives them from outside, 0 to 1; None for what the clip and the channels say.
    surface
        The number of the ground surface that explosions are on.
    """

    started: Mapping[int, float] = field(default_factory=lambda: _NO_VALUES)
    is_with_clip: Annotated[
        bool,
        Option(
            _("Effects with the clip"),
            stored="has_effects",
            action=MenuEntry("playback.effects", "V", needs=Needed.TAB, begins_group=True),
        ),
    ] = False
    strength: float | None = None
    surface: int = METAL

    @property
    def is_playing(self) -> bool:
        """Whether any may play."""
        return bool(self.started) or self.is_with_clip


class Machinery(Struct, frozen=True):
    """Movement of the channels that components drive.

    Attributes
    ----------
    is_on
        They move; else they stand as the strip or the clip says.
    motion
        How the object moves, by hand.
    since, base
        The time on the clock of the materials, seconds, from which on it moves so, and the values of the
        channels at that time; the initial ones of others.
    """

    is_on: Annotated[
        bool,
        Option(
            _("Machinery"),
            (
                _("What turns by itself turns: rotors, dishes; from its initial value at time 0."),
                _("Space pauses it with all else that plays."),
            ),
            stored="has_machinery",
            action=MenuEntry("playback.machinery"),
            shell=ShellOption(
                "--machinery",
                _("what turns by itself turns, from its initial value at time 0: rotors, dishes; {unless}"),
            ),
        ),
    ] = True
    motion: BodyMotion = AT_REST
    since: float = 0.0
    base: Values = field(default_factory=lambda: NO_VALUES)


Point = tuple[float, float, float]


class EffectSettings(Struct, frozen=True):
    """Playback of an effect in a tab of its own.

    Attributes
    ----------
    seed
        Of all random numbers.
    mode
        Time mode in place of the header's, or None.
    strength, size, has_steps, is_set, has_slow_streams
        As in `EffectInputs`.
    is_spread
        The particles of a burst start one after the other.
    direction
        That of the axes, one of which it is; None for those of the world.
    eye
        The eye to which sprites turn; None for that of the camera.
    target
        Where bolts start; no file says where.
    hidden
        Blocks that are not drawn.
    slot
        That of an explosion that plays.
    """

    seed: int = 1
    mode: int | None = None
    strength: float = 1.0
    size: float = 1.0
    is_spread: bool = False
    has_steps: bool = False
    is_set: bool = False
    has_slow_streams: bool = False
    direction: Point | None = None
    eye: Point | None = None
    target: Point = (10.0, 0.0, 0.0)
    hidden: frozenset[int] = frozenset()
    slot: int = 0

    def toggled(self, block: int) -> EffectSettings:
        """Show or hide a block."""
        return replace(self, hidden=self.hidden ^ {block})

    def alone(self, block: int, count: int) -> EffectSettings:
        """Show a block alone, or all of them if it is."""
        others = frozenset(range(count)) - {block}
        return replace(self, hidden=frozenset() if self.hidden == others else others)


class Playback(Struct, frozen=True):
    """The playback besides the strip of frames.

    Attributes
    ----------
    clip
        Index of the clip that is played instead of the strip; None for the strip.
    seconds
        Time since the start of the clip.
    part
        The part of the clip that is played, first and last second; None for all of it.
    fade
        Another clip that it is blended with; None for none.
    channels
        Values of the channels that were set, 0 to 1, by their index.
    turning
        Channels that move by themselves, by index: 1 if their value grows, -1 if it falls.
    blend
        A second time in frames, and its weight, 0 to 1, with which all frames are blended as the engine does;
        None for none. A clip blends by itself.
    own
        The times of nodes that do not follow, by node.
    effects
        The effects that play on the model.
    machinery
        How the channels that components drive move.
    stage
        How an effect plays that is open itself.
    has_sound
        The sounds of effects are played.
    root
        `STILL` leaves out the translation of a first node without a parent, as the game does.
    """

    clip: int | None = None
    seconds: float = 0.0
    part: tuple[float, float] | None = None
    fade: Fade | None = None
    channels: Mapping[int, float] = field(default_factory=lambda: _NO_VALUES)
    turning: Mapping[int, int] = field(default_factory=lambda: _NONE_TURNING)
    blend: tuple[float, float] | None = None
    own: Mapping[int, OwnTime] = field(default_factory=lambda: _ALL_FOLLOW)
    effects: PlayedEffects = field(default_factory=PlayedEffects)
    machinery: Machinery = field(default_factory=Machinery)
    stage: EffectSettings = field(default_factory=EffectSettings)
    has_sound: Annotated[
        bool,
        Option(
            _("Sounds of effects"),
            stored="has_sound",
            action=MenuEntry("playback.sound", "S", needs=Needed.TAB),
        ),
    ] = False
    root: Annotated[
        Root,
        Option(
            stored="root",
            shell=ShellOption(
                "--root",
                _(
                    "still leaves out the translation of a first node without a parent, as the game does; "
                    "{unless}"
                ),
            ),
        ),
    ] = Root.STILL

    def with_look(self, other: Playback) -> Playback:
        """The playback with what applies to the whole program from another one."""
        return taking(self, other, is_shared)

    def with_other_root(self) -> Playback:
        """The playback with the root travelling if it was still, or still if it was travelling."""
        return replace(self, root=Root.STILL if self.root is Root.TRAVEL else Root.TRAVEL)

    def with_own(self, node: int, own: OwnTime | None) -> Playback:
        """The playback with the own time of a node set; with None it follows again."""
        return replace(self, own=with_value(self.own, node, own))

    def with_channel(self, channel: int, value: float | None) -> Playback:
        """The playback with the value of a channel set; None resets it."""
        return replace(self, channels=with_value(self.channels, channel, value))


class FrameRange(Struct, frozen=True):
    """A range of frames of a model that is played on its own.

    Parameters
    ----------
    first, last
        Whole frames, both included.
    name
        The name that the user gave it; may be empty.
    """

    first: Annotated[int, Limits(MOST_FRAMES)]
    last: Annotated[int, Limits(MOST_FRAMES)]
    name: str = ""

    @classmethod
    def between(cls, one: float, other: float) -> FrameRange:
        """The frames from one time to another, in either order, each rounded to the nearest frame."""
        ends = [max(0, floor(time + 0.5)) for time in (one, other)]
        return cls(min(ends), max(ends))


Ranges = tuple[FrameRange, ...]
"""The ranges of one model, ordered by their frames, each once."""


def in_order(ranges: Iterable[FrameRange]) -> Ranges:
    """Ranges by their frames, each once."""
    return tuple(sorted(set(ranges), key=attrgetter("first", "last", "name")))


def with_range(ranges: Iterable[FrameRange], added: FrameRange) -> Ranges:
    """The ranges and one more."""
    return in_order((*ranges, added))


def without_range(ranges: Iterable[FrameRange], removed: FrameRange) -> Ranges:
    """The ranges without one of them."""
    return tuple(other for other in ranges if other != removed)


Share = Annotated[float, Limits(1)]
Rgb = tuple[Share, Share, Share]
"""Red, green and blue, 0 to 1."""
MOST_GHOSTS: Final = 8
"""Most ghosts before and after the present time, each."""
LONGEST_STEP: Final = 100


class Ghosts(Struct, frozen=True):
    """Ghosts before and after the current time.

    Attributes
    ----------
    before, after
        How many there are.
    step
        Frames from one to the next; of a clip frames at our rate.
    color_before, color_after
        Their colors.
    """

    before: Annotated[int, Limits(MOST_GHOSTS), Option(stored="ghosts.before")] = 2
    after: Annotated[int, Limits(MOST_GHOSTS), Option(stored="ghosts.after")] = 2
    step: Annotated[int, Limits(LONGEST_STEP, 1), Option(stored="ghosts.step")] = 4
    color_before: Annotated[Rgb, Option(stored="ghosts.color_before")] = (0.95, 0.45, 0.35)
    color_after: Annotated[Rgb, Option(stored="ghosts.color_after")] = (0.35, 0.75, 0.95)


MOST_APART: Final = 2.0
"""The largest value of `UnitPlay.explode`."""
_NOTHING: Final[Mapping[int, Playback]] = MappingProxyType({})


class UnitPlay(Struct, frozen=True):
    """The settings of the parts of a unit; the chassis plays as the view does.

    Attributes
    ----------
    explode
        How far each part is away from the part that it hangs on: by this multiple of the distance of their
        centers.
    playbacks
        What other parts play, by component.
    """

    explode: float = 0.0
    playbacks: Mapping[int, Playback] = field(default_factory=lambda: _NOTHING)

    def with_playback(self, component: int, playback: Playback) -> UnitPlay:
        """The unit with what one of its parts plays changed."""
        return replace(self, playbacks=with_value(self.playbacks, component, playback))
