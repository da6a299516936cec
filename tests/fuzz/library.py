"""The library with damaged files and odd arguments, and the sounds of damaged effects."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import chdir, suppress
from functools import cache
from importlib import import_module
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np

import mshview
from tests.fuzz.mutants import mutant
from tests.fuzz.seeds import Seed, seeds
from tests.model.effects.effects import SOUND, block, effect
from tests.mshview.test_errors import ODD
from viewer.app.platform.sound_cache import LONGEST, Samples, decoded
from viewer.app.platform.sound_player import Mixer
from viewer.errors import FormatError
from viewer.formats import fxid
from viewer.model.effects.program import EffectInputs, EffectProgram
from viewer.model.effects.sounds import RATES, voices
from viewer.progress import Progress
from viewer.session.play.model_effects import HeardSound

CALLS: Final = 8
"""Members of a resource that are used one after the other."""
SLOW: Final = ("render",)
"""Methods that need half a second and a process of their own."""
OPTIONS: Final = ("textures", "animation", "y_up", "fps", "rest", "none of these")
"""Options of an export, and a name that none has."""
USUAL: Final[dict[str, tuple[Any, ...]]] = {
    "path": ("out.glb", "out.obj", "out.json", "out.csv", "out.msh", "out"),
    "place": ("nodes[0].flags", "batches[0].flags", "nodes[99].flags", "header", "positions[0].position"),
    "value": (0, 1, -1, 1.5, "x"),
    "lod": (0, 1, 2),
    "group": (0, 4),
    "time": (0.0, 3.5),
    "name": (0, -1, "a.msh", "#0", slice(0, 2)),
    "batch": (0,),
    "changes": tuple({"do": "rename-node", "node": node, "name": "a"} for node in (0, 99, 10**50, 10**5000)),
    "vertices": ([], [0, 1, 2]),
    "pixels": (np.zeros((2, 2, 4), np.uint8),),
}
"""Arguments that are often right, by their names."""


def _tried(call: Callable[[], Any]) -> Any:
    """What a call gives; None if it is refused in one line."""
    try:
        found = call()
        return next(found, None) if inspect.isgenerator(found) else found
    except mshview.Error as error:
        words = str(error)
        assert words
        assert "\n" not in words
        assert "object at 0x" not in words
        return None


def library(seed: Seed, number: int, folder: Path) -> None:
    """Use some members of a resource that may be damaged: what fails raises `Error`, its file stays."""
    random, others = Random(number), seeds()
    data = (
        seed.data if random.random() < 0.3 else mutant(seed.data, others[number % len(others)].data, number)
    )
    path = folder / f"mutant{seed.suffix}"
    path.write_bytes(data)
    with chdir(folder):
        resource = _tried(lambda: mshview.open(path))
        if resource is not None:
            _set_back(resource, random)
        for _ in range(CALLS if resource is not None else 0):
            name = random.choice([it for it in dir(resource) if not it.startswith("_") and it not in SLOW])
            member = _tried(lambda name=name: getattr(resource, name))  # type: ignore[misc]
            if inspect.ismethod(member):
                arguments, named = _arguments(member, random)
                _tried(lambda: member(*arguments, **named))  # noqa: B023 called at once
    assert path.read_bytes() == data, "a file changed that was not saved"


def _set_back(resource: mshview.Resource, random: Random) -> None:
    """Set some of what `fields` gives: it is taken, and nothing changes."""
    fields, before = _tried(resource.fields) or {}, resource.data
    for name in random.sample([*fields], min(2, len(fields))):
        row = random.randrange(len(fields[name])) if isinstance(fields[name], list) and fields[name] else None
        resource.set(name, fields[name])
        if row is not None:
            resource.set(f"{name}[{row}]", fields[name][row])
        assert resource.data == before, name


def _arguments(method: Callable[..., Any], random: Random) -> tuple[list[Any], dict[str, Any]]:
    """Values for all required parameters of a method and for some others."""
    listed: list[Any] = []
    named: dict[str, Any] = {}
    for it in inspect.signature(method).parameters.values():
        usual = USUAL.get(it.name, ())
        value = random.choice(usual) if usual and random.random() < 0.6 else random.choice(ODD)
        if it.kind is it.VAR_POSITIONAL:
            listed += [value] * random.choice((0, 1, 2))
        elif it.kind is it.VAR_KEYWORD:
            named |= {random.choice(OPTIONS): random.choice(ODD) for _ in range(random.choice((0, 1, 2)))}
        elif it.default is it.empty:
            listed.append(value)
        # Without a path `save` writes the file itself.
        elif random.random() < 0.4 or (method.__name__, it.name) == ("save", "path"):
            named[it.name] = "out" if value is None and it.name == "path" else value
    return listed, named


def sounds(seed: Seed, number: int, _: Path) -> None:
    """Play the sounds of a damaged effect, and decode a damaged file: all of it is finite and bounded."""
    random = Random(number)
    effects = [*(it.data for it in seeds() if it.kind == "fxid"), *[_noisy()] * 9]
    data = random.choice(effects)
    with suppress(FormatError):
        # Those of the sample have no sounds.
        found = fxid.decode(memoryview(data if random.random() < 0.2 else mutant(data, seed.data, number)))
        _play(EffectProgram.of(found, number), random)
    _decode(mutant(_wave(random), seed.data, number))


@cache
def _noisy() -> bytes:
    """An effect whose sounds play once and again."""
    once, loop = ({"mode": mode, "playback_rate_end": 1} for mode in (0, 2))
    return effect(*(block(2, b"a.wav", **SOUND | it) for it in (once, loop, loop)))


def _play(program: EffectProgram, random: Random) -> None:
    mixer, before = Mixer(), 0.0
    files = [_samples(random, length) for length in (1, 7, 44_100)]
    for seconds in sorted(random.choice((0.0, 0.1, 1.0, 1e3, 1e9)) * random.random() for _ in range(6)):
        eye = tuple(random.choice((0.0, 1.0, 1e30, -1e30)) for _ in range(3))
        found, before = voices(program, EffectInputs(seconds, eye=eye, is_started=True), before)  # type: ignore[arg-type]
        for voice in found:
            assert RATES[0] <= voice.rate <= RATES[1]
            assert 0 <= voice.volume <= 1
        # Of one effect, or of several that play together.
        heard = [
            HeardSound((effect, it.block), b"", b"", it.is_loop, it.volume, it.rate)
            for effect in range(random.choice((1, 5)))
            for it in found
        ]
        mixer.take([(it, random.choice(files)) for it in heard])
        mixed = mixer.mix(random.choice((1, 512, 4096)))
        assert np.isfinite(mixed).all()
        assert np.abs(mixed).max(initial=0) <= 1


def _samples(random: Random, length: int) -> Samples:
    """Noise as a decoder hands it over."""
    return np.random.default_rng(random.randrange(1 << 30)).uniform(-1, 1, (length, 2)).astype(np.float32)


def _wave(random: Random) -> bytes:
    """A file with some noise."""
    import wave  # noqa: PLC0415

    made = BytesIO()
    with wave.open(made, "wb") as file:
        file.setnchannels(random.choice((1, 2)))
        file.setsampwidth(2)
        file.setframerate(random.choice((8000, 22_050, 44_100)))
        file.writeframes(random.randbytes(random.choice((0, 4, 4000))))
    return made.getvalue()


def _decode(data: bytes) -> None:
    """Decode a file, where the library for that is installed."""
    try:
        audio = import_module("miniaudio")
    except ImportError:
        return
    found = decoded(audio, data, Progress())
    assert found.shape[1] == 2
    assert len(found) <= LONGEST
    assert np.isfinite(found).all()
