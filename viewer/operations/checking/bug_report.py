"""A report of a fault as a zip: what was shown, versions, log, and the records that have findings, no more.

Names of users and of their folders are removed from every text in it, and of a file there are at most the
bytes of the rows that something is wrong with: a quarter of it, and never more than `MOST_BYTES`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec import Struct

from viewer import typed_json
from viewer.diagnostics import Diagnostic
from viewer.errors import MshviewError, Severity
from viewer.formats.part import Part, find, record_at
from viewer.formats.record import Record
from viewer.model.edit.set_field import stored_place
from viewer.model.kinds import json_text
from viewer.model.kinds.columns import record_row
from viewer.model.kinds.registry import promised_kind
from viewer.model.store.address import CURRENT, Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.model.store.place import Place
from viewer.model.validation.validate import Report
from viewer.model.write.zipping import zip_of
from viewer.operations.checking.private_names import PrivateNames
from viewer.operations.checking.validating import ValidationOptions
from viewer.progress import Progress
from viewer.translation import Text, _, translated

SCHEMA: Final = "mshview-report-1"
README: Final = "README.txt"
MOST_FINDINGS: Final = 200
"""Findings that are listed."""
MOST_RECORDS: Final = 100
"""Records whose values and bytes are in a report."""
MOST_BYTES: Final = 4096
"""Bytes of a payload that are in a report, together,"""
SHARE: Final = 4
"""and no more than one in so many of its bytes: a report never has a whole file."""
MOST_OF_RECORD: Final = 256
"""Bytes of one record: those of a larger one would be all that the report may have."""
MOST_LINES: Final = 500
"""Lines of the log, the last ones."""

WHAT: Final[dict[str, Text]] = {
    README: _("this list"),
    "versions.txt": _("the program, Python, libraries, system and OpenGL"),
    "link.txt": _("the state link: what was selected and how it was looked at; open it with your file"),
    "picture.png": _("the picture"),
    "log.txt": _("the last lines of the log"),
    "records.json": _("what is wrong, and of the rows with that their values and bytes, no more of a file"),
}
"""The files of a report, and what is in each."""


class ReportSources(Struct, frozen=True):
    """The sources of a report.

    Attributes
    ----------
    address
        What was looked at; None for nothing.
    link
        The state link; empty without one.
    picture
        A PNG; empty without one.
    versions
        The program and what it runs on, lines of text.
    log
        Lines of the log.
    validation
        How findings are made.
    """

    address: Address | None = None
    link: str = ""
    picture: bytes = b""
    versions: str = ""
    log: Sequence[str] = ()
    validation: ValidationOptions = ValidationOptions()


class BugReport(Struct, frozen=True):
    """The files of a report, by name in order; the first lists them all."""

    files: dict[str, bytes]

    @property
    def contents(self) -> Iterator[tuple[str, int, str]]:
        """Name, size in bytes and meaning of each file."""
        return ((name, len(data), translated(WHAT[name])) for name, data in self.files.items())

    @property
    def zipped(self) -> bytes:
        """The bytes of the zip: the same for the same files."""
        return zip_of(self.files.items())


def made(files: FileStore, sources: ReportSources, private: PrivateNames | None = None) -> BugReport:
    """The report of some sources; what cannot be read is said in it."""
    private = PrivateNames.of_user() if private is None else private
    found: dict[str, bytes] = {
        "versions.txt": _text(private, [sources.versions]),
        "link.txt": _text(private, [without_folders(sources.link)] if sources.link else []),
        "picture.png": sources.picture,
        "log.txt": _text(private, _without_its_folder(sources.log[-MOST_LINES:], sources.address)),
    }
    if sources.address is not None:
        records = records_of(files, sources.address, sources.validation)
        found["records.json"] = (
            f"{json.dumps(private.cleaned(records), ensure_ascii=False, indent=1)}\n".encode(errors="replace")
        )
    kept = {name: data for name, data in found.items() if data}
    return BugReport({README: _read_me(kept).encode(), **kept})


def without_folders(link: str) -> str:
    """A state link whose files are names alone."""
    # A link has its paths quoted: slashes as they are, backslashes of Windows as %5C.
    return re.sub(r"(?i)([?&](?:file|sky)=)[^&]*(?:/|%5C)", r"\1", link)


def _without_its_folder(lines: Iterable[str], address: Address | None) -> Iterable[str]:
    """Lines in which the file that the report is about is its name alone."""
    if address is None:
        return lines
    path = address.path
    spelled = sorted({str(it) for it in (path, path.absolute(), path.resolve())}, key=len, reverse=True)
    pattern = "|".join(map(re.escape, spelled))
    return [re.sub(pattern, lambda _found: path.name, line) for line in lines]


def _text(private: PrivateNames, lines: Iterable[str]) -> bytes:
    text = "\n".join(line.rstrip("\n") for line in lines)
    return f"{private.cleaned(text)}\n".encode(errors="replace") if text else b""


def _read_me(files: dict[str, bytes]) -> str:
    """The list of the files, in English as the rest of a report."""
    lines = [
        "A report of mshview for its developers. Look through it before you send it. It holds these files:",
        "",
        *(f"{name:14} {len(data):9,} bytes  {WHAT[name].template}" for name, data in files.items()),
        "",
        "Names of users and their home folders were replaced by USER and ~, and the file's folder left out.",
        f"Of a file of the game it has rows with findings: up to {MOST_BYTES:,} bytes, and one in {SHARE}.",
    ]
    return "\n".join((*lines, ""))


class ReportedFinding(Struct, frozen=True):
    """A finding: its rule, where it is and what it says."""

    rule: str
    severity: Severity
    table: str
    index: int | None
    field: str | None
    message: str

    @classmethod
    def of(cls, found: Diagnostic) -> ReportedFinding:
        """A diagnostic as a report lists it."""
        return cls(found.rule, found.severity, found.table, found.index, found.field, str(found.message))


class ReportedRecord(Struct, frozen=True):
    """A row with findings: where it is, its values and bytes; of a large one only values with findings."""

    place: str
    offset: int
    size: int
    bytes: str
    value: Any


class ReportedPayload(Struct, frozen=True):
    """A payload with findings; its SHA-256 tells whether two users have the same one."""

    address: str
    kind: str
    size: int
    sha256: str
    is_readable: bool
    findings: tuple[ReportedFinding, ...]
    records: tuple[ReportedRecord, ...]
    findings_left_out: int
    records_left_out: int


class _Room(Struct):
    """The numbers of findings and records that still go into a report."""

    findings: int = MOST_FINDINGS
    records: int = MOST_RECORDS


def records_of(files: FileStore, address: Address, validation: ValidationOptions) -> dict[str, Any]:
    """The findings at an address with the rows that they are about, as JSON; none of its folders."""
    room, payloads, problem = _Room(), list[Any](), None
    try:
        tasks = validation.plan([address], is_divided=False)
        found = (it for it in validation.apply(tasks, Progress()) if it.diagnostics or it.source == address)
        payloads += (
            typed_json.plain(_payload(files.open(it.source), it, room), ReportedPayload) for it in found
        )
    except MshviewError as error:
        problem = str(error.message)
    return {"schema": SCHEMA, "address": _short(address), "error": problem, "payloads": payloads}


def _payload(item: Item, report: Report, room: _Room) -> ReportedPayload:
    listed = report.diagnostics[: room.findings]
    room.findings -= len(listed)
    places: dict[Place, set[str]] = {}
    for it in listed:
        table, field = stored_place(report.kind, it.table, it.field or "")
        places.setdefault(Place(CURRENT, table, it.index), set()).add(field)
    records = [*islice(_records(item, places), room.records)] if report.is_readable else []
    room.records -= len(records)
    return ReportedPayload(
        _short(report.source),
        report.kind,
        len(item.data),
        item.digest.hex(),
        report.is_readable,
        tuple(map(ReportedFinding.of, listed)),
        tuple(records),
        len(report.diagnostics) - len(listed),
        len(places) - len(records),
    )


def _records(item: Item, places: Mapping[Place, Collection[str]]) -> Iterator[ReportedRecord]:
    """The rows of an item at some places; of one for which there is no room the fields with findings."""
    try:
        root = promised_kind(item).parts_in(item)
    except MshviewError:
        return
    left = min(MOST_BYTES, len(item.data) // SHARE)
    for place, names in places.items():
        part = find(root, place.table) if place.table else None
        found = None if part is None else _record_at(part, place.row)
        if part is None or found is None:
            continue
        record, row = found
        start, size = part.span(place.row)
        is_whole = size <= min(left, MOST_OF_RECORD)
        values = json.loads(json_text.encode(record_row(record, row)))
        if is_whole:
            left -= size
        else:
            values = {name: value for name, value in values.items() if name in names}
        yield ReportedRecord(place.in_file, start, size, row.tobytes().hex() if is_whole else "", values)


def _record_at(part: Part, row: int | None) -> tuple[Record, np.void] | None:
    try:
        return record_at(part, row)
    except IndexError:
        return None


def _short(address: Address) -> str:
    """An address without the folders of its file."""
    return str(Address(Path(address.path.name), address.entries))
