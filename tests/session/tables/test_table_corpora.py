"""Every table of every sample, the damaged ones included, is shown, sorted, filtered and copied."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.session.test_places import documents
from viewer.errors import UsageError
from viewer.model.query.condition import Condition
from viewer.model.store.place import Place
from viewer.session.opened.document import Document
from viewer.session.places import batches_at, is_selectable, places_of, selection_at
from viewer.session.selection import Selection
from viewer.session.tables.copying import CopyFormat, copied
from viewer.session.tables.model_tables import table_names, table_view
from viewer.session.tables.table_view import RowQuery, SortedBy, arrange


def check(document: Document) -> int:
    """Go through all tables of a document; return how many there are."""
    names = table_names(document)
    for name in names:
        view = table_view(document, name)
        ends = np.unique(np.clip([0, 1, view.count // 2, view.count - 1], 0, view.count - 1))
        for column in view.columns:
            assert len(column.texts(ends)) == len(ends)
            assert all(column.pieces(row) for row in ends.tolist())
            found = arrange(RowQuery(view, f"{column.name} != none", SortedBy(column.name)))
            assert not found.problem
        for form in CopyFormat:
            assert copied(view, ends, form).endswith("\n")
        check_rows(document, name, ends.tolist())
    return len(names)


def check_rows(document: Document, table: str, rows: list[int]) -> None:
    """Some rows of a table can be pointed at and, where that makes sense, selected."""
    for row in rows:
        place = Place(document.address, table, row)
        assert all(0 <= batch < len(document.model.batches) for batch in batches_at(document, place))
        if is_selectable(document, place):
            selection = selection_at(document, place, Selection())
            assert row in [it.row for it in places_of(document, selection)]


@pytest.mark.parametrize("folder", ["seed", "field", "damaged"])
def test_all_tables_of_the_samples_are_shown(files: Path, folder: str) -> None:
    assert sum(map(check, documents(files / folder))) > 0


def test_a_condition_for_one_table_is_refused_by_another(files: Path) -> None:
    document = next(it for it in documents(files / "seed") if "nodes" in table_names(it))
    with pytest.raises(UsageError, match="index_count"):
        Condition.parse("index_count > 300").rows(table_view(document, "nodes").table)
