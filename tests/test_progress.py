"""Work reports how far it is, and learns that it was cancelled."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builders import ModelBuilder, Node, archive_of, box
from viewer.errors import MshviewError
from viewer.formats.archive import deflate, lzhuf, lzss
from viewer.model.store.address import Address
from viewer.model.store.file_store import PIECE, FileStore
from viewer.model.validation import batch_validation
from viewer.model.validation.validate import check_item
from viewer.operations.opening import Source
from viewer.progress import Cancelled, Progress, checkpoint, current, working
from viewer.session.opened import listing
from viewer.session.opened.document import Document


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


def test_a_checkpoint_ends_the_work_around_it() -> None:
    progress = Progress()
    progress.cancel()
    checkpoint()
    with working(progress):
        assert current() is progress
        with pytest.raises(Cancelled):
            checkpoint()
    checkpoint()


class Impatient(Progress):
    """Cancelled at its second check."""

    def __init__(self) -> None:
        super().__init__()
        self.checks = 0

    def check(self) -> None:
        """Let the first check pass."""
        self.checks += 1
        self.is_cancelled = self.checks > 1
        super().check()


def packed_with_lzhuf() -> bytes:
    return lzhuf.encode(bytes(range(100)))


def read_a_large_file(folder: Path) -> object:
    path = folder / "large.bin"
    path.write_bytes(bytes(2 * PIECE))
    return FileStore().file(path)


def validate_an_archive(folder: Path) -> object:
    path = folder / "a.rlb"
    path.write_bytes(archive_of({"a.wea": b"0\r\n", "b.wea": b"0\r\n"}))
    return check_item(FileStore().open(Address(path)))


def plan_to_validate_a_folder(folder: Path) -> object:
    (folder / "inner").mkdir()
    return batch_validation.plan([Address(folder)], is_divided=False)


def list_an_archive(folder: Path) -> object:
    path = folder / "a.rlb"
    path.write_bytes(archive_of({"a.wea": b"0\r\n", "b.wea": b"0\r\n"}))
    return listing.entries_below(FileStore(), Address(path))


def read_a_model(folder: Path) -> object:
    path = folder / "box.msh"
    path.write_bytes(ModelBuilder([Node("box", shapes={(0, 0): [box((1, 1, 1))]})]).build())
    return Document.open(FileStore(), Source(Address(path)))


@pytest.mark.parametrize(
    "work",
    [
        lambda _: lzss.decode(b"\0" * 100, 5000),
        lambda _: lzhuf.decode(packed_with_lzhuf(), 100),
        lambda _: deflate.decode(zlib.compress(bytes(20000), 0, -zlib.MAX_WBITS), 20000),
        read_a_large_file,
        validate_an_archive,
        plan_to_validate_a_folder,
        list_an_archive,
        read_a_model,
    ],
)
def test_every_long_loop_ends_when_its_work_is_cancelled(
    work: Callable[[Path], object], tmp_path: Path
) -> None:
    progress = Impatient()
    with working(progress), pytest.raises(Cancelled):
        work(tmp_path)
    assert progress.checks == 2


def test_the_bytes_of_a_large_file_are_counted_while_it_is_read(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    class Watched(Progress):
        def check(self) -> None:
            seen.append((self.done, self.total))

    with working(Watched()):
        read_a_large_file(tmp_path)
    assert (PIECE, 2 * PIECE) in seen
