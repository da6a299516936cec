"""FXID, an effect: a header and a stream of commands whose sizes follow from their opcodes.

Source: spec/fxid.md.
Status: proven (structure), inferred (meaning).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from viewer.errors import Diagnostic, Severity
from viewer.formats.findings import findings
from viewer.formats.fxid_commands import COMMAND_KINDS, REFERENCE, CommandKind
from viewer.formats.layout.layout import Count, Layout
from viewer.formats.layout.lists import Tagged, TaggedRows
from viewer.formats.layout.members import Single, tail
from viewer.formats.record import Field, Record, Rows, Status
from viewer.formats.text import names_of, until_nul

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
