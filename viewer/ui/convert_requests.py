"""Requests of panels that take models to and from other programs; `requests` has all others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

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


ConvertRequest = ShowExport | AskExport | PlaceExport | RunExport | CloseReport | CheckTrips
