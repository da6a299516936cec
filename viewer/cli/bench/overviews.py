"""Cases of ``bench`` with the overview of an install as thumbnails, in the window."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter, sleep
from typing import Final

from msgspec.structs import replace

from viewer.cli.bench.subjects import Subjects
from viewer.cli.bench.timing import MILLISECONDS, SLOW_RUNS, Result, Work, by_name
from viewer.cli.bench.windows import REST, SampleWindow, opened_window
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.session.games.overviews import NO_OVERVIEWS, OVERVIEW

PAGES: Final = 40
"""Places to which the grid is scrolled, evenly apart."""
SETTLED: Final = 3
"""Frames without work after which all thumbnails on screen are there."""


def overview_first_screen(subjects: Subjects) -> Work:
    """The tab of an install of 6,700 entries, from opening the folder to the frame with the first of them."""
    window, close = opened_window(subjects)
    app, address = window.app, subjects.install
    _prepare(window)

    def show() -> None:
        app.opener.open(address)
        window.draw_until(lambda: _listed(window, address))
        window.draw()

    def forget() -> None:
        window.draw_until(lambda: not app.jobs.is_busy)
        app.opener.close()
        app.state.overviews = NO_OVERVIEWS

    return Work(show, after=forget, end=close, most=SLOW_RUNS)


def overview_longest_frame(subjects: Subjects) -> Result:
    """The longest frame while an install is scrolled through and the thumbnails on screen are made."""
    # The names of the cases are known without the library of the window.
    from viewer.app.platform.window import short_pauses  # noqa: PLC0415

    window, close = opened_window(subjects)
    state, address = window.app.state, subjects.install
    _prepare(window)
    with short_pauses():
        window.app.opener.open(address)
        window.draw_until(lambda: _listed(window, address) and not state.overviews[address].is_running)
        window.draw(SETTLED)
        longest = max(_frames(window, address))
    close()
    return Result("overview_longest_frame", MILLISECONDS, (longest,))


def _prepare(window: SampleWindow) -> None:
    """Wait for the thumbnails of the browser, and choose those of overviews."""
    app = window.app
    window.draw_until(lambda: not (app.jobs.is_busy or app.is_working))
    app.state.set(overview=replace(app.state.settings.overview, is_grid=True))


def _listed(window: SampleWindow, address: Address) -> bool:
    state = window.app.state.overviews.get(address)
    return state is not None and state.found is not None


def _frames(window: SampleWindow, address: Address) -> Iterator[float]:
    """The time of each frame, ms, while the grid is scrolled from its start to its end."""
    app = window.app
    found = app.state.overviews[address].found
    count = 0 if found is None else len(found)
    for page in range(PAGES):
        app.opener.go_to(Place(address, OVERVIEW, page * (count - 1) // (PAGES - 1)))
        idle = 0
        while idle < SETTLED:
            started = perf_counter()
            window.draw()
            yield (perf_counter() - started) * 1e3
            sleep(REST)
            idle = 0 if app.is_working or app.images.thumbnails.has_work or app.jobs.is_busy else idle + 1


CASES: Final = by_name(overview_first_screen)
RESULTS: Final = (overview_longest_frame,)
