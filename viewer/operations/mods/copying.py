"""A copy of a game with mods: a new folder, which appears whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from viewer.errors import OutputError, UsageError
from viewer.model.store.disk import is_link, real_path
from viewer.model.store.whole_folder import new_folder
from viewer.operations.mods.game_files import key_of
from viewer.operations.mods.manifest import OWN
from viewer.operations.mods.plan import ModFile, ModPlan
from viewer.progress import checkpoint
from viewer.translation import _


def write_copy(plan: ModPlan, folder: Path) -> list[str]:
    """Write the game with the mods as a new folder, and return the paths of the files that mods change.

    Links in the game are made again as they are. Raises `OutputError`, also if the folder exists, and
    `MshviewError` for what cannot be put together.
    """
    game = plan.game.folder
    if real_path(folder).is_relative_to(real_path(game)):
        raise UsageError(_("is in the game folder"), source=folder)
    done: list[str] = []
    with new_folder(folder) as made:
        for path in _all_paths(game):
            checkpoint()
            # Of two files of one key the game finds the first, which is the one that mods change.
            if key_of(path) not in plan.touches or plan.game.names.get(key_of(path)) != path:
                _copy(game / path, made / path)
        for file in plan.files():
            plan.game.place(file.path)  # refused if it leads out of the game
            if file.after is not None:
                _write(plan, file, made)
            done.append(file.path)
        # All at once, before the folder has its name: a copy that is there is whole after a power cut too.
        getattr(os, "sync", lambda: None)()
    return done


def _all_paths(game: Path) -> Iterator[str]:
    """The paths of all that is in a game, folders before what is in them; links as they are."""
    for around, folders, names in os.walk(game):
        here = Path(around)
        links = [it for it in folders if is_link(here / it)]
        folders[:] = sorted(it for it in folders if it not in links and not it.startswith(OWN))
        own = sorted(it for it in (*folders, *links, *names) if not it.startswith(OWN))
        yield from ((here / name).relative_to(game).as_posix() for name in own)


def _copy(source: Path, target: Path) -> None:
    """Copy a file with its times and permissions, a folder without what is in it, a link as it is."""
    if source.is_dir() and not is_link(source):
        target.mkdir()
    elif is_link(source) or source.is_file():
        shutil.copy2(source, target, follow_symlinks=False)
    else:
        raise OutputError(_("is not a regular file"), source=source)


def _write(plan: ModPlan, file: ModFile, made: Path) -> None:
    """Write a file that mods change, with the permissions of the one in the game."""
    target = made / file.path
    if not real_path(target.parent).is_relative_to(real_path(made)):
        raise OutputError(_("leads out of the game folder"), source=plan.game.folder / file.path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as opened:
        opened.write(file.after or b"")
        opened.flush()
        os.fsync(opened.fileno())
    source = plan.game.folder / file.path
    if file.before is not None and source.is_file():
        shutil.copymode(source, target)
