"""Names and sentences of the declared formats in other languages: identifiers, and what a field is."""

from __future__ import annotations

import keyword
import re
from collections.abc import Container, Iterable, Mapping
from typing import Final

from viewer.formats.record import Bits, Field, Status

_KEYWORDS: Final = """abstract addressof as auto be bitfield bool break case catch char class const continue
default do double else enum export extends extern final finally float fn for from function if implements
import in instanceof int interface le let long match namespace new null out package padding parent private
protected public ref reference return s8 s16 s32 s64 section short signed sizeof static str string struct
super switch template this throw throws try type typename u8 u16 u32 u64 union unsigned using var void
volatile while yield"""
TAKEN: Final = frozenset((*keyword.kwlist, *_KEYWORDS.split()))
"""Words that are no names in one of the languages."""


def safe(name: str) -> str:
    """A name that is an identifier everywhere: small letters, digits and underscores."""
    found = re.sub(r"[^a-z0-9]+", "_", name.lower())
    return f"{found}_" if found in TAKEN else found


def identifier(words: str, used: Container[str] = ()) -> str:
    """An identifier made of words, which is not used yet."""
    found = safe(words).strip("_") or "value"
    found = safe(found if found[0].isalpha() else f"n{found}")
    number = 2
    made = found
    while made in used:
        made, number = f"{found}_{number}", number + 1
    return made


def identifiers(words: Mapping[int, str]) -> dict[int, str]:
    """Identifiers for the meanings of values or bits, each once."""
    found: dict[int, str] = {}
    for value, meaning in words.items():
        found[value] = identifier(plain(meaning), found.values())
    return found


def plain(text: object) -> str:
    """A text in English, whatever the language of the user."""
    return str(getattr(text, "template", text))


def sentence(it: Field | Bits) -> str:
    """The description of a field or of bits of it: meaning, unit, sentinel, reference, certainty."""
    said = [plain(it.doc).rstrip(".") + "."]
    said += [f"Unit: {plain(it.unit)}."] if it.unit else []
    if it.none is not None:
        said.append(f"{it.none} means none.")
    said += [f"Row of {it.refers_to}."] if it.refers_to else []
    if isinstance(it, Field):
        said += _of_field(it)
    said += [f"Only in the reading {it.reading}."] if it.reading else []
    return " ".join((*said, certainty(it.status)))


def _of_field(it: Field) -> Iterable[str]:
    if it.scale is not None:
        yield f"The value is the stored one divided by {it.scale:g}."
    if len(it.shape) > 1:
        yield f"{' x '.join(map(str, it.shape))} values."
    if it.flags:
        yield "Bits: " + ", ".join(f"{bit:#x} {plain(name)}" for bit, name in it.flags.items()) + "."
    for bits in it.bits:
        place = f"bits {bits.shift} to {bits.shift + bits.width - 1}"
        yield f"{bits.name}: {place}{f' of value {bits.element}' if it.shape else ''}, {plain(bits.doc)}"
    if it.names:
        yield f"Names a {it.names}."


def certainty(status: Status) -> str:
    """The certainty of a meaning, in words."""
    return f"Certainty: {status.value}."
