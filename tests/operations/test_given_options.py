"""Options are declared once: the shell, scripts and the window have the same."""

from __future__ import annotations

from argparse import ArgumentError, ArgumentParser
from typing import Annotated

import numpy as np
import pytest
from msgspec import Struct

from viewer.cli.usage.option_arguments import add_option
from viewer.cli.usage.parser import parser_of
from viewer.errors import UsageError
from viewer.model.convert.options import Clips, Options
from viewer.model.convert.scene_file import SUFFIXES
from viewer.operations.exporting import ExportOptions
from viewer.operations.given_options import checked_options, parameters, with_options
from viewer.options import Option, ShellOption, options_of
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.view_state import ViewState
from viewer.translation import Text
from viewer.typed_json import Limits


def test_the_shell_has_every_declared_option() -> None:
    actions = parser_of("export").options
    for name, declared in parameters(Options).items():
        assert declared.option.shell is not None
        assert actions[declared.option.shell.name].dest == name
    assert [*parameters(Options)] == [
        "all_cells", "textures", "frame_keys", "rest", "fps", "y_up", "animation",
    ]  # fmt: skip
    assert [it.name for it in options_of(Options) if it.option.section] == ["has_textures"]


class _Rounded(Struct, frozen=True):
    """Options that are whole numbers, with the two forms of bounds."""

    decimals: Annotated[
        Annotated[int, Limits(9)] | None, Option(shell=ShellOption("--decimals", Text("places")))
    ] = None
    digits: Annotated[int | None, Limits(9), Option(shell=ShellOption("--digits", Text("figures")))] = None
    passes: Annotated[int, Limits(9, 1), Option(shell=ShellOption("--passes", Text("rounds")))] = 1


def test_whole_numbers_are_read_as_they_are_declared() -> None:
    parser = ArgumentParser(exit_on_error=False)
    for option in parameters(_Rounded).values():
        add_option(parser, option, option.of(_Rounded()))
        assert option.limits is not None
    assert [it.is_optional for it in parameters(_Rounded).values()] == [True, True, False]
    typed = vars(parser.parse_args(["--decimals", "3", "--digits", "0", "--passes", "9"]))
    assert with_options(_Rounded(), typed) == _Rounded(3, 0, 9)
    assert checked_options(_Rounded, {"decimals": 3, "digits": np.int64(0)}) == {"decimals": 3, "digits": 0}
    for words in (["--decimals", "3.5"], ["--decimals", "10"], ["--digits", "-1"], ["--passes", "0"]):
        with pytest.raises(ArgumentError):
            parser.parse_args([f"{words[0]}={words[1]}"])
    for name in parameters(_Rounded):
        for value in (10, 3.0, True):
            with pytest.raises(UsageError, match=name):
                checked_options(_Rounded, {name: value})


@pytest.mark.parametrize(
    ("suffix", "given", "words"),
    [
        ("obj", {"all_cells": True}, "all_cells: is not for .obj, but for .glb, .gltf"),
        ("obj", {"animation": Clips.NONE}, "animation: is not for .obj, but for .glb, .gltf"),
        ("json", {"textures": False}, "textures: is not for .json, but for .glb, .gltf, .obj"),
        ("json", {"y_up": False}, "y_up: is not for .json, but for .glb, .gltf, .obj"),
    ],
)
def test_an_option_that_a_format_cannot_hold_is_refused(
    suffix: str, given: dict[str, object], words: str
) -> None:
    with pytest.raises(UsageError, match=r".") as caught:
        ExportOptions.given(suffix, (0, 0), given)
    assert str(caught.value) == words
    usual = ExportOptions.given(suffix, (0, 0), given, configured=given).possible
    if suffix == "obj":
        assert usual == Options(is_y_up=False), "what a configuration says for all formats is left out"


def test_what_holds_without_an_option_is_for_every_format() -> None:
    for suffix in SUFFIXES:
        given = {"all_cells": False, "fps": 15.0, "animation": Clips.STRIP, "textures": True}
        assert ExportOptions.given(suffix, (1, 2), given).scene.cell == (1, 2)
    kept = Options(has_all_cells=True, fps=30.0, has_textures=False)
    assert ExportOptions("obj", kept).possible == Options(has_textures=False)
    assert ExportOptions("glb", kept).possible == kept


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
