"""The check that models come back from every format as they were."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from viewer.app.converting.exporting import Sources, source_of, wear_names
from viewer.app.jobs import Jobs
from viewer.app.open_controller import OpenController
from viewer.app.state import State
from viewer.errors import MshviewError
from viewer.model.convert.exchange import SUFFIXES
from viewer.model.convert.round_trip import Trip, trip
from viewer.model.kinds.registry import MODEL, promised_kind
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore, Item, entry_of
from viewer.progress import Progress
from viewer.session.exporting import ModelRoundTrips, RoundTripReport
from viewer.translation import _
from viewer.ui.converting.windows import LANE


class RoundTripController:
    """Keeps `State.converting.trips`; owner: the application, main thread only."""

    def __init__(self, state: State, jobs: Jobs, opener: OpenController) -> None:
        self._state = state
        self._jobs = jobs
        self._opener = opener

    def check(self, address: str = "") -> None:
        """Check the models at an address, an archive or a model; without one the open model."""
        document = self._state.document
        if not address and document is None:
            return
        checked = Address.parse(address) if address or document is None else document.source.address
        started = RoundTripReport(str(checked))
        self._state.converting = replace(self._state.converting, trips=started)
        library = self._opener.library.snapshot()
        sources = Sources(library, *self._opener.choices(str(checked)), self._state.tabs.documents)

        def done(found: tuple[ModelRoundTrips, ...]) -> None:
            if self._state.converting.trips is started:
                report = RoundTripReport(str(checked), found, is_running=False)
                self._state.converting = replace(self._state.converting, trips=report)

        def failed(error: BaseException) -> None:
            done(())  # the report shows that it has ended
            self._opener.fail(error)

        self._jobs.start(
            LANE,
            _("Checking the round trip of {name}…").format(name=checked.name),
            lambda progress: _checked(sources, checked, progress),
            done,
            failed,
            is_background=True,
        )

    def close(self) -> None:
        """Close the report, and end the check that it waits for."""
        self._jobs.drop(LANE)
        self._state.converting = replace(self._state.converting, trips=None)


def _checked(sources: Sources, address: Address, progress: Progress) -> tuple[ModelRoundTrips, ...]:
    """The trips of every model at an address."""
    items = [*_models(sources.library, address)]
    steps = [(item, suffix) for item in items for suffix in SUFFIXES]
    found: dict[Address, list[Trip]] = {}
    for item, suffix in progress.over(steps, lambda step: step[0].address.name):
        found.setdefault(item.address, []).append(_trip(sources, item, suffix))
    return tuple(ModelRoundTrips(address.name, tuple(trips)) for address, trips in found.items())


def _models(library: FileStore, address: Address) -> Iterator[Item]:
    """Yield the model at an address, or those of the archive there."""
    item = library.open(address)
    container = library.container(item) if promised_kind(item).is_archive else None
    if container is None:
        yield item
        return
    for row in range(len(container.entries)):
        entry = entry_of(item, container, row)
        if promised_kind(entry) is MODEL:
            yield entry


def _trip(sources: Sources, item: Item, suffix: str) -> Trip:
    try:
        document = sources.document(item.address)
    except MshviewError as error:
        return Trip(suffix, differences=(error.text,))
    return trip(source_of(document, item), suffix, wear_names(document), item.entry)
