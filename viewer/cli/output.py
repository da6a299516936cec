"""Output of the command line: results on standard output, everything else on standard error.

No other module writes to either stream. Text is escaped here (see `terminal`); JSON escapes the same
characters in its own way, so that it stays exact.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from enum import IntEnum
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, Self, TextIO

from viewer.cli import terminal
from viewer.cli.terminal import Style, Styled
from viewer.errors import OutputError, Severity, reason_of
from viewer.progress import Progress
from viewer.translation import _, readable, translated

if TYPE_CHECKING:
    from msgspec import Struct

    from viewer.diagnostics import Diagnostic
    from viewer.formats.record import Bytes
    from viewer.model.kinds.json_text import AnyRows

PROGRAM: Final = "mshview"
STANDARD_OUTPUT: Final = _("standard output")
WARNING_LIMIT: Final = 20
"""Warnings printed individually on a terminal unless all are requested; further ones are counted."""
SCHEMA_VERSION: Final = 1
"""Version of all JSON documents; a change that breaks readers of one of them gives it a number of its own."""
PIECES_AT_ONCE: Final = 512
"""Pieces of a JSON document printed together: about as much as a stream collects before it writes."""
DELIMITERS: Final = {"csv": ",", "tsv": "\t"}
READABLE: Final = "mshview-readable"
"""Handling of characters that a stream does not have."""
IS_WINDOWS: Final = os.name == "nt"
_ERROR, _WARNING, _NOTE = "error", "warning", "note"
_STYLES: Final = {_ERROR: Style.ERROR, _WARNING: Style.WARNING}


class Verbosity(IntEnum):
    """The amount of output besides results and errors."""

    QUIET = 0
    NORMAL = 1
    VERBOSE = 2


class _State:
    """The verbosity that the options choose, and what is on the terminal or still to be printed."""

    verbosity = Verbosity.NORMAL
    is_status_shown = False
    expected_document = ""
    """The verb whose JSON document a program waits for; empty for none."""
    has_written = False
    """Whether the verb has written a file."""
    is_loss_reported = False
    """Whether it was said that standard output takes no more."""


def prepare() -> None:
    """Make both streams accept any text: UTF-8 if a program reads it, escapes for unsupported characters.

    Bytes of file names that are not UTF-8 are letters of CP1251, in what scripts print too.
    """
    codecs.register_error(READABLE, _in_letters)
    choose(Verbosity.NORMAL)
    expect_document("")
    _State.has_written = _State.is_loss_reported = False
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors=READABLE)
    if isinstance(sys.stderr, io.TextIOWrapper):
        # Windows has two encodings for a user's texts, and a file may get both streams.
        sys.stderr.reconfigure(encoding="utf-8" if IS_WINDOWS else None, errors=READABLE)


def _in_letters(error: UnicodeError) -> tuple[str | bytes, int]:
    """The replacement for characters that a stream does not have."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    found = readable(error.object[error.start : error.end])
    return found.encode(error.encoding, "backslashreplace"), error.end


def choose(verbosity: Verbosity) -> None:
    """Set the verbosity from now on."""
    _State.verbosity = verbosity


def verbosity() -> Verbosity:
    """The verbosity in effect."""
    return _State.verbosity


def is_quiet() -> bool:
    """Whether nothing but results and errors is printed."""
    return _State.verbosity is Verbosity.QUIET


def is_verbose() -> bool:
    """Whether everything is printed: all warnings, remarks, and progress also to files."""
    return _State.verbosity is Verbosity.VERBOSE


def line_width() -> int | None:
    """Width of the terminal in characters, or None if standard output is not a terminal."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or None
    except (AttributeError, OSError, ValueError):
        return None


def most_shown(limit: int) -> int | None:
    """Most rows or parts printed on a terminal; None for all: in a file, or if they are requested."""
    return limit if terminal.is_terminal(sys.stdout) and not is_verbose() else None


def schema_name(verb: str) -> str:
    """The identifier of the JSON documents of a verb."""
    return f"{PROGRAM}-{verb}-{SCHEMA_VERSION}"


def expect_document(verb: str) -> None:
    """Set the verb that has to print a JSON document, also if it fails; empty for none."""
    _State.expected_document = verb


def note_written() -> None:
    """Note that a file was written: what the rest of the verb cannot print is a warning from now on.

    The exit status says what became of the files, and of several all are written.
    """
    _State.has_written = True


def write_json(verb: str, document: Struct | Mapping[str, Any]) -> None:
    """Print the JSON document of a verb; its first field names its schema."""
    from viewer.json_types import as_mapping  # noqa: PLC0415
    from viewer.model.kinds import json_text  # noqa: PLC0415

    expect_document("")
    pieces = json_text.pieces({"schema": schema_name(verb), **as_mapping(document)})
    texts = iter(lambda: "".join(islice(pieces, PIECES_AT_ONCE)), "")
    _write(chain(map(terminal.json_printable, texts), ("\n",)))


def write_lines(lines: Iterable[str]) -> None:
    """Print lines of text."""
    has_color = terminal.has_color(sys.stdout)
    _write(f"{terminal.rendered(line, has_color=has_color)}\n" for line in lines)


def write_table(rows: AnyRows, form: str, names: Sequence[str] = ()) -> None:
    """Print rows of plain data as a table for programs: a heading, and a line for each row.

    `names` is the heading of a table without rows.
    """
    from viewer.model.kinds.json_text import flat_columns  # noqa: PLC0415

    columns = flat_columns(rows)
    heading = [name for name, _ in columns] or names
    write_rows(chain([heading], zip(*(cells for _, cells in columns), strict=True)), DELIMITERS[form])


def write_rows(rows: Iterable[Sequence[str]], delimiter: str) -> None:
    """Print rows of a table for programs, as `separated` has them."""
    from viewer.model.kinds.separated import text_of  # noqa: PLC0415 rarely needed

    _write((text_of(rows, delimiter, terminal.printable),))


def confirm(lines: Iterable[str]) -> None:
    """Print lines that say what has been done."""
    if not is_quiet():
        write_lines(lines)


def write_bytes(parts: Iterable[Bytes]) -> None:
    """Write bytes to standard output; raises `OutputError`, also if that is a terminal."""
    if terminal.is_terminal(sys.stdout):
        raise OutputError("is a terminal; send the bytes to a file or a program", source=STANDARD_OUTPUT)
    _send(lambda stream: stream.buffer.writelines(parts))


def write_paths(paths: Iterable[str]) -> None:
    """Print paths: in letters on a terminal, for a shell or a program as they are on the disk."""
    if terminal.is_terminal(sys.stdout):
        write_lines(paths)
    else:
        write_bytes(terminal.on_disk(path) + b"\n" for path in paths)


def relay(out: str, err: str) -> None:
    """Print what was printed elsewhere, with everything escaped already."""
    if err:
        clear_status()
        _write_status(err)
    if out:
        _write((out,))


def _write(texts: Iterable[str]) -> None:
    _send(lambda stream: stream.writelines(texts))


def _send(write: Callable[[TextIO], object]) -> None:
    """Print and flush.

    Raises `OutputError`, or `BrokenPipeError` if the reader has closed the pipe, unless a file was written.
    """
    if not sys.stdout:  # None if the program was started with it closed
        _lose(OutputError("is closed", source=STANDARD_OUTPUT))
        return
    if terminal.is_terminal(sys.stdout):
        clear_status()
    try:
        write(sys.stdout)
        sys.stdout.flush()
    except OSError as error:
        if _has_reader_left(error) and not _State.has_written:
            raise BrokenPipeError from error
        abandon()
        if _has_reader_left(error):
            return
        words = _("cannot be written: {reason}", reason=reason_of(error))
        _lose(OutputError(words, source=STANDARD_OUTPUT))


def _has_reader_left(error: OSError) -> bool:
    """Whether the reader has closed the pipe: the C library of Windows calls that an invalid argument."""
    is_invalid = error.errno == errno.EINVAL and IS_WINDOWS
    return isinstance(error, BrokenPipeError) or is_invalid


def _lose(error: OutputError) -> None:
    """Raise an error of standard output; once a file was written it is a warning, said once."""
    if not _State.has_written:
        raise error
    if not _State.is_loss_reported:
        _State.is_loss_reported = True
        write_warning(str(error))


def abandon() -> None:
    """Redirect standard output to the null device: the reader closed the pipe or the disk is full."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def flush() -> None:
    """Write what either stream still holds; errors are ignored."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()


def write_error(text: str) -> None:
    """Print a line that says why the verb, or one of its inputs, failed."""
    _write_line(_ERROR, text)


def write_unreadable(found: Mapping[Any, str]) -> None:
    """Print an error for each source that cannot be read, with the reason."""
    for source, reason in found.items():
        write_error(f"{source}: {reason_alone(source, reason)}")


def reason_alone(source: object, reason: str) -> str:
    """Reason for which a source cannot be read, without its name."""
    return reason.removeprefix(readable(f"{source}: "))


def write_failure(text: str) -> None:
    """Print why the verb failed, as a line and as the JSON document that a program waits for."""
    write_error(text)
    verb = _State.expected_document
    if verb:
        with suppress(OutputError):
            write_json(verb, {"error": text})


def write_warnings(source: object, diagnostics: Iterable[Diagnostic]) -> None:
    """Print warnings and tolerated errors, one line each; remarks too if everything is printed."""
    if is_quiet():
        return
    shown = [it for it in diagnostics if is_verbose() or it.severity is not Severity.INFO]
    is_cut = terminal.is_terminal(sys.stderr) and not is_verbose()
    limit = WARNING_LIMIT if is_cut else len(shown)
    for finding in shown[:limit]:
        _write_line(_NOTE if finding.severity is Severity.INFO else _WARNING, f"{source}: {finding}")
    if len(shown) > limit:
        _write_line(
            _WARNING,
            _(
                "{source}: and {count} more like these; -v prints all",
                source=source,
                count=len(shown) - limit,
            ),
        )


def write_warning(text: str) -> None:
    """Print a line that says what is wrong, though the verb goes on."""
    if not is_quiet():
        _write_line(_WARNING, text)


def write_hint(text: str) -> None:
    """Print a line that says what else could be done."""
    if not is_quiet():
        _write_line(_NOTE, text)


def report(source: object, diagnostics: Iterable[Diagnostic], *, is_strict: bool) -> None:
    """Print diagnostics as warnings; if strict, raise `FormatError` for the first error among them."""
    findings = list(diagnostics)
    if is_strict:
        from viewer.diagnostics import refuse_errors  # noqa: PLC0415 not needed for `--version`

        refuse_errors(source, findings)
    write_warnings(source, findings)


def _write_line(kind: str, text: str) -> None:
    """Print one line on standard error that begins with its kind."""
    clear_status()
    before = f"{PROGRAM}: "
    style, word = _STYLES.get(kind), translated(kind)
    line = Styled(f"{word}:", style, before, f" {text}") if style else f"{before}{word}: {text}"
    _write_status(terminal.rendered(line, has_color=terminal.has_color(sys.stderr)) + "\n")


def has_status_line() -> bool:
    """Whether a line on standard error can be rewritten."""
    return not is_quiet() and terminal.takes_sequences(sys.stderr)


def show_status(text: str) -> None:
    """Replace the line on standard error that shows progress."""
    with suppress(AttributeError, OSError, ValueError):
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
        text = text[: columns - 1] if columns else text
    _State.is_status_shown = text != ""
    _write_status(f"\r{terminal.printable(text)}\x1b[K")


def clear_status() -> None:
    """Clear the line that shows progress, if there is one."""
    if _State.is_status_shown:
        show_status("")


def write_status(text: str) -> None:
    """Print a line of progress on standard error if that is a terminal, or if everything is printed."""
    if is_verbose() or has_status_line():
        _write_status(f"{terminal.printable(text)}\n")


def _write_status(text: str) -> None:
    """Write to standard error; nothing depends on whether anyone reads it."""
    with suppress(OSError, ValueError):
        if sys.stderr:
            sys.stderr.write(text)
            sys.stderr.flush()


INTERVAL: Final = 0.1
"""Seconds between updates of the line of a terminal."""
LINE_INTERVAL: Final = 2.0
"""Seconds between lines where they stay."""


class ProgressLine:
    """Counts finished pieces of work; shows nothing unless a terminal shows it or everything is printed."""

    def __init__(self, total: int, what: str) -> None:
        self.total = total
        self.what = what
        self._done = 0
        self._is_line = has_status_line()
        self._is_shown = self._is_line or is_verbose()
        self._interval = INTERVAL if self._is_line else LINE_INTERVAL
        self._next = time.monotonic() + self._interval

    @property
    def _text(self) -> str:
        return _("{done} of {total} {what}", done=self._done, total=self.total, what=self.what)

    def advance(self, count: int = 1) -> None:
        """Count finished pieces."""
        self._done += count
        is_last = self._done == self.total and not self._is_line
        if self._is_shown and (is_last or time.monotonic() >= self._next):
            self._next = time.monotonic() + self._interval
            show = show_status if self._is_line else write_status
            show(self._text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_ignored: object) -> None:
        self.clear()
        if kind is KeyboardInterrupt and self._is_line:
            write_status(_("interrupted after {count}", count=self._text))

    def clear(self) -> None:
        """Clear the line."""
        clear_status()


class ShownProgress(Progress):
    """The progress of an operation, counted on standard error."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self._what = what
        self._line = ProgressLine(0, what)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._line.clear()

    def begin(self, total: int) -> None:
        """Count `total` parts from now on."""
        super().begin(total)
        self._line = ProgressLine(total, self._what)

    def advance(self, count: int = 1) -> None:
        """Count finished parts."""
        super().advance(count)
        # At once: where bytes of a file are counted, they are millions.
        self._line.advance(count)
