"""Values and errors of worker threads arrive once, on the collecting thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from threading import Event, Semaphore, current_thread, main_thread

import pytest

from viewer.app.jobs import Jobs


class Desk:
    """Jobs whose results are put down in lists."""

    def __init__(self) -> None:
        self.woken = Semaphore(0)
        self.jobs = Jobs(self.woken.release)
        self.values: list[object] = []
        self.errors: list[BaseException] = []

    def start(self, lane: str, work: Callable[[], object]) -> None:
        """Start a job that is named like its lane."""
        self.jobs.start(lane, lane, work, self.values.append, self.errors.append)

    def collect(self, finished: int = 1) -> None:
        """Wait until so many jobs have finished, then collect them."""
        for _ in range(finished):
            assert self.woken.acquire(timeout=60)
        self.jobs.collect()


@pytest.fixture
def desk() -> Iterator[Desk]:
    desk = Desk()
    yield desk
    desk.jobs.close()


def test_a_value_is_handed_over_when_collected(desk: Desk) -> None:
    desk.start("open", lambda: current_thread() is main_thread())
    assert desk.jobs.title == "open"
    desk.collect()
    assert desk.values == [False]
    assert desk.jobs.title == ""


def test_an_error_is_handed_over_too(desk: Desk) -> None:
    error = ValueError("no")

    def fail() -> None:
        raise error

    desk.start("open", fail)
    assert desk.jobs.is_busy
    desk.collect()
    assert (desk.values, desk.errors) == ([], [error])
    assert not desk.jobs.is_busy


def test_what_has_no_title_is_work_all_the_same(desk: Desk) -> None:
    desk.jobs.start("label", "", lambda: 1, desk.values.append, desk.errors.append)
    assert (desk.jobs.title, desk.jobs.is_busy) == ("", True)
    desk.collect()
    assert not desk.jobs.is_busy


def test_only_the_newest_of_a_lane_counts(desk: Desk) -> None:
    gate = Event()
    desk.start("open", lambda: gate.wait(10) and "old")
    desk.start("open", lambda: "new")
    desk.start("list", lambda: "other lane")
    gate.set()
    desk.collect(3)
    assert sorted(map(str, desk.values)) == ["new", "other lane"]


def test_what_has_been_replaced_is_not_begun(desk: Desk) -> None:
    gate, begun = Event(), list[int]()
    for lane in ("a", "b"):
        desk.start(lane, lambda: gate.wait(10))
    for number in range(5):
        desk.start("open", partial(begun.append, number))
    gate.set()
    desk.collect(7)
    assert begun == [4]


def test_nothing_waits_after_closing(desk: Desk) -> None:
    desk.start("open", lambda: 1)
    desk.jobs.close()
    desk.collect()
    assert desk.values == []
