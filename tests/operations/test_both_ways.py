"""Every operation in the shell and as the controllers of the window call it: the same plans, the same bytes.

Import is compared in `test_importing`.
"""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.cli.console import Capture, success
from tests.corpora import GAME, folders
from tests.operations.test_importing import different, models_in
from tests.share import IS_WHOLE, some
from viewer.cli.main import main
from viewer.control.converting import exporting
from viewer.control.editing.edit_controller import EditController
from viewer.control.editing.journal import Bases, Journal
from viewer.control.editing.save_sheets import plan_of
from viewer.control.jobs import Jobs
from viewer.control.opening.loading import NO_OPEN_OPTIONS
from viewer.control.settings.settings import Settings
from viewer.control.state import State
from viewer.errors import MshviewError
from viewer.model.convert.scene_file import GLB, SUFFIXES
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.registry import KINDS, MODEL, recognise
from viewer.model.store.address import Address
from viewer.model.store.disk import UnsavedFiles
from viewer.model.store.file_store import FileStore
from viewer.operations.editing import EditOptions, with_findings
from viewer.operations.opening import Source
from viewer.operations.repairing import repairs_of
from viewer.operations.saving import write
from viewer.progress import Progress
from viewer.session.exporting import ExportChoices, ExportQuestion, ExportScope
from viewer.session.jobs import validate
from viewer.session.opened.document import Document
from viewer.session.opened.tabs import Tabs
from viewer.session.view.view_state import ViewState


@pytest.fixture
def models(folder: Path) -> list[Address]:
    """Models of the sample or of a corpus that can be opened; of those with equal bytes one."""
    library, found = FileStore(), list[Address]()
    for address in models_in(folder):
        with suppress(MshviewError):
            library.open(address).read_model()
            found.append(address)
    return different(library, folder, found)


def files_in(folder: Path) -> dict[str, bytes]:
    """The files of a folder by name."""
    return {it.name: it.read_bytes() for it in folder.iterdir()}


@folders("seed", "field")
def test_exports_have_the_same_files_losses_and_notes(
    models: list[Address], tmp_path: Path, capsys: Capture
) -> None:
    read = exporting.reader(FileStore(), lambda _address: NO_OPEN_OPTIONS)
    for number, address in enumerate(models):
        suffixes = SUFFIXES if IS_WHOLE else SUFFIXES[number % len(SUFFIXES) :][:1]
        for suffix in suffixes if address.path.is_relative_to(GAME) else (GLB,):
            shell, window = (tmp_path / name / f"{number}{suffix}" for name in ("shell", "window"))
            question = ExportQuestion(
                address, MODEL.id, None, True, ExportScope.MODEL, ExportChoices(suffix), window, "model"
            )
            plan = exporting.plan(read, question)
            write(plan.files)
            told = success(capsys, "export", address, "-o", shell / f"model.{suffix}")[1].splitlines()
            assert files_in(shell) == files_in(window), (address, suffix)
            assert dict(plan.preview.files) == {name: len(data) for name, data in files_in(window).items()}
            prefix = f"{shell / f'model.{suffix}'}: "
            said = [line.split(prefix, 1)[1] for line in told if prefix in line]
            assert said == [*map(str, (*plan.losses, *plan.notes))], (address, suffix)


class Window:
    """What edits a model in the window, without the window."""

    def __init__(self, address: Address) -> None:
        self.library = FileStore()
        document = Document.open(self.library, Source(address))
        self.state = State(Settings(), Tabs.of(ViewState(), document))
        self.bases, jobs = Bases(), Jobs(lambda: None)
        journal = Journal(None, jobs, lambda _: None)
        self.edits = EditController(self.state, self.library, journal, self.bases, lambda *_: None)
        jobs.close()


CHANGE = SetField("positions", RowChoice.of(0), "position", [9, 9, 9])


@folders("seed", "field")
def test_edits_change_the_same_values_and_are_saved_with_the_same_bytes(
    models: list[Address], tmp_path: Path, capsys: Capture
) -> None:
    for number, address in enumerate(models):
        shell, window = (tmp_path / f"{name}{number}" / address.path.name for name in ("shell", "window"))
        for path in (shell, window):
            path.parent.mkdir()
            shutil.copy(address.path, path)
            path.chmod(0o644)
        edited = Address(window, address.entries)
        found = Window(edited)
        found.edits.edit(edited, (CHANGE,), is_forced=True)
        arguments = ("edit", Address(shell, address.entries), "--set", "positions[0].position=[9,9,9]")
        told = json.loads(success(capsys, *arguments, "--in-place", "--force", "--json")[0])
        file = found.state.edits.of(window)
        assert file.is_changed == (not told["identical"]), address
        if not file.is_changed:
            continue
        plan = plan_of(file, found.library.file(window))
        plan = with_findings(found.library, plan, addresses=file.unsaved_payloads)
        report = plan.report
        shown = ("what", "table", "row", "field")
        assert [[it[name] for name in shown] for it in report.rows] == [
            [it[name] for name in shown] for it in told["changes"]
        ], address
        assert [(it.diagnostic.rule, str(it.diagnostic.message)) for it in report.added] == [
            (it["rule"], it["message"]) for it in told["diagnostics"]
        ], address
        assert [*map(str, file.steps[0].topics)] == told["made"], address
        write([plan])
        assert files_in(shell.parent) == files_in(window.parent), address


def test_repairs_are_the_same(samples: Path, capsys: Capture) -> None:
    count = 0
    for path in some(sorted((samples / "damaged").glob("*/*.*"))):
        kind = recognise(0, memoryview(path.read_bytes()), path.name.encode())
        if kind not in KINDS or kind.is_archive:
            continue
        main(["repair", str(path), "--json"])
        told: dict[str, Any] = json.loads(capsys.readouterr().out)
        if "error" in told:
            continue
        found = repairs_of(FileStore(), Address(path), EditOptions())
        shell = [(it["fault"], it["words"], len(it["diagnostics"])) for it in told["repairs"]]
        assert shell == [(str(it.change.fault), str(it.words), len(it.diagnostics)) for it in found], path
        count += len(found)
    assert count > 3


@pytest.mark.parametrize("folder", [pytest.param(it, id=it) for it in ("seed", "damaged")])
def test_validation_finds_the_same(samples: Path, folder: str, capsys: Capture) -> None:
    main(["validate", str(samples / folder), "--json", "--info"])
    told = json.loads(capsys.readouterr().out)["files"]
    found = validate([Address(samples / folder)], UnsavedFiles(), Progress())
    assert found.checked == len(told)
    assert not found.left_out
    assert [(str(it.place.address), it.finding.rule, str(it.finding.message)) for it in found.problems] == [
        (it["source"], finding["rule"], finding["message"]) for it in told for finding in it["diagnostics"]
    ]
