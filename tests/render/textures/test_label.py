"""Checks with words."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from viewer.formats.text import decode
from viewer.model.material.materials import MissingResource
from viewer.render.textures.label import (
    ANY,
    CHECKS,
    COLORS,
    INK,
    MOST_LETTERS,
    SIDE,
    SIGN,
    checks,
    label,
    readable,
)


def test_checks_are_fields_of_two_colors_that_go_on_over_the_edge() -> None:
    image = checks()
    field = SIDE // CHECKS
    for row in range(CHECKS):
        for column in range(CHECKS):
            inside = image[row * field : (row + 1) * field, column * field : (column + 1) * field]
            assert (inside == (*COLORS[(row + column) % 2], 255)).all()
    assert CHECKS % 2 == 0


def test_each_name_has_a_label_of_its_own() -> None:
    missing = [
        MissingResource("no texture", "STEEL.0"),
        MissingResource("no texture", "STEEL.1"),
        MissingResource("no material", "STEEL.0"),
        ANY,
    ]
    assert len({label(resource).tobytes() for resource in missing}) == len(missing)


def _words(resource: MissingResource) -> npt.NDArray[np.bool_]:
    """Where the checks are covered."""
    covered: npt.NDArray[np.bool_] = (label(resource) != checks()).any(axis=2)
    return covered


@pytest.mark.parametrize(
    "name", ["STEEL.0", "I", "", "БРОНЯ.0", decode(bytes(range(256))), "\ud800", "W" * 100_000]
)
def test_whatever_the_name_its_letters_do_not_leave_the_sign(name: str) -> None:
    width, height = SIGN
    covered = _words(MissingResource("damaged texture", name))
    rows, columns = np.nonzero(covered[:height, :width])
    assert (label(MissingResource("no texture", name)) == (*INK, 255)).all(axis=2).any()
    assert (rows.min() > 0, columns.min() > 0) == (True, True)
    assert (rows.max() < height - 1, columns.max() < width - 1) == (True, True)


def test_signs_are_repeated_like_bricks() -> None:
    width, height = SIGN
    covered = _words(MissingResource("no texture", "STEEL.0"))
    first, second = covered[:height], covered[height : 2 * height]
    assert (first == np.roll(first, width, axis=1)).all()
    assert (second == np.roll(first, width // 2, axis=1)).all()
    assert (covered[: SIDE // 2] == covered[SIDE // 2 :]).all()


def test_cyrillic_letters_are_told_apart() -> None:
    assert (
        label(MissingResource("no texture", "ЖЩ.0")) != label(MissingResource("no texture", "ЩЖ.0"))
    ).any()


def test_what_cannot_be_seen_is_written_as_numbers_and_long_names_are_cut() -> None:
    assert readable("A\x98\tB") == "A\\x98\\x09B"
    assert readable("W" * MOST_LETTERS) == "W" * MOST_LETTERS
    assert readable("W" * (MOST_LETTERS + 1)) == "W" * (MOST_LETTERS - 1) + "…"
