"""Listings and checks of large archives make only the entries that they need."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.broken import models
from viewer.formats.archive import nres
from viewer.model.kinds.listing import listing
from viewer.model.store.address import Address
from viewer.model.store.file_store import Item
from viewer.model.validation.validate import check_item

COUNT = 2000
OF_A_MODEL = 100


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The entries that have been made."""
    indices: list[int] = []
    make = nres.Archive._read_entry

    def counted(archive: nres.Archive, index: int) -> nres.Entry:
        indices.append(index)
        return make(archive, index)

    monkeypatch.setattr(nres.Archive, "_read_entry", counted)
    return indices


def large() -> bytes:
    """An archive of many unknown payloads and one model."""
    unknown = [nres.NewEntry(70_000 + row, b"12345678", b"%d" % row) for row in range(COUNT - 1)]
    return nres.build([*unknown, nres.NewEntry(0, models.still().build(), b"a.msh")])


def test_a_listing_makes_few_entries(made: list[int]) -> None:
    rows = listing(nres.Archive.read(large()))
    assert [row["type_name"] for row in rows][-2:] == [str(70_000 + COUNT - 2), "msh"]
    assert len(made) < OF_A_MODEL


def test_a_check_makes_few_entries(made: list[int]) -> None:
    reports = check_item(Item(Address(Path("large.rlb")), memoryview(large())))
    assert [(report.source, report.kind) for report in reports] == [
        ("large.rlb", "nres"),
        ("large.rlb::a.msh", "msh"),
    ]
    assert len(made) < OF_A_MODEL
