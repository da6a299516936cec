"""Catalogues of texts in other languages: the ``.po`` files of gettext, read as they are.

A catalogue is read when its language is chosen. What it does not have is English; `make texts` lists that.
"""

from __future__ import annotations

import json
import locale
import os
import re
from collections.abc import Iterator, Mapping
from gettext import NullTranslations, c2py
from pathlib import Path
from typing import Final

LANGUAGES: Final[Mapping[str, str]] = {"en": "English", "ru": "Русский"}
"""The languages by their codes, each as its speakers call it; the first one is that of the sources."""
_KEY: Final = re.compile(r"(msgid|msgid_plural|msgstr(?:\[(\d)\])?)\s+(?=\")")
_PLURAL: Final = re.compile(r"plural\s*=\s*([^;]+)")


class PoCatalog(NullTranslations):
    """The texts of a language; one that is missing is English."""

    def __init__(self, texts: Mapping[str, tuple[str, ...]]) -> None:
        super().__init__()
        self._texts = {key: forms for key, forms in texts.items() if all(forms)}
        rule = _PLURAL.search("".join(texts.get("", ())))
        self._form = c2py(rule[1]) if rule else int

    def gettext(self, message: str) -> str:
        """Return a text in this language."""
        forms = self._texts.get(message)
        return message if forms is None else forms[0]

    def ngettext(self, one: str, many: str, count: int) -> str:
        """Return the form of a text for a count; `one` is its key."""
        forms = self._texts.get(one)
        if forms is None or len(forms) == 1:
            return one if count == 1 else many
        return forms[min(self._form(count), len(forms) - 1)]


def read(path: Path) -> PoCatalog:
    """The catalogue in a file; raises `OSError` and `ValueError`."""
    return PoCatalog(dict(entries(path.read_text(encoding="utf-8"))))


def entries(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the key of each entry with its forms, one without plural; those marked as fuzzy are left out."""
    for block in re.split(r"\n\s*\n", text):
        lines = [line for line in block.splitlines() if line and not line.startswith("#~")]
        if any(line.startswith("#,") and "fuzzy" in line for line in lines):
            continue
        found: dict[str, str] = {}
        key = ""
        for line in lines:
            match = _KEY.match(line)
            if match:
                key, line = match[1], line[match.end() :]  # noqa: PLW2901
            if line.startswith('"') and key:
                found[key] = found.get(key, "") + str(json.loads(line))
        if "msgid" in found:
            yield found.pop("msgid"), tuple(it for name, it in found.items() if name.startswith("msgstr"))


def language_of_system() -> str:
    """The code of the language that the system is set to, if there is a catalogue for it; else English."""
    named = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    given = next((it for it in named if it), None) or locale.getlocale()[0] or ""
    code = given.partition("_")[0].partition(".")[0].lower()
    by_name = {"russian": "ru"}  # Windows names languages so
    code = by_name.get(code, code)
    return code if code in LANGUAGES else next(iter(LANGUAGES))
