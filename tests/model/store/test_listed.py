"""A large archive is listed without its payloads, with the same result."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import FileIO
from pathlib import Path

import pytest

from tests.builders import archive_of
from tests.cli.console import Capture
from viewer.cli.main import main
from viewer.errors import AddressError
from viewer.formats.neighbors import damage
from viewer.model.store import listed as reading
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.listed import LEAST, SPACING, listed

FILES = {f"{number}.bin": b"x" * (2 * SPACING + 1) for number in range(LEAST // SPACING)}


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "a.rlb"
    nodes = damage.NODE_DAMAGE.new(3).tobytes()
    path.write_bytes(archive_of({**FILES, "real.ndp": nodes, "other.ndp": b"?" * 7, "last.wea": b"0\r\n"}))
    return path


def kinds(capsys: Capture, path: Path, *options: str) -> dict[str, str]:
    assert main(["ls", str(path), "--json", *options]) == 0
    return {row["name"]: row["type_name"] for row in json.loads(capsys.readouterr().out)["entries"]}


def test_the_listing_is_that_of_the_whole_file(
    archive: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    fill = reading._fill

    def counted(file: FileIO, data: memoryview, start: int, stop: int) -> None:
        read.append(stop - start)
        fill(file, data, start, stop)

    monkeypatch.setattr(reading, "_fill", counted)
    found = kinds(capsys, archive)
    assert 0 < sum(read) < archive.stat().st_size / 100
    assert (found["real.ndp"], found["other.ndp"], found["last.wea"]) == ("damage", "0", "wear")
    monkeypatch.setattr("viewer.cli.reading.ls.listed", lambda *_: None)
    assert kinds(capsys, archive) == found


def test_a_payload_is_read_when_it_is_asked_for(archive: Path) -> None:
    found = listed(FileStore(), Address(archive))
    assert found
    assert bytes(found.payload(0)) == FILES["0.bin"]
    archive.write_bytes(archive.read_bytes()[:-1])
    with pytest.raises(AddressError, match="changed"):
        found.payload(1)


@pytest.mark.parametrize("change", [lambda data: data[: LEAST - 1], lambda data: b"NRex" + data[4:]])
def test_what_is_small_or_damaged_is_read_whole(archive: Path, change: Callable[[bytes], bytes]) -> None:
    archive.write_bytes(change(archive.read_bytes()))
    assert listed(FileStore(), Address(archive)) is None


def test_many_small_entries_are_read_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.rlb").write_bytes(archive_of({f"{n}": b"x" * (SPACING // 2) for n in range(200)}))
    assert listed(FileStore(), Address(tmp_path / "a.rlb")) is None
    assert listed(FileStore(), Address(tmp_path / "a.rlb", ("1",))) is None
