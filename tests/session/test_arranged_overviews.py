"""The rows of an overview as the window shows them: filtered, sorted, grouped, with sums."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.corpora import GAME
from viewer.cli.main import main
from viewer.errors import UsageError
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.overview.columns import COLUMNS
from viewer.operations.overview.overview import Overview, collect
from viewer.operations.overview.reading import OverviewOptions
from viewer.progress import Progress
from viewer.session.games.overviews import arranged_rows, needed_columns
from viewer.session.tables.table_view import RowQuery, SortedBy

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def found() -> Overview:
    options = OverviewOptions(("kind", "archive", "triangles", "size", "nodes"), lod=2)
    return collect(FileStore(), Address(GAME), options, Progress())


def test_sums_of_groups_are_those_of_the_shell(found: Overview, capsys: Capture) -> None:
    """Of the whole game at LOD 2, by archive: the shell reads it in another way."""
    query = RowQuery(found.table(("triangles", "size")))
    arranged = arranged_rows(found, query, "archive")
    main(["ls", str(GAME), "--columns", "triangles,size", "--lod", "2", "--group-by", "archive", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert [(it.value, len(it.rows), it.totals) for it in arranged.groups] == [
        (it["value"], it["count"], it["total"]) for it in told["groups"]
    ]
    columns = [COLUMNS["triangles"], COLUMNS["size"]]
    assert found.totals(arranged.rows.tolist(), columns) == told["total"]
    assert told["total"]["triangles"] > 0
    assert sorted(arranged.rows.tolist()) == [*range(len(found))]


def test_groups_keep_the_order_inside(found: Overview) -> None:
    query = RowQuery(found.table(("size",)), sorted_by=SortedBy("size", is_descending=True))
    arranged = arranged_rows(found, query, "kind")
    sizes = found.values("size")
    for group in arranged.groups:
        inside = [sizes[row] for row in group.rows.tolist()]
        assert inside == sorted(inside, reverse=True)
    assert {found.values("kind")[row] for row in arranged.groups[0].rows.tolist()} == {
        arranged.groups[0].value
    }


def test_groups_stand_in_the_order_of_their_sums(found: Overview) -> None:
    view = found.table(("size", "kind"))
    arranged = arranged_rows(found, RowQuery(view, sorted_by=SortedBy("size", is_descending=True)), "archive")
    sums = [it.totals["size"] for it in arranged.groups]
    assert sums == sorted(sums, reverse=True)
    assert len(sums) > 5
    values = [it.value for it in arranged_rows(found, RowQuery(view), "archive").groups]
    by_value = RowQuery(view, sorted_by=SortedBy("archive", is_descending=True))
    turned = [it.value for it in arranged_rows(found, by_value, "archive").groups]
    assert turned == [*values[-2::-1], None]
    assert values[-1] is None


def test_a_condition_may_name_columns_that_are_not_shown(found: Overview) -> None:
    arranged = arranged_rows(
        found, RowQuery(found.table(("size",)), "nodes > 20 and entry = models.rlb*"), ""
    )
    nodes = found.values("nodes")
    expected = [
        row
        for row, it in enumerate(found.addresses)
        if isinstance(nodes[row], int) and int(str(nodes[row])) > 20 and it.path.name == "models.rlb"
    ]
    assert expected
    assert arranged.rows.tolist() == expected


def test_a_wrong_condition_says_what_is_wrong_and_hides_nothing(found: Overview) -> None:
    query = RowQuery(found.table(("size",)), "triangels > 5")
    with pytest.raises(UsageError, match="triangles"):
        needed_columns(query, "")
    broken = RowQuery(query.view, "size > ")
    arranged = arranged_rows(found, broken, "")
    assert arranged.problem
    assert (arranged.rows == np.arange(len(found))).all()


def test_what_has_to_be_read_follows_from_condition_and_group(found: Overview) -> None:
    query = RowQuery(found.table(("size",)), "used_by > 3")
    assert set(needed_columns(query, "problems")) == {"used_by", "problems"}
    assert needed_columns(RowQuery(query.view, "walker"), "") == ()
