"""The calls that panels are expected to make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from viewer.control.controllers import Controllers
from viewer.control.later import Call, Later


@dataclass(frozen=True, slots=True)
class Method:
    """Stands for a method of a controller: it notes what it is called with; those of one name are equal."""

    group: str
    name: str
    made: list[Call] = field(compare=False, repr=False)

    def __call__(self, *arguments: object, **options: object) -> None:
        """Note a call."""
        self.made.append(Call(self, arguments, options))


class _Group:
    def __init__(self, name: str, made: list[Call]) -> None:
        self._name, self._made = name, made

    def __getattr__(self, name: str) -> Method:
        return Method(self._name, name, self._made)


def stand_ins(made: list[Call]) -> Controllers:
    """Controllers that do nothing but note in `made` what they are called for."""
    groups: dict[str, Any] = {name: _Group(name, made) for name in Controllers.__struct_fields__}
    return Controllers(**groups)


class Asking:
    """What a panel asks with, as in its frame."""

    def __init__(self) -> None:
        self.later = Later()
        self.control = stand_ins([])


def calls(*made: Callable[[Any], object]) -> list[Call]:
    """The calls that some functions ask for in a frame."""
    frame = Asking()
    for make in made:
        make(frame)
    return frame.later.calls
