"""The kinds of all entries at once are those of the entries one by one."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.broken import games
from tests.builders import archive_of
from tests.gui.conftest import crane
from viewer.formats.archive import nres
from viewer.formats.text import fold, names_of, until_nul
from viewer.model.kinds.entry_kinds import (
    LONGEST_SUFFIX,
    EntryKinds,
    _decided,
    entry_kind,
    entry_kinds,
    suffix_words,
)
from viewer.model.kinds.registry import KINDS, recognise
from viewer.model.store.address import Address
from viewer.model.store.file_store import Container, FileStore

MODEL_BYTES = crane().build()
PAYLOADS = (
    b"",
    b"Texm",
    b"Tfnt1234",
    MODEL_BYTES,
    b"NL\0\1",
    archive_of({"a": b"b"}),
    b"NRes",
    bytes(768),
    bytes(64),
)
NAMES = ("a", "wea", "a.WEA", "b.texm", "c.mat0", "d.msh", "e.lib", "f.pal", "g.ndp", "h.fxid.bak", "i.texmx")
TYPES = (0, 1, 5, *(type_id for kind in KINDS for type_id in kind.type_ids))


def one_by_one(container: Container) -> list[str]:
    assert isinstance(container, nres.Archive)
    found = []
    for entry in container.entries:
        data = memoryview(b"") if entry.is_damaged else container.payload(entry.index)
        found.append(recognise(entry.type_id, data, entry.name).id)
    return found


def listed(container: Container) -> list[str]:
    kinds = entry_kinds(container, names_of(container.rows["name"]))
    return [kinds[index] for index in range(len(container.entries))]


@given(
    st.lists(
        st.tuples(st.sampled_from(TYPES), st.sampled_from(PAYLOADS), st.sampled_from(NAMES)), max_size=40
    )
)
def test_kinds_of_an_archive(entries: list[tuple[int, bytes, str]]) -> None:
    data = nres.build(nres.NewEntry(type_id, payload, name.encode()) for type_id, payload, name in entries)
    archive = nres.Archive.read(data)
    assert listed(archive) == one_by_one(archive)


def test_names_and_bytes_that_say_nothing_are_not_looked_at_one_by_one() -> None:
    entries = [nres.NewEntry(5, b"%4d" % number, b"a.%d" % number) for number in range(1000)]
    archive = nres.Archive.read(nres.build([*entries, nres.NewEntry(0, b"", b"a.wea")]))
    with patch("viewer.model.kinds.entry_kinds._decided", wraps=_decided) as decided:
        assert listed(archive) == one_by_one(archive)
    assert decided.call_count == 2


def test_a_payload_outside_the_archive_is_known_by_type_and_name() -> None:
    data = nres.build([nres.NewEntry(0, b"Texm", b"a.wea"), nres.NewEntry(5, b"Texm", b"b")])
    archive = nres.Archive.read(data)
    rows = archive.rows.copy()
    rows["data_offset"] = 1 << 31
    damaged = nres.Archive(archive.data, archive.header, rows, archive.total_size)
    assert listed(damaged) == one_by_one(damaged)
    assert listed(damaged)[0] == "wear"


def test_kinds_of_the_samples(files: Path) -> None:
    for pattern in ["field", "seed"]:
        library, seen = FileStore(), set()
        for path in sorted((files / pattern).rglob("*")):
            container = library.open(Address(path)).container if path.is_file() else None
            if isinstance(container, nres.Archive):
                assert listed(container) == one_by_one(container), path
                seen |= {*listed(container)}
        assert len(seen) > 3


@given(st.lists(st.binary(max_size=36), min_size=1, max_size=8))
def test_suffixes_are_those_of_the_names(names: list[bytes]) -> None:
    fields = np.array([name.ljust(36, b"\0") for name in names], "V36")
    expected = [fold(until_nul(name).rpartition(b".")[2])[:LONGEST_SUFFIX] for name in names]
    words = suffix_words(names_of(fields)).tolist()
    assert [word.to_bytes(8, "little").rstrip(b"\0") for word in words] == expected


def test_kinds_are_asked_for_together() -> None:
    kinds = EntryKinds.of(["wear", "texm", "wear"])
    assert kinds.are(frozenset({"wear", "msh"})).tolist() == [True, False, True]
    assert EntryKinds.of([]).are(frozenset({"wear"})).tolist() == []


def test_the_kind_of_one_entry_is_that_in_the_list() -> None:
    archive = nres.Archive.read(games.static())
    listed = entry_kinds(archive)
    assert [entry_kind(archive, index) for index in range(len(archive.entries))] == [
        listed.ids[code] for code in listed.codes
    ]
