"""The options of a view that the shell and the library give by name, as their fields declare them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from viewer.errors import FormatError, UsageError, suggestion
from viewer.operations.arguments import plain
from viewer.session.options import Declared, options_of
from viewer.session.view.lighting import sky_missing
from viewer.session.view.view_state import ViewState
from viewer.translation import _
from viewer.typed_json import usable

GIVEN: Final[Mapping[str, Declared]] = MappingProxyType(
    {it.option.shell.parameter: it for it in options_of(ViewState) if it.option.shell is not None}
)
"""The options by their names in Python: ``own_view``."""


def checked_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Options of Python by their names, of numpy as those of Python; raises `UsageError` for wrong ones."""
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name not in GIVEN:
            raise UsageError(_("is unknown here{hint}", hint=suggestion(name, GIVEN)), source=name)
        if value is not None:
            found[name] = plain(value)
            try:
                usable(GIVEN[name].kind, found[name])
            except FormatError as error:
                raise UsageError(error.message, source=name) from None
    return found


def without_sky(given: Mapping[str, Any]) -> str | None:
    """The name of an option that is on and shows something of a sky; None without one."""
    of_sky = (name for name, option in GIVEN.items() if option.option.obstacle is sky_missing)
    return next((name for name in of_sky if given.get(name)), None)


def with_options(view: ViewState, given: Mapping[str, Any]) -> ViewState:
    """A view with the options that are given; those that are None stay, and so do names of other options."""
    for name, option in GIVEN.items():
        value = given.get(name)
        if value is not None:
            view = option.set(view, option.made(value))
    return view
