"""Completion scripts are made from the declarations, and the shells run them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.console import Capture, success
from viewer.cli.usage import completion
from viewer.cli.usage.parser import Argument, arguments_of, parser_of
from viewer.cli.usage.verbs import VERBS

SHELLS = tuple(completion.SHELLS)

IN_BASH = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_mshview 2>/dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def declared() -> dict[str, list[Argument]]:
    return completion.declared()


@pytest.fixture
def script(capsys: Capture, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """The script for a shell, as its user saves it; skips where the shell is absent."""
    shell = request.param
    path = tmp_path / "script"
    path.write_text(success(capsys, "completion", shell)[0])
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    return path


def ran(*command: object, folder: Path) -> list[str]:
    done = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.mark.parametrize("shell", SHELLS)
def test_every_verb_option_and_choice_is_in_the_script(
    declared: dict[str, list[Argument]], shell: str
) -> None:
    lines = [*completion.SHELLS[shell](declared)]
    text = "\n".join(lines)
    assert set(declared) == set(VERBS)
    for arguments in declared.values():
        for argument in arguments:
            spelled = (
                argument.names[-1:] if shell != "fish" else [f"-l {it[2:]}" for it in argument.names[-1:]]
            )
            assert all(name in text for name in spelled)
            assert " ".join(argument.choices) in text


@pytest.mark.parametrize(
    ("script", "arguments"),
    [("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["--no-config", "-n"])],
    indirect=["script"],
)
def test_the_shell_understands_the_script(
    script: Path, arguments: list[str], request: pytest.FixtureRequest
) -> None:
    shell = request.node.callspec.params["script"]
    assert ran(shell, *arguments, script, folder=script.parent) == []


@pytest.mark.parametrize("script", ["bash"], indirect=True)
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ins"], ["inspect"]),
        (["help", "ren"], ["render"]),
        (["completion", ""], sorted(SHELLS)),
        (["render", "--sh"], ["--shading"]),
        (["render", "x.msh", "--shading", "tex"], ["textured"]),
        (["render", "--shading", "=", "tex"], ["textured"]),
        (["ls", "--js"], ["--json"]),
        (["-q", "ls", "--js"], ["--json"]),
        (["draws", "--lod", ""], ["-1", "0", "1", "2", "auto"]),
        (["pose", "--time", ""], [""]),
        (["ls", "a"], ["a folder", "archive.rlb"]),
        (["inspect", "--game", "a"], ["a folder"]),
        (["pack", "a"], ["a folder"]),
        (["arch"], ["archive.rlb"]),
        (["archive.rlb", "--rea"], ["--reading"]),
        (["man", "a"], [""]),
    ],
    ids=" ".join,
)
def test_bash_completes(script: Path, tmp_path: Path, words: list[str], expected: list[str]) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "archive.rlb").touch()
    (folder / "a folder").mkdir()
    found = ran("bash", "--norc", "-c", IN_BASH, "bash", script, "mshview", *words, folder=folder)
    assert sorted(found) == expected


@pytest.mark.parametrize("script", ["fish"], indirect=True)
@pytest.mark.parametrize(
    ("typed", "expected"),
    [("mshview ins", "inspect"), ("mshview render --sh", "--shading"), ("mshview draws --lod ", "0")],
)
def test_fish_completes(script: Path, tmp_path: Path, typed: str, expected: str) -> None:
    program = "source $argv[1]; complete -C $argv[2]"
    environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        ["fish", "--no-config", "-c", program, script, typed],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.partition("\t")[0].split()[0] == expected


@pytest.mark.parametrize("script", ["zsh"], indirect=True)
def test_zsh_registers_the_function(script: Path, tmp_path: Path) -> None:
    program = 'autoload -Uz compinit; compinit -u -D; source "$1"; print $_comps[mshview]'
    assert ran("zsh", "-f", "-c", program, "zsh", script, folder=tmp_path) == ["_mshview"]


@pytest.fixture
def page(capsys: Capture) -> str:
    return success(capsys, "man")[0]


def formatted(page: str) -> str:
    """The page as plain text; skips where there is no roff."""
    if not shutil.which("groff"):
        pytest.skip("groff is not installed")
    command = ["groff", "-man", "-Tascii", "-ww", "-P-cbou", "-rLL=120n"]
    done = subprocess.run(command, input=page, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def test_every_verb_and_option_is_in_the_page(page: str) -> None:
    plain = page.replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\")
    for name, verb in VERBS.items():
        assert f".SS mshview {name}\n" in plain
        assert all(arguments in plain and does[1:] in plain for arguments, does in verb.examples)
        options = [option for argument in arguments_of(parser_of(name)) for option in argument.names]
        assert all(f"\\fB{option}\\fR" in plain for option in options)


def test_roff_formats_the_page(page: str) -> None:
    text = formatted(page)
    assert text.startswith("MSHVIEW(1)")
    for section in ("NAME", "SYNOPSIS", "VERBS", "EXIT STATUS", "ENVIRONMENT"):
        assert f"\n{section}\n" in text
    assert "mshview inspect walker.msh --at 'nodes[3].parent'" in text
    assert "130    interrupted by Ctrl+C" in text
