"""The lines of a journal: the undo steps of one file as JSON, one line for everything that happened.

The first line says which file and which saved bytes; it has the steps that were there already. Each further
one adds a step, goes to another position, or makes later steps again. A line that a killed process has
written half ends the journal.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Struct

from viewer import typed_json
from viewer.errors import FormatError, MshviewError, UsageError
from viewer.formats.splice import Splice
from viewer.model.edit import script
from viewer.model.edit.change import Topic
from viewer.model.store.address import Address
from viewer.session.edits.edited_file import EditedFile, Step
from viewer.translation import PluralText, Text, _, counted
from viewer.typed_json import COUNT, Base64, Pattern

VERSION: Final = 1
Count = Annotated[int, COUNT]


class JournalBase(Struct, frozen=True):
    """The saved bytes that a journal begins with.

    Parameters
    ----------
    size
        Number of bytes.
    digest
        SHA-256 of them; empty if the process ended before it was known.
    """

    size: int
    digest: bytes


class RecoveredGesture(Struct, frozen=True):
    """The gesture of a step that was read, known by its text: never the same as one that is made now."""

    text: str


class StoredStep(Struct, frozen=True):
    """A `Step` in a journal: payloads by their entries, the changes as a script, the gesture as a text.

    Words with values are a message too, as a later start may be in another language.
    """

    entries: tuple[str, ...]
    words: str
    splices: tuple[tuple[Count, Base64, Base64], ...]
    changes: tuple[object, ...] = ()
    topics: tuple[Topic, ...] = ()
    gesture: str | None = None
    declined: frozenset[Topic] = frozenset()
    wanted: frozenset[Topic] = frozenset()
    offered: tuple[Topic, ...] = ()
    made_in: str = ""
    others: tuple[tuple[str, ...], ...] = ()
    group: str = ""
    message: object = None

    @classmethod
    def of(cls, step: Step) -> StoredStep:
        """The stored line of a step."""
        gesture = None if step.gesture is None else repr(step.gesture)
        try:
            changes = tuple(script.forms(step.changes))
        except ValueError:  # one has no script form: then the step cannot be made again
            changes = ()
        return cls(
            step.address.entries,
            str(step.words),
            tuple((it.offset, Base64(it.before), Base64(it.after)) for it in step.splices),
            changes,
            step.topics,
            step.gesture.text if isinstance(step.gesture, RecoveredGesture) else gesture,
            step.declined,
            step.wanted,
            step.offered,
            "" if step.made_in is None else str(step.made_in),
            tuple(it.entries for it in step.others),
            step.group,
            _form_of(step.words) if isinstance(step.words, Text) else None,
        )

    def step(self, path: Path) -> Step:
        """Return the step of a file."""
        try:
            changes = script.parse([*self.changes])
        except MshviewError:
            changes = ()
        try:
            made_in = Address.parse(self.made_in) if self.made_in else None
        except UsageError:
            made_in = None
        return Step(
            Address(path, self.entries),
            self.words if self.message is None else _words_of(self.message, self.words),
            tuple(Splice(*it) for it in self.splices),
            changes,
            self.topics,
            None if self.gesture is None else RecoveredGesture(self.gesture),
            self.declined,
            self.wanted,
            self.offered,
            made_in,
            tuple(Address(path, entries) for entries in self.others),
            self.group,
        )


def _form_of(value: object) -> object:
    """A message as JSON, with the messages among its values; any other value as it is or as a text."""
    if isinstance(value, PluralText):
        return {"one": value.template, "many": value.many, "count": value.values["count"]}
    if isinstance(value, Text):
        return {"text": value.template, "values": {name: _form_of(it) for name, it in value.values.items()}}
    return value if value is None or isinstance(value, int | float) else str(value)


def _words_of(form: object, otherwise: str) -> str:
    """The message of a JSON value, which a damaged journal may not have."""
    with suppress(LookupError, ValueError, TypeError, AttributeError, RecursionError):
        words = _value_of(form)
        return words if isinstance(words, Text) and words else otherwise
    return otherwise


def _value_of(form: Any) -> Any:
    if not isinstance(form, dict):
        return form
    if "many" in form:
        return counted(int(form["count"]), form["one"], form["many"])
    return Text(form["text"], **{name: _value_of(it) for name, it in form["values"].items()})


class FirstLine(Struct, frozen=True):
    """The first line of a journal; the path is absolute, the size that of the saved bytes."""

    mshview_journal: int
    path: Annotated[str, Pattern(r"[^\0]+", _("is not the path of a file"))]
    size: Count
    steps: tuple[StoredStep, ...]
    position: Count


class JournalLine(Struct, frozen=True):
    """A further line: the digest of the saved bytes, a step, a position, or steps from a position on."""

    digest: bytes | None = None
    step: StoredStep | None = None
    position: Count | None = None
    again: tuple[StoredStep, ...] | None = None


def first_line(file: EditedFile, size: int) -> bytes:
    """The line that begins the journal of a file, which is as it was saved."""
    steps = tuple(map(StoredStep.of, file.steps))
    return _line(FirstLine(VERSION, str(file.path), size, steps, file.position))


def digest_line(digest: bytes) -> bytes:
    """The line with the SHA-256 of the saved bytes, which is known a little later."""
    return _line(JournalLine(digest))


def step_line(step: Step) -> bytes:
    """The line of a new step, or of one more part of a gesture."""
    return _line(JournalLine(step=StoredStep.of(step)))


def position_line(position: int) -> bytes:
    """The line of going to another position."""
    return _line(JournalLine(position=position))


def steps_line(position: int, steps: Iterable[Step]) -> bytes:
    """The line of steps that were made again from a position on."""
    return _line(JournalLine(position=position, again=tuple(map(StoredStep.of, steps))))


def _line(content: FirstLine | JournalLine) -> bytes:
    text = json.dumps(typed_json.plain_fields(content), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass") + b"\n"


def read(data: bytes) -> tuple[EditedFile, JournalBase]:
    """The file at the end of a journal, and the bytes that it begins with.

    Raises `FormatError`, with the field ``version`` for a journal of another version of the program.
    """
    *lines, _unfinished = data.split(b"\n")
    if not lines:
        raise FormatError(_("is not a journal"))
    first = _first(typed_json.document(lines[0]))
    path, digest = Path(first.path), b""
    steps = tuple(it.step(path) for it in first.steps)
    file = EditedFile(path, steps, _within(first.position, len(steps)), first.position)
    for row, text in enumerate(lines[1:], 1):
        try:
            line = typed_json.made(JournalLine, typed_json.document(text))
            file, digest = _after(line, file), line.digest or digest
        except FormatError as error:
            raise FormatError(error.message, table="lines", index=row, field=error.field) from error
    return file, JournalBase(first.size, digest)


def _first(form: Mapping[str, Any]) -> FirstLine:
    version = form.get("mshview_journal")
    if type(version) is int and version > VERSION:
        raise FormatError(_("is a journal of version {version}", version=version), field="version")
    first = typed_json.made(FirstLine, form)
    if first.mshview_journal != VERSION or not Path(first.path).is_absolute():
        raise FormatError(_("is not a journal"))
    return first


def _after(line: JournalLine, file: EditedFile) -> EditedFile:
    """The file after a line."""
    if line.digest is not None:
        return file
    if line.step is not None:
        return file.added(line.step.step(file.path))
    position = _within(line.position, len(file.steps))
    if line.again is None:
        return file.at(position)
    return file.with_steps(position, [it.step(file.path) for it in line.again])


def _within(position: int | None, count: int) -> int:
    """A position among some steps; raises `FormatError` for another one."""
    if position is None or position > count:
        message = _("{value} of {count}", value=position, count=count)
        raise FormatError(message, field="position")
    return position
