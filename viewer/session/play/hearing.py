"""What is heard of the effects that play."""

from __future__ import annotations

from collections.abc import Iterable

from viewer.dataclass import dataclass
from viewer.model.effects.sounds import voices
from viewer.session.play.model_effects import PlayedEffect


@dataclass(frozen=True, slots=True)
class HeardSound:
    """A sound: one that begins now and plays once, or a loop that goes on as long as it is heard.

    Attributes
    ----------
    key
        Which effect, and which block of it.
    archive, name
        Its file.
    volume, rate
        0 to 1, and how much faster than usual it plays.
    """

    key: tuple[int, int]
    archive: bytes
    name: bytes
    is_loop: bool
    volume: float
    rate: float


class Hearing:
    """Follows the effects that play from moment to moment; owner: the app."""

    def __init__(self) -> None:
        self._times: dict[tuple[int, int], float] = {}

    def of(self, effects: Iterable[PlayedEffect]) -> list[HeardSound]:
        """What is heard now; what was not there before was just made."""
        times, heard = {}, []
        for played in effects:
            key = played.key, id(played.program)
            found, times[key] = voices(played.program, played.inputs, self._times.get(key, 0.0))
            for voice in found:
                named = played.program.blocks.names[voice.block]
                if named is not None:
                    where = played.key, voice.block
                    heard.append(HeardSound(where, *named, voice.is_loop, voice.volume, voice.rate))
        self._times = times
        return heard
