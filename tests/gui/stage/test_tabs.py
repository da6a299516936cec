"""Several documents in tabs: opening, changing, closing and ordering them as a user does."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import imgui

from tests.builders import ModelBuilder, Node, box
from tests.gui.conftest import rock
from tests.gui.hand import click, press
from tests.gui.harness import Context, GuiTester, bring_to_front, exists, write_model
from tests.gui.tab_steps import CTRL, SHIFT, active, names, open_tabs, tab_of
from viewer.app import scene_renderer
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.resources import bundled_path
from viewer.session.opened.document import Document
from viewer.session.program import CLOSED_AT_FIRST
from viewer.session.view.camera import Side


def selected(gui: GuiTester) -> tuple[int, ...]:
    """The selected nodes of the active tab."""
    return gui.state.view.selection.nodes


def revealed(gui: GuiTester) -> Place | None:
    """The place that was gone to in the active tab."""
    return gui.state.reveal


@pytest.fixture
def three(gui: GuiTester, archive: Path) -> GuiTester:
    """The crane, its wear table and the rock in tabs, the rock in front."""
    gui.open(archive)
    open_tabs(gui, f"{archive}::crane.wea", f"{archive}::rock.msh")
    return gui


def test_tabs_hold_models_and_everything_else(three: GuiTester) -> None:
    assert names(three) == ["crane.msh", "crane.wea", "rock.msh"]
    assert str(three.document.address).endswith("rock.msh")
    click(three, tab_of(three, "crane.wea"))
    assert three.state.document is None
    assert exists(three, "//viewport/**/###fields")
    click(three, tab_of(three, "crane.msh"))
    assert str(three.document.address).endswith("crane.msh")
    assert three.state.resource is None


def test_a_new_tab_is_the_last_from_its_first_frame_on(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    gui.app.later(gui.app.control.opening.open, Address.parse(f"{archive}::rock.msh"), in_new_tab=True)
    gui.until(lambda: len(gui.state.tabs.opened) == 2)
    for _ in range(3):
        assert names(gui) == ["crane.msh", "rock.msh"]
        gui.frames()


def test_what_is_open_already_comes_to_the_front(three: GuiTester, archive: Path) -> None:
    for address in (f"{archive}::crane.msh", f"{archive}::ROCK.MSH", str(archive)):
        three.open(address)
        assert names(three) == ["crane.msh", "crane.wea", "rock.msh"]
    assert active(three) == "crane.msh"


def test_each_tab_keeps_its_view_and_its_picture(three: GuiTester) -> None:
    three.select(0)
    three.look_from(Side.TOP)
    rock_view, picture = three.state.view, three.picture()
    click(three, tab_of(three, "crane.msh"))
    three.pause(5.0)
    assert selected(three) == ()
    assert three.state.view.camera != rock_view.camera
    click(three, tab_of(three, "rock.msh"))
    assert three.state.view.camera == rock_view.camera
    assert selected(three) == (0,)
    np.testing.assert_array_equal(three.picture(), picture)
    click(three, tab_of(three, "crane.msh"))
    assert three.state.view.time == 5.0


def test_keys_go_through_the_tabs_and_close_them(three: GuiTester) -> None:
    seen = []
    for keys in (CTRL, CTRL, CTRL | SHIFT, CTRL | SHIFT):
        press(three, keys | int(imgui.Key.tab))
        seen.append(active(three))
    assert seen == ["crane.msh", "crane.wea", "crane.msh", "rock.msh"]
    for left in (["crane.msh", "crane.wea"], ["crane.msh"], [], []):
        press(three, CTRL | int(imgui.Key.w))
        assert names(three) == left
    assert three.state.document is None
    assert three.window.title == "mshview"


def test_the_x_and_the_middle_button_close_a_tab(three: GuiTester) -> None:
    three.run(lambda context: context.item_click(tab_of(three, "crane.wea"), imgui.MouseButton_.middle))
    assert names(three) == ["crane.msh", "rock.msh"]
    assert active(three) == "rock.msh"
    three.run(lambda context: context.tab_close(tab_of(three, "crane.msh")))
    assert names(three) == ["rock.msh"]


def test_closing_a_tab_behind_leaves_the_one_in_front(three: GuiTester) -> None:
    """The x of a tab appears where the mouse is over it."""

    def script(context: Context) -> None:
        tab = tab_of(three, "crane.msh")
        context.mouse_move(tab)
        right = context.item_info(tab).rect_full.max.x
        context.mouse_move_to_pos(imgui.ImVec2(right - 10, imgui.get_mouse_pos().y))
        context.mouse_click(0)

    three.run(script)
    assert names(three) == ["crane.wea", "rock.msh"]
    assert active(three) == "rock.msh"


def test_the_menu_of_a_tab_closes_the_others(three: GuiTester) -> None:
    def script(context: Context) -> None:
        context.item_click(tab_of(three, "crane.wea"), imgui.MouseButton_.right)
        context.item_click("//$FOCUSED/###close_others")

    three.run(script)
    assert names(three) == ["crane.wea"]
    assert active(three) == "crane.wea"


def test_tabs_are_dragged_into_another_order(three: GuiTester) -> None:
    first, last = tab_of(three, "crane.msh"), tab_of(three, "rock.msh")
    three.run(lambda context: context.item_drag_and_drop(first, last))
    assert names(three) == ["crane.wea", "rock.msh", "crane.msh"]
    assert active(three) == "crane.msh"


def test_the_title_and_the_browser_follow_the_active_tab(three: GuiTester) -> None:
    assert three.window.title == "rock.msh - mshview"
    click(three, tab_of(three, "crane.wea"))
    assert three.window.title == "crane.wea - mshview"
    assert three.state.browser.current == three.state.tabs.active.address


def test_a_link_out_of_a_model_leaves_the_model_open(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    place = Place(Address.parse(f"{archive}::crane.wea"), "materials", 1)
    gui.commands.opening.go_to(place)
    gui.until(lambda: gui.state.resource is not None)
    gui.settle()
    assert names(gui) == ["crane.msh", "crane.wea"]
    assert gui.state.reveal == place


def test_nothing_of_one_tab_is_stale_in_another(three: GuiTester, archive: Path) -> None:
    """A revealed place ends with the tab; what comes later is about the file that is in front."""
    click(three, tab_of(three, "crane.msh"))
    three.commands.opening.go_to(Place(Address.parse(f"{archive}::crane.msh"), "keys", 1))
    assert revealed(three) is not None
    click(three, tab_of(three, "rock.msh"))
    assert revealed(three) is None
    assert selected(three) == ()
    assert three.state.pose is not None
    assert len(three.state.pose.world) == three.document.model.node_count


def test_a_tab_whose_file_is_gone_stays_as_it_was(three: GuiTester, archive: Path) -> None:
    archive.unlink()
    click(three, tab_of(three, "crane.msh"))
    assert str(three.document.address).endswith("crane.msh")
    three.commands.opening.reload()
    three.until(lambda: not three.app.jobs.title)
    three.settle()
    assert "models.rlb" in three.state.message
    assert names(three) == ["crane.msh", "crane.wea", "rock.msh"]
    three.state.message = ""
    click(three, tab_of(three, "crane.wea"))
    assert exists(three, "//viewport/**/###fields")


def test_reloading_what_is_no_model_shows_its_new_bytes(gui: GuiTester, tmp_path: Path) -> None:
    path = tmp_path / "a.wea"
    path.write_bytes(b"1\r\n0 OLD\r\n")
    gui.open(path)
    path.write_bytes(b"1\r\n0 NEWER\r\n")
    press(gui, imgui.Key.f5)
    gui.until(lambda: not gui.app.jobs.title)
    assert gui.state.resource is not None
    assert bytes(gui.state.resource.data) == b"1\r\n0 NEWER\r\n"


def test_a_reading_is_used_in_every_tab_of_its_archive(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    open_tabs(gui, f"{archive}::rock.msh")
    gui.app.opener.use_reading("field")
    gui.until(lambda: not gui.app.jobs.title)
    assert [document.choice.requested for document in gui.state.tabs.documents] == ["field", "field"]
    assert active(gui) == "rock.msh"


def test_a_tab_that_does_not_fit_on_the_card_stays_behind(
    three: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    import moderngl  # noqa: PLC0415 only here

    def refuse(*_: object) -> None:
        raise moderngl.Error("out of memory")

    three.app.images.scene._models.keep_only(())
    monkeypatch.setattr(three.app.images.scene.renderer, "load", refuse)
    click(three, tab_of(three, "crane.msh"))
    three.settle()
    assert active(three) == "rock.msh"
    assert "graphics card" in three.state.message


def test_many_tabs_keep_few_models_on_the_card(gui: GuiTester, tmp_path: Path) -> None:
    paths = [str(write_model(tmp_path / f"{number}.msh", rock())) for number in range(7)]
    gui.open(paths[0])
    open_tabs(gui, *paths[1:])
    assert len(gui.state.tabs.opened) == 7
    assert len(gui.app.images.scene._models.documents) == scene_renderer.MOST_MODELS
    for tab in gui.state.tabs.opened:
        gui.commands.opening.activate(tab.identity)
        assert gui.picture().any()
    gui.commands.closing.close_tab()
    held = {id(document) for document in gui.app.images.scene._models.documents}
    assert held <= {id(document) for document in gui.state.tabs.documents}


def test_a_tab_behind_costs_no_time(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    assert gui.app.is_moving
    open_tabs(gui, f"{archive}::crane.wea")
    gui.settle()
    assert not gui.state.is_animated
    crane = gui.state.tabs.opened[0]
    gui.settle()
    assert gui.state.tabs.opened[0].view.time == crane.view.time


def test_problems_lists_those_of_anything(gui: GuiTester, tmp_path: Path) -> None:
    (tmp_path / "a.wea").write_bytes(b"3\r\n0 A\r\n")
    gui.open(tmp_path / "a.wea")
    bring_to_front(gui, "problems")
    click(gui, "//problems/**/###problem0")
    gui.settle()
    assert gui.state.reveal == Place(Address(tmp_path / "a.wea"), "materials", 1)
    assert exists(gui, "//##status/###problems_error")


def big() -> ModelBuilder:
    """A model with more nodes than the crane."""
    return ModelBuilder.of([Node(f"part{number}", shapes={(0, 0): [box()]}) for number in range(9)])


def test_panels_follow_the_tab(gui: GuiTester, archive: Path, tmp_path: Path) -> None:
    """Going to a smaller model and back: nothing refers to rows that it does not have."""
    gui.open(write_model(tmp_path / "big.msh", big()))
    gui.select(8)
    open_tabs(gui, f"{archive}::rock.msh")
    for panel in ("inspector", "materials", "tables", "outline", "timeline", "problems", "readings"):
        bring_to_front(gui, panel)
        for tab in gui.state.tabs.opened * 2:
            gui.commands.opening.activate(tab.identity)
            assert isinstance(gui.state.document, Document)
    assert gui.state.message == ""
    gui.commands.opening.activate(gui.state.tabs.opened[0].identity)
    assert gui.state.view.selection.nodes == (8,)


PANELS = (
    "browser",
    "outline",
    "inspector",
    "materials",
    "timeline",
    "tables",
    "problems",
    "readings",
    "search",
)


def in_front(gui: GuiTester) -> set[str]:
    """The panels that can be seen."""
    gui.settle()
    windows = {name: imgui.internal.find_window_by_name(name) for name in PANELS}
    return {name for name, found in windows.items() if found and found.active and not found.hidden}


def test_what_is_no_model_gets_the_room_of_the_panels_of_models(three: GuiTester) -> None:
    for panel in ("materials", "tables"):
        bring_to_front(three, panel)
    before, width = in_front(three), three.app.viewport.area.width
    assert before == {"browser", "outline", "materials", "tables"}
    click(three, tab_of(three, "crane.wea"))
    assert in_front(three) == {"browser", "problems"}
    assert imgui.internal.find_window_by_name("viewport").size.x > width * 1.5
    bring_to_front(three, "search")
    click(three, tab_of(three, "crane.msh"))
    assert in_front(three) == before
    click(three, tab_of(three, "crane.wea"))
    assert in_front(three) == {"browser", "search"}


def test_a_closed_panel_stays_closed(three: GuiTester) -> None:
    three.app.shell._switches.set_open("materials", is_open=False)
    click(three, tab_of(three, "crane.wea"))
    click(three, tab_of(three, "crane.msh"))
    assert "materials" not in in_front(three)
    assert three.app.shell.closed_panels == tuple(sorted((*CLOSED_AT_FIRST, "materials")))


def test_a_closed_document_is_given_back(gui: GuiTester, tmp_path: Path) -> None:
    """All but the last that the panels have shown, which they let go of with the next one."""
    (tmp_path / "a.wea").write_bytes(b"1\r\n0 A\r\n")
    paths = [str(write_model(tmp_path / f"{number}.msh", rock())) for number in range(3)]
    gui.open(paths[0])
    open_tabs(gui, *paths[1:], str(tmp_path / "a.wea"))
    for tab in gui.state.tabs.opened[:3]:
        gui.commands.closing.close_tab(tab.identity)
    gui.settle()
    gc.collect()
    assert sum(isinstance(found, Document) for found in gc.get_objects()) <= 1


def test_what_is_folded_stays_with_the_tab(three: GuiTester) -> None:
    click(three, tab_of(three, "crane.msh"))
    bring_to_front(three, "outline")
    click(three, "//outline/**/###fold1")
    click(three, tab_of(three, "rock.msh"))
    assert exists(three, "//outline/**/###node0")
    click(three, tab_of(three, "crane.msh"))
    three.settle()
    assert exists(three, "//outline/**/###node1")
    assert not exists(three, "//outline/**/###node3")


def test_back_returns_to_what_the_tab_showed_and_how(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    gui.pause(7.0)
    gui.look_from(Side.LEFT)
    camera = gui.state.view.camera
    gui.open(f"{archive}::crane.wea")
    gui.open(f"{archive}::rock.msh")
    back, forward = (
        int(imgui.Key.mod_alt) | int(key) for key in (imgui.Key.left_arrow, imgui.Key.right_arrow)
    )
    seen = []
    for keys in (back, back, forward, forward):
        press(gui, keys)
        gui.until(lambda: not gui.app.jobs.title)
        gui.settle()
        seen.append((active(gui), len(gui.state.tabs.opened)))
        if active(gui) == "crane.msh":
            assert gui.state.view.camera == camera
            assert gui.state.view.time == 7.0
    assert seen == [("crane.wea", 1), ("crane.msh", 1), ("crane.wea", 1), ("rock.msh", 1)]


def test_one_step_back_leaves_what_a_link_led_to(gui: GuiTester, archive: Path) -> None:
    gui.open(f"{archive}::rock.msh")
    gui.commands.opening.go_to(Place(Address.parse(f"{archive}::crane.msh"), "batches", 1))
    gui.until(lambda: active(gui) == "crane.msh" and not gui.app.jobs.title)
    gui.settle()
    assert gui.state.view.selection.batch == 1
    click(gui, "//viewport/**/###back")
    gui.until(lambda: active(gui) == "rock.msh" and not gui.app.jobs.title)
    gui.settle()
    click(gui, "//viewport/**/###forward")
    gui.until(lambda: active(gui) == "crane.msh")


def test_selections_are_gone_back_through_first(gui: GuiTester, archive: Path) -> None:
    gui.open(f"{archive}::rock.msh")
    gui.open(f"{archive}::crane.msh")
    gui.select(1)
    gui.settle()
    back = int(imgui.Key.mod_alt) | int(imgui.Key.left_arrow)
    press(gui, back)
    assert (active(gui), selected(gui)) == ("crane.msh", ())
    press(gui, back)
    gui.until(lambda: active(gui) == "rock.msh")


def test_a_row_that_is_gone_after_a_reload_is_forgotten(gui: GuiTester, tmp_path: Path) -> None:
    path = write_model(tmp_path / "big.msh", big())
    gui.open(path)
    bring_to_front(gui, "tables")
    gui.commands.opening.go_to(Place(Address(path), "indices", 300))
    assert revealed(gui) == Place(Address(path), "indices", 300)
    before = gui.document
    write_model(path, rock())
    gui.commands.opening.reload()
    gui.until(lambda: gui.document is not before)
    gui.settle()
    assert revealed(gui) is None
    assert gui.state.message == ""


def test_playback_is_as_the_user_left_it_after_a_wear_table(gui: GuiTester, archive: Path) -> None:
    crane = f"{archive}::crane.msh"
    gui.open(crane)
    gui.open(f"{archive}::crane.wea")
    gui.open(crane)
    assert gui.state.view.is_playing, "the table, which cannot play, has paused nothing"
    press(gui, int(imgui.Key.space))
    left = gui.state.view
    gui.open(f"{archive}::crane.wea")
    gui.open(crane)
    again = gui.state.view
    assert (again.is_playing, again.time, again.camera) == (False, left.time, left.camera)


def test_a_model_that_cannot_move_pauses_no_other(gui: GuiTester, archive: Path) -> None:
    gui.open(f"{archive}::rock.msh")
    press(gui, CTRL | int(imgui.Key.left_arrow))
    gui.until(lambda: active(gui) == "crane.msh")
    assert gui.state.view.is_playing


def test_the_way_back_from_a_new_tab_leads_to_the_tab_that_it_was_opened_from(
    walker: GuiTester,
) -> None:
    material = bundled_path("assets/game/Material.lib")
    walker.select(3)
    walker.commands.opening.go_to(Place(Address(material, ("WALKER_METAL",)), "phases", 0, "texture"))
    walker.until(lambda: walker.state.resource is not None)
    walker.settle()
    assert len(walker.state.tabs.opened) == 2
    alt = int(imgui.Key.mod_alt)
    press(walker, alt | int(imgui.Key.left_arrow))
    walker.settle()
    assert walker.state.document is not None
    assert walker.state.view.selection.nodes == (3,), "as it was left"
    press(walker, alt | int(imgui.Key.right_arrow))
    walker.settle()
    assert walker.state.resource is not None
    assert walker.state.resource.address.name == "WALKER_METAL"
    assert len(walker.state.tabs.opened) == 2
