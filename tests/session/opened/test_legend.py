"""What the colors of a shading mode stand for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.ui.scenes import BODY, GUN, TURRET, tank_document
from viewer.session.opened.legend import Legend
from viewer.session.selection import Selection
from viewer.session.view.view_state import Shading, ViewState, isolate


def numbers(view: ViewState, most: int = 10) -> dict[int, int]:
    """Triangles by number."""
    legend = Legend.of(tank_document(), view, most)
    return {group.number: group.triangles for group in legend.groups}


@pytest.mark.parametrize(
    ("shading", "expected"),
    [
        (Shading.NODE, {BODY: 24, TURRET: 12, GUN: 12}),
        (Shading.BATCH, {0: 12, 1: 12, 3: 12, 4: 12}),
        (Shading.LOD, {0: 48}),
        (Shading.FLAG, {0: 48}),
    ],
)
def test_triangles_are_counted_per_group(shading: Shading, expected: dict[int, int]) -> None:
    assert numbers(ViewState(shading=shading)) == expected


def test_only_what_is_shown_counts() -> None:
    view = isolate(ViewState(shading=Shading.NODE), [TURRET])
    assert numbers(view) == {TURRET: 12}
    assert numbers(replace(view, isolated=None, hidden=frozenset({TURRET, GUN}))) == {BODY: 24}


def test_the_largest_groups_come_first_and_the_others_are_counted() -> None:
    legend = Legend.of(tank_document(), ViewState(shading=Shading.NODE), 1)
    assert [group.number for group in legend.groups] == [BODY]
    assert legend.others == 2


def test_a_group_selects_what_it_is() -> None:
    document = tank_document()
    by_batch = Legend.of(document, ViewState(shading=Shading.BATCH), 10).groups
    assert by_batch[-1].selection == Selection((GUN,), slot=3, batch=4)
    by_lod = Legend.of(document, ViewState(shading=Shading.LOD), 10).groups
    assert by_lod[0].selection == Selection((BODY, TURRET, GUN))
    assert by_lod[0].batches == {0, 1, 3, 4}
