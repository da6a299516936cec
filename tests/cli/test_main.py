"""The command line: usage, output, errors.

What a verb loads before it does its work; time is measured by ``bench``, what takes it is stated here.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders import archive_of
from tests.cli.console import ROOT, Capture, failure
from tests.messages import states
from viewer.cli.main import main
from viewer.cli.usage.arguments import joined
from viewer.version import VERSION

PROGRAM = (sys.executable, "-m", "viewer")


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "small.rlb"
    path.write_bytes(archive_of({"a.wea": b"1\r\n0 MAT\r\n", "\u0431.bin": b"xyz"}))
    return path


def test_version_is_known_where_nothing_is_installed() -> None:
    command = [sys.executable, "-S", "-m", "viewer", "--version"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == f"mshview {VERSION}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"],
        ["--frobnicate"],
        ["ls"],
        ["inspect", "--jso", "x"],
        ["ls", ""],
        ["ls", "a::"],
        ["draws", "x", "--lod", "3"],
        ["draws", "x", "--group", "many"],
        ["pose", "x"],
        ["inspect", "x", "--reading", "tea leaves"],
        ["inspect", "x", "--strict", "--tolerant"],
    ],
)
def test_wrong_usage_is_one_line(capsys: Capture, arguments: list[str]) -> None:
    failure(capsys, *arguments)


def test_usage_names_the_verb_and_where_to_look(capsys: Capture) -> None:
    line = failure(capsys, "ls", "x", "--wide")
    assert line.startswith("mshview: error: ls: ")
    assert states(line, "--wide mshview ls --help")


def test_folder_in_place_of_a_file(capsys: Capture, tmp_path: Path) -> None:
    assert str(tmp_path) in failure(capsys, "inspect", str(tmp_path))


def test_missing_entry(capsys: Capture, archive: Path) -> None:
    assert "'c.msh'" in failure(capsys, "inspect", f"{archive}::c.msh")


@pytest.mark.parametrize("game", ["a.rlb", "x" * 300])
@pytest.mark.parametrize(
    "verb",
    [
        ["open"],
        ["inspect"],
        ["draws", "--lod", "0", "--group", "0"],
        ["materials"],
        ["pose", "--time", "0"],
        ["render", "-o", "out.png"],
        ["copy", "-o", "out.rlb"],
        ["diff", "other.rlb"],
        ["validate"],
    ],
    ids=lambda verb: verb[0],
)
def test_no_game_folder(capsys: Capture, archive: Path, verb: list[str], game: str) -> None:
    """Every verb that reads models takes the option, and first of all refuses what is no folder."""
    game = game.replace("a.rlb", str(archive))
    line = failure(capsys, *verb, str(archive), "--reading", "seed", "--tolerant", "--game", game)
    assert line.startswith(f"mshview: error: {game}: ")
    assert states(line.rpartition(": ")[2], "folder")


def test_names_in_errors_stay_on_one_line(capsys: Capture) -> None:
    assert "no\\nsuch" in failure(capsys, "ls", "no\nsuch")


def test_ls_json(capsys: Capture, archive: Path) -> None:
    assert main(["ls", str(archive), "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["source"] == str(archive)
    assert (listed["kind"], listed["size"]) == ("nres", archive.stat().st_size)
    first, second = listed["entries"]
    assert list(first) == [
        "index", "name", "type", "type_name", "size", "offset", "attr1", "attr2", "attr3", "sort_index",
        "packed_size", "method",
    ]  # fmt: skip
    assert (first["name"], first["type_name"], first["size"]) == ("a.wea", "wear", 10)
    assert (second["name"], second["index"], second["packed_size"]) == ("\u0431.bin", 1, None)


def test_ls_text_has_a_line_per_entry(capsys: Capture, archive: Path) -> None:
    assert main(["ls", str(archive)]) == 0
    heading, *rows = capsys.readouterr().out.splitlines()
    assert heading.split()[:3] == ["index", "name", "type"]
    assert [row.split()[1] for row in rows] == ["a.wea", "\u0431.bin"]


def test_ls_of_what_is_no_archive(capsys: Capture, archive: Path) -> None:
    assert states(failure(capsys, "ls", f"{archive}::a.wea"), f"{archive}::a.wea archive")


def test_inspect_wear(capsys: Capture, archive: Path) -> None:
    assert main(["inspect", f"{archive}::A.WEA", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["source"], shown["format"]) == (f"{archive}::A.WEA", "wear")
    assert [row["name"] for row in shown["materials"]] == ["MAT"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--time", "-1e-9"], ["--time=-1e-9"]),
        (["--time", "-inf", "--json"], ["--time=-inf", "--json"]),
        (["-o", "-"], ["-o", "-"]),
        (["--time=1", "-2"], ["--time=1", "-2"]),
        ([], []),
    ],
)
def test_negative_numbers_are_values(arguments: list[str], expected: list[str]) -> None:
    assert joined(arguments) == expected


def test_both_programs_are_one(archive: Path) -> None:
    result = subprocess.run(
        [*PROGRAM, "ls", str(archive), "--json"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        env=plain_locale(),
    )
    assert json.loads(result.stdout.decode("utf-8"))["entries"][1]["name"] == "\u0431.bin"
    assert result.stderr == b""


def plain_locale() -> dict[str, str]:
    return {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}


@pytest.mark.skipif(os.name == "nt", reason="pipes break otherwise there")
def test_reader_that_leaves_ends_it_quietly(archive: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    result = subprocess.run(
        [*PROGRAM, "ls", str(archive)], cwd=ROOT, stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert result.stderr == b""
    assert result.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk_is_an_error() -> None:
    with Path("/dev/full").open("wb") as full:
        result = subprocess.run(
            [*PROGRAM, "--help"], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert result.stderr.startswith(b"mshview: error: standard output: ")
    assert result.returncode == 2


@pytest.mark.skipif(os.name != "posix", reason="needs a shell that closes streams")
@pytest.mark.parametrize(
    ("closed", "said"), [(">&-", rb"mshview: error: standard output: .*closed\n"), (">&- 2>&-", b"")]
)
def test_closed_streams_are_an_error_without_a_traceback(archive: Path, closed: str, said: bytes) -> None:
    command = f"{shlex.join([*PROGRAM, 'ls', str(archive)])} {closed}"
    result = subprocess.run(["/bin/sh", "-c", command], cwd=ROOT, stderr=subprocess.PIPE, check=False)
    assert result.returncode == 2
    assert re.fullmatch(said, result.stderr)


def test_interruption_is_no_traceback(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("viewer.cli.reading.ls.run", interrupt)
    assert main(["ls", str(archive)]) == 130


@pytest.mark.parametrize(("verb", "is_usual"), [("ls", False), ("bench", True)])
def test_only_verbs_that_live_long_collect_garbage_often(verb: str, is_usual: bool) -> None:
    code = (
        "import gc, sys, viewer.cli.main as it, viewer.__main__ as program; usual = gc.get_threshold();"
        "it._run_verb = lambda *_: print(gc.get_threshold() == usual) or 0;"
        f"sys.argv[1:] = [{verb!r}]; program.console()"
    )
    command = [sys.executable, "-u", "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == f"{is_usual}\n"


@pytest.mark.parametrize(("arguments", "status"), [(["--version"], 0), (["ls", "missing"], 2)])
def test_a_process_prints_all_before_it_ends(arguments: list[str], status: int, tmp_path: Path) -> None:
    program = [sys.executable, "-m", "viewer", *arguments]
    with (tmp_path / "out").open("wb") as out:
        done = subprocess.run(program, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, check=False)
    text = (tmp_path / "out").read_text()
    assert done.returncode == status
    assert text.startswith(("mshview ", "mshview: error: "))
    assert text.endswith("\n")


ARCHIVE = "assets/game/models.rlb"
MODEL = f"{ARCHIVE}::walker.msh"
TEXTURE = "assets/game/Textures.lib::#0"

PROBE = """
import sys
from viewer.cli.main import main

status = main(sys.argv[1:])
sys.stderr.write(" ".join(sys.modules))
sys.exit(status)
"""
GRAPHICS = {"moderngl", "PIL", "imgui_bundle", "viewer.render", "viewer.ui", "viewer.app", "viewer.control"}
MEANING = {"viewer.session", "viewer.model.material", "viewer.model.game", "viewer.geometry"}
LISTED = MEANING - {"viewer.model.game"}
"""The same but for the names of parts, which lists show."""
OTHERS = {"viewer.session", "viewer.model.clips.clip", "viewer.cli.reading.ls"}
"""What the window, pictures and lists need."""
RARE = {"threading", "glob", "dataclasses"}
"""What takes long to load and is needed by few."""
JUDGING = {"viewer.model.checks", "viewer.model.validation"}
PROCESSES = {"multiprocessing", "concurrent.futures", "subprocess"}
TABLES = "viewer.formats.msh"
"""The tables inside models."""
OPENSSL = {"hashlib", "_hashlib"}
NEVER = {"difflib", "importlib.metadata", "zipfile", "email", "secrets"}


def loaded(*arguments: str) -> set[str]:
    """Names of the modules that a process has loaded when the command line is done."""
    command = [sys.executable, "-c", PROBE, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (["--help"], {"numpy", "glfw", "viewer.formats", "viewer.model.store"} | NEVER | GRAPHICS),
        (["help"], {"numpy", "viewer.formats", "viewer.model.store"} | NEVER),
        (["help", "ls"], {"PIL", "viewer.render", "viewer.app", "viewer.control", "viewer.session"} | NEVER),
        (["--version"], {"numpy", "msgspec", "viewer.formats", "viewer.model"} | NEVER),
        (
            ["ls", ARCHIVE],
            {"numpy.ma", "pyrr", TABLES} | (RARE | NEVER | GRAPHICS | LISTED | JUDGING | PROCESSES | OPENSSL),
        ),
        (
            ["ls", ARCHIVE, "--json"],
            {"numpy.ma", TABLES} | NEVER | GRAPHICS | LISTED | JUDGING | PROCESSES | OPENSSL,
        ),
        (["inspect", TEXTURE], {"viewer.session", "pyrr"} | NEVER | GRAPHICS | JUDGING | PROCESSES | OPENSSL),
        (
            ["inspect", MODEL],
            {"pyrr", "numpy.ma", "json", "viewer.formats.fxid", "viewer.model.edit"}
            | (RARE | OTHERS | NEVER | GRAPHICS | PROCESSES),
        ),
        (["materials", MODEL], {"json"} | RARE | OTHERS | NEVER | GRAPHICS | PROCESSES),
        (["find", MODEL, "type:msh"], {"viewer.session", "pyrr"} | NEVER | GRAPHICS | JUDGING | PROCESSES),
        (["stats", MODEL], {"viewer.session", "pyrr"} | NEVER | GRAPHICS | PROCESSES),
        (["readings", MODEL], {"viewer.session"} | NEVER | GRAPHICS | PROCESSES),
        (["validate", MODEL], {"viewer.session", "pyrr"} | NEVER | GRAPHICS | PROCESSES),
        (
            ["mod", "list", str(Path(MODEL.partition("::")[0]).parent)],
            {"viewer.session", "pyrr"} | NEVER | GRAPHICS | PROCESSES,
        ),
        (
            ["why", MODEL, "--at", "4,4", "--size", "8x8"],
            NEVER | {"imgui_bundle", "viewer.app", "viewer.control", "viewer.ui"},
        ),
        (
            ["render", "--help"],
            NEVER | {"imgui_bundle", "viewer.app", "viewer.control", "viewer.ui", "subprocess"},
        ),
        (
            ["render", MODEL, "-o", "OUT.png", "--size", "8x8"],
            NEVER | {"imgui_bundle", "PIL.GifImagePlugin", "PIL.ImageFont"},
        ),
        (
            ["export", MODEL, "-o", "OUT.png", "--format", "glb"],
            PROCESSES
            | NEVER
            | {"viewer.model.convert.importing", "viewer.model.edit.plan", "viewer.session"},
        ),
    ],
)
def test_a_verb_loads_what_it_needs(arguments: list[str], unwanted: set[str], tmp_path: Path) -> None:
    out = str(tmp_path / "out.png")
    assert not loaded(*(out if it == "OUT.png" else it for it in arguments)) & unwanted


@pytest.mark.parametrize(("stated", "expected"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "3"}, "3")])
def test_linear_algebra_starts_no_threads_unless_asked_for(stated: dict[str, str], expected: str) -> None:
    name = "OPENBLAS_NUM_THREADS"
    code = (
        f"import os, viewer.__main__ as it;it._run = lambda _: print(os.environ[{name!r}]) or 0; it.console()"
    )
    environment = {key: value for key, value in os.environ.items() if key != name}
    done = subprocess.run(
        [sys.executable, "-u", "-c", code],
        cwd=ROOT, env=environment | stated, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == f"{expected}\n"
