"""The options about how a picture is drawn, as views have them."""

from __future__ import annotations

from argparse import ArgumentParser

import pytest

from viewer.cli.picturing import drawing
from viewer.session.view.lighting import Lighting, Look
from viewer.session.view.view_state import ViewState

PLAIN = ViewState(lighting=Lighting(Look.PLAIN, scene=0.5, has_lights=False, has_head_light=True))


def applied(view: ViewState, *arguments: str) -> ViewState:
    parser = ArgumentParser()
    drawing.declare(parser)
    return drawing.applied(parser.parse_args(arguments), view)


@pytest.mark.parametrize("view", [ViewState(), PLAIN])
def test_what_the_options_leave_out_stays(view: ViewState) -> None:
    assert applied(view) == view


def test_options_replace_what_they_name() -> None:
    given = ("--look", "game", "--scene", "0", "--lights", "on", "--head-light", "off")
    assert applied(PLAIN, *given).lighting == Lighting(Look.GAME, 0.0, has_lights=True, has_head_light=False)
    assert applied(PLAIN, "--ground-uv", "256").textures.divides_ground_by_256
    assert not applied(
        applied(PLAIN, "--ground-uv", "256"), "--ground-uv", "1024"
    ).textures.divides_ground_by_256
    assert applied(ViewState(), "--lights", "off").lighting == Lighting(has_lights=False)
    assert applied(ViewState(), "--look", "plain", "--scene", "1").lighting == Lighting(Look.PLAIN, 1.0)


@pytest.mark.parametrize("value", ["-0.1", "1.5", "nan", "bright"])
def test_a_scene_color_out_of_range_is_refused(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        applied(ViewState(), f"--scene={value}")
    assert "--scene" in capsys.readouterr().err
