"""Effects: the time of a moment of many particles, and of a stream that is replayed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from viewer.cli.bench.subjects import Subjects
from viewer.cli.bench.timing import Work
from viewer.formats.fxid import COMMAND_KINDS, HEADER, decode
from viewer.formats.text import padded
from viewer.model.effects.blocks import BURST, STREAM
from viewer.model.effects.program import EffectInputs, EffectProgram

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


def _playing(blocks: list[bytes], moments: list[float]) -> Work:
    header = HEADER.new()
    header["command_count"], header["time_mode"] = len(blocks), 2
    header["duration"], header["scale"] = 2.0, 1.0
    program = EffectProgram.of(decode(header.tobytes() + b"".join(blocks)))

    def play() -> None:
        for seconds in moments:
            program.at(EffectInputs(seconds))

    return Work(play, parts=len(moments))


def _block(opcode: int, **values: Any) -> bytes:
    row = COMMAND_KINDS[opcode].record.new()
    row["word"] = opcode
    row["archive"], row["resource"] = padded(b"Material.lib", 32), padded(b"FLAME", 32)
    for name, value in {**_PARTICLES, **values}.items():
        row[name] = value
    return row.tobytes()


CASES: Final[Mapping[str, Callable[[Subjects], Work]]] = {
    "effect_1000": effect_1000,
    "effect_stream_60s": effect_stream_60s,
}
