"""What panels call to export and import: the part of `Commands` for files of other programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from viewer.model.convert.importing.findings import ImportChoices
from viewer.model.store.address import Address
from viewer.session.exporting import ExportQuestion, ExportScope


class ExportCommands(Protocol):
    """Exporting models, resources and archives."""

    def show(
        self, address: Address | None = None, kind: str = "", scope: ExportScope = ExportScope.MODEL
    ) -> None:
        """Ask how to export what is at an address; without one, what the active tab shows."""

    def ask(self, question: ExportQuestion) -> None:
        """Ask with other choices, which are remembered."""

    def place(self, path: Path) -> None:
        """Export to another file, or for an archive to another folder."""

    def run(self, *, is_wanted: bool) -> None:
        """Write what the window asks about, or close it."""

    def close_report(self) -> None:
        """Close the report of an export."""


class ImportCommands(Protocol):
    """Importing files of other programs."""

    def drop(self, paths: Sequence[str]) -> None:
        """Open files that were dropped on the window; ask about one of another program."""

    def read(self, path: Path) -> None:
        """Compare a file with what is open, and show what it changes."""

    def choose(self, choices: ImportChoices) -> None:
        """Compare the file of the import sheet again, with other choices."""

    def leave_out(self, indices: frozenset[int]) -> None:
        """Leave out these changes of the import."""

    def answer(self, *, is_wanted: bool) -> None:
        """Make the chosen changes of the import, or none; answers the question about a dropped file too."""

    def make_new(self, path: Path, target: Path | None = None) -> None:
        """Make a new model of a file; without a target, ask for its path."""


class RoundTripCommands(Protocol):
    """The check of the round trip."""

    def check(self, address: Address | None = None) -> None:
        """Check whether the models at an address come back from every format; without one, the open model."""

    def close(self) -> None:
        """Close the report, and end the check that it waits for."""
