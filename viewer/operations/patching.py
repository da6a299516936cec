"""Patching: the patch from one file to another, and the plan of a patched file; nothing is written."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from viewer.errors import MshviewError, reading_from
from viewer.model.compare.file_plan import FilePlan
from viewer.model.convert.importing.findings import DEFAULT as AS_IT_SAYS
from viewer.model.convert.importing.findings import ImportChoices
from viewer.model.convert.scene_file import is_text
from viewer.model.patch.applying import DEFAULT, PatchChoices, applied
from viewer.model.patch.making import made
from viewer.model.patch.patch import Patch, is_patch
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.operations.imports.importing import replaced_file
from viewer.operations.imports.plan import ImportPlan, plan_import
from viewer.operations.opening import Source


def read_patch(library: FileStore, address: Address) -> Patch:
    """The patch at an address; raises `MshviewError`."""
    with reading_from(address):
        return Patch.parse(library.open(address).data)


def make_patch(before: Item, after: Item) -> Patch:
    """The patch that turns one item into another."""
    return made(before.data, after.data, before.address.name)


def patch_of(plan: FilePlan) -> Patch:
    """The patch that does what a plan does to its file."""
    return made(plan.before or b"", plan.after, plan.path.name)


def patched(library: FileStore, patch: Patch, path: Path, choices: PatchChoices = DEFAULT) -> FilePlan:
    """The plan of a file that is patched, without its findings; raises `MshviewError` like `applied`.

    That it adds no errors is up to the patch, which gives exactly the file that it was made of.
    """
    data = library.file(path)
    with reading_from(path):
        after = applied(patch, data, is_reverse=choices.is_reverse, is_forced=choices.is_forced)
    return FilePlan.replaced(path, data, after)


def plan_patch(library: FileStore, path: Path, source: Source, choices: PatchChoices = DEFAULT) -> FilePlan:
    """Plan of the patch in a file for the file of a source; raises `MshviewError`."""
    patch = read_patch(library, Address(path))
    return replaced_file(library, source, patched(library, patch, source.address.path, choices))


def plan_file(
    library: FileStore, path: Path, source: Source, choices: ImportChoices | PatchChoices = AS_IT_SAYS
) -> ImportPlan:
    """The plan of a file that is imported into what is at an address, or of a patch of the file there.

    A patch that does not fit is a plan with an error, as it may fit with other choices; raises `MshviewError`
    for all else.
    """
    if not is_text(path) or not is_patch(library.file(path)):
        return plan_import(
            library, path, source, AS_IT_SAYS if isinstance(choices, PatchChoices) else choices
        )
    how = choices if isinstance(choices, PatchChoices) else DEFAULT
    source = replace(source, address=Address(source.address.path))
    patch = read_patch(library, Address(path))
    plan = ImportPlan(path, source, files=(), patch=how)
    try:
        patched_file = patched(library, patch, source.address.path, how)
    except MshviewError as error:
        return replace(plan, error=error, problem=error.text)
    return replace(plan, files=(replaced_file(library, source, patched_file),))
