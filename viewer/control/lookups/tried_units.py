"""Parts tried on the unit of the active tab: assembled in a worker thread, and saved as a new unit."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from viewer.control.job_controller import JobController
from viewer.control.settings import user_files
from viewer.model.game.part_names import PartNames
from viewer.model.store.address import Address
from viewer.model.store.disk import with_target
from viewer.operations.units.tried_parts import NO_PARTS, TriedParts, plan_unit, shown
from viewer.operations.units.unit_sheets import UnitSheet, sheet_of
from viewer.session.opened.assembled_unit import AssembledUnit
from viewer.session.opened.opened_resource import OpenedResource
from viewer.translation import _

LANE: Final = "try_on"


class _Assembled(Struct, frozen=True, eq=False):
    """A unit with tried parts in place, and its sheet."""

    unit: AssembledUnit
    sheet: UnitSheet


class TriedUnitController(JobController):
    """Shows the unit of the active tab with other parts; owner: the application, main thread only."""

    def try_on(self, tried: TriedParts) -> None:
        """Show the unit with some parts; nothing of its file changes."""
        opened = self._state.resource
        if opened is None or opened.unit is None or opened.unit.game is None:
            return
        self._state.show(self._state.tabs.changed(resource=replace(opened, tried=tried)))
        library, folder, unit = self._opener.library.snapshot(), opened.unit.game.path, opened.value
        key = self._state.tabs.active.key

        def work(_ignored: object) -> _Assembled:
            made, parents = shown(unit, tried, PartNames.of(library, folder))
            assembled = AssembledUnit.of(library, made, folder, has_effects=True, parents=parents)
            return _Assembled(assembled, sheet_of(library, assembled.game, made, assembled.parts))

        def done(found: _Assembled) -> None:
            now = self._state.resource
            if now is not None and self._state.tabs.active.key == key and now.tried is tried:
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
