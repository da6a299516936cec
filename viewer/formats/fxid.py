"""FXID, an effect: a header and a stream of commands whose sizes follow from their opcodes.

Source: spec/fxid.md.
Status: proven (structure, sizes, offset of the reference), inferred (meaning, names of fields).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from viewer.dataclass import dataclass
from viewer.errors import Diagnostic, Severity
from viewer.formats import objects
from viewer.formats.findings import findings
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
    3: "particle",
    4: "distance_particle",
    5: "trail",
    6: "point",
    7: "particle_grid",
    8: "spawner",
    9: "rendered_particle",
    10: "particle_grid_2",
}
"""Names of the opcodes."""

_WORD = Field(
    "word",
    "<u4",
    "Kind of the command, and whether it is enabled.",
    bits=(
        Bits("opcode", 0, 8, "Kind of the command.", values=OPCODES, status=Status.PROVEN),
        Bits("enabled", 8, 1, "Whether it is enabled.", values={0: "no", 1: "yes"}, status=Status.PROVEN),
    ),
)


@dataclass(frozen=True, slots=True)
class CommandKind:
    """One opcode: its name, its whole record, and whether its reference may be empty."""

    opcode: int
    name: str
    record: Record
    needs_reference: bool = True

    @property
    def has_reference(self) -> bool:
        """Whether the command has a reference."""
        return len(self.record.fields) > 1

    @property
    def window(self) -> tuple[str, str] | None:
        """The fields with the times between which the command is active, or None."""
        names = {field.name for field in self.record.fields}
        return next((pair for pair in _WINDOWS if names.issuperset(pair)), None)


_WINDOWS = (
    ("start", "end"),
    ("active_start", "active_end"),
    ("active_start", "active_end_max"),
    ("window_start", "window_end"),
)
"""The pairs of fields that hold start and end of a command."""
_DOCS = {
    "mode": "Mode of the command.",
    "alpha_source": "Source of the alpha; negative: the time of the whole effect.",
    "start": "Start time.",
    "end": "End time.",
    "active_start": "Start of the window in which it is active.",
    "active_end": "End of the window in which it is active.",
    "color": "Red, green, blue.",
    "distance_normaliser": "The run time multiplies by its inverse.",
    "drag": "Drag or gravity.",
    "max_segments": "Largest number of segments.",
    "render_kind": "0, 1 or 2.",
    "unknown_0x08": "Not used.",
    "unknown_0x0c": "Not used.",
}
"""Descriptions of fields by name."""
_SUFFIXES = {"min": "Lower limit.", "max": "Upper limit.", "random": "Random span.", "power": "Power."}
"""Descriptions of fields by the last word of their name."""


def _field(name: str, dtype: str, shape: tuple[int, ...] = ()) -> Field:
    text = _DOCS.get(name) or _SUFFIXES.get(name.rpartition("_")[2], "Meaning unknown; the name is a hint.")
    return Field(name, dtype, text, shape=shape, status=Status.INFERRED)


def _words(*names: str) -> tuple[Field, ...]:
    return tuple(_field(name, "<u4") for name in names)


def _floats(*names: str) -> tuple[Field, ...]:
    return tuple(_field(name, "<f4") for name in names)


def _vectors(*names: str, count: int = 3) -> tuple[Field, ...]:
    return tuple(_field(name, "<f4", (count,)) for name in names)


def _kind(
    opcode: int,
    size: int,
    *fields: Field,
    after: tuple[Field, ...] = (),
    needs_reference: bool = True,
) -> CommandKind:
    """A kind whose record is the command word, `fields`, the reference, and what comes `after` it."""
    body = (*fields, *objects.REFERENCE.fields, *after) if fields else ()
    name = OPCODES[opcode]
    record = Record(name, size, _WORD, *body, doc=f"Command {opcode}.")
    return CommandKind(opcode, name, record, needs_reference)


_PARTICLE = (
    *_words("mode"),
    *_floats(
        "alpha_source", "power_0", "power_1", "out_min", "out_max", "out_power", "active_start", "active_end"
    ),
    *_vectors(
        "set0_min", "set0_max", "set0_power", "set1_min", "set1_max", "set2_min", "set2_max", "set2_power"
    ),
)
_GRID = (
    *_words("mode"),
    *_floats("min", "max", "power", "active_start", "active_end", "phase_span", "phase_rate"),
    *_words("count_0", "count_1"),
    *_vectors("set0_min", "set0_max", "set0_random", "set0_power"),
    *_vectors("set1_min", "set1_max", "set1_random", "set1_power"),
    *_floats("drag"),
)
_TIMED = (
    *_words("mode"),
    *_floats("start", "end"),
    *_vectors("position_a_min", "position_a_max", "position_b_min", "position_b_max"),
)

COMMAND_KINDS: dict[int, CommandKind] = {
    kind.opcode: kind
    for kind in (
        _kind(
            1, 224,
            *_TIMED,
            *_vectors("parameter_min", "parameter_max", "parameter_random", count=4),
            *_floats("scalar_min", "scalar_max", "scalar_random"),
            *_vectors("color"),
            Field("unknown_0x88", "u1", "Unknown.", shape=(24,), status=Status.OPEN),
            needs_reference=False,
        ),
        _kind(
            2, 148,
            *_TIMED,
            *_floats("scalar_0", "scalar_1", "scalar_2", "scalar_3"),
            *_words("parameter"),
        ),
        _kind(3, 200, *_PARTICLE),
        _kind(4, 204, *_PARTICLE, after=_floats("distance_normaliser")),
        _kind(
            5, 112,
            *_words("mode", "unknown_0x08", "unknown_0x0c"),
            *_floats("active_start"),
            *_words("max_segments"),
            *_floats("active_end_min", "active_end_max", "step", "segment_length", "alpha_source", "power"),
        ),
        _kind(6, 4, needs_reference=False),
        _kind(7, 208, *_GRID),
        _kind(
            8, 248,
            *_words("mode"),
            *_floats("window_start", "window_end", "gate_start", "gate_end"),
            *_floats("period_min", "period_max", "power"),
            *_words("slots"),
            *_vectors("set0_min", "set0_max", "set0_random", "set1_min", "set1_max", "set1_random"),
            *_vectors("random", "set_power", "bounds_0", "bounds_1", "bounds_2", "render_power"),
        ),
        _kind(9, 208, *_PARTICLE, after=_words("render_kind", "render_flag")),
        _kind(10, 208, *_GRID),
    )
}  # fmt: skip


COMMANDS = "commands"
ENABLED = 0x100
"""The bit of a command's word that means enabled."""

FLAG_HINTS = {
    0x0001: "random phase",
    0x0002: "delete when strength reaches 1",
    0x0004: "detach after emit",
    0x0008: "random position shift",
    0x0010: "visibility or always emit",
    0x0020: "triangular remap",
    0x0040: "start inactive (inverted)",
    0x0080: "day-night gate",
    0x0100: "opposite day-night gate",
    0x0200: "multiply by normalised age",
    0x0400: "manager state bit",
    0x0800: "extra gate when clear",
    0x1000: "second manager state bit",
    0x8000: "ignore part state",
}
"""Known bits of the header's flags."""

TIME_MODES = {
    0: "constant",
    1: "normalised age",
    2: "fraction of the normalised age",
    3: "one minus the normalised age",
    4: "external value",
    5: "length of a state vector",
    6: "x of a state vector",
    7: "y of a state vector",
    8: "z of a state vector",
    9: "length of a second state vector",
    10: "x of a second state vector",
    11: "y of a second state vector",
    12: "z of a second state vector",
    13: "one minus an external value",
    14: "one minus an external value",
    15: "larger of two ratios",
    16: "external value, never falling",
    17: "external value, never rising",
}
"""Sources of the effect's time; its normalised age runs from 0 to 1."""

HEADER = Record(
    "header",
    60,
    Field("command_count", "<u4", "Number of commands."),
    Field("time_mode", "<u4", "Source of the effect's time.", values=TIME_MODES, status=Status.INFERRED),
    Field("duration", "<f4", "Duration of the effect.", unit="s"),
    Field("phase_jitter", "<f4", "Amplitude of a random phase, with flag 0x0001.", status=Status.INFERRED),
    Field("flags", "<u4", "Modes of the effect.", flags=FLAG_HINTS, status=Status.INFERRED),
    Field("settings_id", "<u4", "Only the low byte is used.", status=Status.INFERRED),
    Field("random_shift", "<f4", "Used with flag 0x0008.", shape=(3,), status=Status.INFERRED),
    Field("pivot", "<f4", "Center of rotation and scale.", shape=(3,), status=Status.INFERRED),
    Field("scale", "<f4", "Scale.", shape=(3,), status=Status.INFERRED),
    doc="Timing and modes of the effect, and its number of commands.",
)


@dataclass(frozen=True, slots=True, eq=False)
class Effect:
    """A decoded effect.

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
    def enabled(self) -> npt.NDArray[np.bool_]:
        """Bit 8 of the word of each command."""
        enabled = np.empty(len(self.opcodes), np.bool_)
        for kind, rows in zip(COMMAND_KINDS.values(), self.commands.tables, strict=True):
            enabled[self.opcodes == kind.opcode] = rows["word"] & ENABLED > 0
        return enabled

    def records(self, kind: CommandKind) -> Rows:
        """The fields of all commands of a kind, in order."""
        return self.commands.tables[[*COMMAND_KINDS].index(kind.opcode)]

    def references(self) -> Iterator[tuple[int, bytes, bytes]]:
        """Index, archive and resource of each command with a reference, by kind."""
        for kind in COMMAND_KINDS.values():
            if kind.has_reference:
                rows = self.records(kind)
                names = [map(until_nul, rows[name].tolist()) for name in REFERENCE]
                yield from zip(np.flatnonzero(self.opcodes == kind.opcode).tolist(), *names, strict=True)


def _findings(effect: Effect) -> Iterable[Diagnostic]:
    """Commands with an empty reference that is required, or with unknown bits in their word."""
    count = len(effect.opcodes)
    is_wrong = {it: np.zeros(count, np.bool_) for it in (*REFERENCE, "word")}
    for kind, rows in zip(COMMAND_KINDS.values(), effect.commands.tables, strict=True):
        if not len(rows):
            continue
        where = effect.opcodes == kind.opcode
        is_wrong["word"][where] = rows["word"] >= ENABLED << 1
        if kind.needs_reference:
            is_empty = [names_of(rows[name])[:, 0] == 0 for name in REFERENCE]
            is_wrong[REFERENCE[0]][where] = is_empty[0]
            is_wrong[REFERENCE[1]][where] = is_empty[1] & ~is_empty[0]
    yield from _rows("F04", is_wrong, "no archive name", "archive")
    yield from _rows("F04", is_wrong, "no resource name", "resource")
    yield from _rows("F05", is_wrong, "unknown bits above the enabled bit", "word")


def _rows(
    rule: str, is_wrong: Mapping[str, npt.NDArray[np.bool_]], message: str, field: str
) -> list[Diagnostic]:
    return findings(rule, Severity.WARNING, COMMANDS, is_wrong[field], lambda _: message, field)


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
