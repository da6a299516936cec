"""Conflicts: what two mods, or a mod and the game, do to one place, field by field."""

from __future__ import annotations

from typing import Final

from msgspec import Struct, field

from viewer.operations.mods.manifest import GameAddress

GAME: Final = "game"
"""The name in conflicts of what the game itself has changed since a mod was made."""
PATCH: Final = "patch"
ADD: Final = "add"
REMOVE: Final = "remove"
"""The changes of a whole payload: values of conflicts that are not about a field."""
MOST_HEX: Final = 64
"""Bytes of a value that are written as such."""


class ModConflict(Struct, frozen=True):
    """A place that two change in different ways.

    Attributes
    ----------
    address
        The payload.
    field
        The field with its table and row; None for bytes without one, and for the payload as a whole.
    mods
        The two, in their order.
    values
        What each sets: a value as ``inspect`` prints it, bytes in hexadecimal, or what is done to the whole.
    winner
        Whose value counts.
    """

    address: GameAddress
    field: str | None
    mods: tuple[str, str]
    values: tuple[object, object]
    winner: str


class ModFindings(Struct, eq=False):
    """The findings while mods are put together; grows meanwhile.

    Attributes
    ----------
    conflicts
        In the order of addresses and mods.
    changed
        Addresses whose payload in the game is another one than a mod was made of.
    remarks
        What the user should know besides.
    whole
        The conflicts that are not about a field, each once.
    """

    conflicts: list[ModConflict] = field(default_factory=list)
    changed: dict[GameAddress, None] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    whole: set[tuple[GameAddress, tuple[str, str]]] = field(default_factory=set)

    def add(self, conflict: ModConflict) -> None:
        """Note a conflict, once: bytes of a payload that conflict at several offsets are one."""
        if conflict.field is None:
            same = conflict.address, conflict.mods
            if same in self.whole:
                return
            self.whole.add(same)
        self.conflicts.append(conflict)

    def has_whole(self, address: GameAddress, mod: str) -> bool:
        """Whether a payload as a whole is a conflict of a mod: its fields are none of their own then."""
        return any(address == it and mod in mods for it, mods in self.whole)

    def add_whole(
        self, address: GameAddress, mods: tuple[str, str], values: tuple[str, str], winner: str
    ) -> None:
        """Note a conflict about a payload as a whole."""
        self.add(ModConflict(address, None, mods, values, winner))


def shortened_hex(data: bytes) -> str:
    """Bytes in hexadecimal, cut if they are many."""
    return data[:MOST_HEX].hex() + ("..." if len(data) > MOST_HEX else "")
