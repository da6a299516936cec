"""Running verbs as a console does."""

from __future__ import annotations

import pytest

from viewer.cli.main import main


def failure(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one line that a run prints which fails."""
    assert main([*map(str, arguments)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    errors = [line for line in err.splitlines() if not line.startswith("mshview: warning: ")]
    assert len(errors) == 1, err
    assert errors[0].startswith("mshview: error: ")
    return errors[0]


def success(capsys: pytest.CaptureFixture[str], *arguments: object, status: int = 0) -> tuple[str, str]:
    """Standard output and standard error of a run that ends with a status."""
    assert main([*map(str, arguments)]) == status
    out, err = capsys.readouterr()
    assert "mshview: error: " not in err
    return out, err
