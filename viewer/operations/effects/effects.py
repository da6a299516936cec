"""Effects at an address, as the window and the shell play them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, Severity, reading_from
from viewer.formats import fxid
from viewer.formats.findings import Rule
from viewer.formats.text import decode
from viewer.model.checks.resources import of_effect
from viewer.model.effects.program import EffectProgram
from viewer.model.game.registry import Game
from viewer.model.kinds.entry_kinds import named_entries
from viewer.model.kinds.registry import ARCHIVE, EFFECT, kind_of
from viewer.model.material.entry import resolve_entry
from viewer.model.material.lookup import MaterialLookup
from viewer.model.material.materials import FoundIn, Material
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.translation import _

NAMED: Final = 8
"""Effects of an archive that an error names."""
SILENT: Final = frozenset({1, 2, 6})
"""Kinds of blocks that draw no material: lights, sounds and points."""


class LoadedEffect(Struct, frozen=True, eq=False, dict=True):
    """An effect that can be played.

    Attributes
    ----------
    address
        Where it is.
    materials
        The material of each of its blocks, or None.
    lost
        What its names do not lead to in the game folder.
    """

    address: Address
    effect: fxid.Effect
    materials: tuple[Material | None, ...]
    lost: tuple[Diagnostic, ...] = ()

    @classmethod
    def open(cls, store: FileStore, item: Item, game: Path | None) -> LoadedEffect:
        """The effect that an item is; raises `FormatError` for anything else."""
        effect = effect_of(item)
        libraries = None if game is None else MaterialLookup.of(store, game)
        return cls(item.address, effect, materials_of(effect, libraries))

    @cached_property
    def program(self) -> EffectProgram:
        """The effect ready to be played, which is made when it plays first."""
        return EffectProgram.of(self.effect)

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """The problems of playing the effect as stored, with missing materials."""
        return (*self.program.problems, *missing_materials(self.effect, self.materials))


def effect_of(item: Item) -> fxid.Effect:
    """The effect that an item is; raises `FormatError` for anything else."""
    kind = kind_of(item)
    if kind is not EFFECT:
        raise FormatError(_not_an_effect(item), source=item.address)
    with reading_from(item.address):
        return item.decoded(fxid.decode)


def _not_an_effect(item: Item) -> str:
    """The sentence about an item that is not an effect, and the effects in it."""
    found = named_entries(item.container if kind_of(item) is ARCHIVE else None, EFFECT.id)
    if not found:
        return _("not an effect: {kind}", kind=kind_of(item).title)
    names = ", ".join(found[:NAMED])
    if len(found) > NAMED:
        names = _("{names}, ... ({count} in all)", names=names, count=len(found))
    first = item.address.child(found[0])
    return _("is an archive, not an effect; name one as in {first}: {names}", first=first, names=names)


def materials_of(effect: fxid.Effect, libraries: MaterialLookup | None) -> tuple[Material | None, ...]:
    """The material that each block draws; None for those that name none, or one that does not exist."""
    found: list[Material | None] = [None] * len(effect.opcodes)
    if libraries is None:
        return tuple(found)
    by_name: dict[bytes, Material | None] = {}
    for index, name in _drawn(effect):
        if name not in by_name:
            by_name[name] = _material(libraries, name)
        found[index] = by_name[name]
    return tuple(found)


def missing_materials(effect: fxid.Effect, materials: Sequence[Material | None]) -> list[Diagnostic]:
    """The missing materials of an effect, and missing textures of materials."""
    lost = {
        index: _("material {name!r} is not found: it draws nothing", name=decode(name))
        for index, name in _drawn(effect)
        if materials[index] is None
    }
    found = _warning("F04").of_problems(dict(sorted(lost.items())))
    return [*found, *missing_textures(effect, materials)]


def missing_textures(effect: fxid.Effect, materials: Sequence[Material | None]) -> list[Diagnostic]:
    """The missing textures of the existing materials."""
    found = ((index, materials[index]) for index, _name in _drawn(effect))
    missing = {index: next(filter(None, it.missing), None) for index, it in found if it is not None}
    problems = {row: str(it) for row, it in sorted(missing.items()) if it is not None}
    return _warning("TEX01").of_problems(problems)


def _warning(rule: str) -> Rule:
    return Rule(rule, fxid.COMMANDS, "resource", Severity.WARNING)


def _drawn(effect: fxid.Effect) -> Iterator[tuple[int, bytes]]:
    """Index and name of each block that names a material."""
    named = ((index, name) for index, _archive, name in effect.references() if name)
    yield from (it for it in named if int(effect.opcodes[it[0]]) not in SILENT)


def lost_names(
    effect: fxid.Effect, materials: Sequence[Material | None], game: Game
) -> tuple[Diagnostic, ...]:
    """The names of an effect without a target: materials, their textures, and sounds."""
    return (*of_effect(effect, game), *missing_textures(effect, materials))


def _material(libraries: MaterialLookup, name: bytes) -> Material | None:
    found = libraries.material(name)
    if found.found is not FoundIn.NAME or found.stored is None:
        return None
    return replace(resolve_entry(found, found.stored, libraries.texture).material, name=decode(name))
