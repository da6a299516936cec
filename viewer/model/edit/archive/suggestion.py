"""What the directory should say of a payload that is added to an archive."""

from __future__ import annotations

from collections import Counter

from viewer.formats.archive import nres
from viewer.formats.text import encode
from viewer.model.edit.archive.entries import AddEntry
from viewer.model.kinds.registry import recognise


def suggested(archive: nres.Archive, name: str, payload: bytes, *, row: int | None = None) -> AddEntry:
    """Return the addition of a payload with the type and the attributes that its likes have.

    The type is that of most entries with the same suffix, else that of the kind of its bytes; attributes on
    which all entries of that type agree are taken over, others are 0.

    Parameters
    ----------
    name
        The name of the entry, or of the file that it comes from.
    row
        Its row in the new directory; after the last by default.
    """
    type_id = _type_of(archive, name, payload)
    rows = archive.rows[archive.rows["type_id"] == type_id]
    numbers = {
        field: int(rows[field][0]) if len(rows) and (rows[field] == rows[field][0]).all() else 0
        for field in ("attr1", "attr2", "attr3")
    }
    return AddEntry(name, payload, type_id, row=row, **numbers)


def _type_of(archive: nres.Archive, name: str, payload: bytes) -> int:
    suffix = name.rpartition(".")[2].lower() if "." in name else ""
    likes = Counter(
        entry.type_id for entry in archive.entries if suffix and entry.text.lower().endswith("." + suffix)
    )
    if likes:
        return likes.most_common(1)[0][0]
    try:
        raw = encode(name)
    except ValueError:
        raw = b""
    kind = recognise(0, memoryview(payload), raw)
    return int.from_bytes(kind.letters.encode(), "little") or kind.type_id
