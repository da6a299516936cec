"""The options of a view that the shell and the library give by name, as their fields declare them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from viewer.session.options import Declared, options_of
from viewer.session.view.view_state import ViewState

GIVEN: Final[Mapping[str, Declared]] = MappingProxyType(
    {it.option.shell.parameter: it for it in options_of(ViewState) if it.option.shell is not None}
)
"""The options by their names in Python: ``own_view``."""


def with_options(view: ViewState, given: Mapping[str, Any]) -> ViewState:
    """A view with the options that are given; those that are None stay, and so do names of other options."""
    for name, option in GIVEN.items():
        value = given.get(name)
        if value is not None:
            view = option.set(view, option.made(value))
    return view
