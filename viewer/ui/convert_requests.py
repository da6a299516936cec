"""Requests of panels that take models to and from other programs; `requests` has all others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from viewer.model.convert.importing.findings import ImportChoices
from viewer.session.converting.export_question import ExportQuestion, Scope


@dataclass(frozen=True, slots=True)
class ShowExport:
    """Ask how to export what is at an address; without one, what the active tab shows."""

    address: str = ""
    kind: str = ""
    scope: Scope = Scope.MODEL


@dataclass(frozen=True, slots=True)
class AskExport:
    """Ask with other choices, which are remembered."""

    question: ExportQuestion


@dataclass(frozen=True, slots=True)
class PlaceExport:
    """Export to another file, or for an archive to another folder."""

    path: Path


@dataclass(frozen=True, slots=True)
class RunExport:
    """Write what the window asks about, or close it."""

    is_wanted: bool


@dataclass(frozen=True, slots=True)
class CloseReport:
    """Close the report of an export, or that of a check."""

    is_check: bool = False


@dataclass(frozen=True, slots=True)
class CheckTrips:
    """Check whether the models at an address come back from every format; without one, the open model."""

    address: str = ""


@dataclass(frozen=True, slots=True)
class Dropped:
    """Open files that were dropped on the window; ask about one of another program."""

    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ImportFile:
    """Compare a file with what is open, and show what it changes."""

    path: Path


@dataclass(frozen=True, slots=True)
class ChooseImport:
    """Compare the file of the import sheet again, with other choices."""

    choices: ImportChoices


@dataclass(frozen=True, slots=True)
class LeaveOut:
    """Leave out these changes of the import."""

    indices: frozenset[int]


@dataclass(frozen=True, slots=True)
class AnswerImport:
    """Make the chosen changes of the import, or none; answers the question about a dropped file too."""

    is_wanted: bool


@dataclass(frozen=True, slots=True)
class NewModel:
    """Make a new model of a file; without a target, ask for its path."""

    path: Path
    target: Path | None = None


ConvertRequest = (
    ShowExport
    | AskExport
    | PlaceExport
    | RunExport
    | CloseReport
    | CheckTrips
    | Dropped
    | ImportFile
    | ChooseImport
    | LeaveOut
    | AnswerImport
    | NewModel
)
