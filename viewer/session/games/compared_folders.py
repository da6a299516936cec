"""Two folders that are compared in the window."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from viewer.json_types import members, names_of
from viewer.model.kinds import json_text, separated
from viewer.operations.folders.answer import FolderDifference
from viewer.operations.folders.comparison import ComparedEntry, FolderComparison
from viewer.session.jobs import ReadFiles
from viewer.session.tables.table_view import CopyFormat

FOLDERS_LANE: Final = "compare_folders"
"""The lane of its job."""
PAGE_LANE: Final = "folder_page"
"""The lane of the job that writes a page."""


class FoldersState(Struct, frozen=True, eq=False):
    """The comparison of two folders.

    Attributes
    ----------
    a, b
        The folders; None before they are chosen.
    asked
        A new object each time the window is asked for.
    found
        What differs; None before that is known.
    is_running
        They are being compared.
    problem
        Why they could not be compared; empty if they could.
    read
        What was compared, and when.
    page
        The page of this comparison that was written last.
    is_writing
        A page is being written.
    """

    a: Path | None = None
    b: Path | None = None
    asked: object = None
    found: FolderComparison | None = None
    is_running: bool = False
    problem: str = ""
    read: ReadFiles | None = None
    page: Path | None = None
    is_writing: bool = False


def copied_entries(entries: Sequence[ComparedEntry], form: CopyFormat) -> str:
    """The text of some entries that differ, as ``diff`` prints them as JSON or TSV."""
    rows = [members(FolderDifference.made(it)) for it in entries]
    if form is CopyFormat.JSON:
        return json_text.encode(rows) + "\n"
    names = names_of(FolderDifference)
    cells = (["" if row[name] is None else str(row[name]) for name in names] for row in rows)
    return separated.text_of([[*names], *cells], "\t")
