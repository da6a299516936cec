"""Who refers to what is open, searched in the background when a panel wants to know."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from viewer.app import loading
from viewer.app.jobs import Jobs
from viewer.app.loading import OpenOptions
from viewer.app.state import State
from viewer.errors import MshviewError, error_text
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.references.users import UserSearch
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.progress import Cancelled, Progress
from viewer.session.found_users import USERS_LANE, FoundUsers
from viewer.translation import _

KEPT: Final = 64
"""Payloads whose users are kept."""


class UserLookup:
    """Finds the users of what the active tab shows; owner: the application, main thread only.

    They are searched once for every revision of it, in the folders and files of the browser and in its
    game folder. What was found before is shown until the search ends.

    Parameters
    ----------
    choices
        The reading and the lookup chosen for an address.
    """

    def __init__(
        self,
        library: FileStore,
        state: State,
        jobs: Jobs,
        choices: Callable[[str], tuple[ReadingChoice, OpenOptions]],
    ) -> None:
        self._library = library
        self._state = state
        self._jobs = jobs
        self._choices = choices
        self._search = UserSearch()
        self._found: dict[str, FoundUsers] = {}
        self._made_of: dict[str, tuple[object, object]] = {}

    def find(self, address: str) -> FoundUsers:
        """The users found so far of the payload at an address; starts a search if it is due."""
        tab = self._state.tabs.active
        made_of = tab.document or tab.resource, self._state.browser.roots
        if self._made_of.get(address) != made_of:
            self._made_of[address] = made_of
            self.search(address)
        return self._found.get(address, FoundUsers(is_searching=True))

    def search(self, address: str) -> None:
        """Search now."""
        known = self._found.pop(address, FoundUsers())
        for other in list(self._found)[: len(self._found) - KEPT + 1]:
            del self._found[other]
            self._made_of.pop(other, None)
        self._found[address] = FoundUsers(known.found, is_searching=True)
        options = self._choices(address)[1]
        scope = [Address.parse(root.address).path for root in self._state.browser.roots]

        def work(progress: Progress) -> FoundUsers:
            library, place = self._library.snapshot(), Address.parse(address)
            game = loading.game_of(library, place, options)
            files: list[Path] = [*scope, *([game] if game else []), place.path]
            return FoundUsers(self._search.find(library, place, files, game, progress))

        self._jobs.start(
            f"{USERS_LANE} {address}",
            _("Searching for users of {name}…").format(name=Address.parse(address).name),
            work,
            lambda found: self._found.__setitem__(address, found),
            lambda error: self._fail(address, error),
            is_background=True,
        )

    def _fail(self, address: str, error: BaseException) -> None:
        known = self._found.get(address, FoundUsers())
        reason = error_text(error) if isinstance(error, MshviewError) else str(error)
        problem = _("cancelled") if isinstance(error, Cancelled) else reason
        self._found[address] = FoundUsers(known.found, problem=problem)
