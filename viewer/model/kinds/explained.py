"""The meaning of a field in a sentence: the declared one, and what the user says of it in an overlay.

Apart from what reads overlays, as every table needs the meaning of its fields and few users have one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from viewer.formats.record import Field
from viewer.translation import translated

if TYPE_CHECKING:
    from viewer.model.kinds.own_field import OwnField

_OWN: Final[dict[int, OwnField]] = {}
"""The user's fields in use, by the identity of their declaration: two records may have equal fields."""


def set_own(found: Iterable[tuple[Field, OwnField]]) -> None:
    """Use these fields from now on, and no others."""
    _OWN.clear()
    _OWN.update({id(declared): own for declared, own in found})


def has_own() -> bool:
    """Whether any field of the user is in use."""
    return bool(_OWN)


def own_field(declared: Field | None) -> OwnField | None:
    """The user's field for a declared one, or None."""
    return None if declared is None else _OWN.get(id(declared))


def explained(declared: Field) -> str:
    """The meaning of a field, and what the user says of it."""
    own = own_field(declared)
    meaning = translated(declared.doc)
    return meaning if own is None else " ".join((meaning, own.sentence))
