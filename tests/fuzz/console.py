"""A command run in this process, and what holds for all: one status, one line, no control characters."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from typing import Final

from viewer.cli.main import main

STRANGE: Final = (
    "a" * 256, "a" * 5000, "", "::", "::#0", "#0", "\0", "-", "--", "-o", "--json", "x::a::b::#-1", "\udcff",
    "a\nb\x1b[2J", "\u202egnp.exe", "/dev/null", "/proc/self/mem", "%s%n", "-1", "1e999", "nan",
)  # fmt: skip
"""Words that are no paths, or hardly."""


def run(arguments: list[str]) -> int:
    """The exit status of a command, whose output is checked."""
    out, error = _Stream(), _Stream()
    with redirect_stdout(out), redirect_stderr(error):
        status = main(arguments)
    assert status in {0, 1, 2}, f"exit status {status}"
    is_told = "mshview: error: " in error.text or arguments[0] == "validate"  # which has a row for it
    assert status != 2 or is_told, "failed without an error"
    if "--json" in arguments and status != 2:
        json.loads(out.text)
    for text in (out.text, error.text):
        assert text.isprintable() or all(c.isprintable() or c in "\n\t" for c in text), "control characters"
    return status


class _Stream(io.TextIOWrapper):
    """Text and bytes that a command writes."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), "utf-8", "surrogateescape", newline="\n", write_through=True)

    @property
    def text(self) -> str:
        raw = self.buffer
        assert isinstance(raw, io.BytesIO)
        return raw.getvalue().decode("utf-8", "surrogateescape")
