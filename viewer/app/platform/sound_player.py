"""The sounds of effects, played by miniaudio, which need not be installed; without a device none is heard."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from threading import Lock
from time import monotonic
from typing import Any, Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.app.platform.sound_cache import RATE, Samples, SoundCache, SoundKey
from viewer.control.jobs import Jobs
from viewer.control.opening.loading import game_of
from viewer.control.opening.open_controller import OpenController
from viewer.control.state import State
from viewer.errors import MshviewError
from viewer.formats.record import ENTRY
from viewer.model.references.targets import ResourceName, Targets
from viewer.model.store.address import CURRENT, Address
from viewer.progress import Progress
from viewer.session.play import unit_posing
from viewer.session.play.model_effects import HeardSound, Hearing, PlayedEffect, played, staged
from viewer.session.view.effect_look import seen_from
from viewer.translation import _

MOST_VOICES: Final = 32
LATE: Final = 0.25
"""Seconds within which a sound that plays once may still begin, after its file was decoded."""


class _Voice(Struct, eq=False):
    samples: Samples
    heard: HeardSound
    at: float = 0.0


class Mixer:
    """Adds up the sounds that play; owner: a player, called from its thread and that of the device."""

    def __init__(self) -> None:
        self._voices: list[_Voice] = []
        self._lock = Lock()

    def take(self, heard: Iterable[tuple[HeardSound, Samples]]) -> None:
        """Begin sounds that play once, and loops that do not yet; end the loops that are not among them."""
        with self._lock:
            loops = {it.heard.key: it for it in self._voices if it.heard.is_loop}
            voices = [it for it in self._voices if not it.heard.is_loop]
            for sound, samples in heard:
                voice = loops.get(sound.key) if sound.is_loop else None
                if voice is None or voice.samples is not samples:
                    voices.append(_Voice(samples, sound))
                else:
                    voice.heard = sound  # its volume may have changed
                    voices.append(voice)
            self._voices = voices[-MOST_VOICES:]

    def mix(self, count: int) -> Samples:
        """The next samples, (count, 2)."""
        mixed = np.zeros((count, 2), np.float32)
        with self._lock:
            for voice in self._voices:
                heard, length = voice.heard, len(voice.samples)
                at = voice.at + np.arange(count) * heard.rate
                index = at.astype(np.int64)
                index = index % length if heard.is_loop else index[index < length]
                played = voice.samples[index]
                mixed[: len(played)] += played * np.float32(heard.volume)
                voice.at += count * heard.rate
            self._voices = [it for it in self._voices if it.heard.is_loop or it.at < len(it.samples)]
        return np.clip(mixed, -1, 1)


class SoundPlayer:
    """Plays what is heard; owner: the app, main thread only.

    Parameters
    ----------
    sounds
        The decoded sounds.
    note
        Says why nothing is heard.
    clock
        The time, seconds.
    """

    def __init__(
        self, sounds: SoundCache, note: Callable[[str], object], clock: Callable[[], float] = monotonic
    ) -> None:
        self._sounds, self._note, self._clock = sounds, note, clock
        self._mixer = Mixer()
        self._waiting: list[tuple[float, SoundKey, HeardSound]] = []
        self._audio: Any = None
        self._device: Any = None
        self._is_broken = False

    def play(self, address: Address, heard: Sequence[HeardSound]) -> None:
        """Play what is heard of what an address shows; loops that are not heard any more end."""
        if heard and self._device is None and not self._is_broken:
            self._open()
        if self._device is None:
            return
        now, ready = self._clock(), []
        waiting = [it for it in self._waiting if now - it[0] <= LATE]
        self._waiting = []
        for item in (*waiting, *((now, (address, it.archive, it.name), it) for it in heard)):
            _since, key, sound = item
            samples = self._sounds.find(self._audio, key)
            if samples is not None and len(samples):
                ready.append((sound, samples))
            elif samples is None and not sound.is_loop:  # a loop is asked for again in each frame
                self._waiting.append(item)
        self._mixer.take(ready)

    def prepare(self) -> None:
        """Open the device, also if that has failed before: the user asks for sound now."""
        if self._device is None:
            self._is_broken = False
            self._open()

    def close(self) -> None:
        """Give the device back."""
        if self._device is not None:
            self._device.close()
            self._device = None

    def _open(self) -> None:
        """Open the device; without one, or without the library, nothing is heard."""
        try:
            self._audio = import_module("miniaudio")
            device = self._audio.PlaybackDevice(self._audio.SampleFormat.FLOAT32, 2, RATE, app_name="mshview")
            stream = self._stream()
            # A generator takes a value only after its first yield.
            next(stream)
            device.start(stream)
            self._device = device
        except ImportError:
            self._fail(_("sounds need miniaudio: pip install miniaudio"))
        except Exception as error:  # noqa: BLE001 whatever the driver says, the program goes on
            self._fail(_("sounds are not played: {error}", error=", ".join(map(str, error.args))))

    def _fail(self, words: str) -> None:
        self._is_broken = True
        self._note(words)

    def _stream(self) -> Generator[bytes, int, None]:
        count = yield b""
        while True:
            count = yield self._mixer.mix(count).tobytes()


class SoundController:
    """Plays what is heard of the active tab; owner: the application."""

    def __init__(self, state: State, jobs: Jobs, opener: OpenController) -> None:
        self._state, self._opener = state, opener
        self._hearing = Hearing()

        def start(lane: str, work: Callable[[Progress], Samples], done: Callable[[Samples], None]) -> None:
            jobs.start(lane, "", work, done)

        say = partial(state.announce, is_warning=True)
        self._player = SoundPlayer(SoundCache(self._read, start), say)
        self._was_on = state.view.playback.has_sound

    def update(self) -> None:
        """Play what begins now, and end loops that are not heard any more; while time stands still, all."""
        state, view = self._state, self._state.view
        if view.playback.has_sound and not self._was_on:
            self._player.prepare()
        self._was_on = view.playback.has_sound
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
            game = game_of(library, address, self._opener.choices(address))
            target = Targets(library, game).find(ResourceName(ENTRY, name, archive))
            found = None if target.place is None else library.open(target.place.address)
        except MshviewError:
            return None
        return None if found is None else bytes(found.data)

    def close(self) -> None:
        """Give the sound device back."""
        self._player.close()
