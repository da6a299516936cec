"""The titles of what is compared: what tells equal names apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from viewer.model.store.address import Address
from viewer.session.opened.comparison import ComparedSide, titles

HERE, THERE = Path("/games/mine"), Path("/games/theirs")


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (
            ComparedSide(Address(HERE / "walker.msh")),
            ComparedSide(Address(THERE / "walker.msh")),
            ("walker.msh in mine", "walker.msh in theirs"),
        ),
        (
            ComparedSide(Address(HERE / "models.rlb", ("walker.msh",))),
            ComparedSide(Address(HERE / "copy.rlb", ("walker.msh",))),
            ("walker.msh in models.rlb", "walker.msh in copy.rlb"),
        ),
        (
            ComparedSide(Address(HERE / "models.rlb", ("walker.msh",))),
            ComparedSide(Address(THERE / "models.rlb", ("walker.msh",))),
            ("walker.msh in mine/models.rlb", "walker.msh in theirs/models.rlb"),
        ),
        (
            ComparedSide(Address(HERE / "models.rlb", ("walker.msh",))),
            ComparedSide(Address(HERE / "walker.msh")),
            ("walker.msh in models.rlb", "walker.msh in mine"),
        ),
        (
            ComparedSide(Address(HERE / "models.rlb", ("walker.msh",)), is_backup=True),
            ComparedSide(Address(HERE / "models.rlb", ("walker.msh",))),
            ("walker.msh in models.rlb.bak", "walker.msh"),
        ),
        (
            ComparedSide(Address(HERE / "walker.msh"), is_backup=True),
            ComparedSide(Address(HERE / "walker.msh")),
            ("walker.msh.bak", "walker.msh"),
        ),
        (
            ComparedSide(Address(HERE / "walker.msh"), is_saved=True),
            ComparedSide(Address(HERE / "walker.msh")),
            ("walker.msh on the disk", "walker.msh"),
        ),
        (
            ComparedSide(Address(HERE / "walker.msh")),
            ComparedSide(Address(HERE / "flyer.msh")),
            ("walker.msh", "flyer.msh"),
        ),
    ],
)
def test_equal_names_are_told_apart_by_archive_folder_and_backup(
    first: ComparedSide, second: ComparedSide, expected: tuple[str, str]
) -> None:
    assert titles((first, second)) == expected
    assert titles((second, first)) == expected[::-1]
