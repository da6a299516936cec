"""A mod that is made of two game folders in a worker thread."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from viewer.control.jobs import Jobs, problem_of
from viewer.control.lookups.corpus import paths_of
from viewer.control.state import State
from viewer.errors import MshviewError, UsageError
from viewer.operations.mods.in_place import ModdedGame
from viewer.operations.mods.making import NewMod, make_mod
from viewer.operations.mods.manifest import ModManifest
from viewer.operations.mods.writing import about_mod, write_mod
from viewer.progress import Progress
from viewer.session.games.new_mod import NEW_MOD_LANE, NewModState
from viewer.session.jobs import CorpusScope
from viewer.translation import _, counted


class NewModController:
    """Keeps `State.new_mod`; owner: the application, main thread only."""

    def __init__(self, state: State, jobs: Jobs) -> None:
        self._state = state
        self._jobs = jobs

    def propose(self) -> None:
        """Show the window, with the game whose mods are shown or that is open unless one is chosen."""
        base = self._state.new_mod.base or self._state.mods.folder
        if base is None:
            try:
                base = paths_of(self._state, CorpusScope.GAME)[0]
            except UsageError:
                base = None
        self.begin(base, self._state.new_mod.changed)

    def begin(self, base: Path | None, changed: Path | None) -> None:
        """Show the window with two folders."""
        if not self._state.new_mod.is_running:
            self._state.new_mod = NewModState(base, changed, object())

    def choose(self, side: int, folder: Path) -> None:
        """Choose the game (0) or the copy with changes (1)."""
        before = self._state.new_mod
        base, changed = (folder, before.changed) if side == 0 else (before.base, folder)
        self._state.new_mod = NewModState(base, changed, before.asked)

    def make(self, name: str, version: str, author: str, needs: str, target: Path) -> None:
        """Write the mod to a new folder, or as a zip; what it needs are names separated by commas."""
        before = replace(self._state.new_mod, is_running=True, problem="", note="", remarks=())
        base, changed = before.base, before.changed
        if base is None or changed is None:
            return
        try:
            about = about_mod(name, version, author, [it for it in map(str.strip, needs.split(",")) if it])
        except MshviewError as error:
            self._fail(error)
            return
        self._state.new_mod = before

        def work(_progress: Progress) -> NewMod:
            return _written(base, changed, about, target)

        def done(made: NewMod) -> None:
            count = counted(len(made.manifest.changes), "{count} change", "{count} changes")
            note = _("wrote {path}: {count}", path=target, count=count)
            self._state.new_mod = replace(before, is_running=False, note=note, remarks=made.remarks)

        title = _("Making {name}…", name=target.name)
        self._jobs.start(NEW_MOD_LANE, title, work, done, self._fail, is_background=True, is_writing=True)

    def _fail(self, error: BaseException) -> None:
        problem = problem_of(error)
        self._state.new_mod = replace(self._state.new_mod, is_running=False, problem=problem)


def _written(base: Path, changed: Path, about: ModManifest, target: Path) -> NewMod:
    """Make a mod and write it; raises `MshviewError`."""
    before, after = (ModdedGame.of(it).present for it in (base, changed))
    made = make_mod(before, after, about)
    write_mod(made, target)
    return made
