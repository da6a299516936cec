"""Mods are made of two folders, checked, and applied to a copy: what comes out is what went in."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.broken.libraries import library
from tests.mod_games import (
    Change,
    changed,
    contents,
    diffuse,
    entries,
    file,
    material,
    member,
    mod,
    number,
    payload,
    tank,
)
from viewer.errors import EditError, MshviewError, UsageError
from viewer.formats.archive import nres
from viewer.operations.mods.copying import write_copy
from viewer.operations.mods.game_files import GameFiles
from viewer.operations.mods.making import make_mod
from viewer.operations.mods.manifest import AddedAddress, ModManifest, PatchedAddress, RemovedAddress
from viewer.operations.mods.package import Mod
from viewer.operations.mods.plan import ModPlan

LIBRARY: Final = "Material.lib"


def plan(game: Path, *mods: Mod) -> ModPlan:
    return ModPlan.of(GameFiles(game), mods)


def copy(game: Path, *mods: Mod) -> Path:
    """A copy of a game with mods, whether they go together or not."""
    folder = game.with_name("copy")
    write_copy(plan(game, *mods), folder)
    return folder


def conflicts(found: ModPlan) -> list[tuple[object, ...]]:
    return [(str(it.address), it.field, it.mods, it.values, it.winner) for it in found.conflicts]


CHANGES: Final[dict[str, Sequence[Change]]] = {
    "a field": [entries(LIBRARY, SKIN=diffuse(7))],
    "a payload of another size": [entries(LIBRARY, SKIN=material() * 3)],
    "an entry that is new, with attributes that are not guessed": [entries(LIBRARY, NEW=material())],
    "an entry that is gone": [entries(LIBRARY, GLASS=None, GLOW=None)],
    "entries of all sorts": [
        entries(LIBRARY, GLASS=None, NEW=material(), SKIN=diffuse(1), OTHER=b"", DUO=b"\1\2")
    ],
    "an attribute alone": [number(LIBRARY, "SKIN", "attr1", 8)],
    "a type": [number(LIBRARY, "SKIN", "type_id", 77)],
    "a member of a packed library": [member(0, b"other text"), member(2, b"x" * 4000)],
    "a node of a model": [tank("hull", b"HULL")],
    "a file": [file("DATA/Inner/readme.txt", b"read me, PLEASE")],
    "a file that is new": [file("DATA/New/a.bin", bytes(range(256)))],
    "a file that is gone": [file("DATA/old.cfg", None)],
    "an archive that is gone": [file("LightMap.lib", None)],
    "an archive that is new": [file("other.lib", nres.build([nres.NewEntry(1, b"x", b"X")]))],
    "an archive that is no more one": [file("LightMap.lib", b"text")],
    "bytes behind an archive": [lambda game: (game / LIBRARY).open("ab").write(b"tail")],
    "an empty file": [file("DATA/empty", b""), file("DATA/old.cfg", b"")],
    "names in Cyrillic": [file("DATA/Данные.txt", "привет".encode())],
}


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES)
def test_what_a_mod_was_made_of_comes_out(game: Path, changes: Sequence[Change]) -> None:
    made = mod(game, "one", *changes)
    before = contents(game)
    found = plan(game, made)
    assert found.is_clean
    assert contents(copy(game, made)) == contents(game.with_name("one-game"))
    assert contents(game) == before


def test_no_payload_of_the_game_is_in_a_mod(game: Path) -> None:
    """Neither as it is nor in hexadecimal, not even of one that is another one as a whole."""
    (game / "DATA" / "large.bin").write_bytes(bytes(range(256)) * 40)
    changes = [*CHANGES["entries of all sorts"], *CHANGES["a node of a model"]]
    made = mod(game, "one", *changes, file("DATA/large.bin", b"\xff" * 9000))
    whole = b"".join(contents(made.source).values())
    payloads = [payload(game, f"{LIBRARY}::{name}") for name in ("FIRST", "ATLAS", "DUO", "BLINK")]
    for own in (*payloads, (game / "DATA" / "large.bin").read_bytes()[:2000]):
        assert own not in whole
        assert own.hex().encode() not in whole
    (change,) = (it for it in made.manifest.changes if it.address.path == "DATA/large.bin")
    assert isinstance(change, AddedAddress)


def test_the_manifest_names_the_base_of_what_is_changed_and_removed(game: Path) -> None:
    made = mod(game, "one", entries(LIBRARY, SKIN=diffuse(7), GLASS=None, NEW=material()))
    assert [str(it.address) for it in made.manifest.base] == [f"{LIBRARY}::SKIN", f"{LIBRARY}::GLASS"]
    (patched, *_others) = made.manifest.changes
    assert isinstance(patched, PatchedAddress)
    (change,) = made.patch(patched.patch).document["changes"]
    assert (change["table"], change["field"], change["after"]) == ("phases", "diffuse", [7, 0, 0])


def test_a_packed_library_whose_members_come_or_go_is_a_patch_of_bytes(game: Path) -> None:
    made = mod(game, "one", file("lib.rsl", (game / "lib.rsl").read_bytes() + b"more"))
    assert contents(copy(game, made)) == contents(game.with_name("one-game"))


KEPT: Final = bytes(range(256)) * 2
"""A member of the game that nobody changes."""


def packed(other: bytes, *more: bytes) -> bytes:
    members = [b"KEPT", b"OTHER", *(b"X%d" % index for index in range(len(more)))]
    payloads = KEPT, other, *more
    return bytes(library([(name, 0, len(it), it) for name, it in zip(members, payloads, strict=True)]))


def twins(other: bytes) -> bytes:
    """An archive of which an address cannot say which entry is meant."""
    return nres.build([nres.NewEntry(1, it, b"X") for it in (KEPT, other)])


def test_entries_behind_others_of_their_names_are_kept(game: Path) -> None:
    """An archive that has some is compared entry by entry all the same."""
    large, first = bytes(range(256)) * 8, b"1" * 100
    before = [(b"X", first), (b"GONE", large), (b"x", KEPT), (b"Y", b"2")]
    after = [(b"X", first), (b"x", KEPT), (b"Y", b"3"), (b"NEW", b"4")]
    one, other = (nres.build([nres.NewEntry(1, data, name) for name, data in it]) for it in (before, after))
    (game / "x.lib").write_bytes(one)
    made = mod(game, "one", file("x.lib", other))
    changes = {str(it.address): type(it) for it in made.manifest.changes}
    assert changes["x.lib::GONE"] is RemovedAddress
    assert changes["x.lib::Y"] is PatchedAddress
    assert changes["x.lib::NEW"] is AddedAddress
    assert not any(
        KEPT.hex().encode() in it or large[:64].hex().encode() in it for it in contents(made.source).values()
    )
    assert contents(copy(game, made)) == contents(game.with_name("one-game"))


def test_a_member_more_in_a_packed_library_is_a_patch_without_the_others(game: Path) -> None:
    (game / "lib.rsl").write_bytes(packed(b"a" * 4000))
    made = mod(game, "one", file("lib.rsl", packed(b"a" * 4000, b"more")))
    (change,) = made.manifest.changes
    assert isinstance(change, PatchedAddress)
    assert KEPT.hex().encode() not in made.file(change.patch)
    assert contents(copy(game, made)) == contents(game.with_name("one-game"))


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("lib.rsl", packed(b"a" * 4000), packed(b"b" * 4000, b"more")),
        ("x.lib", twins(b"a" * 4000), twins(b"b")),
    ],
)
def test_an_archive_whose_entries_stay_is_never_a_new_file(
    game: Path, name: str, before: bytes, after: bytes
) -> None:
    """It would have the members of the game, and a patch those that are replaced: no mod is made."""
    (game / name).write_bytes(before)
    with pytest.raises(EditError, match=rf"{name}: its entries cannot be compared"):
        mod(game, "one", file(name, after))


def test_a_damaged_archive_is_named_with_what_is_wrong(game: Path) -> None:
    with pytest.raises(MshviewError, match=r"Material\.lib.*bytes stated, 100 present"):
        mod(game, "one", file(LIBRARY, (game / LIBRARY).read_bytes()[:100]))


def test_a_new_archive_with_a_payload_of_the_game_is_said(game: Path) -> None:
    own = payload(game, "models.rlb::tank.msh")
    other = changed(game, "other", file("new.lib", nres.build([nres.NewEntry(1, own, b"MINE")])))
    made = make_mod(GameFiles(game), GameFiles(other), ModManifest("x"))
    assert [str(it) for it in made.remarks] == [
        "new.lib: the mod has a file of the game, which is there under another name"
    ]


def test_nothing_is_made_of_equal_folders(game: Path) -> None:
    with pytest.raises(EditError, match="nothing differs"):
        mod(game, "one")


def test_two_files_of_one_name_are_refused(game: Path) -> None:
    (game / "DATA" / "OLD.CFG").write_bytes(b"x")
    if len([*(game / "DATA").iterdir()]) == 2:
        pytest.skip("the file system ignores case")
    with pytest.raises(MshviewError, match="in case only"):
        make_mod(GameFiles(game), GameFiles(game), ModManifest("x"))


PAIRS: Final[dict[str, tuple[Change, Change, list[tuple[object, ...]]]]] = {
    "two fields": (
        entries(LIBRARY, SKIN=diffuse(7)),
        entries(LIBRARY, SKIN=material(texture=b"PLAIN.0")),
        [],
    ),
    "two entries": (entries(LIBRARY, SKIN=diffuse(7)), entries(LIBRARY, GLASS=diffuse(9)), []),
    "one value": (entries(LIBRARY, SKIN=diffuse(7)), entries(LIBRARY, SKIN=diffuse(7)), []),
    "one entry gone": (entries(LIBRARY, SKIN=None), entries(LIBRARY, SKIN=None), []),
    "two entries come": (entries(LIBRARY, NEW=material()), entries(LIBRARY, NEWER=material()), []),
    "one entry comes": (entries(LIBRARY, NEW=material()), entries(LIBRARY, NEW=material()), []),
    "one field": (
        entries(LIBRARY, SKIN=diffuse(7)),
        entries(LIBRARY, SKIN=diffuse(8)),
        [(f"{LIBRARY}::SKIN", "phases[0].diffuse", ("one", "two"), ([7, 0, 0], [8, 0, 0]), "two")],
    ),
    "one entry, other payloads": (
        entries(LIBRARY, NEW=diffuse(7)),
        entries(LIBRARY, NEW=diffuse(8)),
        [(f"{LIBRARY}::NEW", None, ("one", "two"), ("add", "add"), "two")],
    ),
    "changed and removed": (
        entries(LIBRARY, SKIN=diffuse(7)),
        entries(LIBRARY, SKIN=None),
        [(f"{LIBRARY}::SKIN", None, ("one", "two"), ("patch", "remove"), "two")],
    ),
    "removed and changed": (
        entries(LIBRARY, SKIN=None),
        entries(LIBRARY, SKIN=diffuse(7)),
        [(f"{LIBRARY}::SKIN", None, ("one", "two"), ("remove", "patch"), "two")],
    ),
    "one attribute": (
        number(LIBRARY, "SKIN", "attr1", 8),
        number(LIBRARY, "SKIN", "attr1", 4),
        [(f"{LIBRARY}::SKIN", "attr1", ("one", "two"), (8, 4), "two")],
    ),
    "two attributes": (number(LIBRARY, "SKIN", "attr1", 8), number(LIBRARY, "GLASS", "attr1", 8), []),
    "both grow": (
        entries(LIBRARY, SKIN=material() * 2),
        entries(LIBRARY, SKIN=material() * 3),
        [(f"{LIBRARY}::SKIN", None, ("one", "two"), ("patch", "patch"), "two")],
    ),
    "one grows": (file("DATA/old.cfg", b"old = 1\nnew = 2\n"), file("DATA/old.cfg", b"OLD = 1\n"), []),
    "bytes": (
        file("DATA/old.cfg", b"old = 2\n"),
        file("DATA/old.cfg", b"old = 3\n"),
        [("DATA/old.cfg", None, ("one", "two"), ("32", "33"), "two")],
    ),
    "a file removed and an entry changed": (
        file(LIBRARY, None),
        entries(LIBRARY, SKIN=diffuse(7)),
        [(LIBRARY, None, ("one", "two"), ("remove", "patch"), "two")],
    ),
    "a file of a model": (tank("hull", b"HULL"), tank("gun", b"GUN"), []),
}


BOTH: Final[dict[str, Change]] = {
    "two fields": entries(LIBRARY, SKIN=material((7, 0, 0), b"PLAIN.0")),
    "one grows": file("DATA/old.cfg", b"OLD = 1\nnew = 2\n"),
}
"""What comes of two mods of which the second alone would undo the first."""


@pytest.mark.parametrize("case", PAIRS)
def test_conflicts_of_two_mods(game: Path, case: str) -> None:
    one, two, expected = PAIRS[case]
    mods = mod(game, "one", one), mod(game, "two", two)
    found = plan(game, *mods)
    assert conflicts(found) == expected
    assert not found.changed_base
    result = copy(game, *mods)
    if not expected:
        both = changed(game, "both", BOTH.get(case, one))
        if case not in BOTH and summary(both) != summary(game.with_name("two-game")):
            two(both)
        assert summary(result) == summary(both)


@pytest.mark.parametrize("case", [name for name, (*_changes, found) in PAIRS.items() if found])
def test_the_later_mod_counts(game: Path, case: str) -> None:
    one, two, _expected = PAIRS[case]
    mods = mod(game, "one", one), mod(game, "two", two)
    for turn, other in ((1, "two-game"), (-1, "one-game")):
        folder = game.with_name(f"copy of {other}")
        write_copy(plan(game, *mods[::turn]), folder)
        # Each pair is about one place.
        assert summary(folder) == summary(game.with_name(other))


def summary(game: Path) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, data in contents(game).items():
        if data[:4] != nres.MAGIC:
            found[name] = data
            continue
        archive = nres.Archive.read(data)
        for it in archive.entries:
            numbers = it.type_id, it.attr1, it.attr2, it.attr3
            found[f"{name}::{it.text}"] = (*numbers, bytes(archive.payload(it.index)))
    return found


def test_later_mods_win_where_they_conflict_and_leave_the_rest(game: Path) -> None:
    one = mod(game, "one", entries(LIBRARY, SKIN=material((7, 0, 0), b"PLAIN.0"), GLASS=None))
    two = mod(game, "two", entries(LIBRARY, SKIN=diffuse(8), GLOW=diffuse(1)))
    assert payload(copy(game, one, two), f"{LIBRARY}::SKIN") == material((8, 0, 0), b"PLAIN.0")
    other = game.with_name("other")
    write_copy(plan(game, two, one), other)
    assert payload(other, f"{LIBRARY}::SKIN") == material((7, 0, 0), b"PLAIN.0")
    for folder in (other, game.with_name("copy")):
        assert payload(folder, f"{LIBRARY}::GLOW") == diffuse(1)
        with pytest.raises(MshviewError, match="GLASS"):
            payload(folder, f"{LIBRARY}::GLASS")


def test_what_a_mod_needs(game: Path) -> None:
    one, two = mod(game, "one", file("a", b"1")), mod(game, "two", file("b", b"2"), needs=("one", "zero"))
    assert plan(game, two).missing == ("one", "zero")
    assert plan(game, one, two).missing == ("zero",)
    assert not plan(game, two).is_clean
    with pytest.raises(UsageError, match="two mods are called"):
        plan(game, one, one)


def test_a_mod_that_was_made_of_another_one_follows_it(game: Path) -> None:
    """Its base is what that one makes of the game: alone it finds another one."""
    one = mod(game, "one", entries(LIBRARY, SKIN=diffuse(7), NEW=material()), file("new.txt", b"new"))
    first = entries(LIBRARY, SKIN=material((7, 0, 1)), NEW=diffuse(3))
    two = mod(game, "two", first, file("new.txt", b"newer"), base=game.with_name("one-game"), needs=("one",))
    assert plan(game, one, two).is_clean
    assert summary(copy(game, one, two)) == summary(game.with_name("two-game"))
    alone = plan(game, two)
    assert {str(it) for it in alone.changed_base} == {f"{LIBRARY}::SKIN", f"{LIBRARY}::NEW", "new.txt"}


GAMES: Final[dict[str, tuple[Change, Change, list[str], list[tuple[object, ...]]]]] = {
    "another field": (
        entries(LIBRARY, SKIN=diffuse(7)),
        entries(LIBRARY, SKIN=material(texture=b"PLAIN.0")),
        [f"{LIBRARY}::SKIN"],
        [],
    ),
    "the same field": (
        entries(LIBRARY, SKIN=diffuse(7)),
        entries(LIBRARY, SKIN=diffuse(8)),
        [f"{LIBRARY}::SKIN"],
        [(f"{LIBRARY}::SKIN", "phases[0].diffuse", ("game", "one"), ([8, 0, 0], [7, 0, 0]), "one")],
    ),
    "the same value": (
        entries(LIBRARY, SKIN=diffuse(7)),
        entries(LIBRARY, SKIN=diffuse(7)),
        [f"{LIBRARY}::SKIN"],
        [],
    ),
    "another entry": (entries(LIBRARY, SKIN=diffuse(7)), entries(LIBRARY, FIRST=None, A=diffuse(1)), [], []),
    "the entry is gone": (
        entries(LIBRARY, SKIN=diffuse(7)),
        entries(LIBRARY, SKIN=None),
        [f"{LIBRARY}::SKIN"],
        [(f"{LIBRARY}::SKIN", None, ("game", "one"), ("remove", "patch"), "game")],
    ),
    "the removed entry is changed": (
        entries(LIBRARY, SKIN=None),
        entries(LIBRARY, SKIN=diffuse(7)),
        [f"{LIBRARY}::SKIN"],
        [(f"{LIBRARY}::SKIN", None, ("game", "one"), ("patch", "remove"), "one")],
    ),
    "the new entry is there": (
        entries(LIBRARY, NEW=diffuse(7)),
        entries(LIBRARY, NEW=diffuse(8)),
        [f"{LIBRARY}::NEW"],
        [(f"{LIBRARY}::NEW", None, ("game", "one"), ("add", "add"), "one")],
    ),
    "an attribute after rows have moved": (
        number(LIBRARY, "SKIN", "attr1", 8),
        entries(LIBRARY, FIRST=None, DEFAULT=None),
        [],
        [],
    ),
    "the attribute": (
        number(LIBRARY, "SKIN", "attr1", 8),
        number(LIBRARY, "SKIN", "attr1", 4),
        [],
        [(f"{LIBRARY}::SKIN", "attr1", ("game", "one"), (4, 8), "one")],
    ),
    "the archive is gone": (
        entries(LIBRARY, SKIN=diffuse(7)),
        file(LIBRARY, None),
        [f"{LIBRARY}::SKIN"],
        [(f"{LIBRARY}::SKIN", None, ("game", "one"), ("remove", "patch"), "game")],
    ),
}


@pytest.mark.parametrize(("own", "others", "base", "expected"), GAMES.values(), ids=GAMES)
def test_a_game_that_has_changed_since_a_mod_was_made(
    game: Path, own: Change, others: Change, base: list[str], expected: list[tuple[object, ...]]
) -> None:
    made = mod(game, "one", own)
    now = changed(game, "now", others)
    found = plan(now, made)
    assert [str(it) for it in found.changed_base] == base
    assert conflicts(found) == expected
    both = copy(now, made)
    if not expected:
        expected_game = changed(game, "both", others)
        if base[:1] != [f"{LIBRARY}::SKIN"]:
            own(expected_game)
            assert summary(both) == summary(expected_game)
        elif payload(now, base[0]) != diffuse(7):
            assert payload(both, base[0]) == material((7, 0, 0), b"PLAIN.0")
    elif expected[0][-1] == "game":
        assert contents(both) == contents(now)


@pytest.mark.skipif(os.name == "nt", reason="links only for developers")
def test_a_copy_has_everything_of_the_game(game: Path) -> None:
    """Backups, links and empty folders too; what the program keeps for itself stays behind."""
    (game / "empty").mkdir()
    (game / "a.bak").write_bytes(b"backup")
    (game / "link").symlink_to("DATA/old.cfg")
    (game / ".mshview-0123456789abcdef.tmp").write_bytes(b"left over")
    made = mod(game, "one", file("new/folder/a", b"1"))
    folder = copy(game, made)
    assert (folder / "empty").is_dir()
    assert (folder / "link").readlink() == Path("DATA/old.cfg")
    expected = {name: data for name, data in contents(game).items() if not name.startswith(".")}
    assert contents(folder) == {**expected, "new/folder/a": b"1"}


def test_a_copy_is_never_written_over_anything(game: Path) -> None:
    made = mod(game, "one", file("a", b"1"))
    before = contents(game)
    for folder in (game, game / "inner", game / "DATA"):
        with pytest.raises(MshviewError):
            write_copy(plan(game, made), folder)
    assert contents(game) == before
    assert not (game / "inner").exists()
