"""File plans: what is done to a file, why, and what that means, before anything is written.

Every verb and every sheet of the window makes them: editing, importing, repairing, patching, saving,
extracting, exporting, copying and packing. What follows is the same for all: they are shown, refused
(`refused`) and written (`operations/saving.py`), several of them all or none.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from viewer.formats import splice
from viewer.formats.record import Bytes
from viewer.formats.splice import Splices
from viewer.model.store.temporary import in_parts
from viewer.model.store.writing import NewFile, digest_of

if TYPE_CHECKING:
    from viewer.model.compare.edit_report import EditReport, Finding
    from viewer.model.edit.change import Topic
    from viewer.model.edit.neighbors.following import CombinedEdit
    from viewer.model.edit.plan import Plan
    from viewer.model.store.address import Address


class FilePlan(Struct, frozen=True, eq=False, dict=True):
    """Plan of a file: its bytes as read, the splices, the reasons and the findings.

    Attributes
    ----------
    path
        The file that was read.
    before
        The bytes that were read; None if there were none: the file is new.
    splices
        What is replaced in them; everything else is identical.
    steps
        The reasons: the changes one after the other, each with what follows from it. Offsets of each count in
        the file after those before it.
    findings
        Which values change, and which diagnostics come and go; None if nobody looked, or nothing changes.
    remarks
        What the user should know besides the notes of the steps.
    data
        The bytes afterwards if they are known already; those of a new file may come in parts.
    target
        The file that gets the bytes; None for the one that was read, which then has to be as it was read, and
        is kept as ``NAME.bak``.
    can_replace
        Whether `target`, or a new file, may exist.
    has_backup
        Whether a file that is replaced is kept as ``NAME.bak`` whatever it is; one of the game always is.
    is_foreign
        Whether `before` is what another program has made of the file, which is kept whatever is kept already.
    """

    path: Path
    before: Bytes | None = None
    splices: Splices = ()
    steps: tuple[CombinedEdit, ...] = ()
    findings: EditReport | None = None
    remarks: tuple[str, ...] = ()
    data: Bytes | Iterable[Bytes] | None = None
    target: Path | None = None
    can_replace: bool = True
    has_backup: bool = False
    is_foreign: bool = False

    @classmethod
    def replaced(cls, path: Path, before: Bytes, after: Bytes) -> FilePlan:
        """The plan of a file that gets other bytes, of which only those that differ are replaced."""
        return cls(path, before, splice.between(before, after))

    @cached_property
    def report(self) -> EditReport:
        """The findings; an empty report if there are none."""
        from viewer.model.compare.edit_report import EditReport  # noqa: PLC0415 new files need no comparison

        return EditReport() if self.findings is None else self.findings

    @cached_property
    def after(self) -> memoryview:
        """The bytes of the file after the changes; of a new file those that are given whole."""
        if isinstance(self.data, bytes | bytearray | memoryview):
            return memoryview(self.data).toreadonly()
        return memoryview(splice.applied(self.before or b"", self.splices)).toreadonly()

    @property
    def written(self) -> Bytes | Iterable[Bytes]:
        """The bytes that the file gets, which may come in parts."""
        return self.after if self.data is None else self.data

    @property
    def size_before(self) -> int:
        """Bytes of the file before the changes."""
        return memoryview(self.before or b"").nbytes

    @property
    def size_after(self) -> int:
        """Bytes of the file after the changes; those that come in parts are made for that."""
        if self.data is None:
            return self.size_before + splice.growth(self.splices)
        return sum(memoryview(it).nbytes for it in in_parts(self.data))

    @property
    def byte_count(self) -> int:
        """Number of changed bytes: of each range the longer of old and new."""
        return splice.total(self.splices)

    @property
    def is_changed(self) -> bool:
        """Whether any byte differs from what was read."""
        return self.before is None or bool(self.splices)

    @property
    def is_needed(self) -> bool:
        """Whether writing it changes anything: a file is not written over itself as it was."""
        return not self.is_in_place or not splice.same_bytes(self.before or b"", self.after)

    @property
    def payloads(self) -> tuple[tuple[Address, Plan], ...]:
        """The changed payloads, and what is done to each."""
        return tuple(it for step in self.steps for it in step.payloads)

    @property
    def addresses(self) -> tuple[Address, ...]:
        """The addresses of the changed payloads, each once."""
        return tuple(dict.fromkeys(address for address, _ignored in self.payloads))

    @property
    def made(self) -> tuple[Topic, ...]:
        """The consequences that were made, each once."""
        return tuple(dict.fromkeys(topic for _ignored, plan in self.payloads for topic in plan.topics))

    @property
    def offered(self) -> tuple[Topic, ...]:
        """The consequences that were left out, each once."""
        return tuple(dict.fromkeys(it.topic for _ignored, plan in self.payloads for it in plan.offered))

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on the changes: vertices that other nodes use too."""
        return tuple(dict.fromkeys((*self.remarks, *(it for step in self.steps for it in step.notes))))

    @cached_property
    def expected(self) -> bytes:
        """`digest_of` the bytes that the file on the disk has to have when it is written over."""
        return digest_of(self.before or b"")

    @property
    def is_in_place(self) -> bool:
        """Whether it is written over the file that was read."""
        return self.before is not None and self.target is None

    @property
    def new_file(self) -> NewFile:
        """The file as it is written: its path, its bytes, and what may be there before."""
        if self.is_in_place:
            return NewFile(
                self.path, self.written, self.expected, has_backup=True, is_foreign=self.is_foreign
            )
        path = self.target or self.path
        return NewFile(path, self.written, can_replace=self.can_replace, has_backup=self.has_backup)


def refused(plans: Iterable[FilePlan], *, is_forced: bool = False) -> tuple[Finding, ...]:
    """The errors for which plans are refused: an edit that adds errors is, unless it is forced.

    A new file takes the place of nothing that was right: what is wrong with it is said, and it is written.
    """
    found = (it.findings for it in plans if it.before is not None and not is_forced)
    return tuple(error for it in found if it is not None for error in it.errors)
