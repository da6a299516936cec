"""Completion scripts are made from the declarations, and the shells run them."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.console import GAME, MODELS, ROOT, Capture, success
from viewer.cli.usage import complete, completion
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
            assert ("', '" if shell == "powershell" else " ").join(argument.choices) in text


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
        (["ins"], ["inspect", "install-desktop"]),
        (["help", "ren"], ["render"]),
        (["completion", ""], sorted(SHELLS)),
        (["render", "--sh"], ["--shading", "--show"]),
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


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: tuple[str, ...]) -> Path:
    """A folder with the sample, and the program as a command."""
    folder = Path(shutil.copytree(GAME, tmp_path / "game"))
    command = tmp_path / "bin" / "mshview"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {shlex.join(program)} "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}:{os.environ['PATH']}")
    shutil.copy(folder / "models.rlb", folder / "my models.rlb")
    return folder


@pytest.mark.parametrize("script", ["bash"], indirect=True)
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ls", "models.rlb", "::", "walker.m"], ["walker.msh"]),
        (["ls", "my\\ models.rlb", "::", "walker.m"], ["walker.msh"]),
        (["models.rlb", "::", "walker.m"], ["walker.msh"]),
        (["ls", "nope.rlb", "::", "w"], [""]),
        (["pose", "models.rlb", "::", "walker.msh", "--clip", "ru"], ["run"]),
        (["render", "models.rlb", "::", "walker.msh", "--channel", "tur"], ["turret="]),
        (["edit", "models.rlb", "::", "walker.msh", "--rename-node", "tu"], ["turret"]),
        (["edit", "models.rlb", "::", "walker.msh", "--material", "*", "2"], ["2"]),
        (["inspect", "models.rlb", "::", "walker.wea", "--table", "mat"], ["materials"]),
        (["inspect", "models.rlb", "::", "walker.msh", "--table", "tri"], ["tri_descriptors"]),
        (["stats", "models.rlb", "--field", "batches.index_s"], ["batches.index_start"]),
        (["extract", "models.rlb", "drone.m"], ["drone.msh"]),
        (["edit", "models.rlb", "--remove-entry", "drone.m"], ["drone.msh"]),
    ],
    ids=" ".join,
)
def test_bash_completes_what_is_in_a_file(
    script: Path, sample: Path, words: list[str], expected: list[str]
) -> None:
    found = ran("bash", "--norc", "-c", IN_BASH, "bash", script, "mshview", *words, folder=sample)
    assert sorted(found) == expected


@pytest.mark.parametrize("script", ["fish"], indirect=True)
@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("mshview ls models.rlb::walker.m", ["models.rlb::walker.msh"]),
        ("mshview pose models.rlb::walker.msh --clip ru", ["run"]),
        ("mshview extract models.rlb drone.m", ["drone.msh"]),
    ],
)
def test_fish_completes_what_is_in_a_file(
    script: Path, sample: Path, typed: str, expected: list[str]
) -> None:
    program = "source $argv[1]; complete -C $argv[2]"
    found = ran("fish", "--no-config", "-c", program, script, typed, folder=sample)
    assert [line.partition("\t")[0] for line in found] == expected


@pytest.mark.parametrize("script", ["zsh"], indirect=True)
def test_zsh_completes_what_is_in_a_file(script: Path, sample: Path) -> None:
    """The functions are called as the completion system does, and print what they would add."""
    program = """
        source "$1"
        compadd() { while [[ $1 == -* ]]; do [[ $1 == -S ]] && shift; shift; done; print -l -- $@ }
        PREFIX=models.rlb::walker.m; _mshview_address
        words=(mshview pose models.rlb::walker.msh --clip ''); CURRENT=5; PREFIX=ru; _mshview_inside clip
    """
    found = ran("zsh", "-f", "-c", f"compdef() {{ }}\n{program}", "zsh", script, folder=sample)
    assert found == ["models.rlb::walker.msh", "run"]


def test_zsh_completes_every_value_of_an_option(capsys: Capture) -> None:
    lines = success(capsys, "completion", "zsh")[0].splitlines()
    (parent,) = (line for line in lines if "'--parent[" in line)
    assert parent.count("{_mshview_inside node}") == 2


def test_powershell_gets_verbs_options_and_choices_as_texts(capsys: Capture) -> None:
    out, _ = success(capsys, "completion", "powershell")
    assert "        'pack' = @('-o', '--output', '--no-clobber', '--base', " in out
    assert "        'validate --reading' = @('auto', 'seed', 'field')\n" in out
    assert "        'completion ' = @('bash', 'zsh', 'fish', 'powershell')\n" in out
    assert "$_ -match '[\\s'';&|()]'" in out
    assert out.count("{") == out.count("}")
    assert out.isascii(), "PowerShell 5.1 reads what a program prints in the code page of the console"


@pytest.mark.parametrize("what", complete.KINDS)
@pytest.mark.parametrize("path", ["nope.rlb", f"{MODELS}::nope", f"{MODELS}::walker.ctl", str(GAME)])
def test_what_cannot_be_read_completes_to_nothing(what: str, path: str, capsys: Capture) -> None:
    word = f"{path}::zzz" if what == "address" else "zzz"
    assert success(capsys, "complete", what, word, path) == ("", "")


@pytest.mark.parametrize("script", ["fish"], indirect=True)
@pytest.mark.parametrize(
    ("typed", "expected"),
    [("mshview ins", "inspect"), ("mshview render --sha", "--shading"), ("mshview draws --lod ", "0")],
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
    assert 'mshview inspect walker.msh --at "nodes[3].parent"' in text
    assert "130    interrupted by Ctrl+C" in text
