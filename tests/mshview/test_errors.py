"""The library raises only `Error`: for arguments of every kind, and for damaged files."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import mshview
from mshview.checking import known_arguments
from tests.share import some
from viewer.cli.main import main
from viewer.formats.texture import texm
from viewer.operations.arguments import ARGUMENTS

ODD: Final[tuple[Any, ...]] = (
    *(None, "1", "", "a\0b", b"a", 1.5, -1, 99, 10**400, 10**5000, True, object(), (), [1, 2], {}, {1: 2}),
    *(float("nan"), float("inf"), -float("inf"), 1e300, np.float32("nan"), np.int64(-7), np.zeros((2, 2))),
    *(np.array("x"), np.array(None), slice("a"), 3 + 4j, "\udcf2", "x" * 5000, [[[]]], range(3)),
)
"""Values that are right for hardly any argument."""
FREE: Final = {
    *("changes", "value", "pixels", "vertices", "batch", "problems", "addresses", "shading"),
    *("speed", "turn", "options"),
}
"""Arguments whose meaning is known only where they are used."""


UNIT = "UNITS/UNITS/SAMPLE/walker.dat"


def attack(call: Callable[..., Any], *arguments: Any, **named: Any) -> str:
    """Call something: the text of its error, empty if it takes the arguments; any other error is raised."""
    try:
        found = call(*arguments, **named)
        if inspect.isgenerator(found):
            next(found, None)
    except mshview.Error as error:
        words = str(error)
    else:
        return ""
    assert words
    assert "\n" not in words
    return words


@pytest.fixture
def opened(game: Path, monkeypatch: pytest.MonkeyPatch) -> list[mshview.Resource]:
    """One resource of each class, in a folder where anything may be written."""
    work = game.parent / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    addresses = ("models.rlb", "models.rlb::s_sign.msh", "Textures.lib::METAL.0", "effects.rlb::blast", UNIT)
    found = [mshview.open(game / "models.rlb"), *(mshview.open(f"{game}/{it}") for it in addresses[1:])]
    names = [type(it).__name__ for it in found]
    assert names == ["Archive", "Model", "Texture", "Effect", "Unit"]
    return found


def methods() -> Iterator[tuple[str, str]]:
    """Every public method with arguments, by its class."""
    for kind in (mshview.Archive, mshview.Model, mshview.Texture, mshview.Effect, mshview.Unit):
        for name, _member in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_") or name == "__getitem__":
                yield kind.__name__, name


@pytest.mark.parametrize(("kind", "name"), [*methods()])
def test_methods_refuse_odd_arguments_in_words(opened: list[mshview.Resource], kind: str, name: str) -> None:
    resource = next(it for it in opened if type(it).__name__ == kind)
    call = getattr(resource, name)
    parameters = inspect.signature(call).parameters
    small = {"size": (8, 8)} if "size" in parameters else {}
    usual: dict[str, Any] = {"path": "out.glb", "place": "batches[0].flags", "value": 1, "batch": 0}
    usual |= {"patch": "p.json", "vertices": [], "time": 0.0, "pixels": np.zeros((2, 2, 4), np.uint8)}
    is_needed = {it for it in parameters.values() if it.default is it.empty and it.kind is not it.VAR_KEYWORD}
    needed = [usual.get(it.name, "x") for it in parameters.values() if it in is_needed]
    for parameter, value in some(product(parameters.values(), ODD)):
        if parameter.kind is parameter.VAR_KEYWORD:
            for option in ("fog", "scene", "cells", "own_view", "foggy"):
                attack(call, *needed, **small, **{option: value})
        elif parameter.kind is parameter.VAR_POSITIONAL:
            attack(call, value)
        elif parameter.default is not parameter.empty:
            attack(call, *needed, **{**small, parameter.name: value})
        else:
            at = [*parameters].index(parameter.name)
            attack(call, *needed[:at], value, *needed[at + 1 :])
    resource.discard()


def test_functions_refuse_odd_arguments_in_words(opened: list[mshview.Resource], game: Path) -> None:
    model = f"{game / 'models.rlb'}::s_sign.msh"
    for value in ODD:
        for call in (mshview.open, mshview.models, mshview.textures, mshview.discard, mshview.read_image):
            attack(call, value)
        for name in ("game", "reading", "wear", "control", "strict"):
            attack(mshview.open, model, **{name: value})
        for name in ("game", "reading", "problems"):
            attack(mshview.models, model, **{name: value})
        attack(mshview.write_png, value, np.zeros((1, 1, 4), np.uint8))
        attack(mshview.write_png, "x.png", value)
        for at in range(3):
            attack(mshview.make_patch, *[value if it == at else model for it in range(3)])
        for at in range(2):
            attack(mshview.import_file, *[value if it == at else "absent.glb" for it in range(2)])
    assert opened


def test_every_argument_is_declared_once() -> None:
    functions = [getattr(mshview, name) for name in mshview.__all__ if not name.startswith("_")]
    functions = [it for it in functions if inspect.isfunction(it)]
    functions += [getattr(getattr(mshview, kind), name) for kind, name in methods()]
    for function in functions:
        names = {*inspect.signature(function).parameters} - {"self"} - FREE
        names -= {"name"} if function.__name__ == "__getitem__" else set()
        if function in (mshview.models, mshview.textures):
            names -= {"game", "reading", "ground"}  # checked where they are used: these are generators
        assert names <= known_arguments(function), function.__qualname__
    assert ARGUMENTS["lod"](np.int64(2)) == 2


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda it: it.pose("1"), "time: '1' is not a number"),
        (lambda it: it.pose(float("nan")), "time: nan is not a finite number"),
        (lambda it: it.pose(0, clip=-1), "clip: -1 is below 0"),
        (lambda it: it.render(yaw=float("nan")), "yaw: nan is not a finite number"),
        (lambda it: it.render(pitch=91), "pitch: 91 is not from -90 to 90"),
        (lambda it: it.render(zoom=0), "zoom: 0 is not above 0"),
        (lambda it: it.render((64.5, 10)), "size: 64.5 is not a whole number"),
        (lambda it: it.render((10**6, 1)), "size: 1000000 x 1 is not within"),
        (lambda it: it.render(shading="cel"), "shading: 'cel' is none of textured, "),
        (lambda it: it.render(look="cel"), "look: 'cel' is none of game, plain"),
        (lambda it: it.render(scene=2), "scene: 2.0 is not from 0 to 1"),
        (lambda it: it.render(machinery=1), "machinery: 1 is neither true nor false"),
        (lambda it: it.render(foog=True), "foog: is unknown here; did you mean fog?"),
        (lambda it: it.render(fog=True), "fog needs sky"),
        (lambda it: it.render(hour=12), "hour needs sky"),
        (lambda it: it.render(light="sky"), "light needs sky"),
        (lambda it: it.render(light="head", sky="a.ske"), "light=head and sky name different lights"),
        (lambda it: it.render(speed=1.5), "speed: 1.5 is not from -1 to 1"),
        (lambda it: it.export("x.glb", group=99), "group: 99 is not from 0 to 4"),
        (lambda it: it.export("x.glb", lod=-1), "lod: -1 is not from 0 to 2"),
        (lambda it: it.export("x.glb", lod=True), "lod: true is not a whole number"),
        (lambda it: it.export("x.glb", animation="all"), "animation: 'all' is none of strip, clips, none"),
        (lambda it: it.write_animations("x.csv", rate=float("inf")), "rate: inf is not a finite number"),
        (lambda it: it.write_animations("x.csv", rate=0), "rate: 0 is not above 0"),
        (lambda it: it.render((10**50, 1)), "x 1 is not within 1 to 8192 a side"),
        (lambda it: it.render((10**5000, 1)), r"0x\w+... x 1 is not within 1 to 8192 a side"),
        (lambda it: it.pose(0, clip=10**5000), r"clip: 0x\w+... is not from 0 to 9223372036854775807"),
        (lambda it: it.pose(10**50), r"time: 1000\w+... is not from -3.40282e\+38 to 3.40282e\+38"),
        (lambda it: it.pose(1e39), r"time: 1e\+39 is not from -3.40282e\+38 to 3.40282e\+38"),
        (lambda it: it.set("batches[0].flags", 10**5000), r"0x\w+... exceeds 0..65535"),
        (lambda it: it.set("batches[0].flags", [10**5000]), r"1 values are needed|exceeds 0..65535"),
        (
            lambda it: it.edit({"do": "rename-node", "node": 10**5000, "name": "x"}),
            r"nodes\[0x\w+...\]: there",
        ),
        (lambda it: it.set_indices(0, [[1e39, 0, 0]]), "numbers are given"),
        (lambda it: setattr(it, "uvs", it.uvs * np.float64(1e43)), "exceeds -3.4028"),
        (lambda it: it.save("a\0b"), "embedded null byte"),
        (lambda _: mshview.read_image("a\0b"), "embedded null byte"),
        (lambda it: it.edit({"do": "move", 5: 1}), "5 is not a text"),
        (lambda it: it.edit(["do"]), "is not a change"),
    ],
)
def test_arguments_are_refused_with_their_name(
    opened: list[mshview.Resource], call: Callable[[Any], object], words: str
) -> None:
    error = attack(call, opened[1])
    assert words in error or re.search(words, error)
    assert [*Path.cwd().iterdir()] == []


def use(resource: mshview.Resource) -> None:
    """Ask a resource for everything."""
    for name in dir(type(resource)):
        if not name.startswith("_") and not callable(getattr(type(resource), name)):
            attack(lambda name=name: getattr(resource, name))
    for call in (resource.fields, resource.validate, resource.changes):
        attack(call)
    if isinstance(resource, mshview.Model):
        attack(resource.pose)
        attack(resource.nodes_by_material)
        attack(resource.write_animations, "damaged.csv")
        attack(resource.export, "damaged.glb")
        attack(lambda: resource.indices(0))
        attack(lambda: setattr(resource, "positions", resource.positions))
    if isinstance(resource, mshview.Texture):
        attack(lambda: resource.replace(np.zeros((4, 4, 3), np.uint8)))


def test_a_seed_has_32_bits_in_the_library_and_in_the_shell(
    game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    effect = mshview.open(f"{game / 'effects.rlb'}::smoke")
    assert isinstance(effect, mshview.Effect)
    for seed, words in (
        (10**50, "1000000000000000000000000000000000000..."),
        (-1, "-1"),
        (1 << 32, "4294967296"),
    ):
        with pytest.raises(mshview.Error) as caught:
            effect.render((8, 8), seed=seed)
        expected = f"seed: {words} is not from 0 to 4294967295"
        assert str(caught.value) == expected
        assert main(["effect", effect.address, "--time", "0", "--seed", str(seed)]) == 2
        assert f"error: --{expected}" in capsys.readouterr().err
    assert main(["effect", effect.address, "--time", "0", "--seed", "4294967295"]) == 0


@pytest.mark.parametrize("seed", range(6))
def test_damaged_resources_raise_only_errors(opened: list[mshview.Resource], game: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    sources = [*opened[1:], mshview.open(f"{game / 'Material.lib'}::#1")]
    for source in sources:
        data = np.frombuffer(source.data, np.uint8).copy()
        places = random.integers(0, len(data), 4), random.integers(0, min(len(data), 200), 2)
        data[np.concatenate(places)] = random.choice([0, 1, 127, 128, 255], 6)
        path = Path(f"{source.kind}{seed}.bin")
        path.write_bytes(data[: random.integers(len(data) // 2, len(data) + 1)].tobytes())
        if not attack(mshview.open, path, game=game):
            use(mshview.open(path, game=game))


@pytest.mark.parametrize("left", [0, 4, 31, 32, 33, 100])
def test_a_texture_whose_pixels_are_cut_off_says_so(game: Path, tmp_path: Path, left: int) -> None:
    (texture,) = mshview.textures(f"{game / 'Textures.lib'}::METAL.0")
    path = tmp_path / "cut.texm"
    path.write_bytes(texture.data[:left])
    cut = mshview.open(path)
    if isinstance(cut, mshview.Texture):
        assert "cut off" in attack(lambda: cut.pixels) or left < texm.HEADER.size
        if left >= texm.HEADER.size:
            assert cut.size == texture.size
        use(cut)


def test_a_table_of_a_billion_frames_is_refused_at_once(game: Path, tmp_path: Path) -> None:
    (model,) = mshview.models(f"{game / 'models.rlb'}::walker.msh")
    stated = 1_056_964_608
    (row,) = (it["index"] for it in model.fields()["directory"] if it["name"] == "Res19")
    model.set(f"directory[{row}].attr2", stated)
    assert model.frame_count == stated
    out = tmp_path / "long.csv"
    path = tmp_path / "long.msh"  # without the controller of the walker, so that all frames are written
    path.write_bytes(model.data)
    (long,) = mshview.models(path)
    assert long.clips == []
    assert "10000000 are written" in attack(long.write_animations, out)
    assert not out.exists()
