"""The lines of a journal: the undo steps of one file as JSON, one line for everything that happened.

The first line says which file and which saved bytes; it has the steps that were there already. Each further
one adds a step, goes to another position, or makes later steps again. A line that a killed process has
written half ends the journal.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from viewer.dataclass import dataclass
from viewer.errors import FormatError, MshviewError
from viewer.formats.splice import Splice, Splices
from viewer.model.edit import script
from viewer.model.edit.change import Topic
from viewer.model.store.address import Address
from viewer.session.edits.edited_file import EditedFile, Step
from viewer.translation import _

VERSION: Final = 1
LARGEST: Final = 1 << 48
"""Bytes of a file that is edited."""


@dataclass(frozen=True, slots=True)
class JournalBase:
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


@dataclass(frozen=True, slots=True)
class RecoveredGesture:
    """The gesture of a step that was read, known by its text: never the same as one that is made now."""

    text: str


def first_line(file: EditedFile, size: int) -> bytes:
    """The line that begins the journal of a file, which is as it was saved."""
    steps = [_plain(step) for step in file.steps]
    return _line(mshview_journal=VERSION, path=str(file.path), size=size, steps=steps, position=file.position)


def digest_line(digest: bytes) -> bytes:
    """The line with the SHA-256 of the saved bytes, which is known a little later."""
    return _line(digest=digest.hex())


def step_line(step: Step) -> bytes:
    """The line of a new step, or of one more part of a gesture."""
    return _line(step=_plain(step))


def position_line(position: int) -> bytes:
    """The line of going to another position."""
    return _line(position=position)


def steps_line(position: int, steps: Iterable[Step]) -> bytes:
    """The line of steps that were made again from a position on."""
    return _line(position=position, again=[_plain(step) for step in steps])


def read(data: bytes) -> tuple[EditedFile, JournalBase]:
    """The file at the end of a journal, and the bytes that it begins with.

    Raises `FormatError`, with the field ``version`` for a journal of another version of the program.
    """
    *lines, _unfinished = data.split(b"\n")
    try:
        return _replayed([json.loads(line) for line in lines])
    except FormatError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        message = _("is not a journal: {error}", error=f"{type(error).__name__}: {error}")
        raise FormatError(message) from error


def _replayed(lines: Sequence[Any]) -> tuple[EditedFile, JournalBase]:
    first, *later = lines
    version = first["mshview_journal"]
    if type(version) is int and version > VERSION:
        raise FormatError(_("is a journal of version {version}", version=version), field="version")
    if version != VERSION or type(version) is not int:
        raise ValueError(f"{version!r} is not a version")
    path, digest = Path(first["path"]), b""
    if not path.is_absolute() or "\0" in str(path):
        raise ValueError(f"{str(path)!r} is not the path of a file")
    steps = tuple(_step(path, it) for it in _list(first["steps"]))
    position = _whole(first["position"], len(steps))
    file = EditedFile(path, steps, position, position)
    for line in later:
        if "digest" in line:
            digest = bytes.fromhex(line["digest"])
        elif "step" in line:
            file = file.added(_step(path, line["step"]))
        elif "again" in line:
            position = _whole(line["position"], len(file.steps))
            file = file.with_steps(position, [_step(path, it) for it in _list(line["again"])])
        else:
            file = file.at(_whole(line["position"], len(file.steps)))
    return file, JournalBase(_whole(first["size"]), digest)


def _whole(value: Any, most: int = LARGEST) -> int:
    """A number from 0 to `most`; raises `ValueError` for anything else: 1e999, -20, true, a list."""
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError(f"{value!r} is not a whole number from 0 to {most}")
    return value


def _list(value: Any) -> list[Any]:
    """A list; raises `ValueError` for anything else that could be gone through: an object, a text."""
    if type(value) is not list:
        raise ValueError(f"{value!r} is no list")
    return value


def _names(value: Any) -> tuple[str, ...]:
    """Names of entries; raises `ValueError` for anything else."""
    if any(type(name) is not str for name in _list(value)):
        raise ValueError(f"{value!r} are no names")
    return tuple(value)


def _line(**content: Any) -> bytes:
    return (
        json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        + b"\n"
    )


def _plain(step: Step) -> dict[str, Any]:
    return {
        "entries": step.address.entries,
        "words": str(step.words),
        "splices": [(it.offset, _text(it.before), _text(it.after)) for it in step.splices],
        "changes": _forms(step),
        "topics": step.topics,
        "gesture": _gesture(step.gesture),
        "declined": sorted(step.declined),
        "wanted": sorted(step.wanted),
        "offered": step.offered,
        "made_in": step.made_in,
        "others": [it.entries for it in step.others],
        "group": step.group,
    }


def _gesture(gesture: Hashable) -> str | None:
    if isinstance(gesture, RecoveredGesture):
        return gesture.text
    return None if gesture is None else repr(gesture)


def _forms(step: Step) -> list[dict[str, Any]]:
    """The changes in their script form; none if one has no such form: then the step cannot be made again."""
    try:
        return script.forms(step.changes)
    except ValueError:
        return []


def _step(path: Path, plain: Any) -> Step:
    try:
        changes = script.parse(plain["changes"])
    except MshviewError:
        changes = ()
    splices: Splices = tuple(
        Splice(_whole(at), _bytes(old), _bytes(new)) for at, old, new in _list(plain["splices"])
    )
    return Step(
        Address(path, _names(plain["entries"])),
        str(plain["words"]),
        splices,
        changes,
        tuple(map(Topic, _list(plain["topics"]))),
        None if plain["gesture"] is None else RecoveredGesture(str(plain["gesture"])),
        frozenset(map(Topic, _list(plain["declined"]))),
        frozenset(map(Topic, _list(plain["wanted"]))),
        tuple(map(Topic, _list(plain["offered"]))),
        str(plain["made_in"]),
        tuple(Address(path, _names(entries)) for entries in _list(plain.get("others", []))),
        str(plain.get("group", "")),
    )


def _text(data: bytes) -> str:
    return b64encode(data).decode("ascii")


def _bytes(text: str) -> bytes:
    return b64decode(text, validate=True)
