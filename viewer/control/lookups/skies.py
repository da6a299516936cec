"""The skies that models can be lit with: those that are open, and those of the missions of the game."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from viewer.control.job_controller import JobController
from viewer.control.jobs import problem_of
from viewer.control.opening import loading
from viewer.model.game.skies import mission_skies
from viewer.model.store.address import Address
from viewer.session.jobs import FoundSkies
from viewer.session.view.skies import KIND, read_sky, with_sky
from viewer.translation import _

LANE: Final = "skies"


class SkyController(JobController):
    """Lists skies in a worker thread, once for what is in front, and lights models with one.

    Owner: the application, main thread only.
    """

    _made_of: tuple[object, ...] = (None,)
    _missions: tuple[Address, ...] = ()
    _problem = ""
    _is_searching = False

    def find(self) -> FoundSkies:
        """The skies found so far for what the active tab shows."""
        tab, settings = self._state.tabs.active, self._state.settings
        made_of = tab.address, settings.game
        if made_of != self._made_of:
            self._made_of = made_of
            self._search(tab.address)
        opened = [it.address for it in self._state.tabs.opened if it.resource and it.resource.kind == KIND]
        found = dict.fromkeys(it for it in (*opened, *self._missions) if it is not None)
        return FoundSkies(tuple(found), self._is_searching, "" if found else self._problem)

    def use(self, address: Address) -> None:
        """Light models with a sky, at the hour of before if it was used already; raises `MshviewError`."""
        before = self._state.view.lighting.sky
        hour = None if before is None or before.name != str(address) else before.hour
        self._state.view = with_sky(self._state.view, read_sky(self._opener.library, address, hour))

    def _search(self, address: Address | None) -> None:
        library = self._opener.library
        options = None if address is None else self._opener.choices(address)
        is_set = bool(self._state.settings.game)
        folder = Path(self._state.settings.game) if is_set else None

        def work(_ignored: object) -> tuple[tuple[Address, ...], str]:
            store, game = library.snapshot(), folder
            if address is not None and options is not None:
                game = loading.game_of(store, address, options)
            if game is None:
                return (), _("no game folder is known, and no sky is open")
            found = mission_skies(store, game)
            nothing = _("no mission of {folder} has a sky, and no sky is open", folder=game)
            return found, "" if found else nothing

        def done(found: tuple[tuple[Address, ...], str]) -> None:
            self._missions, self._problem = found
            self._is_searching = False

        def failed(error: BaseException) -> None:
            done(((), problem_of(error)))

        self._is_searching = True
        self._jobs.start(LANE, "", work, done, failed)
