"""An option of an export is declared once: the shell, scripts and the window have the same."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.cli.usage.parser import parser_of
from viewer.errors import UsageError
from viewer.model.convert.export_option import checked, export_options
from viewer.model.convert.options import Clips, Options


def test_the_shell_has_every_declared_option() -> None:
    actions = parser_of("export").options
    for declared in export_options(Options):
        assert actions[declared.option.name].dest == declared.field
    assert [it.option.parameter for it in export_options(Options)] == [
        "all_cells", "textures", "frame_keys", "rest", "fps", "y_up", "animation",
    ]  # fmt: skip
    assert [it.field for it in export_options(Options) if it.option.title] == ["has_textures"]


def test_arguments_of_python_set_the_fields() -> None:
    given = {"all_cells": True, "textures": False, "rest": 3, "animation": "clips", "y_up": False}
    expected = {
        "has_all_cells": True,
        "has_textures": False,
        "rest": 3.0,
        "clips": Clips.CLIPS,
        "is_y_up": False,
    }
    assert checked(Options, given) == expected
    assert np.float32(0.5) == checked(Options, {"rest": 0.5})["rest"]


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
        checked(Options, given)
    assert str(caught.value) == words
