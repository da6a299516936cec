"""``effect``: what an effect shows at a moment."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated, Any, Final, TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from viewer.cli import answers, output, text_table
from viewer.cli.answers import Answer
from viewer.cli.inputs import expand, file_store, findings_in
from viewer.cli.picturing import effect_options
from viewer.cli.usage.arguments import add_addresses, add_forms, add_out, number
from viewer.cli.usage.reading_arguments import add_strictness
from viewer.cli.usage.verbs import DONE
from viewer.errors import UsageError
from viewer.formats.fxid import OPCODES
from viewer.formats.text import decode
from viewer.json_types import JsonObject, Natural, Number, Quaternion, TableRow, Vector, described
from viewer.model.effects.moment import EffectMoment
from viewer.model.effects.program import EffectInputs, EffectProgram
from viewer.model.effects.templates import TEMPLATES, TemplateName
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.effects.effects import effect_of
from viewer.translation import _, counted, translated

Made = TypeVar("Made", bound=JsonObject)
DIGITS: Final = 9
"""Significant digits of computed numbers."""


class Sprite(JsonObject, frozen=True):
    """A sprite; x, y and z are the world columns of its axes."""

    particle: Natural
    center: Vector
    x: Vector
    y: Vector
    z: Vector | None
    alpha: Number
    phase: Number


class NamedResource(JsonObject, frozen=True):
    """A resource by its archive and its name."""

    archive: str
    name: str


class EffectLight(JsonObject, frozen=True):
    """Light of a block."""

    position: Vector
    direction: Vector
    range: Number
    color: Quaternion


class EffectSound(NamedResource, frozen=True):
    """Sound of a block."""

    near: Number
    far: Number
    rate: Number


class EffectBolt(JsonObject, frozen=True):
    """A bolt from one point to another."""

    start: Vector = field(name="from")
    end: Vector = field(name="to")
    pieces: Natural
    width: Number
    repeat: Number


class EffectBlock(JsonObject, frozen=True):
    """Content of a block of an effect."""

    index: Natural
    type: int
    on_top: bool
    active: bool
    p: Annotated[Number, described("its progress")]
    material: NamedResource | None
    sprites: Sequence[Sprite]
    light: EffectLight | None
    sound: EffectSound | None
    bolt: EffectBolt | None


class EffectAnswer(Struct, frozen=True):
    """Content of an effect at a moment."""

    source: str
    seed: int
    duration: Annotated[Number, described("of the header, seconds")]
    mode: int
    t: Number
    lin: Number
    alive: bool
    blocks: Sequence[EffectBlock]


class BlockLine(TableRow, frozen=True):
    """A block in one line: its sprites are counted."""

    index: int
    kind: str
    on_top: bool = field(name="on top")
    active: bool
    p: float
    names: str | None
    shows: str | None


class SpriteRow(JsonObject, frozen=True):
    """A sprite in the table of all."""

    block: Natural
    particle: Natural
    center: Vector
    x: Vector
    y: Vector
    z: Vector | None
    alpha: Number
    phase: Number


ANSWER: Final = EffectAnswer


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_addresses(parser, nargs="*")
    add = parser.add_argument
    add("--time", type=number, metavar="T", help="seconds since the effect was made")
    kinds = [it.value for it in TemplateName]
    add("--new", choices=kinds, metavar="KIND", help=f"write a new effect to -o instead: {', '.join(kinds)}")
    add_out(parser, "FILE", "the file of a new effect, - for standard output", is_required=False)
    add("--size", type=number, default=1.0, metavar="S", help="size in the world, default 1")
    effect_options.declare(parser)
    add_forms(parser, "the sprites")
    add_strictness(parser)


def run(options: Namespace) -> int:
    """Print what the effect at each address shows, or write a new one."""
    if options.new is not None:
        return _write_new(options)
    if not options.addresses or options.time is None or options.out is not None:
        raise UsageError(_("addresses and --time are needed, or --new and -o"), source="effect")
    at = effect_options.inputs("effect", options, options.time, options.size)
    store = file_store(*options.addresses)
    expand(options, store)
    return answers.write("effect", options, partial(_answer, options, store, at))


def _write_new(options: Namespace) -> int:
    """Write a new effect."""
    from viewer.cli import target  # noqa: PLC0415 not needed to read
    from viewer.model.material.lookup import DEFAULT  # noqa: PLC0415

    if options.addresses or options.time is not None or options.out is None:
        raise UsageError(_("--new needs -o, and neither addresses nor --time"), source="effect")
    target.check(options)
    target.write(options, TEMPLATES[TemplateName(options.new)].made({}, DEFAULT))
    return DONE


def _answer(options: Namespace, store: FileStore, at: EffectInputs, text: str) -> Answer:
    item = store.open(Address.given(text))
    program = EffectProgram.of(effect_of(item), effect_options.seed(options))
    output.report(text, findings_in(options, item, program.problems), is_strict=options.strict)
    moment = program.at(at)
    made = partial(_document, text, program, at, moment)
    # Lines only count the sprites.
    counted = range(len(moment.sprites))
    return Answer(
        lambda: made(_sprites(moment)),
        lambda: _lines(made(counted)),
        lambda: [
            SpriteRow.of(sprite, block=block)
            for block, sprite in zip(moment.sprites.block.tolist(), _sprites(moment), strict=True)
        ],
    )


def _document(
    source: str, program: EffectProgram, at: EffectInputs, moment: EffectMoment, sprites: Sequence[Any]
) -> EffectAnswer:
    header = program.effect.header
    return EffectAnswer(
        source=source,
        seed=program.seed,
        duration=header["duration"],
        mode=int(header["time_mode"]) if at.mode is None else at.mode,
        t=_rounded(moment.time),
        lin=_rounded(moment.age),
        alive=moment.is_alive,
        blocks=_blocks(program, moment, sprites),
    )


def _blocks(program: EffectProgram, moment: EffectMoment, sprites: Sequence[Any]) -> list[EffectBlock]:
    blocks, rows = program.blocks, moment.sprites.block
    # Sprites stand block after block: those of block b are starts[b] to starts[b + 1].
    starts = np.searchsorted(rows, np.arange(len(blocks.opcodes) + 1)).tolist()
    lights, sounds, bolts = moment.lights, moment.sounds, moment.bolts
    shone = dict(zip(lights.block.tolist(), _rows(EffectLight, lights), strict=True))
    struck = dict(zip(bolts.block.tolist(), _rows(EffectBolt, bolts), strict=True))
    named = [_pair(blocks.names[it]) or NamedResource("", "") for it in sounds.block.tolist()]
    heard = _rows(EffectSound, sounds, archive=[it.archive for it in named], name=[it.name for it in named])
    found = zip(
        blocks.opcodes.tolist(), blocks.on_top.tolist(), moment.active.tolist(), moment.progress, strict=True
    )
    played = dict(zip(sounds.block.tolist(), heard, strict=True))
    return [
        EffectBlock(
            index=index,
            type=opcode,
            on_top=is_on_top,
            active=is_active,
            p=_rounded(p),
            material=None if OPCODES[opcode] == "sound" else _pair(blocks.names[index]),
            sprites=sprites[starts[index] : starts[index + 1]],
            light=shone.get(index),
            sound=played.get(index),
            bolt=struck.get(index),
        )
        for index, (opcode, is_on_top, is_active, p) in enumerate(found)
    ]


def _sprites(moment: EffectMoment) -> list[Sprite]:
    axes = zip(_rounded_rows(moment.sprites.z), moment.has_z.tolist(), strict=True)
    return _rows(Sprite, moment.sprites, z=[axis if has_z else None for axis, has_z in axes])


def _pair(names: tuple[bytes, bytes] | None) -> NamedResource | None:
    return None if names is None else NamedResource(decode(names[0]), decode(names[1]))


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _rows(kind: type[Made], columns: object, **others: Sequence[Any]) -> list[Made]:
    """The rows of columns (n,) or (n, k), with rounded numbers, as objects; `others` as they are."""
    made = (
        others[name] if name in others else _rounded_rows(getattr(columns, name))
        for name in kind.__struct_fields__
    )
    return [kind(*row) for row in zip(*made, strict=True)]


def _rounded_rows(values: npt.NDArray[Any]) -> Sequence[Any]:
    if values.dtype.kind == "i":
        numbers: list[int] = values.tolist()
        return numbers
    rounded = [float(f"{value:.{DIGITS}g}") for value in values.ravel().tolist()]
    if values.ndim == 1:
        return rounded
    width = values.shape[1]
    return [rounded[start : start + width] for start in range(0, len(rounded), width)]


def _lines(document: EffectAnswer) -> Iterator[str]:
    state = "" if document.alive else _(", deleted")
    yield _(
        "mode {mode}, {duration:g} s, seed {seed}",
        mode=document.mode,
        duration=document.duration,
        seed=document.seed,
    )
    yield _("time t {t:.6g}, age lin {lin:.6g}{state}", t=document.t, lin=document.lin, state=state)
    if document.blocks:
        yield ""
        yield from text_table.lines([*map(_readable, document.blocks)])


def _readable(block: EffectBlock) -> BlockLine:
    named = block.material or block.sound
    return BlockLine(
        index=block.index,
        kind=translated(OPCODES[block.type]),
        on_top=block.on_top,
        active=block.active,
        p=float(f"{block.p:.4g}"),
        names=f"{named.archive}::{named.name}" if named else None,
        shows=_shown(block),
    )


def _shown(block: EffectBlock) -> str | None:
    if block.sprites:
        return counted(len(block.sprites), "{count} sprite", "{count} sprites")
    if block.light:
        return _("range {range:.4g}", range=block.light.range)
    if block.sound:
        return _("rate {rate:.4g}", rate=block.sound.rate)
    if bolt := block.bolt:
        return _("{pieces} pieces, width {width:.4g}", pieces=bolt.pieces, width=bolt.width)
    return None
