"""Parts of a view and of the settings, taken from another one as the options of their fields say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from viewer.options import Lifetime, Option, option_in, plain_type
from viewer.typed_json import is_record, types_of

Value = TypeVar("Value")


def taking(own: Value, other: Value, is_taken: Callable[[Option], bool]) -> Value:
    """A value of a class with the fields of another one whose options pass; the fields within those too."""
    kind: Any = type(own)
    taken: Value = _taking(own, other, _paths(kind, is_taken))
    return taken


@cache
def _paths(kind: type, is_taken: Callable[[Option], bool]) -> Mapping[str, Any]:
    """The fields that pass, each None or, for one within which some do, the tree of those."""
    tree: dict[str, Any] = {}
    for name, hint in types_of(kind).items():
        option, plain = option_in(hint), plain_type(hint)
        if option is not None and is_taken(option):
            tree[name] = None
        elif is_record(plain) and (inner := _paths(plain, is_taken)):
            # A field of which everything passes is taken as it is: caches compare by identity.
            is_whole = inner.keys() == types_of(plain).keys() and not any(inner.values())
            tree[name] = None if is_whole else inner
    return MappingProxyType(tree)


def _taking(own: Any, other: Any, tree: Mapping[str, Any]) -> Any:
    changes = {
        name: getattr(other, name)
        if inner is None
        else _taking(getattr(own, name), getattr(other, name), inner)
        for name, inner in tree.items()
    }
    return replace(own, **changes) if changes else own


def is_shared(option: Option) -> bool:
    """Whether all tabs have the same value."""
    return option.lasts is Lifetime.PROGRAM


def outlives_document(option: Option) -> bool:
    """Whether a tab keeps the value for the next document."""
    return option.lasts is not Lifetime.DOCUMENT


def is_stored(option: Option) -> bool:
    """Whether the value is remembered for the next start."""
    return bool(option.stored)


def outlives_reset(option: Option) -> bool:
    """Whether the value stays when the settings are reset."""
    return option.outlives_reset


OF_TAB: Final = Option(lasts=Lifetime.TAB)
"""Option of a field that lasts for the next document of its tab, and is stored nowhere else."""
KEPT_IN_RESET: Final = Option(outlives_reset=True)
"""Option of a field of the settings that is switched nowhere: about the files or the window of the user."""
