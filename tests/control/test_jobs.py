"""Values and errors of worker threads arrive once, on the collecting thread.

Work that nobody waits for any more changes nothing when it ends; other work ends none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from threading import Event, Semaphore, current_thread, main_thread
from time import monotonic, sleep
from typing import Any

import pytest

from tests.builders import archive_of
from tests.ui.commands import stand_ins
from viewer.control.editing.editing import EntryImports
from viewer.control.editing.file_edits import FileEdits
from viewer.control.jobs import SHOWN_AFTER, Jobs
from viewer.control.later import Later
from viewer.control.lookups import searches
from viewer.control.lookups.browser_lists import BrowserLists
from viewer.control.lookups.searches import SearchController
from viewer.control.settings.settings import Settings
from viewer.control.state import State
from viewer.model.query.search_query import Query
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.progress import Cancelled, Progress, checkpoint
from viewer.session.jobs import CorpusScope, RunningJob, SearchArea, SearchState
from viewer.session.opened.entry_list import FOLDER, BrowserEntry
from viewer.session.opened.tabs import Tabs


class JobWorkspace:
    """Jobs whose results are put down in lists."""

    def __init__(self) -> None:
        self.woken = Semaphore(0)
        self.jobs = Jobs(self.woken.release)
        self.values: list[object] = []
        self.errors: list[BaseException] = []
        self.faults: list[BaseException] = []
        self.jobs.report = self.faults.append

    def start(self, lane: str, work: Callable[[], object]) -> None:
        """Start a job that is named like its lane and does not care for its progress."""
        self.begin(lane, lambda _: work())

    def begin(self, lane: str, work: Callable[[Progress], object], *, is_background: bool = False) -> None:
        """Start a job that is named like its lane."""
        self.jobs.start(lane, lane, work, self.values.append, self.errors.append, is_background=is_background)

    def collect(self, finished: int = 1) -> None:
        """Wait until so many jobs have finished, then collect them."""
        for _ in range(finished):
            assert self.woken.acquire(timeout=60)
        self.jobs.collect()


@pytest.fixture
def desk() -> Iterator[JobWorkspace]:
    desk = JobWorkspace()
    yield desk
    desk.jobs.close()


def test_a_value_is_handed_over_when_collected(desk: JobWorkspace) -> None:
    desk.start("open", lambda: current_thread() is main_thread())
    assert desk.jobs.title == "open"
    desk.collect()
    assert desk.values == [False]
    assert desk.jobs.title == ""


def test_an_error_is_handed_over_too(desk: JobWorkspace) -> None:
    error = ValueError("no")

    def fail() -> None:
        raise error

    desk.start("open", fail)
    assert desk.jobs.is_busy
    desk.collect()
    assert (desk.values, desk.errors) == ([], [error])
    assert not desk.jobs.is_busy


def test_what_has_no_title_is_work_all_the_same(desk: JobWorkspace) -> None:
    desk.jobs.start("label", "", lambda _: 1, desk.values.append, desk.errors.append)
    assert (desk.jobs.title, desk.jobs.is_busy) == ("", True)
    desk.collect()
    assert not desk.jobs.is_busy


def test_only_the_newest_of_a_lane_counts(desk: JobWorkspace) -> None:
    gate = Event()
    desk.start("open", lambda: gate.wait(10) and "old")
    desk.start("open", lambda: "new")
    desk.start("list", lambda: "other lane")
    gate.set()
    desk.collect(3)
    assert sorted(map(str, desk.values)) == ["new", "other lane"]


def test_what_has_been_replaced_is_not_begun(desk: JobWorkspace) -> None:
    gate, begun = Event(), list[int]()
    for lane in ("a", "b"):
        desk.start(lane, lambda: gate.wait(10))
    for number in range(5):
        desk.start("open", partial(begun.append, number))
    gate.set()
    desk.collect(7)
    assert begun == [4]


def test_nothing_waits_after_closing(desk: JobWorkspace) -> None:
    desk.start("open", lambda: 1)
    desk.jobs.close()
    desk.collect()
    assert desk.values == []


def wait_until_cancelled(progress: Progress) -> None:
    """Work that goes on until it is cancelled."""
    end = monotonic() + 60
    while monotonic() < end:
        progress.check()
        sleep(0.001)


def test_cancelling_ends_the_work_and_fails_it(desk: JobWorkspace) -> None:
    ended = Event()

    def work(progress: Progress) -> None:
        try:
            wait_until_cancelled(progress)
        finally:
            ended.set()

    desk.begin("open", work)
    desk.jobs.cancel("open")
    desk.collect()
    assert ended.is_set()
    assert [type(error) for error in desk.errors] == [Cancelled]
    assert not desk.jobs.is_busy


def test_a_replaced_job_ends_and_is_not_heard_of_again(desk: JobWorkspace) -> None:
    desk.begin("open", wait_until_cancelled)
    desk.start("open", lambda: "new")
    desk.collect(2)
    assert (desk.values, desk.errors) == (["new"], [])


def test_a_dropped_job_ends_and_is_not_heard_of_again(desk: JobWorkspace) -> None:
    desk.begin("search", wait_until_cancelled)
    desk.start("open", lambda: "opened")
    desk.jobs.drop("search")
    desk.jobs.drop("nothing")
    desk.collect(2)
    assert (desk.values, desk.errors) == (["opened"], [])
    assert not desk.jobs.is_busy


def test_cancelling_what_does_not_run_does_nothing(desk: JobWorkspace) -> None:
    desk.jobs.cancel("open")
    assert not desk.jobs.is_busy


def test_closing_ends_running_work(desk: JobWorkspace) -> None:
    desk.begin("open", wait_until_cancelled)
    desk.jobs.close()
    assert desk.woken.acquire(timeout=60)


def test_long_work_in_the_background_does_not_hold_up_the_rest(desk: JobWorkspace) -> None:
    for number in range(8):
        desk.begin(f"search {number}", wait_until_cancelled, is_background=True)
    desk.start("open", lambda: "opened")
    desk.collect()
    assert desk.values == ["opened"]
    assert desk.jobs.is_busy
    assert desk.jobs.title == "", "nothing in the foreground is being read"


def test_a_job_is_shown_with_its_progress_once_it_has_taken_longer_than_a_moment() -> None:
    now = [0.0]
    reported, gate = Event(), Event()

    def work(progress: Progress) -> None:
        for _ in progress.over(["a.msh", "b.msh", "c.msh"], str):
            if progress.done:
                reported.set()
                gate.wait(60)

    jobs = Jobs(lambda: None, clock=lambda: now[0])
    jobs.start("validate", "Validating maps…", work, print, print)
    jobs.start("label", "", lambda _: gate.wait(60), print, print)
    assert reported.wait(60)
    assert not jobs.running
    now[0] = SHOWN_AFTER
    assert jobs.running == (RunningJob("validate", "Validating maps…", 1, 3, "b.msh"),)
    jobs.cancel("validate")
    assert jobs.running[0].is_cancelled
    gate.set()
    jobs.close()


def test_what_was_finished_before_it_was_cancelled_is_handed_over(desk: JobWorkspace) -> None:
    """A file that has been written is not said to be missing."""
    written, gate = Event(), Event()

    def work(_: Progress) -> str:
        written.set()
        gate.wait(60)
        return "saved"

    desk.begin("save", work)
    assert written.wait(60)
    desk.jobs.cancel("save")
    gate.set()
    desk.collect()
    assert (desk.values, desk.errors) == (["saved"], [])


class Workspace:
    """A state, jobs that change it, and a gate that they wait at."""

    def __init__(self) -> None:
        self.state = State(Settings(), Tabs())
        self.gate = Event()
        self._woken = Semaphore(0)
        self.jobs = Jobs(self._woken.release)

    def late(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """Work that is done once the gate is open."""

        def wait(*given: Any) -> Any:
            assert self.gate.wait(60)
            return work(*given)

        return wait

    def wait(self) -> None:
        """Let a job do its work; what it has found is not collected yet."""
        self.gate.set()
        assert self._woken.acquire(timeout=60)


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    workspace = Workspace()
    yield workspace
    workspace.gate.set()
    workspace.jobs.close()


@pytest.mark.parametrize("text", ["", "x" * 10_000])
def test_a_search_that_was_cleared_or_replaced_says_nothing_more(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(searches, "search", workspace.late(lambda *_: checkpoint()))
    controller = SearchController(workspace.state, workspace.jobs, FileStore())
    area = SearchArea(CorpusScope.FOLDER, Path("/game"))
    controller.start(Query("crane"), area)
    controller.start(Query(text), area)
    before = workspace.state.search
    assert (before == SearchState()) is (not text)
    workspace.wait()
    workspace.jobs.collect()
    assert workspace.state.search == before


def test_a_filter_that_was_cleared_hides_nothing_more(workspace: Workspace) -> None:
    workspace.state.browser = workspace.state.browser.opened(
        BrowserEntry(Address.parse("/game"), "game", FOLDER), {}, None
    )
    lists = BrowserLists(workspace.state, workspace.jobs, FileStore())
    lists.filter("crane")
    workspace.wait()
    lists.filter("")
    workspace.jobs.collect()
    assert workspace.state.arrangement.is_plain
    lists.filter("crane")
    workspace.wait()
    workspace.jobs.collect()
    assert not workspace.state.arrangement.is_plain


def test_files_added_and_replaced_at_once_all_arrive(workspace: Workspace, tmp_path: Path) -> None:
    archive = tmp_path / "a.rlb"
    archive.write_bytes(archive_of({"old.wea": b"", "other.wea": b""}))
    for name in ("one.wea", "two.wea"):
        (tmp_path / name).write_bytes(b"1\r\n0 A\r\n")
    later, control = Later(), stand_ins([])
    entries = EntryImports(FileEdits(workspace.jobs, later, control.edits), control.importing)
    for name in ("one.wea", "two.wea"):
        entries.add(Address(archive), tmp_path / name)
    for name in ("old.wea", "other.wea"):
        entries.replace(Address.parse(f"{archive}::{name}"), tmp_path / "one.wea")
    for _ in range(4):
        workspace.wait()
    workspace.jobs.collect()
    assert [call.method for call in later.calls] == [control.edits.edit] * 4
