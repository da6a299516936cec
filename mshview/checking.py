"""The arguments of the library, checked by their names before anything is done."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping
from functools import partial, wraps
from inspect import Parameter, signature
from textwrap import fill
from typing import Any, Final, ParamSpec, TypeVar, get_args, get_type_hints

from mshview import garbage
from mshview.keywords import Keyword
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


def takes(keywords: type) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """Declare a function whose ``**options`` are the keywords of a class of `mshview.keywords`.

    `help`, editors and the page of the library then list each with its default, and what it does in place of
    the line ``Those of `...`.`` of the docstring.
    """
    known: dict[str, tuple[Any, Keyword]] = {
        name: get_args(it) for name, it in get_type_hints(keywords, include_extras=True).items()
    }

    def made(function: Callable[P, Result]) -> Callable[P, Result]:
        found, attributes = signature(function), vars(function)
        own = [it for it in found.parameters.values() if it.kind is not Parameter.VAR_KEYWORD]
        named = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=it.default, annotation=kind)
            for name, (kind, it) in known.items()
        ]
        attributes["__signature__"] = found.replace(parameters=[*own, *named])
        attributes[_KNOWN] = attributes.get(_KNOWN, set()) | known.keys()
        place = re.compile(rf"^( *)options\n +Those of `{keywords.__name__}`\.$", re.MULTILINE)
        function.__doc__ = place.sub(partial(_listed, known), function.__doc__ or "")
        return function

    return made


def _listed(known: Mapping[str, tuple[Any, Keyword]], place: re.Match[str]) -> str:
    """The keywords with their words, in the indentation of a docstring."""
    indent = place[1]
    inner = f"{indent}    "
    texts = {
        name: fill(it.words, 110 - len(inner), break_on_hyphens=False) for name, (_kind, it) in known.items()
    }
    return "\n".join(f"{indent}{name}\n{textwrap.indent(text, inner)}" for name, text in texts.items())


def known_arguments(function: Callable[..., object]) -> set[str]:
    """The names of the arguments of a public function that are checked."""
    found: set[str] = vars(function).get(_KNOWN, set())
    return found
