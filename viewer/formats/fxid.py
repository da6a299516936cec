"""FXID, an effect: a header and a stream of commands whose length follows from their opcode.

Source: spec/fxid.md.
Status: proven (structure), inferred (meaning).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from viewer.errors import Diagnostic, Severity
from viewer.formats.fxid_commands import KINDS, REFERENCE, Kind
from viewer.formats.record import Bytes, Field, Record, Status
from viewer.formats.text import until_nul

COMMAND = "FXID.command"
WORD_SIZE = 4
ENABLED = 0x100

HEADER = Record(
    "FXID.header",
    60,
    Field("command_count", "<u4", "Number of commands."),
    Field("time_mode", "<u4", "How the effect's time runs, 0..17.", status=Status.INFERRED),
    Field("duration", "<f4", "How long it lasts.", unit="s"),
    Field("phase_jitter", "<f4", "Amplitude of a random phase, with flag 0x0001.", status=Status.INFERRED),
    Field("flags", "<u4", "Flags.", status=Status.INFERRED),
    Field("settings_id", "<u4", "Only the low byte is used.", status=Status.INFERRED),
    Field("random_shift", "<f4", "Used with flag 0x0008.", shape=(3,), status=Status.INFERRED),
    Field("pivot", "<f4", "Centre of rotation and scale.", shape=(3,), status=Status.INFERRED),
    Field("scale", "<f4", "Scale.", shape=(3,), status=Status.INFERRED),
)


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its word and where it lies in the payload."""

    word: int
    offset: int

    @property
    def kind(self) -> Kind:
        """What the opcode means."""
        return KINDS[self.word & 0xFF]

    @property
    def is_enabled(self) -> bool:
        """Bit 8 of the word."""
        return bool(self.word & ENABLED)

    @property
    def end(self) -> int:
        """First byte after the command."""
        return self.offset + self.kind.record.size


@dataclass(frozen=True, slots=True)
class Effect:
    """A decoded effect over its own payload; `commands` are those that could be read."""

    data: memoryview
    header: np.void
    commands: tuple[Command, ...]
    diagnostics: tuple[Diagnostic, ...]

    def record(self, command: Command) -> np.void:
        """The fields of a command, in the record of its kind."""
        return command.kind.record.read(self.data, offset=command.offset)

    def reference(self, command: Command) -> tuple[bytes, bytes] | None:
        """Archive and resource that a command names; None for a kind that names nothing."""
        if not command.kind.has_reference:
            return None
        record = self.record(command)
        archive, resource = (until_nul(bytes(record[name])) for name in REFERENCE)
        return archive, resource


def decode(data: Bytes) -> Effect:
    """Read an effect; raises `FormatError` where the header is cut.

    An unknown opcode or a cut command ends the stream: what came before it is shown.
    """
    data = memoryview(data).cast("B")
    header = HEADER.read(data)
    findings: list[Diagnostic] = []
    commands = _read_commands(data, int(header["command_count"]), findings)
    effect = Effect(data, header, commands, tuple(findings))
    findings += _command_findings(effect)
    return Effect(data, header, commands, tuple(findings))


def encode(effect: Effect) -> bytes:
    """The payload, exactly as it was read."""
    return bytes(effect.data)


def _read_commands(data: memoryview, count: int, findings: list[Diagnostic]) -> tuple[Command, ...]:
    commands: list[Command] = []
    start = HEADER.size
    while len(commands) < count:
        problem = _problem(data, start)
        if problem:
            findings.append(Diagnostic("F02", Severity.ERROR, problem, COMMAND, len(commands)))
            return tuple(commands)
        commands.append(Command(int.from_bytes(data[start : start + WORD_SIZE], "little"), start))
        start = commands[-1].end
    if start < len(data):
        message = f"{len(data) - start} bytes after the last of {count} commands"
        findings.append(Diagnostic("F03", Severity.ERROR, message, "FXID.tail"))
    return tuple(commands)


def _problem(data: memoryview, start: int) -> str:
    """Why there is no command at `start`; empty where there is one."""
    if start + WORD_SIZE > len(data):
        return f"no word at {start}, the effect has {len(data)} bytes"
    kind = KINDS.get(data[start])
    if kind is None:
        return f"unknown opcode {data[start]} at {start}"
    end = start + kind.record.size
    return (
        f"{kind.name} at {start} ends at {end}, the effect has {len(data)} bytes" if end > len(data) else ""
    )


def _command_findings(effect: Effect) -> Iterator[Diagnostic]:
    for index, command in enumerate(effect.commands):
        reference = effect.reference(command)
        if command.kind.needs_reference and reference is not None and not all(reference):
            yield Diagnostic("F04", Severity.WARNING, "names no resource", COMMAND, index, "reference")
        if command.word >> 9:
            message = f"unknown bits in {command.word:#x}"
            yield Diagnostic("F05", Severity.WARNING, message, COMMAND, index, "word")
