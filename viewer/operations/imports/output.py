"""The output of an import into a model: the model or its archive, the libraries, the wear table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from viewer.errors import UsageError
from viewer.model.compare.differences import Difference
from viewer.model.compare.file_plan import FilePlan
from viewer.model.material import selectors
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.operations.imports.plan import ImportPlan
from viewer.operations.saving import is_same, written_to
from viewer.translation import _


def written_import(
    library: FileStore, plan: ImportPlan, out: Path | None, *, is_alone: bool, has_wear: bool
) -> tuple[FilePlan, ...]:
    """The files that are written of a model with the chosen changes: the model or its archive is the last.

    Raises `MshviewError` if the changes cannot be made.

    Parameters
    ----------
    out
        Where it is written; None for nowhere yet.
    is_alone
        The payload of the model is written, not its archive.
    has_wear
        Its wear table is written next to it, if that changes and is not in the bytes that are written.
    """
    if plan.error is not None or plan.files is None:
        raise plan.error or UsageError("is not compared with a model", source=plan.path)
    if plan.entries:
        return _new_entry(plan, plan.files, out)
    address = plan.address
    own = next(it for it in plan.files if it.path == address.path)
    plans = {it: made for file in plan.files for it, made in file.payloads}
    wear = plan.wear if has_wear and plan.wear in plans else None
    if wear is not None and not (is_alone or wear.path != address.path):
        wear = None
    names = {it.address.path for it in plan.found.libraries}
    if plan.controller is not None and out is not None and is_same(out, address.path):
        names |= {plan.controller.path} - {address.path}
    unplanned = [it for it in plan.files if it.path not in names]
    needed = _not_written(unplanned, address, is_alone=is_alone, written=wear)
    own = replace(own, remarks=(*plan.notes, *needed))
    if is_alone:
        model = plans[address]
        changed = tuple(_of_payload(own.report.changed, library.open(address)))
        report = replace(own.report, changed=changed)
        own = replace(own, before=model.before, splices=model.splices, findings=report, target=out)
    elif out is not None:
        own = written_to(own, out)
    libraries = tuple(it for it in plan.files if it.path in names)
    if wear is None:
        return (*libraries, own)
    place = None if out is None else out.with_suffix(selectors.SUFFIX)
    if wear.entries:
        alone = () if place is None else (FilePlan(place, data=plans[wear].after),)
        return (*alone, *libraries, own)
    loose = next(it for it in plan.files if it.path == wear.path)
    if out is not None and place is not None and not is_same(out, address.path):
        loose = written_to(loose, place)
    return (*libraries, loose, own)


def _new_entry(plan: ImportPlan, files: Sequence[FilePlan], out: Path | None) -> tuple[FilePlan, ...]:
    """Files of a new model: the libraries, some of which may be new, and its archive."""
    own = next(it for it in files if it.path == plan.address.path)
    new = plan.made_libraries
    made = (replace(it, target=it.path, can_replace=False) for it in files if it.path in new)
    libraries = (*made, *(it for it in files if it is not own and it.path not in new))
    own = replace(own if out is None else written_to(own, out), remarks=plan.notes)
    return (*libraries, own)


def _of_payload(
    changed: Iterable[tuple[Address, Difference]], item: Item
) -> Iterator[tuple[Address, Difference]]:
    """Yield the differences of a payload, also if they are reported as those of its archive."""
    address, name = item.address, item.entry.text if item.entry else ""
    for source, it in changed:
        if source == address:
            yield source, it
        elif source == address.parent and it.path and it.path[0] in (name, address.name):
            yield address, replace(it, path=it.path[1:])


def _not_written(
    files: Sequence[FilePlan], address: Address, *, is_alone: bool, written: Address | None
) -> Iterator[str]:
    """Say what would have to change too: in other files, and in the archive of a payload written alone."""
    inside = []
    for file in files:
        for other, made in file.payloads:
            is_needed = other not in (address, address.parent) and other != written
            if is_needed and (is_alone or other.path != address.path) and made.steps:
                inside += [other.name] if other.parent == address.parent and address.entries else []
                for step in made.steps:
                    words = "{payload} is not changed; it needs: {change}"
                    yield _(words, payload=str(other), change=step.change.words)
    if inside:
        words = "{payloads} would have to change too; --into {address} writes them all"
        yield _(words, payloads=", ".join(dict.fromkeys(inside)), address=str(address))
