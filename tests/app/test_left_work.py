"""Work that nobody waits for any more changes nothing when it ends; other work ends none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Semaphore
from typing import Any

import pytest

from tests.builders import archive_of
from viewer.app import searches
from viewer.app.browser_lists import BrowserLists
from viewer.app.command_queue import CommandQueue
from viewer.app.editing.prepared_edits import EntryImports
from viewer.app.jobs import Jobs
from viewer.app.searches import SearchController
from viewer.app.settings.settings import Settings
from viewer.app.state import State
from viewer.model.search.results import Query
from viewer.model.store.file_store import FileStore
from viewer.progress import checkpoint
from viewer.session.jobs import SearchState
from viewer.session.opened.entry_list import FOLDER, BrowserEntry
from viewer.session.opened.tabs import Tabs


class Desk:
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
def desk() -> Iterator[Desk]:
    desk = Desk()
    yield desk
    desk.gate.set()
    desk.jobs.close()


@pytest.mark.parametrize("text", ["", "x" * 10_000])
def test_a_search_that_was_cleared_or_replaced_says_nothing_more(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(searches, "search", desk.late(lambda *_: checkpoint()))
    controller = SearchController(desk.state, desk.jobs, FileStore())
    controller.start(Query("crane"))
    controller.start(Query(text))
    before = desk.state.search
    assert (before == SearchState()) is (not text)
    desk.wait()
    desk.jobs.collect()
    assert desk.state.search == before


def test_a_filter_that_was_cleared_hides_nothing_more(desk: Desk) -> None:
    desk.state.browser = desk.state.browser.opened(BrowserEntry("/game", "game", FOLDER), {}, None)
    lists = BrowserLists(desk.state, desk.jobs, FileStore(), print)
    lists.filter("crane")
    desk.wait()
    lists.filter("")
    desk.jobs.collect()
    assert desk.state.arrangement.is_plain
    lists.filter("crane")
    desk.wait()
    desk.jobs.collect()
    assert not desk.state.arrangement.is_plain


def test_files_added_and_replaced_at_once_all_arrive(desk: Desk, tmp_path: Path) -> None:
    archive = tmp_path / "a.rlb"
    archive.write_bytes(archive_of({"old.wea": b"", "other.wea": b""}))
    for name in ("one.wea", "two.wea"):
        (tmp_path / name).write_bytes(b"1\r\n0 A\r\n")
    queue = CommandQueue()
    entries = EntryImports(desk.jobs, queue.commands, print)
    for name in ("one.wea", "two.wea"):
        entries.add(str(archive), tmp_path / name)
    for name in ("old.wea", "other.wea"):
        entries.replace(f"{archive}::{name}", tmp_path / "one.wea")
    for _ in range(4):
        desk.wait()
    desk.jobs.collect()
    assert [call.name for call in queue.calls] == ["edit"] * 4
