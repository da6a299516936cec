"""The arguments of the library, checked by their names before anything is done."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Final, ParamSpec, TypeVar

from mshview import garbage
from viewer.operations.arguments import ARGUMENTS, Argument
from viewer.operations.arguments import checked as checked_value

P = ParamSpec("P")
Result = TypeVar("Result")
_KNOWN: Final = "__known_arguments__"


def checked(**others: Argument) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """Declare a public function, whose arguments are checked as `ARGUMENTS` says; raises `UsageError`.

    None is taken if it is the default.

    Parameters
    ----------
    others
        How arguments are checked that have other names, or another meaning here.
    """

    def made(function: Callable[P, Result]) -> Callable[P, Result]:
        found = signature(function)
        parameters = found.parameters
        known = {name: others.get(name, ARGUMENTS.get(name)) for name in parameters}

        @wraps(function)
        def call(*values: P.args, **named: P.kwargs) -> Result:
            bound = found.bind(*values, **named)
            for name, value in bound.arguments.items():
                argument, parameter = known[name], parameters[name]
                if argument is None or (value is None and parameter.default is None):
                    continue
                bound.arguments[name] = (
                    tuple(checked_value(name, it, argument) for it in value)
                    if parameter.kind is Parameter.VAR_POSITIONAL
                    else checked_value(name, value, argument)
                )
            with garbage.kept():
                return function(*bound.args, **bound.kwargs)

        vars(call)[_KNOWN] = {name for name, it in known.items() if it is not None}
        return call

    return made


def known_arguments(function: Callable[..., object]) -> set[str]:
    """The names of the arguments of a public function that are checked."""
    found: set[str] = vars(function).get(_KNOWN, set())
    return found
