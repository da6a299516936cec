"""Changes of a game that are stopped at any call that changes a file: they are finished or taken back.

Whatever was stopped, the game is what it was before or what it becomes; and all of it can be taken back.
"""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.mod_games import contents, diffuse, entries, file, folders, mod, write_game
from tests.model.store import system_calls
from tests.operations.mods.test_in_place import visible
from viewer.operations.mods.in_place import ModdedGame
from viewer.operations.mods.journal import folder_of
from viewer.operations.mods.package import open_mod

pytestmark = pytest.mark.skipif(not system_calls.IS_POSSIBLE, reason="no system calls can be followed")

LIBRARY: Final = "Material.lib"
NAMES: Final = ("one", "two")


def make(folder: Path) -> Path:
    """A game, next to it two mods; together they replace, add and remove files, in new folders too."""
    game = write_game(folder / "game")
    mod(game, "one", entries(LIBRARY, SKIN=diffuse(7)), file("new/a", b"1"), file("DATA/old.cfg", None))
    mod(game, "two", entries(LIBRARY, GLASS=None), file("new/b", b"2"), file("LightMap.lib", None))
    return game


def apply(game: Path, name: str) -> None:
    found = ModdedGame.of(game)
    found.write(found.with_mods([open_mod(game.with_name(name))]))


def revert(game: Path, name: str | None = None) -> None:
    found = ModdedGame.of(game)
    found.write(found.without(name))


class StoppedCase(NamedTuple):
    """What is applied before, and what is stopped."""

    before: tuple[str, ...]
    work: Callable[[Path], None]


CASES: Final = {
    "the first mod": StoppedCase((), lambda game: apply(game, "one")),
    "another mod": StoppedCase(("one",), lambda game: apply(game, "two")),
    "one mod taken out": StoppedCase(NAMES, lambda game: revert(game, "one")),
    "all mods taken back": StoppedCase(NAMES, revert),
}
MOMENTS: Final = [
    *((name, system_calls.KILL, True) for name in CASES),
    ("another mod", system_calls.KILL, False),
    ("another mod", signal.SIGINT, True),
    ("all mods taken back", signal.SIGINT, True),
]
"""Changes, signals, and whether they come before a call."""


def program_of(case: StoppedCase, game: Path) -> Callable[[], int]:
    """A program that does it, and ends in order when it is interrupted."""

    def program() -> int:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            case.work(game)
        except KeyboardInterrupt:
            return 130
        return 0

    return program


class StoppedGame(NamedTuple):
    """A game that was stopped: its files at once, after the next command, and what is left in the end.

    Attributes
    ----------
    call
        The call that changes a file at which it was stopped.
    names
        The mods that are applied after the next command.
    """

    call: str
    at_once: dict[str, bytes]
    files: dict[str, bytes]
    names: list[str]
    reverted: dict[str, bytes]
    folders: set[str]


def prepared(game: Path, case: StoppedCase) -> None:
    """Make the game what it is before the change, in place of what a process has left."""
    shutil.rmtree(game, ignore_errors=True)
    shutil.copytree(game.with_name("fresh"), game)
    for name in case.before:
        apply(game, name)


def stopped_games(folder: Path, name: str, number: int, *, is_before: bool) -> list[StoppedGame]:
    """The game after a signal at each call that changes a file."""
    case, game = CASES[name], folder / "game"
    prepared(game, case)
    program = program_of(case, game)
    found = []
    for at, call in enumerate(system_calls.run(program).calls):
        prepared(game, case)
        assert system_calls.run(program, number, at, is_before=is_before).was_hit, call
        at_once = visible(game)
        now = ModdedGame.of(game)
        files, names = visible(game), [it.name for it in now.mods]
        revert(game)
        found.append(StoppedGame(f"{at} {call}", at_once, files, names, contents(game), folders(game)))
    return found


@pytest.mark.parametrize(("name", "number", "is_before"), MOMENTS)
def test_a_change_is_finished_or_taken_back(
    tmp_path: Path, small_process: ProcessPoolExecutor, name: str, number: int, *, is_before: bool
) -> None:
    game, case = make(tmp_path), CASES[name]
    fresh = contents(game), folders(game)
    shutil.copytree(game, tmp_path / "fresh")
    prepared(game, case)
    before, names = visible(game), [it.name for it in ModdedGame.of(game).mods]
    case.work(game)
    after, names_after = visible(game), [it.name for it in ModdedGame.of(game).mods]
    found = small_process.submit(stopped_games, tmp_path, name, number, is_before=is_before).result()
    for it in found:
        assert (it.files, it.names) in ((before, names), (after, names_after)), it.call
        if number == signal.SIGINT:
            # At once, without another command.
            assert it.at_once in (before, after), it.call
        assert (it.reverted, it.folders) == fresh, it.call
    assert {it.files == after for it in found} == {True, False}


def killed_recoveries(folder: Path, moment: int) -> list[tuple[str, dict[str, bytes], list[str]]]:
    """Kill a change, then the next command at each of its changes, and look after one more."""
    case, game = CASES["another mod"], folder / "game"

    def killed() -> None:
        prepared(game, case)
        system_calls.run(program_of(case, game), system_calls.KILL, moment, is_before=True)

    killed()
    calls = system_calls.run(lambda: bool(ModdedGame.of(game).mods) - 1).calls
    found = []
    for at, call in enumerate(calls):
        killed()
        system_calls.run(lambda: bool(ModdedGame.of(game)) - 1, system_calls.KILL, at, is_before=True)
        now = ModdedGame.of(game)
        found.append((f"{moment}/{at} {call}", visible(game), [it.name for it in now.mods]))
    return found


def renames_of(folder: Path) -> list[int]:
    """The moments after which something has its name, at which a change is killed before it is recovered."""
    case, game = CASES["another mod"], folder / "game"
    prepared(game, case)
    calls = system_calls.run(program_of(case, game)).calls
    return [at for at, call in enumerate(calls) if call.startswith("rename")]


def test_a_recovery_that_is_killed_is_continued(tmp_path: Path, small_process: ProcessPoolExecutor) -> None:
    game, case = make(tmp_path), CASES["another mod"]
    shutil.copytree(game, tmp_path / "fresh")
    prepared(game, case)
    before = visible(game), ["one"]
    case.work(game)
    after = visible(game), ["one", "two"]
    moments = small_process.submit(renames_of, tmp_path).result()
    assert len(moments) > 5
    for moment in (moments[-5], moments[-3], moments[-1]):
        found = small_process.submit(killed_recoveries, tmp_path, moment).result()
        assert found
        for call, files, names in found:
            assert (files, names) in (before, after), call


def test_a_stopped_change_whose_file_another_program_has_changed_is_taken_back(
    tmp_path: Path, small_process: ProcessPoolExecutor
) -> None:
    """Their bytes stay, and so do those of the game."""
    game, case = make(tmp_path), CASES["the first mod"]
    shutil.copytree(game, tmp_path / "fresh")
    fresh = contents(game)
    moments = small_process.submit(planned_moments, tmp_path).result()
    for moment in moments:
        small_process.submit(kill_at, tmp_path, moment).result()
        (game / LIBRARY).write_bytes(b"theirs")
        assert ModdedGame.of(game).state.mods == ()
        found = contents(game)
        assert found.pop(LIBRARY) == b"theirs"
        kept = found.pop(f"{LIBRARY}.bak", fresh[LIBRARY])
        assert kept == fresh[LIBRARY]
        assert found == {name: data for name, data in fresh.items() if name != LIBRARY}
        assert not folder_of(game).exists()
    assert case.before == ()


def planned_moments(folder: Path) -> list[int]:
    """The moments of the first mod after which its plan counts and before its state does."""
    case, game = CASES["the first mod"], folder / "game"
    prepared(game, case)
    calls = system_calls.run(program_of(case, game)).calls
    links = [at for at, call in enumerate(calls) if call.startswith("link")]
    return [links[0] + 1, links[1], links[2]]


def kill_at(folder: Path, moment: int) -> None:
    case, game = CASES["the first mod"], folder / "game"
    prepared(game, case)
    assert system_calls.run(program_of(case, game), system_calls.KILL, moment, is_before=True).was_hit
