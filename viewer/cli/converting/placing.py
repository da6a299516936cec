"""Where an imported resource goes: into its archive, or as the payload of its template alone, in memory."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from viewer.cli.inputs import game_option
from viewer.formats.record import Bytes
from viewer.model.compare.differences import Difference
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore, Item
from viewer.operations.editing import PlannedFile
from viewer.operations.importing import ComparedModel, plan_changes
from viewer.operations.opening import Source
from viewer.translation import Sentence


def source_of(options: Namespace, address: Address) -> Source:
    """A model with the options that say how it is read."""
    return Source(address, ReadingChoice(options.reading), game=game_option(options))


@dataclass(frozen=True, slots=True)
class Placed:
    """What is written of a model with what differs.

    Attributes
    ----------
    file, after
        Its file as it is printed, and the bytes that are written.
    libraries
        The libraries that change too.
    wear
        Its wear table if that changes next to it; None if it is in the bytes that are written, or stays.
    wear_file
        The loose file of that wear table as it is printed; None if it comes out of an archive.
    """

    file: PlannedFile
    after: Bytes
    libraries: tuple[PlannedFile, ...] = ()
    wear: Bytes | None = None
    wear_file: PlannedFile | None = None


def with_changes(
    store: FileStore, found: ComparedModel, left_out: Collection[int], *, is_alone: bool, has_wear: bool
) -> Placed:
    """What is written of a model with what differs; raises `MshviewError`.

    Parameters
    ----------
    is_alone
        The payload of the model is written, not its archive.
    has_wear
        Its wear table is written next to it.
    """
    address, wear = found.source.address, found.wear.source
    files = plan_changes(store, found, left_out)
    own = next(it for it in files if it.path == address.path)
    names = {it.address.path for it in found.found.libraries}
    libraries = tuple(it for it in files if it.path in names)
    plans = {str(it): made for file in files for it, made in file.payloads}
    is_next_to = wear in plans and (is_alone or Address.parse(wear).path != address.path)
    written = plans[wear].after if has_wear and is_next_to else None
    place = None if written is None else Address.parse(wear)
    loose = (it for it in files if place is not None and (it.path, ()) == (place.path, place.entries))
    placed = partial(Placed, libraries=libraries, wear=written, wear_file=next(loose, None))
    others = [it for it in files if it.path not in names]
    needed = _not_written(others, address, is_alone=is_alone, written="" if written is None else wear)
    own = replace(own, remarks=(*found.found.notes, *needed))
    if not is_alone:
        return placed(own, own.after)
    model = plans[str(address)]
    changed = tuple(_of_payload(own.report.changed, store.open(address)))
    own = replace(own, report=replace(own.report, changed=changed, ranges=model.splices))
    return placed(own, model.after)


def _of_payload(changed: Iterable[tuple[str, Difference]], item: Item) -> Iterator[tuple[str, Difference]]:
    """Yield the differences of a payload, also if they are reported as those of its archive."""
    address, name = item.address, item.entry.text if item.entry else ""
    for source, it in changed:
        if source == str(address):
            yield source, it
        elif source == str(address.parent) and it.path and it.path[0] in (name, address.name):
            yield str(address), replace(it, path=it.path[1:])


def _not_written(
    files: Sequence[PlannedFile], address: Address, *, is_alone: bool, written: str
) -> Iterator[str]:
    """Say what would have to change too: in other files, and in the archive of a payload written alone."""
    inside = []
    for file in files:
        for other, made in file.payloads:
            is_needed = other not in (address, address.parent) and str(other) != written
            if is_needed and (is_alone or other.path != address.path) and made.steps:
                inside += [other.name] if other.parent == address.parent and address.entries else []
                for step in made.steps:
                    words = "{payload} is not changed; it needs: {change}"
                    yield Sentence(words, payload=str(other), change=step.change.words)
    if inside:
        words = "{payloads} would have to change too; --into {address} writes them all"
        yield Sentence(words, payloads=", ".join(dict.fromkeys(inside)), address=str(address))
