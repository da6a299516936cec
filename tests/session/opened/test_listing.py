"""What the browser lists, how it names it, and which model is shown for an address."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import ModelBuilder, Node, archive_of, quad
from tests.session.opened import retail
from viewer.errors import AddressError
from viewer.formats.archive import nres
from viewer.model.query.names import NameFilter
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.progress import Cancelled, Progress, working
from viewer.resources import bundled_path
from viewer.session.opened import listing
from viewer.session.opened.browser import BrowserTree
from viewer.session.opened.entry_list import FOLDER, ArchiveEntries, BrowserEntry
from viewer.session.opened.listing import count_below, locate

MODEL = ModelBuilder.of([Node("sheet", shapes={(0, 0): [quad()]})]).build()


@pytest.fixture
def library() -> FileStore:
    return FileStore()


def first_model(library: FileStore, address: Address) -> Address | None:
    """The address of the model to show for an address, or None."""
    model = locate(library, address).first_model
    return None if model is None else model.address


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def test_entries_are_listed_by_kind(library: FileStore, tmp_path: Path) -> None:
    inner = archive_of({"deep.msh": MODEL})
    path = write(tmp_path / "a.rlb", archive_of({"a.msh": MODEL, "a.wea": b"1\r\n0 A\r\n", "b.rlb": inner}))
    rows = listing.entries_below(library, Address(path))
    assert [(row.name, row.kind, row.can_open) for row in rows] == [
        ("a.msh", "msh", False),
        ("a.wea", "wear", False),
        ("b.rlb", "nres", True),
    ]
    assert [row.size for row in rows] == [len(MODEL), 8, len(inner)]


def test_every_row_leads_to_its_entry(library: FileStore, tmp_path: Path) -> None:
    names = (b"Twice.msh", b"tWICE.MSH", b"", b"#1", b"a::b", "Жук.msh".encode("cp1251"))
    data = nres.build(nres.NewEntry(0, bytes([number]), name) for number, name in enumerate(names))
    rows = listing.entries_below(library, Address(write(tmp_path / "a.rlb", data)))
    found = [library.open(row.address).data for row in rows]
    assert [bytes(item) for item in found] == [bytes([number]) for number in range(len(names))]
    assert str(rows[5].address).endswith("::Жук.msh")


def test_a_folder_lists_folders_first_and_hides_hidden_files(library: FileStore, tmp_path: Path) -> None:
    for name in ("b.rlb", "A.msh", ".hidden", "z/inner.msh"):
        write(tmp_path / name, MODEL)
    rows = listing.entries_below(library, Address(tmp_path))
    assert [(row.name, row.kind) for row in rows] == [("z", "folder"), ("A.msh", "msh"), ("b.rlb", "nres")]


def test_files_of_the_folder_of_units_are_presumed_to_be_units(library: FileStore, tmp_path: Path) -> None:
    folder = tmp_path / "Units" / "battle"
    folder.mkdir(parents=True)
    write(folder / "a.DAT", b"?")
    write(tmp_path / "a.dat", b"?")
    assert [row.kind for row in listing.entries_below(library, Address(folder))] == ["units"]
    assert [row.kind for row in listing.entries_below(library, Address(tmp_path))] == ["folder", "dat"]


def test_a_file_is_called_what_an_entry_of_its_name_would_be(library: FileStore, tmp_path: Path) -> None:
    kinds = {
        "a.WEA": "wear",
        "b.tft": "font",
        "c.cpt": "control_points",
        "d.lib": "nres",
        "e.wav": "wav",
        "f": "",
    }
    for name in kinds:
        write(tmp_path / name, b"")
    assert {row.name: row.kind for row in listing.entries_below(library, Address(tmp_path))} == kinds


def test_a_folder_that_cannot_be_listed_is_named(library: FileStore, tmp_path: Path) -> None:
    with pytest.raises(AddressError, match="gone"):
        listing.entries_below(library, Address(tmp_path / "gone"))


def test_an_address_is_spelt_as_the_list_spells_it(library: FileStore, tmp_path: Path) -> None:
    path = write(tmp_path / "a.rlb", archive_of({"a.msh": MODEL, "b.msh": MODEL}))
    for spelling in ("B.MSH", "#1", "b.msh"):
        assert locate(library, Address(path, (spelling,))).address == Address(path, ("b.msh",))


def test_the_model_of_an_archive_is_its_first_readable_one(library: FileStore, tmp_path: Path) -> None:
    files = {"broken.msh": MODEL[:100], "a.wea": b"1\r\n0 A\r\n", "whole.msh": MODEL}
    path = write(tmp_path / "a.rlb", archive_of(files))
    assert first_model(library, Address(path)) == Address(path, ("whole.msh",))


def test_the_model_of_an_archive_may_lie_deeper(library: FileStore, tmp_path: Path) -> None:
    path = write(tmp_path / "a.rlb", archive_of({"b.rlb": archive_of({"deep.msh": MODEL})}))
    assert first_model(library, Address(path)) == Address(path, ("b.rlb", "deep.msh"))


def test_a_folder_itself_is_opened(library: FileStore, tmp_path: Path) -> None:
    write(tmp_path / "a.msh", MODEL)
    located = locate(library, Address(tmp_path))
    assert located.choose(is_exact=False) == located.choose(is_exact=True) == (None, None)


def test_there_may_be_no_model(library: FileStore, tmp_path: Path) -> None:
    path = write(tmp_path / "a.rlb", archive_of({"a.wea": b"1\r\n0 A\r\n"}))
    assert first_model(library, Address(path)) is None
    assert first_model(library, Address(path, ("a.wea",))) is None


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
        address.path.relative_to(install).as_posix(): dict(counts)
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
    assert count_below(FileStore(), Address(path)) == {Address(path): {"nres": 1, "wear": 2}}


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
    assert (found[Address(install)]["units"], found[Address(install)]["nres"]) == (1, 11)
    assert found[Address(install / "bases.rlb")] == {}


def test_the_files_of_a_huge_folder_are_limited(install: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MOST_FILES", 5)
    found = count_below(FileStore(), Address(install))
    assert sum(1 for address in found if address.path.is_file()) <= 5


def test_counting_can_be_cancelled(install: Path) -> None:
    progress = Progress()
    progress.cancel()
    with working(progress), pytest.raises(Cancelled):
        count_below(FileStore(), Address(install))


def test_counts_go_with_their_root() -> None:
    root = BrowserEntry(Address.parse("game"), "game", FOLDER, can_open=True)
    tree = BrowserTree((root,)).counted(
        {
            Address.parse("game"): {"msh": 2},
            Address.parse("game/a.rlb"): {"msh": 2},
            Address.parse("other"): {},
        }
    )
    assert tree.contents[Address.parse("game/a.rlb")] == {"msh": 2}
    assert dict(tree.without(Address.parse("game")).contents) == {Address.parse("other"): {}}


def test_rows_have_what_the_game_calls_the_part(library: FileStore) -> None:
    guns = Address(bundled_path("assets") / "game" / "guns.rlb")
    rows = listing.entries_below(library, guns)
    called = {row.name: row.called for row in rows}
    assert called["e_gun_tw_01.msh"] == "Twin cannon (TW-30)"
    assert {name for name, words in called.items() if words} == {"e_gun_tw_01.msh"}
    found = [rows.entry(int(index)).name for index in rows.matching(NameFilter("cannon twin")).nonzero()[0]]
    assert found == ["e_gun_tw_01.msh"]


def test_an_opened_model_is_listed_with_what_the_game_calls_it(library: FileStore) -> None:
    guns = Address(bundled_path("assets") / "game" / "guns.rlb")
    (rows,) = locate(library, guns).listings(library).values()
    assert [row.called for row in rows if row.name == "e_gun_tw_01.msh"] == ["Twin cannon (TW-30)"]


def test_rows_with_and_without_what_the_game_calls_parts_share_their_columns(library: FileStore) -> None:
    guns = Address(bundled_path("assets") / "game" / "guns.rlb")
    plain = listing.entries_below(library, guns, has_names=False)
    rows = listing.entries_below(library, guns)
    assert isinstance(plain, ArchiveEntries)
    assert isinstance(rows, ArchiveEntries)
    assert rows.names is plain.names
    assert rows.kinds is plain.kinds
    assert rows.sizes is plain.sizes
    assert listing.entries_below(library, guns) is rows
    assert not any(row.called for row in plain), "those that were asked for without names have none"
    assert [row.called for row in rows if row.called] == ["Twin cannon (TW-30)"]
