"""What became of exports and checks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from viewer.model.convert.round_trip import Trip


@dataclass(frozen=True, slots=True)
class Failure:
    """An entry that could not be exported, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What the export of an archive has written.

    Attributes
    ----------
    folder
        Where to.
    written, size
        Number of models, and bytes of all their files.
    failures
        What could not be exported.
    is_cancelled
        The user has ended it; what was written until then stays.
    """

    folder: Path
    written: int
    size: int
    failures: tuple[Failure, ...]
    is_cancelled: bool = False


@dataclass(frozen=True, slots=True)
class ModelTrips:
    """The trips of one model through the formats."""

    name: str
    trips: tuple[Trip, ...]


@dataclass(frozen=True, slots=True)
class TripReport:
    """Whether models come back from every format as they were.

    Attributes
    ----------
    address
        The model or the archive.
    models
        What was found of each.
    is_running
        Whether there are more to come.
    """

    address: str
    models: tuple[ModelTrips, ...] = ()
    is_running: bool = True
