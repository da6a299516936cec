"""Mods in place: a game with the mods that are applied to it, more of them, or fewer.

What comes of any list of mods follows from the game as it was before, which the journal keeps: taking one out
is applying the others anew. Files that stay as they are are not written, nor looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import ChangedSinceError, ConflictError, UsageError, suggestion
from viewer.model.store.disk import real_path
from viewer.model.store.held import refuse_read_only
from viewer.model.write.zipping import zip_of
from viewer.operations.mods.game_files import GameFiles, key_of
from viewer.operations.mods.journal import (
    MODS,
    ORIGINALS,
    AppliedMod,
    ChangePlan,
    ModState,
    ReplacedFile,
    TouchedFile,
    folder_of,
    free_names,
    originals,
    read_state,
)
from viewer.operations.mods.manifest import InnerPath
from viewer.operations.mods.merging import digest_of_payload
from viewer.operations.mods.package import Mod, files_of, open_mod
from viewer.operations.mods.plan import ModPlan
from viewer.operations.mods.transaction import StagedFile, change, digest_at, exclusive, recover
from viewer.translation import _


class ModdedGame(Struct, frozen=True, eq=False, dict=True):
    """A game and the mods that are applied to it.

    Attributes
    ----------
    folder
        The game.
    state
        What is applied.
    recovered
        What became of a change that was stopped; empty if none was.
    """

    folder: Path
    state: ModState
    recovered: str = ""

    @classmethod
    def of(cls, folder: Path) -> ModdedGame:
        """The game in a folder, after what was stopped there is finished; raises `MshviewError`."""
        if not folder.is_dir():
            raise UsageError(_("is not a folder"), source=folder)
        recovered = recover(folder)
        return cls(folder, read_state(folder), recovered)

    @cached_property
    def files(self) -> GameFiles:
        """The files as they were before any mod."""
        paths = {key: str(it.path) for key, it in self.state.by_key.items()}
        return GameFiles(self.folder, originals(self.folder, self.state), paths)

    @property
    def present(self) -> GameFiles:
        """The files as they are now."""
        return GameFiles(self.folder)

    @cached_property
    def mods(self) -> Sequence[Mod]:
        """The mods that are applied, in their order; raises `MshviewError`."""
        return [open_mod(folder_of(self.folder) / MODS / it.file) for it in self.state.mods]

    def fresh(self, mods: Sequence[Mod]) -> list[Mod]:
        """The mods that are not applied yet; raises `UsageError` for one that is, in another version."""
        applied = {it.name: it.sha256 for it in self.state.mods}
        for mod in mods:
            if applied.get(mod.name, mod.digest) != mod.digest:
                words = "another version of {name!r} is applied; revert that first"
                raise UsageError(_(words, name=mod.name), source=mod.source)
        return [mod for mod in mods if mod.name not in applied]

    def with_mods(self, mods: Sequence[Mod]) -> ModPlan:
        """The plan of the game with more mods, after those that are applied."""
        return ModPlan.of(self.files, [*self.mods, *self.fresh(mods)])

    def without(self, name: str | None) -> ModPlan:
        """The plan of the game without a mod, or without any; raises `UsageError` for an unknown name."""
        if name is None:
            return ModPlan.of(self.files, [])
        names = [it.name for it in self.state.mods]
        if name not in names:
            words = _("no mod of this name is applied{hint}", hint=suggestion(name, names))
            raise UsageError(words, source=name)
        return ModPlan.of(self.files, [it for it in self.mods if it.name != name])

    def write(self, plan: ModPlan, *, is_forced: bool = False, edited: Collection[Path] = ()) -> list[str]:
        """Make the game what a plan says, and return the paths of the files that became others.

        Parameters
        ----------
        edited
            The real paths of files with unsaved changes, which are made on the bytes that the files have now.

        Raises
        ------
        ConflictError
            If such a file has unsaved changes; `ChangedSinceError` if it was changed since mods were applied.
            Forced that is kept as a backup next to it.
        OutputError
            If something cannot be written: all is as it was.
        """
        with exclusive(self.folder):
            if read_state(self.folder) != self.state:
                raise ConflictError(_("other mods were applied meanwhile"), source=self.folder)
            found = _Changes(self, plan, is_forced=is_forced)
            self._refuse_edited(found.steps, edited)
            names = {it.name for it in self.state.mods}
            added = {mod.name: mod for mod in plan.mods if mod.name not in names}
            applied, zips = self._applied(plan, added)
            state = replace(found.state, mods=applied)
            if state != self.state:
                change(self.folder, found.plan, state, found.staged(), zips)
        return [str(it.path) for it in found.steps]

    def _refuse_edited(self, steps: Iterable[ReplacedFile], edited: Collection[Path]) -> None:
        """Raise `ConflictError` for a file that would be replaced under its unsaved changes."""
        for it in steps:
            place = self.files.place(it.path)
            if real_path(place) in edited:
                raise ConflictError(_("has unsaved changes: save or undo them first"), source=place)

    def _applied(
        self, plan: ModPlan, added: dict[str, Mod]
    ) -> tuple[tuple[AppliedMod, ...], list[tuple[str, bytes]]]:
        """The mods of the new state, and the zips of those that are new."""
        known = {it.name: it for it in self.state.mods}
        names = iter(free_names([it.file for it in self.state.mods], len(added), ".zip"))
        own = {name: AppliedMod(name, mod.digest, next(names)) for name, mod in added.items()}
        zips = [(own[name].file, zip_of(files_of(mod))) for name, mod in added.items()]
        return tuple((known | own)[mod.name] for mod in plan.mods), zips


class _FileTarget(Struct, frozen=True):
    """A file of the game: the SHA-256 before any mod, now as the journal knows it, and afterwards."""

    path: str
    original: str | None
    now: str | None
    after: str | None


class _Changes:
    """The changes of the files of a game that make them those of a plan."""

    def __init__(self, game: ModdedGame, plan: ModPlan, *, is_forced: bool) -> None:
        self._game = game
        self._mods = plan
        self._known = game.state.by_key
        self._is_forced = is_forced
        self.steps: list[ReplacedFile] = []
        touched: list[TouchedFile] = []
        targets = [*self._targets()]
        kept = [it.original for it in game.state.files]
        names = free_names(kept, len(targets))
        for target, name in zip(targets, names, strict=True):
            known = self._known.get(key_of(target.path))
            original = known.original if known else name if target.original is not None else None
            if target.after != target.now:
                self.steps.append(self._step(target, name, is_first=known is None))
            if target.after != target.original:
                path = InnerPath(target.path)
                touched.append(TouchedFile(path, target.original, target.after, original))
        self.state = ModState(files=tuple(touched), folders=self._folders(touched))

    def _targets(self) -> Iterator[_FileTarget]:
        """All files that mods have changed or will."""
        for file in self._mods.files():
            known = self._known.get(key_of(file.path))
            original = known.before if known else digest_of_payload(file.before)
            yield _FileTarget(
                file.path, original, known.after if known else original, digest_of_payload(file.after)
            )
        for key, it in self._known.items():
            if key not in self._mods.touches:
                yield _FileTarget(it.path, it.before, it.after, it.before)

    def _step(self, target: _FileTarget, name: str, *, is_first: bool) -> ReplacedFile:
        place = self._game.files.place(target.path)
        found = digest_at(place)
        if found != target.now and (is_first or not self._is_forced):
            if is_first:
                raise ConflictError(_("was changed by another program since it was read"), source=place)
            raise ChangedSinceError(_("was changed since mods were applied"), source=place)
        refuse_read_only(place, place, is_precious=True)
        original = name if is_first and found is not None else None
        is_foreign = found != target.now
        return ReplacedFile(InnerPath(target.path), found, target.after, name, original, is_foreign)

    def _folders(self, touched: Sequence[TouchedFile]) -> tuple[InnerPath, ...]:
        """The folders that are there for files of mods alone."""
        needed = {parent for it in touched if it.after is not None for parent in _parents(it.path)}
        kept = [it for it in self._game.state.folders if it in needed]
        made = {it for it in needed if not (self._game.folder / it).exists()}
        return tuple(InnerPath(it) for it in sorted({*kept, *made}, key=lambda it: (it.count("/"), it)))

    @property
    def plan(self) -> ChangePlan:
        """The steps, and the folders that come and go."""
        before, after = self._game.state.folders, self.state.folders
        made = tuple(it for it in after if it not in before)
        emptied = tuple(it for it in reversed(before) if it not in after)
        return ChangePlan(tuple(self.steps), made, emptied)

    def staged(self) -> Iterator[StagedFile]:
        """The new files, each made when it is its turn."""
        names = {key_of(it.path): it for it in self.steps if it.after is not None}
        for file in self._mods.files():
            step = names.pop(key_of(file.path), None)
            if step is not None and not self._is_original(step):
                yield StagedFile(step.file, file.after, model=self._model(step))
            elif step is not None:
                yield self._kept(step)
        yield from (self._kept(step) for step in names.values())

    def _is_original(self, step: ReplacedFile) -> bool:
        known = self._known.get(key_of(step.path))
        return known is not None and known.before == step.after

    def _kept(self, step: ReplacedFile) -> StagedFile:
        """The file as it was before any mod."""
        original = self._known[key_of(step.path)].original or ""
        return StagedFile(step.file, kept=folder_of(self._game.folder) / ORIGINALS / original)

    def _model(self, step: ReplacedFile) -> Path | None:
        """The file whose permissions a new one gets."""
        known = self._known.get(key_of(step.path))
        if known is not None and known.original is not None:
            return folder_of(self._game.folder) / ORIGINALS / known.original
        return self._game.folder / step.path


def _parents(path: str) -> Iterator[str]:
    """The folders around a file, relative to the game, without the game itself."""
    yield from (it.as_posix() for it in PurePosixPath(path).parents if it.parts)
