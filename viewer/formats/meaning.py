"""The meaning of a stored value as text, from the declaration of its field.

Source: spec/README.md 3.
Status: proven.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

import numpy as np

from viewer.formats.record import Bits, Field, flags_text
from viewer.translation import _, translated

UNUSED: Final = _("not used in this reading")
NONE: Final = "none"


def meaning(field: Field, value: Any, choices: Collection[str] = ()) -> str:
    """The meaning of a stored value; empty if the number says everything.

    `choices` are the readings in effect: ``seed`` or ``field``, ``xyzw`` or ``wxyz``.
    """
    if field.reading and field.reading not in choices:
        return str(UNUSED)
    return ", ".join(_meanings(field, value, choices))


def _meanings(field: Field, value: Any, choices: Collection[str]) -> Iterator[str]:
    if field.flags:
        yield flags_text(int(value), field.flags)
    if field.values and int(value) in field.values:
        yield translated(field.values[int(value)])
    elif len(field.values) > 1:  # other values of a field with one special value are plain numbers
        yield _("unnamed value {value}", value=int(value))
    yield from (_bits_text(bits, value) for bits in field.bits if bits.reading in ("", *choices))
    unnamed = _unnamed_bits(field, value)
    if unnamed:
        yield _("unnamed bits 0x{bits:X}", bits=unnamed)
    if field.scale is not None or field.components:
        yield _decoded_text(field, value, choices)


def _bits_text(bits: Bits, value: Any) -> str:
    held = bits.of(value)
    name = translated(bits.name)
    if held == bits.none:
        return f"{name} {_('none')}"
    words = translated(bits.values.get(int(held), "")) or f"{held:.6g}"
    return f"{name} {words} {translated(bits.unit)}" if bits.unit else f"{name} {words}"


def _unnamed_bits(field: Field, value: Any) -> int:
    """Set bits without a declaration, in a word that is divided into bits."""
    if not field.bits or field.shape:
        return 0
    named = 0
    for bits in field.bits:
        # - binds before <<: width 4 and shift 8 are 0xF00.
        named |= (1 << bits.width) - 1 << bits.shift
    return int(value) & ~named


def _decoded_text(field: Field, value: Any, choices: Collection[str]) -> str:
    """The numbers, decoded if they are packed, each with the name of its element, if it has one."""
    numbers = (np.asarray(value, np.float64) / (field.scale or 1)).ravel().tolist()
    names = next((field.components[key] for key in ("", *choices) if key in field.components), ())
    texts = [f"{number:.{4 if field.scale else 10}g}" for number in numbers]
    if names:
        texts = [f"{translated(name)} {text}" for name, text in zip(names, texts, strict=False)]
    return "  ".join(texts)
