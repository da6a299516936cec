"""Help > Copy report: what it holds is said before it is saved."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.gui.hand import click
from tests.gui.harness import GuiTester
from viewer.app.dialogs import dialogs
from viewer.operations.checking.bug_report import WHAT

pytestmark = pytest.mark.closed("browser", "outline", "inspector")


def test_a_report_is_saved_from_the_menu(
    crane: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialogs, "has_native_dialog", lambda: False)
    crane.state.settings = replace(crane.state.settings, save_folder=str(archive.parent))
    crane.run(lambda context: context.menu_click("//##MainMenuBar/###help/###help.report"))
    crane.settle()
    click(crane, "//report/###save_report", "//open/###confirm")
    path = archive.parent / "mshview-report.zip"
    crane.until(path.exists)
    with zipfile.ZipFile(path) as report:
        assert {*report.namelist()} == {*WHAT}
        assert report.read("picture.png").startswith(b"\x89PNG")
        link = report.read("link.txt").decode()
        assert link.startswith(f"mshview:open?file={archive.name}&entry=")
        assert crane.window.ctx.info["GL_RENDERER"] in report.read("versions.txt").decode()
        assert str(archive.parent) not in link
