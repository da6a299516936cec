"""Checking in several processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

import pytest

from tests.broken import games
from tests.conftest import Start
from viewer.cli import processes
from viewer.cli.reading import validate
from viewer.cli.reading.validate import Checking
from viewer.errors import MshviewError
from viewer.formats import wear
from viewer.model.store.address import Address
from viewer.model.validation.batch_validation import BatchValidator, ValidationTask, plan

ROOT: Final = Path(__file__).parents[2]
T = TypeVar("T")


def die(*_: object) -> None:
    os._exit(1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(40):
        (tmp_path / f"{number:02}.wea").write_bytes(wear.build([b"A.0"]) + b"?" * (number % 3))
    return tmp_path


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_processes_find_the_same_in_the_same_order(
    folder: Path, context: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if context not in multiprocessing.get_all_start_methods():
        pytest.skip("the system cannot start processes so")
    monkeypatch.setattr(processes, "_context", lambda _: multiprocessing.get_context(context))
    tasks = plan([Address(folder)], is_divided=True)
    alone = list(validate.reports(tasks, 1))
    assert len(alone) == 40
    assert list(validate.reports(tasks, 2)) == alone


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_process_knows_the_game(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, jobs: int
) -> None:
    game = tmp_path_factory.mktemp("game")
    (game / "Material.lib").write_bytes(games.archive(games.MAT0, {}))
    tasks = plan([Address(folder)], is_divided=False)
    reports = validate.reports(tasks, jobs, Checking(game))
    assert all("W06" in {finding.rule for finding in report.diagnostics} for report in reports)


def test_one_process_starts_no_other(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("concurrent.futures.process.ProcessPoolExecutor")
    assert len(list(validate.reports(plan([Address(folder)], is_divided=False), 1))) == 40


def test_the_death_of_a_process_is_one_message(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BatchValidator, "check", die)
    with pytest.raises(MshviewError, match="has died"):
        list(validate.reports(plan([Address(folder)], is_divided=False), 2))


@pytest.mark.parametrize(
    ("size", "count", "requested", "jobs"),
    [
        (100, 5, None, 1),
        (validate.WORTH_SHARING, 5, None, 4),
        (validate.WORTH_SHARING, 3, None, 3),
        (100, 5, 2, 2),
        (100, 1, 8, 1),
        (100, 0, 8, 1),
    ],
)
def test_no_more_processes_than_the_work_is_worth(
    size: int, count: int, requested: int | None, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "cores", lambda: 4)
    tasks = [ValidationTask(Address(Path("a")), size)] * count
    assert validate.job_count(tasks, requested) == jobs


def test_there_is_a_core() -> None:
    assert processes.cores() >= 1


def sized(*sizes: int) -> list[ValidationTask]:
    return [ValidationTask(Address(Path(f"{row}")), size) for row, size in enumerate(sizes)]


def test_small_files_are_sent_in_portions() -> None:
    parts = [*validate.portions(sized(*[10] * 100_000), 16)]
    assert [row for part in parts for row in part] == [*range(100_000)]
    assert 16 <= len(parts) <= 18
    assert max(map(len, parts)) < 1.1 * min(map(len, parts[:-1]))


def test_a_large_file_is_a_portion_of_its_own() -> None:
    parts = [*validate.portions(sized(10, 10, 100 << 20, 10, 10), 4)]
    assert [[*part] for part in parts] == [[0, 1], [2], [3, 4]]


def test_nothing_to_do_is_no_portion() -> None:
    assert [*validate.portions([], 4)] == [range(0)]


HANGING = """
import sys, time
from viewer.cli import main
from viewer.model.validation.batch_validation import BatchValidator

def hang(self, task):
    time.sleep(600)

BatchValidator.check = hang
main.main(["validate", "--jobs", "2", sys.argv[1]])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc to see processes")
@pytest.mark.parametrize("how", ["SIGTERM", "SIGHUP", "SIGKILL"])
def test_workers_end_with_their_parent(start: Start, folder: Path, how: str) -> None:
    parent = start([sys.executable, "-c", HANGING, str(folder)], cwd=ROOT)
    workers = until(lambda: found if len(found := children(parent.pid)) >= 2 else [])
    assert workers
    parent.send_signal(signal.Signals[how])
    parent.wait(30)
    assert until(lambda: not any(map(is_running, workers)))


def until(get: Callable[[], T]) -> T:
    """Ask again and again until there is something; a minute at most."""
    end = time.monotonic() + 60
    while not (got := get()) and time.monotonic() < end:
        time.sleep(0.05)
    return got


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    with suppress(OSError):
        return [*map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]
    return []


def is_running(pid: int) -> bool:
    """Whether a process is there and not only waits to be collected."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False
