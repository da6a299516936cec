"""Text on screen in the user's language: English is the key, a gettext catalogue has the translation.

Text is looked up when it is drawn, so the language can change between two frames. Tables that are made at
import hold `Message` objects, which become text in `str`. A catalogue is extracted with the keywords
``_``, ``ngettext:1,2``, ``counted:2,3``, ``Message:1`` and ``Sentence:1``. Templates take named values in
braces.
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

    It is not a `str`, so a type checker finds where one would be shown without a translation.
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

    def __getnewargs_ex__(self) -> tuple[tuple[str], Mapping[str, object]]:
        return (self.template,), self.values


def translated(message: str) -> str:
    """Return a message in the user's language; one without a template as it is."""
    return _(message.template).format(**message.values) if isinstance(message, Sentence) else message
