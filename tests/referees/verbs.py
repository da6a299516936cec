"""Running verbs of the program in this process."""

from __future__ import annotations

import contextlib
import io
import json
from typing import Any

from viewer.cli.main import main


def run_verb(*arguments: str) -> Any:
    """Run a verb; its JSON if it prints some. Raises `RuntimeError` if it fails."""
    status, out, error = _run(*arguments)
    if status == 2:
        raise RuntimeError(f"{' '.join(arguments)}: {error.strip()}")
    return json.loads(out) if "--json" in arguments else None


def bytes_of(*arguments: str) -> bytes:
    """Run a verb that prints bytes. Raises `RuntimeError` if it fails."""
    status, out, error = _run(*arguments)
    if status:
        raise RuntimeError(f"{' '.join(arguments)}: {error.strip()}")
    return out


def unless_refused(*arguments: str) -> Any:
    """The JSON that a verb prints; None if its status is 1. Raises `RuntimeError` if it fails."""
    status, out, error = _run(*arguments)
    if status == 2:
        raise RuntimeError(f"{' '.join(arguments)}: {error.strip()}")
    return None if status else json.loads(out)


def _run(*arguments: str) -> tuple[int, bytes, str]:
    data, err = io.BytesIO(), io.StringIO()
    out = io.TextIOWrapper(data, encoding="utf-8", newline="", write_through=True)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([*arguments])
    out.flush()
    return status, data.getvalue(), err.getvalue()
