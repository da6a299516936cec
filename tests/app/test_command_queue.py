"""Calls of commands wait until they are taken, and are made in their order."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from viewer.app.command_queue import CommandQueue
from viewer.ui.commands import Commands


class _Noting:
    """Commands of a group that note what is called."""

    def __init__(self, group: str, made: list[tuple[Any, ...]]) -> None:
        self._group = group
        self._made = made

    def __getattr__(self, name: str) -> Any:
        return lambda *values, **options: self._made.append((self._group, name, values, options))


def test_calls_are_made_in_their_order_when_they_are_taken() -> None:
    queue, made = CommandQueue(), list[tuple[Any, ...]]()
    groups: dict[str, Any] = {it.name: _Noting(it.name, made) for it in fields(Commands)}
    queue.commands.opening.open("a.msh", in_new_tab=True)
    queue.commands.edits.step(-1)
    queue.commands.opening.reload()
    calls = queue.take()
    assert (made, queue.calls) == ([], [])
    for call in calls:
        call.make(Commands(**groups))
    assert made == [
        ("opening", "open", ("a.msh",), {"in_new_tab": True}),
        ("edits", "step", (-1,), {}),
        ("opening", "reload", (), {}),
    ]


def test_what_a_call_calls_waits_for_the_next_frame() -> None:
    queue, made = CommandQueue(), list[tuple[Any, ...]]()

    class _Again(_Noting):
        def open(self, address: str) -> None:
            queue.commands.opening.open(f"{address}.bak")

    again: Any = _Again("opening", made)
    commands = replace(queue.commands, opening=again)
    queue.commands.opening.open("a.msh")
    for call in queue.take():
        call.make(commands)
    assert [call.arguments for call in queue.calls] == [("a.msh.bak",)]
