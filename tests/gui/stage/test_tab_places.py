"""Where what is opened appears: in a new tab, or in place of one that was only looked at; many tabs."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.gui.conftest import rock
from tests.gui.editing.test_editing import edit, flags
from tests.gui.hand import click
from tests.gui.harness import SIDES, Context, GuiTester, write_model
from tests.gui.tab_steps import active, names, open_tabs, tab_of
from viewer.control.settings.settings import Settings
from viewer.model.store.address import Address
from viewer.options import option_at
from viewer.session.opened.tabs import short_names
from viewer.session.view.camera import Side

pytestmark = pytest.mark.closed(*SIDES)


@pytest.fixture
def three(gui: GuiTester, archive: Path) -> GuiTester:
    """The crane, and its wear table and the rock in tabs of their own, the rock in front."""
    gui.open(archive)
    open_tabs(gui, f"{archive}::crane.wea", f"{archive}::rock.msh")
    return gui


def files(gui: GuiTester) -> list[str]:
    """The names of what is open, in the order of the tabs."""
    return [tab.address.name for tab in gui.state.tabs.opened if tab.address]


def other_file(archive: Path, name: str = "other.msh") -> Path:
    """One more model."""
    return write_model(archive.with_name(name), rock())


def test_what_was_only_looked_at_gives_its_place(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    identity = gui.state.tabs.active.identity
    gui.commands.camera.look_from(Side.LEFT)
    gui.select(1)
    gui.open(other_file(archive))
    assert files(gui) == ["other.msh"]
    assert gui.state.tabs.active.identity == identity


def test_what_was_changed_stays(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    edit(gui, flags(0x1234))
    gui.open(other_file(archive))
    assert files(gui) == ["crane.msh", "other.msh"]
    click(gui, tab_of(gui, "crane.msh"))
    gui.commands.edits.step(-1)
    gui.settle()
    gui.open(other_file(archive, "third.msh"))
    assert files(gui) == ["crane.msh", "other.msh", "third.msh"], "it was not only looked at"


def test_what_has_a_tab_of_its_own_stays(three: GuiTester, archive: Path) -> None:
    three.open(other_file(archive))
    assert files(three) == ["crane.msh", "crane.wea", "rock.msh", "other.msh"]
    three.commands.opening.activate(three.state.tabs.opened[0].identity)  # scrolled out of the bar
    three.settle()
    three.open(other_file(archive, "third.msh"))
    assert files(three) == ["third.msh", "crane.wea", "rock.msh", "other.msh"]


def test_a_double_click_keeps_a_tab(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    tab = tab_of(gui, "crane.msh")
    gui.run(lambda context: context.item_double_click(tab))
    assert gui.state.tabs.active.is_kept
    gui.open(other_file(archive))
    assert files(gui) == ["crane.msh", "other.msh"]


def test_the_next_entry_is_the_next_in_any_tab(three: GuiTester) -> None:
    three.commands.opening.open_neighbour(-1)
    three.until(lambda: active(three) == "crane.msh")
    assert names(three) == ["crane.msh", "crane.wea", "rock.msh"]


def test_the_setting_opens_everything_in_a_tab_of_its_own(gui: GuiTester, archive: Path) -> None:
    gui.commands.settings.turn(option_at(Settings, "reuses_tabs"))
    gui.open(archive)
    gui.open(other_file(archive))
    gui.open(f"{archive}::crane.wea")
    assert files(gui) == ["crane.msh", "other.msh", "crane.wea"]


@pytest.mark.parametrize(("count", "left"), [(1, 1), (2, 3)])
def test_dropped_files_follow_the_same_rule(gui: GuiTester, archive: Path, count: int, left: int) -> None:
    gui.open(archive)
    dropped = [str(other_file(archive, f"{number}.msh")) for number in range(count)]
    gui.commands.importing.drop(dropped)
    gui.until(lambda: {it.rpartition("/")[2] for it in dropped} <= {*files(gui)})
    gui.settle()
    assert len(files(gui)) == left
    assert all(tab.is_kept for tab in gui.state.tabs.opened[1:])


def test_namesakes_are_told_apart(gui: GuiTester, archive: Path) -> None:
    below = archive.with_name("below") / archive.name
    below.parent.mkdir()
    below.write_bytes(archive.read_bytes())
    open_tabs(gui, f"{archive}::crane.msh", f"{below}::crane.msh", f"{archive}::rock.msh")
    labels = {it.address: it for it in gui.state.tabs.opened}
    assert short_names([it for it in labels if it]) == {
        Address(archive, ("crane.msh",)): ("crane.msh", archive.parent.name),
        Address(below, ("crane.msh",)): ("crane.msh", "below"),
        Address(archive, ("rock.msh",)): ("rock.msh", ""),
    }


def test_many_tabs_keep_their_names_and_are_listed(gui: GuiTester, archive: Path) -> None:
    paths = [str(other_file(archive, f"texm_a_long_name_{number:02}.msh")) for number in range(16)]
    open_tabs(gui, *paths)
    first = gui.state.tabs.opened[0]
    width = imgui.calc_text_size("texm_a_long_name_00.msh").x

    def script(context: Context) -> None:
        tab = tab_of(gui, "15.msh")
        assert context.item_info(tab).rect_full.get_width() > width
        context.item_click("//viewport/tabs/###list_tabs")
        context.item_click(f"//$FOCUSED/###tab{first.identity}")

    gui.run(script)
    gui.settle()
    assert gui.state.tabs.active.identity == first.identity
    gui.run(lambda context: context.item_info(tab_of(gui, "00.msh")))  # the bar was scrolled to it
