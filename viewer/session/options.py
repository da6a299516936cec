"""Declarations of what can be chosen about a view, and of what is remembered: each once, where its field is.

``Annotated[bool, Option(...)]`` says of a field how long its value lasts, and what it is called in the
settings file and in state links. `options_of` finds the declarations of a class and of the classes of its
fields. Settings, links and the changes of a view follow from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum
from functools import cache, reduce
from types import MappingProxyType
from typing import Annotated, Any, Final, NamedTuple, TypeVar, get_args, get_origin

from viewer.dataclass import dataclass, is_dataclass, replace
from viewer.typed_json import types_of

Value = TypeVar("Value")


class Lifetime(IntEnum):
    """How long a value of a view lasts, from short to long."""

    DOCUMENT = 0
    """Until another document is shown."""
    TAB = 1
    """Until the tab is closed."""
    PROGRAM = 2
    """Until the program ends: all tabs have the same value."""


@dataclass(frozen=True, slots=True)
class Option:
    """What is said of a field of a view.

    Attributes
    ----------
    lasts
        How long its value lasts; a field without an option lasts as long as the document.
    stored
        Its name in the settings file, ``speed`` or ``lighting.has_fog``; empty if it is not remembered.
    link
        Its name in state links; empty if they leave it out.
    """

    lasts: Lifetime = Lifetime.PROGRAM
    stored: str = ""
    link: str = ""


class Declared(NamedTuple):
    """A field with an option.

    Attributes
    ----------
    path
        The attributes that lead to it from a value of the class: ``("lighting", "has_fog")``.
    kind
        Its type, with the bounds of its values.
    """

    path: tuple[str, ...]
    kind: Any
    option: Option

    @property
    def plain_kind(self) -> Any:
        """Its type without bounds."""
        return _plain(self.kind)

    def of(self, value: Any) -> Any:
        """The field of a value of the class."""
        return reduce(getattr, self.path, value)

    def set(self, value: Value, found: Any) -> Value:
        """The value of the class with another value of the field."""
        return _with_field(value, self.path, found)


def _with_field(value: Any, path: tuple[str, ...], found: Any) -> Any:
    name, *others = path
    inner = _with_field(getattr(value, name), tuple(others), found) if others else found
    return replace(value, **{name: inner})


@cache
def options_of(kind: type) -> tuple[Declared, ...]:
    """The fields with options of a class, and those of the classes of its fields, in their order."""
    return tuple(_found(kind))


def _found(kind: type) -> Iterator[Declared]:
    for name, hint in types_of(kind).items():
        option = _option(hint)
        if option is not None:
            yield Declared((name,), hint, option)
        if is_dataclass(_plain(hint)):
            yield from (it._replace(path=(name, *it.path)) for it in options_of(_plain(hint)))


def _plain(hint: Any) -> Any:
    """A type without what is said of it."""
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _option(hint: Any) -> Option | None:
    return next((it for it in get_args(hint)[1:] if isinstance(it, Option)), None)


def taking(own: Value, other: Value, is_taken: Callable[[Option], bool]) -> Value:
    """A value of a class with the fields of another one whose options pass; the fields within those too."""
    return _taking(own, other, _paths(type(own), is_taken))


@cache
def _paths(kind: type, is_taken: Callable[[Option], bool]) -> Mapping[str, Any]:
    """The fields that pass, each None or, for one within which some do, the tree of those."""
    tree: dict[str, Any] = {}
    for name, hint in types_of(kind).items():
        option, plain = _option(hint), _plain(hint)
        if option is not None and is_taken(option):
            tree[name] = None
        elif is_dataclass(plain) and (inner := _paths(plain, is_taken)):
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


OF_TAB: Final = Option(Lifetime.TAB)
"""Of a field that is kept for the next document of its tab, and is nowhere else."""
