"""Text on screen in the user's language: English is the key, a gettext catalogue has the translation.

Text is looked up when it is drawn, so the language can change between two frames. Tables that are made at
import hold `Message` objects, which become text in `str`. A catalogue is extracted with the keywords
``_``, ``ngettext:1,2``, ``counted:2,3``, ``Message:1`` and ``Sentence:1``, and for messages
without values ``Diagnostic:3``, ``FormatError:1``, ``AddressError:1``, ``OutputError:1`` and
``UsageError:1``. Templates take named values in braces.
"""

from __future__ import annotations

import gettext
from collections.abc import Mapping
from typing import ClassVar, Self


class _Language:
    """The catalogue in use; without one every text is its own translation."""

    catalogue: ClassVar[gettext.NullTranslations] = gettext.NullTranslations()


def use(catalogue: gettext.NullTranslations | None) -> None:
    """Use `catalogue` for all texts; None means English."""
    _Language.catalogue = catalogue or gettext.NullTranslations()


def _(message: str) -> str:
    """Return a text in the user's language; the English text if the catalogue does not have it."""
    return _Language.catalogue.gettext(message)


def ngettext(one: str, many: str, count: int) -> str:
    """Return the form of a text for `count` things, with its braces unfilled."""
    return _Language.catalogue.ngettext(one, many, count)


class Message:
    """A text that is translated when it is shown: an English template and the values in its braces.

    It is not a `str`, so a type checker finds text that would be shown without a translation.
    """

    __slots__ = ("template", "values")

    def __init__(self, template: str, /, **values: object) -> None:
        self.template = template
        self.values = values

    def __str__(self) -> str:
        return _(self.template).format(**self.values)

    def __repr__(self) -> str:
        return f"Message({self.template!r}, {self.values!r})"


class Sentence(str):
    """A message of `formats` or `model`: English text that keeps its template and values for `translated`."""

    __slots__ = ("template", "values")
    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, /, **values: object) -> Self:
        """Fill the template with values."""
        made = super().__new__(cls, template.format(**values))
        made.template = template
        made.values = values
        return made

    @classmethod
    def of(cls, text: str) -> Sentence:
        """Return a text as a sentence; a plain one is a template without values."""
        return text if isinstance(text, Sentence) else cls(text.replace("{", "{{").replace("}", "}}"))

    def __getnewargs_ex__(self) -> tuple[tuple[str], Mapping[str, object]]:
        return (self.template,), self.values


def translated(message: str) -> str:
    """Return a message in the user's language, sentences among its values too; a plain one is its own key."""
    if not isinstance(message, Sentence):
        return _(message) if message else ""
    values = {name: translated(it) if isinstance(it, Sentence) else it for name, it in message.values.items()}
    return _(message.template).format(**values)
