"""Searching and listing need memory for one file, whatever is open."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import pytest

from tests.fuzz import peak
from viewer.formats.archive import nres

FILES: Final = 10
SIZE: Final = 32 << 20
SEARCH: Final = """
from pathlib import Path
from viewer.model.search.results import Query
from viewer.model.search.results import SearchResults
from viewer.model.search.search import search
from viewer.model.store.file_store import FileStore
from viewer.progress import Progress

found = SearchResults()
search(FileStore(), [Path(sys.argv[1])], Query(sys.argv[2]), found, Progress())
status = found.snapshot().count
"""
FILTER: Final = """
from viewer.model.query.names import NameFilter
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.opened import listing
from viewer.session.opened.browser import arrange
from viewer.session.opened.browser import BrowserTree
from viewer.session.opened.entry_list import EntryOrder

store, path = FileStore(), Address.parse(sys.argv[1])
tree = BrowserTree((listing.root_of(store, path),))
found = arrange(tree, NameFilter(sys.argv[2]), EntryOrder.NAME)
while found.unread:
    listings, _ = listing.everything_below(store, Address.parse(found.unread[0]))
    tree = tree.with_listings(listings)
    found = arrange(tree, found.requested, found.order, found)
status = found.hits
"""

pytestmark = pytest.mark.skipif(not peak.IS_KNOWN, reason="the system does not tell a peak")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Archives that are together larger than what may be needed; each has one entry, ``steel``."""
    rows = nres.ENTRY.new(1)
    rows["data_offset"], rows["size"] = 16, SIZE
    rows["name"] = np.array([b"steel"], "S36").view("V36")
    header = nres.HEADER.new()
    header[0] = (nres.MAGIC, nres.VERSION, 1, 16 + SIZE + rows.nbytes)
    for number in range(FILES):
        with (tmp_path / f"{number}.lib").open("wb") as file:
            file.write(header.tobytes())
            file.seek(16 + SIZE)
            file.write(rows.tobytes())
    return tmp_path


def test_a_search_holds_one_file_at_a_time(folder: Path) -> None:
    found = peak.run_code(SEARCH, str(folder), "steel")
    assert found.status == FILES, found.error
    assert found.peak < FILES * SIZE * 2 // 3


def test_a_filter_keeps_no_archive_that_it_has_read(folder: Path) -> None:
    found = peak.run_code(FILTER, str(folder), "steel")
    assert found.status == FILES, found.error
    assert found.peak < FILES * SIZE * 2 // 3
