"""Repair: what can be mended of a payload is found in a worker thread."""

from __future__ import annotations

from collections.abc import Callable

from viewer.app.jobs import Jobs
from viewer.app.state import State
from viewer.formats.archive.nres import Entry
from viewer.model.edit.draft import Draft
from viewer.model.edit.repair.mend import Mend, mends
from viewer.model.kinds.registry import promised_kind
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.edits.mending import Mending
from viewer.translation import _


class MendController:
    """Keeps `State.mending`; owner: the application, main thread only."""

    def __init__(
        self, state: State, jobs: Jobs, library: FileStore, fail: Callable[[BaseException], None]
    ) -> None:
        self._state = state
        self._jobs = jobs
        self._library = library
        self._fail = fail

    def find(self, address: str) -> None:
        """Find what can be mended of a payload; whatever was found before is forgotten."""
        self._state.mending = Mending(address)

        def done(found: tuple[Mend, ...]) -> None:
            self._state.mending = Mending(address, found)

        self._jobs.start(
            "mend", _("Looking for what can be mended…"), lambda _: self._mends(address), done, self._fail
        )

    def _mends(self, address: str) -> tuple[Mend, ...]:
        item = self._library.open(Address.parse(address))
        entry = item.entry if isinstance(item.entry, Entry) else None
        return mends(Draft(promised_kind(item), item.data, entry), item.name)
