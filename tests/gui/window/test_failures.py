"""A fault of the program ends a panel, a command or a job; the rest goes on, with what is unsaved."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from imgui_bundle import imgui

from tests.corpora import GAME
from tests.gui.hand import click
from tests.gui.harness import Context, GuiTester, bring_to_front, current, exists, steps
from viewer.model.edit.nodes.rename_node import RenameNode
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.query.search_query import Query
from viewer.model.store.address import Address
from viewer.ui.panels.inspector import InspectorPanel
from viewer.ui.table.statistics import StatisticsPanel
from viewer.ui.widgets.floating import Floating

CARD = "//failure"


def stacks() -> tuple[int, ...]:
    """How much is begun in ImGui after a frame."""
    context = imgui.get_current_context()
    return (
        context.current_window_stack.size(),
        context.color_stack.size(),
        context.style_var_stack.size(),
        context.item_flags_stack.size(),
        context.open_popup_stack.size(),
        context.disabled_stack_size,
    )


def fail_in_the_middle(*_ignored: object, **_options: object) -> None:
    """Begin all sorts of things, and fail."""
    imgui.begin_child("inner")
    imgui.push_style_color(imgui.Col_.text, 0)
    imgui.push_style_var(imgui.StyleVar_.alpha, 0.5)
    imgui.push_id("deep")
    imgui.begin_disabled()
    imgui.begin_group()
    if imgui.begin_table("rows", 2):
        imgui.table_next_column()
    imgui.open_popup("menu")
    imgui.begin_popup("menu")
    raise ValueError("the truth value of an array is ambiguous")


def read_card(gui: GuiTester) -> str:
    """Copy the details of the card, close it, and return them."""
    copied: list[str] = []

    def script(context: Context) -> None:
        context.item_click(f"{CARD}/###copy")
        context.yield_(2)
        copied.append(imgui.get_clipboard_text())
        context.item_click(f"{CARD}/###close")

    gui.run(script)
    gui.settle()
    assert gui.state.failure is None
    assert not exists(gui, f"{CARD}/###copy")
    return copied[0]


def test_a_panel_that_fails_is_closed_and_the_rest_goes_on(
    crane: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is unsaved and its journal stay; the menu opens the panel again."""
    crane.commands.edits.edit(Address.given(f"{archive}::crane.msh"), (RenameNode(0, "deck"),))
    crane.settle()
    bring_to_front(crane, "inspector")
    before, edited = stacks(), current(crane, archive)
    shell = crane.app.shell
    with monkeypatch.context() as broken:
        broken.setattr(InspectorPanel, "draw", fail_in_the_middle)
        crane.app.rebuild_panels()
        crane.frames(4)
    assert "inspector" in shell.closed_panels
    assert stacks() == before
    details = read_card(crane)
    assert "fail_in_the_middle" in details
    assert "truth value of an array" in details
    assert "mshview" in details
    assert current(crane, archive) == edited
    crane.commands.edits.edit(Address.given(f"{archive}::crane.msh"), (RenameNode(1, "pole"),))
    assert len(steps(crane)) == 2
    (kept,) = archive.parent.glob("journals/*")
    assert b"pole" in kept.read_bytes()
    bring_to_front(crane, "inspector")
    crane.frames(2)
    assert "inspector" not in shell.closed_panels
    assert crane.state.failure is None


def test_a_fault_in_each_frame_shows_one_card(crane: GuiTester, monkeypatch: pytest.MonkeyPatch) -> None:
    before = len(crane.state.log)
    with monkeypatch.context() as broken:
        broken.setattr(crane.app.shell._status_bar, "draw", fail_in_the_middle)
        crane.app.rebuild_panels()
        crane.frames(3)
        first = crane.state.failure
        crane.app.rebuild_panels()
        crane.frames(3)
    assert first is not None
    assert crane.state.failure is first
    assert len(crane.state.log) - before == 1
    assert "fail_in_the_middle" in read_card(crane)


def test_what_is_open_is_not_drawn_again_until_it_is_asked_for(
    crane: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other tabs are as before."""
    with monkeypatch.context() as broken:
        broken.setattr(crane.app.shell._stage.gizmo, "draw", fail_in_the_middle)
        crane.app.rebuild_panels()
        crane.frames(3)
    assert "fail_in_the_middle" in read_card(crane)
    assert exists(crane, "//viewport/###try_again")
    crane.commands.opening.open(Address.given(f"{archive}::rock.msh"))
    crane.settle()
    assert not exists(crane, "//viewport/###try_again")
    crane.commands.opening.open(Address.given(f"{archive}::crane.msh"))
    crane.settle()
    if exists(crane, "//viewport/###try_again"):
        click(crane, "//viewport/###try_again")
    crane.frames(2)
    assert crane.state.failure is None


@pytest.mark.parametrize("name", ["settings", "views", "repair", "picture", "film"])
def test_a_window_that_fails_is_closed(crane: GuiTester, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    it, before, drawn = getattr(crane.app.shell._windows, name), stacks(), Floating._window

    @contextmanager
    def broken(floating: Floating) -> Iterator[bool]:
        with drawn(floating):
            fail_in_the_middle()
        yield True

    it.is_open = True
    with monkeypatch.context() as patched:
        patched.setattr(type(it), "_window", broken)
        crane.app.rebuild_panels()
        crane.draw_panels()
    assert not it.is_open
    assert stacks() == before
    assert "fail_in_the_middle" in read_card(crane)


def test_a_question_that_fails_does_not_block_the_window(
    crane: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crane.commands.edits.edit(Address.given(f"{archive}::crane.msh"), (RenameNode(0, "deck"),))
    crane.settle()
    before = stacks()
    crane.commands.closing.quit()
    crane.frames(3)
    assert stacks() != before
    with monkeypatch.context() as broken:
        broken.setattr(crane.app.shell._windows._questions, "draw", fail_in_the_middle)
        crane.app.rebuild_panels()
        crane.frames(3)
    assert stacks() == before
    assert "fail_in_the_middle" in read_card(crane)
    crane.state.question = None


def test_a_command_that_fails_is_the_only_one(crane: GuiTester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crane.app.control.search, "start", fail)
    crane.app.later(crane.app.control.search.start, Query("mast"))
    crane.app.later(crane.app.control.settings.keep_rate, is_own=True)
    crane.frames(3)
    assert crane.state.has_own_rate
    assert "KeyError" in read_card(crane)


@pytest.mark.parametrize("place", ["work", "done"])
def test_a_job_that_fails_shows_the_card(gui: GuiTester, place: str) -> None:
    parts: dict[str, Callable[[Any], Any]] = {"work": lambda _: 1, "done": lambda _: None} | {place: fail}
    gui.app.jobs.start("lane", "", parts["work"], parts["done"])
    gui.settle()
    assert "KeyError: 'missing'" in read_card(gui)
    assert not gui.state.message


def test_an_error_with_words_is_a_message_and_no_fault(gui: GuiTester, tmp_path: Path) -> None:
    def deny(_: object) -> None:
        raise PermissionError(13, "Permission denied", str(tmp_path))

    gui.app.jobs.start("lane", "", deny, print)
    gui.settle()
    assert gui.state.message == f"{tmp_path}: Permission denied"
    assert gui.state.failure is None


def fail(*_ignored: object, **_options: object) -> None:
    """Fail as a program does that has a fault."""
    raise KeyError("missing")


def test_users_are_found_again_after_a_change_in_another_file(gui: GuiTester, tmp_path: Path) -> None:
    """Documents hold arrays: comparing two of them by value ended the program."""
    game = tmp_path / "game"
    shutil.copytree(GAME, game)
    gui.commands.opening.use_game(str(game))
    walker = Address.given(f"{game / 'models.rlb'}::walker.msh")
    gui.open(walker, is_paused=True)
    gui.until(lambda: not gui.app.control.users.find(walker).is_searching)
    material = Address.given(f"{game / 'Material.lib'}::WALKER_METAL")
    gui.commands.opening.open(material, in_new_tab=True)
    gui.settle()
    gui.commands.edits.edit(material, (SetField("phases", RowChoice("0"), "power", 7),))
    gui.settle()
    gui.commands.opening.open(walker)
    gui.settle()
    gui.until(lambda: not gui.app.control.users.find(walker).is_searching)
    assert gui.state.document is not None
    assert gui.state.failure is None


def test_the_card_is_as_high_as_what_it_says(crane: GuiTester) -> None:
    crane.state.fail(StatisticsPanel.title, ValueError("a fault"))
    crane.settle()
    card = imgui.internal.find_window_by_name("failure")
    end = card.dc.cursor_max_pos.y - card.pos.y
    assert 0 < card.size.y - end < 2 * imgui.get_font_size(), "no empty room below the buttons"
    crane.state.dismiss_failure()
    crane.settle()
