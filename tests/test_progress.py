"""Work reports how far it is, and learns that it was cancelled."""

from __future__ import annotations

import pytest

from viewer.errors import MshviewError
from viewer.progress import Cancelled, Progress


def test_parts_are_counted_when_they_are_finished() -> None:
    progress = Progress()
    seen = [(progress.done, progress.total, progress.what) for _ in progress.over(["a", "b"], str.upper)]
    assert seen == [(0, 2, "A"), (1, 2, "B")]
    assert progress.done == 2


def test_nothing_more_is_done_once_it_is_cancelled() -> None:
    progress, done = Progress(), list[int]()

    def work() -> None:
        for number in progress.over(range(5)):
            done.append(number)
            if number == 1:
                progress.cancel()

    with pytest.raises(Cancelled):
        work()
    assert done == [0, 1]


def test_it_is_not_taken_for_a_damaged_file() -> None:
    """Loops skip what cannot be read; they must not skip this."""
    assert not issubclass(Cancelled, MshviewError)
