"""The kinds of all entries of an archive at once: a directory may have a million of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.formats.archive import nres
from viewer.formats.archive.rsli import PackedLibrary
from viewer.formats.text import fold, folded_bytes, names_of
from viewer.model.kinds.registry import KINDS, MODEL, letters_of, recognise, tables
from viewer.model.store.file_store import Container
from viewer.progress import checkpoint

LONGEST_SUFFIX: Final = 8
"""Bytes of a suffix that are compared; those of all kinds are shorter."""
_REFERENCES: Final = 64


@dataclass(frozen=True, slots=True, eq=False)
class EntryKinds:
    """Ids of kinds, one per entry.

    Attributes
    ----------
    ids
        The kinds that occur.
    codes
        The index in `ids` of the kind of each entry, (n,).
    """

    ids: Sequence[str]
    codes: npt.NDArray[np.uint32]

    @classmethod
    def of(cls, ids: Sequence[str]) -> EntryKinds:
        """The kinds of entries given one by one."""
        known, codes = np.unique(np.array(ids, np.str_), return_inverse=True)
        return cls(known.tolist(), codes.astype(np.uint32))

    def __getitem__(self, index: int) -> str:
        return self.ids[int(self.codes[index])]

    def are(self, kinds: frozenset[str]) -> npt.NDArray[np.bool_]:
        """Tell for each entry whether its kind is one of `kinds`, (n,)."""
        is_one = np.array([kind in kinds for kind in self.ids], bool)
        return is_one[self.codes] if len(self.ids) else np.zeros(0, bool)


def entry_kinds(container: Container) -> EntryKinds:
    """Return the kinds of the entries of an archive."""
    if isinstance(container, PackedLibrary):
        heads = ((memoryview(container.head(entry.index)), entry.name) for entry in container.entries)
        return EntryKinds.of([recognise(0, head, name).id for head, name in heads])
    return _kinds(container)


def _kinds(archive: nres.Archive) -> EntryKinds:
    """Decide most kinds by whole arrays; the bytes of the others are looked at one by one."""
    known = {type_id: kind.id for kind in (*tables().values(), *KINDS) for type_id in kind.type_ids}
    types, codes = np.unique(archive.rows["type_id"], return_inverse=True)
    ids = dict(enumerate(known.get(type_id) or letters_of(type_id) for type_id in types.tolist()))
    kinds = _Kinds(ids, codes.astype(np.uint32))
    is_typed = np.isin(types, [*known])[codes]
    is_model = np.isin(types, [*MODEL.type_ids])[codes]
    kinds.by_magic(_starts(archive), is_model)
    sizes = archive.rows["size"]
    kinds.leave_open(~is_typed & (sizes >= _REFERENCES) & (sizes % _REFERENCES == 0))
    kinds.by_suffix(suffix_words(names_of(archive.rows["name"])), ~is_typed)
    for index in np.flatnonzero(kinds.is_open).tolist():
        checkpoint()
        kinds.codes[index] = kinds.code(_recognised(archive, index))
    return EntryKinds([*ids.values()], kinds.codes)


class _Kinds:
    """Kinds by type id at first, replaced by those that the bytes or the names decide."""

    def __init__(self, ids: dict[int, str], codes: npt.NDArray[np.uint32]) -> None:
        self.codes = codes
        self._ids = ids
        self._codes = {kind: code for code, kind in ids.items()}
        self._is_decided = np.zeros(len(codes), bool)
        self.is_open = np.zeros(len(codes), bool)

    def code(self, kind: str) -> int:
        """The code of a kind, a new one at its first use."""
        if kind not in self._codes:
            self._codes[kind] = len(self._ids)
            self._ids[len(self._ids)] = kind
        return self._codes[kind]

    def by_magic(self, starts: npt.NDArray[np.uint32], is_model: npt.NDArray[np.bool_]) -> None:
        """Decide entries with the first bytes of a kind, given which of them are models by their type."""
        for kind in KINDS:
            if not kind.magic:
                continue
            has_magic = (starts == int.from_bytes(kind.magic, "little")) & ~self._is_decided & ~self.is_open
            if kind.content is not None:
                self.leave_open(has_magic & ~is_model)
                has_magic &= is_model
            self._decide(has_magic, kind.id)

    def by_suffix(self, suffixes: npt.NDArray[np.uint64], is_candidate: npt.NDArray[np.bool_]) -> None:
        """Decide candidates by the suffixes of their names."""
        for kind in KINDS:
            if kind.is_archive or kind is MODEL:
                continue
            for suffix in kind.suffixes:
                is_one = (suffixes == _word(suffix)) & is_candidate & ~self._is_decided & ~self.is_open
                if kind.has_ambiguous_suffix:
                    self.leave_open(is_one)
                else:
                    self._decide(is_one, kind.id)

    def leave_open(self, which: npt.NDArray[np.bool_]) -> None:
        """Leave entries to `recognise`, unless they are decided."""
        self.is_open |= which & ~self._is_decided

    def _decide(self, which: npt.NDArray[np.bool_], kind: str) -> None:
        if which.any():
            self.codes[which] = self.code(kind)
            self._is_decided |= which


def _recognised(archive: nres.Archive, index: int) -> str:
    entry = archive.entry(index)
    payload = memoryview(b"") if entry.is_damaged else archive.payload(index)
    return recognise(entry.type_id, payload, entry.name).id


def _starts(archive: nres.Archive) -> npt.NDArray[np.uint32]:
    """The first four bytes of each payload as a number, (n,); 0 for one that is shorter or damaged."""
    offsets = archive.rows["data_offset"].astype(np.int64)
    sizes = archive.rows["size"].astype(np.int64)
    is_readable = (offsets >= nres.HEADER.size) & (offsets + sizes <= archive.directory_offset)
    is_readable &= sizes >= 4
    found = np.zeros(len(offsets), np.uint32)
    data = np.frombuffer(archive.data, np.uint8)
    at = offsets[is_readable]
    found[is_readable] = sum(data[at + byte].astype(np.uint32) << (8 * byte) for byte in range(4))
    return found


def suffix_words(names: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    """Return what follows the last dot of each name, or the whole name, folded, as a number, (n,).

    A suffix that is longer than `LONGEST_SUFFIX` has the number of its first bytes.
    """
    count, size = names.shape
    is_dot = names == ord(".")
    last = size - 1 - is_dot[:, ::-1].argmax(axis=1)
    start = np.where(is_dot.any(axis=1), last + 1, 0)
    flat, first = np.append(names.ravel(), np.uint8(0)), np.arange(count) * size
    words = np.zeros(count, np.uint64)
    for byte in range(LONGEST_SUFFIX):
        at = np.where(start + byte < size, first + start + byte, len(flat) - 1)
        words |= folded_bytes(flat[at]).astype(np.uint64) << np.uint64(8 * byte)
    return words


def _word(suffix: bytes) -> int:
    return int.from_bytes(fold(suffix), "little")
