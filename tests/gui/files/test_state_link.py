"""A state link that the window copies, opened again."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.cli.console import WALKER
from tests.gui.hand import click
from tests.gui.harness import SIDES, Context, GuiTester
from viewer.control.opening.loading import StartOptions
from viewer.session.selection import Selection
from viewer.session.view.camera import Camera
from viewer.session.view.state_link import START, StateLink

pytestmark = pytest.mark.closed(*SIDES)

FILE, _, ENTRY = WALKER.partition("::")


@pytest.fixture
def given() -> StartOptions:
    """A link with a camera, a selection, a cell and a clip."""
    camera = "target=1,2,3&distance=9&yaw=0.5&pitch=0.25"
    text = f"{START}file={FILE}&entry={ENTRY}&lod=1&group=1&nodes=3&clip=1&seconds=0.25&{camera}"
    link = StateLink.parse(text)
    return StartOptions(link.address, link=link)


def test_a_link_reopens_what_was_copied(gui: GuiTester) -> None:
    gui.app.opener.open_first()
    gui.until(lambda: gui.state.document is not None)
    gui.frames(4)
    view = gui.state.view
    assert str(gui.document.address) == WALKER
    assert (view.lod, view.group, view.selection) == (1, 1, Selection((3,)))
    assert (view.playback.clip, view.playback.seconds, view.is_playing) == (1, 0.25, False)
    assert (view.camera.target, view.camera.distance, view.camera.yaw) == ((1.0, 2.0, 3.0), 9.0, 0.5)
    copied_texts: list[str] = []

    def script(context: Context) -> None:
        context.menu_click("//##MainMenuBar/###view/###view.copy_link")
        context.yield_(2)
        copied_texts.append(imgui.get_clipboard_text())

    gui.run(script)
    copied = StateLink.parse(copied_texts[0])
    assert copied == StateLink.of(gui.document, gui.state.view)
    assert copied.applied(gui.state.view) == gui.state.view


def test_views_are_saved_named_shown_and_deleted(crane: GuiTester) -> None:
    path = str(crane.document.address).partition("::")[0]
    before = (Path(path).read_bytes(), crane.document.model.archive.data)
    crane.change(selection=Selection((2,)), lod=1, time=3.0)
    seen = crane.state.view
    crane.app.shell._windows.views.toggle()
    crane.frames(2)
    click(crane, "//saved_views/###save_view")
    crane.change(selection=Selection((1,)), lod=0, time=0.0, camera=Camera(distance=99.0))
    (saved,) = crane.state.settings.views[path]
    assert saved.name == "view 1"

    def rename(context: Context) -> None:
        context.item_input_value("//saved_views/$$0/##name", "front")
        context.yield_(2)

    crane.run(rename)
    assert [it.name for it in crane.state.settings.views[path]] == ["front"]
    click(crane, "//saved_views/$$0/###go")
    crane.settle()
    view = crane.state.view
    assert (view.selection, view.lod, view.time) == (seen.selection, 1, 3.0)
    assert view.camera.distance == seen.camera.distance
    click(crane, "//saved_views/$$0/###delete")
    assert crane.state.settings.views == {}
    assert (Path(path).read_bytes(), crane.document.model.archive.data) == before
