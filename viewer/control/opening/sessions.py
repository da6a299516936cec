"""Opening at the start of the window, for another start of the program, and of the last session."""

from __future__ import annotations

from functools import partial

from viewer.control.opening.loading import Opened, StartOptions
from viewer.control.opening.open_controller import OpenController
from viewer.control.opening.tab_filling import Keep, looked_at
from viewer.control.state import State
from viewer.errors import MshviewError, error_text
from viewer.model.convert.scene_file import is_of_scene
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.session.opened.tabs import CameraFit, Tab
from viewer.session.view.state_link import START, StateLink


class SessionController:
    """Opens the last session again; owner: the application, main thread only."""

    def __init__(self, state: State, opener: OpenController) -> None:
        self._state = state
        self._opener = opener

    def restore(self) -> None:
        """Open the tabs of the last session again."""
        restore(self._state, self._opener)


def open_first(state: State, opener: OpenController) -> None:
    """Open what the command line names, else what was open last time if that is wanted, else the sample."""
    is_named = opener.given.address is not None or opener.given.link is not None
    if not is_named and state.settings.restores_session and state.settings.session:
        restore(state, opener)
    else:
        opener.open_first()


def open_given(state: State, opener: OpenController, given: StartOptions) -> None:
    """Open what another start of the program names, in a new tab unless it is open."""
    if given.address is None:
        return
    opener.given = given
    state.settings = given.remembered_in(state.settings)
    there = state.tabs.at(given.address)
    if there is not None:
        opener.activate(there.identity)
        state.view = given.drawn(state.view)
    if given.link is not None:
        opener.open_link(given.link)
    elif there is None:
        opener.open(given.address, in_new_tab=True, drawn=given.drawn)


def restore(state: State, opener: OpenController) -> None:
    """Open what was open last time, in its order, each looked at as it was; what is gone is an error."""
    session, front = state.settings.session, state.settings.session_front
    identities: dict[int, int] = {}

    def arrived(place: int, link: StateLink, opened: Opened) -> None:
        tab = state.tabs.at(opened.address)
        if tab is not None:
            opener.activate(tab.identity)
        elif not opener.show_opened(opened, Keep.LOOK, _unused(state), is_kept=True):
            return
        if opened.document is not None and link.values:
            view = looked_at(state, opener.library, link, opened.document)
            framing = CameraFit.KEPT if link.has_camera else CameraFit.NEW
            state.show(state.tabs.changed(view=view, framing=framing))
        # Files are read at once and arrive in any order.
        identities[place] = state.tabs.active.identity
        others = [tab.identity for tab in state.tabs.tabs if tab.identity not in identities.values()]
        state.show(state.tabs.ordered((*others, *(identities[it] for it in sorted(identities)))))
        if front in identities:
            opener.activate(identities[front])

    for place, text in enumerate(session):
        try:
            link = StateLink.parse(text) if text.startswith(START) else StateLink(Address.parse(text))
        except MshviewError as error:
            state.complain(error_text(error))
            continue
        if is_of_scene(link.address.path):
            continue  # what was only looked at is not on the disk
        if link.reading is not ReadingChoice.AUTO:
            state.settings = state.settings.with_reading(link.address, link.reading)
        opener.read(f"restore {place}", link.address, partial(arrived, place, link), is_exact=True)


def _unused(state: State) -> Tab:
    """The empty tab in front, else a new one, which was not opened from another."""
    return Tab() if state.tabs.active.address else state.tabs.active
