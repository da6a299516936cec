"""Selecting more than one node.

The scale of the interface goes up and down in steps and stops at its ends.

Validation of what is open: everything below an address is checked, and progress is counted in bytes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.broken import models
from tests.builders import archive_of
from viewer.formats import wear
from viewer.model.store.address import Address
from viewer.model.store.disk import UnsavedFiles
from viewer.model.store.file_store import FileStore
from viewer.model.store.place import Place
from viewer.model.validation import batch_validation
from viewer.progress import Progress
from viewer.session import jobs
from viewer.session.jobs import validate
from viewer.session.program import LEAST_SCALE, MOST_SCALE, next_scale
from viewer.session.selection import MOST_STOPS, Selection, SelectionHistory, Stop

PICKED = Selection((2,), slot=5, batch=7, triangle=11, descriptor=13)


def test_adding_makes_the_new_node_the_active_one() -> None:
    both = Selection((1,), batch=3).added(PICKED)
    assert both.nodes == (1, 2)
    assert (both.node, both.batch) == (2, 7)


def test_adding_an_inactive_node_again_makes_it_active_without_repetition() -> None:
    assert Selection((2, 1)).added(PICKED).nodes == (1, 2)


def test_adding_the_active_node_again_deselects_it() -> None:
    assert Selection((1, 2)).added(PICKED) == Selection((1,))


def test_adding_nothing_changes_nothing() -> None:
    assert PICKED.added(Selection()) is PICKED


A, B, C = (Stop(Selection((node,))) for node in range(3))


def history(*stops: Stop) -> SelectionHistory:
    """The history after some selections, the first of which it starts with."""
    made = SelectionHistory(stops[:1])
    for stop in stops[1:]:
        made = made.visited(stop)
    return made


def test_back_and_forward_lead_through_what_was_selected() -> None:
    made = history(A, B, C)
    assert made.stepped(-1).current == B
    assert made.stepped(-1).stepped(-1).current == A
    assert made.stepped(-1).stepped(1).current == C


def test_nothing_lies_before_the_first_or_after_the_last() -> None:
    made = history(A, B)
    assert not made.can_step(1)
    assert made.stepped(1) == made
    assert not made.stepped(-1).can_step(-1)
    assert made.stepped(-1).stepped(-1).current == A


def test_a_new_selection_forgets_what_lay_ahead() -> None:
    made = history(A, B).stepped(-1).visited(C)
    assert made.stops == (A, C)
    assert not made.can_step(1)


def test_the_same_selection_again_is_no_stop_but_with_another_place_it_is() -> None:
    made = history(A, B)
    assert made.visited(B) == made
    there = Stop(B.selection, Place(Address.parse("a.msh"), "indices", 3))
    assert made.visited(there).stepped(-1).current == B


def test_the_oldest_are_forgotten() -> None:
    made = history(*(Stop(Selection((node,))) for node in range(MOST_STOPS + 7)))
    assert len(made.stops) == MOST_STOPS
    assert made.stops[0] == Stop(Selection((7,)))
    assert made.current == Stop(Selection((MOST_STOPS + 6,)))


@pytest.mark.parametrize(
    ("scale", "step", "following"),
    [
        (1.0, 1, 1.1),
        (1.0, -1, 0.9),
        (1.3, 1, 1.5),
        (1.3, -1, 1.25),
        (MOST_SCALE, 1, 3.0),
        (LEAST_SCALE, -1, 0.75),
    ],
)
def test_the_next_scale(scale: float, step: int, following: float) -> None:
    assert next_scale(scale, step) == following


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A folder with a sound wear table, and an archive with a model that has an error."""
    (tmp_path / "sound.wea").write_bytes(wear.build([b"M.0"]))
    (tmp_path / "models.rlb").write_bytes(archive_of({"broken.msh": models.broken()}))
    return tmp_path


def test_problems_are_places_below_the_address(game: Path) -> None:
    found = validate([Address(game)], UnsavedFiles(), Progress())
    assert found.checked == 3
    rules = {(problem.finding.rule, str(problem.place.address)) for problem in found.problems}
    assert ("V14", f"{game / 'models.rlb'}::broken.msh") in rules


def test_further_problems_are_counted(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = validate([Address(game)], UnsavedFiles(), Progress())
    monkeypatch.setattr(jobs, "MOST_PROBLEMS", 0)
    found = validate([Address(game)], UnsavedFiles(), Progress())
    assert (found.problems, found.left_out) == ((), len(everything.problems))


def test_progress_is_counted_in_bytes_and_a_large_archive_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its parts share one reading of the file."""
    monkeypatch.setattr(batch_validation, "PART_SIZE", 8)
    path = tmp_path / "wears.rlb"
    path.write_bytes(archive_of({f"{number}.wea": wear.build([b"M.0"]) for number in range(5)}))
    done: list[int] = []
    read: list[Path] = []
    original = FileStore._read

    class WatchedValidation(Progress):
        def advance(self, count: int = 1) -> None:
            super().advance(count)
            done.append(self.done)

    def count_reads(store: FileStore, path: Path, *rest: object) -> memoryview:
        read.append(path)
        return original(store, path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(FileStore, "_read", count_reads)
    progress = WatchedValidation()
    validate([Address(path)], UnsavedFiles(), progress)
    assert progress.total == path.stat().st_size
    assert len(done) == 5
    assert done == sorted(done)
    assert read == [path]


def test_unsaved_bytes_are_checked_in_place_of_the_file(game: Path) -> None:
    unsaved = UnsavedFiles()
    unsaved.overlay(game / "models.rlb", archive_of({"ok.wea": wear.build([b"M.0"])}))
    assert not validate([Address(game / "models.rlb")], unsaved, Progress()).problems
