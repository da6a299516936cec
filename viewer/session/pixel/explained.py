"""An explained pixel with what it is about, as the window keeps it."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct, field

from viewer.formats.fxid import COMMANDS
from viewer.model.store.place import Place
from viewer.session.opened.document import Document
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.pixel import card, effect_card
from viewer.session.pixel.card_lines import CardSection
from viewer.session.pixel.explanation import PixelExplanation
from viewer.session.pixel.sprites import EffectPixel
from viewer.session.play.stage import Stage, documents_of
from viewer.session.selection import Selection
from viewer.session.view.view_state import ViewState

_NOT_IN_IMAGE: Final = frozenset(
    {
        *("selection", "flash", "flash_time", "followed", "usual", "guesses", "has_view_cube"),
        *("frames", "is_playing", "is_reversed", "speed", "loop", "snaps_to_frames"),
    }
)
"""Fields of a view that say nothing of what a pixel shows: what is marked, and how the time goes on."""
_FIELDS: Final = tuple(name for name in ViewState.__struct_fields__ if name not in _NOT_IN_IMAGE)
"""All others: a new field determines the image unless it is named above."""


class ExplainedPixel(Struct, frozen=True, eq=False):
    """An explanation with the model or the effect that it is about, and the view of its tab at that time.

    Attributes
    ----------
    selection
        What a click there selects.
    """

    shown: Document | OpenedResource
    view: ViewState
    found: PixelExplanation | EffectPixel
    selection: Selection = field(default_factory=Selection)

    def is_outdated(self, stage: Stage | None, view: ViewState) -> bool:
        """Whether a view of what is open shows something else now."""
        is_same = all(getattr(view, name) == getattr(self.view, name) for name in _FIELDS)
        about = (*documents_of(stage), *(() if stage is None else (stage.shown,)))
        return all(it is not self.shown for it in about) or not is_same

    def sections(self) -> tuple[CardSection, ...]:
        """The explanation for people."""
        if isinstance(self.found, EffectPixel):
            return effect_card.sections(self.found)
        assert isinstance(self.shown, Document)
        return card.sections(self.shown, self.found)

    def as_json(self) -> Struct | dict[str, Any]:
        """The explanation for programs."""
        it = self.found
        return effect_card.as_json(it) if isinstance(it, EffectPixel) else card.as_json(it)

    @property
    def place_of_bytes(self) -> Place | None:
        """The place of the bytes of the triangle, or of the block of the nearest sprite."""
        if isinstance(self.found, EffectPixel):
            nearest = next(iter(self.found.sprites.nearest), None)
            return None if nearest is None else Place(nearest.source, COMMANDS, nearest.block)
        return card.place_of_bytes(self.found)
