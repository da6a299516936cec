"""Text on screen in the user's language: English is the key, a gettext catalogue has the translation.

A message is written in one way, ``_("{count} rows", count=count)``. It is looked up when it is made and
again when it is shown: the language can change between two frames. A plain text is its own key, and is
looked up by `translated` where it is shown. `make texts` extracts both (``assets/languages/make.py``).
"""

from __future__ import annotations

import gettext
import os
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, ClassVar, Final, Self, TypeVar, cast

LANGUAGES: Final[Mapping[str, str]] = {"en": "English", "ru": "Русский"}
"""The languages by their codes, each as its speakers call it; the first one is that of the sources."""
ENGLISH: Final = "en"
CTRL: Final = "Ctrl"
"""Name in the sources and catalogues of the key that is held for commands."""
Function = TypeVar("Function", bound=Callable[..., object])


class _Language:
    """The catalogue in use, if every text is not its own translation, and what forgets its texts."""

    catalogue: ClassVar[gettext.NullTranslations | None] = None
    code: ClassVar[str] = ENGLISH
    ctrl: ClassVar[str] = CTRL
    forget: ClassVar[list[Callable[[], None]]] = []


def use(catalogue: gettext.NullTranslations | None, code: str = "") -> None:
    """Use `catalogue`, the one of a language by its code, for all texts; None means English."""
    _Language.catalogue = catalogue
    _Language.code = ENGLISH if catalogue is None else code
    for forget in _Language.forget:
        forget()


def call_ctrl(name: str) -> None:
    """Call the key for commands by another name in all texts from now on, such as Cmd on macOS."""
    _Language.ctrl = name
    for forget in _Language.forget:
        forget()


def code() -> str:
    """The code of the language in use."""
    return _Language.code


def language_of_system() -> str:
    """The code of the language that the system is set to, if there is a catalogue for it; else English."""
    named = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    given = next((it for it in named if it), None)
    if given is None and sys.platform == "win32":  # which sets no variables
        import locale  # noqa: PLC0415

        given = locale.getlocale()[0]
    elif given is None and sys.platform == "darwin":  # which sets none for a program that Finder starts
        given = _language_of_macos()
    given = given or "C"
    if given in ("C", "POSIX"):  # C.UTF-8 is another one
        return ENGLISH
    # As in GNU gettext: a list that overrides the language of another locale than C.
    listed = [*os.environ.get("LANGUAGE", "").split(":"), given]
    codes = (it.partition(".")[0].partition("_")[0].lower().replace("russian", "ru") for it in listed)
    return next((it for it in codes if it in LANGUAGES), ENGLISH)


def _language_of_macos() -> str | None:
    """The first of the languages that the user has chosen in the settings of macOS, such as ``ru-RU``."""
    import subprocess  # noqa: PLC0415

    command = ["/usr/bin/defaults", "read", "-g", "AppleLanguages"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=5).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    chosen = (line.strip(' ",()') for line in listed.splitlines())  # a line each, in parentheses
    return next((it.replace("-", "_") for it in chosen if it), None)


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


# 0x98 has no letter in CP1251; `formats.text` keeps it as U+0098.
_LETTERS: Final = {
    0xDC00 + code: bytes([code]).decode("cp1251", "ignore") or chr(code) for code in range(128, 256)
}


def readable(text: str) -> str:
    """A text with the name of a file in letters: what is not UTF-8 in it was written by a Russian system.

    Python keeps such a byte as a lone surrogate, U+DC80 to U+DCFF, which no output takes.
    """
    return text if text.isascii() else text.translate(_LETTERS).encode(errors="backslashreplace").decode()


MOST_BITS: Final = 256
"""Bits of a number that is shown in decimal digits; Python refuses those of more than 4,300 digits."""
LONGEST_QUOTE: Final = 1000
"""Characters, bytes or items of a value that is quoted in a message; paths and names are shorter."""
LONGEST_NUMBER: Final = 30
"""Hexadecimal digits of a number that has more than are shown in decimal digits."""
DEEPEST_QUOTE: Final = 3
"""Lists and objects within each other of a quoted value; damaged files have thousands."""


class Text(str):
    """A message: an English template and the values in its braces, filled in the user's language.

    It is in the language that was in use when it was made; `str`, and so any string that it is put into,
    gives it in the language of now, the messages among its values too.
    """

    __slots__ = ("template", "values")
    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, /, **values: object) -> Self:
        """Fill the template with values; without values it may still be filled by `format`."""
        made = super().__new__(cls, _filled(template, values))
        made.template = template
        made.values = values
        return made

    @classmethod
    def of(cls, text: str) -> Text:
        """Return a text as a message; a plain one is its own template."""
        return text if isinstance(text, Text) else cls(text)

    def __str__(self) -> str:
        return _filled(self.template, self.values)

    def __getnewargs_ex__(self) -> tuple[tuple[str], Mapping[str, object]]:
        return (self.template,), self.values


def _(template: str, /, **values: object) -> Text:
    """Return a message with values, in the user's language."""
    return Text(template, **values) if values else _plain(template)


@remembered
def _plain(template: str) -> Text:
    return Text(template)


def _filled(template: str, values: Mapping[str, object]) -> str:
    """Return the template in the user's language with its values; in English if no catalogue has it."""
    catalogue = _Language.catalogue
    text = template if catalogue is None or not template else catalogue.gettext(template)
    if _Language.ctrl is not CTRL:
        text = text.replace(CTRL, _Language.ctrl)
    return text.format(**{name: _quotable(it) for name, it in values.items()}) if values else text


def _quotable(value: object) -> object:
    """A value whose quoted form (``{value!r}``) is that of `quoted`."""
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return quoted(value)
    is_plain = isinstance(value, int | float)
    is_plain |= isinstance(value, str) and len(value) <= LONGEST_QUOTE and value.isprintable()
    return value if is_plain and not isinstance(value, bool) else _Quotable(value)


def quoted(value: Any, depth: int = DEEPEST_QUOTE) -> str:
    """A value as a message quotes it: as JSON has it, with single quotes, and cut if it is long or deep.

    Bytes are text if all of them are printable ASCII, as marks of formats are, else hexadecimal digits.
    """
    if isinstance(value, Mapping | list | tuple) and not depth:
        return "..."
    if isinstance(value, Mapping):
        some = islice(value.items(), LONGEST_QUOTE)
        return "{" + ", ".join(f"{quoted(key)}: {quoted(it, depth - 1)}" for key, it in some) + "}"
    if isinstance(value, list | tuple | str | bytes | bytearray | memoryview):
        words = _quoted_items(value[:LONGEST_QUOTE], depth - 1)
        return words if len(value) <= LONGEST_QUOTE else words + "..."
    if value is None or isinstance(value, bool):
        return _CONSTANTS[value]
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return f"{hex(value)[:LONGEST_NUMBER]}..."
    # `str`: the form of a number of numpy in Python names its type. What has no form gives its address.
    has_form = "__repr__" in {name for kind in type(value).__mro__[:-1] for name in vars(kind)}
    return str(value) if has_form else type(value).__name__


_CONSTANTS: Final = {None: "null", True: "true", False: "false"}


def _quoted_items(value: Any, depth: int) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(quoted(it, depth) for it in value)}]"
    if isinstance(value, str):
        return repr(readable(str(value)))
    data = bytes(value)
    is_text = data.isascii() and data.decode("ascii").isprintable()
    return repr(data.decode("ascii")) if is_text else data.hex(" ")


class _Quotable:
    """A value in a message."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __repr__(self) -> str:
        return quoted(self._value)

    def __str__(self) -> str:
        return str(self._value)

    def __format__(self, form: str) -> str:
        return format(self._value, form)


def ngettext(one: str, many: str, count: int) -> str:
    """Return the form of a text for `count` things, with its braces unfilled."""
    catalogue = _Language.catalogue
    if catalogue is None:
        return one if count == 1 else many
    return catalogue.ngettext(one, many, count)


class PluralText(Text):
    """A message with a number of things; its template is the form for one thing."""

    __slots__ = ("many",)
    many: str

    @classmethod
    def made(cls, one: str, many: str, count: int) -> PluralText:
        """Fill the form for a count."""
        made = str.__new__(cls, ngettext(one, many, count).format(count=count))
        made.template, made.many, made.values = one, many, {"count": count}
        return made

    def __str__(self) -> str:
        return ngettext(self.template, self.many, cast(int, self.values["count"])).format(**self.values)

    def __reduce__(self) -> tuple[Callable[..., PluralText], tuple[object, ...]]:
        return PluralText.made, (self.template, self.many, self.values["count"])


def counted(count: int, one: str, many: str) -> Text:
    """Return a number of things, in the user's language; `one` and `many` hold ``{count}``."""
    return PluralText.made(one, many, count)


@remembered
def count_text(count: int) -> str:
    """Return a count with its thousands set apart by thin gaps: ``12 345``."""
    return f"{count:,}".replace(",", " ")


def key_names(keys: str) -> str:
    """Key chords with the keys as this system calls them; in any language as they stand on the keyboard."""
    return keys.replace(CTRL, _Language.ctrl)


def translated(message: str) -> str:
    """Return a message in the user's language; a plain one is its own key."""
    return str(Text.of(message))
