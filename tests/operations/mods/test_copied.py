"""Payloads of the game that are renamed, moved or doubled: a mod names them, and has none of their bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import ModelBuilder, Node, box
from tests.mod_games import (
    changed,
    contents,
    diffuse,
    entries,
    file,
    material,
    mod,
    payload,
    tank,
)
from tests.operations.mods.test_mods import copy, plan
from viewer.errors import MshviewError
from viewer.formats.archive import nres
from viewer.formats.record import Bytes
from viewer.operations.mods.copying import write_copy
from viewer.operations.mods.game_files import GameFiles
from viewer.operations.mods.making import make_mod
from viewer.operations.mods.manifest import ModManifest
from viewer.operations.mods.package import Mod

MODELS = "models.rlb"
TANK = f"{MODELS}::tank.msh"


def renamed(game: Path) -> None:
    """The model of the game under another name."""
    entries(MODELS, **{"tank.msh": None, "other.msh": payload(game, TANK)})(game)


def without(data: bytes, own: Bytes) -> bool:
    """Whether no 64 bytes of a payload are in others, as they are or in hexadecimal."""
    pieces = [bytes(own[start : start + 64]) for start in range(0, len(own) - 63, 64)]
    return not any(it in data or it.hex().encode() in data for it in pieces if any(it))


def test_a_renamed_entry_is_named(game: Path) -> None:
    made = mod(game, "one", renamed)
    document = made.manifest.document
    assert {"address": f"{MODELS}::other.msh", "copy": TANK} in document["changes"]
    assert [it["address"] for it in document["base"]] == [TANK]
    assert without(b"".join(contents(made.source).values()), payload(game, TANK))
    assert contents(copy(game, made)) == contents(game.with_name("one-game"))


def test_an_entry_in_another_archive_and_a_file_elsewhere_are_named(game: Path) -> None:
    own = payload(game, TANK)
    large = bytes(range(256))
    (game / "DATA" / "large.bin").write_bytes(large)
    made = mod(game, "one", entries("Material.lib", TANK=own), file("DATA/Inner/large.bin", large))
    copies = {it["address"]: it["copy"] for it in made.manifest.document["changes"] if "copy" in it}
    assert copies == {"Material.lib::TANK": TANK, "DATA/Inner/large.bin": "DATA/large.bin"}
    assert contents(copy(game, made)) == contents(game.with_name("one-game"))


def edited(data: Bytes) -> bytes:
    """A model with another name of a node."""
    return bytes(data).replace(b"hull", b"HULL", 1)


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_renamed_entry_that_was_edited_is_named_and_patched(game: Path, is_kept: bool) -> None:
    own = payload(game, TANK)
    gone: dict[str, bytes | None] = {} if is_kept else {"tank.msh": None}
    made = mod(game, "one", entries(MODELS, **{"other.msh": edited(own), **gone}))
    (change,) = (it for it in made.manifest.document["changes"] if "copy" in it)
    assert (change["address"], change["copy"]) == (f"{MODELS}::other.msh", TANK)
    assert len(made.file(change["patch"])) < len(own)
    assert without(b"".join(contents(made.source).values()), own)
    assert contents(copy(game, made)) == contents(game.with_name("one-game"))


def test_an_edited_copy_has_what_the_game_has_changed_since(game: Path) -> None:
    made = mod(game, "one", entries(MODELS, **{"other.msh": edited(payload(game, TANK))}))
    now = changed(game, "now", tank("gun", b"GUN"))
    found = plan(now, made)
    assert not found.conflicts
    assert payload(copy(now, made), f"{MODELS}::other.msh") == edited(payload(now, TANK))
    other = changed(game, "other", tank("hull", b"HUGE"))
    (conflict,) = plan(other, made).conflicts
    assert (str(conflict.address), conflict.mods) == (f"{MODELS}::other.msh", ("game", "one"))


def test_a_new_model_is_not_made_of_the_game(game: Path) -> None:
    shapes = [box((9 + number, 5, 7), center=(number, 3, number * number)) for number in range(40)]
    new = ModelBuilder.of([Node("ship", shapes={(0, 0): shapes})]).build()
    made = mod(game, "one", entries(MODELS, **{"ship.msh": new}))
    assert {"address": f"{MODELS}::ship.msh", "add": "files/ship.msh"} in made.manifest.document["changes"]


def test_a_few_bytes_are_no_payload_of_the_game(game: Path) -> None:
    made = mod(game, "one", file("DATA/other.cfg", b"old = 1\n"))
    (change,) = made.manifest.document["changes"]
    assert change == {"address": "DATA/other.cfg", "add": "files/other.cfg"}


def test_a_renamed_entry_has_what_the_game_has_changed_since(game: Path) -> None:
    made = mod(game, "one", renamed)
    now = changed(game, "now", tank("hull", b"HULL"))
    found = plan(now, made)
    assert TANK in map(str, found.changed_base)
    assert payload(copy(now, made), f"{MODELS}::other.msh") == payload(now, TANK)


def test_a_copy_has_what_earlier_mods_change(game: Path) -> None:
    """In the order of the mods: a later one does not change what was copied before it."""
    doubled = mod(game, "doubled", entries(MODELS, **{"other.msh": payload(game, TANK)}))
    other = mod(game, "other", tank("hull", b"HULL"))
    assert plan(game, other, doubled).is_clean
    after = copy(game, other, doubled)
    assert payload(after, f"{MODELS}::other.msh") == payload(after, TANK) != payload(game, TANK)
    write_copy(plan(game, doubled, other), game.with_name("turned"))
    assert payload(game.with_name("turned"), f"{MODELS}::other.msh") == payload(game, TANK)


def test_a_copy_of_what_an_earlier_mod_adds(game: Path) -> None:
    one = mod(game, "one", entries("Material.lib", NEW=material((7, 8, 9)) * 3))
    base = game.with_name("one-game")
    new = payload(base, "Material.lib::NEW")
    two = mod(game, "two", entries("Material.lib", NEWER=new), base=base, needs=("one",))
    assert plan(game, one, two).is_clean
    assert payload(copy(game, one, two), "Material.lib::NEWER") == new
    alone = plan(game, two)
    assert [str(it) for it in alone.changed_base] == ["Material.lib::NEW"]
    (conflict,) = alone.conflicts
    assert (str(conflict.address), conflict.winner) == ("Material.lib::NEWER", "game")


def test_a_copy_of_what_is_gone_is_a_conflict(game: Path) -> None:
    made = mod(game, "one", entries(MODELS, **{"other.msh": payload(game, TANK)}))
    now = changed(game, "now", entries(MODELS, **{"tank.msh": None}))
    found = plan(now, made)
    assert [(str(it.address), it.values, it.winner) for it in found.conflicts] == [
        (f"{MODELS}::other.msh", ("remove", "add"), "game")
    ]
    assert contents(copy(now, made)) == contents(now)


def test_an_archive_in_another_order_is_no_payload_either(game: Path) -> None:
    """Where entries are in an archive is given up rather than have their bytes in the mod."""

    def turned(folder: Path) -> None:
        path = folder / "Material.lib"
        found = nres.Archive.read(path.read_bytes())
        rows = [
            nres.NewEntry(it.type_id, found.payload(it.index), it.name, it.attr1, it.attr2, it.attr3)
            for it in reversed(found.entries)
        ]
        path.write_bytes(nres.build(rows))

    other = changed(game, "other", entries("Material.lib", SKIN=diffuse(7)), turned)
    made = make_mod(GameFiles(game), GameFiles(other), ModManifest("x"))
    assert [str(it.address) for it in made.manifest.changes] == ["Material.lib::SKIN"]
    assert "order of its bytes" in str(made.remarks[0])
    with pytest.raises(MshviewError, match="order of its bytes"):  # which is all that differs
        mod(game, "turned", turned)


def test_the_case_of_a_name_is_kept_in_another_order_too(game: Path) -> None:
    def turned(folder: Path) -> None:
        path = folder / "Material.lib"
        found = nres.Archive.read(path.read_bytes())
        rows = [
            nres.NewEntry(
                it.type_id, found.payload(it.index), it.name.swapcase(), it.attr1, it.attr2, it.attr3
            )
            for it in reversed(found.entries)
        ]
        path.write_bytes(nres.build(rows))

    made = mod(game, "one", turned)
    names = {it.name for it in nres.Archive.read((copy(game, made) / "Material.lib").read_bytes()).entries}
    assert names == {
        it.name.swapcase() for it in nres.Archive.read((game / "Material.lib").read_bytes()).entries
    }
    other = mod(game, "other", entries("Material.lib", SKIN=diffuse(7)))
    assert plan(game, made, other).is_clean


def test_a_file_where_a_folder_is(game: Path) -> None:
    """The check says it, before anything is written."""
    for name, words in (("DATA", "is a folder"), ("lib.rsl/x", "lib.rsl is a file"), ("a/b", "a is a file")):
        made = mod(game, f"of {name.replace('/', ' ')}", file("new.bin", b"new"))
        manifest = made.manifest.encode().replace(b'"new.bin"', f'"{name}"'.encode())
        moved = Mod(made.source, ModManifest.parse(manifest), made.read)
        first = mod(game, "first", file("a", b"1")) if name == "a/b" else None
        found = plan(game, *filter(None, (first, moved)))
        with pytest.raises(MshviewError, match=words):
            _ = found.is_clean
