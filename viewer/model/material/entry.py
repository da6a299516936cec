"""The material of one library entry: its phases, its animation and its textures.

Source: spec/materials.md 4, 5; spec/field-notes.md 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isnan
from typing import Final, NamedTuple

from msgspec.structs import replace

from viewer.formats import mat0
from viewer.formats.record import Rows
from viewer.formats.text import decode
from viewer.formats.texture import texm
from viewer.model.game.game_folder import NO_GAME
from viewer.model.material.alpha import alpha_in
from viewer.model.material.lookup import FoundMaterial, FoundTexture, MaterialLookup
from viewer.model.material.materials import (
    PLAIN_PHASE,
    AlphaKind,
    Block,
    BlockKey,
    Color,
    FoundIn,
    Material,
    MissingResource,
    Phase,
    Rectangle,
    TextureRef,
    TraceStep,
    blend_index,
    without_repeats,
)
from viewer.model.store.address import CURRENT, Address
from viewer.model.store.item import Item
from viewer.model.store.place import Place
from viewer.translation import Text, _

TRACED_PHASES: Final = 64
"""Phases that a trace lists individually; further ones are counted."""


class ResolvedEntry(NamedTuple):
    """The part of a material that depends on its library entry alone, and the steps of its textures."""

    material: Material
    steps: tuple[TraceStep, ...] = ()


def resolve_entry(
    found: FoundMaterial, stored: mat0.MaterialRecord, texture: Callable[[bytes], FoundTexture]
) -> ResolvedEntry:
    """The material of an entry and its textures; `texture` looks one up by name."""
    # The game draws nothing of this factor; min and max would let a NaN through.
    factor = float(stored.header["speed_factor"])
    material = Material(
        0,
        entry=found.address,
        attr1=found.attr1,
        opacity=1.0 if isnan(factor) else min(max(factor, 0.0), 1.0),
        stored=stored,
    )
    steps = [_blend_step(material, found.attr1_place)]
    address = found.address or CURRENT
    if not len(stored.phases):
        place = Place(address, mat0.HEADER.name, field="phase_count")
        steps.append(TraceStep.problem("no phases: drawn plain white", place))
    names = stored.textures()
    # Hundreds of phases share few names; without a name there is nothing to look up.
    answers = {name: texture(name) for name in dict.fromkeys(names) if name}
    steps += _texture_steps(address, names, answers)
    phases = tuple(_phases(stored, names)) or (PLAIN_PHASE,)
    shown = [answers.get(name) for name in names] or [None]
    is_skin = material.is_skin
    alphas = {name: alpha_in(answer.alpha, is_skin=is_skin) for name, answer in answers.items()}
    resolved = replace(
        material,
        phases=phases,
        blocks=tuple(map(_block, stored.blocks)),
        textures=tuple(_textures(phases, shown, steps)),
        alphas=tuple(alphas.get(name, AlphaKind.NONE) for name in names) or (AlphaKind.NONE,),
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
    entry = item.nres_entry
    version, attr1 = (entry.attr2, entry.attr1) if entry else (mat0.VERSION, 0)
    # The reader alone is the key, though the version decides what it reads: an entry has only one.
    stored = item.once(mat0.decode, lambda: mat0.decode(item.data, version))

    def no_texture(name: bytes) -> FoundTexture:
        step = TraceStep(_("{problem}, so no texture", problem=why_no_game), True, is_missing=True)
        return FoundTexture((step,), missing=MissingResource("no texture", decode(name)))

    found = FoundMaterial(FoundIn.NAME, (), item.address, attr1, stored)
    resolved = resolve_entry(found, stored, libraries.texture if libraries else no_texture)
    return replace(
        resolved.material, name=decode(item.name), found=FoundIn.NAME, steps=without_repeats(resolved.steps)
    )


def _blend_step(material: Material, place: Place | None) -> TraceStep:
    index = blend_index(material.attr1)
    words, label = "attr1 is {attr1:#x}, blend index {index}: {label}", Text.of(material.blend.label)
    text = _(words, attr1=material.attr1, index=index, label=label)
    if index >= len(mat0.BLENDS):
        return TraceStep(_("{text}: the blend index is unknown", text=text), is_problem=True, place=place)
    return TraceStep(_("{text}, ordinary skin", text=text) if material.is_skin else text, place=place)


def _texture_steps(
    address: Address, names: Sequence[bytes], answers: dict[bytes, FoundTexture]
) -> Iterator[TraceStep]:
    """For each texture of a material the first phase with its name, and the steps of its lookup."""
    seen: set[bytes] = set()
    for index, name in enumerate(names[:TRACED_PHASES]):
        place = Place(address, mat0.PHASE.name, index, "texture")
        if not name:
            yield TraceStep.info("phase {index} has no texture", place, index=index)
        elif name not in seen:
            seen.add(name)
            words = "phase {index} names the texture {name!r}"
            yield TraceStep.info(words, place, index=index, name=decode(name))
            yield from answers[name].steps
    if len(names) > TRACED_PHASES:
        missing = {name for name in names[TRACED_PHASES:] if name and answers[name].texture is None}
        words = "and {count} more phases, {missing} of their textures are missing"
        text = _(words, count=len(names) - TRACED_PHASES, missing=len(missing))
        yield TraceStep(text, bool(missing), Place(address, mat0.PHASE.name, TRACED_PHASES))


def _textures(
    phases: Sequence[Phase], shown: Sequence[FoundTexture | None], steps: list[TraceStep]
) -> Iterator[TextureRef | None]:
    """The texture of each phase, limited to its rectangle."""
    made: dict[tuple[str | None, int], TextureRef] = {}
    for index, (phase, answer) in enumerate(zip(phases, shown, strict=True)):
        texture = None if answer is None else answer.texture
        if texture is not None and phase.page is not None:
            at = phase.texture, phase.page
            # One reference for all phases with the same part of a texture, but a step for each that the trace
            # lists.
            if at not in made or index < TRACED_PHASES:
                rectangle, step = _page(texture, phase.page, index)
                made[at] = replace(texture, page=rectangle)
                if index < TRACED_PHASES:
                    steps.append(step)
            texture = made[at]
        yield texture


def _page(texture: TextureRef, row: int, phase: int) -> tuple[Rectangle | None, TraceStep]:
    """A rectangle of the page table inside level 0; None, for the whole texture, if there is no such row."""
    pages = texture.texture.pages
    ask = _("phase {phase} selects rectangle {row} of {name!r}", phase=phase, row=row, name=texture.name)
    table = Place(texture.address, texm.PAGE.name)
    if not 0 <= row < len(pages):
        words = "{ask}, which has {count}: the whole texture is shown"
        return None, TraceStep.problem(words, table, ask=ask, count=len(pages))
    extent = {name: int(pages[row][name]) for name in "xywh"}
    x, y, w, h = extent.values()
    place = replace(table, row=row)
    level = texture.texture.levels[0]
    # x = 96 and w = 64 on a level of 128 leave 32 pixels: a rectangle over the edge is cut to what there is.
    left, top = max(0, x), max(0, y)
    right, bottom = min(x + w, level.width), min(y + h, level.height)
    if right <= left or bottom <= top:
        words = "{ask}, {w} x {h} at ({x}, {y}), which is outside: the whole texture is shown"
        return None, TraceStep.problem(words, place, ask=ask, **extent)
    step = TraceStep.info("{ask}: {w} x {h} at ({x}, {y})", place, ask=ask, **extent)
    return Rectangle(left, top, right - left, bottom - top), step


def _phases(stored: mat0.MaterialRecord, names: Sequence[bytes]) -> Iterator[Phase]:
    rows = stored.phases
    ambient, diffuse, specular, emissive = (
        _colors(rows, field) for field in ("ambient", "diffuse", "specular", "emissive")
    )
    # No light adds to a black diffuse, and no scene color up to 1 is above a white self-light
    # (spec/field-notes.md 4.1).
    is_unlit = (rows["diffuse"] == 0).all(axis=1) & (rows["ambient"] == 255).all(axis=1)
    textures = (decode(name) or None for name in names)
    # Byte 17 is signed: 255 on the disk is -1, the whole texture (spec/materials.md 4.2).
    pages = (page if page >= 0 else None for page in rows["page"].tolist())
    power, is_lit = rows["power"].tolist(), (~is_unlit).tolist()
    return map(Phase, ambient, diffuse, specular, emissive, power, textures, pages, is_lit)


def _colors(rows: Rows, field: str) -> Iterator[Color]:
    """A color and its alpha of each phase."""
    # The alpha of the ambient color is in hundredths, 100 being opaque, the others in 255ths
    # (spec/materials.md 4.2).
    alpha = rows[f"{field}_alpha"] / (mat0.PHASE.field(f"{field}_alpha").scale or 1)
    return zip(*(rows[field] / 255).T.tolist(), alpha.tolist(), strict=True)


def _block(stored: mat0.BlockRecord) -> Block:
    pairs = zip(stored.keys["phase"].tolist(), stored.keys["time"].tolist(), strict=True)
    return Block(stored.mode, stored.mask, tuple(BlockKey(*pair) for pair in pairs))
