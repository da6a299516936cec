"""Resolving the materials of batches: wear row, material, phases, textures, lightmap.

Anything missing or damaged becomes a step in the trace; nothing here raises.

Source: spec/materials.md 5; spec/field-notes.md 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Final, NamedTuple

import numpy as np

from viewer.errors import Diagnostic, Severity
from viewer.formats import mat0, wear
from viewer.formats.archive import nres
from viewer.formats.msh.tables import STREAM18, TABLES, UVS
from viewer.formats.text import decode
from viewer.formats.texture import texm
from viewer.model.game.game_folder import NO_GAME
from viewer.model.material.alpha import alpha_in
from viewer.model.material.lookup import FoundMaterial, FoundTexture, MaterialLookup
from viewer.model.material.materials import (
    MATERIALS,
    NO_MATERIALS,
    PLAIN_PHASE,
    AlphaKind,
    Blend,
    Block,
    BlockKey,
    Color,
    Found,
    Material,
    Materials,
    MissingResource,
    Phase,
    Rectangle,
    Step,
    TextureRef,
    blend_index,
    without_repeats,
)
from viewer.model.material.selectors import Selector, Users, selectors
from viewer.model.material.wear_table import WearTable
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import ResolvedReading
from viewer.model.store.file_store import Item
from viewer.model.store.place import Place
from viewer.progress import checkpoint
from viewer.translation import Sentence

TRACED_PHASES: Final = 64
"""Phases that a trace lists individually; further ones are counted."""
MOST_UNUSED: Final = 256
"""Unused rows whose materials are resolved; further ones are counted."""


class ResolvedEntry(NamedTuple):
    """The part of a material that depends on its library entry alone, and the steps of its textures."""

    material: Material
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Resolver:
    """Resolves the names of one model.

    Parameters
    ----------
    wears
        Its wear table; a terrain has one per level of detail.
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
    users: Users
    first_user: Mapping[Selector, int]
    address: str
    has_uvs: bool
    has_lightmap_uvs: bool
    entries: dict[str | None, ResolvedEntry] = field(default_factory=dict)

    def material(self, selector: Selector) -> Material:
        """The material of batches with a selector."""
        checkpoint()
        steps: list[Step] = []
        name = self._name(selector, steps)
        found = self._found(selector, name, steps)
        lightmap = self._lightmap(selector, steps)
        entry = self._entry(found)
        steps += entry.steps
        if not self.has_uvs and any(phase.texture for phase in entry.material.phases):
            steps.append(self._without(UVS, "the vertices have no texture coordinates (Res5)"))
        return replace(
            entry.material,
            row=selector.row,
            name=None if name is None else decode(name),
            found=found.found,
            is_two_sided=selector.is_two_sided,
            lightmap=lightmap.texture,
            missing_lightmap=lightmap.missing,
            steps=without_repeats(steps),
        )

    def _without(self, table: int, text: str) -> Step:
        """The step of a missing table of the model."""
        return Step(text, is_problem=True, place=Place(self.address, TABLES[table].name))

    def _user(self, selector: Selector, field: str) -> Place:
        """The place of a selector; the wear row if no batch has it."""
        row = self.first_user.get(selector)
        if row is None:
            return self._wear_row(selector)
        return Place(self.address, self.users.table, row, field)

    def _wear_row(self, selector: Selector) -> Place:
        return Place(self.wears[selector.table].source, wear.MATERIALS, selector.row, "name")

    def _name(self, selector: Selector, steps: list[Step]) -> bytes | None:
        """The name in the wear row, or None."""
        wear_table, row = self.wears[selector.table], selector.row
        text = Sentence("{user} selects row {row}", user=self.users.row_words, row=row)
        steps.append(Step(text, place=self._user(selector, self.users.row_field)))
        if wear_table.table is None:
            steps.append(_wear_step(wear_table, self.address))
            return None
        rows = wear_table.table.materials
        if row >= len(rows):
            text = Sentence(
                "{table} has no row {row}, only {rows} rows", table=wear_table.source, row=row, rows=len(rows)
            )
            steps.append(Step(text, is_problem=True, place=Place(wear_table.source, wear.MATERIALS)))
            return None
        text = Sentence(
            "{table}: row {row} names {name!r}", table=wear_table.source, row=row, name=decode(rows[row].name)
        )
        steps.append(Step(text, place=self._wear_row(selector)))
        return rows[row].name

    def _found(self, selector: Selector, name: bytes | None, steps: list[Step]) -> FoundMaterial:
        if name is None:
            has_table = self.wears[selector.table].table is not None
            missing = MissingResource("no wear", f"row {selector.row}" if has_table else "table")
            return FoundMaterial(Found.MISSING, (), missing=missing)
        if self.libraries is None:
            place = Place(self.address, MATERIALS)
            text = Sentence("{problem}, so no material", problem=self.why_no_game)
            steps.append(Step(text, True, place, is_missing=True))
            return FoundMaterial(Found.MISSING, (), missing=MissingResource("no material", decode(name)))
        found, folder = self.libraries.material(name), str(self.libraries.path)
        text = Sentence("names are looked up in {folder}", folder=folder)
        steps += (Step(text, place=Place(folder)), *found.steps)
        return found

    def _entry(self, found: FoundMaterial) -> ResolvedEntry:
        """The material of an entry; a plain phase if there is none or it cannot be read."""
        if found.stored is None or self.libraries is None:
            return ResolvedEntry(
                Material(0, entry=found.address, attr1=found.attr1, missing=(found.missing,))
            )
        if found.address not in self.entries:
            self.entries[found.address] = resolve_entry(found, found.stored, self.libraries.texture)
        return self.entries[found.address]

    def _lightmap(self, selector: Selector, steps: list[Step]) -> FoundTexture:
        """The lightmap of a batch, or its missing resource; both None for a batch without a lightmap."""
        wear_table = self.wears[selector.table].table
        if wear_table is None or not wear_table.lightmaps or not self.users.lightmap_field:
            return FoundTexture(())
        if selector.lightmap < 0:
            place = self._user(selector, self.users.lightmap_field)
            text = Sentence("{user} selects no lightmap", user=self.users.lightmap_words)
            steps.append(Step(text, place=place))
            return FoundTexture(())
        return self._lightmap_at(selector, wear_table.lightmaps, steps)

    def _lightmap_at(self, selector: Selector, rows: Sequence[wear.Row], steps: list[Step]) -> FoundTexture:
        row, source = selector.lightmap, self.wears[selector.table].source
        asks = Sentence("{user} selects lightmap {row}", user=self.users.lightmap_words, row=row)
        if row >= len(rows):
            place = Place(source, wear.LIGHTMAPS)
            text = Sentence("{asks}, the wear table has {rows}", asks=asks, rows=len(rows))
            steps.append(Step(text, is_problem=True, place=place))
            return FoundTexture((), missing=MissingResource("no lightmap", f"row {row}"))
        place = Place(source, wear.LIGHTMAPS, row, "name")
        steps.append(Step(Sentence("{asks}, {name!r}", asks=asks, name=decode(rows[row].name)), place=place))
        if not self.has_lightmap_uvs:
            steps.append(self._without(STREAM18, "the vertices have no lightmap coordinates (Res18)"))
        if self.libraries is None:
            return FoundTexture((), missing=MissingResource("no lightmap", decode(rows[row].name)))
        answer = self.libraries.lightmap(rows[row].name)
        steps += answer.steps
        return answer


def resolve_entry(
    found: FoundMaterial, stored: mat0.MaterialRecord, texture: Callable[[bytes], FoundTexture]
) -> ResolvedEntry:
    """The material of an entry and its textures; `texture` looks one up by name."""
    material = Material(0, entry=found.address, attr1=found.attr1, opacity=_opacity(stored), stored=stored)
    steps = [_blend_step(material, found.attr1_place)]
    address = found.address or ""
    if not len(stored.phases):
        place = Place(address, mat0.HEADER.name, field="phase_count")
        steps.append(Step("no phases: drawn plain white", is_problem=True, place=place))
    names = [stored.texture(index) for index in range(len(stored.phases))]
    answers = {name: texture(name) for name in dict.fromkeys(names) if name}
    steps += _texture_steps(address, names, answers)
    phases = tuple(_phases(stored, names)) or (PLAIN_PHASE,)
    shown = [answers.get(name) for name in names] or [None]
    resolved = replace(
        material,
        phases=phases,
        blocks=tuple(map(_block, stored.blocks)),
        textures=tuple(_textures(phases, shown, steps)),
        alphas=tuple(
            AlphaKind.NONE if answer is None else alpha_in(answer.alpha, is_skin=material.is_skin)
            for answer in shown
        ),
        missing=tuple(answer.missing if answer else None for answer in shown) if names else (found.missing,),
    )
    return ResolvedEntry(resolved, tuple(steps))


def material_of_entry(
    item: Item, libraries: MaterialLookup | None, why_no_game: str = NO_GAME.problem
) -> Material:
    """The material of an entry that is shown on its own; raises `FormatError`.

    Parameters
    ----------
    libraries
        The libraries in which its textures are looked up, or None.
    why_no_game
        Why there are none.
    """
    entry = item.entry if isinstance(item.entry, nres.Entry) else None
    version, attr1 = (entry.attr2, entry.attr1) if entry else (mat0.VERSION, 0)
    stored = item.once(mat0.decode, lambda: mat0.decode(item.data, version))

    def no_texture(name: bytes) -> FoundTexture:
        step = Step(Sentence("{problem}, so no texture", problem=why_no_game), True, is_missing=True)
        return FoundTexture((step,), missing=MissingResource("no texture", decode(name)))

    found = FoundMaterial(Found.NAME, (), str(item.address), attr1, stored)
    resolved = resolve_entry(found, stored, libraries.texture if libraries else no_texture)
    return replace(
        resolved.material, name=decode(item.name), found=Found.NAME, steps=without_repeats(resolved.steps)
    )


def resolve(
    model: Model,
    draws: Draws,
    choice: ResolvedReading,
    wears: Sequence[WearTable],
    libraries: MaterialLookup | None,
    why_no_game: str = NO_GAME.problem,
    address: str = "",
) -> Materials:
    """The materials of a model, legacy model or terrain.

    Parameters
    ----------
    wears
        Its wear table, or why there is none; a terrain has one per level of detail.
    libraries
        The libraries of the game folder, or None if none is known.
    why_no_game
        Why no game folder is known, for the trace.
    address
        Address of the model, for the places in the trace.
    """
    if not wears:
        return NO_MATERIALS
    selected = selectors(model, draws, choice, len(wears))
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
    rows = tuple(map(resolver.material, selected.distinct))
    unused = [*_unused(wears, selected.distinct)]
    no_user = Sentence("no {user}", user=Sentence.of(selected.users.name))
    unused_resolver = replace(resolver, users=Users(selected.users.name, "", "", no_user), first_user={})
    wrong = (step for row in rows for step in row.steps if step.is_problem)
    return Materials(
        rows=rows,
        of_batch=selected.of_batch,
        of_draw=selected.of_draw,
        wear_source=next((item.source for item in wears if item.table is not None), None),
        wear_names=tuple(decode(row.name) for item in wears if item.table for row in item.table.materials),
        problems=without_repeats((*_wear_problems(wears, address), *wrong)),
        unused=tuple(map(unused_resolver.material, unused[:MOST_UNUSED])),
        unused_count=len(unused),
    )


def _unused(wears: Sequence[WearTable], selectors: Iterable[Selector]) -> Iterator[Selector]:
    """The rows of wear tables that no selector uses."""
    used = {(selector.table, selector.row) for selector in selectors}
    for table, item in enumerate(wears):
        for row in range(item.row_count or 0):
            if (table, row) not in used:
                yield Selector(table, row, -1, is_two_sided=False)


def _wear_problems(wears: Iterable[WearTable], address: str) -> Iterator[Step]:
    for item in wears:
        if item.table is None:
            yield _wear_step(item, address)
        else:
            for finding in _errors(item.table.diagnostics):
                text = Sentence("{source}: {finding}", source=item.source, finding=finding.text)
                yield Step(text, True, Place.of(item.source, finding))


def _wear_step(item: WearTable, address: str) -> Step:
    """The step of a missing or unreadable wear table; `address` is that of the model."""
    place = item.place or Place(address, MATERIALS)
    return Step(item.problem, is_problem=True, place=place, is_missing=item.place is None)


def _errors(findings: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    return (finding for finding in findings if finding.severity is Severity.ERROR)


def _blend_step(material: Material, place: Place | None) -> Step:
    index = blend_index(material.attr1)
    text = Sentence(
        "attr1 is {attr1:#x}, blend index {index}: {label}",
        attr1=material.attr1,
        index=index,
        label=material.blend.label,
    )
    if index >= len(mat0.BLENDS):
        return Step(Sentence("{text}: the blend index is unknown", text=text), is_problem=True, place=place)
    if material.blend is not Blend.OPAQUE and material.opacity != 1:
        text = Sentence("{text}, alpha times {opacity:.3g}", text=text, opacity=material.opacity)
    return Step(Sentence("{text}, ordinary skin", text=text) if material.is_skin else text, place=place)


def _opacity(stored: mat0.MaterialRecord) -> float:
    """The factor of all ambient alphas, 0 to 1; 1 if that is not a number."""
    factor = float(stored.header["meta_c"])
    return 1.0 if isnan(factor) else min(max(factor, 0.0), 1.0)


def _texture_steps(
    address: str, names: Sequence[bytes], answers: dict[bytes, FoundTexture]
) -> Iterator[Step]:
    """For each texture of a material the first phase with its name, and the steps of its lookup."""
    seen: set[bytes] = set()
    for index, name in enumerate(names[:TRACED_PHASES]):
        place = Place(address, mat0.PHASE.name, index, "texture")
        if not name:
            yield Step(Sentence("phase {index} has no texture", index=index), place=place)
        elif name not in seen:
            seen.add(name)
            text = Sentence("phase {index} names the texture {name!r}", index=index, name=decode(name))
            yield Step(text, place=place)
            yield from answers[name].steps
    if len(names) > TRACED_PHASES:
        missing = {name for name in names[TRACED_PHASES:] if name and answers[name].texture is None}
        text = Sentence(
            "and {count} more phases, {missing} of their textures are missing",
            count=len(names) - TRACED_PHASES,
            missing=len(missing),
        )
        yield Step(text, bool(missing), Place(address, mat0.PHASE.name, TRACED_PHASES))


def _textures(
    phases: Sequence[Phase], shown: Sequence[FoundTexture | None], steps: list[Step]
) -> Iterator[TextureRef | None]:
    """The texture of each phase, limited to its rectangle."""
    for index, (phase, answer) in enumerate(zip(phases, shown, strict=True)):
        texture = None if answer is None else answer.texture
        if texture is not None and phase.page is not None:
            rectangle, step = _page(texture, phase.page, index)
            texture = replace(texture, page=rectangle)
            if index < TRACED_PHASES:
                steps.append(step)
        yield texture


def _page(texture: TextureRef, row: int, phase: int) -> tuple[Rectangle | None, Step]:
    """A rectangle of the page table inside level 0; None, for the whole texture, if there is no such row."""
    pages = texture.texture.pages
    ask = Sentence(
        "phase {phase} selects rectangle {row} of {name!r}", phase=phase, row=row, name=texture.name
    )
    table = Place(texture.address, texm.PAGE.name)
    if not 0 <= row < len(pages):
        text = Sentence("{ask}, which has {count}: the whole texture is shown", ask=ask, count=len(pages))
        return None, Step(text, is_problem=True, place=table)
    x, y, w, h = (int(pages[row][name]) for name in "xywh")
    level = texture.texture.levels[0]
    left, top = max(0, x), max(0, y)
    right, bottom = min(x + w, level.width), min(y + h, level.height)
    if right <= left or bottom <= top:
        text = Sentence(
            "{ask}, {w} x {h} at ({x}, {y}), which is outside: the whole texture is shown",
            ask=ask,
            w=w,
            h=h,
            x=x,
            y=y,
        )
        return None, Step(text, is_problem=True, place=replace(table, row=row))
    step = Step(
        Sentence("{ask}: {w} x {h} at ({x}, {y})", ask=ask, w=w, h=h, x=x, y=y), place=replace(table, row=row)
    )
    return Rectangle(left, top, right - left, bottom - top), step


def _phases(stored: mat0.MaterialRecord, names: Sequence[bytes]) -> Iterator[Phase]:
    for record, name in zip(stored.phases, names, strict=True):
        ambient, diffuse = (tuple(record[field].tolist()) for field in ("ambient", "diffuse"))
        page = int(record["page"])
        yield Phase(
            ambient=_color(record, "ambient"),
            diffuse=_color(record, "diffuse"),
            specular=_color(record, "specular"),
            emissive=_color(record, "emissive"),
            power=int(record["power"]),
            texture=decode(name) or None,
            page=page if page >= 0 else None,
            is_lit=not (diffuse == (0, 0, 0) and ambient == (255, 255, 255)),
        )


def _color(record: np.void, field: str) -> Color:
    red, green, blue = (value / 255 for value in record[field].tolist())
    return red, green, blue, int(record[f"{field}_alpha"]) / (mat0.PHASE.field(f"{field}_alpha").scale or 1)


def _block(stored: mat0.BlockRecord) -> Block:
    pairs = zip(stored.keys["phase"].tolist(), stored.keys["time"].tolist(), strict=True)
    return Block(stored.mode, stored.mask, tuple(BlockKey(*pair) for pair in pairs))
