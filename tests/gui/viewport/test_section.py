"""The section plane from the Display panel, the menu and a key."""

from __future__ import annotations

import pytest
from imgui_bundle import imgui

from tests.gui.hand import click, press
from tests.gui.harness import GuiTester, bring_to_front
from viewer.session.view.options.section import SectionAxis
from viewer.session.view.state_link import StateLink
from viewer.session.view.view_state import ViewState
from viewer.ui.viewport.viewport_overlay import edge_texts

pytestmark = pytest.mark.closed("browser", "timeline", "outline", "inspector")


def test_it_is_chosen_and_turned_and_is_in_links(crane: GuiTester) -> None:
    bring_to_front(crane, "display")
    click(crane, "//display/section/###x")
    camera = crane.state.view.camera
    assert crane.state.view.section is SectionAxis.X
    assert crane.state.view.section_offset == camera.target[0]
    flipped = crane.state.view.is_section_flipped
    press(crane, int(imgui.Key.mod_shift) | int(imgui.Key.c))
    assert crane.state.view.is_section_flipped is not flipped
    link = StateLink.parse(str(StateLink.of(crane.document, crane.state.view)))
    opened = link.applied(ViewState())
    assert (opened.section, opened.section_offset) == (SectionAxis.X, camera.target[0])
    crane.run(lambda context: context.menu_click("//##MainMenuBar/view/view.section/view.section.off"))
    assert ViewState().section is crane.state.view.section


def test_pictures_on_screen_are_cut_and_whole_again(crane: GuiTester) -> None:
    before = crane.picture()
    crane.change(section=SectionAxis.Z, section_offset=-1e6)
    assert (crane.picture() != before).any()
    crane.change(section=SectionAxis.OFF)
    assert (crane.picture() == before).all()


def test_the_image_says_where_it_is_cut(crane: GuiTester) -> None:
    crane.change(section=SectionAxis.X, section_offset=0.5)
    assert list(edge_texts(crane.state.view))[-1] == "cut at x = 0.5; red: the inside of closed surfaces"
    crane.change(section=SectionAxis.OFF)
    assert not [it for it in edge_texts(crane.state.view) if it.startswith("cut")]
