"""Files with changes made to them, in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from viewer.errors import reading_from
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.splice import Splices
from viewer.model.compare.edit_report import EditReport, FileEdit, report
from viewer.model.edit import lift
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.plan import Plan, plan
from viewer.model.kinds.registry import promised_kind
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore


@dataclass(frozen=True, slots=True)
class Wish:
    """How changes are made.

    Parameters
    ----------
    declined, wanted
        Consequences that are not made, and those that are made though they are only offered.
    reading
        The reading of models.
    game
        The game in which names are looked up.
    """

    declined: Collection[Topic] = ()
    wanted: Collection[Topic] = ()
    reading: ReadingChoice = ReadingChoice.AUTO
    game: Path | None = None


@dataclass(frozen=True, slots=True)
class EditedFile:
    """One file with changes of some of its payloads.

    Attributes
    ----------
    path
        The file.
    before, after
        Its bytes before and after the changes.
    plans
        What was done to each payload.
    report
        What that changes.
    """

    path: Path
    before: memoryview
    after: memoryview
    plans: tuple[Plan, ...]
    report: EditReport

    @property
    def is_changed(self) -> bool:
        """Whether any byte differs."""
        return bool(self.report.ranges)

    @property
    def made(self) -> list[Topic]:
        """The consequences that were made, each once."""
        return _once(topic for made in self.plans for topic in made.topics)

    @property
    def offered(self) -> list[Topic]:
        """The consequences that were left out, each once."""
        return _once(it.topic for made in self.plans for it in made.offered)

    @property
    def notes(self) -> list[str]:
        """What should be known of the changes: vertices that other nodes use too."""
        return [*dict.fromkeys(note for made in self.plans for note in made.notes)]


def _once(topics: Iterable[Topic]) -> list[Topic]:
    return [*dict.fromkeys(topics)]


def edit_file(store: FileStore, edits: Sequence[tuple[Address, Sequence[Change]]], wish: Wish) -> EditedFile:
    """Make changes in payloads of one file; raises `MshviewError` if one of them refuses.

    `edits` are the payloads with their changes. The new bytes are laid over the file in the store.
    """
    path = edits[0][0].path
    before = store.file(path)
    done = _Done(before)
    for address, changes in edits:
        with reading_from(str(address)):
            _edit(store, address, changes, wish, done)
    edit = FileEdit(path, before, done.splices, tuple(address for address, _ in edits))
    found = report(store, edit, game=wish.game, reading=wish.reading)
    return EditedFile(path, before, done.data, tuple(done.plans), found)


@dataclass(slots=True)
class _Done:
    """The bytes of a file so far, and what was done to them."""

    data: memoryview
    splices: Splices = ()
    plans: list[Plan] = field(default_factory=list)


def _edit(store: FileStore, address: Address, changes: Sequence[Change], wish: Wish, done: _Done) -> None:
    """Make the changes in one payload."""
    item = store.open(address)
    entry = item.entry if isinstance(item.entry, nres.Entry) else None
    draft = Draft(promised_kind(item), item.data, entry, reading=wish.reading)
    made = plan(draft, changes, declined=wish.declined, wanted=wish.wanted)
    splices = lift.lifted(store, address, made.splices)
    done.plans.append(made)
    done.data = memoryview(splice.applied(done.data, splices)).toreadonly()
    done.splices = splice.combined(done.splices, splices)
    if splices:
        store.unsaved.lay(address.path, done.data)
