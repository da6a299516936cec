"""Editing: changes of payloads with what follows from them; made in memory, not written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from viewer.errors import MshviewError, reading_from
from viewer.formats import splice
from viewer.model.checks.payload import Surroundings
from viewer.model.compare.file_plan import FilePlan
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.neighbors.following import CombinedEdit, node_references, together
from viewer.model.edit.nodes.node_count import RemoveNode
from viewer.model.edit.nodes.node_edit import ReferencedError, references_of
from viewer.model.edit.plan import plan
from viewer.model.game.registry import Game
from viewer.model.kinds.registry import MODEL, promised_kind
from viewer.model.material import selectors
from viewer.model.mesh.reading import ResolvedReading
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import CaselessFolder
from viewer.operations.reading_options import USUAL, ReadingOptions


class EditOptions(Struct, frozen=True):
    """Options of changes.

    Parameters
    ----------
    declined, wanted
        Consequences that are not made, and those that are made though they are only offered.
    options
        How models are read, and where names are looked up.
    resolved
        The readings of models for which they have been chosen already, as those of open ones are.
    """

    declined: Collection[Topic] = ()
    wanted: Collection[Topic] = ()
    options: ReadingOptions = USUAL
    resolved: Mapping[Address, ResolvedReading] = field(default_factory=dict)

    def draft(self, library: FileStore, address: Address) -> Draft:
        """A draft of a payload as it is now; raises `AddressError` or `FormatError`."""
        item, resolved = library.open(address), self.resolved.get(address)
        entry = item.nres_entry
        kind, rows, value = promised_kind(item), None, None
        if kind is MODEL:
            rows = None if resolved else selectors.of_model(library, item).row_count
            with suppress(MshviewError):  # a damaged one can still be repaired
                value = item.read_model()  # decoded once for everything that shows or edits it
        return Draft(
            kind,
            item.data,
            entry,
            reading=self.options.reading,
            wear_rows=rows,
            resolved=resolved,
            value=value,
        )

    def surroundings(self, library: FileStore, path: Path) -> Surroundings:
        """The surroundings of a file, for its checks."""
        game = None if self.options.game is None else Game(self.options.game, library)
        folder = CaselessFolder(path.parent, library)
        return Surroundings(folder=folder, game=game, requested=self.options.reading)


DEFAULT: Final = EditOptions()


def plan_edit(
    library: FileStore, address: Address, changes: Sequence[Change], options: EditOptions = DEFAULT
) -> CombinedEdit:
    """Changes of a payload with what follows in it and next to it; raises `MshviewError` if one refuses.

    `ReferencedError` names all that refers to removed nodes, in the model and next to it.
    """
    drafts, declined, wanted = partial(options.draft, library), options.declined, options.wanted
    try:
        made = plan(drafts(address), changes, declined=declined, wanted=wanted)
        return together(library, address, made, drafts, declined)
    except ReferencedError:
        draft = drafts(address)
        if draft.kind is not MODEL:
            raise
        model, reading = draft.model, draft.reading.reading
        found = [*references_of(model, reading), *node_references(library, library.open(address))]
        nodes = plan(draft, clearing(changes), declined=declined, wanted=wanted).moves.nodes
        names = model.node_names(from_records=reading.has_name_records)
        raise ReferencedError(
            [it for it in found if nodes is None or it.node not in nodes.order], names
        ) from None


def clearing(changes: Sequence[Change]) -> list[Change]:
    """Changes that also clear all references to the nodes that they remove."""
    return [replace(it, clears_references=True) if isinstance(it, RemoveNode) else it for it in changes]


class FileEditing:
    """Changes of the payloads of one file, each made on what those before it have left.

    Parameters
    ----------
    library
        The files; the new bytes are laid over the file in it, and nothing is written.
    path
        The file.
    options
        How changes are made.

    Attributes
    ----------
    before
        Its bytes before the changes.
    """

    def __init__(self, library: FileStore, path: Path, options: EditOptions = DEFAULT) -> None:
        self.library = library
        self.path = path
        self.options = options
        self.before = library.file(path)
        self._steps: list[CombinedEdit] = []

    def edit(self, address: Address, changes: Sequence[Change]) -> None:
        """Make changes in a payload, and what follows next to it; raises `MshviewError` if one refuses."""
        with reading_from(address):
            self.take(plan_edit(self.library, address, changes, self.options))

    def take(self, step: CombinedEdit) -> None:
        """Make a step that was planned; raises `ValueError` if the file has other bytes now."""
        self._steps.append(step)
        if step.splices:
            self.library.change(self.path, step.splices)

    def finish(self) -> FilePlan:
        """The plan of the file with its changes, and its findings."""
        return plan_steps(self.library, self.path, self.before, self._steps, self.options)


def plan_steps(
    around: FileStore, path: Path, before: memoryview, steps: Sequence[CombinedEdit], options: EditOptions
) -> FilePlan:
    """The plan of a file with steps made one after the other, checked among the files around it."""
    planned = FilePlan(path, before, splice.combined_all([it.splices for it in steps]), tuple(steps))
    if not planned.is_changed:  # an import that changes nothing: the file is neither read nor checked twice
        return planned
    return with_findings(around, planned, options)


def with_findings(
    around: FileStore,
    planned: FilePlan,
    options: EditOptions = DEFAULT,
    addresses: Iterable[Address] = (),
    *,
    is_checked: bool = True,
) -> FilePlan:
    """A plan with its findings, compared and checked among the files around it as the options say.

    `addresses` and `is_checked` as in `reporting.report`.
    """
    from viewer.model.compare.reporting import report  # noqa: PLC0415 loads the checks of all kinds

    game, reading = options.options.game, options.options.reading
    return report(around, planned, addresses, game=game, reading=reading, is_checked=is_checked)
