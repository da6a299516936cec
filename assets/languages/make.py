"""Brings the catalogues up to date with the texts of the program, and lists what is missing: `make texts`."""

from __future__ import annotations

import io
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Final

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
KEYWORDS: Final[dict[str, Any]] = {
    "_": None,
    "ngettext": (1, 2),
    "counted": (2, 3),
    **dict.fromkeys(("FormatError", "AddressError", "OutputError", "UsageError", "refusal"), (1,)),
    **dict.fromkeys(("change", "repairs"), (2,)),
    "Diagnostic": (3,),
}
"""The calls that hold texts, and which of their arguments do."""
WIDTH: Final = 110


def main() -> None:
    """Write the catalogues and print how much of each is translated, by the folders of the texts."""
    texts = extracted()
    for path in sorted(HERE.glob("*.po")):
        known = read_po(io.BytesIO(path.read_bytes()), locale=path.stem)
        known.update(texts, no_fuzzy_matching=True)
        known.fuzzy = False
        buffer = io.BytesIO()
        write_po(buffer, known, width=WIDTH, no_location=True, sort_output=True, ignore_obsolete=True)
        if path.read_bytes() != buffer.getvalue():
            path.write_bytes(buffer.getvalue())
        report(path.stem, known)


def extracted() -> Catalog:
    """All texts of the program, with where each stands."""
    catalog = Catalog(project="mshview")
    warnings, sys.stderr = sys.stderr, io.StringIO()  # of f-strings of the command line, which is English
    try:
        found = [*extract_from_dir(ROOT / "viewer", [("**.py", "python")], keywords=KEYWORDS)]
    finally:
        sys.stderr = warnings
    for file, line, message, _, _ in found:
        if message:
            catalog.add(message, locations=[(file, line)])
    return catalog


def report(language: str, catalog: Catalog) -> None:
    """Print how many texts of each folder are translated."""
    total, done = Counter[str](), Counter[str]()
    for message in catalog:
        if message.id:
            folder = "/".join(message.locations[0][0].split("/")[:2]) if message.locations else "?"
            total[folder] += 1
            done[folder] += is_translated(message)
    print(f"{language}: {done.total()} of {total.total()} texts")
    for folder, count in sorted(total.items()):
        if done[folder] < count:
            print(f"  {folder}: {count - done[folder]} of {count} missing")


def is_translated(message: Message) -> bool:
    """Whether a text has all its forms."""
    return all(message.string) if isinstance(message.string, tuple | list) else bool(message.string)


if __name__ == "__main__":
    main()
