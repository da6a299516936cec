"""The bytes of payloads for panels, which ask for them in every frame."""

from __future__ import annotations

from typing import Final

from viewer.app.state import State
from viewer.errors import MshviewError
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.opened.payload_bytes import PayloadBytes, read_bytes

MOST_KEPT: Final = 4
"""Payloads that are remembered."""


class PayloadLookup:
    """Remembers payloads until they are edited or read again; owner: the application, main thread only."""

    def __init__(self, state: State, library: FileStore) -> None:
        self._state = state
        self._library = library
        self._made_of: tuple[object, object] = (None, None)
        self._known: dict[Address, PayloadBytes | None] = {}

    def find(self, address: Address) -> PayloadBytes | None:
        """Return the bytes at an address of what the active tab shows; None if there are none."""
        shown = self._state.document or self._state.resource
        # Edits are replaced when they change, and so is what was read again.
        if self._made_of[0] is not shown or self._made_of[1] is not self._state.edits:
            self._made_of, self._known = (shown, self._state.edits), {}
        if address not in self._known:
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            self._known[address] = self._read(address)
        return self._known[address]

    def _read(self, address: Address) -> PayloadBytes | None:
        try:
            return read_bytes(self._library, address)
        except MshviewError:
            return None
