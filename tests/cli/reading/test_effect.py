"""``effect``: what an effect shows at a time, as JSON and as text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.console import MODELS, WALKER, Capture, failure, json_of, success
from tests.model.effects.effects import BOLT, LIGHT, SOUND, SPRITE, STREAM, block, effect
from viewer.model.effects.templates import TemplateName


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A dome that is drawn on top, a sprite, a bolt, a light, a sound, and a point."""
    dome = bytearray(block(9, **SPRITE | {"mode": 2}))
    dome[1] = 1
    data = effect(
        bytes(dome), block(3, **SPRITE), block(5, **BOLT), block(1, **LIGHT), block(2, b"boom.wav", **SOUND),
        b"\6\0\0\0", block(8, **STREAM | {"window_start": 0.5}),
    )  # fmt: skip
    path = tmp_path / "a.fxid"
    path.write_bytes(data)
    return path


def test_the_document_of_an_effect(capsys: Capture, path: Path) -> None:
    found = json_of(capsys, "effect", path, "--time", 0.5, "--size", 2, "--target", "0,100,0")
    blocks = found.pop("blocks")
    assert found == {
        "schema": "mshview-effect-1", "source": str(path), "seed": 1, "duration": 2.0, "mode": 1, "t": 0.25,
        "lin": 0.25, "alive": True,
    }  # fmt: skip
    material = {"archive": "Material.lib", "name": "FLAME"}
    nothing: dict[str, Any] = {"sprites": [], "light": None, "sound": None, "bolt": None}
    sprite = {"particle": 0, "center": [0, 0, 0], "alpha": 1, "phase": 0}
    common = {"on_top": False, "active": True, "p": 0.25, "material": None, **nothing}
    dome = {**sprite, "x": [0, 2, 0], "y": [0, 0, 2], "z": [2, 0, 0]}
    assert blocks[0] == {
        **common,
        "index": 0,
        "type": 9,
        "on_top": True,
        "material": material,
        "sprites": [dome],
    }
    quad = {**sprite, "x": [2, 0, 0], "y": [0, 0, 2], "z": None}
    assert blocks[1] == {**common, "index": 1, "type": 3, "material": material, "sprites": [quad]}
    bolt = {"from": [0, 100, 0], "to": [0, 0, 0], "pieces": 2, "width": 1, "repeat": 10}
    assert blocks[2] == {**common, "index": 2, "type": 5, "material": material, "bolt": bolt}
    light = {"position": [0, 0, 0], "direction": [2, 0, 0], "range": 16, "color": [1, 1, 1, 1]}
    assert blocks[3] == {**common, "index": 3, "type": 1, "light": light}
    sound = {"archive": "Material.lib", "name": "boom.wav", "near": 20, "far": 200, "rate": 0.75}
    assert blocks[4] == {**common, "index": 4, "type": 2, "sound": sound}
    assert blocks[5] == {**common, "index": 5, "type": 6, "active": False, "p": 0}
    assert blocks[6] == {**common, "index": 6, "type": 8, "active": False, "p": -0.5, "material": material}


@pytest.mark.parametrize(
    ("options", "time"),
    [(("--mode", 3), 0.75), (("--mode", 4, "--strength", 0.4), 0.4), (("--mode", 14, "--strength", 0.4), 0.6),
     (("--steps", "--time", 0.59), 0.25), (("--mode", 0), 0)],
)  # fmt: skip
def test_the_time_follows_the_options(
    capsys: Capture, path: Path, options: tuple[object, ...], time: float
) -> None:
    assert json_of(capsys, "effect", path, "--time", 0.5, *options)["t"] == pytest.approx(time)


def test_the_same_arguments_have_the_same_answer(capsys: Capture, path: Path) -> None:
    found = [json_of(capsys, "effect", path, "--time", 1.7, "--seed", seed) for seed in (5, 5)]
    assert found[0] == found[1]
    assert len(found[0]["blocks"][6]["sprites"]) == 7
    assert found[0]["seed"] == 5


def test_the_text_of_an_effect(capsys: Capture, path: Path) -> None:
    lines = success(capsys, "effect", path, "--time", 0.5, "--target", "0,100,0")[0].splitlines()
    assert lines[:2] == ["mode 1, 2 s, seed 1", "time t 0.25, age lin 0.25"]
    assert lines[4].split() == ["0", "dome", "yes", "yes", "0.25", "Material.lib::FLAME", "1", "sprite"]
    assert "2 pieces, width 1" in lines[6]
    assert "range 8" in lines[7]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([WALKER, "--time", 1], "not an effect: model"),
        ([MODELS, "--time", 1], "not an effect: archive"),
        ([MODELS.with_name("effects.rlb"), "--time", 1], "effects.rlb::blast: blast"),
        (
            [MODELS.with_name("effects.rlb").as_posix() + "::blast", "--time", -1],
            "before the effect was made",
        ),
        ([MODELS.with_name("effects.rlb").as_posix() + "::blast", "--time", 1, "--mode", 18], "0 to 17"),
    ],
)
def test_what_cannot_be_played_is_one_line(capsys: Capture, arguments: list[object], words: str) -> None:
    assert words in failure(capsys, "effect", *arguments)


def test_what_is_wrong_with_an_effect_is_a_warning(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "a.fxid"
    path.write_bytes(effect(block(8, **STREAM | {"ring": 0}), block(3, **SPRITE)))
    out, err = success(capsys, "effect", path, "--time", 1)
    assert "commands[0].ring" in err
    assert err.count("\n") == 1
    assert "1 sprite" in out


def test_a_new_effect_is_a_file_that_shows_something_and_finds_nothing(
    tmp_path: Path, capfd: Capture
) -> None:
    for kind in TemplateName:
        out = str(tmp_path / f"{kind.value}.fxid")
        success(capfd, "effect", "--new", kind.value, "-o", out)
        blocks = json_of(capfd, "effect", out, "--time", "0.1")["blocks"]
        assert any(it["sprites"] or it["light"] or it["bolt"] for it in blocks)
        success(capfd, "validate", out)
    failure(capfd, "effect", "--new", "glow", "-o", str(tmp_path / "glow.fxid"), "--no-clobber")
    for wrong in (["--time", "0"], ["--new", "glow"], ["--new", "glow", "-o", "x", "--time", "1"], [out]):
        failure(capfd, "effect", *wrong)
