"""Changing a game in place: all files of a change or none, whenever the program or the machine stops.

1. The new files, and the state that the journal will have, are written to ``next`` and flushed.
2. ``plan.json`` gets its name there. Up to here the next start removes ``next``; from here it finishes.
3. Each old file gets a second name in ``next/old``, and the new one takes its place.
4. The old files that are those of the game get names in ``originals``, and the new state takes its place.
5. ``plan.json`` is removed, then all that no state names.

What fails or is interrupted before the state has its place is taken back: ``plan.json`` becomes
``undo.json``, the old files take their places again, and only then it is removed. Each step looks at the
bytes that are there, so that it may be done twice. A file that another program has changed meanwhile is never
replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import file_digest
from pathlib import Path
from typing import Final

from msgspec import Struct

from viewer.errors import ConflictError, MshviewError, OutputError
from viewer.formats.record import Bytes
from viewer.model.store.backups import free_backup, link_or_copy
from viewer.model.store.disk import is_link, real_path
from viewer.model.store.held import patiently, remove
from viewer.model.store.temporary import locked, sync_folder, temporary_file, writing
from viewer.operations.mods.journal import (
    MODS,
    ORIGINALS,
    STATE,
    ChangePlan,
    ModState,
    ReplacedFile,
    folder_of,
    read_plan,
    read_state,
)
from viewer.translation import _

NEXT: Final = "next"
NEW: Final = "new"
OLD: Final = "old"
PLAN: Final = "plan.json"
UNDO: Final = "undo.json"
FINISHED: Final = _("finished")
TAKEN_BACK: Final = _("taken back")
"""The two ends of a change that was stopped."""


class StagedFile(Struct, frozen=True, eq=False):
    """A file on its way into a game: new bytes, or a file of the journal.

    Attributes
    ----------
    file
        Its name among the new files.
    data
        Its bytes; None for those of `kept`.
    kept
        A file of the journal with its bytes, times and permissions.
    model
        The file whose permissions new bytes get; None for those of any new file.
    """

    file: str
    data: Bytes | None = None
    kept: Path | None = None
    model: Path | None = None


@contextmanager
def exclusive(game: Path) -> Iterator[None]:
    """While a game is changed: nobody else of this program writes to it; raises `OutputError`."""
    with writing(game) as folder, locked([folder]):
        if is_link(folder_of(game)):
            raise OutputError(_("is a link"), source=folder_of(game))
        yield


def digest_at(path: Path) -> str | None:
    """The SHA-256 of a file in hexadecimal; None if there is none; raises `OSError`."""
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None


def change(
    game: Path,
    plan: ChangePlan,
    state: ModState,
    staged: Iterable[StagedFile],
    mods: Iterable[tuple[str, Bytes]] = (),
) -> None:
    """Change a game, whose folder is locked, and its state; raises `OutputError`, and all is as it was.

    Parameters
    ----------
    staged
        The new files, each made when it is its turn.
    mods
        The zips of mods that are new in the state, and their names.
    """
    work = folder_of(game) / NEXT
    try:
        with writing(work):
            for folder in (work / NEW, work / OLD):
                folder.mkdir(parents=True)
            for it in staged:
                _stage(work / NEW / it.file, it)
            for name, data in mods:
                (folder_of(game) / MODS).mkdir(exist_ok=True)
                _write(folder_of(game) / MODS / name, data)
            _write(work / STATE, state.encode())
            for folder in (work / NEW, work / OLD, work, folder_of(game), game):
                sync_folder(folder)
            _write(work / PLAN, plan.encode())
            sync_folder(work)
            _Change(game, plan).forward()
    except BaseException:
        _give_up(game, plan)
        raise
    with suppress(OSError):
        _clean(game)


def recover(game: Path) -> str:
    """Finish or take back what was stopped in a game, and say which; empty if nothing was.

    Raises `MshviewError` for a journal that cannot be read.
    """
    if not folder_of(game).is_dir():
        return ""
    with exclusive(game), writing(folder_of(game)):
        work = folder_of(game) / NEXT
        undone, plan = read_plan(work / UNDO), read_plan(work / PLAN)
        found = ""
        if undone is not None:
            found = _finish_undo(game, undone)
        elif plan is not None:
            found = _finish(game, plan)
        _clean(game)
        return found


def _finish(game: Path, plan: ChangePlan) -> str:
    """Go on with a change; one whose files another program has changed since is taken back."""
    try:
        _Change(game, plan).forward()
    except ConflictError:
        _give_up(game, plan)
        return TAKEN_BACK
    return FINISHED


def _finish_undo(game: Path, plan: ChangePlan) -> str:
    _Change(game, plan).back()
    return TAKEN_BACK


def _give_up(game: Path, plan: ChangePlan) -> None:
    """Take back a failed change, or clean up after one that counts already."""
    work = folder_of(game) / NEXT
    with suppress(OSError, MshviewError):
        if (work / PLAN).exists():
            # Without its new state the change counts: what remains is to be cleaned away.
            if (work / STATE).exists():
                patiently(partial((work / PLAN).replace, work / UNDO))
                sync_folder(work)
                _Change(game, plan).back()
            else:
                _Change(game, plan).forward()
        _clean(game)


def _stage(path: Path, it: StagedFile) -> None:
    """Write a new file, flushed, or give one of the journal a second name."""
    if it.kept is not None:
        link_or_copy(it.kept, path)
    else:
        _write(path, it.data or b"", it.model)


def _write(path: Path, data: Bytes, model: Path | None = None) -> None:
    """Write a file of the journal, flushed; it appears whole."""
    with temporary_file(path, model if model is not None and model.exists() else None) as draft:
        draft.write(data)
        draft.close()
        patiently(partial(draft.path.replace, path))


class _Change:
    """A change whose plan is written."""

    def __init__(self, game: Path, plan: ChangePlan) -> None:
        self._game = game
        self._plan = plan
        self._journal = folder_of(game)
        self._work = self._journal / NEXT

    def forward(self) -> None:
        """Give all files their places, then the state; raises `ConflictError` or `OSError`."""
        for folder in self._plan.folders:
            (self._game / folder).mkdir(exist_ok=True)
        for step in self._plan.steps:
            self._replace(step)
        self._flush()
        for step in self._plan.steps:
            self._keep(step)
        for folder in self._plan.emptied:
            with suppress(OSError):  # something else is in it
                (self._game / folder).rmdir()
        if (self._work / STATE).exists():
            patiently(partial((self._work / STATE).replace, self._journal / STATE))
            sync_folder(self._journal)
        # Not before: what is taken back needs the old files where they are.
        for step in self._plan.steps:
            self._set_aside(step)
        remove(self._work / PLAN)
        sync_folder(self._work)

    def _place(self, step: ReplacedFile) -> Path:
        place = real_path(self._game / step.path)
        if not place.is_relative_to(real_path(self._game)):
            raise OutputError(_("leads out of the game folder"), source=self._game / step.path)
        return place

    def _flush(self) -> None:
        """Flush the folders in which files have changed."""
        for folder in {self._place(it).parent for it in self._plan.steps}:
            sync_folder(folder)

    def _replace(self, step: ReplacedFile) -> None:
        """Give a file its place, if it does not have it yet."""
        place, old, new = self._place(step), self._work / OLD / step.file, self._work / NEW / step.file
        now = digest_at(place)
        if now == step.after:
            return
        if now != step.before:
            raise ConflictError(_("was changed by another program since it was read"), source=place)
        if now is not None and not old.exists():
            link_or_copy(place, old)
            sync_folder(old.parent)
        if step.after is None:
            patiently(place.unlink)
        else:
            patiently(partial(new.replace, place))

    def _keep(self, step: ReplacedFile) -> None:
        """Keep the old file among the originals, if it is one."""
        old = self._work / OLD / step.file
        if step.original is not None:
            kept = self._journal / ORIGINALS / step.original
            kept.parent.mkdir(exist_ok=True)
            if old.exists() and not kept.exists():
                link_or_copy(old, kept)
                sync_folder(kept.parent)

    def _set_aside(self, step: ReplacedFile) -> None:
        """Keep what another program has made of a file next to the new one."""
        old = self._work / OLD / step.file
        if step.is_foreign and old.exists():
            patiently(partial(old.rename, free_backup(self._place(step))))

    def back(self) -> None:
        """Give the old files their places again; raises `OSError`."""
        for step in reversed(self._plan.steps):
            self._put_back(step)
        self._flush()
        for step in self._plan.steps:
            if step.original is not None:
                remove(self._journal / ORIGINALS / step.original)
        for folder in reversed(self._plan.folders):
            with suppress(OSError):
                (self._game / folder).rmdir()
        for folder in reversed(self._plan.emptied):
            (self._game / folder).mkdir(exist_ok=True)
        remove(self._work / UNDO)
        sync_folder(self._work)

    def _put_back(self, step: ReplacedFile) -> None:
        place, old = self._place(step), self._work / OLD / step.file
        now = digest_at(place)
        if now == step.before:
            return
        if now != step.after:
            # Another program has changed it since: that stays, and the old file next to it.
            if old.exists():
                patiently(partial(old.rename, free_backup(place)))
        elif step.before is None:
            patiently(place.unlink)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            patiently(partial(old.replace, place))


def _clean(game: Path) -> None:
    """Remove what no state names; the journal itself once no mod is applied."""
    journal = folder_of(game)
    if any((journal / NEXT / name).exists() for name in (PLAN, UNDO)):
        return  # what is left to do needs all of it
    remove(journal / NEXT)
    state = read_state(game)
    originals = {it.original for it in state.files if it.original is not None}
    _remove_others(journal / ORIGINALS, originals)
    _remove_others(journal / MODS, {it.file for it in state.mods})
    if not state.mods and not state.files:
        # The state last: without it files that are kept here would be those of a damaged journal.
        for path in (journal / ORIGINALS, journal / MODS, journal / STATE):
            remove(path)
        with suppress(OSError):  # something else is in it
            journal.rmdir()
            sync_folder(game)


def _remove_others(folder: Path, named: set[str]) -> None:
    """Remove the files of a folder of the journal that are not named."""
    for path in [*folder.iterdir()] if folder.is_dir() else []:
        if path.name not in named:
            remove(path)
