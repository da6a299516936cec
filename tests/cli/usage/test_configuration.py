"""``mshview.toml``: where it is found, what overrides it, and what it must not say."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from tests.cli.console import GAME, MODELS, WALKER, Capture, failure, json_of, success
from tests.systems import IS_WINDOWS, needs_links
from viewer.cli.main import main
from viewer.cli.usage import configuration
from viewer.cli.usage.parser import parser_of
from viewer.cli.usage.verbs import VERBS

Write = Callable[[str, str], Path]
DRONE = f"{MODELS}::drone.msh"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a file in a folder of a tree; the program works in its deepest one, the user's is ``home``."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    if IS_WINDOWS:  # the system, not a variable, says where the user's is
        monkeypatch.setattr(configuration, "_user_folder", lambda: tmp_path / "home/mshview")

    def written(folder: str, text: str) -> Path:
        path = tmp_path / folder / configuration.NAME
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return written


def size_of(capsys: Capture, *arguments: object) -> tuple[int, int]:
    success(capsys, "render", DRONE, "-o", "x.png", *arguments)
    return Image.open("x.png").size


def test_the_command_line_the_folder_above_and_the_user_in_this_order(write: Write, capsys: Capture) -> None:
    write("home/mshview", '[render]\nsize = "24x16"\ntransparent = true')
    assert size_of(capsys) == (24, 16)
    write(".", '[render]\nsize = "32x16"')
    assert size_of(capsys) == (32, 16)
    assert Image.open("x.png").getpixel((0, 0)) == (0, 0, 0, 0), "what only the user's file has holds too"
    write("a", '[render]\nsize = "40x16"')
    assert size_of(capsys) == (40, 16), "of the files above only the nearest one is read"
    assert size_of(capsys, "--size", "48x16") == (48, 16)
    assert size_of(capsys, "--no-config", "--size", "16x16") == (16, 16)


def test_an_option_that_excludes_another_overrides_it(write: Write, capsys: Capture) -> None:
    write("a", '[ls]\nformat = "csv"\n[render]\nsize = "16x16"\nframes = "0:3:1"')
    assert success(capsys, "ls", MODELS)[0].startswith("index,name")
    assert json_of(capsys, "ls", MODELS)["kind"] == "nres"
    success(capsys, "render", DRONE, "-o", "x.png", "--turntable", "2")
    assert sorted(path.name for path in Path().iterdir()) == ["x_0000.png", "x_0001.png"]


def test_an_option_of_other_formats_is_left_out_of_an_export(write: Write, capsys: Capture) -> None:
    write("a", '[export]\ncells = "all"\nfps = 30')
    success(capsys, "export", DRONE, "-o", "a.obj")
    success(capsys, "export", DRONE, "-o", "a.gltf")
    assert len(json.loads(Path("a.gltf").read_bytes())["scenes"]) > 1
    line = failure(capsys, "export", DRONE, "-o", "a.obj", "--animation", "none", "--no-clobber")
    assert "--animation: is not for .obj, but for .glb, .gltf" in line


@needs_links
def test_paths_start_from_the_folder_of_the_file(write: Write, capsys: Capture) -> None:
    write(".", 'game = "game"')
    assert "game: is not a folder" in failure(capsys, "materials", WALKER)
    Path("../../game").symlink_to(GAME)
    assert "Material.lib" in success(capsys, "materials", WALKER)[0]


def test_json_is_printed_of_an_error_too(write: Write, capsys: Capture) -> None:
    write("a", "json = true")
    assert main(["ls", "nope.rlb"]) == 2
    assert "nope.rlb" in json.loads(capsys.readouterr().out)["error"]
    write("a", "verbose = true")
    assert "options that are not on the command line" in success(capsys, "ls", MODELS)[1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("colour = 1", "colour is not one of game,"),
        ("[rendr]\nlod = 1", "[rendr] is not a verb; did you mean render?"),
        ("[ls]\nresult = true", "ls.result: there is no option --result; did you mean results?"),
        ("[ls]\nresults = 1", "ls.results: is a switch"),
        ('[ls]\nformat = "xls"', "ls.format: 'xls' is not one of csv, tsv"),
        ("[ls]\nformat = [true]", "ls.format: is not a text"),
        ("[ls]\nformat = []", "ls.format: is not a text"),
        ("ls = 1", "ls is not one of"),
        ('output = "x"', "output is not one of"),
        ("[ls]\nquiet = 1\nresults = true", "ls.quiet: is a switch"),
        ("game = ", "is not TOML"),
        ("x\udcff", "is not TOML: byte 1 is not UTF-8"),
    ],
)
def test_what_is_wrong_is_a_warning_with_its_name(
    text: str, words: str, write: Write, capsys: Capture
) -> None:
    path = write("a", "")
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    _, message = success(capsys, "ls", MODELS)
    assert str(path) in message
    assert words in message
    assert message.count("warning: ") == message.count("\n") == 1


@pytest.mark.parametrize(
    ("verb", "option", "value"),
    [
        ("import", "textures", '"/tmp/planted/Textures.lib"'),
        ("import", "other-levels", '"clear"'),
        ("edit", "remove-entry", '["#1"]'),
        ("edit", "in-place", "true"),
        ("edit", "script", '"x.json"'),
        ("repair", "in-place", "true"),
    ],
)
def test_what_changes_files_is_only_on_the_command_line(
    verb: str, option: str, value: str, write: Write, capsys: Capture
) -> None:
    path = write("a", f"[{verb}]\n{option} = {value}\n")
    main([verb, str(GAME / "nothing.rlb"), "-o", "x.rlb"])
    assert f"{path}: {verb}.{option}: is only on the command line" in capsys.readouterr().err


def test_no_file_sets_what_a_verb_changes_or_where_it_writes() -> None:
    """A new option of these verbs is on the command line alone, unless it is read, drawn or printed by."""
    changing = [it for name in ("edit", "repair") for it in parser_of(name).options if it.startswith("--")]
    allowed = {it for it in changing if it.removeprefix("--") in configuration.ALLOWED}
    shared = {f"--{it}" for it in configuration.SHARED}
    assert allowed <= shared | {"--format"}
    assert not {"to", "textures", "output", "into", "script", "replace", "force"} & configuration.ALLOWED


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs to give a file to another user")
def test_a_file_of_another_user_is_not_read(write: Write, capsys: Capture) -> None:
    path = write("a", '[ls]\nformat = "csv"\n')
    os.chown(path, 12345, 12345)
    out, message = success(capsys, "ls", MODELS)
    assert not out.startswith("index,name")
    assert f"{path}: is not read: it belongs to another user" in message


def test_many_verbs_have_the_options_at_the_top() -> None:
    options = [option for name in VERBS for option in parser_of(name).options]
    assert all(options.count(f"--{name}") > 1 for name in configuration.SHARED)
