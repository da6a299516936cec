"""How the parts of a unit are shown: how far they are apart, and what each plays."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from viewer.dataclass import dataclass, field, replace
from viewer.session.play.playback import Playback

MOST_APART: Final = 2.0
"""The largest value of `UnitPlay.explode`."""
_NOTHING: Final[Mapping[int, Playback]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class UnitPlay:
    """What applies to the parts of a unit; its chassis plays what the view does.

    Attributes
    ----------
    explode
        How far each part is away from the part that it hangs on: by this multiple of the distance of their
        centers.
    playbacks
        What other parts play, by component.
    """

    explode: float = 0.0
    playbacks: Mapping[int, Playback] = field(default_factory=lambda: _NOTHING)

    def with_playback(self, component: int, playback: Playback) -> UnitPlay:
        """The unit with what one of its parts plays changed."""
        return replace(self, playbacks=MappingProxyType({**self.playbacks, component: playback}))
