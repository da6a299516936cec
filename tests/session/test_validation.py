"""Validation of what is open: everything below an address is checked, and progress is counted in bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.broken import models
from tests.builders import archive_of
from viewer.formats import wear
from viewer.model.store.disk import UnsavedFiles
from viewer.model.store.file_store import FileStore
from viewer.model.validation import batch_validation
from viewer.progress import Progress
from viewer.session import validation
from viewer.session.validation import validate


def broken_model() -> bytes:
    """A model with a batch that begins beyond the indices."""
    builder = models.sound()
    builder.batches["index_start"][3] = 49
    return builder.build()


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A folder with a sound wear table, and an archive with a model that has an error."""
    (tmp_path / "sound.wea").write_bytes(wear.build([b"M.0"]))
    (tmp_path / "models.rlb").write_bytes(archive_of({"broken.msh": broken_model()}))
    return tmp_path


def test_problems_are_places_below_the_address(game: Path) -> None:
    found = validate([str(game)], UnsavedFiles(), Progress())
    assert found.checked == 3
    rules = {(problem.finding.rule, problem.place.address) for problem in found.problems}
    assert ("V14", f"{game / 'models.rlb'}::broken.msh") in rules


def test_further_problems_are_counted(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = validate([str(game)], UnsavedFiles(), Progress())
    monkeypatch.setattr(validation, "MOST_PROBLEMS", 0)
    found = validate([str(game)], UnsavedFiles(), Progress())
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

    class Watched(Progress):
        def advance(self, count: int = 1) -> None:
            super().advance(count)
            done.append(self.done)

    def count_reads(store: FileStore, path: Path, *rest: object) -> memoryview:
        read.append(path)
        return original(store, path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(FileStore, "_read", count_reads)
    progress = Watched()
    validate([str(path)], UnsavedFiles(), progress)
    assert progress.total == path.stat().st_size
    assert len(done) == 5
    assert done == sorted(done)
    assert read == [path]


def test_unsaved_bytes_are_checked_in_place_of_the_file(game: Path) -> None:
    unsaved = UnsavedFiles()
    unsaved.lay(game / "models.rlb", archive_of({"ok.wea": wear.build([b"M.0"])}))
    assert not validate([str(game / "models.rlb")], unsaved, Progress()).problems
