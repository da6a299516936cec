"""The console: commands of Python, whose edits are undo steps of the window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from imgui_bundle import imgui

from mshview import workspace
from tests.gui.harness import SIDES, Context, GuiTester
from viewer.cli.picturing.open import _names
from viewer.control.opening.loading import StartOptions
from viewer.session.console import LineKind
from viewer.session.edits.questions import SaveSheet

pytestmark = pytest.mark.closed(*SIDES)


@pytest.fixture
def given() -> Iterator[StartOptions]:
    """A start with the library."""
    yield StartOptions(names=_names)
    workspace.use(None)


def run(gui: GuiTester, text: str) -> list[str]:
    """Run a command, and return what it printed."""
    before = len(gui.state.console.lines)
    gui.commands.console.run(text)
    gui.until(lambda: not gui.state.console.is_running)
    gui.frames(2)
    return [it.text for it in gui.state.console.lines[before + 1 :]]


def flags(gui: GuiTester) -> int:
    """The flags of the first batch, as the window shows it."""
    return int(gui.document.model.batches[0]["flags"])


def test_an_edit_is_an_undo_step_and_seen_at_once(crane: GuiTester) -> None:
    stored = Path(str(crane.document.address).partition("::")[0]).read_bytes()
    before = flags(crane)
    assert run(crane, "here.set('batches[0].flags', 4660)") == []
    crane.settle()
    assert flags(crane) == 0x1234
    assert run(crane, "here.batches[0].flags") == ["4660"]
    (row,) = run(crane, "print([it['after'] for it in here.changes()])")
    assert row == "[4660]"
    crane.commands.edits.step(-1)
    crane.settle()
    assert flags(crane) == before
    assert run(crane, "here.batches[0].flags") == [str(before)]
    assert Path(str(crane.document.address).partition("::")[0]).read_bytes() == stored
    run(crane, "here.set('batches[0].flags', 1); here.save()")
    crane.settle()
    assert isinstance(crane.state.question, SaveSheet), "the window shows what is written"
    crane.state.question = None
    run(crane, "mshview.discard()")
    crane.settle()
    assert flags(crane) == before


def test_errors_are_lines_and_change_nothing(crane: GuiTester) -> None:
    before = crane.document
    assert run(crane, "here.set('batches[99].flags', 1)")[-1].count("99")
    assert run(crane, "1 / 0")[-1] == "ZeroDivisionError: division by zero"
    assert "invalid syntax" in run(crane, "1 +* 2")[-1]
    assert run(crane, "raise SystemExit(3)") == []
    assert not crane.state.is_closing
    assert {it.kind for it in crane.state.console.lines} == {LineKind.INPUT, LineKind.ERROR}
    assert crane.document is before


def test_a_command_of_several_lines_runs_when_it_is_whole(crane: GuiTester) -> None:
    assert run(crane, "for i in range(3):") == []
    assert crane.state.console.is_continued
    assert run(crane, "    print(i * i)") == []
    assert run(crane, "") == ["0", "1", "4"]
    assert not crane.state.console.is_continued


def test_an_endless_command_is_stopped_and_the_window_lives(crane: GuiTester) -> None:
    crane.commands.console.run("while True: pass")
    crane.frames(3)
    crane.commands.console.run("")
    crane.until(lambda: crane.app.editing.console._thread != 0)
    crane.frames(5)
    assert crane.state.console.is_running
    crane.commands.console.stop()
    crane.until(lambda: not crane.state.console.is_running)
    crane.frames(2)
    assert crane.state.console.lines[-1].text == "Cancelled"
    assert run(crane, "1 + 1") == ["2"]


def test_names_are_completed_and_former_commands_come_back(crane: GuiTester, tmp_path: Path) -> None:
    run(crane, "value = 41")
    assert "here.batches" in crane.app.editing.console.complete("here.bat")
    assert crane.app.editing.console.complete("print(val") == ("print(value",)
    script = tmp_path / "script.py"
    script.write_text("print(value + 1)\n")
    crane.commands.console.run_script(script)
    crane.until(lambda: not crane.state.console.is_running)
    crane.frames(2)
    assert crane.state.console.lines[-1].text == "42"
    crane.app.shell._switches.bring("console")
    crane.frames(3)

    def script_of_keys(context: Context) -> None:

        context.item_click("//console/###command")
        context.key_chars("val")
        context.key_press(imgui.Key.tab)
        context.key_chars(" + 2")
        context.key_press(imgui.Key.enter)
        context.yield_(3)
        context.item_click("//console/###command")
        context.key_press(imgui.Key.up_arrow)
        context.key_press(imgui.Key.enter)

    crane.run(script_of_keys)
    crane.until(lambda: not crane.state.console.is_running)
    crane.frames(3)
    outputs = [it.text for it in crane.state.console.lines if it.kind is LineKind.OUTPUT]
    assert outputs[-2:] == ["43", "43"]
