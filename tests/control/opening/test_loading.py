"""Everything between a path and a document."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests import game_folders, systems
from tests.builders import ModelBuilder, Node, archive_of, quad
from tests.control.trips import Trips
from viewer.control.opening import loading
from viewer.control.opening.loading import OpenOptions, StartOptions
from viewer.control.settings.settings import Settings
from viewer.errors import AddressError, FormatError
from viewer.formats import wear
from viewer.model.mesh.reading_choices import GroundReading, ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.reading_options import USUAL, ReadingOptions

MODEL = ModelBuilder.of([Node("sheet", shapes={(0, 0): [quad()]})]).build()


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A folder with an archive that nests another one two folders down."""
    folder = tmp_path / "game"
    (folder / "DATA" / "MAPS").mkdir(parents=True)
    nested = archive_of({"inner.rlb": archive_of({"Deep.msh": MODEL})})
    (folder / "DATA" / "MAPS" / "outer.rlb").write_bytes(nested)
    return folder


def test_everything_on_the_way_to_a_model_is_listed(game: Path) -> None:
    archive = game / "DATA" / "MAPS" / "outer.rlb"
    opened = loading.read(FileStore(), Address(archive), {})
    assert opened.document is not None
    assert str(opened.document.address) == f"{archive}::inner.rlb::Deep.msh"
    assert (opened.kind, opened.root.address.path) == ("nres", archive)
    assert [*map(str, opened.children)] == [str(archive), f"{archive}::inner.rlb"]


def test_a_folder_is_opened_itself_and_lists_its_files(game: Path) -> None:
    opened = loading.read(FileStore(), Address(game), {})
    assert opened.resource is not None
    assert (opened.resource.kind, opened.resource.address) == ("folder", Address(game))
    assert (opened.kind, opened.document) == ("folder", None)
    assert {at: [it.name for it in rows] for at, rows in opened.children.items()} == {Address(game): ["DATA"]}


def test_an_empty_folder_shows_nothing(tmp_path: Path) -> None:
    opened = loading.read(FileStore(), Address(tmp_path), {}, is_exact=True)
    assert (opened.document, opened.resource) == (None, None)


def test_an_archive_without_a_model_is_listed_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.rlb"
    path.write_bytes(archive_of({"a.wea": b"1\r\n0 A\r\n"}))
    opened = loading.read(FileStore(), Address.parse(str(path)), {})
    assert opened.document is None
    assert [row.name for row in opened.children[Address(path)]] == ["a.wea"]


def test_an_archive_without_a_model_shows_what_is_first_in_it(tmp_path: Path) -> None:
    path = tmp_path / "a.rlb"
    path.write_bytes(archive_of({"deep.rlb": archive_of({}), "a.wea": b"1\r\n0 A\r\n", "b.wea": b""}))
    opened = loading.read(FileStore(), Address.parse(str(path)), {})
    assert opened.resource is not None
    assert (str(opened.resource.address), opened.resource.kind) == (f"{path}::a.wea", "wear")
    assert str(opened.address) == str(path)
    path.write_bytes(archive_of({"deep.rlb": archive_of({})}))
    assert loading.read(FileStore(), Address.parse(str(path)), {}).resource is None


@pytest.mark.parametrize(
    ("name", "data", "kind", "problem"),
    [
        ("a.msh", MODEL[:200], "nres", "container.total_size: "),
        ("a.rlb", archive_of({"a.wea": b"1"})[:30], "nres", "container.total_size: "),
        ("a.rlb", archive_of({"a.wea": b"1"})[:12], "nres", "container: 12 bytes, "),
    ],
)
@pytest.mark.parametrize("is_exact", [False, True])
def test_what_is_cut_off_is_opened_as_bytes(
    name: str, data: bytes, kind: str, problem: str, *, is_exact: bool, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    opened = loading.read(FileStore(), Address(path), {}, is_exact=is_exact)
    assert opened.document is None
    assert opened.resource is not None
    assert (opened.resource.kind, bytes(opened.resource.data)) == (kind, data)
    assert problem in opened.resource.problem
    assert len(opened.children.get(Address(path), ())) == 0
    assert [it.message for it in opened.resource.diagnostics][:1] != []


def test_a_damaged_model_in_an_archive_is_opened_as_bytes_unless_that_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.rlb"
    path.write_bytes(archive_of({"a.msh": MODEL[:200]}))
    address = Address(path, ("a.msh",))
    opened = loading.read(FileStore(), address, {})
    assert opened.document is None
    assert opened.resource is not None
    assert bytes(opened.resource.data) == MODEL[:200]
    assert "container.total_size: " in opened.resource.problem
    assert [row.name for row in opened.children[Address(path)]] == ["a.msh"]
    with pytest.raises(FormatError, match=r"a\.msh: container\.total_size"):
        loading.read(FileStore(), address, {}, OpenOptions(ReadingOptions(is_strict=True)))


def test_what_is_opened_is_of_some_kind(tmp_path: Path) -> None:
    path = tmp_path / "a.rlb"
    path.write_bytes(archive_of({"a.wea": b"1\r\n0 A\r\n"}))
    assert loading.read(FileStore(), Address.parse(str(path)), {}).kind == "nres"
    assert loading.read(FileStore(), Address.parse(f"{path}::A.WEA"), {}).kind == "wear"


def test_a_model_file_hangs_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.msh"
    path.write_bytes(MODEL)
    opened = loading.read(FileStore(), Address.parse(str(path)), {})
    assert (opened.address, opened.root.can_open, opened.children) == (Address(path), False, {})


def test_relative_paths_become_absolute(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(game)
    opened = loading.read(FileStore(), Address.parse("DATA/MAPS/outer.rlb::INNER.RLB::deep.msh"), {})
    assert systems.below(game, opened.address) == "DATA/MAPS/outer.rlb::inner.rlb::Deep.msh"


def test_names_are_looked_up_where_the_user_says(tmp_path: Path) -> None:
    folder = game_folders.write(tmp_path / "game")
    path, table = tmp_path / "a.msh", tmp_path / "b.wea"
    path.write_bytes(MODEL)
    table.write_bytes(wear.build([b"SKIN"]))
    chosen = OpenOptions(ReadingOptions(set_game=folder), {str(path): str(table)})
    document = loading.read(FileStore(), Address.parse(str(path)), {}, chosen).document
    assert document is not None
    assert [(row.name, str(row.found)) for row in document.materials.rows] == [("SKIN", "name")]
    table.unlink()
    document = loading.read(FileStore(), Address.parse(str(path)), {}, chosen).document
    assert document is not None
    assert document.materials.wear_source is None


def test_what_the_command_line_names_counts_for_its_file_alone(tmp_path: Path) -> None:
    mine, others = tmp_path / "mine", tmp_path / "others"
    settings = Settings(game=str(tmp_path / "set"))
    options = {"wear": Address.parse("b.wea"), "game": tmp_path / "game", "strict": True}
    given = StartOptions(Address(mine / "a.rlb"), options)
    usual = ReadingOptions(set_game=tmp_path / "set")
    there = replace(usual, game=tmp_path / "game", wear=Address.parse("b.wea"), is_strict=True)
    assert OpenOptions.of(settings, given, Address.parse(f"{mine}/a.rlb::x.msh")) == OpenOptions(there)
    for address in (others / "a.rlb", mine / "a.rlb2", mine):
        assert OpenOptions.of(settings, given, Address.parse(str(address))) == OpenOptions(usual)
    below = StartOptions(Address(mine), {"game": tmp_path / "game"})
    found = OpenOptions.of(settings, below, Address.parse(f"{mine}/a.rlb::x.msh")).options
    assert found.game == tmp_path / "game"


def test_what_is_kept_of_the_command_line_can_be_chosen_otherwise_later(tmp_path: Path) -> None:
    address = Address(tmp_path / "Land.msh")
    given = StartOptions(address, {"ground": GroundReading.CROSSED, "reading": ReadingChoice.SEED})
    settings = given.remembered_in(Settings())
    assert settings.opening == ReadingOptions(ground=GroundReading.CROSSED)
    found = OpenOptions.of(settings, given, address).options
    assert (found.ground, found.reading) == (GroundReading.CROSSED, ReadingChoice.SEED)
    later = replace(settings.with_reading(address, "auto"), opening=USUAL)
    assert OpenOptions.of(later, given, address).options == USUAL


def test_a_wear_table_that_is_asked_for_has_to_be_there(game: Path, tmp_path: Path) -> None:
    table = tmp_path / "b.wea"
    table.write_bytes(wear.build([b"SKIN"]))
    lookup = OpenOptions(ReadingOptions(wear=Address(table)))
    archive = Address(game / "DATA" / "MAPS" / "outer.rlb")
    document = loading.read(FileStore(), archive, {}, lookup).document
    assert document is not None
    assert str(document.materials.wear_source) == str(table)
    table.unlink()
    with pytest.raises(AddressError, match=r"b\.wea"):
        loading.read(FileStore(), archive, {}, lookup)


def test_strict_refuses_a_resource_with_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.rlb"
    path.write_bytes(archive_of({"a.wea": b"7\r\n0 A\r\n"}))
    assert loading.read(FileStore(), Address.parse(f"{path}::a.wea"), {}).resource is not None
    with pytest.raises(FormatError, match=r"a\.wea"):
        loading.read(
            FileStore(), Address.parse(f"{path}::a.wea"), {}, OpenOptions(ReadingOptions(is_strict=True))
        )


def test_the_reading_of_an_archive_is_the_one_wanted(game: Path) -> None:
    archive = str(game / "DATA" / "MAPS" / "outer.rlb")
    opened = loading.read(FileStore(), Address.parse(archive), {archive: "field"})
    assert opened.document is not None
    assert opened.document.choice.requested == "field"


def test_an_entry_that_does_not_exist_is_named(game: Path) -> None:
    with pytest.raises(AddressError, match=r"outer\.rlb: .*nothing\.msh"):
        loading.read(FileStore(), Address.parse(f"{game}/DATA/MAPS/outer.rlb::nothing.msh"), {})


def test_the_sample_is_a_model_that_moves() -> None:
    opened = loading.read(FileStore(), loading.sample_address(), {})
    assert opened.document is not None
    assert opened.document.last_frame >= 59
    assert opened.document.model.node_count >= 20


def fleet(folder: Path) -> str:
    """An archive of two models with their wear tables, in a game folder; the path of the archive."""
    path = game_folders.write(folder) / "fleet.rlb"
    second = ModelBuilder.of([Node("sheet", shapes={(0, 0): [quad(material=1)]})]).build()
    tables = {name: wear.build([b"SKIN", b"GLASS", name.encode()]) for name in ("a.wea", "b.wea")}
    path.write_bytes(archive_of({"a.msh": MODEL, "b.msh": second, **tables}))
    return str(path)


def test_opening_lists_parses_and_hashes_everything_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, library, trips = fleet(tmp_path / "game"), FileStore(), Trips(monkeypatch)
    document = loading.read(library, Address.parse(path), {}).document
    assert document is not None
    assert trips.repeated() == set()
    first = trips.take()
    rows = document.materials.rows
    keys = [texture.key for row in (*rows, *rows) for texture in row.textures if texture is not None]
    assert (len(keys), trips.take()["hash"]) == (2, 1), "a texture is hashed where its identity is asked for"
    assert first["parse"] == 5, "the archive, the model, and the three libraries that are there"
    assert (first["model"], first["list"], first["wear"], first["read"]) == (1, 1, 1, 4)
    assert (first["material"], first["texture"], first["hash"]) == (3, 2, 0), "DEFAULT among them"


def test_only_what_is_new_is_read_for_the_next_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, library, trips = fleet(tmp_path / "game"), FileStore(), Trips(monkeypatch)
    loading.read(library, Address.parse(path), {})
    trips.take()
    loading.read(library, Address.parse(f"{path}::b.msh"), {})
    assert trips.repeated() == set()
    after = trips.take()
    assert {name: after[name] for name in ("parse", "model", "list", "read", "wear")} == {
        "parse": 1,
        "model": 1,
        "list": 0,
        "read": 0,
        "wear": 1,
    }
    loading.read(library, Address.parse(f"{path}::b.msh"), {})
    assert set(trips.take()) == {"look", "names"}, "the disk is asked whether anything has changed"


def test_opening_looks_at_each_path_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, library, trips = fleet(tmp_path / "game"), FileStore(), Trips(monkeypatch)
    loading.read(library, Address.parse(path), {})
    seen = trips.take()["look"]
    libraries_and_folders = len(game_folders.files()) + 2 * len(Path(path).parents)
    assert seen <= 1 + libraries_and_folders


def test_only_the_entries_of_a_changed_file_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, library, trips = fleet(tmp_path / "game"), FileStore(), Trips(monkeypatch)
    loading.read(library, Address.parse(path), {})
    trips.take()
    library.unsaved.overlay(Path(path), Path(path).read_bytes())
    loading.read(library, Address.parse(path), {})
    again = trips.take()
    assert (again["parse"], again["read"], again["texture"], again["material"]) == (2, 1, 0, 0)


def test_unsaved_bytes_are_what_is_opened(tmp_path: Path) -> None:
    path, library = Path(fleet(tmp_path / "game")), FileStore()
    edited = archive_of({"a.msh": MODEL, "a.wea": wear.build([b"GLASS"]), "c.msh": MODEL})
    library.unsaved.overlay(path, edited)
    library.unsaved.overlay(
        path.parent / "Material.lib", game_folders.archive(game_folders.MAT0, {"GLASS": b""})
    )
    opened = loading.read(library, Address.parse(str(path)), {})
    assert [row.name for row in opened.children[Address(path)]] == ["a.msh", "a.wea", "c.msh"]
    assert opened.document is not None
    (material,) = opened.document.materials.rows
    assert material.name == "GLASS"
    assert any("Material.lib" in problem for problem in material.problems), "the laid entry is damaged"
    library.unsaved.revert(path)
    library.unsaved.revert(path.parent / "Material.lib")
    opened = loading.read(library, Address.parse(str(path)), {})
    assert opened.document is not None
    assert opened.document.materials.rows[0].name == "SKIN"
    assert opened.document.materials.rows[0].problems == ()


def test_an_unsaved_file_is_opened_and_listed(tmp_path: Path) -> None:
    library = FileStore()
    library.unsaved.overlay(tmp_path / "new.msh", MODEL)
    opened = loading.read(library, Address(tmp_path / "new.msh"), {})
    assert opened.document is not None
    assert str(opened.document.address) == str(tmp_path / "new.msh")
    opened = loading.read(library, Address(tmp_path), {})
    (row,) = opened.children[Address(tmp_path)]
    assert (row.name, row.size) == ("new.msh", len(MODEL))
