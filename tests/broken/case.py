"""What a case of a broken rule is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.formats.contract import check_places
from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, Severity
from viewer.formats.archive import nres
from viewer.formats.msh.parts import parts as model_parts
from viewer.formats.record import Bytes
from viewer.model.checks.payload import NOWHERE, Payload, Surroundings
from viewer.model.kinds.registry import by_id

ERROR, WARNING, INFO = Severity


OF_THE_ENTRY = frozenset({"M07"})
"""Rules about the directory entry of a payload, which is in another file."""


@dataclass(frozen=True)
class Case:
    """A file in which one rule is broken, and where it has to be found.

    `says` lists the values and key words that the message states, `also` the rules that cannot hold where
    this one is broken, `count` the findings by this rule.
    """

    rule: str
    severity: Severity
    where: str
    find: Callable[[], Iterable[Diagnostic]]
    says: str
    also: frozenset[str] = frozenset()
    count: int = 1

    def __str__(self) -> str:
        return f"{self.rule}-{self.where or 'file'}"


@dataclass(frozen=True)
class Broken:
    """A payload that was checked, and the entry that it stands in."""

    kind: str
    data: bytes
    entry: nres.Entry | None = None


_watching: list[list[Broken]] = []


@contextmanager
def checked() -> Iterator[list[Broken]]:
    """Collect what is checked meanwhile."""
    found: list[Broken] = []
    _watching.append(found)
    yield found
    _watching.remove(found)


def note(kind: str, data: Bytes, entry: nres.Entry | None = None) -> None:
    """Let those who watch know what is checked."""
    for found in _watching:
        found.append(Broken(kind, bytes(data), entry))


def findings(
    kind: str,
    data: Bytes,
    name: bytes = b"",
    entry: nres.Entry | None = None,
    around: Surroundings = NOWHERE,
) -> list[Diagnostic]:
    """What is found in a payload, each of it somewhere in its parts; where it cannot be read, why."""
    note(kind, data, entry)
    payload = Payload(memoryview(bytes(data)), entry, name, around)
    try:
        found = by_id(kind).check(payload)
    except FormatError as error:
        return [Diagnostic.of(error)]
    check_leads(kind, payload.data, entry, found)
    return found


def check_leads(kind: str, data: memoryview, entry: nres.Entry | None, found: Iterable[Diagnostic]) -> None:
    """Every finding leads into the parts of the payload, unless it is about the entry of the payload."""
    known = by_id(kind)
    try:
        root = known.parts(known.decode(data, entry))
    except FormatError:
        root = model_parts(nres.Archive.read(data))
    check_places(root, [finding for finding in found if finding.rule not in OF_THE_ENTRY])
