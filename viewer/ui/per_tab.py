"""What a panel remembers for each open tab."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from viewer.session.opened.tabs import TabKey, Tabs

Value = TypeVar("Value")


class PerTab(Generic[Value]):
    """One value per tab, forgotten as soon as the tab is closed or shows something else.

    Parameters
    ----------
    make
        Makes the value that a tab begins with.
    """

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make = make
        self._values: dict[TabKey, Value] = {}

    def of(self, tabs: Tabs) -> Value:
        """The value of the active tab."""
        keys = {tab.key for tab in tabs.tabs}
        for key in self._values.keys() - keys:
            del self._values[key]
        key = tabs.active.key
        if key not in self._values:
            self._values[key] = self._make()
        return self._values[key]
