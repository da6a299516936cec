"""Two folders compared: what is found of known changes, and what no order of files changes."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.builders import ModelBuilder, Node, archive_of, box
from tests.corpora import GAME
from tests.game_folders import texture
from viewer.cli.bench.install import InstallSize, change_install, make_install
from viewer.errors import AddressError
from viewer.formats.archive import nres
from viewer.formats.msh.tables import BATCHES
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.file_store import FileStore
from viewer.operations.folders.comparison import (
    ComparedEntry,
    FolderComparison,
    compare_folders,
    count_fields,
)
from viewer.progress import Progress

Row = tuple[str, str | None, str | None]
MODEL = ModelBuilder.of([Node("hull", shapes={(0, 0): [box()]})]).build()


def compared(a: Path, b: Path) -> FolderComparison:
    return compare_folders(a, b, Progress())


def row(it: ComparedEntry) -> Row:
    a, b = (None if side is None else str(side).replace(os.sep, "/") for side in (it.a, it.b))
    return str(it.state), a, b


def rows(a: Path, b: Path) -> list[Row]:
    return [*map(row, compared(a, b).entries)]


def folder(root: Path, files: Mapping[str, bytes | Mapping[str, bytes]]) -> Path:
    """A folder of files, and of archives with entries."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else archive_of(content))
    root.mkdir(exist_ok=True)
    return root


def fields_of(found: FolderComparison) -> list[int | None]:
    counts = [count_fields(FileStore(), ReadingChoice.AUTO, it) for it in found.tasks()]
    return [it.fields for it in found.with_fields(counts).changed]


def test_ten_changes_of_an_install_are_found(tmp_path: Path) -> None:
    before = make_install(tmp_path / "a", InstallSize(3, 30))
    after = make_install(tmp_path / "b", InstallSize(3, 30))
    same = compared(before, after)
    assert (same.entries, same.errors, same.layouts) == ((), (), ())
    change_install(after)
    found = compared(before, after)
    assert [*map(row, found.entries)] == [
        ("renamed", "MISSIONS/SAMPLE/sky.ske", "MISSIONS/SAMPLE/night.ske"),
        ("changed", "Material.lib::WALKER_ARMOUR", "Material.lib::WALKER_ARMOUR"),
        ("changed", "Material.lib::WALKER_METAL", "Material.lib::WALKER_METAL"),
        ("changed", "Textures.lib::SIGN.0", "Textures.lib::SIGN.0"),
        ("changed", "UNITS/UNITS/SAMPLE/outpost.dat", "UNITS/UNITS/SAMPLE/outpost.dat"),
        ("moved", "made_000.rlb::0_FAILING_LAMP", "made_001.rlb::MOVED"),
        ("removed", "made_000.rlb::0_TRIM", None),
        ("renamed", "made_000.rlb::0_WALKER_METAL", "made_000.rlb::RENAMED"),
        ("added", None, "made_001.rlb::ADDED"),
        ("changed", "models.rlb::walker.msh", "models.rlb::walker.msh"),
    ]
    assert found.same == same.same - 9  # the added one was not there
    assert fields_of(found) == [1, 1, 1, 1, 1]
    back = compared(after, before)
    assert (back.same, len(back.entries)) == (found.same, len(found.entries))


def test_of_duplicates_the_same_name_wins(tmp_path: Path) -> None:
    same = b"the same bytes in all"
    a = folder(tmp_path / "a", {"x.rlb": {"k": same, "m": same, "n": same}, "y.rlb": {"z": b"1"}})
    b = folder(tmp_path / "b", {"x.rlb": {"p": same, "z": b"2"}, "y.rlb": {"n": same, "z": b"1", "o": same}})
    assert rows(a, b) == [
        ("renamed", "x.rlb::k", "x.rlb::p"),
        ("moved", "x.rlb::m", "y.rlb::o"),
        ("moved", "x.rlb::n", "y.rlb::n"),
        ("added", None, "x.rlb::z"),
    ]


def test_the_same_name_wins_over_the_same_archive(tmp_path: Path) -> None:
    same = b"the same bytes in all"
    a = folder(tmp_path / "a", {"x.rlb": {"a": same, "m": same}, "y.rlb": {"z": b"1"}})
    b = folder(tmp_path / "b", {"x.rlb": {"p": same}, "y.rlb": {"a": same, "z": b"1"}})
    assert rows(a, b) == [("moved", "x.rlb::a", "y.rlb::a"), ("renamed", "x.rlb::m", "x.rlb::p")]


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_entries_changes_nothing(tmp_path: Path, seed: int) -> None:
    contents = [b"one", b"two", b"one", b"three", b"one", b"two"]
    before = {f"n{index}": data for index, data in enumerate(contents)}
    after = {f"m{index}": data for index, data in enumerate(reversed(contents))}
    found = []
    for run in range(2):
        shuffled = []
        for side, entries in enumerate((before, after)):
            names = [*entries]
            random.Random(seed + 10 * run + side).shuffle(names)
            shuffled.append({name: entries[name] for name in names})
        a = folder(tmp_path / f"a{run}", {"x.rlb": shuffled[0]})
        b = folder(tmp_path / f"b{run}", {"x.rlb": shuffled[1]})
        found.append(rows(a, b))
    assert found[0] == found[1]
    assert [it[0] for it in found[0]] == ["renamed"] * 6
    for _state, old, new in found[0]:
        assert old
        assert new
        assert before[old.rpartition(":")[2]] == after[new.rpartition(":")[2]]


def test_entries_of_equal_names_are_paired_in_their_order(tmp_path: Path) -> None:
    def write(path: Path, payloads: list[bytes]) -> None:
        path.parent.mkdir()
        path.write_bytes(nres.build(nres.NewEntry(0, data, b"twin") for data in payloads))

    write(tmp_path / "a" / "x.rlb", [b"1", b"2"])
    write(tmp_path / "b" / "x.rlb", [b"1", b"3", b"2"])
    found = compared(tmp_path / "a", tmp_path / "b")
    assert found.same == 1
    assert [*map(row, found.entries)] == [
        ("changed", "x.rlb::#1", "x.rlb::#1"),
        ("added", None, "x.rlb::#2"),
    ]


def test_a_file_that_was_packed_has_moved(tmp_path: Path) -> None:
    a = folder(tmp_path / "a", {"x.rlb": {"k": b"1"}, "tank.msh": MODEL})
    b = folder(tmp_path / "b", {"x.rlb": {"k": b"1", "tank.msh": MODEL}})
    assert rows(a, b) == [("moved", "tank.msh", "x.rlb::tank.msh")]
    assert rows(b, a) == [("moved", "x.rlb::tank.msh", "tank.msh")]


def test_what_a_directory_states_is_a_field(tmp_path: Path) -> None:
    for name, attr1 in (("a", 2), ("b", 3)):
        (tmp_path / name).mkdir()
        entries = [nres.NewEntry(7, b"same", b"k", attr1), nres.NewEntry(7, b"other", name.encode(), attr1)]
        (tmp_path / name / "x.rlb").write_bytes(nres.build(entries))
    found = compared(tmp_path / "a", tmp_path / "b")
    # What was renamed states something else too, so that it is not the same under another name.
    assert [*map(row, found.entries)] == [
        ("removed", "x.rlb::a", None),
        ("added", None, "x.rlb::b"),
        ("changed", "x.rlb::k", "x.rlb::k"),
    ]
    assert found.changed[0].stated == 1


def test_case_alone_is_a_new_name_of_an_entry_and_none_of_an_archive(tmp_path: Path) -> None:
    a = folder(tmp_path / "a", {"X.rlb": {"K": b"1", "m": b"2"}})
    b = folder(tmp_path / "b", {"x.RLB": {"k": b"1", "m": b"2"}})
    found = compared(a, b)
    assert [*map(row, found.entries)] == [("renamed", "X.rlb::K", "x.RLB::k")]
    assert found.same == 1


def test_levels_of_a_texture_are_fields(tmp_path: Path) -> None:
    a = texture()
    decoded = texm.decode(a)
    data = bytearray(a)
    data[-1] ^= 1
    data[-2] ^= 1
    assert decoded.format is PixelFormat.ARGB8888
    first, second = folder(tmp_path / "a", {"t.texm": a}), folder(tmp_path / "b", {"t.texm": bytes(data)})
    assert fields_of(compared(first, second)) == [1]


def test_fields_of_rows_are_counted_one_by_one(tmp_path: Path) -> None:
    archive = nres.Archive.read((GAME / "models.rlb").read_bytes())
    model = Model.read(archive.payload(0))
    batches = model.batches.copy()
    batches["flags"][:3] ^= 1
    batches["material"][5] ^= 1
    changed = model.encode({BATCHES: batches.tobytes()})
    first = folder(tmp_path / "a", {"t.msh": bytes(archive.payload(0)), "odd": b"12"})
    second = folder(tmp_path / "b", {"t.msh": changed, "odd": b"34"})
    assert fields_of(compared(first, second)) == [None, 4]


def test_what_one_side_cannot_read_is_an_error_alone(tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    for it in (a, b):
        it.mkdir()
        for name in ("guns.rlb", "objects.dlb"):
            shutil.copy(GAME / name, it / name)
    whole = compared(a, b).same
    damaged = (GAME / "guns.rlb").read_bytes()[:-1000]
    (b / "guns.rlb").write_bytes(damaged)
    (b / "new.rlb").write_bytes(b"no archive")
    found = compared(a, b)
    assert found.entries == ()
    assert [it.path for it in found.errors] == [str(b / "guns.rlb"), str(b / "new.rlb")]
    assert 0 < found.same < whole
    (a / "guns.rlb").write_bytes(damaged)
    assert len(compared(a, b).errors) == 3


def test_a_side_of_which_nothing_can_be_read_is_refused(tmp_path: Path) -> None:
    a = folder(tmp_path / "a", {"x.rlb": {"k": b"1"}})
    b = folder(tmp_path / "b", {"x.rlb": b"no archive"})
    for pair in ((a, b), (b, a), (a, tmp_path / "nowhere"), (a, a / "x.rlb")):
        with pytest.raises(AddressError):
            compared(*pair)
    empty = folder(tmp_path / "c", {})
    assert rows(a, empty) == [("removed", "x.rlb::k", None)]


def test_an_archive_with_other_gaps_is_said_and_no_difference(tmp_path: Path) -> None:
    a = folder(tmp_path / "a", {"x.rlb": {"k": b"1", "m": b"2"}})
    b = folder(tmp_path / "b", {"x.rlb": {"m": b"2", "k": b"1"}})
    found = compared(a, b)
    assert (found.entries, found.same, found.layouts) == ((), 2, (Path("x.rlb"),))


def test_backups_links_to_folders_and_what_the_program_keeps_are_left_out(tmp_path: Path) -> None:
    a = folder(
        tmp_path / "a", {"x.rlb": {"k": b"1"}, "x.rlb.bak": b"NRes", "sub/y": b"2", ".mshview-mods/z": b"3"}
    )
    (a / "loop").symlink_to(a, target_is_directory=True)
    b = folder(tmp_path / "b", {"x.rlb": {"k": b"1"}, "sub/y": b"2"})
    assert rows(a, b) == []
    assert compared(a, b).same == 2
