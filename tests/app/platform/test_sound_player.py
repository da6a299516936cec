"""Sounds are mixed, and played on a device; without the library or a device nothing fails."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.app.platform.flac import BLOCK, silence
from viewer.app.platform import sound_cache
from viewer.app.platform.sound_cache import Samples, SoundCache
from viewer.app.platform.sound_player import Mixer, SoundPlayer
from viewer.model.store.address import Address
from viewer.progress import Progress
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


class FakeError(Exception):
    """What the library raises of a file that it cannot decode."""


def pieces(data: bytes, *_ignored: object) -> Iterator[list[float]]:
    """The bytes of a file as samples, two at once; it cannot be decoded if it has none."""
    if not data:
        raise FakeError
    for start in range(0, len(data), 4):
        yield [it / 10 for it in data[start : start + 4]]


def fake(device: Any, stream: Any = pieces) -> SimpleNamespace:
    return SimpleNamespace(
        SampleFormat=SimpleNamespace(FLOAT32=5),
        MiniaudioError=FakeError,
        PlaybackDevice=device,
        stream_memory=stream,
    )


Read = Callable[[Address, bytes, bytes], bytes | None]


class Work:
    """Work that is done when the test says so."""

    def __init__(self) -> None:
        self.left: list[Callable[[], None]] = []

    def start(self, _lane: str, work: Callable[[Progress], Samples], done: Callable[[Samples], None]) -> None:
        """Keep it."""
        self.left.append(lambda: done(work(Progress())))

    def finish(self) -> None:
        """Do what was begun."""
        while self.left:
            self.left.pop()()


def player_of(read: Read, note: Any = pytest.fail) -> tuple[SoundPlayer, Work, list[float]]:
    """A player, the work that it begins, and its clock."""
    work, now = Work(), [0.0]
    return SoundPlayer(SoundCache(read, work.start), note, lambda: now[0]), work, now


def heard_of(device: FakeDevice, count: int) -> list[float]:
    """The next samples of the left channel."""
    found: list[float] = np.frombuffer(device.stream.send(count), np.float32).reshape(-1, 2)[:, 0].tolist()
    return found


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> FakeDevice:
    made = FakeDevice()
    monkeypatch.setitem(sys.modules, "miniaudio", fake(lambda *_a, **_k: made))
    return made


def test_a_file_is_read_once_in_a_worker_and_played(device: FakeDevice) -> None:
    asked = list[object]()

    def read(*where: object) -> bytes:
        asked.append(where)
        return bytes([1, 1, 2, 2, 3, 3])

    player, work, _ = player_of(read)
    player.play(Address.parse("a"), [sound()])
    assert not asked, "the frame does not wait for it"
    player.play(Address.parse("a"), [])
    work.finish()
    player.play(Address.parse("a"), [])
    assert asked == [(Address.parse("a"), b"sounds.lib", b"a.wav")]
    assert heard_of(device, 3) == pytest.approx([0.1, 0.2, 0.3])
    player.play(Address.parse("a"), [sound(1)])
    assert heard_of(device, 1) == pytest.approx([0.1])
    assert len(asked) == 1
    player.close()
    assert device.is_closed


def test_a_sound_that_comes_too_late_is_not_heard_and_a_loop_is(device: FakeDevice) -> None:
    player, work, now = player_of(lambda *_: bytes([1, 1]))
    player.play(Address.parse("a"), [sound()])
    now[0] = 1.0
    work.finish()
    player.play(Address.parse("a"), [])
    assert heard_of(device, 1) == [0.0]
    player.play(Address.parse("b"), [sound(is_loop=True)])
    now[0] = 9.0
    work.finish()
    player.play(Address.parse("b"), [sound(is_loop=True)])
    assert heard_of(device, 2) == pytest.approx([0.1, 0.1])


def test_hours_of_silence_are_decoded_as_far_as_they_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sound_cache, "LONGEST", 3)
    taken: list[None] = []

    def endless(*_ignored: object) -> Iterator[list[float]]:
        while True:
            taken.append(None)
            yield [0.1] * 4

    found = sound_cache.decoded(fake(None, endless), b"", Progress())
    assert found.shape == (3, 2)
    assert len(taken) == 2


def test_what_was_not_used_longest_is_forgotten(monkeypatch: pytest.MonkeyPatch, device: FakeDevice) -> None:
    monkeypatch.setattr(sound_cache, "CAPACITY", 3 * 8)  # bytes of a sample: two floats of four
    asked = list[Address]()

    def read(address: Address, *_: bytes) -> bytes:
        asked.append(address)
        return bytes([1, 1])

    player, work, _ = player_of(read)
    names = [Address.parse(it) for it in "abcda"]
    for it in names:
        player.play(it, [sound()])
        work.finish()
    assert asked == names


def test_without_a_device_or_the_library_it_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_ignored: object, **_more: object) -> None:
        raise RuntimeError("no device")

    monkeypatch.setitem(sys.modules, "miniaudio", fake(refuse))
    notes: list[str] = []
    player, _, _ = player_of(lambda *_: b"\1\1", notes.append)
    player.play(Address.parse("a"), [sound()])
    player.play(Address.parse("a"), [sound()])
    assert notes == ["sounds are not played: no device"]
    monkeypatch.setitem(sys.modules, "miniaudio", None)
    player, _, _ = player_of(lambda *_: b"\1\1", notes.append)
    player.play(Address.parse("a"), [sound()])
    player.close()
    assert notes[1:] == ["sounds need miniaudio: pip install miniaudio"]
    # Whoever switches sounds on again is told again.
    player.prepare()
    assert notes[2:] == notes[1:2]


@pytest.mark.parametrize("data", [None, b""])
def test_a_sound_that_does_not_exist_or_cannot_be_decoded_is_silent(
    device: FakeDevice, data: bytes | None
) -> None:
    player, work, _ = player_of(lambda *_: data)
    for _ in range(2):
        player.play(Address.parse("a"), [sound()])
        work.finish()
    assert not any(heard_of(device, 4))


def test_a_small_file_of_hours_is_small() -> None:
    """The library itself, with 25 kB of FLAC that hold more than an hour: 1.5 GB."""
    audio = pytest.importorskip("miniaudio")
    bomb = silence(1200)
    assert len(bomb) < 26_000
    tracemalloc.start()
    found = sound_cache.decoded(audio, bomb, Progress())
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.shape == (sound_cache.LONGEST, 2)
    assert not found.any()
    assert most < 2.2 * found.nbytes, "its pieces, and these together"


def test_a_short_file_is_decoded_whole() -> None:
    audio = pytest.importorskip("miniaudio")
    assert sound_cache.decoded(audio, silence(2), Progress()).shape == (2 * BLOCK, 2)
