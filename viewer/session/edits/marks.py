"""Which of the addresses on screen differ from the disk."""

from __future__ import annotations

from pathlib import Path

from viewer.errors import UsageError
from viewer.model.store.address import Address
from viewer.session.edits.edited_file import Edits, real


class UnsavedMarks:
    """Answers about rows in every frame, so it remembers its answers until the edits change."""

    def __init__(self) -> None:
        self._edits = Edits()
        self._around: frozenset[Path] = frozenset()
        self._known: dict[str, bool] = {}
        self._real: dict[Path, Path] = {}

    def follow(self, edits: Edits) -> None:
        """Answer for these edits from now on."""
        if edits is not self._edits:
            self._edits, self._known = edits, {}
            self._around = frozenset(folder for file in edits.changed for folder in file.path.parents)

    def is_unsaved(self, text: str) -> bool:
        """Whether what is at an address, or anything inside it, was changed and not saved."""
        if not self._around:
            return False
        if text not in self._known:
            self._known[text] = self._find(text)
        return self._known[text]

    def _find(self, text: str) -> bool:
        try:
            address = Address.parse(text)
        except UsageError:
            return False
        if address.path not in self._real:
            self._real[address.path] = real(Address(address.path)).path
        path = self._real[address.path]
        is_folder = not address.entries and path in self._around
        return is_folder or self._edits.is_changed(Address(path, address.entries))
