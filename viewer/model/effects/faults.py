"""Faults that keep blocks of an effect from being played as stored.

These are FX01 to FX05, rules without a number in the specification.

Source: spec/effects.md 13.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.formats.findings import Rule
from viewer.formats.fxid import COMMAND_KINDS, COMMANDS, HEADER, CommandKind, Effect
from viewer.formats.record import Field, Rows
from viewer.translation import _

MOST_PARTICLES: Final = 100_000
"""Sprites, particles and pieces of bolts of an effect together."""
MOST_STREAMS: Final = 200
"""Streams of an effect, each of which is replayed from its start; effects of the game have a few."""
STREAM: Final = 8
SIGNED: Final = 1 << 31
"""Counts from here on are negative to the game."""
NOT_FINITE: Final = _("not a finite number")
Truths = npt.NDArray[np.bool_]


def faults(effect: Effect) -> list[Diagnostic]:
    """The diagnostics of the values of an effect, found from its bytes alone."""
    found = [*_header_faults(effect)]
    for kind in COMMAND_KINDS.values():
        rows = effect.records(kind)
        if len(rows):
            found += _faults_of(effect, kind, rows)
    rule = Rule("FX05", COMMANDS, severity=Severity.WARNING)
    if wanted(effect).sum() > MOST_PARTICLES:
        words = "more than {most} particles; those after them are not shown"
        found.append(rule.finding(words, most=MOST_PARTICLES))
    if len(effect.records(COMMAND_KINDS[STREAM])) > MOST_STREAMS:
        words = "more than {most} streams; those after them are not shown"
        found.append(rule.finding(words, most=MOST_STREAMS))
    return found


def _header_faults(effect: Effect) -> Iterator[Diagnostic]:
    for field in HEADER.fields:
        if field.is_float and not np.isfinite(effect.header[field.name]).all():
            yield Rule("FX01", HEADER.name, field.name, Severity.WARNING).finding(NOT_FINITE)
    duration = float(effect.header["duration"])
    if duration < 0:
        rule = Rule("FX03", HEADER.name, "duration", Severity.WARNING)
        yield rule.finding("a duration of {seconds:g} s", seconds=duration)


def _faults_of(effect: Effect, kind: CommandKind, rows: Rows) -> Iterator[Diagnostic]:
    where = np.flatnonzero(effect.opcodes == kind.opcode)

    def of_all(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Values of these commands as values of all commands, 0 for the others."""
        made = np.zeros(len(effect.opcodes), values.dtype)
        made[where] = values
        return made

    def not_finite(index: int) -> str:
        """The message for the first field of a block that is not finite, which names the others too."""
        row = rows[np.searchsorted(where, index)]
        names = [field.name for field in floats if not np.isfinite(row[field.name]).all()]
        if len(names) == 1:
            return NOT_FINITE
        return _("not a finite number, nor are {names}", names=", ".join(names[1:]))

    floats = played_floats(kind)
    is_broken = np.array([~is_finite(rows, field) for field in floats], np.bool_).reshape(
        len(floats), len(rows)
    )
    for number, field in enumerate(floats):
        # One finding for a block, at its first such field.
        is_first = is_broken[number] & ~is_broken[:number].any(axis=0)
        yield from _warning("FX01", field.name).in_rows(of_all(is_first), not_finite)
    if kind.has_window:
        start, end = rows["window_start"], rows["window_end"]
        window = {"start": of_all(start), "end": of_all(end)}
        words = "the window ends at {end:g}, before it starts at {start:g}"
        yield from _warning("FX02", "window_end").in_rows(of_all(start > end), words, **window)
        is_outside = (start <= end) & ((start < 0) | (end > 1)) & np.isfinite(start) & np.isfinite(end)
        words = "the window from {start:g} to {end:g} is not inside 0 to 1"
        yield from _warning("FX02", "window_start").in_rows(of_all(is_outside), words, **window)
    names = rows.dtype.names or ()
    for name in filter(names.__contains__, ("life", "interval_start", "interval_end")):
        words = "{value:g} is not more than 0, so nothing is drawn"
        values = rows[name]
        yield from _warning("FX03", name).in_rows(of_all(values <= 0), words, value=of_all(values))
    for name in filter(names.__contains__, ("ring", "count_0", "count_1", "most_pieces")):
        words = "{value} is not a number from 1 to {most}"
        is_wrong = of_all((rows[name] == 0) | (rows[name] >= SIGNED))
        yield from _warning("FX04", name).in_rows(is_wrong, words, value=of_all(rows[name]), most=SIGNED - 1)


def _warning(rule: str, field: str) -> Rule:
    return Rule(rule, COMMANDS, field, Severity.WARNING)


def played_floats(kind: CommandKind) -> tuple[Field, ...]:
    """The fields with floating-point numbers that playing reads."""
    is_read = (field.is_float and not field.name.startswith("unknown") for field in kind.record.fields)
    return tuple(field for field, it in zip(kind.record.fields, is_read, strict=True) if it)


def is_finite(rows: Rows, field: Field) -> Truths:
    """Mask of the rows (n,) that have only finite numbers in a field."""
    finite: Truths = np.isfinite(rows[field.name]).all(axis=tuple(range(1, 1 + len(field.shape))))
    return finite


def wanted(effect: Effect) -> npt.NDArray[np.float64]:
    """The largest number of particles, or pieces, that each command has at a time, (n,)."""
    numbers = np.zeros(len(effect.opcodes))
    for kind in COMMAND_KINDS.values():
        rows, names = effect.records(kind), kind.record.dtype.names or ()
        if not len(rows):
            continue
        where = effect.opcodes == kind.opcode
        if "count_0" in names:
            counts = [np.where(rows[name] < SIGNED, rows[name], 0.0) for name in ("count_0", "count_1")]
            numbers[where] = counts[0] * counts[1]
        elif "ring" in names or "most_pieces" in names:
            most = rows["ring" if "ring" in names else "most_pieces"]
            numbers[where] = np.where(most < SIGNED, most, 0.0)
        # Sprites, glows and domes are one each; lights, sounds and points draw nothing.
        elif "size_low" in names:
            numbers[where] = 1
    return numbers
