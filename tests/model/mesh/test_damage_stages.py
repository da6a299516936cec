"""Damage stages: the row that a node draws at some life, and what is said of it."""

from __future__ import annotations

import pytest

from viewer.model.mesh.damage_stages import stage_of, stages


@pytest.mark.parametrize(
    ("rows", "life", "stage"),
    [
        (3, 300, 0), (3, 201, 0), (3, 200, 1), (3, 101, 1), (3, 100, 2), (3, 1, 2), (3, 0, 3),
        (1, 300, 0), (1, 1, 0), (1, 0, 1), (2, 151, 0), (2, 150, 1), (3, 999, 0), (3, -5, 3),
    ],
)  # fmt: skip
def test_the_stage_follows_from_the_share_of_life(rows: int, life: float, stage: int) -> None:
    assert stage_of(rows, life, 300) == stage


def test_a_node_without_life_is_whole() -> None:
    assert stage_of(3, 0, 0) == 0


def test_the_words_name_the_hit_points_at_which_a_stage_begins() -> None:
    assert [*stages(3, 300, 0)] == [
        "stage 1 from 200 of 300 hit points", "stage 2 from 100 of 300 hit points", "hidden at 0",
    ]  # fmt: skip
    assert stage_of(3, 200, 300) == 1
    assert [*stages(1, 120, 0x0300)] == ["vital: the unit dies with it", "drawn even at 0"]
    assert [*stages(2, 1_000_000, 0x0400)] == ["has the share of life of its parent", "cannot be destroyed"]
    assert [*stages(0, 5, 0)] == []
