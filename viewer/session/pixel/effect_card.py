"""The explanation of a pixel of an effect for people, sprite by sprite, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from viewer.formats.fxid import COMMAND_KINDS, COMMANDS
from viewer.formats.mat0 import PHASE
from viewer.model.material.materials import Blend
from viewer.model.store.place import Place
from viewer.session.pixel.card_lines import (
    LIGHT_PANEL,
    CardLine,
    CardSection,
    numbers,
    pixel_line,
    range_lines,
    texel_lines,
)
from viewer.session.pixel.sprites import EffectPixel, PixelSprites, ShownSprite
from viewer.translation import _, counted, translated

CLEAR: Final = 0.5 / 255
"""Alpha below which nothing is drawn."""


def sections(found: EffectPixel) -> tuple[CardSection, ...]:
    """The explanation of a pixel of an effect."""
    ranges = tuple(range_lines(found.ranges, found.source))
    parts = (
        CardSection("pixel", _("Pixel"), tuple(_pixel(found))),
        *sprite_sections(found.sprites),
        CardSection("bytes", _("Bytes"), ranges),
    )
    return tuple(it for it in parts if it.lines)


def sprite_sections(sprites: PixelSprites) -> Iterator[CardSection]:
    """Yield a section for each of the nearest sprites, with its number from the eye on."""
    for number, it in enumerate(sprites.nearest):
        kind = translated(COMMAND_KINDS[it.opcode].name)
        words = "{number}. {effect}, block {block}: {kind}"
        title = _(words, number=number + 1, effect=it.source.name, block=it.block, kind=kind)
        yield CardSection(f"sprite{number}", title, tuple(_sprite(it)))


def as_json(found: EffectPixel) -> dict[str, Any]:
    """The explanation with the nearest sprites, from the eye on."""
    return {
        "x": found.x,
        "y": found.y,
        "effect": str(found.source),
        "time": found.time,
        "sprite_count": found.sprites.count,
        "sprites": [
            {
                "block": it.block,
                "kind": COMMAND_KINDS[it.opcode].name,
                "particle": it.particle,
                "position": [*it.place],
                "size": [*it.size],
                "alpha": it.alpha,
                "material": None if it.material is None else it.material.name,
                "phase": it.phase,
                "color": None if it.tint is None else [*it.tint],
                "texel": None if it.texel is None else [*it.texel.color],
            }
            for it in found.sprites.nearest
        ],
        "bytes": [
            {
                "what": it.what,
                "table": it.place.table,
                "row": it.place.row,
                "offset": it.offset,
                "size": it.size,
            }
            for it in found.ranges
            if it.place.address.path == found.source.path
        ],
    }


def _pixel(found: EffectPixel) -> Iterator[CardLine]:
    yield pixel_line(found.x, found.y, found.size, found.source)
    if not found.sprites.count:
        yield CardLine(_("shows"), _("the background"), panel=LIGHT_PANEL)
    yield from count_line(_("shows"), found.sprites)
    words = _("t {time}, {age} of its life", time=f"{found.time:.4g}", age=f"{found.age:.4g}")
    yield CardLine(_("moment"), words, Place(found.source))


def count_line(title: str, sprites: PixelSprites) -> Iterator[CardLine]:
    """Line about the number of sprites, if there are any, and of those that are explained."""
    if not sprites.count:
        return
    words = counted(sprites.count, "{count} sprite", "{count} sprites")
    if sprites.count > len(sprites.nearest):
        words = _("{sprites}, the nearest {count} below", sprites=words, count=len(sprites.nearest))
    yield CardLine(title, words, Place(sprites.nearest[0].source, COMMANDS))


def _sprite(it: ShownSprite) -> Iterator[CardLine]:
    block, (start, end) = Place(it.source, COMMANDS, it.block), it.window
    words = _(
        "active from {start} to {end}, p is {p}",
        start=f"{start:.4g}",
        end=f"{end:.4g}",
        p=f"{it.progress:.3f}",
    )
    yield CardLine(_("window"), words, block)
    if it.particle is not None:
        yield CardLine(_("particle"), str(it.particle), block)
    away = _("{place}, {away} from the eye", place=numbers(it.place), away=f"{it.away:.4g}")
    yield CardLine(_("position"), away, block)
    yield CardLine(_("size"), numbers(it.size), block)
    yield CardLine(_("alpha"), _alpha(it), block)
    material = it.material
    if material is None or it.phase is None or it.tint is None:
        yield CardLine(_("material"), _("none, so nothing is drawn"), block)
        return
    entry = material.entry
    place = block if entry is None else Place(entry)
    yield CardLine(_("material"), _("{name}, {blend}", name=material.name, blend=_blend(it)), place)
    phase = _("phase {phase} of {count}", phase=it.phase, count=len(material.phases))
    yield CardLine(_("phase"), phase, _phase(it) or block)
    name = material.phases[it.phase].texture
    if it.texel is not None:
        yield from texel_lines(_("texture"), it.texel)
    else:
        yield CardLine(_("texture"), name or _("none"), _phase(it, "texture") or block)
    yield CardLine(_("color"), _color(it), _phase(it, "ambient") or block)


def _phase(it: ShownSprite, field: str = "") -> Place | None:
    """The phase that is shown, in the file of the material."""
    entry = None if it.material is None else it.material.entry
    return None if entry is None or it.phase is None else Place(entry, PHASE.name, it.phase, field)


def _blend(it: ShownSprite) -> str:
    blend = Blend.ALPHA if it.material is None else it.material.blend
    return translated(blend.label)


def _alpha(it: ShownSprite) -> str:
    if it.texel is None:
        return numbers((it.alpha,))
    stored, alpha = it.texel.color[3] / 255, min(max(it.alpha, 0.0), 1.0)
    words = _(
        "{all}: {alpha} times {texel} of the texel",
        all=f"{stored * alpha:.3f}",
        alpha=f"{it.alpha:.4g}",
        texel=f"{stored:.3f}",
    )
    return words if stored * alpha >= CLEAR else _("{words}; nothing is drawn there", words=words)


def _color(it: ShownSprite) -> str:
    """The color of the sprite before blending."""
    tint = it.tint or ()
    if it.texel is None:
        return _("the texture times {tint}, the ambient color", tint=numbers(tint))
    r, g, b = (min(round(a * c), 255) for a, c in zip(it.texel.color[:3], tint, strict=True))
    words = "{r}, {g}, {b}: texel times {tint}, the ambient color, unfiltered"
    return _(words, r=r, g=g, b=b, tint=numbers(tint))
