"""What folders and archives contain, counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import retail
from tests.builders import archive_of
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.progress import Cancelled, Progress, working
from viewer.session.opened import contents
from viewer.session.opened.browser_entry import FOLDER, BrowserEntry
from viewer.session.opened.browser_tree import BrowserTree
from viewer.session.opened.contents import count_below


@pytest.fixture
def install(tmp_path: Path) -> Path:
    """A game folder like those of installs."""
    for name, data in retail.files().items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return tmp_path


def test_every_folder_and_archive_is_counted(install: Path) -> None:
    (install / "UNITS" / "readme.dat").write_bytes(b"no unit")
    found = {
        Path(address).relative_to(install).as_posix(): dict(counts)
        for address, counts in count_below(FileStore(), Address(install)).items()
    }
    assert found["bases.rlb"] == dict.fromkeys(("msh", "wear", "control_points", "damage", "ground_plan"), 1)
    assert found["palettes.lib"] == {}
    assert found["Material.lib"] == {"mat0": 6}
    assert found["UNITS/UNITS/BATTLE"] == found["UNITS/UNITS"] == {"units": 1}
    assert found["UNITS"] == {"units": 1, "": 1}
    assert found["DATA/MAPS/SYN_1"] == {"terrain": 1, "wear": 2}
    whole = found["."]
    assert (whole["msh"], whole["units"], whole["terrain"], whole["nres"]) == (2, 1, 1, 11)
    assert (whole["mat0"], whole["texm"], whole["objects"], whole["font"]) == (6, 3, 5, 1)


def test_archives_in_archives_count_with_their_entries(tmp_path: Path) -> None:
    path = tmp_path / "a.rlb"
    path.write_bytes(archive_of({"b.rlb": archive_of({"c.wea": b"1\r\n0 A\r\n"}), "d.wea": b"1\r\n0 A\r\n"}))
    assert count_below(FileStore(), Address(path)) == {str(path): {"nres": 1, "wear": 2}}


def test_each_archive_is_read_once_and_not_kept(install: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library, read = FileStore(), []
    before = FileStore._read

    def counting(self: FileStore, path: Path, size: int) -> memoryview:
        read.append((path, size))
        return before(self, path, size)

    monkeypatch.setattr(FileStore, "_read", counting)
    count_below(library, Address(install))
    assert len(read) == len(set(read)) == 12
    assert {size for path, size in read if path.suffix == ".dat"} == {4}
    assert not any(library.has(path) for path, _ in read)


def test_links_are_not_followed_and_damage_counts_as_nothing(install: Path) -> None:
    (install / "UNITS" / "loop").symlink_to(install, target_is_directory=True)
    (install / "bases.rlb").write_bytes(b"NRes")
    found = count_below(FileStore(), Address(install))
    assert (found[str(install)]["units"], found[str(install)]["nres"]) == (1, 11)
    assert found[str(install / "bases.rlb")] == {}


def test_the_files_of_a_huge_folder_are_limited(install: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "MOST_FILES", 5)
    found = count_below(FileStore(), Address(install))
    assert sum(1 for address in found if Path(address).is_file()) <= 5


def test_counting_can_be_cancelled(install: Path) -> None:
    progress = Progress()
    progress.cancel()
    with working(progress), pytest.raises(Cancelled):
        count_below(FileStore(), Address(install))


def test_counts_go_with_their_root() -> None:
    root = BrowserEntry("game", "game", FOLDER, can_open=True)
    tree = BrowserTree((root,)).counted({"game": {"msh": 2}, "game/a.rlb": {"msh": 2}, "other": {}})
    assert tree.contents["game/a.rlb"] == {"msh": 2}
    assert dict(tree.without("game").contents) == {"other": {}}
