"""When two looks at a material give the same image."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from viewer.model.material.materials import Material
from viewer.model.material.phases import state_at
from viewer.session.view.material_look import MaterialLook
from viewer.session.view.texture_switches import TextureSwitches
from viewer.session.view.view_state import Background, ViewState

MATERIAL = Material(row=0)
LOOK = MaterialLook(MATERIAL, state_at(MATERIAL, 0), ViewState(), (4, 2))


def test_time_and_camera_alone_change_nothing() -> None:
    assert LOOK.is_like(replace(LOOK, view=replace(LOOK.view, time=3.0), state=state_at(MATERIAL, 99)))
    assert not LOOK.is_like(None)


@pytest.mark.parametrize(
    "changed",
    [
        {"size": (2, 4)},
        {"yaw": 1.0},
        {"pitch": 1.0},
        {"material": replace(MATERIAL)},
        {"view": ViewState(background=Background.LIGHT)},
        {"view": ViewState(textures=TextureSwitches(ignores_alpha=True))},
        {"state": replace(LOOK.state, power=9)},
    ],
)
def test_everything_else_gives_another_image(changed: dict[str, Any]) -> None:
    assert not replace(LOOK, **changed).is_like(LOOK)
