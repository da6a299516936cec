"""The sounds of the effects on screen, if they are switched on."""

from __future__ import annotations

from collections.abc import Iterator

from viewer.app.loading import game_of
from viewer.app.open_controller import OpenController
from viewer.app.platform.sound_player import SoundPlayer
from viewer.app.state import State
from viewer.dataclass import replace
from viewer.errors import MshviewError
from viewer.formats.record import ENTRY
from viewer.model.references.targets import ResourceName, Targets
from viewer.model.store.address import CURRENT, Address
from viewer.session.play import unit_posing
from viewer.session.play.model_effects import Hearing, PlayedEffect, played, staged
from viewer.session.view.effect_look import seen_from


class SoundController:
    """Plays what is heard of the active tab; owner: the application."""

    def __init__(self, state: State, opener: OpenController) -> None:
        self._state, self._opener = state, opener
        self._hearing = Hearing()
        self._player = SoundPlayer(self._read, state.note)

    def update(self) -> None:
        """Play what begins now, and end loops that are not heard any more; while time stands still, all."""
        state, view = self._state, self._state.view
        effects = [*self._effects()] if view.is_playing and view.playback.has_sound else []
        heard = self._hearing.of(effects)
        self._player.play(state.tabs.active.address or CURRENT, heard)

    def _effects(self) -> Iterator[PlayedEffect]:
        """The effects that play, as heard where the camera is."""
        state, view = self._state, self._state.view
        found: tuple[PlayedEffect | None, ...] = ()
        if state.document is not None and state.pose is not None:
            found = played(state.document, view, state.pose)
        elif state.unit is not None:
            found = unit_posing.played(state.unit, view, unit_posing.placed(state.unit, view))
        elif state.resource is not None and state.resource.is_effect:
            found = (staged(state.resource, view),)
        for it in found:
            if it is not None:
                yield it if it.keeps_eye else replace(it, inputs=seen_from(it.inputs, view.camera))

    def _read(self, address: Address, archive: bytes, name: bytes) -> bytes | None:
        """The file of a sound in the game folder of what is shown; None if there is none."""
        library = self._opener.library
        try:
            game = game_of(library, address, self._opener.choices(address)[1])
            target = Targets(library, game).find(ResourceName(ENTRY, name, archive))
            found = None if target.place is None else library.open(target.place.address)
        except MshviewError:
            return None
        return None if found is None else bytes(found.data)

    def close(self) -> None:
        """Give the sound device back."""
        self._player.close()
