"""Validating: the tasks of files, archives and folders, and their reports, in one process or several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from msgspec import Struct

from viewer.model.checks.joined_tables import TOGETHER
from viewer.model.mesh.draws import chunks
from viewer.model.store.address import Address
from viewer.model.store.disk import UnsavedFiles
from viewer.model.validation.batch_validation import BatchValidator, ValidationTask, plan
from viewer.model.validation.validate import Report
from viewer.operations.reading_options import USUAL, ReadingOptions
from viewer.progress import Progress


class ValidationOptions(Struct, frozen=True):
    """Options of checks of files.

    Parameters
    ----------
    options
        How models are read, and where names are looked up.
    unsaved
        Unsaved bytes that are checked in place of files.
    """

    options: ReadingOptions = USUAL
    unsaved: UnsavedFiles | None = None

    def plan(self, addresses: Iterable[Address], *, is_divided: bool) -> list[ValidationTask]:
        """The tasks; if divided, those of large archives are several."""
        return plan(addresses, is_divided=is_divided, unsaved=self.unsaved)

    def begin(self) -> Callable[[Sequence[ValidationTask]], Iterator[list[Report]]]:
        """A function that checks some tasks together, for a process of its own."""
        return BatchValidator(self.options.game, self.options.reading, self.unsaved).check_all

    def apply(self, tasks: Iterable[ValidationTask], progress: Progress) -> Iterator[Report]:
        """Yield the reports of tasks that are not divided; what has been checked is counted in bytes."""
        tasks = [*tasks]
        validator = BatchValidator(self.options.game, self.options.reading, self.unsaved)
        sizes = np.array([task.size for task in tasks], np.int64)
        progress.begin(int(sizes.sum()))
        for some in chunks(sizes, TOGETHER):
            progress.what = tasks[some][0].address.name
            # A large archive, which is alone here, is divided so that it can be cancelled.
            parts = [part for task in tasks[some] for part in validator.parts(task)]
            for part, reports in zip(parts, validator.check_all(parts), strict=True):
                yield from reports
                progress.advance(part.size)
