"""The games found on this computer: looked for once, used or declined by the user."""

from __future__ import annotations

from viewer.app.jobs import Jobs
from viewer.app.open_controller import OpenController
from viewer.app.state import State
from viewer.model.game import this_computer
from viewer.model.game.installs import Install


class InstallOffers:
    """Finds installs, and uses or declines them; owner: the application, main thread only.

    Parameters
    ----------
    state
        The state that the answers change.
    jobs
        Where the folders are listed.
    opener
        Opens what is chosen.
    """

    def __init__(self, state: State, jobs: Jobs, opener: OpenController) -> None:
        self._state = state
        self._jobs = jobs
        self._opener = opener

    def search(self) -> None:
        """Find the installs of the game on this computer, in a worker thread."""

        def done(found: tuple[Install, ...]) -> None:
            self._state.installs = found

        self._jobs.start(
            "installs",
            "",
            lambda _: this_computer.find_installs(),
            done,
            self._opener.fail,
            is_background=True,
        )

    def use(self, folder: str) -> None:
        """Use a folder as the game folder, and open it."""
        self._opener.use_game(folder)
        self._opener.open(folder)

    def decline(self) -> None:
        """Offer those that were found no more."""
        found = (install.folder for install in self._state.installs)
        declined = dict.fromkeys((*self._state.settings.declined_installs, *found))
        self._state.set(declined_installs=tuple(declined))
