"""Layouts: how a payload is made of records, declared once.

A layout lists the attributes of a decoded value in the order of their bytes. Decoding, encoding, the tree of
parts, JSON in both directions and the reference of the format follow from it:

    LAYOUT = Layout(
        Damage,
        header=One(HEADER, "NDP01"),
        rows=Array(NODE_DAMAGE, Count("header", "count"), "NDP01"),
        tail=tail("Bytes after the last record.", "NDP01"),
    )

Functions in a declaration take the decoded value; during decoding a namespace of what is known of it: the
stated numbers, the ``size`` of the payload, and the attributes before.

Source: spec/README.md 3 (packed structures).
Status: proven.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import Any, Generic, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.formats import part
from viewer.formats.part import Part
from viewer.formats.record import Bytes

T = TypeVar("T")
Number = Callable[[Any], int]
"""Returns a number for a value, or for what is known of it."""


class Cursor:
    """A payload, how far it is read, and what was found wrong.

    Attributes
    ----------
    data
        The whole payload.
    start
        The first byte that is not read.
    findings
        Diagnostics.
    place
        Path of the row that is read, with a dot after it; empty outside of lists.
    is_broken
        Whether a table did not fit: everything after it is left to the tail.
    """

    __slots__ = ("data", "findings", "is_broken", "place", "start")

    def __init__(self, data: Bytes) -> None:
        self.data = memoryview(data).cast("B")
        self.start = 0
        self.place = ""
        self.findings: list[Diagnostic] = []
        self.is_broken = False

    @property
    def left(self) -> int:
        """Number of bytes that are not read."""
        return len(self.data) - self.start

    def report(self, rule: str, message: str, table: str, index: int | None, name: str | None = None) -> None:
        """Add an error of a table at the place that is read."""
        self.findings.append(Diagnostic(rule, Severity.ERROR, message, self.place + table, index, name))


class Count(Struct, frozen=True):
    """The number of rows, stated in a record before them.

    Parameters
    ----------
    owner, field
        The attribute of the record, named like its part, and the field in it.
    added
        How many rows more there are.
    """

    owner: str
    field: str
    added: int = 0

    def __call__(self, it: Any) -> int:
        """The number of rows; 0 if the record is absent."""
        record = getattr(it, self.owner)
        return 0 if record is None else int(record[self.field]) + self.added


class Member:
    """An attribute of a value: how it is read, and the part it is shown as."""

    __slots__ = ()
    is_optional: bool = False
    """Whether it may be absent, and JSON may leave it out."""

    @property
    def name(self) -> str:
        """The name of its part, and its key in JSON."""
        raise NotImplementedError

    def read(self, cursor: Cursor, it: Any) -> Any:
        """The value of this member at the cursor; raises `FormatError` if nothing after it can be read."""
        raise NotImplementedError

    def part(self, value: Any, start: int, it: Any) -> Part | None:
        """The part of a value that starts at an offset; None if it is absent."""
        raise NotImplementedError


class Layout(Generic[T]):
    """The members of a value in the order of their bytes.

    Parameters
    ----------
    make
        The class of the value, with an attribute for each member.
    stated
        What decoding needs from elsewhere, and what it is if it is not given.
    reader
        Decodes a payload, with the stated numbers, if the members do not say how; they are read in order.
    check
        Yields further diagnostics of a value.
    members
        The members by attribute.
    """

    def __init__(
        self,
        make: type[T],
        *,
        stated: Mapping[str, Any] | None = None,
        reader: Callable[..., T] | None = None,
        check: Callable[[T], Iterable[Diagnostic]] | None = None,
        **members: Member,
    ) -> None:
        self.make = make
        self.stated = stated or {}
        self.reader = reader
        self.check = check
        self.members = members
        self._ordered = (*members.items(),)
        attributes = {*cast("type[Struct]", make).__struct_fields__}
        if not members.keys() <= attributes:
            raise ValueError(f"{make.__name__} has no {members.keys() - attributes}")
        self._given = (*members, *(name for name in self.stated if name in attributes))

    def known(self, stated: Sequence[int]) -> dict[str, Any]:
        """The stated numbers by name, with the defaults of those that are not given."""
        return {**self.stated, **dict(zip(self.stated, stated, strict=False))} if self.stated else {}

    def read(self, cursor: Cursor, **known: Any) -> T:
        """The value at a cursor."""
        it = SimpleNamespace(**known)
        found = it.__dict__  # what a member reads is an attribute for the members after it
        for name, member in self._ordered:
            found[name] = member.read(cursor, it)
        return self.make(**{name: found[name] for name in self._given})

    def decode(self, data: Bytes, *stated: int) -> T:
        """The value in a payload; raises `FormatError` if it cannot be read at all."""
        if self.reader is not None:
            # Callers hand over all that an entry states, of which a format takes what it declares.
            return self.reader(data, *stated[: len(self.stated)])
        cursor = Cursor(data)
        value = self.read(cursor, **self.known(stated), size=len(cursor.data))
        if cursor.findings:
            value = _reported(value, cursor.findings)
        return value if self.check is None else _reported(value, self.check(value))

    def encode(self, value: T) -> bytes:
        """The payload, built from the fields of a value."""
        return part.encode(self.parts(value))

    def parts(self, value: T, start: int = 0) -> Part:
        """The tree of parts of a value at an offset."""
        return part.group(self.children(value, start), start=start)

    def children(self, value: T, start: int = 0) -> list[Part]:
        """The parts of a value at an offset."""
        found: list[Part] = []
        for name, member in self.members.items():
            # Parts tile the payload: each begins where the one before it ends, an absent one takes no bytes.
            made = member.part(getattr(value, name), found[-1].end if found else start, value)
            found += [] if made is None else [made]
        return found

    @cached_property
    def by_part(self) -> dict[str, tuple[str, Member]]:
        """Attribute and member by the name of the part."""
        return {member.name: (name, member) for name, member in self.members.items()}

    @cached_property
    def counts(self) -> dict[str, dict[str, tuple[str, int]]]:
        """By attribute the fields of its record that state a number of rows.

        By field the name of the part with the rows, and what is to be added to their number.
        """
        found: dict[str, dict[str, tuple[str, int]]] = {name: {} for name in self.members}
        for member in self.members.values():
            count = getattr(member, "count", None)
            if isinstance(count, Count):
                # Two tables of one length share a count; the first is the one that is counted. A ring of n
                # edges has n + 1 points: to state 5 points is to store 4.
                found[count.owner].setdefault(count.field, (member.name, -count.added))
        return found


def _reported(value: T, found: Iterable[Diagnostic]) -> T:
    """A value with more diagnostics."""
    if not (more := tuple(found)):
        return value
    known: tuple[Diagnostic, ...] = value.diagnostics  # type: ignore[attr-defined]
    return replace(value, diagnostics=known + more)  # type: ignore[type-var]
