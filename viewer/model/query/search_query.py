"""The text of a search: what it stands for in names, types, texts, bytes and values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum
from fnmatch import translate
from functools import cached_property
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from viewer.errors import UsageError
from viewer.formats.text import encode, uncased
from viewer.model.query.condition import Condition, is_condition
from viewer.model.query.names import NameFilter
from viewer.translation import _

SHORTEST: Final = 2
"""Letters or bytes of the shortest text that is searched for in payloads."""
LONGEST: Final = 256
LARGEST: Final = 1 << 63
"""Whole numbers are smaller than this."""
_BYTE: Final = re.compile(r"[0-9a-f]{2}|\?\?", re.IGNORECASE)
_BYTES: Final = re.compile(rf"(?:0x)?(?:(?:{_BYTE.pattern})\s*)+", re.IGNORECASE)


class Scope(StrEnum):
    """Scope of the search for a text."""

    NAMES = "names"
    TYPES = "types"
    TEXT = "text"
    BYTES = "bytes"
    VALUES = "values"
    USERS = "users"


EVERYWHERE: Final = frozenset(Scope) - {Scope.USERS}
PREFIXES: Final[Mapping[str, Scope]] = MappingProxyType(
    {
        "name": Scope.NAMES,
        "type": Scope.TYPES,
        "text": Scope.TEXT,
        "hex": Scope.BYTES,
        "value": Scope.VALUES,
        "users": Scope.USERS,
    }
)
"""The words before a colon at the start of a search, and the only place that is then searched."""


class Query(Struct, frozen=True, dict=True):
    """The text of a search and where it is searched for.

    A text with a comparison is a condition on fields: ``index_count>300``. Anything else is searched for in
    names (words and wildcards, as in the browser), types, texts and values; pairs of hexadecimal digits with
    spaces between them, or ``??`` for any byte, also as bytes: ``4E 52 ?? 65``. Users are the payloads that
    refer to a name, which may have wildcards.

    Parameters
    ----------
    text
        As typed.
    scopes
        Where to search.
    """

    text: str
    scopes: frozenset[Scope] = EVERYWHERE

    @classmethod
    def typed(cls, text: str, scopes: frozenset[Scope] = EVERYWHERE) -> Query:
        """The search for a text, which may say with one of `PREFIXES` where to search: ``hex:4E52``."""
        prefix, colon, rest = text.strip().partition(":")
        scope = PREFIXES.get(prefix.lower()) if colon else None
        return cls(text, scopes) if scope is None else cls(rest.strip(), frozenset({scope}))

    def check(self) -> None:
        """Raise `UsageError` if this cannot be searched for."""
        if not self.text.strip():
            raise UsageError(_("there is nothing to search for"))
        if len(self.text) > LONGEST:
            raise UsageError(_("at most {count} characters are searched for", count=LONGEST))
        if self._is_condition:
            Condition.parse(self.text)
        elif not any((self.names, self.types, self.text_pattern, self.byte_pattern, self.value, self.users)):
            raise UsageError(_("{text!r} cannot be searched for there", text=self.text))

    @property
    def _is_condition(self) -> bool:
        return Scope.VALUES in self.scopes and is_condition(self.text)

    @cached_property
    def names(self) -> NameFilter | None:
        """The filter of names, if they are searched."""
        return self._filter(Scope.NAMES)

    @cached_property
    def types(self) -> NameFilter | None:
        """The filter of kinds, if they are searched."""
        return self._filter(Scope.TYPES)

    def _filter(self, scope: Scope) -> NameFilter | None:
        return NameFilter(self.text) if scope in self.scopes and not self._is_condition else None

    @cached_property
    def text_pattern(self) -> re.Pattern[bytes] | None:
        """The text in the game's encoding, for bytes that are `uncased`.

        Both are folded, as a pattern with two letters at each place takes ten times as long as a plain text.
        """
        text = self.text.strip()
        if Scope.TEXT not in self.scopes or self._is_condition or len(text) < SHORTEST:
            return None
        try:
            return re.compile(re.escape(uncased(encode(text))))
        except ValueError:
            return None

    @cached_property
    def byte_pattern(self) -> re.Pattern[bytes] | None:
        """The bytes, if the text is a pattern of bytes."""
        text = self.text.strip()
        pattern, length = pattern_of_bytes(text)
        # "face" and "dead" are words as well as bytes: blanks or ?? tell, or that nothing else is searched
        # for.
        is_sure = self.scopes == {Scope.BYTES} or " " in text or "?" in text
        return pattern if Scope.BYTES in self.scopes and is_sure and length >= SHORTEST else None

    @cached_property
    def patterns(self) -> tuple[tuple[Scope, re.Pattern[bytes], int], ...]:
        """The patterns to find in the bytes of payloads, each with its length."""
        text = self.text.strip()
        found = (
            (Scope.TEXT, self.text_pattern, len(text)),
            (Scope.BYTES, self.byte_pattern, pattern_of_bytes(text)[1]),
        )
        return tuple((scope, pattern, size) for scope, pattern, size in found if pattern is not None)

    @cached_property
    def condition(self) -> Condition | None:
        """The condition on fields, if the text is one."""
        return Condition.parse(self.text) if self._is_condition else None

    @cached_property
    def value(self) -> str | None:
        """The value that a field is to have, if the text is not a condition."""
        return self.text.strip() if Scope.VALUES in self.scopes and not self._is_condition else None

    @cached_property
    def users(self) -> re.Pattern[str] | None:
        """The pattern of the name whose users are searched for, for names that are folded.

        Of an address it is the last entry.
        """
        if Scope.USERS not in self.scopes or not self.text.strip():
            return None
        return re.compile(translate(self.text.strip().rpartition("::")[2].casefold()))

    @cached_property
    def number(self) -> float | int | None:
        """The value as a number."""
        with suppress(ValueError):
            number = int(self.value or "", 0)
            return number if abs(number) < LARGEST else None
        with suppress(ValueError):
            return float(self.value or "")
        return None


def pattern_of_bytes(text: str) -> tuple[re.Pattern[bytes] | None, int]:
    """The pattern of the bytes that a text names, and their count; None unless one of them is stated."""
    parts = _BYTE.findall(text) if _BYTES.fullmatch(text) else []
    if all(part == "??" for part in parts):
        return None, 0
    # DOTALL below, as ?? may be 0x0A, which . leaves out otherwise.
    whole = b"".join(b"." if part == "??" else re.escape(bytes.fromhex(part)) for part in parts)
    return re.compile(whole, re.DOTALL), len(parts)
