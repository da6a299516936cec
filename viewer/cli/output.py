"""Output of the command line: results on standard output, everything else on standard error."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable
from itertools import chain
from typing import Final

from viewer.errors import Diagnostic, OutputError, Severity, refuse_errors

PROGRAM: Final = "mshview"
WARNING_LIMIT: Final = 20
"""Warnings printed individually; further ones are counted."""


def prepare() -> None:
    """Make both streams accept any text: UTF-8 if a program reads it, escapes for unsupported characters."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors="backslashreplace")


def write_json(document: object) -> None:
    """Print one JSON document."""
    from viewer.model.kinds import json_text  # noqa: PLC0415

    _write(chain(json_text.pieces(document), ("\n",)))


def line_width() -> int | None:
    """Width of the terminal in characters, or None if standard output is not a terminal."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or None
    except (AttributeError, OSError, ValueError):
        return None


def write_lines(lines: Iterable[str]) -> None:
    """Print lines of text."""
    _write(f"{line}\n" for line in lines)


def write_text(text: str) -> None:
    """Print a text that has its own line ends."""
    _write((text,))


def _write(texts: Iterable[str]) -> None:
    """Print and flush; raises `OutputError`, or `BrokenPipeError` if the reader has closed the pipe."""
    if not sys.stdout:  # None if the program was started with it closed
        raise OutputError("is closed", source="standard output")
    try:
        sys.stdout.writelines(texts)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon()
        raise OutputError(f"cannot be written: {error.strerror}", source="standard output") from error


def abandon() -> None:
    """Redirect standard output to the null device: the reader closed the pipe or the disk is full."""
    try:
        descriptor = os.open(os.devnull, os.O_WRONLY)
        os.dup2(descriptor, sys.stdout.fileno())
    except OSError:
        return


def write_error(text: str) -> None:
    """Print the one line that says why the verb failed."""
    _write_line("error", text)


def write_warnings(source: str, diagnostics: Iterable[Diagnostic]) -> None:
    """Print warnings and tolerated errors, one line each."""
    texts = [f"{source}: {finding}" for finding in diagnostics if finding.severity is not Severity.INFO]
    for text in texts[:WARNING_LIMIT]:
        _write_line("warning", text)
    if len(texts) > WARNING_LIMIT:
        _write_line("warning", f"{source}: and {len(texts) - WARNING_LIMIT} more like these")


def report(source: str, diagnostics: Iterable[Diagnostic], *, is_strict: bool) -> None:
    """Print diagnostics as warnings; if strict, raise `FormatError` for the first error among them."""
    findings = list(diagnostics)
    if is_strict:
        refuse_errors(source, findings)
    write_warnings(source, findings)


def _write_line(kind: str, text: str) -> None:
    line = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)
    if sys.stderr:
        sys.stderr.write(f"{PROGRAM}: {kind}: {line}\n")


def write_progress(text: str) -> None:
    """Show progress on a terminal; nothing is written if standard error is redirected."""
    if sys.stderr and sys.stderr.isatty():
        sys.stderr.write(f"{text}\n")
