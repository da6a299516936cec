"""Res9: 32 bytes per name."""

from __future__ import annotations

import pytest

from viewer.formats.msh.name_records import NAME, build


def test_names_fill_their_records() -> None:
    data = build([b"Base_TM", b"", b"x" * 31])
    assert data == b"Base_TM".ljust(32, b"\0") + bytes(32) + b"x" * 31 + b"\0"
    assert len(NAME.view(data)) == 3


def test_a_name_that_leaves_no_nul_is_refused() -> None:
    with pytest.raises(ValueError, match="31 bytes"):
        build([b"x" * 32])
