"""Mods in place: applied, added to, taken out in any order; all bytes come back, nothing foreign is lost."""

from __future__ import annotations

import errno
import os
import shutil
from itertools import permutations
from pathlib import Path
from typing import Final

import pytest

from tests.mod_games import (
    contents,
    diffuse,
    entries,
    file,
    folders,
    material,
    mod,
    number,
    payload,
    write_game,
)
from tests.operations.mods.test_mods import summary
from viewer.errors import ChangedSinceError, ConflictError, FormatError, MshviewError, OutputError, UsageError
from viewer.model.store import temporary
from viewer.model.store.disk import JOURNAL
from viewer.operations.mods.copying import write_copy
from viewer.operations.mods.in_place import ModdedGame
from viewer.operations.mods.package import Mod, open_mod

LIBRARY: Final = "Material.lib"
MODS: Final = {
    "one": (
        entries(LIBRARY, SKIN=diffuse(7), NEW=material()),
        file("DATA/new/folder/a.bin", b"1"),
        file("DATA/old.cfg", None),
    ),
    "two": (entries(LIBRARY, GLASS=None, DUO=diffuse(2)), file("LightMap.lib", None)),
    "three": (number(LIBRARY, "LEAVES", "attr1", 2), file("DATA/new/b.bin", b"2"), file("DATA/c", b"3")),
}


@pytest.fixture
def mods(game: Path) -> dict[str, Mod]:
    return {name: mod(game, name, *changes) for name, changes in MODS.items()}


def apply(game: Path, *mods: Mod) -> list[str]:
    found = ModdedGame.of(game)
    return found.write(found.with_mods(mods))


def revert(game: Path, name: str | None = None, *, is_forced: bool = False) -> list[str]:
    found = ModdedGame.of(game)
    return found.write(found.without(name), is_forced=is_forced)


def applied(game: Path) -> list[str]:
    return [it.name for it in ModdedGame.of(game).mods]


def visible(game: Path) -> dict[str, bytes]:
    """The files of a game without the journal."""
    return {name: data for name, data in contents(game).items() if not name.startswith(JOURNAL)}


def state_of(game: Path) -> tuple[object, ...]:
    """All that revert gives back: bytes, folders, times and permissions."""
    stats = {
        it.relative_to(game).as_posix(): (it.stat().st_mtime_ns, it.stat().st_mode)
        for it in game.rglob("*")
        if it.is_file()
    }
    return contents(game), folders(game), stats


def test_revert_gives_every_byte_back(game: Path, mods: dict[str, Mod]) -> None:
    before = state_of(game)
    assert sorted(apply(game, *mods.values())) == sorted(
        [LIBRARY, "DATA/new/folder/a.bin", "DATA/old.cfg", "LightMap.lib", "DATA/new/b.bin", "DATA/c"]
    )
    assert applied(game) == ["one", "two", "three"]
    assert payload(game, f"{LIBRARY}::SKIN") == diffuse(7)
    assert not [it for it in contents(game) if it.endswith(".bak")]
    revert(game)
    assert state_of(game) == before
    assert applied(game) == []


def test_a_game_in_place_is_what_a_copy_is(game: Path, mods: dict[str, Mod]) -> None:
    found = ModdedGame.of(game)
    write_copy(found.with_mods([*mods.values()]), game.with_name("copy"))
    apply(game, mods["one"])
    apply(game, mods["two"], mods["three"])
    assert visible(game) == contents(game.with_name("copy"))
    write_copy(ModdedGame.of(game).with_mods([]), game.with_name("again"))
    assert contents(game.with_name("again")) == contents(game.with_name("copy"))


@pytest.mark.parametrize("order", [*permutations(MODS)])
def test_one_is_taken_out_and_the_others_stay(
    game: Path, mods: dict[str, Mod], order: tuple[str, ...]
) -> None:
    before = state_of(game)
    for name in MODS:
        apply(game, mods[name])
    left = [*MODS]
    for name in order:
        revert(game, name)
        left.remove(name)
        assert applied(game) == left
        alone = game.with_name(f"alone{len(left)}")
        write_game(alone)
        apply(alone, *(mods[it] for it in left))
        assert summary_of(game) == summary_of(alone)
    assert state_of(game) == before


def summary_of(game: Path) -> dict[str, object]:
    return {name: it for name, it in summary(game).items() if not name.startswith(JOURNAL)}


def test_a_mod_that_is_applied_is_not_applied_again(game: Path, mods: dict[str, Mod]) -> None:
    apply(game, mods["one"])
    after = contents(game)
    assert apply(game, mods["one"]) == []
    assert contents(game) == after
    other = mod(game, "other", file("x", b"1"))
    shutil.copytree(other.source, game.with_name("renamed"))
    manifest = game.with_name("renamed") / "mod.json"
    manifest.write_text(manifest.read_text("utf-8").replace('"other"', '"one"'), "utf-8")
    with pytest.raises(UsageError, match="another version of 'one'"):
        apply(game, open_mod(manifest.parent))
    assert contents(game) == after


def test_a_conflict_is_resolved_by_the_order_and_by_taking_out(game: Path) -> None:
    """The value of the other mod comes back when the later one goes."""
    first, second = (mod(game, name, entries(LIBRARY, SKIN=diffuse(it))) for name, it in (("a", 1), ("b", 2)))
    found = ModdedGame.of(game)
    plan = found.with_mods([first, second])
    assert not plan.is_clean
    found.write(plan)
    assert payload(game, f"{LIBRARY}::SKIN") == diffuse(2)
    revert(game, "b")
    assert payload(game, f"{LIBRARY}::SKIN") == diffuse(1)
    assert not ModdedGame.of(game).with_mods([second]).is_clean


def test_the_base_is_the_game_before_any_mod(game: Path, mods: dict[str, Mod]) -> None:
    """A mod of the game itself goes with those that are applied, which have changed the same archive."""
    apply(game, mods["one"])
    plan = ModdedGame.of(game).with_mods([mods["two"], mods["three"]])
    assert plan.is_clean


def test_what_another_program_has_changed_is_not_overwritten(game: Path, mods: dict[str, Mod]) -> None:
    apply(game, *mods.values())
    theirs = (game / LIBRARY).read_bytes() + b"theirs"
    (game / LIBRARY).write_bytes(theirs)
    after = contents(game)
    with pytest.raises(ChangedSinceError, match=r"Material\.lib: was changed since"):
        revert(game)
    with pytest.raises(ConflictError):
        revert(game, "one")
    assert contents(game) == after
    assert applied(game) == ["one", "two", "three"]
    before = visible(write_game(game.with_name("fresh")))
    revert(game, is_forced=True)
    assert contents(game) == {**before, f"{LIBRARY}.bak": theirs}


def test_what_another_program_has_removed_or_made_is_said(game: Path, mods: dict[str, Mod]) -> None:
    apply(game, mods["one"])
    (game / "DATA/new/folder/a.bin").unlink()
    (game / "DATA/old.cfg").write_bytes(b"theirs")
    after = contents(game)
    with pytest.raises(ConflictError):
        revert(game)
    assert contents(game) == after
    (game / "DATA/old.cfg").unlink()
    with pytest.raises(ConflictError, match=r"a\.bin"):
        revert(game)
    revert(game, is_forced=True)
    assert contents(game) == contents(write_game(game.with_name("fresh")))


def test_what_mods_leave_alone_may_be_changed(game: Path, mods: dict[str, Mod]) -> None:
    apply(game, mods["one"])
    (game / "DATA/Inner/readme.txt").write_bytes(b"theirs")
    (game / "DATA/new/theirs").write_bytes(b"x")
    revert(game)
    found = contents(game)
    assert found.pop("DATA/new/theirs") == b"x"
    assert found.pop("DATA/Inner/readme.txt") == b"theirs"
    assert found.items() <= contents(write_game(game.with_name("fresh"))).items()


def test_a_read_only_file_is_refused_before_anything_is_written(game: Path, mods: dict[str, Mod]) -> None:
    (game / LIBRARY).chmod(0o444)
    before = state_of(game)
    with pytest.raises(OutputError, match="read-only"):
        apply(game, *mods.values())
    assert state_of(game) == before


@pytest.mark.skipif(os.name == "nt", reason="no permissions there")
def test_new_files_have_the_permissions_of_the_old_ones(game: Path, mods: dict[str, Mod]) -> None:
    (game / LIBRARY).chmod(0o640)
    apply(game, mods["one"])
    assert (game / LIBRARY).stat().st_mode & 0o777 == 0o640


def test_a_file_system_without_links(
    game: Path, mods: dict[str, Mod], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Old files are copied there."""

    def refuse(*_: object) -> None:
        raise PermissionError(1, "no links here")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    before = state_of(game)
    apply(game, *mods.values())
    revert(game, "two")
    revert(game)
    assert state_of(game) == before


@pytest.mark.parametrize("room", range(1, 8))
def test_a_full_disk_leaves_everything(
    game: Path, mods: dict[str, Mod], monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    """Whichever file it is that does not fit."""
    apply(game, mods["one"])
    before, names = contents(game), applied(game)
    written = 0
    write = temporary.Temporary.write

    def fill(self: temporary.Temporary, data: bytes) -> None:
        nonlocal written
        written += 1
        if written == room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(self, data)

    with monkeypatch.context() as patch:
        patch.setattr(temporary.Temporary, "write", fill)
        with pytest.raises(OutputError, match="No space left"):
            apply(game, mods["two"], mods["three"])
    assert contents(game) == before
    assert applied(game) == names
    apply(game, mods["two"], mods["three"])
    assert applied(game) == ["one", "two", "three"]


def test_a_damaged_journal_is_left_alone(game: Path, mods: dict[str, Mod]) -> None:
    """What is kept there may be the only copy of files of the game."""
    apply(game, mods["one"])
    state = game / JOURNAL / "state.json"
    good = state.read_bytes()
    for damage in (b"", b"{}", good[: len(good) // 2], good.replace(b'"files"', b'"fIles"')):
        state.write_bytes(damage)
        before = contents(game)
        with pytest.raises(FormatError, match=r"state\.json"):
            revert(game)
        assert contents(game) == before
    state.unlink()
    with pytest.raises(FormatError, match="is missing"):
        revert(game)
    state.write_bytes(good)
    revert(game)
    assert contents(game) == contents(write_game(game.with_name("fresh")))


def test_a_journal_cannot_lead_out_of_the_game(game: Path, mods: dict[str, Mod]) -> None:
    apply(game, mods["one"])
    state = game / JOURNAL / "state.json"
    good = state.read_text("utf-8")
    for path in ("../secret", "/etc/passwd", "a/../../b"):
        state.write_text(good.replace('"DATA/old.cfg"', f'"{path}"'), "utf-8")
        with pytest.raises(FormatError, match="not a path inside"):
            revert(game)
    state.write_text(good.replace('"original": "0000', '"original": "../00'), "utf-8")
    with pytest.raises(FormatError, match="not a name of the journal"):
        revert(game)


@pytest.mark.skipif(os.name == "nt", reason="links only for developers")
def test_a_journal_that_is_a_link_is_not_followed(game: Path, mods: dict[str, Mod]) -> None:
    (game.parent / "elsewhere").mkdir()
    (game / JOURNAL).symlink_to("../elsewhere")
    with pytest.raises(MshviewError, match="link"):
        apply(game, mods["one"])
    assert not [*(game.parent / "elsewhere").iterdir()]


def test_names_that_are_not_applied(game: Path, mods: dict[str, Mod]) -> None:
    assert revert(game) == []
    apply(game, mods["one"])
    with pytest.raises(UsageError, match="did you mean one"):
        revert(game, "onne")
    with pytest.raises(UsageError, match="not a folder"):
        ModdedGame.of(game / LIBRARY)


def test_two_changes_at_a_time_are_one_after_the_other(game: Path, mods: dict[str, Mod]) -> None:
    """What was planned for a game to which another mod was applied meanwhile is not written."""
    first, second = ModdedGame.of(game), ModdedGame.of(game)
    plan = second.with_mods([mods["two"]])
    first.write(first.with_mods([mods["one"]]))
    after = contents(game)
    with pytest.raises(ConflictError, match="meanwhile"):
        second.write(plan)
    assert contents(game) == after


def test_a_game_that_another_program_writes_is_not_changed(game: Path, mods: dict[str, Mod]) -> None:
    """Between reading and writing."""
    found = ModdedGame.of(game)
    plan = found.with_mods([mods["one"]])
    assert plan.is_clean
    (game / LIBRARY).write_bytes(b"theirs")
    before = contents(game)
    with pytest.raises(ConflictError):
        found.write(plan)
    assert contents(game) == before


@pytest.mark.skipif(os.name == "nt", reason="links only for developers")
def test_a_file_of_a_game_may_be_a_link_inside(game: Path) -> None:
    """What it leads to is changed, the link stays."""
    shutil.move(game / LIBRARY, game / "DATA" / "real.lib")
    (game / LIBRARY).symlink_to("DATA/real.lib")
    made = mod(game, "one", entries(LIBRARY, SKIN=diffuse(7)))
    before = contents(game)
    apply(game, made)
    assert (game / LIBRARY).is_symlink()
    assert payload(game, f"{LIBRARY}::SKIN") == diffuse(7)
    revert(game)
    assert contents(game) == before
    assert (game / LIBRARY).is_symlink()
