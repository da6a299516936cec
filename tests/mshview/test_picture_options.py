"""The options of pictures: the library takes those of the shell, and draws the same with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mshview
from tests import skies
from tests.cli.console import MODELS
from viewer.cli.main import main
from viewer.operations.given_options import parameters
from viewer.session.view.view_state import ViewState

SIZE = (48, 48)


@pytest.fixture
def sky(tmp_path: Path) -> Path:
    path = tmp_path / "sky.ske"
    path.write_bytes(skies.SKY)
    return path


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"look": "plain"}, ["--look", "plain"]),
        ({"lights": False, "scene": 0.5}, ["--lights", "off", "--scene", "0.5"]),
        ({"light": "head"}, ["--light", "head"]),
        ({"own_view": True}, ["--own-view"]),
        ({"show": ["slot_bounds", "axes"]}, ["--show", "axes,slot-bounds"]),
        ({"sky": "sky.ske", "hour": 9, "fog": True}, ["--sky", "sky.ske", "--hour", "9:00", "--fog", "on"]),
    ],
)
def test_the_library_draws_what_the_shell_draws(
    sky: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], words: list[str]
) -> None:
    address = f"{MODELS}::walker.msh"
    monkeypatch.chdir(sky.parent)
    model = mshview.open(address)
    assert isinstance(model, mshview.Model)
    plain, drawn = model.render(SIZE), model.render(SIZE, **options)
    assert not np.array_equal(plain, drawn)
    assert main(["render", address, "-o", "a.png", "--size", "48x48", "--transparent", *words]) == 0
    assert np.array_equal(drawn, mshview.read_image("a.png"))


def test_each_option_of_the_shell_is_a_parameter() -> None:
    assert {"cells", "cutaway", "own_view", "fade_portals", "look", "scene", "lights", "fog", "dome"} < {
        *parameters(ViewState)
    }
    assert {"machinery", "root", "microtextures", "second_materials"} < {*parameters(ViewState)}
