"""A patch: what turns one file into another, without the bytes that both have.

Its JSON is ``{"format": "mshview-patch", "version": 1, "before", "after", "changes"}``. A change is a value
of a field, or bytes; bytes also have ``at``, their offset in the file before any change, as ``offset`` counts
in the payload of their address.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, Final, Self

from viewer.dataclass import asdict, dataclass, fields
from viewer.errors import FormatError
from viewer.formats.record import Bytes
from viewer.model.kinds import json_text
from viewer.model.store.address import Address
from viewer.translation import _

SCHEMA: Final = "mshview-patch-1"
FORMAT: Final = "mshview-patch"
VERSION: Final = 1
CHANGES: Final = "changes"
"""The list of changes in errors."""
MOST: Final = 1 << 48
"""Offsets and sizes are smaller."""
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Stamp:
    """What identifies a file: its size and the SHA-256 of its bytes in hexadecimal."""

    size: int
    sha256: str

    @classmethod
    def of(cls, data: Bytes) -> Self:
        """The stamp of a file's bytes."""
        return cls(memoryview(data).nbytes, sha256(data).hexdigest())


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A value of a field that is another one; both files have the field at the same place.

    Parameters
    ----------
    address
        The file's name and the entries on the way to the payload, as in an `Address`.
    table, row, field
        The place in it; the row is None for a record without rows.
    before, after
        The values, as ``inspect`` prints them.
    """

    address: str
    table: str
    row: int | None
    field: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class BytesChange:
    """Bytes replaced by others, of any length.

    Parameters
    ----------
    address
        The payload in the first file.
    offset
        Where they are in it.
    before, after
        The bytes.
    at
        Where they are in the file before any change.
    """

    address: str
    offset: int
    before: bytes
    after: bytes
    at: int

    @property
    def growth(self) -> int:
        """How many bytes longer the result is."""
        return len(self.after) - len(self.before)


PatchChange = FieldChange | BytesChange


def entries_of(address: str) -> tuple[str, ...]:
    """Return the entries of an address of a patch; the name of the file does not matter."""
    return Address.parse(address).entries


@dataclass(frozen=True, slots=True)
class Patch:
    """What turns one file into another.

    Parameters
    ----------
    before, after
        The two files.
    changes
        In the order of their offsets.
    """

    before: Stamp
    after: Stamp
    changes: tuple[PatchChange, ...]

    @classmethod
    def parse(cls, data: Bytes) -> Self:
        """Return the patch of a JSON text; raises `FormatError` with the change and the field."""
        try:
            form = json.loads(bytes(data))
        except (ValueError, RecursionError):
            raise FormatError(_("is not a patch: it is not JSON")) from None
        if not isinstance(form, dict) or form.get("format") != FORMAT:
            raise FormatError(_("is not a patch"), field="format")
        if form.get("version") != VERSION:
            raise FormatError(_("only version {version} is known", version=VERSION), field="version")
        rows = form.get(CHANGES)
        if not isinstance(rows, list):
            raise FormatError(_("is not a list"), field=CHANGES)
        before, after = (_stamp(name, form.get(name)) for name in ("before", "after"))
        return cls(before, after, tuple(_change(index, row) for index, row in enumerate(rows)))

    @property
    def document(self) -> dict[str, Any]:
        """The patch as JSON."""
        return {
            "schema": SCHEMA,
            "format": FORMAT,
            "version": VERSION,
            **{name: asdict(it) for name, it in (("before", self.before), ("after", self.after))},
            CHANGES: [*map(_row, self.changes)],
        }

    def encode(self) -> bytes:
        """The JSON text, a change a line."""
        head = {name: value for name, value in self.document.items() if name != CHANGES}
        rows = ",\n".join(json_text.encode(_row(change)) for change in self.changes)
        return b"".join(
            part.encode() for part in (json_text.encode(head)[:-1], ', "changes": [\n', rows, "\n]}\n")
        )


def _row(change: PatchChange) -> dict[str, Any]:
    values = {it.name: getattr(change, it.name) for it in fields(change)}
    return {name: value.hex() if isinstance(value, bytes) else value for name, value in values.items()}


def _stamp(name: str, form: Any) -> Stamp:
    if not isinstance(form, dict):
        raise FormatError(_("is missing"), field=name)
    digest = form.get("sha256")
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise FormatError(_("is not 64 hexadecimal digits"), field=".".join((name, "sha256")))
    return Stamp(_count(form, "size", name), digest)


def _change(index: int, form: Any) -> PatchChange:
    if not isinstance(form, dict):
        raise FormatError(_("is not a change"), table=CHANGES, index=index)
    kind = BytesChange if "offset" in form else FieldChange
    # "at" came with nested payloads; without it the offset counts in the file itself
    form = {"at": form.get("offset"), **form}
    try:
        return kind(**{it.name: _READERS[str(it.type)](form, it.name) for it in fields(kind)})
    except FormatError as error:
        raise FormatError(error.message, table=CHANGES, index=index, field=error.field) from None


def _value(form: Mapping[str, Any], name: str) -> Any:
    if name not in form:
        raise FormatError(_("is missing"), field=name)
    return form[name]


def _text(form: Mapping[str, Any], name: str) -> str:
    value = form.get(name)
    if not isinstance(value, str):
        raise FormatError(_("is not a text"), field=name)
    return value


def _count(form: Mapping[str, Any], name: str, around: str = "") -> int:
    value = form.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < MOST:
        raise FormatError(
            _("is not a number of bytes or a row"), field=".".join(part for part in (around, name) if part)
        )
    return value


def _bytes(form: Mapping[str, Any], name: str) -> bytes:
    try:
        return bytes.fromhex(_text(form, name))
    except ValueError:
        raise FormatError(_("is not hexadecimal"), field=name) from None


_READERS: Final[Mapping[str, Callable[[Mapping[str, Any], str], Any]]] = {
    "str": _text,
    "int": _count,
    "int | None": lambda form, name: None if form.get(name) is None else _count(form, name),
    "bytes": _bytes,
    "Any": _value,
}
"""What reads a field of a change, by its type as it is written."""
