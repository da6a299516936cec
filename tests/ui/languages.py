"""A language for tests: every text in brackets, so that what was not translated is seen."""

from __future__ import annotations

from gettext import NullTranslations


class Bracketed(NullTranslations):
    """English with every text in brackets."""

    def gettext(self, message: str) -> str:
        """Return the text in brackets."""
        return f"[{message}]"

    def ngettext(self, one: str, many: str, count: int) -> str:
        """Return the form for a count in brackets."""
        return f"[{one if count == 1 else many}]"
