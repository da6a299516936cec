"""All that the windows to and from other programs show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from viewer.session.converting.export_question import ExportQuestion
from viewer.session.converting.import_sheet import DropQuestion, ImportSheet
from viewer.session.converting.reports import ExportReport, TripReport


@dataclass(frozen=True, slots=True)
class Converting:
    """What is asked and reported; None for what is not.

    Attributes
    ----------
    export
        What is to be exported.
    written
        What the export of an archive has written, if something in it failed.
    trips
        Whether models come back as they were.
    sheet
        What an import will change.
    dropped
        A file of another program that was dropped on the window.
    """

    export: ExportQuestion | None = None
    written: ExportReport | None = None
    trips: TripReport | None = None
    sheet: ImportSheet | None = None
    dropped: DropQuestion | None = None


NOTHING: Final = Converting()
