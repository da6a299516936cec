"""The plan of an import into what exists: its changes are listed, may be declined, and are made as edits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from viewer.dataclass import dataclass, replace
from viewer.errors import MshviewError, UsageError
from viewer.formats import splice
from viewer.formats.record import Bytes
from viewer.model.compare.added_diagnostics import Finding
from viewer.model.compare.differences import Difference
from viewer.model.compare.edit_report import ChangedValue
from viewer.model.compare.row_summary import change_words
from viewer.model.convert.exchange import JSON
from viewer.model.convert.importing.findings import DEFAULT, ImportChoices
from viewer.model.convert.text.reading import resource_of
from viewer.model.edit.change import Change, Topic
from viewer.model.kinds.registry import MODEL, promised_kind
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.operations.editing import PlannedFile
from viewer.operations.importing import ComparedModel, SceneFile, compare, plan_changes, plan_resource
from viewer.operations.opening import Source
from viewer.progress import checkpoint
from viewer.translation import _


@dataclass(frozen=True)
class ImportPlan:
    """The changes of an import, and what follows from those that are chosen.

    Attributes
    ----------
    path
        The file that was read.
    source
        What it is compared with.
    compared
        What differs; None if all is taken over or nothing.
    words
        What each of `changes` does.
    choices
        What the user decided about it.
    left_out
        Indices of `changes` that are not to be made.
    files
        The files that the chosen changes edit; None while that is being found.
    error, problem
        Why the chosen changes cannot be made, and this in words without the address; empty if they can.
    """

    path: Path
    source: Source
    compared: ComparedModel | None = None
    words: tuple[str, ...] = ()
    choices: ImportChoices = DEFAULT
    left_out: frozenset[int] = frozenset()
    files: tuple[PlannedFile, ...] | None = None
    error: MshviewError | None = None
    problem: str = ""

    def without(self, left_out: frozenset[int]) -> ImportPlan:
        """The plan without some changes, of which nothing is known yet."""
        return replace(self, left_out=left_out, files=None, error=None, problem="")

    def worked_out(self, library: FileStore) -> ImportPlan:
        """The plan with what follows from the chosen changes; takes its time."""
        if self.compared is None:
            return self
        try:
            found = replace(self, files=plan_changes(library, self.compared, self.left_out))
        except MshviewError as error:
            source = error.source
            error.source = "" if source == str(self.address) else source  # the sheet has it as its title
            problem, error.source = error.text, source
            return replace(self, files=(), error=error, problem=problem)
        _ignored = found.values, found.summary  # here, so that nothing is computed while it is drawn
        return found

    @property
    def address(self) -> Address:
        """The address of what it is compared with."""
        return self.source.address

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """What differs, in the order in which it is made."""
        return () if self.compared is None else self.compared.changes

    @property
    def wear_count(self) -> int:
        """How many of the changes, the first, are changes of the wear table."""
        return 0 if self.compared is None else len(self.compared.found.wear)

    @property
    def libraries(self) -> tuple[str, ...]:
        """What the last of the changes change or add: an entry of a library, as ``LIBRARY::ENTRY``."""
        return () if self.compared is None else tuple(it.item for it in self.compared.found.libraries)

    @property
    def node_names(self) -> tuple[str, ...]:
        """Names of the nodes of the model."""
        return () if self.compared is None else self.compared.model.names

    @property
    def losses(self) -> tuple[str, ...]:
        """What the file says and the model cannot hold, also with libraries of which nothing is changed."""
        if self.compared is None:
            return ()
        items = zip(self.compared.library_indices, self.compared.found.libraries, strict=True)
        lost = dict.fromkeys(it.loss for index, it in items if index in self.left_out)
        return (*self.compared.found.losses, *lost)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know of it."""
        return () if self.compared is None else self.compared.found.notes

    @property
    def has_outdated(self) -> bool:
        """Whether the choice of other levels makes a difference."""
        return self.compared is not None and self.compared.found.has_outdated

    @property
    def has_referenced(self) -> bool:
        """Whether the choice of clearing references makes a difference."""
        return self.compared is not None and self.compared.found.has_referenced

    @property
    def is_planned(self) -> bool:
        """Whether it is known what follows from the chosen changes."""
        return self.files is not None

    @cached_property
    def topics(self) -> tuple[Topic, ...]:
        """What follows from the changes."""
        return tuple(topic for file in self.files or () for step in file.steps for topic in step.topics)

    @cached_property
    def byte_count(self) -> int:
        """Number of bytes that are replaced in all files."""
        return sum(splice.total(it.report.ranges) for it in self.files or ())

    @cached_property
    def range_count(self) -> int:
        """Number of ranges that are replaced."""
        return sum(len(it.report.ranges) for it in self.files or ())

    @cached_property
    def values(self) -> tuple[ChangedValue, ...]:
        """The first of the values that change."""
        return tuple(value for it in self.files or () for value in it.report.values)

    @property
    def value_count(self) -> int:
        """Number of all values that change."""
        return sum(it.report.value_count for it in self.files or ())

    @cached_property
    def summary(self) -> tuple[str, ...]:
        """The inserted, removed and renumbered rows in words."""
        return tuple(words for it in self.files or () for words in it.report.summary)

    @cached_property
    def added(self) -> tuple[Finding, ...]:
        """The diagnostics that the changes add."""
        return tuple(finding for it in self.files or () for finding in it.report.added)

    @property
    def is_ready(self) -> bool:
        """Whether there is something to apply, and it can be made."""
        return self.is_planned and self.error is None and self.byte_count > 0


def plan_import(
    library: FileStore, path: Path, source: Source, choices: ImportChoices = DEFAULT
) -> ImportPlan:
    """The plan of a file that is imported into what is at an address; raises `MshviewError`."""
    kind = promised_kind(library.open(source.address))
    suffix = path.suffix.lower().removeprefix(".")
    if suffix == JSON:  # it holds every byte, so that all of it is taken over or nothing
        found = resource_of(library.file(path), str(path))
        if found.kind is not kind:
            words = _("holds {given}, and {kind} is open", given=found.kind.id, kind=kind.id)
            raise UsageError(words, source=path)
        return ImportPlan(path, source, files=(plan_resource(library, source, found),))
    if kind is not MODEL:
        raise UsageError("only JSON can be imported into what is no model", source=path)
    plan = plan_comparison(library, SceneFile.open(library, path), source, choices)
    checkpoint()
    return plan.worked_out(library)


def plan_comparison(
    library: FileStore, file: SceneFile, source: Source, choices: ImportChoices = DEFAULT
) -> ImportPlan:
    """The plan of a scene that is compared with a model, of which all is made; raises `MshviewError`."""
    compared = compare(library, file, source, choices)
    words = change_words(compared.model.model, compared.model.names, compared.changes)
    return ImportPlan(file.path, source, compared, words, choices)


@dataclass(frozen=True, slots=True)
class OwnPayload:
    """What is written of a model, and what changes besides.

    Attributes
    ----------
    file, after
        The file of the model, and the bytes that are written.
    libraries
        The libraries that change too.
    wear
        The wear table if that changes next to it; None if it is in the bytes that are written, or stays.
    wear_file
        The loose file of that wear table; None if it comes out of an archive.
    """

    file: PlannedFile
    after: Bytes
    libraries: tuple[PlannedFile, ...] = ()
    wear: Bytes | None = None
    wear_file: PlannedFile | None = None


def own_payload(store: FileStore, plan: ImportPlan, *, is_alone: bool, has_wear: bool) -> OwnPayload:
    """What is written of a model with the chosen changes; raises `MshviewError` if they cannot be made.

    Parameters
    ----------
    is_alone
        The payload of the model is written, not its archive.
    has_wear
        Its wear table is written next to it.
    """
    found = plan.compared
    if plan.error is not None or found is None or plan.files is None:
        raise plan.error or UsageError("is not compared with a model", source=plan.path)
    address, wear = found.source.address, found.wear.source
    own = next(it for it in plan.files if it.path == address.path)
    names = {it.address.path for it in found.found.libraries}
    libraries = tuple(it for it in plan.files if it.path in names)
    plans = {it: made for file in plan.files for it, made in file.payloads}
    is_next_to = wear in plans and (is_alone or wear.path != address.path)
    written = plans[wear].after if has_wear and is_next_to else None
    place = None if written is None else wear
    loose = (it for it in plan.files if place is not None and (it.path, ()) == (place.path, place.entries))
    others = [it for it in plan.files if it.path not in names]
    needed = _not_written(others, address, is_alone=is_alone, written=place)
    own, after = replace(own, remarks=(*plan.notes, *needed)), own.after
    if is_alone:
        model = plans[address]
        changed = tuple(_of_payload(own.report.changed, store.open(address)))
        own = replace(own, report=replace(own.report, changed=changed, ranges=model.splices))
        after = model.after
    return OwnPayload(own, after, libraries, written, next(loose, None))


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
    files: Sequence[PlannedFile], address: Address, *, is_alone: bool, written: Address | None
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
