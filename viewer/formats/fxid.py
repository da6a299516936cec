"""FXID, an effect: a header and a stream of commands whose sizes follow from their opcodes.

Source: spec/fxid.md.
Status: proven (structure), inferred (meaning).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from viewer.errors import Diagnostic, Severity
from viewer.formats.findings import findings
from viewer.formats.fxid_commands import COMMAND_KINDS, REFERENCE, CommandKind
from viewer.formats.part import Part, RecordGroup, RecordParts, group, listing, raw, single
from viewer.formats.record import Bytes, Field, Record, Rows, Status
from viewer.formats.text import until_nul
from viewer.translation import Sentence

COMMANDS = "commands"
TAIL = "tail"
WORD_SIZE = 4
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

_RECORDS = {opcode: kind.record for opcode, kind in COMMAND_KINDS.items()}
_NONE = {opcode: record.new(0) for opcode, record in _RECORDS.items()}
_TOO_MUCH = 1 << 62
_SIZES = [_RECORDS[opcode].size if opcode in _RECORDS else _TOO_MUCH for opcode in range(256)]
"""Size of a command by its opcode, bytes; the size of an unknown one never fits."""


def _field_offsets(field: str) -> npt.NDArray[np.int64]:
    """Offset of a field in commands, by opcode; 0 for commands in which it is optional."""
    field_offsets = np.zeros(256, np.int64)
    for opcode, kind in COMMAND_KINDS.items():
        if kind.needs_reference:
            field_offsets[opcode] = kind.record.field(field).offset
    return field_offsets


_ARCHIVE_AT, _RESOURCE_AT = map(_field_offsets, REFERENCE)


@dataclass(frozen=True, slots=True, eq=False)
class Effect:
    """A decoded effect.

    Parameters
    ----------
    header
        One `HEADER` record.
    offsets
        Offsets of the commands that could be read, shape (n,) int64.
    opcodes
        The opcode of each, shape (n,).
    tables
        The commands of each kind, as records; in the order of `COMMAND_KINDS`.
    tail
        Bytes after the last whole command.
    diagnostics
        Diagnostics.
    """

    header: np.void
    offsets: npt.NDArray[np.int64]
    opcodes: npt.NDArray[np.uint8]
    tables: tuple[Rows, ...]
    tail: Bytes = b""
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def enabled(self) -> npt.NDArray[np.bool_]:
        """Bit 8 of the word of each command."""
        enabled = np.empty(len(self.opcodes), np.bool_)
        for kind, rows in zip(COMMAND_KINDS.values(), self.tables, strict=True):
            enabled[self.opcodes == kind.opcode] = rows["word"] & ENABLED > 0
        return enabled

    def records(self, kind: CommandKind) -> Rows:
        """The fields of all commands of a kind, in order."""
        return self.tables[[*COMMAND_KINDS].index(kind.opcode)]

    def references(self) -> Iterator[tuple[int, bytes, bytes]]:
        """Index, archive and resource of each command with a reference, by kind."""
        for kind in COMMAND_KINDS.values():
            if kind.has_reference:
                rows = self.records(kind)
                names = [map(until_nul, rows[name].tolist()) for name in REFERENCE]
                yield from zip(np.flatnonzero(self.opcodes == kind.opcode).tolist(), *names, strict=True)


def decode(data: Bytes) -> Effect:
    """Read an effect; raises `FormatError` if the header is truncated (F01).

    An unknown opcode or a truncated command ends the stream; the commands before it are kept.
    """
    data = memoryview(data).cast("B")
    header = HEADER.read(data, rule="F01")
    count = int(header["command_count"])
    offsets, end = _walk(data, count)
    stored = np.frombuffer(data, np.uint8)
    opcodes = stored[offsets]
    counts = np.bincount(opcodes, minlength=256)
    tables = tuple(
        _anywhere(stored, record)[offsets[opcodes == opcode]] if counts[opcode] else _NONE[opcode]
        for opcode, record in _RECORDS.items()
    )
    found = (*_end_findings(data, count, len(offsets), end), *_command_findings(stored, offsets))
    return Effect(header, offsets, opcodes, tables, data[end:], found)


def encode(effect: Effect) -> bytes:
    """The payload: the commands of each kind at their offsets; the count is that of the header."""
    stored = np.empty(HEADER.size + sum(rows.nbytes for rows in effect.tables), np.uint8)
    stored[: HEADER.size] = np.frombuffer(effect.header.tobytes(), np.uint8)
    for (opcode, record), rows in zip(_RECORDS.items(), effect.tables, strict=True):
        if len(rows):
            _anywhere(stored, record)[effect.offsets[effect.opcodes == opcode]] = rows
    return stored.tobytes() + effect.tail


def parts(effect: Effect) -> Part:
    """Return the tree of parts."""
    kinds = np.searchsorted([*COMMAND_KINDS], effect.opcodes)
    commands = RecordParts([*_groups(effect)], kinds)
    listed = listing(COMMANDS, commands, HEADER.size, "The commands of the effect, in order.")
    tail = raw(TAIL, effect.tail, listed.end, "Bytes after the last whole command.")
    return group((single(HEADER, effect.header), listed, tail))


def _groups(effect: Effect) -> Iterator[RecordGroup]:
    """The commands by opcode."""
    for kind, rows in zip(COMMAND_KINDS.values(), effect.tables, strict=True):
        indices = np.flatnonzero(effect.opcodes == kind.opcode).astype(np.int64)
        yield RecordGroup(kind.record, indices, effect.offsets[indices], rows)


def _anywhere(stored: npt.NDArray[np.uint8], record: Record) -> Rows:
    """A view with a record at every byte offset, overlapping, for reading or writing at some offsets."""
    return np.ndarray((len(stored) - record.size + 1,), record.dtype, stored, strides=(1,))


def _walk(data: memoryview, count: int) -> tuple[npt.NDArray[np.int64], int]:
    """The offsets of up to `count` commands, and the end of the last whole one."""
    offsets = array("q")
    start = HEADER.size
    while len(offsets) < count and start + WORD_SIZE <= len(data):
        end = start + _SIZES[data[start]]
        if end > len(data):
            break
        offsets.append(start)
        start = end
    return np.frombuffer(offsets, np.int64) if offsets else np.empty(0, np.int64), start


def _end_findings(data: memoryview, count: int, found: int, end: int) -> Iterator[Diagnostic]:
    if found < count:
        yield Diagnostic("F02", Severity.ERROR, _problem(data, end), COMMANDS, found)
    elif end < len(data):
        message = Sentence(
            "{left} bytes after the last of {count} commands", left=len(data) - end, count=count
        )
        yield Diagnostic("F03", Severity.ERROR, message, TAIL)


def _problem(data: memoryview, start: int) -> str:
    """Why no command can be read at `start`."""
    if start + WORD_SIZE > len(data):
        return Sentence("no word at {start}, the effect has {size} bytes", start=start, size=len(data))
    kind = COMMAND_KINDS.get(data[start])
    if kind is None:
        return Sentence("unknown opcode {opcode} at {start}", opcode=data[start], start=start)
    return Sentence(
        "{name} at {start} ends at {end}, the effect has {size} bytes",
        name=kind.name,
        start=start,
        end=start + kind.record.size,
        size=len(data),
    )


def _command_findings(stored: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> list[Diagnostic]:
    """Commands with an empty reference that is required, or with unknown bits in their word."""
    archive, resource = (
        offsets + field_offsets[stored[offsets]] for field_offsets in (_ARCHIVE_AT, _RESOURCE_AT)
    )
    is_unnamed = (archive > offsets) & (stored[archive] == 0)
    has_unknown = (stored[offsets + 1] > 1) | (stored[offsets + 2] > 0) | (stored[offsets + 3] > 0)
    return [
        *_rows("F04", is_unnamed, "no archive name", "archive"),
        *_rows(
            "F04",
            ~is_unnamed & (resource > offsets) & (stored[resource] == 0),
            "no resource name",
            "resource",
        ),
        *_rows("F05", has_unknown, "unknown bits above the enabled bit", "word"),
    ]


def _rows(rule: str, is_wrong: npt.NDArray[np.bool_], message: str, field: str) -> list[Diagnostic]:
    return findings(rule, Severity.WARNING, COMMANDS, is_wrong, lambda _: message, field)
