"""Damaged effects: one message for what is wrong, no hang, no flood of particles, and the rest plays."""

from __future__ import annotations

import struct
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.model.effects.effects import BOLT, BURST, LIGHT, SOUND, SPRITE, STREAM, block, effect
from tests.share import examples
from viewer.formats import fxid
from viewer.model.effects.faults import MOST_PARTICLES, MOST_STREAMS
from viewer.model.effects.program import EffectInputs, EffectProgram

NAN, INF = float("nan"), float("inf")
WHOLE = block(3, **SPRITE)


def program(*blocks: bytes, **header: Any) -> EffectProgram:
    return EffectProgram.of(fxid.decode(effect(*blocks, **header)))


@pytest.mark.parametrize(
    ("opcode", "values", "rule", "field"),
    [
        (3, SPRITE | {"size_low": (1, NAN, 1)}, "FX01", "size_low"),
        (1, LIGHT | {"range_start": INF}, "FX01", "range_start"),
        (5, BOLT | {"segment": NAN}, "FX01", "segment"),
        (2, SOUND | {"near": -INF}, "FX01", "near"),
        (3, SPRITE | {"window_start": 0.8, "window_end": 0.2}, "FX02", "window_end"),
        (3, SPRITE | {"window_end": 7}, "FX02", "window_start"),
        (7, BURST | {"life": 0}, "FX03", "life"),
        (10, BURST | {"life": -1}, "FX03", "life"),
        (8, STREAM | {"interval_end": -0.1}, "FX03", "interval_end"),
        (8, STREAM | {"interval_start": 0}, "FX03", "interval_start"),
        (8, STREAM | {"ring": 0}, "FX04", "ring"),
        (8, STREAM | {"ring": 1 << 31}, "FX04", "ring"),
        (5, BOLT | {"most_pieces": 0}, "FX04", "most_pieces"),
        (5, BOLT | {"most_pieces": 1 << 31}, "FX04", "most_pieces"),
        (7, BURST | {"count_1": 0}, "FX04", "count_1"),
        (7, BURST | {"count_0": 1 << 31}, "FX04", "count_0"),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_played_is_one_message(
    opcode: int, values: dict[str, Any], rule: str, field: str
) -> None:
    played = program(WHOLE, block(opcode, **values))
    assert [(it.rule, it.table, it.index, it.field) for it in played.problems] == [
        (rule, "commands", 1, field)
    ]
    moment = played.at(EffectInputs(1.0))
    assert 0 in moment.sprites.block
    assert len(moment.sprites) <= MOST_PARTICLES


@pytest.mark.parametrize("seconds", [0.0, 0.5, 1e9])
@pytest.mark.parametrize(
    ("opcode", "values"),
    [
        (7, {"count_0": 1 << 16, "count_1": 1 << 15}),
        (8, {"ring": (1 << 31) - 1, "interval_start": 1e-30, "interval_end": 1e-30}),
        (8, {"ring": 1 << 20, "interval_start": 1e-5, "interval_end": 1e-5}),
    ],
)
def test_counts_are_limited(opcode: int, values: dict[str, int], seconds: float) -> None:
    made = block(opcode, **(BURST if opcode == 7 else STREAM) | values)
    played = program(made, made, time_mode=4)
    assert [it.rule for it in played.problems] == ["FX05"]
    assert len(played.at(EffectInputs(seconds)).sprites) <= MOST_PARTICLES


def test_pieces_of_bolts_are_limited() -> None:
    bolt = block(5, **BOLT | {"most_pieces": (1 << 31) - 1, "segment": 1e-30})
    played = program(block(3, **SPRITE), bolt, bolt)
    assert [it.rule for it in played.problems] == ["FX05"]
    bolts = played.at(EffectInputs(1.0, target=(0.0, 100.0, 0.0))).bolts
    assert bolts.pieces.tolist() == [MOST_PARTICLES - 1, 1]


@pytest.mark.parametrize(
    ("field", "value"), [("duration", NAN), ("scale", (1, INF, 1)), ("time_jitter", NAN)]
)
def test_a_header_without_numbers_plays_what_it_can(field: str, value: Any) -> None:
    played = program(WHOLE, flags=1, **{field: value})
    assert [(it.rule, it.table, it.field) for it in played.problems] == [("FX01", "header", field)]
    moment = played.at(EffectInputs(1.0))
    assert np.isfinite([moment.time, moment.age]).all()


def test_a_negative_duration_is_said() -> None:
    played = program(WHOLE, duration=-1.0)
    assert [(it.rule, it.field) for it in played.problems] == [("FX03", "duration")]
    assert played.at(EffectInputs(1.0)).time == 0


@pytest.mark.parametrize(
    "data", [effect(WHOLE, WHOLE)[:-5], effect(WHOLE, b"\x0b" + bytes(50)), effect(WHOLE, command_count=9)]
)
def test_blocks_before_one_that_is_cut_or_unknown_play(data: bytes) -> None:
    played = EffectProgram.of(fxid.decode(data))
    assert [it.rule for it in played.problems][:1] in (["F02"], ["F03"])
    assert played.at(EffectInputs(1.0)).sprites.block.tolist() == [0]


def test_many_streams_do_not_hang() -> None:
    stream = block(8, **STREAM | {"interval_start": 0.001, "interval_end": 0.001})
    played = program(*[stream] * (MOST_STREAMS + 1), time_mode=4)
    assert [it.rule for it in played.problems] == ["FX05"]
    moment = played.at(EffectInputs(3e38))
    assert {*moment.sprites.block.tolist()} <= {*range(MOST_STREAMS)}
    assert len(moment.sprites) <= MOST_PARTICLES


def test_a_block_without_numbers_is_one_message_that_names_its_fields() -> None:
    played = program(block(1, **LIGHT | {"range_start": NAN, "range_end": INF, "window_start": NAN}))
    (problem,) = played.problems
    assert (problem.rule, problem.index, problem.field) == ("FX01", 0, "window_start")
    assert problem.message.endswith("range_start, range_end")


NUMBERS = st.floats(width=32) | st.sampled_from([0.0, 1.0, -1.0, NAN, INF, 3e38, 1e-40])


@settings(max_examples=examples(150), deadline=None)
@given(st.data())
def test_any_numbers_are_played_without_errors_and_give_finite_sprites(data: st.DataObject) -> None:
    blocks = []
    for opcode in data.draw(st.lists(st.sampled_from([1, 2, 3, 4, 5, 7, 8, 9, 10]), min_size=1, max_size=4)):
        size = fxid.COMMAND_KINDS[opcode].record.size
        words = data.draw(st.lists(NUMBERS, min_size=(size - 4) // 4, max_size=(size - 4) // 4))
        stored = bytearray(struct.pack("<I", opcode) + struct.pack(f"<{len(words)}f", *words))
        at = fxid.COMMAND_KINDS[opcode].record.field("archive").offset
        stored[at : at + 64] = b"Material.lib".ljust(32, b"\0") + b"FLAME".ljust(32, b"\0")
        blocks.append(bytes(stored))
    header = {"duration": data.draw(NUMBERS), "time_jitter": data.draw(NUMBERS)}
    flags, mode = data.draw(st.integers(0, 0x3FF)), data.draw(st.integers(0, 20))
    played = EffectProgram.of(fxid.decode(effect(*blocks, flags=flags, time_mode=mode, **header)))
    moment = played.at(EffectInputs(data.draw(st.sampled_from([0.0, 0.3, 5.0])), strength=0.5))
    sprites = moment.sprites
    assert len(sprites) <= MOST_PARTICLES
    for values in (sprites.center, sprites.x, sprites.y, sprites.z, sprites.alpha, sprites.phase):
        assert np.isfinite(values).all()
    for values in (moment.lights.range, moment.bolts.width, moment.bolts.repeat, moment.progress):
        assert np.isfinite(values).all()


def test_a_signaling_nan_in_the_header_is_no_warning() -> None:
    data = bytearray(effect())
    offset = fxid.HEADER.dtype.fields["scale"][1]  # type: ignore[index]
    data[offset : offset + 4] = b"\x01\x00\x80\x7f"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert EffectProgram.of(fxid.decode(bytes(data))).scale[0] == 0
