"""Export: the question, what it will write, and the writing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from viewer.app.converting import exporting
from viewer.app.converting.sources import Sources
from viewer.app.images import screenshots
from viewer.app.jobs import Jobs
from viewer.app.open_controller import OpenController
from viewer.app.state import State
from viewer.model.convert.exchange import GLB, JSON
from viewer.model.kinds.registry import ARCHIVE, MODEL, PACKED
from viewer.model.store.address import Address
from viewer.model.write.file_names import FileNames
from viewer.session.converting.export_choices import ExportChoices
from viewer.session.converting.export_question import ExportQuestion, Preview, Scope
from viewer.session.converting.reports import ExportReport
from viewer.translation import _
from viewer.ui.widgets.field_text import counted, size_text

PREVIEW: Final = "export_preview"
"""The lane of the job that finds what will be written."""


class ExportController:
    """Keeps `State.converting.export`, and writes what it says; owner: the application, main thread only."""

    def __init__(self, state: State, jobs: Jobs, opener: OpenController) -> None:
        self._state = state
        self._jobs = jobs
        self._opener = opener

    def show(self, address: str = "", kind: str = "", scope: Scope = Scope.MODEL) -> None:
        """Ask how to export what is at an address, or in the active tab."""
        tab = self._state.tabs.active
        address = address or tab.address
        shown = tab.document or tab.resource
        if not address:
            return
        kind = kind or (MODEL.id if tab.document is not None else getattr(shown, "kind", ""))
        where, is_archive = Address.parse(address), kind in (ARCHIVE.id, PACKED.id)
        archive = address if is_archive else str(where.parent) if where.entries else ""
        is_open = tab.document is not None and address == tab.address
        view = self._state.view
        question = ExportQuestion(
            address,
            kind,
            archive,
            kind == MODEL.id,
            Scope.ARCHIVE if is_archive else scope,
            self._choices(scope),
            self._folder(),
            stem_of(where.name, kind),
            view.selection.nodes if is_open else (),
            (view.lod, view.group) if is_open else (0, 0),
        )
        self.ask(question)

    def _choices(self, scope: Scope) -> ExportChoices:
        """What was chosen last; of a selection no bytes as text."""
        kept = self._state.settings.export
        return replace(kept, suffix=GLB) if scope is Scope.SELECTION and kept.suffix == JSON else kept

    def _folder(self) -> Path:
        kept = Path(self._state.settings.save_folder or screenshots.default_folder())
        return kept if kept.is_dir() else Path.home()

    def ask(self, question: ExportQuestion) -> None:
        """Ask with these choices, remember them, and find what they will write."""
        asked = replace(question, preview=None)
        self._keep(asked)
        self._state.set(export=question.choices)
        sources = self._sources(question)

        def done(found: Preview) -> None:
            if self._state.converting.export is asked:
                self._keep(replace(asked, preview=found))

        self._jobs.start(PREVIEW, "", lambda _: exporting.preview(sources, asked), done, self._opener.fail)

    def _keep(self, question: ExportQuestion | None) -> None:
        self._state.converting = replace(self._state.converting, export=question)

    def place(self, path: Path) -> None:
        """Export to another file or folder."""
        question = self._state.converting.export
        if question is None:
            return
        is_archive = question.scope is Scope.ARCHIVE
        folder, stem = (path, question.stem) if is_archive else (path.parent, path.stem)
        self.ask(replace(question, folder=folder, stem=stem))

    def run(self, *, is_wanted: bool) -> None:
        """Write what is asked, or only close the question."""
        question = self._state.converting.export
        self._keep(None)
        self._jobs.drop(PREVIEW)
        if question is None or not is_wanted:
            return
        self._state.set(save_folder=str(question.folder))
        sources = self._sources(question)
        if question.scope is Scope.ARCHIVE:
            self._write_archive(sources, question)
            return
        self._jobs.start(
            f"save {question.path}",
            _("Exporting {name}…").format(name=question.path.name),
            lambda _: exporting.write(sources, question),
            lambda size: self._state.announce(
                _("Exported as {path}, {size}").format(path=question.path, size=size_text(size))
            ),
            self._opener.fail,
        )

    def _write_archive(self, sources: Sources, question: ExportQuestion) -> None:
        def done(report: ExportReport) -> None:
            self._state.announce(summary(report), is_warning=bool(report.failures))
            if report.failures:
                self._state.converting = replace(self._state.converting, written=report)

        self._jobs.start(
            f"save {question.folder}",
            _("Exporting {name}…").format(name=Address.parse(question.archive).name),
            lambda progress: exporting.write_archive(sources, question, progress),
            done,
            self._opener.fail,
            is_background=True,
        )

    def close_report(self) -> None:
        """Close the report of an export."""
        self._state.converting = replace(self._state.converting, written=None)

    def _sources(self, question: ExportQuestion) -> Sources:
        """What the worker reads from: the files as they are now."""
        library = self._opener.library.snapshot()
        choices = self._opener.choices(question.archive or question.address)
        return Sources(library, *choices, tuple(self._state.tabs.documents))


def stem_of(name: str, kind: str) -> str:
    """The name of an exported file without its format: of a model its stem, of others the whole name."""
    plain = name.lstrip("#")
    return FileNames().add(Path(plain).stem if kind == MODEL.id else plain, 0)


def summary(report: ExportReport) -> str:
    """Say what the export of an archive has written."""
    written = counted(report.written, "{count} model", "{count} models")
    words = _("cancelled: {written} exported to {folder}") if report.is_cancelled else ""
    words = words or _("{written} exported to {folder}")
    return words.format(written=written, folder=report.folder)
