"""The options that the shell and the library give by name, as the fields of a class declare them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeVar

from viewer.errors import FormatError, UsageError, suggestion
from viewer.model.store.address import Address
from viewer.operations.arguments import OneOf, file_name, path_text
from viewer.options import Declared, options_of
from viewer.translation import _
from viewer.typed_json import of_python, usable

Value = TypeVar("Value")
NAMED: Final[Mapping[type, Callable[[Any], Any]]] = {
    Path: file_name,
    Address: lambda value: Address.given(path_text(value)),
}
"""A reader of the names of files, which are texts and paths of Python and not values of JSON."""


@cache
def parameters(kind: type) -> Mapping[str, Declared]:
    """The options of a class by their names in Python: ``own_view``."""
    found = ((it.option.shell, it) for it in options_of(kind))
    return MappingProxyType({shell.parameter: it for shell, it in found if shell is not None})


def checked_options(kind: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """Values of the options of a class by their names; raises `UsageError` for wrong ones.

    Those that are None are left out; numbers of numpy are taken as those of Python.
    """
    known, found = parameters(kind), dict[str, Any]()
    for name, value in given.items():
        if name not in known:
            raise UsageError(_("is unknown here{hint}", hint=suggestion(name, known)), source=name)
        if value is not None:
            try:
                found[name] = _read(known[name], value)
            except FormatError as error:
                raise UsageError(error.message, source=name) from None
            except UsageError as error:
                error.source = f"{name}: {error.source}" if error.source else name
                raise
    return found


def _read(option: Declared, value: Any) -> Any:
    """The value of an option; raises `FormatError` or `UsageError` for another one."""
    named = NAMED.get(option.value_kind)
    if named is not None:
        return named(value)
    plain = of_python(value)
    if option.is_set and isinstance(plain, list):
        known = OneOf(tuple(str(it.value) for it in option.option.choices if it.is_typed))
        plain = [known(it) for it in plain]
    return usable(option.kind, plain)[0]


def given_options(kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a class among values by name, but for those that are None."""
    return {name: values[name] for name in parameters(kind) if values.get(name) is not None}


def with_options(before: Value, given: Mapping[str, Any]) -> Value:
    """A value of a class with the options that are given: values, or texts of the shell that it has checked.

    Those that are None stay, and so do names of other options.
    """
    kind: Any = type(before)
    for name, option in parameters(kind).items():
        value = given.get(name)
        if value is not None:
            before = option.set(before, _made(option, value))
    return before


def _made(option: Declared, value: Any) -> Any:
    kind = option.value_kind
    if not isinstance(value, str) or not isinstance(kind, type):
        return value
    return NAMED[kind](value) if kind in NAMED else kind(value) if issubclass(kind, Enum) else value
