"""Two folders that are compared in the window."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from msgspec import Struct

from viewer.operations.folders.comparison import FolderComparison
from viewer.session.jobs import ReadFiles

FOLDERS_LANE: Final = "compare_folders"
"""The lane of its job."""


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
    """

    a: Path | None = None
    b: Path | None = None
    asked: object = None
    found: FolderComparison | None = None
    is_running: bool = False
    problem: str = ""
    read: ReadFiles | None = None
