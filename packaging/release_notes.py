"""Prints what CHANGELOG.md says of a version: python packaging/release_notes.py 0.1.0."""

from __future__ import annotations

import re
import sys
from pathlib import Path

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"


def notes(text: str, version: str) -> str:
    """The section of a version, else the first one, which is not released; without its heading."""
    sections = re.split(r"(?m)^## ", text)[1:]
    found = next((it for it in sections if it.startswith((version, f"[{version}]"))), sections[0])
    return found.partition("\n")[2].strip() + "\n"


if __name__ == "__main__":
    print(notes(CHANGELOG.read_text(encoding="utf-8"), sys.argv[1]), end="")
