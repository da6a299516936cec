"""The calls that panels are expected to make."""

from __future__ import annotations

from collections.abc import Callable

from viewer.app.command_queue import Call, CommandQueue
from viewer.control.commands import Commands


def calls(*made: Callable[[Commands], None]) -> list[Call]:
    """The calls as the queue of the application records them."""
    queue = CommandQueue()
    for make in made:
        make(queue.commands)
    return queue.calls
