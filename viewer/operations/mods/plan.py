"""The plan of mods in a game: conflicts, missing mods, changed payloads, and the resulting files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec import Struct

from viewer.errors import AddressError, UsageError
from viewer.formats.record import Bytes
from viewer.model.store.address import Address
from viewer.model.store.item import Item
from viewer.operations.mods.conflicts import REMOVE, ModConflict, ModFindings
from viewer.operations.mods.game_files import GameFiles, entry_within, key_of
from viewer.operations.mods.manifest import GameAddress
from viewer.operations.mods.merging import ModTouch, PayloadMerge, SourceVersions
from viewer.operations.mods.package import Mod
from viewer.translation import _

KEPT: Final = 256 << 20
"""Bytes of files that are kept between a check and writing; others are put together again."""


class ModFile(Struct, frozen=True, eq=False):
    """A file of the game before and after the mods.

    Attributes
    ----------
    path
        Its path in the game, as the disk spells it.
    before
        What it was before any mod; None if it was not there.
    after
        What it becomes; None if it is removed.
    """

    path: str
    before: Bytes | None
    after: Bytes | None

    @property
    def size(self) -> int:
        """Bytes that it keeps in memory."""
        return sum(0 if it is None else memoryview(it).nbytes for it in (self.before, self.after))


class ModPlan(Struct, frozen=True, eq=False, dict=True):
    """The changes of a list of mods in a game.

    Attributes
    ----------
    game
        The game as it was before any mod.
    mods
        In their order: later ones count.
    """

    game: GameFiles
    mods: Sequence[Mod]

    @classmethod
    def of(cls, game: GameFiles, mods: Sequence[Mod]) -> ModPlan:
        """The plan of mods; raises `UsageError` for two of one name."""
        names: set[str] = set()
        for mod in mods:
            if mod.name in names:
                raise UsageError(_("two mods are called {name!r}", name=mod.name), source=mod.source)
            names.add(mod.name)
        return cls(game, mods)

    @property
    def missing(self) -> tuple[str, ...]:
        """The mods that others need and that are not in the list."""
        names = {mod.name for mod in self.mods}
        needed = (name for mod in self.mods for name in mod.manifest.needs)
        return tuple(dict.fromkeys(name for name in needed if name not in names))

    @property
    def conflicts(self) -> Sequence[ModConflict]:
        """Places that mods, or a mod and the game, change in different ways."""
        return self._checked[0].conflicts

    @property
    def changed_base(self) -> Sequence[GameAddress]:
        """The addresses at which the game has another payload than a mod was made of."""
        return tuple(self._checked[0].changed)

    @property
    def remarks(self) -> Sequence[str]:
        """Remarks for the user."""
        return self._checked[0].remarks

    @property
    def is_clean(self) -> bool:
        """Whether the mods go together, and with the game."""
        return not (self.conflicts or self.changed_base or self.missing)

    @cached_property
    def touches(self) -> Mapping[bytes, Sequence[ModTouch]]:
        """The changes of all mods by the keys of the files that they are in, in the order of the mods."""
        found: dict[bytes, list[ModTouch]] = {}
        for number, mod in enumerate(self.mods):
            source = partial(self._versions, number)
            for change in mod.manifest.changes:
                touch = ModTouch(mod, change, change.address.entries, source)
                found.setdefault(key_of(change.address.path), []).append(touch)
        return found

    def _versions(self, count: int, address: GameAddress) -> SourceVersions:
        """The payload at an address as the first mods leave it, and as the game has it."""
        path = self.game.spelling(address.path)
        original = self.game.original(path)
        before = original if not count else self._before(count, path, original)
        return SourceVersions(*(entry_within(it, address.entries) for it in (before, original)))

    def _before(self, count: int, path: str, original: Item | None) -> Item | None:
        """A file as the first mods leave it; None for nothing."""
        key = count, key_of(path)
        if key not in self._earlier:
            names = {mod.name for mod in self.mods[:count]}
            touches = [it for it in self.touches.get(key_of(path), ()) if it.mod.name in names]
            after = PayloadMerge(original, GameAddress(path), ModFindings()).result(touches)
            found = None if after is None else Item(Address(Path(path)), memoryview(after))
            self._earlier[key] = found if touches else original
        return self._earlier[key]

    @cached_property
    def _earlier(self) -> dict[tuple[int, bytes], Item | None]:
        """The files that mods copy from, by the number of mods before and their keys."""
        return {}

    @cached_property
    def _checked(self) -> tuple[ModFindings, dict[bytes, ModFile]]:
        """The findings when all files are put together, and the first files."""
        findings, kept, room = ModFindings(), dict[bytes, ModFile](), KEPT
        for key in self.touches:
            file = self._merged(key, findings)
            room -= file.size
            if room >= 0:
                kept[key] = file
        return findings, kept

    def _merged(self, key: bytes, findings: ModFindings) -> ModFile:
        touches = self.touches[key]
        path = self.game.spelling(touches[0].change.address.path)
        item = self.game.original(path)
        after = PayloadMerge(item, GameAddress(path), findings).result(touches)
        if item is None and after is not None:
            self._refuse_occupied(path)
        return ModFile(path, None if item is None else item.data, after)

    def _refuse_occupied(self, path: str) -> None:
        """Raise `AddressError` for a new file where a folder is, or below a file."""
        above = (it.as_posix() for it in PurePosixPath(path).parents if it.parts)
        if (file := next(filter(self._is_file, above), None)) is not None:
            raise AddressError(_("{file} is a file, not a folder", file=file), source=path)
        if (self.game.folder / path).is_dir():
            raise AddressError(_("is a folder in the game"), source=path)

    def _is_file(self, path: str) -> bool:
        """Whether a file of this name is there after the mods."""
        key = key_of(path)
        touches = self.touches.get(key)
        return any(it.what != REMOVE for it in touches) if touches else key in self.game.names

    def files(self) -> Iterator[ModFile]:
        """The files that the mods change, one after the other; raises `MshviewError`."""
        kept = self._checked[1]
        for key in self.touches:
            yield kept[key] if key in kept else self._merged(key, ModFindings())
