"""Errors, which end an operation; `viewer.diagnostics` has what does not.

An error is raised where the values are known and caught once, in ``app`` or ``cli``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from itertools import islice
from typing import Final

from viewer.translation import Text, _, quoted, readable, translated

MOST_WORDS: Final = 4000
"""Characters of a message: a damaged file may have a value of a megabyte in it."""
MOST_OF_NAME: Final = 200
"""Characters of the name of a table or a field in a location, which a file may have made up."""


class MshviewError(Exception):
    """A failed operation; the text names the source, the location inside it and what is wrong."""

    def __init__(self, message: str, *, source: object = "") -> None:
        message = without_middle(message, MOST_WORDS)
        super().__init__(message)
        self.message = message
        self.source = source if isinstance(source, str) else str(source)

    @property
    def where(self) -> str:
        """The location inside the source, empty if the whole source is meant."""
        return ""

    @property
    def text(self) -> str:
        """The text of `str`, with a message that can still be translated."""
        return located((self.source, self.where), self.message)

    def __str__(self) -> str:
        parts = (str(self.source), self.where, translated(self.message))
        return readable(": ".join(part for part in parts if part))


class FormatError(MshviewError):
    """Bytes that do not follow their format.

    Parameters
    ----------
    message
        What is wrong, with the values.
    table, index, field
        The location; ``index`` counts records of ``table``.
    rule
        Number of the broken rule, empty if the specification has no rule for it.
    source
        File or ``FILE::ENTRY`` address; the decoder leaves it empty, the caller that opened the file sets it.
    """

    def __init__(
        self,
        message: str,
        *,
        table: str = "",
        index: int | None = None,
        field: str | None = None,
        rule: str = "",
        source: object = "",
    ) -> None:
        super().__init__(message, source=source)
        self.table = table
        self.index = index
        self.field = field
        self.rule = rule

    @property
    def where(self) -> str:
        """The known parts of ``table[index].field``."""
        return location(self.table, self.index, self.field)


class EditError(FormatError):
    """A change that the format cannot hold, or that the bytes do not allow; nothing was changed."""


class AddressError(MshviewError):
    """An address that cannot be resolved: no such file, no such entry, or an entry of the wrong kind."""


class OutputError(MshviewError):
    """Output that could not be written."""


class ReadOnlyError(OutputError):
    """A file with a read-only attribute, which can be cleared; nothing was written."""


class InUseError(OutputError):
    """A file that another program has, or may have, open; nothing was written."""


class ConflictError(OutputError):
    """A file that another program has changed or removed since it was read; nothing was written."""


class ChangedSinceError(ConflictError):
    """A file of a game that was changed after mods were applied; nothing was written."""


class UsageError(MshviewError):
    """An invalid request, independent of the content of any file."""


class Severity(StrEnum):
    """Severity of a finding (spec/README.md 3)."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


def located(locations: Iterable[str], message: str) -> str:
    """Put the known locations before a message; the message keeps its template."""
    known = ": ".join(location for location in locations if location)
    if not known or not message:
        return message or known
    return _("{place}: {message}", place=known, message=Text.of(message))


def error_text(error: BaseException) -> str:
    """Return the text of an error in the user's language, with the file that the system names."""
    name = error.filename if isinstance(error, OSError) else None
    return ": ".join(str(it) for it in (name, reason_of(error)) if it)


SYSTEM: Final = (
    _("No such file or directory"),
    _("Permission denied"),
    _("Operation not permitted"),
    _("Is a directory"),
    _("Not a directory"),
    _("Directory not empty"),
    _("File exists"),
    _("File name too long"),
    _("File too large"),
    _("Invalid argument"),
    _("No space left on device"),
    _("Read-only file system"),
    _("Too many levels of symbolic links"),
    _("Too many open files"),
    _("Input/output error"),
    _("embedded null byte"),
    _("embedded null character"),  # the same, on Windows
)
"""Messages of operating systems, for the catalogues."""


JSON: Final = (
    _("expecting value"),
    _("expecting property name enclosed in double quotes"),
    _("expecting ':' delimiter"),
    _("expecting ',' delimiter"),
    _("extra data"),
    _("unterminated string starting at"),
    _("invalid control character at"),
    _("invalid \\escape"),
    _("invalid \\uXXXX escape"),
)
"""Messages of the reader of JSON, for the catalogues."""


def reason_of(error: BaseException) -> Text:
    """Reason of a failure, in words of this program or of the system, never in those of Python.

    A `ValueError` with a message of this program (`Text`) gives that message.
    """
    if isinstance(error, MshviewError):
        return Text.of(error.text)
    first = error.args[0] if error.args else None
    if isinstance(first, str) and (isinstance(first, Text) or first in SYSTEM):
        return Text.of(first)
    if (count := _length_refused(error)) is not None:
        words = "its path has {count} characters; Windows takes {most}, or more if LongPathsEnabled is set"
        return _(words, count=count, most=LONGEST_PATH)
    if isinstance(error, OSError) and getattr(error, "winerror", None) in _ALSO_OF_C:
        return Text.of(os.strerror(error.errno or 0))  # its own words are in the language of Windows
    return Text.of(getattr(error, "strerror", None) or _fault(error))


_ALSO_OF_C: Final = frozenset({2, 3, 5, 183})
"""Errors of Windows that the C library has words for: no such file or path, access denied, exists already."""

LONGEST_PATH: Final = 259
"""Characters of a path that Windows takes unless ``LongPathsEnabled`` is set (``MAX_PATH``, less the end)."""


def _length_refused(error: BaseException) -> int | None:
    """The length of a path that may be why Windows says that there is no such file; None for other errors."""
    name = getattr(error, "filename", None)
    if not isinstance(error, FileNotFoundError) or not isinstance(name, str):
        return None
    count = len(os.path.abspath(name))  # noqa: PTH100 as it was asked for, links are not resolved
    return None if count <= LONGEST_PATH or takes_long_paths() else count


def takes_long_paths() -> bool:
    """Whether the system takes paths of any length from this program."""
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415 Windows only

        asked = getattr(ctypes.windll.ntdll, "RtlAreLongPathsEnabled", None)  # since Windows 10
        return asked is not None and bool(asked() & 1)
    return True


def _fault(error: BaseException) -> Text:
    """Meaning of an error of Python, whose own words are about code."""
    from json import JSONDecodeError  # noqa: PLC0415 not needed if all is well

    if isinstance(error, UnicodeDecodeError):
        return _("byte {offset} is not {encoding}", offset=error.start, encoding=error.encoding.upper())
    if isinstance(error, JSONDecodeError):
        words = "line {line}, column {column}: {reason}"
        reason = Text.of(error.msg[:1].lower() + error.msg[1:])
        return _(words, line=error.lineno, column=error.colno, reason=reason)
    return next((words for kind, words in _FAULTS.items() if isinstance(error, kind)), _UNEXPECTED)


_FAULTS: Final[Mapping[type[BaseException], Text]] = {
    RecursionError: _("nested too deeply"),
    MemoryError: _("too little memory"),
    OverflowError: _("a number is too large"),
    LookupError: _("something is missing"),
    EOFError: _("cut off"),
}
_UNEXPECTED: Final = _("an unexpected value")


MOST_COMPARED = 5000
"""Names that `suggestion` compares letter by letter, which takes some 10 microseconds each."""
SIMILAR: Final = 0.65
"""Twice the letters that a suggested name has in common, by the letters of both."""


def suggestion(given: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the most similar of the known names, if one is similar.

    Dashes and braces around names count for nothing: they would make ``{foo}`` similar to ``{lod}``.
    Of very many names those that begin with the same letter are compared.
    """
    from difflib import get_close_matches  # noqa: PLC0415 not needed if all is well

    by_folded = {name.casefold().strip("-{}"): name for name in known}
    folded = given.casefold().strip("-{}")
    if len(by_folded) > MOST_COMPARED:
        alike = (name for name in by_folded if name[:1] == folded[:1])
        by_folded = {name: by_folded[name] for name in islice(alike, MOST_COMPARED)}
    nearest = get_close_matches(folded, by_folded, 1, SIMILAR)
    return _("; did you mean {name}?", name=by_folded[nearest[0]]) if nearest else ""


def shortened(text: str, longest: int = 40) -> str:
    """Return a text for a message, cut if it is longer than that."""
    return text if len(text) <= longest else text[: longest - 3] + "..."


def without_middle(text: str, longest: int) -> str:
    """Return a message, cut in its middle if it is longer: the reason often stands behind the value."""
    half = (longest - 5) // 2
    return text if len(text) <= longest else f"{text[:half]} ... {text[-half:]}"


def shown(value: object) -> str:
    """Return a value for a message, on one line and cut if it is long."""
    return shortened(" ".join(quoted(value).split()))


def location(table: str, index: int | None = None, field: str | None = None) -> str:
    """Text of a location inside a file, for example ``batches[12].index_start``."""
    row = "" if index is None else f"[{shown(index)}]"
    names = f"{shortened(table, MOST_OF_NAME)}{row}", shortened(field or "", MOST_OF_NAME)
    return ".".join(part for part in names if part)


@contextmanager
def reading_from(source: object) -> Iterator[None]:
    """Set the source of errors that do not have one yet: an address, a path or a text."""
    try:
        yield
    except MshviewError as error:
        error.source = error.source or str(source)
        raise
