"""Parts tried on the unit of the active tab: assembled in a worker thread, and saved as a new unit."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from msgspec.structs import replace

from viewer.control.job_controller import JobController
from viewer.control.settings import user_files
from viewer.model.game.part_names import PartNames
from viewer.model.store.address import Address
from viewer.model.store.disk import with_target
from viewer.operations.units.tried_parts import NO_PARTS, TriedParts, outline_of, plan_unit
from viewer.session.opened.opened_resource import OpenedResource, with_parts
from viewer.translation import _

LANE: Final = "try_on"


class TriedUnitController(JobController):
    """Shows the unit of the active tab with other parts; owner: the application, main thread only."""

    def try_on(self, tried: TriedParts) -> None:
        """Show the unit with some parts; nothing of its file changes, and no other one takes its tab."""
        opened = self._state.resource
        if opened is None or opened.unit is None or opened.unit.game is None:
            return
        tried = replace(tried, outline=outline_of(opened.value) if tried else b"")
        tabs = self._state.tabs.changed(resource=replace(opened, tried=tried))
        self._state.show(tabs.keeping(opened.address))
        library, folder = self._opener.library.snapshot(), opened.unit.game.path
        key = self._state.tabs.active.key

        def work(_ignored: object) -> OpenedResource:
            return with_parts(opened, library, folder, tried)

        def done(found: OpenedResource) -> None:
            now = self._state.resource
            # What was read again meanwhile has the parts already.
            is_same = now is not None and now.tried is tried and now.value is found.value
            if now is not None and is_same and self._state.tabs.active.key == key:
                made = replace(now, unit=found.unit, sheet=found.sheet)
                self._state.show(self._state.tabs.changed(resource=made))

        def failed(error: BaseException) -> None:
            self.take_off()
            self._state.report(error)

        self._jobs.start(LANE, _("Trying on parts…"), work, done, failed)

    def take_off(self) -> None:
        """Show the unit as its file has it."""
        opened = self._state.resource
        if opened is not None and opened.tried:
            self.try_on(NO_PARTS)

    def save(self, opened: OpenedResource, path: Path) -> None:
        """Write the unit with the tried parts as a new file, and open it."""
        assert opened.unit is not None
        game, library, unit = opened.unit.game, self._opener.library.snapshot(), opened.value
        names = PartNames.of(library, None if game is None else game.path)

        def work(_ignored: object) -> None:
            user_files.write_plan(plan_unit(unit, opened.tried, path, names))

        def done(_ignored: object) -> None:
            self._state.announce(_("saved {path}", path=with_target(path)))
            self._opener.open(Address(path), in_new_tab=True)

        title = _("Saving {name}…", name=path.name)
        self._jobs.start(f"save {path}", title, work, done, is_writing=True)
