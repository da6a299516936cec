"""FXID, an effect: a header and a stream of commands whose length follows from their opcode.

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

COMMANDS = "commands"
TAIL = "tail"
WORD_SIZE = 4
ENABLED = 0x100
"""The bit of a command's word that says that the command is enabled."""

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
"""What drives the effect; its normalised age goes from 0 to 1."""

HEADER = Record(
    "header",
    60,
    Field("command_count", "<u4", "Number of commands."),
    Field("time_mode", "<u4", "What drives the effect.", values=TIME_MODES, status=Status.INFERRED),
    Field("duration", "<f4", "How long it lasts.", unit="s"),
    Field("phase_jitter", "<f4", "Amplitude of a random phase, with flag 0x0001.", status=Status.INFERRED),
    Field("flags", "<u4", "How the effect runs.", flags=FLAG_HINTS, status=Status.INFERRED),
    Field("settings_id", "<u4", "Only the low byte is used.", status=Status.INFERRED),
    Field("random_shift", "<f4", "Used with flag 0x0008.", shape=(3,), status=Status.INFERRED),
    Field("pivot", "<f4", "Center of rotation and scale.", shape=(3,), status=Status.INFERRED),
    Field("scale", "<f4", "Scale.", shape=(3,), status=Status.INFERRED),
    doc="How the effect runs, and how many commands it has.",
)

_RECORDS = {opcode: kind.record for opcode, kind in COMMAND_KINDS.items()}
_NONE = {opcode: record.new(0) for opcode, record in _RECORDS.items()}
_TOO_MUCH = 1 << 62
_SIZES = [_RECORDS[opcode].size if opcode in _RECORDS else _TOO_MUCH for opcode in range(256)]
"""Bytes of a command by its opcode; those of an unknown one never fit."""


def _places(field: str) -> npt.NDArray[np.int64]:
    """Where commands have a field, by their opcode; 0 for those that may do without it."""
    places = np.zeros(256, np.int64)
    for opcode, kind in COMMAND_KINDS.items():
        if kind.needs_reference:
            places[opcode] = kind.record.field(field).offset
    return places


_ARCHIVE_AT, _RESOURCE_AT = map(_places, REFERENCE)


@dataclass(frozen=True, slots=True, eq=False)
class Effect:
    """A decoded effect.

    Parameters
    ----------
    header
        One `HEADER` record.
    offsets
        Where the commands that could be read start, shape (n,) int64.
    opcodes
        The opcode of each, shape (n,).
    tables
        The commands of each kind in their order: records by the order of `COMMAND_KINDS`.
    tail
        What follows the last whole command.
    diagnostics
        What was wrong but could be worked around.
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
        """The fields of all commands of a kind, in their order."""
        return self.tables[[*COMMAND_KINDS].index(kind.opcode)]

    def references(self) -> Iterator[tuple[int, bytes, bytes]]:
        """Number, archive and resource of each command that has room for a name, kind by kind."""
        for kind in COMMAND_KINDS.values():
            if kind.has_reference:
                rows = self.records(kind)
                names = [map(until_nul, rows[name].tolist()) for name in REFERENCE]
                yield from zip(np.flatnonzero(self.opcodes == kind.opcode).tolist(), *names, strict=True)


def decode(data: Bytes) -> Effect:
    """Read an effect; raises `FormatError` where the header is cut (F01).

    An unknown opcode or a cut command ends the stream: what came before it is shown.
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
    """The payload: the commands of each kind are put back where they were; the count is the header's."""
    stored = np.empty(HEADER.size + sum(rows.nbytes for rows in effect.tables), np.uint8)
    stored[: HEADER.size] = np.frombuffer(effect.header.tobytes(), np.uint8)
    for (opcode, record), rows in zip(_RECORDS.items(), effect.tables, strict=True):
        if len(rows):
            _anywhere(stored, record)[effect.offsets[effect.opcodes == opcode]] = rows
    return stored.tobytes() + effect.tail


def parts(effect: Effect) -> Part:
    """Return what the payload is made of."""
    kinds = np.searchsorted([*COMMAND_KINDS], effect.opcodes)
    commands = RecordParts([*_groups(effect)], kinds)
    listed = listing(COMMANDS, commands, HEADER.size, "What the effect does, in order.")
    tail = raw(TAIL, effect.tail, listed.end, "Bytes after the last whole command.")
    return group((single(HEADER, effect.header), listed, tail))


def _groups(effect: Effect) -> Iterator[RecordGroup]:
    """The commands by opcode."""
    for kind, rows in zip(COMMAND_KINDS.values(), effect.tables, strict=True):
        indices = np.flatnonzero(effect.opcodes == kind.opcode).astype(np.int64)
        yield RecordGroup(kind.record, indices, effect.offsets[indices], rows)


def _anywhere(stored: npt.NDArray[np.uint8], record: Record) -> Rows:
    """A record at every offset of some bytes, overlapping: those at some offsets can be taken or put."""
    return np.ndarray((len(stored) - record.size + 1,), record.dtype, stored, strides=(1,))


def _walk(data: memoryview, count: int) -> tuple[npt.NDArray[np.int64], int]:
    """Where up to `count` commands start, and where the last whole one ends."""
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
        message = f"{len(data) - end} bytes after the last of {count} commands"
        yield Diagnostic("F03", Severity.ERROR, message, TAIL)


def _problem(data: memoryview, start: int) -> str:
    """Why there is no command at `start`."""
    if start + WORD_SIZE > len(data):
        return f"no word at {start}, the effect has {len(data)} bytes"
    kind = COMMAND_KINDS.get(data[start])
    if kind is None:
        return f"unknown opcode {data[start]} at {start}"
    return f"{kind.name} at {start} ends at {start + kind.record.size}, the effect has {len(data)} bytes"


def _command_findings(stored: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> list[Diagnostic]:
    """Commands that should name a resource and do not, or whose word has unknown bits."""
    archive, resource = (offsets + places[stored[offsets]] for places in (_ARCHIVE_AT, _RESOURCE_AT))
    is_unnamed = (archive > offsets) & (stored[archive] == 0)
    has_unknown = (stored[offsets + 1] > 1) | (stored[offsets + 2] > 0) | (stored[offsets + 3] > 0)
    return [
        *_rows("F04", is_unnamed, "names no archive", "archive"),
        *_rows(
            "F04",
            ~is_unnamed & (resource > offsets) & (stored[resource] == 0),
            "names no resource",
            "resource",
        ),
        *_rows("F05", has_unknown, "unknown bits above the enabled bit", "word"),
    ]


def _rows(rule: str, is_wrong: npt.NDArray[np.bool_], message: str, field: str) -> list[Diagnostic]:
    return findings(rule, Severity.WARNING, COMMANDS, is_wrong, lambda _: message, field)
