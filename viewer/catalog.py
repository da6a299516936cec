"""Catalogues of texts in other languages: the ``.po`` files of gettext, read as they are.

A catalogue is read when its language is chosen, in some 10 ms; compiled as ``.mo`` it takes 6, but is one
more thing to build. What it does not have is English; `make texts` lists that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from gettext import NullTranslations, c2py
from pathlib import Path
from typing import Final

_STRING: Final = r'(".*"(?:\n".*")*)'
_ENTRY: Final = re.compile(
    rf"(^#,.*\bfuzzy.*\n(?:#.*\n)*)?^msgid {_STRING}\n(?:msgid_plural {_STRING}\nmsgstr\[0\] {_STRING}"
    rf"(?:\nmsgstr\[1\] {_STRING})?(?:\nmsgstr\[2\] {_STRING})?|msgstr {_STRING})",
    re.MULTILINE,
)
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
    for fuzzy, key, _plural, *forms in _ENTRY.findall(text):
        if not fuzzy:
            yield _string(key), tuple(map(_string, filter(None, forms)))


def _string(lines: str) -> str:
    """The text of a string that may continue in further lines."""
    quoted = lines.rstrip().replace('"\n"', "")
    return str(json.loads(quoted)) if "\\" in quoted else quoted[1:-1]
