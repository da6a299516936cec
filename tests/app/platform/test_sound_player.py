"""Sounds are mixed, and played on a device; without the library or a device nothing fails."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from viewer.app.platform.sound_player import Mixer, SoundPlayer
from viewer.model.store.address import Address
from viewer.session.play.model_effects import HeardSound


def sound(block: int = 0, *, is_loop: bool = False, volume: float = 1.0, rate: float = 1.0) -> HeardSound:
    return HeardSound((0, block), b"sounds.lib", b"a.wav", is_loop, volume, rate)


def samples(*values: float) -> Any:
    return np.repeat(np.array(values, np.float32)[:, None], 2, axis=1)


def left(mixer: Mixer, count: int) -> list[float]:
    found: list[float] = mixer.mix(count)[:, 0].tolist()
    return found


def test_sounds_are_added_up_and_end() -> None:
    mixer = Mixer()
    mixer.take([(sound(0), samples(0.1, 0.2, 0.3)), (sound(1, volume=0.5), samples(0.2, 0.2))])
    assert left(mixer, 2) == pytest.approx([0.2, 0.3])
    assert left(mixer, 2) == pytest.approx([0.3, 0.0])
    assert left(mixer, 1) == [0.0]


def test_a_loop_goes_on_until_it_is_not_heard_and_follows_its_volume() -> None:
    mixer, file = Mixer(), samples(0.2, 0.4, 0.6)
    mixer.take([(sound(is_loop=True), file)])
    assert left(mixer, 4) == pytest.approx([0.2, 0.4, 0.6, 0.2])
    mixer.take([(sound(is_loop=True, volume=0.5), file)])
    assert left(mixer, 2) == pytest.approx([0.2, 0.3])
    mixer.take([(sound(is_loop=True), samples(0.7, 0.1))])
    assert left(mixer, 2) == pytest.approx([0.7, 0.1]), "another file begins at its start"
    mixer.take([])
    assert left(mixer, 2) == [0.0, 0.0]


def test_a_faster_rate_skips_samples_and_nothing_is_louder_than_one() -> None:
    mixer = Mixer()
    mixer.take([(sound(rate=2.0), samples(0.1, 0.2, 0.3, 0.4))])
    assert left(mixer, 3) == pytest.approx([0.1, 0.3, 0.0])
    mixer.take([(sound(0), samples(0.9)), (sound(1), samples(0.9))])
    assert left(mixer, 1) == [1.0]


class FakeDevice:
    """A device that keeps what it is started with."""

    def __init__(self, *_ignored: object, **_more: object) -> None:
        self.stream: Any = None
        self.is_closed = False

    def start(self, stream: Any) -> None:
        """Keep the generator."""
        self.stream = stream

    def close(self) -> None:
        """Note that it is closed."""
        self.is_closed = True


def fake(device: Any) -> SimpleNamespace:
    return SimpleNamespace(
        SampleFormat=SimpleNamespace(FLOAT32=5),
        PlaybackDevice=device,
        decode=lambda data, *_ignored: SimpleNamespace(samples=[it / 10 for it in data]),
    )


def test_a_file_is_read_once_and_played(monkeypatch: pytest.MonkeyPatch) -> None:
    device, asked = FakeDevice(), list[object]()
    monkeypatch.setitem(sys.modules, "miniaudio", fake(lambda *_a, **_k: device))

    def read(*where: object) -> bytes:
        asked.append(where)
        return bytes([1, 1, 2, 2])

    player = SoundPlayer(read, pytest.fail)
    player.play(Address.parse("a"), [sound()])
    player.play(Address.parse("a"), [sound(1)])
    assert asked == [(Address.parse("a"), b"sounds.lib", b"a.wav")]
    heard = np.frombuffer(device.stream.send(2), np.float32).reshape(-1, 2)
    assert heard[:, 0].tolist() == pytest.approx([0.2, 0.4])
    player.close()
    assert device.is_closed


def test_without_a_device_or_the_library_it_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_ignored: object, **_more: object) -> None:
        raise RuntimeError("no device")

    monkeypatch.setitem(sys.modules, "miniaudio", fake(refuse))
    notes: list[str] = []
    player = SoundPlayer(lambda *_: b"\1\1", notes.append)
    player.play(Address.parse("a"), [sound()])
    player.play(Address.parse("a"), [sound()])
    assert notes == ["sounds are not played: no device"]
    monkeypatch.setitem(sys.modules, "miniaudio", None)
    player = SoundPlayer(lambda *_: b"\1\1", notes.append)
    player.play(Address.parse("a"), [sound()])
    player.close()
    assert notes[1:] == ["sounds need miniaudio: pip install miniaudio"]


def test_a_sound_that_does_not_exist_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    device = FakeDevice()
    monkeypatch.setitem(sys.modules, "miniaudio", fake(lambda *_a, **_k: device))
    SoundPlayer(lambda *_: None, pytest.fail).play(Address.parse("a"), [sound()])
    assert not np.frombuffer(device.stream.send(4), np.float32).any()
