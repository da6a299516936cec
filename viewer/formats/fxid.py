"""FXID, an effect: a header and a stream of commands whose length follows from their opcode.

Source: spec/fxid.md.
Status: proven (structure), inferred (meaning).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from viewer.errors import Diagnostic, Severity, row_findings
from viewer.formats.fxid_commands import COMMAND_KINDS, REFERENCE, CommandKind
from viewer.formats.record import Bytes, Field, Record, Rows, Status
from viewer.formats.text import until_nul

COMMAND = "FXID.command"
WORD_SIZE = 4

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
"""Bits of the header's flags, as far as they are known."""

TIME_MODES = (
    "constant",
    "normalised age",
    "fraction of the normalised age",
    "one minus the normalised age",
    "external value",
    "length of a state vector",
    "x of a state vector",
    "y of a state vector",
    "z of a state vector",
    "length of a second state vector",
    "x of a second state vector",
    "y of a second state vector",
    "z of a second state vector",
    "one minus an external value",
    "one minus an external value",
    "larger of two ratios",
    "external value, never falling",
    "external value, never rising",
)
"""What drives the effect, by the header's time mode; its normalised age goes from 0 to 1."""

_NAMES_AT = {
    opcode: tuple(kind.record.field(name).offset for name in REFERENCE)
    for opcode, kind in COMMAND_KINDS.items()
    if kind.needs_reference
}
"""Where a command names its archive and its resource, for the kinds that should."""


class Effect:
    """A decoded effect over its own payload.

    Parameters
    ----------
    data
        The whole payload.
    header
        One `HEADER` record.
    offsets
        Where the commands that could be read start, shape (n,) int64.
    diagnostics
        What was wrong but could be worked around.
    """

    def __init__(
        self,
        data: memoryview,
        header: np.void,
        offsets: npt.NDArray[np.int64],
        diagnostics: tuple[Diagnostic, ...],
    ) -> None:
        self.data = data
        self.header = header
        self.offsets = offsets
        self.diagnostics = diagnostics

    @cached_property
    def opcodes(self) -> npt.NDArray[np.uint8]:
        """The opcode of each command."""
        return np.frombuffer(self.data, np.uint8)[self.offsets]

    @property
    def enabled(self) -> npt.NDArray[np.bool_]:
        """Bit 8 of the word of each command."""
        return (np.frombuffer(self.data, np.uint8)[self.offsets + 1] & 1).astype(np.bool_)

    def records(self, kind: CommandKind) -> Rows:
        """The fields of all commands of a kind, in their order, as a copy."""
        offsets = self.offsets[self.opcodes == kind.opcode]
        if not len(offsets):
            return kind.record.new(0)
        stored = np.frombuffer(self.data, np.uint8)
        rows: Rows = sliding_window_view(stored, kind.record.size)[offsets].view(kind.record.dtype)[:, 0]
        return rows

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
    findings = [*_end_findings(data, count, len(offsets), end), *_command_findings(data, offsets)]
    return Effect(data, header, offsets, tuple(findings))


def encode(effect: Effect) -> bytes:
    """The payload, exactly as it was read."""
    return bytes(effect.data)


def _walk(data: memoryview, count: int) -> tuple[npt.NDArray[np.int64], int]:
    """Where up to `count` commands start, and where the last whole one ends."""
    sizes = [
        COMMAND_KINDS[opcode].record.size if opcode in COMMAND_KINDS else len(data) for opcode in range(256)
    ]
    offsets = array("q")
    start = HEADER.size
    while len(offsets) < count and start + WORD_SIZE <= len(data):
        end = start + sizes[data[start]]
        if end > len(data):
            break
        offsets.append(start)
        start = end
    return np.frombuffer(offsets, np.int64) if offsets else np.empty(0, np.int64), start


def _end_findings(data: memoryview, count: int, found: int, end: int) -> Iterator[Diagnostic]:
    if found < count:
        yield Diagnostic("F02", Severity.ERROR, _problem(data, end), COMMAND, found)
    elif end < len(data):
        message = f"{len(data) - end} bytes after the last of {count} commands"
        yield Diagnostic("F03", Severity.ERROR, message, "FXID.tail")


def _problem(data: memoryview, start: int) -> str:
    """Why there is no command at `start`."""
    if start + WORD_SIZE > len(data):
        return f"no word at {start}, the effect has {len(data)} bytes"
    kind = COMMAND_KINDS.get(data[start])
    if kind is None:
        return f"unknown opcode {data[start]} at {start}"
    return f"{kind.name} at {start} ends at {start + kind.record.size}, the effect has {len(data)} bytes"


def _command_findings(data: memoryview, offsets: npt.NDArray[np.int64]) -> list[Diagnostic]:
    """Commands that should name a resource and do not, or whose word has unknown bits."""
    stored = np.frombuffer(data, np.uint8)
    names = [_NAMES_AT.get(opcode, (0, 0)) for opcode in range(256)]
    first, second = (offsets + np.array(column)[stored[offsets]] for column in zip(*names, strict=True))
    is_unnamed = (first > offsets) & ((stored[first] == 0) | (stored[second] == 0))
    has_unknown = (stored[offsets + 1] > 1) | (stored[offsets + 2] > 0) | (stored[offsets + 3] > 0)
    return [
        *_rows("F04", is_unnamed, "names no resource", "reference"),
        *_rows("F05", has_unknown, "unknown bits above the enabled bit", "word"),
    ]


def _rows(rule: str, is_wrong: npt.NDArray[np.bool_], message: str, field: str) -> list[Diagnostic]:
    rows = np.flatnonzero(is_wrong).tolist()
    return row_findings(rule, Severity.WARNING, COMMAND, rows, lambda _: message, field)
