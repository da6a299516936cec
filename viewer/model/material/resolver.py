"""From batches to what they are drawn with: wear row, material, phases, textures, lightmap.

Whatever is missing or damaged becomes a sentence in the trace; nothing in here raises.

Source: spec/materials.md 5; spec/field-notes.md 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Final, NamedTuple

import numpy as np

from viewer.errors import Diagnostic, Severity
from viewer.formats import mat0, wear
from viewer.formats.msh.tables import STREAM18, UVS
from viewer.formats.text import decode
from viewer.model.game.game_folder import NO_GAME
from viewer.model.material.alpha import alpha_in
from viewer.model.material.lookup import FoundMaterial, FoundTexture, MaterialLookup, Step
from viewer.model.material.materials import (
    BLENDS,
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
    TextureRef,
    blend_index,
)
from viewer.model.material.selectors import Selector, selectors
from viewer.model.material.wear_table import WearTable
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import ResolvedReading

TRACED_PHASES: Final = 64
"""Phases that a trace follows one by one; the others are counted."""
MOST_UNUSED: Final = 256
"""Rows that nothing is drawn with of which it is worked out what they lead to; the others are counted."""


class EntryMaterial(NamedTuple):
    """What an entry of the library makes of any row that leads to it, and how its textures were found."""

    material: Material
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Resolver:
    """Follows the names of one model.

    Parameters
    ----------
    wears
        Its wear table; a terrain has one for each level of detail.
    libraries
        Where names are looked up, None where no game folder is known.
    why_no_game
        Why none is known, for the trace.
    row_place, lightmap_place
        Where a batch says its wear row and whether it takes a lightmap, for the trace; the latter is empty
        where nobody asks for one.
    has_uvs, has_lightmap_uvs
        Whether the vertices have coordinates for textures, and for a lightmap.
    entries
        Every entry is followed once, however many rows lead to it; by address.
    """

    wears: Sequence[WearTable]
    libraries: MaterialLookup | None
    why_no_game: str
    row_place: str
    lightmap_place: str
    has_uvs: bool
    has_lightmap_uvs: bool
    entries: dict[str | None, EntryMaterial] = field(default_factory=dict)

    def material(self, selector: Selector) -> Material:
        """What batches with a selector are drawn with."""
        steps: list[Step] = []
        name = self._name(selector, steps)
        found = self._found(selector, name, steps)
        lightmap = self._lightmap(selector, steps)
        entry = self._entry(found)
        steps += entry.steps
        if not self.has_uvs and any(phase.texture for phase in entry.material.phases):
            steps.append(Step("the vertices have no coordinates for textures (Res5)", is_problem=True))
        unique = tuple(dict.fromkeys(steps))
        return replace(
            entry.material,
            row=selector.row,
            name=None if name is None else decode(name),
            found=found.found,
            is_two_sided=selector.is_two_sided,
            lightmap=lightmap.picture,
            missing_lightmap=lightmap.lack,
            trace=tuple(step.text for step in unique),
            problems=tuple(step.text for step in unique if step.is_problem),
        )

    def _name(self, selector: Selector, steps: list[Step]) -> bytes | None:
        """The name in the wear row, None where there is none."""
        wear_table, row = self.wears[selector.table], selector.row
        steps.append(Step(f"{self.row_place} selects row {row}"))
        if wear_table.table is None:
            steps.append(Step(wear_table.problem, is_problem=True))
            return None
        rows = wear_table.table.materials
        if row >= len(rows):
            text = f"{wear_table.source} has no row {row}, it has {len(rows)}"
            steps.append(Step(text, is_problem=True))
            return None
        steps.append(Step(f"{wear_table.source}: row {row} names {decode(rows[row].name)!r}"))
        return rows[row].name

    def _found(self, selector: Selector, name: bytes | None, steps: list[Step]) -> FoundMaterial:
        if name is None:
            has_table = self.wears[selector.table].table is not None
            lack = MissingResource("no wear", f"row {selector.row}" if has_table else "table")
            return FoundMaterial(Found.MISSING, (), lack=lack)
        if self.libraries is None:
            steps.append(Step(f"{self.why_no_game}, so no material", is_problem=True))
            return FoundMaterial(Found.MISSING, (), lack=MissingResource("no material", decode(name)))
        found = self.libraries.material(name)
        steps += (Step(f"names are looked up in {self.libraries.path}"), *found.steps)
        return found

    def _entry(self, found: FoundMaterial) -> EntryMaterial:
        """What an entry holds; a plain phase where there is none, or where it cannot be read."""
        if found.stored is None or self.libraries is None:
            return EntryMaterial(Material(0, entry=found.address, attr1=found.attr1, missing=(found.lack,)))
        if found.address not in self.entries:
            self.entries[found.address] = self._follow(found, found.stored, self.libraries)
        return self.entries[found.address]

    def _follow(
        self, found: FoundMaterial, stored: mat0.MaterialRecord, libraries: MaterialLookup
    ) -> EntryMaterial:
        """What the fields of an entry mean, and the textures that they name."""
        material = Material(
            0, entry=found.address, attr1=found.attr1, opacity=_opacity(stored), stored=stored
        )
        steps = [_blend_step(material)]
        if not len(stored.phases):
            steps.append(Step("it has no phase: plain white, untextured", is_problem=True))
        names = [stored.texture(index) for index in range(len(stored.phases))]
        answers = {name: libraries.texture(name) for name in dict.fromkeys(names) if name}
        steps += _texture_steps(names, answers)
        phases = tuple(_phases(stored, names)) or (PLAIN_PHASE,)
        shown = [answers.get(name) for name in names] or [None]
        dressed = replace(
            material,
            phases=phases,
            blocks=tuple(map(_block, stored.blocks)),
            pictures=tuple(_pictures(phases, shown, steps)),
            alphas=tuple(
                AlphaKind.NONE if answer is None else alpha_in(answer.alpha, is_skin=material.is_skin)
                for answer in shown
            ),
            missing=tuple(answer.lack if answer else None for answer in shown) if names else (found.lack,),
        )
        return EntryMaterial(dressed, tuple(steps))

    def _lightmap(self, selector: Selector, steps: list[Step]) -> FoundTexture:
        """The lightmap of a batch that takes one, neither that nor a lack for any other."""
        wear_table = self.wears[selector.table].table
        if wear_table is None or not wear_table.lightmaps or not self.lightmap_place:
            return FoundTexture(())
        if selector.lightmap < 0:
            steps.append(Step(f"{self.lightmap_place} asks for no lightmap"))
            return FoundTexture(())
        return self._lightmap_at(selector.lightmap, wear_table.lightmaps, steps)

    def _lightmap_at(self, row: int, rows: Sequence[wear.Row], steps: list[Step]) -> FoundTexture:
        source = f"{self.lightmap_place} asks for lightmap {row}"
        if row >= len(rows):
            steps.append(Step(f"{source}, the wear table lists {len(rows)}", is_problem=True))
            return FoundTexture((), lack=MissingResource("no lightmap", f"row {row}"))
        steps.append(Step(f"{source}, {decode(rows[row].name)!r}"))
        if not self.has_lightmap_uvs:
            steps.append(Step("the vertices have no coordinates for it (Res18)", is_problem=True))
        if self.libraries is None:
            return FoundTexture((), lack=MissingResource("no lightmap", decode(rows[row].name)))
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
) -> Materials:
    """The materials of a model, legacy model or terrain.

    Parameters
    ----------
    wears
        Its wear table, or why there is none; a terrain has one for each level of detail.
    libraries
        The game folder, None where none is known.
    why_no_game
        Why none is known, for the trace.
    """
    if not wears:
        return NO_MATERIALS
    asked = selectors(model, draws, choice, len(wears))
    resolver = Resolver(
        wears,
        libraries,
        why_no_game,
        asked.row_place,
        asked.lightmap_place,
        has_uvs=model.has(UVS),
        has_lightmap_uvs=model.has(STREAM18),
    )
    rows = tuple(map(resolver.material, asked.distinct))
    unused = [*_unused(wears, asked.distinct)]
    nobody = replace(resolver, row_place=f"no {asked.user}", lightmap_place="")
    return Materials(
        rows=rows,
        of_batch=asked.of_batch,
        of_draw=asked.of_draw,
        wear_source=next((item.source for item in wears if item.table is not None), None),
        wear_names=tuple(decode(row.name) for item in wears if item.table for row in item.table.materials),
        problems=tuple(dict.fromkeys((*_wear_problems(wears), *(p for row in rows for p in row.problems)))),
        unused=tuple(map(nobody.material, unused[:MOST_UNUSED])),
        unused_count=len(unused),
    )


def _unused(wears: Sequence[WearTable], selectors: Iterable[Selector]) -> Iterator[Selector]:
    """The rows of wear tables that no selector names."""
    used = {(selector.table, selector.row) for selector in selectors}
    for table, item in enumerate(wears):
        for row in range(item.row_count or 0):
            if (table, row) not in used:
                yield Selector(table, row, -1, is_two_sided=False)


def _wear_problems(wears: Iterable[WearTable]) -> Iterator[str]:
    for item in wears:
        if item.table is None:
            yield item.problem
        else:
            yield from (f"{item.source}: {finding}" for finding in _errors(item.table.diagnostics))


def _errors(findings: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    return (finding for finding in findings if finding.severity is Severity.ERROR)


def _blend_step(material: Material) -> Step:
    index = blend_index(material.attr1)
    text = f"attr1 is {material.attr1:#x}, blend index {index}: {material.blend.label}"
    if index >= len(BLENDS):
        return Step(f"{text}, as nothing is known of that index", is_problem=True)
    if material.blend is not Blend.OPAQUE and material.opacity != 1:
        text += f", alpha times {material.opacity:.3g}"
    return Step(f"{text}, ordinary skin" if material.is_skin else text)


def _opacity(stored: mat0.MaterialRecord) -> float:
    """The factor of all ambient alphas, 0 to 1; 1 where that is no number."""
    factor = float(stored.header["meta_c"])
    return 1.0 if isnan(factor) else min(max(factor, 0.0), 1.0)


def _texture_steps(names: Sequence[bytes], answers: dict[bytes, FoundTexture]) -> Iterator[Step]:
    """For each texture the first phase that names it, and where it was found."""
    told: set[bytes] = set()
    for index, name in enumerate(names[:TRACED_PHASES]):
        if not name:
            yield Step(f"phase {index} has no texture")
        elif name not in told:
            told.add(name)
            yield Step(f"phase {index} names the texture {decode(name)!r}")
            yield from answers[name].steps
    if len(names) > TRACED_PHASES:
        missing = {name for name in names[TRACED_PHASES:] if name and answers[name].picture is None}
        text = f"and {len(names) - TRACED_PHASES} more phases, {len(missing)} of their textures are missing"
        yield Step(text, is_problem=bool(missing))


def _pictures(
    phases: Sequence[Phase], shown: Sequence[FoundTexture | None], steps: list[Step]
) -> Iterator[TextureRef | None]:
    """The texture of each phase, cut to the rectangle that it asks for."""
    for index, (phase, answer) in enumerate(zip(phases, shown, strict=True)):
        picture = None if answer is None else answer.picture
        if picture is not None and phase.page is not None:
            rectangle, step = _page(picture, phase.page, index)
            picture = replace(picture, page=rectangle)
            if index < TRACED_PHASES:
                steps.append(step)
        yield picture


def _page(picture: TextureRef, row: int, phase: int) -> tuple[Rectangle | None, Step]:
    """A row of the page table inside level 0; None, so the whole texture, where there is no such row."""
    pages = picture.texture.pages
    ask = f"phase {phase} asks for rectangle {row} of {picture.name!r}"
    if not 0 <= row < len(pages):
        return None, Step(f"{ask}, which has {len(pages)}: all of it is shown", is_problem=True)
    x, y, w, h = (int(pages[row][name]) for name in "xywh")
    level = picture.texture.levels[0]
    left, top = max(0, x), max(0, y)
    right, bottom = min(x + w, level.width), min(y + h, level.height)
    if right <= left or bottom <= top:
        text = f"{ask}, {w} x {h} at ({x}, {y}), which lies outside: all of it is shown"
        return None, Step(text, is_problem=True)
    return Rectangle(left, top, right - left, bottom - top), Step(f"{ask}: {w} x {h} at ({x}, {y})")


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
