"""``run``: what a script finds, and how it ends."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from tests.cli.console import MODELS, WALKER, Capture
from viewer.cli.main import main


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "script.py"


def test_names_and_arguments(script: Path, capsys: Capture) -> None:
    (script.parent / "beside.py").write_text("NAME = 'beside'")
    script.write_text(
        "import dataclasses, sys, beside\n"
        "@dataclasses.dataclass\nclass Row:\n    name: str\n"
        "print(__name__, sys.argv, mshview.__name__, beside.NAME)\n"
        "print(inputs[0], Row(inputs[1].nodes[1].name))\n"
    )
    before = sys.argv, [*sys.path], sys.modules["__main__"]
    assert main(["run", "script.py", str(MODELS), WALKER]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == f"__main__ {['script.py', str(MODELS), WALKER]} mshview beside"
    assert "models.rlb" in second
    assert "Row(name='" in second
    assert (sys.argv, sys.path, sys.modules["__main__"]) == before
    del sys.modules["beside"]


def test_wildcards_and_options(script: Path, capsys: Capture) -> None:
    script.write_text("print([it.name for it in inputs], {it.reading for it in inputs if 0})")
    assert main(["run", "script.py", f"{MODELS}::*.msh", "--reading", "seed"]) == 0
    assert "walker.msh" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "status", "words"),
    [
        ("mshview.open('nope.msh')", 2, "mshview: error: nope.msh: "),
        ("inputs[0].set('nodes[0].flags', 'x')", 2, "mshview: error: "),
        ("raise mshview.Error('my words')", 2, "mshview: error: my words\n"),
        ("def f():\n    return 1 / 0\nf()", 1, "line 2, in f\n    return 1 / 0"),
        ("open('nope')", 1, "FileNotFoundError"),
        ("x =", 1, "SyntaxError"),
        ("x = '\0'", 1, "Error"),
        ("raise SystemExit", 0, ""),
        ("raise SystemExit(7)", 7, ""),
        ("raise SystemExit('my words')", 1, "my words\n"),
        ("raise KeyboardInterrupt", 130, ""),
        ("'unknown'.nothing", 1, "AttributeError"),
    ],
)
def test_how_it_ends(text: str, status: int, words: str, script: Path, capsys: Capture) -> None:
    script.write_text(text)
    assert main(["run", "script.py", WALKER]) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert bool(words) == bool(err)
    assert "viewer/cli" not in err, "only the script is in the traceback"
    assert ("Traceback" in err) == ((status == 1 and "Error" in words) or "1 / 0" in words) or "Syntax" in err


def test_a_script_from_standard_input(script: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"print(inputs[0].name)")))
    assert script.parent.is_dir()
    assert main(["run", "-", WALKER]) == 0
    assert capsys.readouterr().out == "walker.msh\n"


def test_an_argument_may_be_a_file_that_the_script_writes(script: Path, capsys: Capture) -> None:
    """Inputs are opened when they are used, once."""
    script.write_text("print(inputs[0] is inputs[:1][0], len(inputs))\ninputs[1]")
    assert main(["run", "script.py", WALKER, "new.csv"]) == 2
    out, err = capsys.readouterr()
    assert out == "True 2\n"
    assert err.startswith("mshview: error: new.csv: ")
