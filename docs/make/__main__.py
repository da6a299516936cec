"""Writes the pages that follow from the program: python -m docs.make."""

from __future__ import annotations

from pathlib import Path

from docs.make import api, changes, commands, formats, keys, keywords

DOCS = Path(__file__).parents[1]
PAGES = {
    "../mshview/keywords.py": keywords.page,  # first, as the page of the library shows it
    "api.md": api.page,
    "changes.md": changes.page,
    "commands.md": commands.page,
    "formats.md": formats.page,
    "keys.md": keys.page,
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8", newline="\n")
