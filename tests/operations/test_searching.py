"""Names, types, text, bytes and values, in files, archives, packed libraries and models, as places."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, archive_of, box
from tests.gui.conftest import crane
from tests.systems import below
from viewer.errors import UsageError
from viewer.formats.archive import nres
from viewer.formats.text import uncased
from viewer.model.kinds.plain import describe_place
from viewer.model.mesh.model import parts
from viewer.model.mesh.reading import FIELD
from viewer.model.query.search_query import EVERYWHERE, Query, Scope
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import files_below
from viewer.model.validation.batch_validation import plan
from viewer.operations.corpus.hits import Found, Hit, SearchResults
from viewer.operations.corpus.searching import SearchOptions, search
from viewer.progress import Cancelled, Progress
from viewer.resources import bundled_path

WEAR = b"2\r\n0 YELLOW\r\n1 STEEL\r\n"


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A folder with an archive, which has a model, a wear table and an archive in it, and a text file."""
    inner = archive_of({"deep.wea": WEAR, "note": b"The \xc6\xd3\xca is here"})
    (tmp_path / "a.rlb").write_bytes(
        archive_of({"crane.msh": crane().build(), "b.lib": inner, "x": b"YELLOW"})
    )
    (tmp_path / "steel.txt").write_bytes(b"nothing but STEEL, and steel")
    return tmp_path


def found_in(scope: Path, text: str, *scopes: Scope, store: FileStore | None = None) -> Found:
    found = SearchResults()
    options = SearchOptions(Query(text, frozenset(scopes or EVERYWHERE)), (scope,))
    search(store or FileStore(), options, found, Progress())
    return found.snapshot()


def hits(found: Found) -> list[Hit]:
    return [hit for file in found.files for hit in file.hits]


def places(found: Found, folder: Path) -> list[str]:
    return [below(folder, hit.place) for hit in hits(found)]


def test_names_of_files_and_of_entries_at_any_depth(game: Path) -> None:
    assert places(found_in(game, "deep", Scope.NAMES), game) == ["a.rlb::b.lib::deep.wea"]
    assert places(found_in(game, "*.txt", Scope.NAMES), game) == ["steel.txt"]


def test_types(game: Path) -> None:
    found = found_in(game, "wear", Scope.TYPES)
    assert places(found, game) == ["a.rlb::b.lib::deep.wea"]
    assert (hits(found)[0].kind, hits(found)[0].words) == ("wear", "deep.wea")
    assert places(found_in(game, "model", Scope.TYPES), game) == ["a.rlb::crane.msh"]


def test_text_is_found_whatever_its_case_at_its_place(game: Path) -> None:
    found = found_in(game, "steel", Scope.TEXT)
    assert places(found, game) == [
        "a.rlb::b.lib::deep.wea: materials[1].name",
        "steel.txt: bytes[12]",
        "steel.txt: bytes[23]",
    ]
    assert (hits(found)[0].kind, hits(found)[0].words) == ("wear", "STEEL")
    assert places(found_in(game, "Жук", Scope.TEXT), game) == ["a.rlb::b.lib::note: bytes[4]"]


def test_the_text_around_a_hit_ends_with_its_line_and_where_bytes_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xd9\x01~\x02an arm\tis here\x1bno text\0")
    (hit,) = hits(found_in(tmp_path / "a", "arm", Scope.TEXT))
    assert hit.words == "an arm·is here"
    (tmp_path / "b").write_bytes(b"one\r\ntwo arms\r\nthree")
    (hit,) = hits(found_in(tmp_path / "b", "arm", Scope.TEXT))
    assert hit.words == "two arms"


def test_names_of_parts_are_found_in_their_table(game: Path) -> None:
    (hit, *_) = hits(found_in(game, "hook", Scope.TEXT))
    assert str(hit.place.address).endswith("::crane.msh")
    assert (hit.place.table, hit.place.row) == ("strings", 3)
    assert hit.kind == "msh"


def test_labels_are_found_as_what_sockets_take(tmp_path: Path) -> None:
    """By their text and in conditions; where Res10 has the names of nodes it is a text as any other."""
    nodes = [Node("body", shapes={(0, 0): [box()]}), Node("Base_TM", parent=0)]
    labeled = ModelBuilder.of(nodes, FIELD)
    labeled.names = [b"", b"e_tur_bt"]
    (tmp_path / "labeled.msh").write_bytes(labeled.build())
    (tmp_path / "named.msh").write_bytes(ModelBuilder.of([nodes[0], Node("e_tur_bt", parent=0)]).build())
    text = [(hit.words, hit.place.row) for hit in hits(found_in(tmp_path, "e_tur", Scope.TEXT))]
    assert text == [("takes e_tur_bt", 1), ("e_tur_bt", 1)]
    (found,) = hits(found_in(tmp_path, "takes = e_tur_bt", Scope.VALUES))
    assert found.words == "takes e_tur_bt"
    assert str(found.place) == f"{tmp_path / 'labeled.msh'}: nodes[1].takes"
    assert len(hits(found_in(tmp_path, "text = e_tur_bt", Scope.VALUES))) == 2


def test_bytes_are_found_in_headers_and_payloads(game: Path) -> None:
    found = found_in(game, "4E 52 ?? 73", Scope.BYTES)
    assert places(found, game) == [
        "a.rlb: container.magic",
        "a.rlb::crane.msh: container.magic",
        "a.rlb::b.lib: container.magic",
    ]
    assert hits(found)[0].words.startswith("4E 52 65 73")


def test_a_text_across_two_payloads_is_not_found(tmp_path: Path) -> None:
    rows = nres.ENTRY.new(2)
    rows["data_offset"], rows["size"] = (16, 20), 4
    path = tmp_path / "a.rlb"
    path.write_bytes(nres.close(bytearray(16) + b"abcdefgh", rows))
    assert places(found_in(path, "cdef", Scope.TEXT), tmp_path) == []
    assert places(found_in(path, "efg", Scope.TEXT), tmp_path) == ["a.rlb::#1: bytes[0]"]


def test_fields_that_fulfill_a_condition(game: Path) -> None:
    found = found_in(game, "index_count > 30", Scope.VALUES)
    model = FileStore().open(Address(game / "a.rlb", ("crane.msh",))).read_model()
    expected = np.flatnonzero(model.batches["index_count"] > 30).tolist()
    assert [hit.place.row for hit in hits(found)] == expected
    assert expected
    first = hits(found)[0]
    assert (first.place.table, first.place.field) == ("batches", "index_count")
    assert first.words == f"index_count {model.batches['index_count'][expected[0]]}"


def test_fields_with_a_value(game: Path) -> None:
    found = [hit for hit in hits(found_in(game, "36", Scope.VALUES)) if hit.place.field == "index_count"]
    model = FileStore().open(Address(game / "a.rlb", ("crane.msh",))).read_model()
    assert [hit.place.row for hit in found] == np.flatnonzero(model.batches["index_count"] == 36).tolist()
    assert found
    for hit in found:
        assert describe_place(parts(model), hit.place).value == 36
    assert "a.rlb::b.lib::deep.wea: materials[1].name" in places(found_in(game, "steel", Scope.VALUES), game)


def test_a_number_is_searched_in_tables_without_rows_too(tmp_path: Path) -> None:
    (tmp_path / "none.cpt").write_bytes(bytes(4))  # no control points
    assert places(found_in(tmp_path, "0", Scope.VALUES), tmp_path) == ["none.cpt: header.count"]


def test_everything_at_once(game: Path) -> None:
    found = found_in(game, "steel")
    assert {hit.scope for hit in hits(found)} == {Scope.NAMES, Scope.TEXT}
    assert {hit.scope for hit in hits(found_in(game, "36"))} == {Scope.VALUES}


def test_what_is_found_in_two_ways_is_listed_once(game: Path) -> None:
    """The name of an entry is text in the directory too; a text is the value of its field."""
    assert places(found_in(game, "deep.wea"), game) == ["a.rlb::b.lib::deep.wea"]
    assert places(found_in(game, "steel"), game).count("a.rlb::b.lib::deep.wea: materials[1].name") == 1


def test_entries_of_a_packed_library(files: Path) -> None:
    for path in sorted(files.rglob("*.lib")):
        if path.read_bytes()[:4] == b"NL\0\1":
            entry = FileStore().open(Address(path)).container
            assert entry is not None
            index = max(range(len(entry.rows)), key=lambda index: entry.entry(index).size)
            data = bytes(entry.payload(index))[4:16]
            found = found_in(path, data.hex(" "), Scope.BYTES)
            assert any(str(hit.place.address) != str(path) for hit in hits(found)), path
            return
    pytest.skip("the files have no packed library")


def test_hits_are_bounded_and_the_others_are_counted(tmp_path: Path) -> None:
    results = SearchResults(5, 8)
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_bytes(b"steel " * 20)
    search(
        FileStore(), SearchOptions(Query("steel", frozenset({Scope.TEXT})), (tmp_path,)), results, Progress()
    )
    found = results.snapshot()
    assert [(len(file.hits), file.more) for file in found.files] == [(5, 15), (3, 17)]
    assert found.count == 40
    entries = {f"e{number}": b"" for number in range(30)}
    (tmp_path / "c.rlb").write_bytes(archive_of(entries))
    results = SearchResults(5, 8)
    options = SearchOptions(Query("e*", frozenset({Scope.NAMES})), (tmp_path / "c.rlb",))
    search(FileStore(), options, results, Progress())
    found = results.snapshot()
    assert [(len(file.hits), file.more) for file in found.files] == [(5, 25)]


def test_each_file_is_read_once_and_then_forgotten(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []
    original = FileStore._read

    def counted(store: FileStore, path: Path, size: int) -> memoryview:
        read.append(path)
        return original(store, path, size)

    monkeypatch.setattr(FileStore, "_read", counted)
    store = FileStore()
    store.file(game / "steel.txt")
    found_in(game, "steel", store=store)
    assert read == [game / "steel.txt", game / "a.rlb"]
    assert not store.has(game / "a.rlb")
    assert store.has(game / "steel.txt")


def test_what_was_kept_of_open_payloads_stays_kept(game: Path) -> None:
    store = FileStore()
    model = store.open(Address(game / "a.rlb", ("crane.msh",))).read_model()
    found_in(game, "steel", store=store)
    assert store.open(Address(game / "a.rlb", ("crane.msh",))).read_model() is model


def test_what_cannot_be_read_is_named_and_the_rest_is_searched(game: Path) -> None:
    (game / "0.rlb").write_bytes(b"NRes" + bytes(12))
    found = found_in(game, "steel")
    assert [address.path.name for address in found.unreadable] == ["0.rlb"]
    assert found.count > 2


def test_a_cancelled_search_ends_and_keeps_what_it_has_found(
    game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, progress = SearchResults(), Progress()
    add = SearchResults.add

    def cancel(self: SearchResults, path: str, hit: Hit) -> None:
        add(self, path, hit)
        progress.cancel()

    monkeypatch.setattr(SearchResults, "add", cancel)
    with pytest.raises(Cancelled):
        search(FileStore(), SearchOptions(Query("steel"), (game,)), found, progress)
    assert found.snapshot().count == 1


def test_links_to_folders_are_not_followed_and_backups_left_out(game: Path) -> None:
    (game / "loop").symlink_to(game)
    backup = game / "a.rlb.bak"
    backup.write_bytes((game / "a.rlb").read_bytes())
    assert [*files_below(FileStore(), [backup], 9)] == [backup]
    assert [path.name for path in files_below(FileStore(), [game], 9)] == ["a.rlb", "steel.txt"]


def test_snapshots_are_the_same_until_more_is_found() -> None:
    found = SearchResults()
    before = found.snapshot()
    assert found.snapshot() is before
    found.skip("a", 1)
    assert found.snapshot().count == 1


@pytest.mark.parametrize(
    ("text", "data", "is_found"),
    [
        ("4E 52 ?? 65", b"NRxe", True),
        ("4E 52 ?? 65", b"NR\ne", True),
        ("4e 52", b"nr", False),
        ("4E 52 65", b"NR.e", False),
        ("?? ??", b"ab", None),
        ("4E", b"N", None),
        ("4E52", b"NR", None),
        ("walker", b"walker", None),
    ],
)
def test_a_pattern_of_bytes(text: str, data: bytes, *, is_found: bool | None) -> None:
    pattern = Query(text).byte_pattern
    assert (None if pattern is None else bool(pattern.search(data))) == is_found


def test_digits_without_spaces_are_bytes_if_only_bytes_are_searched() -> None:
    pattern = Query("4E52", frozenset({Scope.BYTES})).byte_pattern
    assert pattern is not None
    assert pattern.search(b"NR")


@pytest.mark.parametrize(
    ("text", "data", "is_found"),
    [
        ("Walk", b"the wALKer", True),
        ("жук", "ЖУК".encode("cp1251"), True),
        ("a.b", b"axb", False),
        ("x", b"x", None),
        ("日本", b"", None),
    ],
)
def test_a_text_in_either_case(text: str, data: bytes, *, is_found: bool | None) -> None:
    pattern = Query(text).text_pattern
    assert (None if pattern is None else bool(pattern.search(uncased(data)))) == is_found


def test_a_comparison_is_a_condition_and_nothing_else() -> None:
    query = Query("index_count > 300")
    assert query.condition is not None
    assert (query.names, query.types, query.patterns, query.value) == (None, None, (), None)


@pytest.mark.parametrize(("text", "number"), [("300", 300), ("0x12C", 300), ("1.5", 1.5), ("walker", None)])
def test_a_value(text: str, number: float | None) -> None:
    assert Query(text).number == number


@pytest.mark.parametrize(
    ("text", "scopes"),
    [
        (" ", EVERYWHERE),
        ("index_count >", EVERYWHERE),
        ("x" * 300, EVERYWHERE),
        ("walker", frozenset({Scope.BYTES})),
        ("x", frozenset({Scope.TEXT})),
        ("walker", frozenset()),
    ],
)
def test_what_cannot_be_searched_for_is_refused(text: str, scopes: frozenset[Scope]) -> None:
    with pytest.raises(UsageError):
        Query(text, scopes).check()


def test_a_file_whose_name_is_a_suffix_is_found_like_any_other(tmp_path: Path) -> None:
    for name in (".rlb", "a.rlb", ".hidden/b.rlb"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes((bundled_path("assets/game") / "weapon.rlb").read_bytes())
    found = {*files_below(FileStore(), [tmp_path], 9)}
    assert found == {it.address.path for it in plan([Address(tmp_path)], is_divided=False)}
    assert {it.relative_to(tmp_path).as_posix() for it in found} == {".rlb", "a.rlb", ".hidden/b.rlb"}


def test_parts_are_found_by_what_the_game_calls_them() -> None:
    game = bundled_path("assets") / "game"
    found = found_in(game, "twin cannon", Scope.NAMES)
    assert places(found, game) == [
        "guns.rlb::e_gun_tw_01.msh", "objects.dlb::e_gun_tw_01", "objects.rlb::e_gun_tw_01",
    ]  # fmt: skip
    assert hits(found)[0].words == "e_gun_tw_01.msh  Twin cannon (TW-30)"
    assert places(found_in(game, "TW-30 *tw_01", Scope.NAMES), game) == []
    assert "guns.rlb::e_gun_tw_01.msh" in places(found_in(game, "tw-30", Scope.NAMES), game)
