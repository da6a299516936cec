"""Many files written by one job: what fails of them is reported, the rest is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from viewer.control.job_controller import JobController
from viewer.model.compare.file_plan import FilePlan
from viewer.operations.corpus.exports import ExportReport, export_all
from viewer.operations.corpus.many import OutputTask
from viewer.progress import Progress
from viewer.session.field_text import counted
from viewer.translation import _

_NUMBERS: Final = count()
"""A number for each job, as two of one lane would end each other: both may write to one folder."""


class FolderWriter(JobController):
    """Writes files into a folder, and keeps `State.converting.written`; main thread only."""

    def _write_each(
        self,
        title: str,
        folder: Path,
        tasks: Callable[[], Sequence[OutputTask]],
        plans: Callable[[OutputTask], Sequence[FilePlan]],
    ) -> None:
        """Write the files of each task; `tasks` and `plans` are called in a worker thread.

        What is known to be impossible was said with the question, and is left out.
        """
        self._state.set(save_folder=str(folder))

        def work(progress: Progress) -> ExportReport:
            possible = [it for it in tasks() if not it.found.problem]
            return export_all(possible, folder, plans, progress)

        def done(report: ExportReport) -> None:
            self._state.announce(summary(report), is_warning=bool(report.failures))
            if report.failures:
                self._state.converting = replace(self._state.converting, written=report)

        lane = f"save {folder} {next(_NUMBERS)}"
        self._jobs.start(lane, title, work, done, is_background=True, is_writing=True)

    def close_report(self) -> None:
        """Close the report of what was written."""
        self._state.converting = replace(self._state.converting, written=None)


def summary(report: ExportReport) -> str:
    """The result of writing many files, in words."""
    entries = counted(report.written, "{count} entry", "{count} entries")
    folder = report.folder
    if report.is_cancelled:
        return _("cancelled: {entries} written to {folder}", entries=entries, folder=folder)
    return _("{entries} written to {folder}", entries=entries, folder=folder)


def asked_folder(saved: str, usual: Path) -> Path:
    """The folder that is proposed for many files: that of the last file, else the usual one, if it exists."""
    folder = Path(saved or usual)
    return folder if folder.is_dir() else Path.home()
