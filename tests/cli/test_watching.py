"""``--watch``: a verb runs again after a change, not after its own output, and errors do not end it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.broken.models import still
from tests.builders import archive_of
from tests.cli.console import Capture, failure
from viewer.cli import watching
from viewer.cli.main import main

SMALL = ("--size", "16x16")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    # The objects of all other tests are searched too, which takes longer than the verb.
    monkeypatch.setattr("gc.collect", lambda: 0)
    Path("a.msh").write_bytes(still().build())
    Path("game").mkdir()
    return tmp_path


def steps(monkeypatch: pytest.MonkeyPatch, *changes: Callable[[], object]) -> None:
    """Make one change at each look at the files after the first run; then Ctrl+C ends the program."""
    waiting: Iterator[Callable[[], object]] = iter(changes)

    def wait(_: float) -> None:
        change = next(waiting, None)
        if change is None:
            raise KeyboardInterrupt
        change()

    run = watching.run
    monkeypatch.setattr(watching, "run", lambda options, verb: run(options, verb, wait))


def nothing() -> None:
    """Change no file."""


@pytest.mark.usefixtures("folder")
def test_it_runs_once_for_a_change_that_takes_a_while(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    half, whole = still().build()[:300], still().build()
    path = Path("a.msh")
    steps(
        monkeypatch,
        nothing,
        lambda: path.write_bytes(half),
        lambda: path.write_bytes(whole + b"\0"),
        nothing,
        nothing,
    )
    assert main(["validate", "a.msh", "--watch"]) == 130
    assert capsys.readouterr().out.count("1 checked") == 2


@pytest.mark.usefixtures("folder")
def test_the_own_output_next_to_the_input_is_no_change(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    steps(monkeypatch, *[nothing] * 5)
    assert main(["render", "a.msh", "-o", "a.png", *SMALL, "--watch"]) == 130
    assert capsys.readouterr().out == "wrote a.png\n"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("changed", ["a.wea", "game/deep/Textures.lib"])
def test_files_that_belong_to_it_are_watched_too(
    changed: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    Path(changed).parent.mkdir(exist_ok=True)
    steps(monkeypatch, lambda: Path(changed).write_bytes(archive_of({})), nothing, nothing)
    assert main(["export", "a.msh", "-o", "out.obj", "--game", "game", "--watch"]) == 130
    assert capsys.readouterr().out.count("wrote out.obj") == 2


@pytest.mark.usefixtures("folder")
def test_an_error_does_not_end_it(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    path = Path("a.msh")
    steps(
        monkeypatch,
        path.unlink,
        nothing,
        lambda: path.write_bytes(still().build()),
        nothing,
        nothing,
    )
    assert main(["export", "a.msh", "-o", "out.obj", "--watch"]) == 130
    out, err = capsys.readouterr()
    assert out.count("wrote out.obj") == 2
    assert err.count("mshview: error: a.msh") == 1


@pytest.mark.usefixtures("folder")
def test_a_named_file_that_changes_while_the_verb_runs_is_not_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []

    def verb(_: Namespace) -> int:
        runs.append(1)
        if len(runs) == 1:
            Path("a.msh").write_bytes(b"changed")
        return 0

    steps(monkeypatch, nothing, nothing)
    options = Namespace(addresses=["a.msh"], game=None, out="out.obj", watch=True)
    with pytest.raises(KeyboardInterrupt):
        watching.run(options, verb)
    assert len(runs) == 2


def test_standard_streams_cannot_be_watched(capsys: Capture) -> None:
    assert "--watch" in failure(capsys, "validate", "-", "--watch")
    assert "--watch" in failure(capsys, "export", "a.msh", "--format", "json", "-o", "-", "--watch")
