"""Steps of an import: those of the chosen changes, file by file, as edits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from viewer.errors import reading_from
from viewer.formats import splice
from viewer.formats.splice import Splices
from viewer.model.compare.file_plan import FilePlan
from viewer.model.edit.change import Topic
from viewer.model.edit.neighbors.following import CombinedEdit, together
from viewer.model.edit.plan import Plan, lifted, plan
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations import editing
from viewer.operations.editing import EditOptions
from viewer.operations.imports.changes import ChangedTable, ImportChange
from viewer.operations.imports.importing import overlaid, reported

if TYPE_CHECKING:
    from viewer.operations.imports.plan import ImportPlan


def planned_files(library: FileStore, compared: ImportPlan) -> tuple[FilePlan, ...]:
    """Plans of the files that an import changes; raises `MshviewError` if a chosen change refuses."""
    steps = (*_steps(library, compared), *_library_steps(library, compared.chosen(ChangedTable.LIBRARY)))
    return reported(library, steps, compared.source)


def _library_steps(library: FileStore, changes: Sequence[ImportChange]) -> Iterator[CombinedEdit]:
    """Yield a step for each library, in which the changes are made one after the other."""
    for path in dict.fromkeys(it.address.path for it in changes):
        payloads, made, around = list[tuple[Address, Plan]](), list[Splices](), library
        for it in changes:
            if it.address.path == path:
                with reading_from(it.address):
                    planned = plan(editing.DEFAULT.draft(around, it.address), [it.change])
                payloads.append((it.address, planned))
                made.append(lifted(around, it.address, planned.splices))
                around = overlaid(library, {path: splice.combined_all(made)})
        notes = dict.fromkeys(note for _ignored, planned in payloads for note in planned.notes)
        yield CombinedEdit(tuple(payloads), splice.combined_all(made), tuple(notes))


def _steps(library: FileStore, compared: ImportPlan) -> Iterator[CombinedEdit]:
    """Yield the steps: one for a model with what is in its archive, and one for each other payload."""
    address, model = compared.address, compared.model
    if compared.entries:
        with reading_from(address.parent):
            yield editing.plan_edit(library, address.parent, compared.entries)
        return
    options = EditOptions(resolved={} if model is None else {address: model.choice})
    changes = [it.change for it in compared.chosen(ChangedTable.MODEL)]
    others = []
    for what, place in ((ChangedTable.WEAR, compared.wear), (ChangedTable.CONTROLLER, compared.controller)):
        own = [it.change for it in compared.chosen(what)]
        if not own or place is None:
            continue
        with reading_from(place):
            made = plan(editing.DEFAULT.draft(library, place), own)
        if place.entries and place.parent == address.parent:
            others.append((place, made))
        else:
            in_file = lifted(library, place, made.splices)
            yield CombinedEdit(((place, made),), in_file, tuple(made.notes))
            library = overlaid(library, {place.path: in_file})
    with reading_from(address):
        made = plan(options.draft(library, address), changes)
        # Normals that were not set are those of the file: nothing is left to be recomputed from faces.
        made = replace(made, offered=tuple(it for it in made.offered if it.topic is not Topic.NORMALS))
        yield together(library, address, made, partial(options.draft, library), others=others)
