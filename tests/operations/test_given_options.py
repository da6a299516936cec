"""Options are declared once: the shell, scripts and the window have the same."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.cli.usage.parser import parser_of
from viewer.errors import UsageError
from viewer.model.convert.options import Clips, Options
from viewer.operations.given_options import checked_options, parameters, with_options
from viewer.options import options_of
from viewer.session.view.overlays import Overlay
from viewer.session.view.view_state import ViewState


def test_the_shell_has_every_declared_option() -> None:
    actions = parser_of("export").options
    for name, declared in parameters(Options).items():
        assert declared.option.shell is not None
        assert actions[declared.option.shell.name].dest == name
    assert [*parameters(Options)] == [
        "all_cells", "textures", "frame_keys", "rest", "fps", "y_up", "animation",
    ]  # fmt: skip
    assert [it.name for it in options_of(Options) if it.option.section] == ["has_textures"]


def test_arguments_of_python_set_the_fields() -> None:
    given = {"all_cells": True, "textures": False, "rest": 3, "animation": "clips", "y_up": False}
    made = with_options(Options(), checked_options(Options, given))
    assert made == Options(has_all_cells=True, has_textures=False, rest=3.0, clips=Clips.CLIPS, is_y_up=False)
    numbers = checked_options(Options, {"rest": np.float32(0.5), "fps": None})
    assert numbers == {"rest": 0.5}
    assert type(numbers["rest"]) is float


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"textres": True}, "textres: is unknown here; did you mean textures?"),
        ({"animation": "all"}, "animation: 'all' is none of strip, clips, none"),
        ({"textures": 1}, "textures: 1 is neither true nor false"),
        ({"fps": 0.0}, "fps: 0.0 is not from 1e-06 to 1000000.0"),
    ],
)
def test_wrong_arguments_are_named(given: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=r".") as caught:
        checked_options(Options, given)
    assert str(caught.value) == words


def test_overlays_are_named_alike_in_shell_and_library() -> None:
    given = parser_of("render").parse_args(["a.msh", "-o", "a.png", "--show", "slot-bounds,grid"])
    expected = frozenset({Overlay.SLOT_BOUNDS, Overlay.GRID})
    assert given.show == expected
    assert checked_options(ViewState, {"show": ("slot_bounds", "grid")}) == {"show": expected}
    with pytest.raises(UsageError, match="show: 'names' is none of grid, axes"):
        checked_options(ViewState, {"show": ["names"]})  # the window alone paints them
