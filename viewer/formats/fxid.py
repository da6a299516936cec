"""FXID, an effect: a header and a stream of commands whose sizes follow from their opcodes.

Source: spec/fxid.md (bytes), spec/effects.md (meaning; it calls the commands blocks).
Status: proven (structure, sizes, offset of the reference), inferred (meaning).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.formats import objects
from viewer.formats.findings import Rule
from viewer.formats.layout.layout import Count, Layout
from viewer.formats.layout.lists import Tagged, TaggedRows
from viewer.formats.layout.members import Single, tail
from viewer.formats.record import Bits, Field, Record, Rows, Status
from viewer.formats.text import names_of, until_nul

REFERENCE = ("archive", "resource")
"""The fields of a reference, in commands that have one."""
OPCODES = {
    1: "light",
    2: "sound",
    3: "sprite",
    4: "glow",
    5: "bolt",
    6: "point",
    7: "burst",
    8: "stream",
    9: "dome",
    10: "debris",
}
"""Names of the opcodes."""
ON_TOP = 0x100
"""The bit of a command's word that means drawn without a depth test while the tested point is in view."""

_WORD = Field(
    "word",
    "<u4",
    "Kind of the command, and whether it is drawn over the scene.",
    bits=(
        Bits("opcode", 0, 8, "Kind of the command.", values=OPCODES, status=Status.PROVEN),
        Bits(
            "on_top",
            8,
            1,
            "Whether it is drawn without a depth test while the tested point is in view.",
            values={0: "no", 1: "yes"},
        ),
    ),
)

WINDOW = ("window_start", "window_end")
"""The fields with the times of the effect between which a command is active."""


class CommandKind(Struct, frozen=True):
    """An opcode: its name, its whole record, and whether its reference may be empty."""

    opcode: int
    name: str
    record: Record
    needs_reference: bool = True

    @property
    def has_window(self) -> bool:
        """Whether the command has a window and a reference; a point, which has no fields, has neither."""
        return len(self.record.fields) > 1


# A burst of mode 1 is drawn in mode 3, which is open and has no name here (spec/effects.md 7, 11).
SPRITE_MODES = {0: "faces the eye", 1: "along its direction", 2: "fixed"}
# 2 and 5 are read alike. 3 and 4 are in no retail effect, 5 is in 416 of 618 (spec/effects.md 6).
LIGHT_KINDS = {
    1: "its owner",
    2: "everything",
    3: "directional",
    4: "parallel",
    5: "everything",
    6: "its owner, without the disc on the ground",
    7: "everything, without the disc on the ground",
}
SOUND_KINDS = {0: "once", 1: "once", 2: "loop", 3: "loop"}
SHAPES = {0: "8 x 3", 1: "16 x 6", 2: "24 x 9"}

_DOCS = {
    "window": "Time of the effect between whose two values it is active",
    "fade": "Alpha",
    "phase": "Fraction of the material's track 0; if its start is negative, of the seconds",
    "position": "Position",
    "direction": "Direction, instance space",
    "size": "Size",
    "color": "Red, green, blue and alpha of the light",
    "range": "Range of the light",
    "playback_rate": "Playback rate of the sound",
    "width": "Width",
    "interval": "Time between two particles",
    "attenuation": "Factors of 1, x and x squared; x is 1 at the light and 0 at its range.",
    "near": "Distance up to which the sound has its full volume.",
    "far": "Distance from which its volume is constant.",
    "most_pieces": "Largest number of pieces.",
    "repeat": "Length of one repeat of the texture.",
    "segment": "Length of a piece.",
    "life": "Life of a particle, as a share of the window.",
    "phase_rate": "Cycles of the material in the life of a particle.",
    "count_0": "The number of particles is the product of both counts.",
    "count_1": "The number of particles is the product of both counts.",
    "drag": "Drag or gravity; not known.",
    "phase_exponent": "Phase = age to this power; negative: the random number of the particle.",
    "ring": "Largest number of particles.",
    "reach": "Distance of the eye from which it plays at the time of the effect.",
    "is_faceted": "0: one texture over the dome; else a whole one on each facet.",
}
"""Descriptions of fields, by name or by its first words."""
_UNITS = {
    **dict.fromkeys(("position", "size", "range", "reach"), "instance units"),
    **dict.fromkeys(("width", "repeat", "segment", "near", "far"), "world units"),
    "interval": "s",
}
"""Units of fields, by name or by its first words; exponents have none."""
_SUFFIXES = {
    "start": "first value.",
    "end": "last value.",
    "power": "exponent of the time.",
    "low": "first value.",
    "high": "last value.",
    "jitter": "spread of the random part of the last value.",
    "exponents": "exponents of the time, by axis.",
}
"""Descriptions of fields by the last word of their name."""


def _field(name: str, dtype: str, shape: tuple[int, ...] = ()) -> Field:
    stem, _, suffix = name.rpartition("_")
    # The whole name first: `phase_rate` has a description of its own, `phase_start` is the start of a
    # `phase`.
    if name not in _DOCS and stem not in _DOCS:
        return Field(name, dtype, "Meaning unknown.", shape=shape, status=Status.OPEN)
    text = _DOCS.get(name) or f"{_DOCS[stem]}: {_SUFFIXES[suffix]}"
    unit = None if suffix == "exponents" else _UNITS.get(name, _UNITS.get(stem))
    return Field(name, dtype, text, shape=shape, unit=unit, status=Status.INFERRED)


def _floats(*names: str) -> tuple[Field, ...]:
    return tuple(_field(name, "<f4") for name in names)


def _vectors(*names: str, count: int = 3) -> tuple[Field, ...]:
    return tuple(_field(name, "<f4", (count,)) for name in names)


def _number(name: str, doc: str = "", values: Mapping[int, str] | None = None) -> Field:
    return Field(name, "<u4", doc or _DOCS[name], status=Status.INFERRED, values=values or {})


def _ramp(name: str) -> tuple[Field, ...]:
    """The fields of a value that runs from its start to its end."""
    return _floats(f"{name}_start", f"{name}_end", f"{name}_power")


def _span(name: str) -> tuple[Field, ...]:
    """The fields of a value that runs straight from its start to its end."""
    return _floats(f"{name}_start", f"{name}_end")


def _channel(name: str, *, has_jitter: bool = False) -> tuple[Field, ...]:
    """The fields of a vector that runs by axis."""
    words = ("low", "high", *(("jitter",) if has_jitter else ()), "exponents")
    return _vectors(*(f"{name}_{word}" for word in words))


def _kind(
    opcode: int,
    size: int,
    *fields: Field,
    after: tuple[Field, ...] = (),
    needs_reference: bool = True,
) -> CommandKind:
    """A kind whose record is the command word, `fields`, the reference, and what comes `after` it."""
    # The reference is two names of 32 bytes, as in the registry. Its offset differs by kind, 160 in a light
    # and 84 in a sound; one project's code takes the first 64 bytes of every body, against its own study of
    # the files (spec/README.md 5, C28).
    body = (*fields, *objects.REFERENCE.fields, *after) if fields else ()
    # `Record` refuses fields that do not fill the size of spec/fxid.md 2, so an offset that slips fails at
    # import.
    name = OPCODES[opcode]
    record = Record(name, size, _WORD, *body, doc=f"Command {opcode}.")
    return CommandKind(opcode, name, record, needs_reference)


def _sprite(opcode: int, size: int, *after: Field) -> CommandKind:
    return _kind(
        opcode, size,
        _number("mode", "How it is turned.", SPRITE_MODES),
        *_ramp("phase"), *_ramp("fade"), *_span("window"),
        *_channel("position"), *_vectors("direction_start", "direction_end"), *_channel("size"),
        after=after,
    )  # fmt: skip


def _burst(opcode: int) -> CommandKind:
    return _kind(
        opcode, 208,
        _number("mode", "1: sprite mode 3, any other: sprite mode 0."),
        *_ramp("fade"), *_span("window"), *_floats("life", "phase_rate"),
        _number("count_0"), _number("count_1"),
        *_channel("position", has_jitter=True), *_channel("size", has_jitter=True), *_floats("drag"),
    )  # fmt: skip


COMMAND_KINDS: dict[int, CommandKind] = {
    kind.opcode: kind
    for kind in (
        _kind(
            1, 224,
            _number("mode", "What it lights.", LIGHT_KINDS), *_span("window"),
            *_vectors("position_start", "position_end", "direction_start", "direction_end"),
            *_vectors("color_start", "color_end", "color_jitter", count=4),
            *_floats("range_start", "range_end", "range_jitter"),
            *_vectors("attenuation"),
            Field("unknown_0x88", "u1", "Unknown.", shape=(24,), status=Status.OPEN),
            # One retail light of 618 has a reference (spec/effects.md 13).
            needs_reference=False,
        ),
        _kind(
            2, 148,
            _number("mode", "How it is played.", SOUND_KINDS), *_span("window"),
            *_vectors("position_start", "position_end", "unknown_0x28", "unknown_0x34"),
            *_floats("near", "far", *("playback_rate_start", "playback_rate_end")),
            Field("unknown_0x50", "<u4", "Meaning unknown.", status=Status.OPEN),
        ),
        _sprite(3, 200),
        _sprite(4, 204, *_floats("reach")),
        _kind(
            5, 112,
            *_span("fade"), *_span("window"), _number("most_pieces"), *_span("width"),
            *_floats("repeat", "segment"), *_span("phase"),
        ),
        # Only its word: a kind that the engine knows and no retail effect has.
        _kind(6, 4, needs_reference=False),
        _burst(7),
        _kind(
            8, 248,
            *_ramp("fade"), *_span("window"), *_span("interval"), *_floats("phase_exponent"),
            _number("ring"),
            *_vectors("unknown_0x28", "unknown_0x34", "unknown_0x40", "unknown_0x4c"),
            *_channel("position", has_jitter=True), *_channel("size", has_jitter=True),
        ),
        _sprite(
            9, 208,
            _number("shape", "Segments around it and rings; others draw nothing.", SHAPES),
            _number("is_faceted"),
        ),
        _burst(10),
    )
}  # fmt: skip


COMMANDS = "commands"

FLAG_HINTS = {
    0x0001: "random time",
    0x0002: "deleted at time 1",
    0x0004: "stays in the world after its first tick",
    0x0008: "random shift",
    0x0010: "runs while its node is hidden",
    0x0020: "ping-pong",
    0x0040: "starts off",
    # Day and night, perhaps: the messages that set and clear the bit are known, their sender is not
    # (spec/effects.md 2).
    0x0080: "held at 0 while the manager's bit 0 is clear",
    0x0100: "held at 0 while the manager's bit 0 is set",
    0x0200: "multiplied by the normalized age",
    0x0400: "hidden with the tested point",
    0x0800: "needs the pass argument",
    0x1000: "bolts start at the manager's target",
    0x2000: "without fog",
    0x8000: "the damage stage does not count",
    0x10000: "not read by the game",
}
"""Names of the header's flags."""

TIME_MODES = {
    0: "value from outside",
    1: "normalized age",
    2: "fraction of the normalized age",
    3: "one minus the normalized age",
    4: "value of a node",
    5: "speed",
    6: "speed along x",
    7: "speed along y",
    8: "speed along z",
    9: "spin",
    10: "spin about x",
    11: "spin about y",
    12: "spin about z",
    13: "one minus the value of the attach point",
    14: "one minus the life fraction",
    15: "larger of speed and spin",
    16: "value of a node while it rises",
    17: "value of a node while it falls",
}
"""Sources of the effect's time; its normalized age runs from 0 to 1."""

HEADER = Record(
    "header",
    60,
    Field("command_count", "<u4", "Number of commands."),
    Field("time_mode", "<u4", "Source of the effect's time.", values=TIME_MODES, status=Status.INFERRED),
    Field("duration", "<f4", "Duration of the effect.", unit="s"),
    Field("time_jitter", "<f4", "Spread of the random part of the time, with flag 0x0001."),
    Field("flags", "<u4", "Modes of the effect.", flags=FLAG_HINTS, status=Status.INFERRED),
    Field(
        "settings_id",
        "<u4",
        "Setting of the game that turns it off: low byte its number, high byte its group of detail.",
        status=Status.INFERRED,
    ),
    Field(
        "random_shift",
        "<f4",
        "Spread of a random shift, with flag 0x0008.",
        shape=(3,),
        status=Status.INFERRED,
    ),
    Field(
        "tested_point",
        "<f4",
        "Point, instance space, whose view from the eye decides about commands drawn on top and flag 0x0400.",
        shape=(3,),
        status=Status.INFERRED,
    ),
    Field("scale", "<f4", "Factors of the size that is asked for.", shape=(3,), status=Status.INFERRED),
    doc="Timing and modes of the effect, and its number of commands.",
)


class Effect(Struct, frozen=True, eq=False):
    """A decoded effect: its header and its commands.

    Parameters
    ----------
    header
        One `HEADER` record.
    commands
        The commands that could be read, in the order of `COMMAND_KINDS` by kind.
    tail
        Bytes after the last whole command.
    diagnostics
        Diagnostics.
    """

    header: np.void
    commands: TaggedRows
    tail: bytes = b""
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def opcodes(self) -> npt.NDArray[np.uint8]:
        """The opcode of each command, (n,)."""
        return self.commands.codes

    @property
    def on_top(self) -> npt.NDArray[np.bool_]:
        """Bit 8 of the word of each command, (n,)."""
        on_top = np.empty(len(self.opcodes), np.bool_)
        for kind, rows in zip(COMMAND_KINDS.values(), self.commands.tables, strict=True):
            # The rows of a kind are in the order of the commands, so the mask of its commands takes them in
            # turn. & binds before >: a word 0x104 is an "on top" glow.
            on_top[self.opcodes == kind.opcode] = rows["word"] & ON_TOP > 0
        return on_top

    def records(self, kind: CommandKind) -> Rows:
        """The fields of all commands of a kind, in order."""
        return self.commands.tables[[*COMMAND_KINDS].index(kind.opcode)]

    def references(self) -> Iterator[tuple[int, bytes, bytes]]:
        """Index, archive and resource of each command with a reference, by kind."""
        for kind in COMMAND_KINDS.values():
            if kind.has_window:
                rows = self.records(kind)
                names = [map(until_nul, rows[name].tolist()) for name in REFERENCE]
                yield from zip(np.flatnonzero(self.opcodes == kind.opcode).tolist(), *names, strict=True)


def _findings(effect: Effect) -> Iterable[Diagnostic]:
    """Commands that show or play nothing, as they name nothing, or with unknown bits in their word."""
    count = len(effect.opcodes)
    is_wrong = {it: np.zeros(count, np.bool_) for it in (*REFERENCE, "word")}
    for kind, rows in zip(COMMAND_KINDS.values(), effect.commands.tables, strict=True):
        if not len(rows):
            continue
        where = effect.opcodes == kind.opcode
        # << binds before >=: 0x104 is known in full, 0x204 has bit 9 (F05).
        is_wrong["word"][where] = rows["word"] >= ON_TOP << 1
        if kind.needs_reference:
            is_empty = [names_of(rows[name])[:, 0] == 0 for name in REFERENCE]
            is_wrong[REFERENCE[0]][where] = is_empty[0]
            # One finding for a command: without an archive the resource says nothing.
            is_wrong[REFERENCE[1]][where] = is_empty[1] & ~is_empty[0]
    # No more than information: 25 of the 3602 drawing commands of the game name nothing, and draw nothing
    # (spec/effects.md 13).
    archive, resource = (Rule("F04", COMMANDS, it, Severity.INFO) for it in REFERENCE)
    yield from archive.in_rows(is_wrong["archive"], "no archive name")
    yield from resource.in_rows(is_wrong["resource"], "no resource name")
    unknown = Rule("F05", COMMANDS, "word", Severity.WARNING)
    yield from unknown.in_rows(is_wrong["word"], "unknown bits above bit 8")


LAYOUT = Layout(
    Effect,
    check=_findings,
    header=Single(HEADER, "F01"),
    commands=Tagged(
        COMMANDS,
        {opcode: kind.record for opcode, kind in COMMAND_KINDS.items()},
        "The commands of the effect, in order.",
        Count("header", "command_count"),
        "F02",
    ),
    tail=tail("Bytes after the last whole command.", "F03"),
)
decode, encode, parts = LAYOUT.decode, LAYOUT.encode, LAYOUT.parts
