"""Effects: the time of a moment of many particles, of a stream that is replayed, and of drawing particles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from viewer.cli.bench.subjects import Subjects
from viewer.cli.bench.timing import Work, by_name
from viewer.formats.fxid import COMMAND_KINDS, HEADER, decode
from viewer.formats.text import padded
from viewer.model.effects.blocks import BURST, STREAM
from viewer.model.effects.program import EffectInputs, EffectProgram
from viewer.model.material.materials import Material, Phase
from viewer.render.buffers.effect_sprites import instances, sprite_materials
from viewer.render.buffers.model_buffers import nothing
from viewer.render.passes.base import FrameScene
from viewer.render.passes.effects import EffectPass
from viewer.render.programs import FrameBlock, Programs, Projection
from viewer.render.targets import RenderTarget, new_texture
from viewer.session.view.camera import Camera

BURSTS: Final = 20
FRAMES: Final = 60
"""Frames a second."""
ONE: Final = (1.0, 1.0, 1.0)
_PARTICLES: Final[Mapping[str, Any]] = {
    "window_end": 1.0,
    "fade_start": 1.0,
    "fade_power": 1.0,
    "position_high": (0.0, 0.0, 3.0),
    "position_jitter": (4.0, 4.0, 4.0),
    "position_exponents": (0.5, 0.5, 1.0),
    "size_low": ONE,
    "size_high": (3.0, 3.0, 3.0),
    "size_jitter": ONE,
    "size_exponents": ONE,
}


def effect_1000(_: Subjects) -> Work:
    """A moment of an effect of 1,000 particles in 20 bursts, one of those of a second of playing."""
    burst = _block(BURST, life=1.0, phase_rate=1.0, count_0=5, count_1=10)
    return _playing([burst] * BURSTS, [frame / FRAMES for frame in range(FRAMES)])


def effect_stream_60s(_: Subjects) -> Work:
    """A stream of up to 200 particles a second, after 60 seconds."""
    stream = _block(STREAM, interval_start=0.02, interval_end=0.005, phase_exponent=1.0, ring=40)
    return _playing([stream], [60.0])


def effect_draw_20k(subjects: Subjects) -> Work:
    """Upload and draw 20,000 particles, without the later work of the driver."""
    ctx = subjects.renderer.ctx
    programs, block = Programs.of(ctx), FrameBlock(ctx)
    program = _program([_block(BURST, life=1.0, phase_rate=1.0, count_0=40, count_1=25)] * BURSTS)
    white = (1.0, 1.0, 1.0, 1.0)
    (material,) = sprite_materials(
        [Material(0, phases=(Phase(white, white, white, white),), textures=(None,))]
    )
    moment, camera = program.at(EffectInputs(0.7)), Camera(distance=100)
    sprites = instances(program, moment, [material] * BURSTS, camera.eye)
    target, model = RenderTarget(ctx), nothing(ctx)
    target.resize(subjects.sizes.frame)
    projection = Projection.of(camera, subjects.sizes.frame)
    scene = FrameScene(subjects.view, model, model.choose(subjects.view), projection, target.scene)
    layer, texture = EffectPass(ctx, programs), new_texture(ctx, (1, 1), 4, b"\xff" * 4)

    def prepare() -> None:
        target.scene.use()
        block.write(projection)
        ctx.finish()

    def draw() -> None:
        layer.show(sprites, lambda _: texture)
        layer.draw(scene)

    return Work(draw, before=prepare, after=ctx.finish)


def _program(blocks: list[bytes]) -> EffectProgram:
    header = HEADER.new()
    header["command_count"], header["time_mode"] = len(blocks), 2
    header["duration"], header["scale"] = 2.0, 1.0
    return EffectProgram.of(decode(header.tobytes() + b"".join(blocks)))


def _playing(blocks: list[bytes], moments: list[float]) -> Work:
    """Moments of an effect of which nothing was played before."""
    programs = [_program(blocks)]

    def renew() -> None:
        programs[:] = [_program(blocks)]

    def play() -> None:
        for seconds in moments:
            programs[0].at(EffectInputs(seconds))

    return Work(play, before=renew, parts=len(moments))


def _block(opcode: int, **values: Any) -> bytes:
    row = COMMAND_KINDS[opcode].record.new()
    row["word"] = opcode
    row["archive"], row["resource"] = padded(b"Material.lib", 32), padded(b"FLAME", 32)
    for name, value in {**_PARTICLES, **values}.items():
        row[name] = value
    return row.tobytes()


CASES: Final = by_name(effect_1000, effect_stream_60s, effect_draw_20k)
