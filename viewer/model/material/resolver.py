"""Resolving the materials of batches: wear row, material, phases, textures, lightmap.

Anything missing or damaged becomes a step in the trace; nothing here raises.

Source: spec/materials.md 5; spec/field-notes.md 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from viewer.formats import wear
from viewer.formats.msh.tables import STREAM18, TABLES, UVS
from viewer.formats.text import decode
from viewer.model.game.game_folder import NO_GAME
from viewer.model.material.entry import ResolvedEntry, resolve_entry
from viewer.model.material.lookup import FoundMaterial, FoundTexture, MaterialLookup, problems_of
from viewer.model.material.materials import (
    MATERIALS,
    NO_MATERIALS,
    FoundIn,
    Material,
    Materials,
    MissingResource,
    TraceStep,
    without_repeats,
)
from viewer.model.material.selectors import SEE_THROUGH_FIELD, Selector, SelectorTable, WearTable, selectors
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.reading import ResolvedReading
from viewer.model.store.address import CURRENT, Address
from viewer.model.store.place import Place
from viewer.progress import checkpoint
from viewer.translation import Text, _

MOST_UNUSED: Final = 256
"""Unused rows whose materials are resolved; further ones are counted."""


class Resolver(Struct, frozen=True):
    """Resolves the names of one model.

    Parameters
    ----------
    wears
        Its wear table; a terrain has two.
    libraries
        The libraries for the lookup, or None if no game folder is known.
    why_no_game
        Why no game folder is known, for the trace.
    users
        The fields of a batch with its wear row and its lightmap, for the trace; the latter is empty
        if no batch has one.
    first_user
        The first batch with each selector; absent for unused rows.
    address
        Address of the model.
    has_uvs, has_lightmap_uvs
        Whether the vertices have coordinates for textures and for a lightmap.
    entries
        Results by address of the entry: every entry is resolved once, however many rows use it.
    """

    wears: Sequence[WearTable]
    libraries: MaterialLookup | None
    why_no_game: str
    users: SelectorTable
    first_user: Mapping[Selector, int]
    address: Address
    has_uvs: bool
    has_lightmap_uvs: bool
    entries: dict[Address | None, ResolvedEntry] = field(default_factory=dict)

    def material(self, selector: Selector) -> Material:
        """The material of batches with a selector."""
        checkpoint()
        steps: list[TraceStep] = []
        # The order is that of the trace: the wear row, the material, the flags, the lightmap, then the
        # textures.
        name = self._name(selector, steps)
        found = self._found(selector, name, steps)
        if selector.has_see_through_flag:
            text = _("flags of the batch put it in the see-through layer")
            steps.append(TraceStep(text, place=self._user(selector, SEE_THROUGH_FIELD)))
        lightmap = self._lightmap(selector, steps)
        entry = self._entry(found)
        steps += entry.steps
        if not self.has_uvs and any(phase.texture for phase in entry.material.phases):
            steps.append(self._without(UVS, _("the vertices have no texture coordinates (Res5)")))
        return replace(
            entry.material,
            row=selector.row,
            name=None if name is None else decode(name),
            found=found.found,
            has_see_through_flag=selector.has_see_through_flag,
            lightmap=lightmap.texture,
            missing_lightmap=lightmap.missing,
            wear=None if self.wears[selector.table].table is None else self.wears[selector.table].source,
            steps=without_repeats(steps),
        )

    def _without(self, table: int, text: str) -> TraceStep:
        """The step of a missing table of the model."""
        return TraceStep(text, is_problem=True, place=Place(self.address, TABLES[table].name))

    def _user(self, selector: Selector, field: str) -> Place:
        """The place of a selector; the wear row if no batch has it."""
        row = self.first_user.get(selector)
        if row is None:
            return self._wear_row(selector)
        return Place(self.address, self.users.table, row, field)

    def _wear_row(self, selector: Selector) -> Place:
        return Place(self.wears[selector.table].source, wear.MATERIALS, selector.row, "name")

    def _name(self, selector: Selector, steps: list[TraceStep]) -> bytes | None:
        """The name in the wear row, or None."""
        wear_table, row = self.wears[selector.table], selector.row
        user, place = self.users.words_of(selector), self._user(selector, self.users.field_of(selector))
        steps.append(TraceStep.info("{user} selects row {row}", place, user=user, row=row))
        if wear_table.table is None:
            steps.append(_wear_step(wear_table, self.address))
            return None
        rows, source = wear_table.table.materials, wear_table.source
        if row >= len(rows):
            words, place = "{table} has no row {row}, only {rows} rows", Place(source, wear.MATERIALS)
            steps.append(TraceStep.problem(words, place, table=source, row=row, rows=len(rows)))
            return None
        words, name = "{table}: row {row} names {name!r}", rows[row].name
        place = self._wear_row(selector)
        steps.append(TraceStep.info(words, place, table=source, row=row, name=decode(name)))
        return name

    def _found(self, selector: Selector, name: bytes | None, steps: list[TraceStep]) -> FoundMaterial:
        if name is None:
            has_table = self.wears[selector.table].table is not None
            what = _("row {row}", row=selector.row) if has_table else _("table")
            missing = MissingResource("no wear", what)
            return FoundMaterial(FoundIn.MISSING, (), missing=missing)
        if self.libraries is None:
            place = Place(self.address, MATERIALS)
            text = _("{problem}, so no material", problem=self.why_no_game)
            steps.append(TraceStep(text, True, place, is_missing=True))
            return FoundMaterial(FoundIn.MISSING, (), missing=MissingResource("no material", decode(name)))
        found, folder = self.libraries.material(name), self.libraries.path
        looked = TraceStep.info("names are looked up in {folder}", Place(Address(folder)), folder=folder)
        steps += (looked, *found.steps)
        return found

    def _entry(self, found: FoundMaterial) -> ResolvedEntry:
        """The material of an entry; a plain phase if there is none or it cannot be read."""
        if found.stored is None or self.libraries is None:
            return ResolvedEntry(
                Material(0, entry=found.address, attr1=found.attr1, missing=(found.missing,))
            )
        # By the entry and not by the name: DEFAULT stands in for any number of missing names.
        if found.address not in self.entries:
            self.entries[found.address] = resolve_entry(found, found.stored, self.libraries.texture)
        return self.entries[found.address]

    def _lightmap(self, selector: Selector, steps: list[TraceStep]) -> FoundTexture:
        """The lightmap of a batch, or its missing resource; both None for a batch without a lightmap."""
        wear_table = self.wears[selector.table].table
        if wear_table is None or not wear_table.lightmaps or not self.users.lightmap_field:
            return FoundTexture(())
        if selector.lightmap < 0:
            user, place = self.users.lightmap_words, self._user(selector, self.users.lightmap_field)
            steps.append(TraceStep.info("{user} selects no lightmap", place, user=user))
            return FoundTexture(())
        return self._lightmap_at(selector, wear_table.lightmaps, steps)

    def _lightmap_at(
        self, selector: Selector, rows: Sequence[wear.Row], steps: list[TraceStep]
    ) -> FoundTexture:
        row, source = selector.lightmap, self.wears[selector.table].source
        asks = _("{user} selects lightmap {row}", user=self.users.lightmap_words, row=row)
        if row >= len(rows):
            words, place = "{asks}, the wear table has {rows}", Place(source, wear.LIGHTMAPS)
            steps.append(TraceStep.problem(words, place, asks=asks, rows=len(rows)))
            return FoundTexture((), missing=MissingResource("no lightmap", _("row {row}", row=row)))
        place = Place(source, wear.LIGHTMAPS, row, "name")
        steps.append(TraceStep.info("{asks}, {name!r}", place, asks=asks, name=decode(rows[row].name)))
        if not self.has_lightmap_uvs:
            steps.append(self._without(STREAM18, _("the vertices have no lightmap coordinates (Res18)")))
        if self.libraries is None:
            return FoundTexture((), missing=MissingResource("no lightmap", decode(rows[row].name)))
        answer = self.libraries.lightmap(rows[row].name)
        steps += answer.steps
        return answer


def resolve(
    model: Model,
    draws: Draws,
    choice: ResolvedReading,
    wears: Sequence[WearTable],
    libraries: MaterialLookup | None,
    why_no_game: str = NO_GAME.problem,
    address: Address = CURRENT,
) -> Materials:
    """The materials of a model, legacy model or terrain.

    Parameters
    ----------
    wears
        Its wear table, or why there is none; a terrain has two.
    libraries
        The libraries of the game folder, or None if none is known.
    why_no_game
        Why no game folder is known, for the trace.
    address
        Address of the model, for the places in the trace.
    """
    if not wears:
        return NO_MATERIALS
    selected = selectors(model, draws, choice, wears)
    resolver = Resolver(
        wears,
        libraries,
        why_no_game,
        selected.users,
        dict(zip(selected.distinct, selected.first, strict=True)),
        address,
        has_uvs=model.has(UVS),
        has_lightmap_uvs=model.has(STREAM18),
    )
    # A terrain has its second materials and microtextures among the selectors, so `_with_layers` finds them
    # here.
    rows = tuple(map(resolver.material, selected.distinct))
    if model.variant is Variant.TERRAIN:
        rows = tuple(_with_layers(rows, selected.distinct))
    unused = [*_unused(wears, selected.distinct)]
    no_user = _("no {user}", user=Text.of(selected.users.name))
    no_users = SelectorTable(
        selected.users.name, "", "", no_user, second_words=no_user, microtexture_words=no_user
    )
    # Rows that nothing selects have no batch whose place the trace could name.
    unused_resolver = replace(resolver, users=no_users, first_user={})
    wrong = (step for row in rows for step in row.steps if step.is_problem)
    has_lightmaps = any(item.table.lightmaps for item in wears if item.table)
    packed = libraries.packed(has_lightmaps=has_lightmaps) if libraries else None
    return Materials(
        rows=rows,
        of_batch=selected.of_batch,
        of_draw=selected.of_draw,
        wear_source=next((item.source for item in wears if item.table is not None), None),
        wear_names=tuple(decode(row.name) for item in wears if item.table for row in item.table.materials),
        problems=without_repeats((*([packed] if packed else []), *_wear_problems(wears, address), *wrong)),
        packed=packed,
        unused=tuple(map(unused_resolver.material, unused[:MOST_UNUSED])),
        unused_count=len(unused),
    )


def _with_layers(rows: Sequence[Material], selectors: Sequence[Selector]) -> Iterator[Material]:
    """The materials of a terrain, each with its use, the second material over it and its microtexture."""
    index: dict[Selector | None, int] = {selector: at for at, selector in enumerate(selectors)}
    for row, selector in zip(rows, selectors, strict=True):
        fine = index.get(selector.microtexture)
        if fine is not None and not any(rows[fine].textures):
            fine = None  # without a texture there is nothing to multiply with
        yield replace(row, layer=selector.layer, second=index.get(selector.second), microtexture=fine)


def _unused(wears: Sequence[WearTable], selectors: Iterable[Selector]) -> Iterator[Selector]:
    """The rows of wear tables that no selector uses."""
    used = {(selector.table, selector.row) for selector in selectors}
    for table, item in enumerate(wears):
        for row in range(item.row_count or 0):
            if (table, row) not in used:
                yield Selector(table, row)


def _wear_problems(wears: Iterable[WearTable], address: Address) -> Iterator[TraceStep]:
    for item in wears:
        if item.table is None:
            yield _wear_step(item, address)
        else:
            yield from problems_of(item.source, item.table.diagnostics)


def _wear_step(item: WearTable, address: Address) -> TraceStep:
    """The step of a missing or unreadable wear table; `address` is that of the model."""
    place = item.place or Place(address, MATERIALS)
    return TraceStep(item.problem, is_problem=True, place=place, is_missing=item.place is None)
