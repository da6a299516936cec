"""Looking up names in a directory: scanned a few times, then sorted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.formats.archive import nres
from viewer.formats.archive.nres import Archive
from viewer.formats.text import fold


@given(st.lists(st.binary(max_size=nres.NAME_SIZE - 1).filter(lambda name: b"\0" not in name), max_size=9))
def test_a_scan_of_the_names_finds_what_the_sorted_names_find(names: list[bytes]) -> None:
    archive = Archive.read(nres.build(nres.NewEntry(0, b"", name) for name in names))
    for name in (*names, *map(bytes.swapcase, names), b"", b"none of these", bytes(b"x" * 40)):
        assert archive._scan(fold(name)) == archive._first_by_name.get(fold(name))


def test_a_large_directory_is_sorted_by_name_only_for_many_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nres, "FEW", 2)
    archive = Archive.read(nres.build(nres.NewEntry(0, b"", b"n%d" % number) for number in range(5)))
    found = [archive.find(b"N3") for _ in range(nres.MOST_SCANS)]
    assert found == [3] * nres.MOST_SCANS
    assert "_first_by_name" not in vars(archive)
    assert archive.find(b"N3") == 3
    assert "_first_by_name" in vars(archive)
