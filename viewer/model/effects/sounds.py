"""Sounds of effects: their times and volumes.

Source: spec/effects.md 9.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec import Struct

from viewer.formats.fxid import COMMAND_KINDS, REFERENCE, WINDOW, Effect
from viewer.formats.text import decode, until_nul
from viewer.model.effects.blocks import SOUND
from viewer.model.effects.clock import EffectFlag
from viewer.model.effects.program import EffectInputs, EffectProgram
from viewer.translation import _

LOOPS: Final = (2, 3)
"""Kinds of sounds that play as long as their window; others play once."""


RATES: Final = 1 / 64, 64.0
"""Playback rates with which a sound is heard, six octaves down and up [ours]; files hold any number."""


class EffectVoice(Struct, frozen=True):
    """A sound that plays: its block, whether it loops, its volume, 0 to 1, and its playback rate."""

    block: int
    is_loop: bool
    volume: float
    rate: float


def sound_lines(effect: Effect) -> list[str]:
    """Lines of the sounds of an effect and their times: one for each that has a name."""
    rows = effect.records(COMMAND_KINDS[SOUND])
    return [
        _("{name}: loop from {start:g} to {end:g}", name=name, start=start, end=end)
        if kind in LOOPS
        else _("{name}: once at {start:g}", name=name, start=start)
        for kind, start, end, stored in rows[["mode", *WINDOW, REFERENCE[1]]].tolist()
        if (name := decode(until_nul(stored)))
    ]


def voices(
    program: EffectProgram, inputs: EffectInputs, before: float = 0.0
) -> tuple[list[EffectVoice], float]:
    """The sounds that begin or go on at a moment, and the time that the next moment is given as `before`.

    Parameters
    ----------
    before
        The effect's time at the last moment; 0 for an effect that was just made.
    """
    clock, table, blocks = program.clock(inputs), program.blocks.sounds, program.blocks
    time = float(clock.time(np.array([inputs.seconds]))[0])
    # 1.0 counts as 0 (effects.md 9).
    now = 0.0 if time == 1 else time
    is_off = clock.flags & EffectFlag.STARTS_OFF and not inputs.is_started
    if is_off or clock.has_ended(inputs.seconds) or not len(table.block):
        return [], now
    start, end = blocks.start[table.block], blocks.end[table.block]
    is_loop = np.isin(table.kind, LOOPS)
    begins = (before <= now) & (before <= start) & (start < now)
    plays = np.where(is_loop, (start <= time) & (time <= end), begins)
    p = blocks.progress(np.array(time), table.block)
    place = program.frame(inputs).points(table.position.at(p))
    distance = np.linalg.norm(place - np.array(inputs.eye), axis=1)
    with np.errstate(all="ignore"):
        # near / d, and constant past far.
        volume = np.where(distance <= table.near, 1.0, table.near / np.minimum(distance, table.far))
    # Past far a loop keeps its volume; a sound that plays once is silent.
    volume = np.where(is_loop | (distance <= table.far), np.clip(np.nan_to_num(volume), 0, 1), 0.0)
    rate = table.rate.at(p)
    plays &= (rate >= RATES[0]) & (rate <= RATES[1])  # no rate that is not a number, or backwards
    rows = zip(*(it[plays].tolist() for it in (table.block, is_loop, volume, rate)), strict=True)
    return [EffectVoice(*row) for row in rows], now
