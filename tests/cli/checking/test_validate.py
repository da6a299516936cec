"""The verb ``validate``: what it prints, in JSON and for people, and its exit status."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.broken import games, models
from tests.builders import ModelBuilder, Node, archive_of, box, legacy24
from tests.cli.console import ROOT, Capture
from tests.conftest import Start
from viewer.cli import main, processes
from viewer.cli.checking import validate
from viewer.cli.checking.validate import status_of
from viewer.errors import MshviewError
from viewer.formats import wear
from viewer.model.store.address import Address
from viewer.model.validation.batch_validation import BatchValidator, plan
from viewer.model.validation.validate import Report
from viewer.operations.checking.validating import ValidationOptions
from viewer.operations.reading_options import ReadingOptions

SOUND = models.still().build()
BROKEN = archive_of({"a.msh": SOUND, "a.wea": b"2\r\n0 ONLY.0\r\n"})


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "1_sound.msh").write_bytes(SOUND)
    (tmp_path / "2_broken.rlb").write_bytes(BROKEN)
    (tmp_path / "3_gone.msh").write_bytes(SOUND[:40])
    return tmp_path


def answer(capsys: Capture, *arguments: str | Path) -> tuple[int, str, str]:
    status = main.main(["validate", *map(str, arguments)])
    output = capsys.readouterr()
    return status, output.out, output.err


def document(capsys: Capture, *arguments: str | Path) -> tuple[int, dict[str, Any]]:
    status, out, err = answer(capsys, "--json", *arguments)
    assert err == ""
    return status, json.loads(out)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_every_file_and_entry_has_a_row(files: Path, capsys: Capture, jobs: str) -> None:
    status, answered = document(capsys, files, "--jobs", jobs)
    assert status == 2
    assert [(row["source"], row["format"], row["status"]) for row in answered["files"]] == [
        (str(files / "1_sound.msh"), "msh", "ok"),
        (str(files / "2_broken.rlb"), "nres", "ok"),
        (f"{files / '2_broken.rlb'}::a.msh", "msh", "ok"),
        (f"{files / '2_broken.rlb'}::a.wea", "wear", "errors"),
        (str(files / "3_gone.msh"), "msh", "unreadable"),
    ]
    assert answered["files"][3]["diagnostics"] == [
        {
            "rule": "W03",
            "severity": "error",
            "table": "materials",
            "index": 1,
            "field": None,
            "message": "no number and name, but 2 rows are stated",
        }
    ]
    (gone,) = answered["files"][4]["diagnostics"]
    assert (gone["rule"], gone["table"], gone["field"]) == ("N03", "container", "total_size")
    summary = answered["summary"]
    assert summary.pop("seconds") >= 0
    size = sum(path.stat().st_size for path in files.iterdir())
    assert summary == {"files": 5, "ok": 3, "errors": 1, "unreadable": 1, "bytes": size}


@pytest.mark.parametrize(
    ("names", "options", "status"),
    [
        (["1_sound.msh"], [], 0),
        (["2_broken.rlb"], [], 1),
        (["2_broken.rlb"], ["--strict"], 1),
        (["2_broken.rlb"], ["--tolerant"], 0),
        (["2_broken.rlb::a.msh"], [], 0),
        (["2_broken.rlb::#1"], [], 1),
        (["3_gone.msh"], ["--tolerant"], 2),
        (["1_sound.msh", "2_broken.rlb", "3_gone.msh"], [], 2),
    ],
)
def test_exit_status(files: Path, capsys: Capture, names: list[str], options: list[str], status: int) -> None:
    assert answer(capsys, *(files / name for name in names), *options)[0] == status


@pytest.mark.parametrize("options", [[], ["--json"], ["--tolerant"]])
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("3_gone.msh", "container.total_size: "),
        ("4_unknown", "starts with 'junk'"),
        ("5_missing", "cannot be read: "),
    ],
)
def test_an_input_that_cannot_be_read_has_an_error_line(
    files: Path, capsys: Capture, name: str, reason: str, options: list[str]
) -> None:
    (files / "4_unknown").write_bytes(b"junk")
    status, out, err = answer(capsys, files / "1_sound.msh", files / name, *options)
    assert status == 2
    assert name in out
    (line,) = err.splitlines()
    assert line.startswith(f"mshview: error: {files / name}: {reason}")


def test_what_is_tolerated_is_a_warning(files: Path, capsys: Capture) -> None:
    status, answered = document(capsys, files / "2_broken.rlb", "--tolerant")
    assert status == 0
    wear = answered["files"][2]
    assert (wear["status"], wear["diagnostics"][0]["severity"]) == ("ok", "warning")


def test_people_read_what_is_wrong_file_by_file(files: Path, capsys: Capture) -> None:
    _, out, _ = answer(capsys, files)
    *lines, summary = out.splitlines()
    assert lines == [
        f"{files / '2_broken.rlb'}::a.wea (wear): 1 error",
        lines[1],
        "",
        f"{files / '3_gone.msh'} (msh): 1 error",
        lines[4],
        "",
    ]
    assert lines[1].startswith("  error    W03     materials[1]: ")
    assert lines[4].startswith("  error    N03     container.total_size: ")
    assert summary.startswith("5 checked: 3 ok, 1 with errors, 1 unreadable; 0.0 MB in ")


def test_what_is_only_worth_knowing_is_shown_on_request(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "relic.msh"
    path.write_bytes(legacy24([box()]))
    assert len(answer(capsys, path)[1].splitlines()) == 1
    assert "  info     V03     directory[0].attr3: " in answer(capsys, path, "--info")[1]


@pytest.mark.parametrize(
    "arguments",
    [[], ["--jobs", "0", "a"], ["--jobs", "x", "a"], ["--strict", "--tolerant", "a"]],
)
def test_wrong_usage_is_one_line(capsys: Capture, arguments: list[str]) -> None:
    status, out, err = answer(capsys, *arguments)
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert err.startswith("mshview: error: ")


def test_a_game_folder_has_to_be_one(files: Path, capsys: Capture) -> None:
    status, _, err = answer(capsys, files, "--game", files / "1_sound.msh")
    assert (status, str(files / "1_sound.msh") in err.splitlines()[0]) == (2, True)


def test_names_are_looked_up_in_the_game_that_is_given(
    files: Path, tmp_path_factory: pytest.TempPathFactory, capsys: Capture
) -> None:
    game = tmp_path_factory.mktemp("game")
    (game / "Material.lib").write_bytes(games.archive(games.MAT0, {}))
    _, answered = document(capsys, f"{files / '2_broken.rlb'}::a.wea", "--game", game)
    assert [finding["rule"] for finding in answered["files"][0]["diagnostics"]] == ["W03", "W06"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_wear_rows_are_those_of_the_reading_asked_for(tmp_path: Path, capsys: Capture, jobs: str) -> None:
    """One wear row, a batch that selects row 3 in the seed reading and row 0 in the field reading."""
    model = ModelBuilder.of([Node("a", shapes={(0, 0): [box(material=3)]})])
    for number in range(2):
        (tmp_path / f"{number}.msh").write_bytes(model.build())
        (tmp_path / f"{number}.wea").write_bytes(b"1\r\n0 A.\r\n")
    for reading, expected in (("seed", ["V26"]), ("field", []), ("auto", [])):
        _, answered = document(capsys, tmp_path, "--reading", reading, "--jobs", jobs)
        found = [[row["rule"] for row in file["diagnostics"]] for file in answered["files"]]
        assert found == [expected, [], expected, []]


def test_a_damaged_corpus_is_survived(samples: Path, capsys: Capture) -> None:
    status, answered = document(capsys, samples / "damaged", "--jobs", "2")
    assert status == 2
    assert answered["summary"]["files"] > 96


def test_a_file_is_as_bad_as_its_worst_finding() -> None:
    assert status_of(Report(Address.parse("a"), "msh")) == "ok"
    assert status_of(Report(Address.parse("a"), "msh", is_readable=False)) == "unreadable"


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
    reports = validate.reports(tasks, jobs, ValidationOptions(ReadingOptions(game=game)))
    assert all("W06" in {finding.rule for finding in report.diagnostics} for report in reports)


def test_one_process_starts_no_other(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("concurrent.futures.process.ProcessPoolExecutor")
    assert len(list(validate.reports(plan([Address(folder)], is_divided=False), 1))) == 40


def test_the_death_of_a_process_is_one_message(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("only a copied process has the function that ends it")
    monkeypatch.setattr(processes, "_context", lambda _: multiprocessing.get_context("fork"))
    monkeypatch.setattr(BatchValidator, "check_all", die)
    with pytest.raises(MshviewError, match="has died"):
        list(validate.reports(plan([Address(folder)], is_divided=False), 2))


@pytest.mark.parametrize(
    ("size", "count", "requested", "jobs"),
    [
        (100, 5, None, 1),
        (processes.WORTH_SHARING, 5, None, 4),
        (processes.WORTH_SHARING, 3, None, 3),
        (100, 5, 2, 2),
        (100, 1, 8, 1),
        (100, 0, 8, 1),
    ],
)
def test_no_more_processes_than_the_work_is_worth(
    size: int, count: int, requested: int | None, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "cores", lambda: 4)
    assert processes.job_count([size] * count, requested) == jobs


def test_there_is_a_core() -> None:
    assert processes.cores() >= 1


def test_small_files_are_sent_in_portions() -> None:
    parts = [*processes.portions([10] * 100_000, 16)]
    assert [row for part in parts for row in part] == [*range(100_000)]
    assert 16 <= len(parts) <= 18
    assert max(map(len, parts)) < 1.1 * min(map(len, parts[:-1]))


def test_a_large_file_is_a_portion_of_its_own() -> None:
    parts = [*processes.portions([10, 10, 100 << 20, 10, 10], 4)]
    assert [[*part] for part in parts] == [[0, 1], [2], [3, 4]]


def test_nothing_to_do_is_no_portion() -> None:
    assert [*processes.portions([], 4)] == [range(0)]


HANGING = """
import sys, time
from viewer.cli import main
from viewer.model.validation.batch_validation import BatchValidator

def hang(self, task):
    time.sleep(600)

BatchValidator.check_all = hang
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
