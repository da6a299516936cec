"""The kinds of all entries of an archive at once, and the types that its directory should state for them.

Source: spec/nres.md 1.2, 6.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, Severity
from viewer.formats.archive import nres
from viewer.formats.archive.rsli import PackedLibrary
from viewer.formats.findings import Rule
from viewer.formats.text import fold, folded_bytes, names_of
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import KINDS, MODEL, by_id, by_type, letters_of, recognise
from viewer.model.store.item import Container, spelling
from viewer.progress import checkpoint

LONGEST_SUFFIX: Final = 8
"""Bytes of a suffix that are compared; those of all kinds are shorter."""
_REFERENCES: Final = 64
"""Bytes of one reference in a list of objects, which has neither magic, type nor suffix (objects.md 1)."""
_MARK: Final = int.from_bytes(b"//G", "little")
"""The first three bytes of a description of a part."""


class EntryKinds(Struct, frozen=True, eq=False):
    """Ids of kinds, one per entry.

    Attributes
    ----------
    ids
        The kinds that occur, each once.
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
        """Whether the kind of each entry is one of `kinds`, (n,)."""
        is_one = np.array([kind in kinds for kind in self.ids], bool)
        return is_one[self.codes] if len(self.ids) else np.zeros(0, bool)


def entry_kinds(container: Container, names: npt.NDArray[np.uint8] | None = None) -> EntryKinds:
    """The kinds of the entries of an archive.

    Parameters
    ----------
    names
        The names of the entries, as `names_of` gives them, if they are known already.
    """
    if isinstance(container, PackedLibrary):
        heads = ((memoryview(container.head(entry.index)), entry.name) for entry in container.entries)
        return EntryKinds.of([recognise(0, head, name).id for head, name in heads])
    # Entries of a packed library have no type (spec/rsli.md 1.2): first bytes and names decide, one by one.
    return _kinds(container, names_of(container.rows["name"]) if names is None else names)


def named_entries(container: Container | None, kind: str) -> list[str]:
    """The entries of a kind, as addresses spell them; none of what is no archive."""
    if container is None:
        return []
    rows = entry_kinds(container).are(frozenset({kind})).nonzero()[0].tolist()
    return [spelling(container, row) for row in rows]


def _kinds(archive: nres.Archive, names: npt.NDArray[np.uint8]) -> EntryKinds:
    """The kinds of all entries: at once for those with the same type, first bytes and suffix.

    A worker thread may wait for the window at each operation on a large array, so there are few of them.
    """
    rows = archive.rows
    # All magics have four bytes, so each is one u32: "NRes" is 0x7365524E.
    magics = _numbers(int.from_bytes(kind.magic, "little") for kind in KINDS)
    suffixes = _numbers(_word(suffix) for kind in KINDS for suffix in kind.suffixes)
    # What is no magic becomes 0: otherwise every payload of a table begins with other bytes, and no two
    # entries would share a group.
    first = _starts(archive)
    starts = magics[_places(magics, first)]
    of_suffix = _places(suffixes, suffix_words(names))
    # The type in the high 32 bits, the first four bytes in the low ones: each pair is decided once.
    headed = rows["type_id"].astype(np.uint64) << np.uint64(32) | starts
    heads, of_head = np.unique(headed, return_inverse=True)
    # What may be a list of references or a description of a part: all their bytes decide, one by one.
    is_open = (rows["size"] >= _REFERENCES) & (rows["size"] % _REFERENCES == 0) | (first & 0xFFFFFF == _MARK)
    # Head, suffix and size in one number, which divmod and % 2 take apart again.
    # With 9 words for suffixes, 0 for none being one of them, head 2, suffix 4 and open are (2 *
    # 9 + 4) * 2 + 1 = 45.
    shared, groups = np.unique((of_head * len(suffixes) + of_suffix) * 2 + is_open, return_inverse=True)
    kinds: list[str] = []
    for number in shared.tolist():
        checkpoint()
        head, suffix = divmod(number // 2, len(suffixes))
        type_id, start = divmod(int(heads[head]), 1 << 32)
        # 45 again: 45 // 2 = 22 is head 2, suffix 4, and 45 % 2 = 1 says that it is open.
        kinds.append(_decided(type_id, start, int(suffixes[suffix]), is_open=bool(number % 2)))
    return _with_open(archive, kinds, groups)


def _decided(type_id: int, start: int, suffix: int, *, is_open: bool) -> str:
    """The kind of entries with a type, first bytes and a suffix; empty if their other bytes decide."""
    for kind in KINDS:
        if kind.magic and start == int.from_bytes(kind.magic, "little"):
            # Models and archives begin with the same magic. Only the letters MESH decide without opening the
            # container.
            is_sure = kind.content is None or (kind is MODEL and type_id in MODEL.type_ids)
            return kind.id if is_sure else ""
    if kind_of_type := by_type(type_id):
        return kind_of_type.id
    # Lists of object references and descriptions of parts have no magic: their other bytes decide.
    if is_open:
        return ""
    for kind in KINDS:
        if not kind.is_archive and kind is not MODEL and suffix in map(_word, kind.suffixes):
            return "" if kind.has_ambiguous_suffix else kind.id
    return letters_of(type_id)


def _numbers(known: Iterable[int]) -> npt.NDArray[np.uint64]:
    """The numbers that decide a kind, and 0, in order."""
    return np.array(sorted({0, *known}), np.uint64)


def _places(known: npt.NDArray[np.uint64], found: npt.NDArray[np.unsignedinteger]) -> npt.NDArray[np.int64]:
    """The index in `known` of each number, (n,); 0 for all others, which are as good as none."""
    # A number above all others has the place behind the last.
    places = np.minimum(np.searchsorted(known, found), len(known) - 1)
    return np.where(known[places] == found, places, 0)


def _with_open(archive: nres.Archive, decided: list[str], groups: npt.NDArray[np.int64]) -> EntryKinds:
    """The kinds of entries by their group, and one by one in groups that do not decide."""
    codes_of: dict[str, int] = {}
    code_of_group = [codes_of.setdefault(kind, len(codes_of)) for kind in decided]
    codes = np.array(code_of_group, np.uint32)[groups]
    if "" in codes_of:
        for index in np.flatnonzero(codes == codes_of[""]).tolist():
            checkpoint()
            codes[index] = codes_of.setdefault(_recognised(archive, index), len(codes_of))
    return EntryKinds([*codes_of], codes)


def entry_kind(container: Container, index: int) -> str:
    """The kind of one entry of an archive."""
    if isinstance(container, PackedLibrary):
        head = memoryview(container.head(index))
        return recognise(0, head, container.entries[index].name).id
    return _recognised(container, index)


def _recognised(archive: nres.Archive, index: int) -> str:
    entry = archive.entry(index)
    payload = memoryview(b"") if entry.is_damaged else archive.payload(index)
    return recognise(entry.type_id, payload, entry.name).id


def _starts(archive: nres.Archive) -> npt.NDArray[np.uint32]:
    """The first four bytes of each payload as a number, (n,); 0 for one that is shorter or damaged."""
    offsets = archive.rows["data_offset"].astype(np.int64)
    sizes = archive.rows["size"].astype(np.int64)
    ends = offsets + sizes
    is_readable = (offsets >= nres.HEADER.size) & (ends <= archive.directory_offset) & (sizes >= 4)
    found = np.zeros(len(offsets), np.uint32)
    if is_readable.any():
        data = np.frombuffer(archive.data, np.uint8)
        # Byte by byte, as an offset that a damaged or foreign directory states may be odd.
        at = offsets[is_readable][:, None] + np.arange(4)
        found[is_readable] = data[at].view("<u4").ravel()
    return found


def suffix_words(names: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    """The suffix of each name, or the whole name without a dot, folded, as a number, (n,).

    A suffix that is longer than `LONGEST_SUFFIX` has the number of its first bytes.
    """
    count, size = names.shape
    is_dot = names == ord(".")
    # argmax finds the first True; of the reversed name that is the last dot.
    last = size - 1 - is_dot[:, ::-1].argmax(axis=1)
    start = np.where(is_dot.any(axis=1), last + 1, 0)
    flat, first = np.append(names.ravel(), np.uint8(0)), np.arange(count) * size
    words = np.zeros(count, np.uint64)
    for byte in range(LONGEST_SUFFIX):
        # What is beyond the field reads the zero that was appended.
        at = np.where(start + byte < size, first + start + byte, len(flat) - 1)
        # As the first letter lies in the low byte: ".WEA" is 0x616577, which is also what _word makes of
        # "wea".
        words |= folded_bytes(flat[at]).astype(np.uint64) << np.uint64(8 * byte)
    return words


def suffix_word(name: bytes) -> int:
    """The number that `suffix_words` has for a name."""
    return _word(name.rpartition(b".")[2][:LONGEST_SUFFIX])


def _word(suffix: bytes) -> int:
    return int.from_bytes(fold(suffix), "little")


MOST_TRIED: Final = 4096
"""Entries of type 0 whose payloads are tried as one kind after the other; there are none in the game."""
ATTRIBUTES: Final = ("attr1", "attr2", "attr3")
_TYPED: Final = tuple(kind for kind in KINDS if kind.letters and not kind.magic and kind.content is None)


def guessed_type(archive: nres.Archive, name: bytes, payload: memoryview) -> int:
    """The type id for a payload that is added to an archive; 0 if nothing suggests one.

    The type of most entries with the same suffix, if the payload can be that; else the type of the kind that
    the payload is; else the type that all entries have.
    """
    fitting = kind_of_payload(payload, name)
    is_alike = suffix_words(names_of(archive.rows["name"])) == suffix_word(name)
    # Without a dot the word is that of the whole name, which is no suffix that others could share.
    likes = Counter(archive.rows["type_id"][is_alike].tolist()) if b"." in name else None
    if likes:
        type_id = int(likes.most_common(1)[0][0])
        if not fitting.type_ids or type_id in fitting.type_ids:
            return type_id
    if fitting.type_ids or fitting.is_known:
        # No kind has more than one type id; a known kind without any, as a unit, is a file elsewhere and gets
        # 0.
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
    return Rule("TYPE01", nres.ENTRY.name, "type_id", Severity.WARNING).in_rows(
        is_wrong,
        "{type} does not fit the payload: {kind}, which has type {fitting}",
        type=lambda row: letters_of(archive.entry(row).type_id),
        kind=lambda row: kinds[row].title,
        fitting=lambda row: letters_of(max(kinds[row].type_ids)),
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
    # Entries that reach out of the data have no payload to judge: reading it raises N05.
    is_wrong &= (starts >= nres.HEADER.size) & (starts + rows["size"] <= archive.directory_offset)
    return is_wrong


def _reads(kind: Kind, payload: memoryview) -> bool:
    try:
        value = kind.decode(payload)
    except FormatError:
        return False
    # Decoders keep what they can of damaged bytes and report it: an error means that it is hardly of the
    # kind.
    return not any(it.severity is Severity.ERROR for it in kind.findings(value))
