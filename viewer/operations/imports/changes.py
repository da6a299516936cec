"""The changes of an import, as they are listed; any of them may be left out."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from viewer.model.edit.change import Change
from viewer.model.store.address import Address


class ChangedTable(StrEnum):
    """A table that a change of an import changes."""

    WEAR = "wear"
    CONTROLLER = "controller"
    MODEL = "model"
    LIBRARY = "library"


class ImportChange(Struct, frozen=True):
    """A change that an import makes, and that may be left out.

    Attributes
    ----------
    what, address
        What it changes: the model, its wear table, its controller, or a library or an entry of one.
    words
        What it does.
    node
        The only node whose vertices it changes; empty if it changes something else.
    item
        The entry of a library that is changed or added, as ``LIBRARY::ENTRY``.
    loss
        What the file says and is lost without it.
    """

    what: ChangedTable
    address: Address
    change: Change
    words: str
    node: str = ""
    item: str = ""
    loss: str = ""
