"""What can be mended: changes that take away findings of the checks, and what each takes away."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from viewer.errors import Diagnostic, FormatError, MshviewError, Severity
from viewer.formats.archive import nres
from viewer.formats.splice import Splices
from viewer.model.checks import containers
from viewer.model.checks.payload import NOWHERE, Payload, Surroundings
from viewer.model.edit.draft import Draft
from viewer.model.edit.repair.repair import Repair
from viewer.model.kinds.registry import ARCHIVE
from viewer.progress import checkpoint


@dataclass(frozen=True, slots=True)
class Mend:
    """One thing that can be mended.

    Parameters
    ----------
    words
        What it does, in one sentence.
    change
        The change; it does nothing to a payload that does not have the fault.
    diagnostics
        The findings that it takes away; empty for a fault that no rule names, such as a box that does not
        enclose its vertices.
    splices
        What it replaces in the payload after the mends before it.
    """

    words: str
    change: Repair
    diagnostics: tuple[Diagnostic, ...]
    splices: Splices


def mends(draft: Draft, name: bytes = b"", around: Surroundings = NOWHERE) -> tuple[Mend, ...]:
    """Return what can be mended of a payload as it is now; the draft is not changed.

    Each was tried after those before it, on which it may depend: it takes away findings, or a fault that no
    rule names, and adds no error.

    Parameters
    ----------
    name, around
        Name and surroundings of the payload, for the checks.
    """
    current, known = draft, findings(draft, name, around)
    found: list[Mend] = []
    for fault in Repair.faults(draft.kind):
        checkpoint()
        trial, repair = current.fresh(), Repair(fault)
        try:
            repair.apply(trial)
        except MshviewError:
            continue
        if not trial.splices:
            continue
        after = findings(trial, name, around)
        mended = _missing(known, after)
        if (mended or repair.is_silent) and not _is_worse(current, known, after):
            found.append(Mend(repair.words, repair, mended, trial.splices))
            current, known = trial, after
    return tuple(found)


def findings(draft: Draft, name: bytes = b"", around: Surroundings = NOWHERE) -> list[Diagnostic]:
    """The diagnostics of a payload itself, without those of what lies in it."""
    try:
        if draft.kind is ARCHIVE:
            return containers.check(nres.Archive.read(draft.data))
        return draft.kind.check(Payload(draft.data, draft.entry, name, around))
    except FormatError as error:
        return [error.finding]


def _is_worse(before: Draft, known: Iterable[Diagnostic], after: Iterable[Diagnostic]) -> bool:
    """Whether errors were added to a payload that could be read; what could not be read hid its errors."""
    try:
        _ = before.value
    except FormatError:
        return False
    return any(finding.severity is Severity.ERROR for finding in _missing(after, known))


def _missing(some: Iterable[Diagnostic], others: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Those findings that others do not have at the same place; what they say may differ."""
    known = {_place(finding) for finding in others}
    return tuple(finding for finding in some if _place(finding) not in known)


def _place(finding: Diagnostic) -> tuple[str, str, int | None, str | None]:
    return finding.rule, finding.table, finding.index, finding.field
