"""The resource in a text."""

from __future__ import annotations

import json
from dataclasses import dataclass

from viewer.errors import FormatError
from viewer.formats.archive.nres import Entry
from viewer.formats.record import Bytes
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import by_id
from viewer.translation import Sentence


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource that was read from a text, with what the directory of its archive said of it."""

    kind: Kind
    data: bytes
    entry: Entry | None = None


def bytes_of(text: Bytes, source: str = "") -> bytes:
    """Return the bytes of the resource in a text; raises `FormatError` with line, column and JSON path."""
    return resource_of(text, source).data


def resource_of(text: Bytes, source: str = "") -> Resource:
    """Return the resource in a text; raises `FormatError` with line, column and JSON path."""
    try:
        found = json.loads(bytes(text))
        return Resource(by_id(found["kind"]), bytes.fromhex(found["bytes"]))
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        message = Sentence("is not the text of a resource: {reason}", reason=str(error))
        raise FormatError(message, source=source) from None
