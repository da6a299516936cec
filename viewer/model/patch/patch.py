"""A patch: what turns one file into another, without the bytes that both have.

Its JSON is ``{"format": "mshview-patch", "version": 1, "before", "after", "changes"}``. A change is a value
of a field, or bytes; bytes also have ``at``, their offset in the file before any change, as ``offset`` counts
in the payload of their address.
"""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from typing import Annotated, Any, Final, Self

from msgspec import Struct

from viewer import typed_json
from viewer.errors import FormatError, MshviewError
from viewer.formats.record import Bytes
from viewer.model.kinds import json_text
from viewer.model.store.address import Address
from viewer.translation import _
from viewer.typed_json import COUNT, SHA256, plain_fields

SCHEMA: Final = "mshview-patch-1"
FORMAT: Final = "mshview-patch"
VERSION: Final = 1
CHANGES: Final = "changes"
"""The list of changes in errors."""
Count = Annotated[int, COUNT]


class Stamp(Struct, frozen=True):
    """The identity of a file: its size and the SHA-256 of its bytes in hexadecimal."""

    size: Count
    sha256: Annotated[str, SHA256]

    @classmethod
    def of(cls, data: Bytes) -> Self:
        """The stamp of a file's bytes."""
        return cls(memoryview(data).nbytes, sha256(data).hexdigest())


class FieldChange(Struct, frozen=True):
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
    row: Count | None
    field: str
    before: object
    after: object


class BytesChange(Struct, frozen=True):
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
    offset: Count
    before: bytes
    after: bytes
    at: Count

    @property
    def growth(self) -> int:
        """Bytes by which the patch lengthens its file."""
        return len(self.after) - len(self.before)


PatchChange = FieldChange | BytesChange


def is_patch(data: Bytes) -> bool:
    """Whether a JSON text is that of a patch, of any version."""
    with suppress(MshviewError):
        return typed_json.document(data).get("format") == FORMAT
    return False


def entries_of(address: str) -> tuple[str, ...]:
    """The entries of an address of a patch; the name of the file does not matter."""
    return Address.parse(address).entries


class Patch(Struct, frozen=True):
    """The changes that turn one file into another.

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
    def parse(cls, data: Bytes, *, is_strict: bool = False) -> Self:
        """The patch of a JSON text; raises `FormatError` with the change and the field.

        If it is strict, members are refused that a patch does not have.
        """
        form = typed_json.document(data)
        if form.get("format") != FORMAT:
            raise FormatError(_("is not a patch"), field="format")
        if form.get("version") != VERSION:
            raise FormatError(_("only version {version} is known", version=VERSION), field="version")
        rows = form.get(CHANGES)
        if isinstance(rows, list):
            # "at" came with nested payloads; without it the offset counts in the file itself
            form[CHANGES] = [
                {"at": row["offset"], **row} if isinstance(row, dict) and "offset" in row else row
                for row in rows
            ]
        own = {name: it for name, it in form.items() if name not in ("schema", "format", "version")}
        return typed_json.made(cls, own, is_strict=is_strict)

    @property
    def document(self) -> dict[str, Any]:
        """The patch as JSON."""
        return {"schema": SCHEMA, "format": FORMAT, "version": VERSION, **plain_fields(self)}

    def encode(self) -> bytes:
        """The JSON text, a change a line."""
        head = self.document
        rows = ",\n".join(map(json_text.encode, head.pop(CHANGES)))
        return "".join((json_text.encode(head)[:-1], ', "changes": [\n', rows, "\n]}\n")).encode()
