"""Text on screen in the user's language: English is the key, a gettext catalogue has the translation.

Text is looked up when it is drawn, so the language can change between two frames. Tables that are made at
import hold `Message` objects, which become text in `str`. A catalogue is extracted with the keywords
``_``, ``ngettext:1,2``, ``counted:2,3``, ``Message:1``, ``Sentence:1``, ``refusal:1``, ``change:2`` and
``repairs:2``, and for messages
without values ``Diagnostic:3``, ``FormatError:1``, ``AddressError:1``, ``OutputError:1`` and
``UsageError:1``. Templates take named values in braces.
"""

from __future__ import annotations

import gettext
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, ClassVar, Self, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., object])


class _Language:
    """The catalogue in use, if every text is not its own translation, and what forgets its texts."""

    catalogue: ClassVar[gettext.NullTranslations | None] = None
    forget: ClassVar[list[Callable[[], None]]] = []


def use(catalogue: gettext.NullTranslations | None) -> None:
    """Use `catalogue` for all texts; None means English."""
    _Language.catalogue = catalogue
    for forget in _Language.forget:
        forget()


def language() -> object:
    """Return what is another object in another language."""
    return _Language.catalogue


def remembered(function: Function) -> Function:
    """Make a function keep the texts that it returns, for the rows that show them in every frame.

    Its arguments are hashed: values, never objects that change.
    """
    found: Any = lru_cache(maxsize=4096)(function)
    _Language.forget.append(found.cache_clear)
    return cast(Function, found)


def _(message: str) -> str:
    """Return a text in the user's language; the English text if the catalogue does not have it."""
    catalogue = _Language.catalogue
    return message if catalogue is None else catalogue.gettext(message)


def ngettext(one: str, many: str, count: int) -> str:
    """Return the form of a text for `count` things, with its braces unfilled."""
    catalogue = _Language.catalogue
    if catalogue is None:
        return one if count == 1 else many
    return catalogue.ngettext(one, many, count)


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
