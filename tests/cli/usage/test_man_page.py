"""The manual page is made from the declarations, and roff formats it without a complaint."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.cli.console import success
from viewer.cli.usage.parser import arguments_of, parser_of
from viewer.cli.usage.verbs import VERBS


@pytest.fixture
def page(capsys: pytest.CaptureFixture[str]) -> str:
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
