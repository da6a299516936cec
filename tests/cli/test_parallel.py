"""Checking in several processes."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest

from tests.broken import games
from viewer.cli import parallel
from viewer.errors import MshviewError
from viewer.formats import wear
from viewer.model.store.address import Address
from viewer.model.validation.batch_validation import ValidationTask, plan


def die(_: ValidationTask) -> None:
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
    monkeypatch.setattr(parallel, "_context", lambda: multiprocessing.get_context(context))
    tasks = plan([Address(folder)], is_divided=True)
    alone = list(parallel.reports(tasks, 1))
    assert len(alone) == 40
    assert list(parallel.reports(tasks, 2)) == alone


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_process_knows_the_game(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, jobs: int
) -> None:
    game = tmp_path_factory.mktemp("game")
    (game / "Material.lib").write_bytes(games.archive(games.MAT0, {}))
    tasks = plan([Address(folder)], is_divided=False)
    reports = parallel.reports(tasks, jobs, game)
    assert all("W06" in {finding.rule for finding in report.diagnostics} for report in reports)


def test_one_process_starts_no_other(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("concurrent.futures.process.ProcessPoolExecutor")
    assert len(list(parallel.reports(plan([Address(folder)], is_divided=False), 1))) == 40


def test_the_death_of_a_process_is_one_message(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_check", die)
    with pytest.raises(MshviewError, match="has died"):
        list(parallel.reports(plan([Address(folder)], is_divided=False), 2))


@pytest.mark.parametrize(
    ("size", "count", "requested", "jobs"),
    [
        (100, 5, None, 1),
        (parallel.WORTH_SHARING, 5, None, 4),
        (parallel.WORTH_SHARING, 3, None, 3),
        (100, 5, 2, 2),
        (100, 1, 8, 1),
        (100, 0, 8, 1),
    ],
)
def test_no_more_processes_than_the_work_is_worth(
    size: int, count: int, requested: int | None, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "_cores", lambda: 4)
    tasks = [ValidationTask(Address(Path("a")), size)] * count
    assert parallel.job_count(tasks, requested) == jobs


def test_there_is_a_core() -> None:
    assert parallel._cores() >= 1
