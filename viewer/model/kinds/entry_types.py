"""The type that the directory of an archive should state for a payload: guessed, and checked.

Source: spec/nres.md 1.2, 6.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.errors import Diagnostic, FormatError, Severity
from viewer.formats.archive import nres
from viewer.formats.findings import findings
from viewer.formats.text import names_of
from viewer.model.kinds.entry_kinds import entry_kinds, suffix_word, suffix_words
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import KINDS, by_id, letters_of, recognise
from viewer.progress import checkpoint
from viewer.translation import Sentence

MOST_TRIED: Final = 4096
"""Entries of type 0 whose payloads are tried as one kind after the other; there are none in the game."""
ATTRIBUTES: Final = ("attr1", "attr2", "attr3")
_TYPED: Final = tuple(kind for kind in KINDS if kind.letters and not kind.magic)


def guessed_type(archive: nres.Archive, name: bytes, payload: memoryview) -> int:
    """The type id for a payload that is added to an archive; 0 if nothing suggests one.

    The type of most entries with the same suffix, if the payload can be that; else the type of the kind that
    the payload is; else the type that all entries have.
    """
    fitting = kind_of_payload(payload, name)
    is_alike = suffix_words(names_of(archive.rows["name"])) == suffix_word(name)
    likes = Counter(archive.rows["type_id"][is_alike].tolist()) if b"." in name else None
    if likes:
        type_id = int(likes.most_common(1)[0][0])
        if not fitting.type_ids or type_id in fitting.type_ids:
            return type_id
    if fitting.type_ids or fitting.is_known:
        return max(fitting.type_ids, default=0)
    types = np.unique(archive.rows["type_id"])
    return int(types[0]) if len(types) == 1 else 0


def guessed_attributes(archive: nres.Archive, type_id: int) -> dict[str, int]:
    """The attributes on which all entries of a type agree; 0 for the others."""
    rows = archive.rows[archive.rows["type_id"] == type_id]
    return {
        name: int(rows[name][0]) if len(rows) and (rows[name] == rows[name][0]).all() else 0
        for name in ATTRIBUTES
    }


def kind_of_payload(payload: memoryview, name: bytes) -> Kind:
    """The kind of a payload without regard to its type id.

    A payload that is recognized neither by its first bytes nor by its name is the first kind that reads it
    without an error: a material has no magic, and its name no suffix.
    """
    kind = recognise(0, payload, name)
    return kind if kind.is_known else next((it for it in _TYPED if _reads(it, payload)), kind)


def misfits(archive: nres.Archive) -> list[Diagnostic]:
    """A warning for each entry whose payload is of a kind that has another type (TYPE01)."""
    kinds: dict[int, Kind] = {}
    for row in np.flatnonzero(_may_misfit(archive)).tolist():
        checkpoint()
        entry = archive.entry(row)
        kind = kind_of_payload(archive.payload(row), entry.name)
        if kind.type_ids and entry.type_id not in kind.type_ids:
            kinds[row] = kind
    is_wrong = np.zeros(len(archive.rows), np.bool_)
    is_wrong[[*kinds]] = True
    return findings(
        "TYPE01",
        Severity.WARNING,
        nres.ENTRY.name,
        is_wrong,
        lambda row: Sentence(
            "{type} does not fit the payload: {kind}, which has type {fitting}",
            type=letters_of(archive.entry(row).type_id),
            kind=kinds[row].title,
            fitting=letters_of(max(kinds[row].type_ids)),
        ),
        "type_id",
    )


def _may_misfit(archive: nres.Archive) -> npt.NDArray[np.bool_]:
    """Whether the type of each readable entry is 0 or not one of its kind, (n,)."""
    kinds, rows = entry_kinds(archive), archive.rows
    is_wrong = np.zeros(len(rows), np.bool_)
    for code, name in enumerate(kinds.ids):
        type_ids = by_id(name).type_ids
        if type_ids:
            is_wrong |= (kinds.codes == code) & ~np.isin(rows["type_id"], [*type_ids])
    is_wrong[np.flatnonzero(rows["type_id"] == 0)[:MOST_TRIED]] = True
    starts = rows["data_offset"].astype(np.int64)
    is_wrong &= (starts >= nres.HEADER.size) & (starts + rows["size"] <= archive.directory_offset)
    return is_wrong


def _reads(kind: Kind, payload: memoryview) -> bool:
    try:
        value = kind.decode(payload)
    except FormatError:
        return False
    return not any(it.severity is Severity.ERROR for it in getattr(value, "diagnostics", ()))
