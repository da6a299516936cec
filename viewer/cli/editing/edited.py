"""Files with changes made to them: new bytes, what they change in words, and the problems that they add."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from viewer.errors import Diagnostic, Severity, reading_from
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.splice import Splices
from viewer.model.compare.differences import Difference
from viewer.model.compare.files import ComparedPayload, compare
from viewer.model.edit import lift
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.plan import Plan, plan
from viewer.model.kinds.registry import promised_kind
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore, Item
from viewer.model.validation import validate


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted of every payload.

    Parameters
    ----------
    changes
        The changes.
    declined, wanted
        Consequences that are not made, and those that are made though they are only offered.
    reading
        The reading of models.
    """

    changes: Sequence[Change]
    declined: Collection[Topic] = ()
    wanted: Collection[Topic] = ()
    reading: ReadingChoice = ReadingChoice.AUTO


@dataclass(frozen=True, slots=True)
class EditedPayload:
    """One payload with its changes.

    Attributes
    ----------
    before, after
        The payload in both states.
    made
        What was done.
    added
        Problems that it did not have before.
    """

    before: ComparedPayload
    after: ComparedPayload
    made: Plan
    added: tuple[Diagnostic, ...]

    def differences(self, reading: ReadingChoice) -> Iterator[Difference]:
        """Yield what differs, by table and field."""
        return compare(self.before, self.after, reading)


@dataclass(slots=True)
class EditedFile:
    """One file with changes of some of its payloads.

    Attributes
    ----------
    path
        The file.
    before, after
        Its bytes.
    splices
        What is replaced in it.
    payloads
        The changed payloads, by their addresses.
    """

    path: Path
    before: memoryview
    after: memoryview
    splices: Splices = ()
    payloads: list[tuple[Address, EditedPayload]] = field(default_factory=list)

    @property
    def has_errors(self) -> bool:
        """Whether the edit adds an error."""
        return any(it.severity is Severity.ERROR for _, payload in self.payloads for it in payload.added)


def edit_file(store: FileStore, addresses: Sequence[Address], wish: Wish) -> EditedFile:
    """Make changes in payloads of one file; raises `MshviewError` if one of them refuses.

    Nothing is written: the new bytes are laid over the file in the store.
    """
    path = addresses[0].path
    data = store.file(path)
    file = EditedFile(path, data, data)
    for address in addresses:
        with reading_from(str(address)):
            _edit(store, address, wish, file)
    return file


def _edit(store: FileStore, address: Address, wish: Wish, file: EditedFile) -> None:
    item = store.open(address)
    draft = Draft(promised_kind(item), item.data, _entry(item), reading=wish.reading)
    made = plan(draft, wish.changes, declined=wish.declined, wanted=wish.wanted)
    splices = lift.lifted(store, address, made.splices)
    before, problems = ComparedPayload.of(item), _problems(item)
    if splices:
        file.after = memoryview(splice.applied(file.after, splices)).toreadonly()
        file.splices = splice.combined(file.splices, splices)
        store.unsaved.lay(file.path, file.after)
        item = store.open(address)
    added = tuple((_problems(item) - problems).elements())
    file.payloads.append((address, EditedPayload(before, ComparedPayload.of(item), made, added)))


def _entry(item: Item) -> nres.Entry | None:
    return item.entry if isinstance(item.entry, nres.Entry) else None


def _problems(item: Item) -> Counter[Diagnostic]:
    return Counter(found for report in validate.check_item(item) for found in report.diagnostics)
