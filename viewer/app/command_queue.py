"""The calls of panels, kept until all panels have drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from viewer.control.commands import Commands
from viewer.dataclass import dataclass, field, fields


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a command: its group and name, and the arguments."""

    group: str
    name: str
    arguments: tuple[Any, ...]
    options: dict[str, Any]

    def make(self, commands: Commands) -> None:
        """Call the command itself."""
        getattr(getattr(commands, self.group), self.name)(*self.arguments, **self.options)


@dataclass(frozen=True, slots=True)
class _Recorder:
    """Stands for a group of commands: what is called on it is recorded."""

    group: str
    record: Callable[[Call], None]

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *arguments, **options: self.record(Call(self.group, name, arguments, options))


@dataclass(frozen=True, slots=True)
class CommandQueue:
    """Records calls of commands; owner: the application, main thread only.

    Attributes
    ----------
    commands
        Queues what is called on it.
    """

    calls: list[Call] = field(default_factory=list)
    commands: Commands = field(init=False)

    def __post_init__(self) -> None:
        groups: dict[str, Any] = {it.name: _Recorder(it.name, self.calls.append) for it in fields(Commands)}
        object.__setattr__(self, "commands", Commands(**groups))

    def take(self) -> list[Call]:
        """The calls so far, in their order; later ones are for the next frame."""
        taken = [*self.calls]
        self.calls.clear()
        return taken
