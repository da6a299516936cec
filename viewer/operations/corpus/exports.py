"""Export of many: the models of an archive as files, and their round trips through every format.

`export_all` writes what `tasks_in` or `tasks_of` found; `round_trips` checks that models come back from every
format as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import MshviewError, OutputError, UsageError
from viewer.model.compare.file_plan import FilePlan
from viewer.model.convert.exchange import RoundTrip, round_trip
from viewer.model.convert.scene_file import SUFFIXES
from viewer.model.kinds.registry import MODEL
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.corpus.many import ENTRY, HOLDER, FoundItem, ItemFinder, OutputTask, output_tasks
from viewer.operations.exporting import ExportOptions, ExportPreview, Failure, ModelReader
from viewer.operations.saving import write
from viewer.progress import Cancelled, Progress


def tasks_in(library: FileStore, archive: Address, options: ExportOptions, folder: Path) -> list[OutputTask]:
    """The resources of an archive that the format can hold, and their files; raises `MshviewError`."""
    found = ItemFinder(library, options.kinds, options.what).find([archive])
    return output_tasks(found, str(folder / f"{ENTRY}.{options.suffix}"))


def tasks_of(found: Sequence[FoundItem], folder: Path, suffix: str) -> list[OutputTask]:
    """The files of some resources, named after their archives too if their own names are not enough.

    Raises `UsageError` if two would still be the same file.

    Parameters
    ----------
    suffix
        What follows the name of each, with its dot; empty for none.
    """
    try:
        return output_tasks(found, f"{folder / ENTRY}{suffix}")
    except UsageError:
        return output_tasks(found, f"{folder / HOLDER}_{ENTRY}{suffix}")


def preview_of(tasks: Sequence[OutputTask], folder: Path) -> ExportPreview:
    """The preview of the files of tasks; those with a problem are left out."""
    names = (it.path.name for it in tasks if not it.found.problem)
    refused = tuple(Failure(it.found.name, it.found.problem) for it in tasks if it.found.problem)
    return replace(ExportPreview.of_names(folder, names), refused=refused)


class ExportReport(Struct, frozen=True):
    """The result of writing many.

    Attributes
    ----------
    folder
        Where to.
    written, size
        Number of resources, and bytes of all their files.
    failures
        What could not be written.
    is_cancelled
        The user has ended it; what was written until then stays.
    """

    folder: Path
    written: int
    size: int
    failures: tuple[Failure, ...]
    is_cancelled: bool = False


def export_all(
    tasks: Sequence[OutputTask],
    folder: Path,
    plans: Callable[[OutputTask], Sequence[FilePlan]],
    progress: Progress,
) -> ExportReport:
    """Write the files of each task, all or none; those that fail are named.

    Raises `OutputError` if the folder cannot be written: the next files could not be either.
    """
    written = size = 0
    failures: list[Failure] = []
    try:
        for task in progress.over(tasks, lambda it: it.found.name):
            if task.found.problem:
                failures.append(Failure(task.found.name, task.found.problem))
                continue
            try:
                size += sum(it.revision.size for it in write(plans(task)))
            except OutputError:
                raise
            except MshviewError as error:
                failures.append(Failure(task.found.name, error.text))
            else:
                written += 1
    except Cancelled:
        return ExportReport(folder, written, size, tuple(failures), is_cancelled=True)
    return ExportReport(folder, written, size, tuple(failures))


class ModelRoundTrips(Struct, frozen=True):
    """The round trips of one model through the formats."""

    name: str
    trips: tuple[RoundTrip, ...]


def round_trips(
    library: FileStore, address: Address, read: ModelReader, progress: Progress
) -> tuple[ModelRoundTrips, ...]:
    """The round trips of the model at an address, or of all models of the archive there."""
    found = ItemFinder(library, frozenset({MODEL.id}), "model").find([address])
    steps = [(it.address, suffix) for it in found if not it.problem for suffix in SUFFIXES]
    trips: dict[Address, list[RoundTrip]] = {}
    for model, suffix in progress.over(steps, lambda step: step[0].name):
        item = library.open(model)
        try:
            source = read(item)
        except MshviewError as error:
            made = RoundTrip(suffix, differences=(error.text,))
        else:
            made = round_trip(source, suffix, item.entry)
        trips.setdefault(model, []).append(made)
    return tuple(ModelRoundTrips(it.name, tuple(made)) for it, made in trips.items())
