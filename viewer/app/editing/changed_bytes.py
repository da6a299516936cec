"""Which bytes of the payloads on screen differ from the saved files."""

from __future__ import annotations

from viewer.app.state import State
from viewer.errors import MshviewError
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.edits.changed_ranges import NO_RANGES, ChangedRanges
from viewer.session.edits.edited_file import EditedFile, real


class ChangedBytes:
    """Answers for rows and fields in every frame, so it remembers its answers until the edits change.

    Owner: the editing, main thread only.
    """

    def __init__(self, state: State, library: FileStore) -> None:
        self._state = state
        self._library = library
        self._edits: object = None
        self._known: dict[str, ChangedRanges] = {}

    def find(self, text: str) -> ChangedRanges:
        """Return the ranges of the payload at an address, none if they cannot be told."""
        edits = self._state.edits
        if edits is not self._edits:
            self._edits, self._known = edits, {}
        if not edits.changed or not text:
            return NO_RANGES
        if text not in self._known:
            try:
                self._known[text] = self._find(real(Address.parse(text)))
            except MshviewError:
                self._known[text] = NO_RANGES
        return self._known[text]

    def _find(self, address: Address) -> ChangedRanges:
        file = self._state.edits.of(address.path)
        base = self._offset(address) if file.is_changed else None
        if base is None:
            return NO_RANGES
        size = len(self._library.open(address).data)
        ranges = ((start - base, end - base) for start, end in _ranges(file))
        return ChangedRanges((max(start, 0), min(end, size)) for start, end in ranges)

    def _offset(self, address: Address) -> int | None:
        """The offset of a payload in its file; None if it is stored packed."""
        offset = 0
        while address.entries:
            entry = self._library.open(address).entry
            if not isinstance(entry, nres.Entry):
                return None
            offset += entry.offset
            address = address.parent
        return offset


def _ranges(file: EditedFile) -> list[tuple[int, int]]:
    """Start and end of each range of a file that differs from the saved bytes."""
    done = splice.combined_all(file.way_from_saved)
    return [(it.offset, it.end) for it in splice.reverse(done)]
