"""Mods of a game in worker threads: read, checked, applied, taken back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from msgspec.structs import replace

from viewer.control.jobs import Jobs, problem_of
from viewer.control.lookups.corpus import paths_of
from viewer.control.state import State
from viewer.errors import ChangedSinceError, MshviewError, UsageError
from viewer.operations.mods.copying import write_copy
from viewer.operations.mods.in_place import ModdedGame
from viewer.operations.mods.manifest import ModManifest
from viewer.operations.mods.package import open_mod
from viewer.operations.mods.plan import ModPlan
from viewer.progress import Progress
from viewer.session.games.modded import MODS_LANE, ModCheckResult, ModsState
from viewer.session.jobs import CorpusScope
from viewer.translation import Text, _, counted, translated


class ModController:
    """Keeps `State.mods`; owner: the application, main thread only."""

    def __init__(self, state: State, jobs: Jobs) -> None:
        self._state = state
        self._jobs = jobs

    def propose(self) -> None:
        """Choose the game folder that is set or around the open model, unless one is chosen."""
        if self._state.mods.folder is None:
            try:
                folder = paths_of(self._state, CorpusScope.GAME)[0]
            except UsageError:
                return
            self.open(folder)

    def open(self, folder: Path) -> None:
        """Read which mods are applied to a game; a change that was stopped is finished or taken back.

        Raises `UsageError` while a game is written.
        """
        self._refuse_while_writing()
        self._change(ModsState(folder, chosen=self._state.mods.chosen))
        self._read()

    def add(self, path: Path) -> None:
        """Choose one more mod, to be applied after the others."""
        paths = [it for it, _manifest in self._state.mods.chosen]
        self._choose([*(it for it in paths if it != path), path])

    def remove(self, path: Path) -> None:
        """Choose a mod no more."""
        self._choose([it for it, _manifest in self._state.mods.chosen if it != path])

    def move(self, path: Path, by: int) -> None:
        """Apply a chosen mod earlier or later."""
        paths = [it for it, _manifest in self._state.mods.chosen]
        at = paths.index(path)
        paths.insert(min(max(at + by, 0), len(paths) - 1), paths.pop(at))
        self._choose(paths)

    def apply(self) -> None:
        """Apply the chosen mods to the game itself, in spite of what conflicts.

        Nothing is written if that would replace a file with unsaved changes.
        """
        paths, edited = self._paths, self._edited

        def work(game: ModdedGame) -> str:
            return _written(game, game.with_mods([open_mod(it) for it in paths]), edited)

        self._read(work, _("Applying mods…"), keeps_chosen=False)

    def apply_to_copy(self, target: Path) -> None:
        """Write a copy of the game with the chosen mods, in spite of what conflicts."""
        paths = self._paths

        def work(game: ModdedGame) -> str:
            write_copy(game.with_mods([open_mod(it) for it in paths]), target)
            return _("wrote {path}", path=target)

        self._read(work, _("Copying the game…"))

    def revert(self, name: str | None = None, *, is_forced: bool = False) -> None:
        """Take one applied mod back, or all of them.

        Nothing is written if that would replace a file with unsaved changes, or one that was changed since
        mods were applied; forced that is kept as a backup.
        """
        edited = self._edited

        def work(game: ModdedGame) -> str:
            plan = game.without(name)
            if name is not None and name in plan.missing:
                raise UsageError(_("another mod needs {name}", name=name))
            return _written(game, plan, edited, is_forced=is_forced)

        def refused(error: BaseException) -> None:
            self._fail(error)
            if isinstance(error, ChangedSinceError):
                self._change(replace(self._state.mods, refused=(name,)))

        self._read(work, _("Taking mods back…"), refused)

    @property
    def _edited(self) -> frozenset[Path]:
        """The files with unsaved changes."""
        return frozenset(it.path for it in self._state.edits.changed)

    @property
    def _paths(self) -> list[Path]:
        return [path for path, _manifest in self._state.mods.chosen]

    def _refuse_while_writing(self) -> None:
        """Raise `UsageError` if a job writes: the next one would end it, and hide what became of it."""
        # The answer of a dialog of the system may come as late as that.
        if any(it.lane == MODS_LANE for it in self._jobs.writing):
            raise UsageError(_("the game is being written: choose again after that"))

    def _change(self, state: ModsState) -> None:
        self._state.mods = state

    def _choose(self, paths: Sequence[Path]) -> None:
        """Read the chosen mods, and seek what conflicts; raises `UsageError` while a game is written."""
        self._refuse_while_writing()
        folder = self._state.mods.folder
        # What was found stays: if one of the mods cannot be read the ones before are chosen still.
        before = replace(self._state.mods, is_running=True, problem="", note="", refused=())
        self._change(before)

        def work(_progress: Progress) -> ModsState:
            return _checked(replace(before, is_running=False), folder, paths)

        self._jobs.start(MODS_LANE, _("Checking mods…"), work, self._change, self._fail, is_background=True)

    def _read(
        self,
        work: Callable[[ModdedGame], str] | None = None,
        title: Text = _("Reading mods…"),  # noqa: B008 a constant text
        failed: Callable[[BaseException], None] | None = None,
        *,
        keeps_chosen: bool = True,
    ) -> None:
        """Do something to the game, then read its mods, and seek what the chosen ones conflict with."""
        before = replace(self._state.mods, is_running=True, problem="", note="", refused=())
        folder, paths = before.folder, self._paths if keeps_chosen else []
        if folder is None:
            return
        self._change(before)

        def read(_progress: Progress) -> ModsState:
            # Of the state in the worker nothing is read: another game may be chosen there already.
            game, notes = ModdedGame.of(folder), list[str]()
            if game.recovered:
                words = _("a change of the game that was stopped is {what}", what=translated(game.recovered))
                notes.append(words)
            if work is not None:
                notes.append(work(game))
                game = ModdedGame.of(folder)
            applied = tuple(it.manifest for it in game.mods)
            found = replace(before, applied=applied, is_running=False, note="; ".join(notes), found=None)
            try:
                return _checked(found, folder, paths)
            except MshviewError as error:  # the game is written: what is applied is said all the same
                return replace(found, problem=problem_of(error))

        is_writing = work is not None
        self._jobs.start(
            MODS_LANE,
            title,
            read,
            self._change,
            failed or self._fail,
            is_background=True,
            is_writing=is_writing,
        )

    def _fail(self, error: BaseException) -> None:
        self._change(replace(self._state.mods, is_running=False, problem=problem_of(error)))


def _written(game: ModdedGame, plan: ModPlan, edited: Collection[Path], *, is_forced: bool = False) -> str:
    """Make a game what a plan says, and tell in words how much that was; raises `MshviewError`."""
    written = game.write(plan, is_forced=is_forced, edited=edited)
    return counted(len(written), "{count} file changed", "{count} files changed")


def _checked(state: ModsState, folder: Path | None, paths: Sequence[Path]) -> ModsState:
    """The state with these mods chosen, and with what conflicts; raises `MshviewError`."""
    mods = [open_mod(path) for path in paths]
    chosen: tuple[tuple[Path, ModManifest], ...] = tuple((it.source, it.manifest) for it in mods)
    found = None
    if folder is not None and mods:
        found = ModCheckResult.of(ModdedGame.of(folder).with_mods(mods))
    return replace(state, chosen=chosen, found=found)
