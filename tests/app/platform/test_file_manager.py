"""A folder in the program of the system: the right program is started, and what fails is said."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.messages import states
from viewer.app.platform import file_manager
from viewer.errors import OutputError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the system opens folders itself there")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program of the system, which a test writes."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path / file_manager.PROGRAMS.get(sys.platform, file_manager.USUAL)


def write(program: Path, line: str) -> None:
    program.write_text(f"#!/bin/sh\n{line}\n")
    program.chmod(0o755)


def test_the_program_gets_the_folder(program: Path, tmp_path: Path) -> None:
    write(program, f'printf %s "$1" > {tmp_path / "shown"}')
    folder = tmp_path / "my pictures"
    file_manager.show(folder)
    assert (tmp_path / "shown").read_text() == str(folder)


def test_one_that_stays_is_not_waited_for(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_manager, "PATIENCE", 0.01)
    write(program, "exec sleep 1")
    file_manager.show(tmp_path)


@pytest.mark.parametrize("is_there", [False, True])
def test_what_fails_is_said(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    if is_there:
        write(program, "exit 3")
    with pytest.raises(OutputError) as caught:
        file_manager.show(tmp_path / "pictures")
    said = f"{program.name} ends with 3" if is_there else f"{program.name} is not installed"
    assert states(str(caught.value), said)
    assert caught.value.source == str(tmp_path / "pictures")
