"""Searching in bytes."""

from __future__ import annotations

import random
import struct

import pytest

from viewer.errors import UsageError
from viewer.model.query import byte_search
from viewer.model.query.byte_search import Sought, search
from viewer.progress import Cancelled, Progress, working

DATA = b"MSH\0" + struct.pack("<HIf", 300, 300, 0.352) + "Дверь".encode("cp1251") + struct.pack(">H", 300)


@pytest.mark.parametrize(
    ("sought", "text", "offsets"),
    [
        (Sought.BYTES, "4D 53 ??", [0]),
        (Sought.BYTES, "4d5348", [0]),
        (Sought.TEXT, "дверь", [14]),
        (Sought.NUMBER, "300", [4, 6]),
        (Sought.NUMBER, "300 u32", [6]),
        (Sought.NUMBER, "300 u16be", [5, 19]),
        (Sought.NUMBER, "0x12c i16", [4, 6]),
        (Sought.FLOAT, "0.35", [10]),
        (Sought.FLOAT, "0.3 +- 0.1", [10]),
        (Sought.FLOAT, "0.3520", [10]),
        (Sought.FLOAT, "0.36", []),
        (Sought.FLOAT, "0.352 +- 0", [10]),
    ],
)
def test_what_is_found(sought: Sought, text: str, offsets: list[int]) -> None:
    assert search(DATA, sought, text).offsets.tolist() == offsets


@pytest.mark.parametrize(
    ("sought", "text"),
    [
        (Sought.BYTES, "??"),
        (Sought.BYTES, "4D5"),
        (Sought.TEXT, "\N{SNOWMAN}"),
        (Sought.NUMBER, "70000 u16"),
        (Sought.NUMBER, "-1 u8"),
        (Sought.NUMBER, "abc"),
        (Sought.FLOAT, "nan"),
        (Sought.FLOAT, "1 +- x"),
    ],
)
def test_what_cannot_be_looked_for(sought: Sought, text: str) -> None:
    with pytest.raises(UsageError):
        search(DATA, sought, text)


def test_the_next_and_the_previous_one() -> None:
    found = search(b"a.a.a", Sought.TEXT, "a")
    assert found.offsets.tolist() == [0, 2, 4]
    assert [found.next_after(offset, 1) for offset in (0, 1, 4)] == [1, 1, 0]
    assert [found.next_after(offset, -1) for offset in (0, 1, 4)] == [2, 0, 1]


@pytest.mark.parametrize(
    ("sought", "text"),
    [
        (Sought.BYTES, "61 ?? 61"),
        (Sought.TEXT, "ABA"),
        (Sought.NUMBER, "0x6161"),
        (Sought.FLOAT, "250 +- 50"),
    ],
)
def test_pieces_make_no_difference(monkeypatch: pytest.MonkeyPatch, sought: Sought, text: str) -> None:
    numbers = struct.pack("<3f", 249.0, 301.0, 210.0)
    data = b"".join(bytes(random.Random(seed).choices(b"ab", k=40)) + numbers for seed in range(9))
    whole = search(data, sought, text).offsets.tolist()
    assert whole
    for size in (1, 2, 3, 7, 64):
        monkeypatch.setattr(byte_search, "CHUNK", size)
        assert search(data, sought, text).offsets.tolist() == whole


@pytest.mark.parametrize("chunk", [2, 64])
@pytest.mark.parametrize(("count", "is_cut"), [(3, False), (4, True), (9, True)])
def test_more_than_are_listed_are_said_to_be_more(
    monkeypatch: pytest.MonkeyPatch, chunk: int, count: int, *, is_cut: bool
) -> None:
    monkeypatch.setattr(byte_search, "CHUNK", chunk)
    monkeypatch.setattr(byte_search, "MOST_FOUND", 3)
    found = search(b"a." * count, Sought.TEXT, "a")
    assert (found.offsets.tolist(), found.is_cut) == ([0, 2, 4], is_cut)


def test_a_finished_search_has_counted_all_bytes() -> None:
    progress = Progress()
    with working(progress):
        search(DATA, Sought.BYTES, "00")
    assert (progress.done, progress.total) == (len(DATA), len(DATA))


def test_a_cancelled_search_ends() -> None:
    progress = Progress()
    progress.cancel()
    with working(progress), pytest.raises(Cancelled):
        search(DATA, Sought.BYTES, "00")
