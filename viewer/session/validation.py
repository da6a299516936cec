"""Validation of everything that is open, as the window shows it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from viewer.dataclass import dataclass
from viewer.model.store.address import Address
from viewer.model.store.disk import UnsavedFiles
from viewer.model.store.place import Place
from viewer.operations.validating import ValidationOptions
from viewer.progress import Progress
from viewer.session.places import Problem

MOST_PROBLEMS: Final = 20_000
"""Problems that are kept; further ones are counted."""


@dataclass(frozen=True, slots=True)
class Validation:
    """What was found in some files and folders.

    Attributes
    ----------
    addresses
        What was validated.
    checked
        Number of files and entries that were checked.
    problems
        At most `MOST_PROBLEMS`, in order of the files.
    left_out
        Number of further problems.
    """

    addresses: tuple[Address, ...]
    checked: int = 0
    problems: tuple[Problem, ...] = ()
    left_out: int = 0


def validate(addresses: Iterable[Address], unsaved: UnsavedFiles, progress: Progress) -> Validation:
    """Check files, entries and everything below folders.

    Parameters
    ----------
    unsaved
        Unsaved bytes that are checked in place of files.
    """
    addresses, options = tuple(addresses), ValidationOptions(unsaved=unsaved)
    checked = left_out = 0
    problems: list[Problem] = []
    for report in options.apply(options.plan(addresses, is_divided=False), progress):
        checked += 1
        found = [Problem(finding, Place.of(report.source, finding)) for finding in report.diagnostics]
        room = MOST_PROBLEMS - len(problems)
        problems += found[:room]
        left_out += max(0, len(found) - room)
    return Validation(addresses, checked, tuple(problems), left_out)
