"""Res9: 32 bytes per name."""

from __future__ import annotations

import pytest

from viewer.formats.msh.strings import NAME, build_name_records


def test_names_fill_their_records() -> None:
    data = build_name_records([b"Base_TM", b"", b"x" * 31])
    assert data == b"Base_TM".ljust(32, b"\0") + bytes(32) + b"x" * 31 + b"\0"
    assert len(NAME.view(data)) == 3


@pytest.mark.parametrize("name", [b"x" * 32, b"Base\0TM"])
def test_a_name_that_would_come_back_otherwise_is_refused(name: bytes) -> None:
    with pytest.raises(ValueError, match="31 bytes"):
        build_name_records([name])
