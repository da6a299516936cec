"""The guard of drawing: after a fault in a panel or a window the others continue."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from imgui_bundle import imgui

from viewer.translation import Text

_REPORTS: Final = tuple(f"config_error_recovery_enable_{way}" for way in ("assert", "debug_log", "tooltip"))
"""Reports of ImGui about what was begun and not ended."""


def raised(_part: Text, error: Exception) -> None:
    """Raise the exception of a part that failed."""
    raise error


class Guard:
    """Draws parts of the window, each of which may fail by itself; owner: the shell.

    ImGui's stacks are brought back to where they were before the part: what it has begun is ended.

    Parameters
    ----------
    report
        Gets the name of a part that failed, and why it did; by default that is raised again.
    """

    def __init__(self, report: Callable[[Text, Exception], None] = raised) -> None:
        self._report = report
        self._stopped: dict[Text, object] = {}

    def draws(self, part: Text, draw: Callable[[], None]) -> bool:
        """Draw a part; tell whether it was drawn to its end."""
        before = imgui.internal.ErrorRecoveryState()
        imgui.internal.error_recovery_store_state(before)
        try:
            draw()
        except Exception as error:  # noqa: BLE001 whatever it is, the rest of the window goes on
            _recover(before)
            self._report(part, error)
            return False
        return True

    def draws_until_it_fails(self, part: Text, draw: Callable[[], None], shown: object) -> None:
        """Draw a part, not again after it failed: not until it shows something else, compared by identity."""
        if not self.is_stopped(part, shown) and not self.draws(part, draw):
            self._stopped[part] = shown

    def is_stopped(self, part: Text, shown: object) -> bool:
        """Tell whether a part has failed while it showed this."""
        return part in self._stopped and self._stopped[part] is shown

    def let_go_on(self, part: Text) -> None:
        """Draw a part again that has failed."""
        self._stopped.pop(part, None)


def _recover(before: imgui.internal.ErrorRecoveryState) -> None:
    """End what was begun since, and close the popups that were open over it."""
    with _quietly():
        imgui.internal.error_recovery_try_to_recover_state(before)
    level = imgui.get_current_context().begin_popup_stack.size()
    if imgui.get_current_context().open_popup_stack.size() > level:
        imgui.internal.close_popup_to_level(level, True)


@contextmanager
def _quietly() -> Iterator[None]:
    """Let ImGui end what was begun without an exception or a tooltip of its own about each."""
    io = imgui.get_io()
    before = {name: getattr(io, name) for name in _REPORTS}
    for name in _REPORTS:
        setattr(io, name, False)
    try:
        yield
    finally:
        for name, is_on in before.items():
            setattr(io, name, is_on)
