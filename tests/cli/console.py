"""Running verbs as a console does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from viewer.cli import terminal
from viewer.cli.main import main
from viewer.cli.terminal import printable

ROOT: Final = Path(__file__).parents[2]
GAME: Final = ROOT / "assets" / "game"
MODELS: Final = GAME / "models.rlb"
WALKER: Final = f"{MODELS}::walker.msh"
"""The bundled sample, an archive of models in it, and a model."""
Capture = pytest.CaptureFixture[str]


def failure(capsys: Capture, *arguments: object) -> str:
    """The one line that a run prints which fails; with ``--json`` it is also in a document."""
    assert main([*map(str, arguments)]) == 2
    return error_line(*capsys.readouterr(), has_json="--json" in arguments)


def error_line(out: str, err: str, *, has_json: bool) -> str:
    """The one line on standard error, and what is said of it on standard output."""
    errors = [line for line in err.splitlines() if not line.startswith("mshview: warning: ")]
    assert len(errors) == 1, err
    assert errors[0].startswith("mshview: error: ")
    if has_json:
        document = json.loads(out)
        assert [*document] == ["schema", "error"]
        assert errors[0] == f"mshview: error: {printable(document['error'])}"
    else:
        assert out == ""
    return errors[0]


@contextmanager
def terminal_output() -> Iterator[None]:
    """Both streams taken for terminals without color, on which long lists are cut."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("is_terminal", "takes_sequences"):
            patch.setattr(terminal, name, lambda _: True)
        patch.setenv("NO_COLOR", "1")
        yield


def success(capsys: Capture, *arguments: object, status: int = 0) -> tuple[str, str]:
    """Standard output and standard error of a run that ends with a status."""
    assert main([*map(str, arguments)]) == status
    out, err = capsys.readouterr()
    assert "mshview: error: " not in err
    return out, err


def json_of(capsys: Capture, *arguments: object, status: int = 0) -> Any:
    """The document that a run with ``--json`` prints, which ends with a status."""
    return json.loads(success(capsys, *arguments, "--json", status=status)[0])
