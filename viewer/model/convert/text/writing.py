"""A resource as text: every byte of it, so that it can be read back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from viewer.formats.archive.nres import Entry
from viewer.formats.archive.rsli import PackedEntry
from viewer.formats.record import Bytes
from viewer.model.kinds.kind import Kind

FORMAT: Final = "mshview-resource"
VERSION: Final = 1


def text_of(kind: Kind, data: Bytes, entry: Entry | PackedEntry | None = None) -> Iterator[str]:
    """Yield the text of a resource, which has the directory entry `entry`, piece by piece."""
    yield json.dumps({"format": FORMAT, "version": VERSION, "kind": kind.id, "bytes": bytes(data).hex()})
    yield "\n"
