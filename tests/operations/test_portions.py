"""Portions of a folder: what is in the way ends neither an overview nor a survey."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.corpora import GAME
from viewer.errors import AddressError
from viewer.formats.archive import nres
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.overview.overview import collect
from viewer.operations.overview.reading import OverviewOptions
from viewer.operations.survey.report import report_of
from viewer.operations.survey.surveying import SurveyCounts, Surveyor, plan, together
from viewer.progress import Progress


def surveyed(folder: Path) -> SurveyCounts:
    return together(Surveyor(folder).survey_all(plan(FileStore(), folder)))


def test_a_folder_that_cannot_be_listed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(GAME / "guns.rlb", tmp_path)
    expected, closed = report_of(surveyed(tmp_path), 0.0), tmp_path / "closed"
    closed.mkdir()
    names = FileStore.names

    def listed(store: FileStore, path: Path) -> Sequence[str]:
        if path == closed:
            raise AddressError("is closed", source=path)
        return names(store, path)

    monkeypatch.setattr(FileStore, "names", listed)
    found = surveyed(tmp_path)
    assert found.problems == {str(closed): f"{closed}: is closed"}
    assert report_of(found, 0.0) == expected
    rows = collect(FileStore(), Address(tmp_path), OverviewOptions(("size",)), Progress())
    assert [*rows.errors] == [rows.addresses.index(Address(closed))]
    with pytest.raises(AddressError):
        plan(FileStore(), closed)


def test_an_archive_without_entries_is_counted(tmp_path: Path) -> None:
    (tmp_path / "a.rlb").write_bytes(nres.build([]))
    found = surveyed(tmp_path).edition
    assert (found.archives, found.entries) == (1, 0)


def test_an_archive_of_several_portions_is_counted_once(tmp_path: Path) -> None:
    entries = [nres.NewEntry(0, b"?", b"entry %d" % number) for number in range(100)]
    (tmp_path / "a.rlb").write_bytes(nres.build(entries))
    assert len(plan(FileStore(), tmp_path)) == 4
    found = surveyed(tmp_path).edition
    assert (found.archives, found.entries, found.bytes) == (1, 100, (tmp_path / "a.rlb").stat().st_size)
