"""Unpacking every member of a library, within bounds."""

from __future__ import annotations

import pytest

from tests.broken.libraries import TEXT, check, deflated, library
from tests.messages import states
from viewer.formats.archive import rsli
from viewer.model.checks import packed

Member = tuple[bytes, int, int, bytes]


def member(name: bytes, size: int = len(TEXT), method: int = rsli.DEFLATE) -> Member:
    return name, method, size, deflated(TEXT)


def test_members_come_with_their_bytes() -> None:
    found = list(packed.members(rsli.PackedLibrary.read(library())))
    assert [(index, bytes(data or b""), problems) for index, data, problems in found] == [
        (index, TEXT, ()) for index in range(3)
    ]


def test_a_library_unpacks_only_so_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "ALLOWANCE", 2 * len(TEXT))
    found = check(library([member(b"A"), member(b"B"), member(b"C")]))
    assert [(item.rule, item.index) for item in found] == [("R07", 2)]
    assert states(found[0].message, "packed")


def test_what_is_refused_takes_nothing_of_the_allowance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "ALLOWANCE", len(TEXT))
    found = check(library([member(b"A", 1 << 31), member(b"B")]))
    assert [(item.rule, item.index) for item in found] == [("R07", 0)]


def test_bytes_from_a_tree_count_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "ALLOWANCE", packed.TREE_COST * len(TEXT) - 1)
    found = check(library([member(b"A", method=rsli.LZHUF)]))
    assert [states(item.message, "packed") for item in found] == [True]
