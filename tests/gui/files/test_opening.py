"""Opening models, and refusing what is none."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import Any

import pytest
from imgui_bundle import imgui
from msgspec.structs import replace

from tests.gui.conftest import rock
from tests.gui.hand import click, press
from tests.gui.harness import STEP, Context, GuiTester, bring_to_front, write_model
from tests.session.opened import retail
from viewer.control import navigation
from viewer.control.opening import loading
from viewer.control.opening.loading import Opened
from viewer.control.settings import settings_file
from viewer.control.state import State
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.play import timeline
from viewer.session.view.camera import Camera
from viewer.session.view.options.shading import Shading
from viewer.ui.context import UiContext
from viewer.ui.panels.entry_view import contents_texts


def test_an_archive_shows_its_first_model_and_its_entries(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    assert str(gui.document.address) == f"{archive}::crane.msh"
    assert gui.state.statistics.triangles == 36
    assert gui.state.view.is_playing
    rows = gui.state.browser.children[Address(archive)]
    assert [row.name for row in rows] == ["crane.msh", "crane.wea", "rock.msh", "broken.msh"]


def test_a_folder_shows_all_in_its_archives(gui: GuiTester, archive: Path) -> None:
    gui.open(archive.parent)
    assert gui.state.resource is not None
    assert gui.state.resource.is_folder
    gui.until(
        lambda: (it := gui.state.overviews.get(Address(archive.parent))) is not None and not it.is_running
    )
    found = gui.state.overviews[Address(archive.parent)].found
    assert found is not None
    assert Address(archive, ("crane.msh",)) in found.addresses
    assert [root.kind for root in gui.state.browser.roots] == ["folder"]
    assert Address(archive.parent) in gui.state.browser.children


def test_all_of_a_model_is_in_view(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    gui.change(overlays=frozenset())
    pixels = gui.picture()
    is_model = (pixels[..., :3].max(axis=-1) > 120).any(axis=0)
    width = len(is_model)
    assert is_model[width // 4 : 3 * width // 4].any()
    assert not is_model[: width // 20].any()
    assert not is_model[-width // 20 :].any()


def test_an_entry_is_found_whatever_its_case_and_named_as_the_browser_does(
    gui: GuiTester, archive: Path
) -> None:
    gui.open(f"{archive}::ROCK.MSH")
    assert gui.document.address == gui.state.browser.current == Address(archive, ("rock.msh",))


def test_the_next_model_is_seen_whole_from_the_direction_of_the_camera(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    before = replace(gui.state.view.camera, yaw=1.25, pitch=-0.25, distance=0.5)
    gui.state.view = replace(gui.state.view, camera=before)
    press(gui, int(imgui.Key.mod_ctrl) | int(imgui.Key.right_arrow))
    gui.until(lambda: str(gui.document.address).endswith("rock.msh"))
    gui.settle()
    camera = gui.state.view.camera
    assert (camera.yaw, camera.pitch) == (before.yaw, before.pitch)
    assert camera.distance > 3.0  # the rock is 3 long
    navigation.restore(gui.state, gui.app.viewport.aspect, keeps_direction=True)
    assert gui.state.view.camera == camera


def test_a_broken_file_shows_its_bytes_and_why_it_cannot_be_read(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    gui.open(f"{archive}::broken.msh")
    resource = gui.state.resource
    assert gui.state.document is None
    assert resource is not None
    assert (resource.address, resource.kind) == (Address(archive, ("broken.msh",)), "msh")
    assert "container.total_size: " in resource.problem
    assert bytes(resource.data) == bytes(gui.app.opener.library.open(resource.address).data)
    assert gui.state.message == ""
    gui.open(archive)
    assert gui.document.address == Address(archive, ("crane.msh",))


def test_a_message_is_closed_by_its_button(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    before = gui.document
    gui.open(f"{archive}::absent.msh")
    assert gui.document is before
    assert "absent.msh" in gui.state.message
    assert "\n" not in gui.state.message
    gui.run(lambda context: context.item_click("//message/###ok"))
    assert gui.state.message == ""


def test_a_missing_file_is_named(gui: GuiTester, tmp_path: Path) -> None:
    gui.open(tmp_path / "nothing.rlb")
    assert gui.state.document is None
    assert "nothing.rlb" in gui.state.message


def test_only_the_model_opened_last_is_shown(gui: GuiTester, archive: Path, tmp_path: Path) -> None:
    alone = write_model(tmp_path / "alone.msh", rock())
    for address in (archive, tmp_path / "nothing.rlb", alone):
        gui.app.opener.open(Address(address))
    gui.until(lambda: not gui.app.jobs.title)
    assert str(gui.document.address) == str(alone)
    assert gui.state.message == ""


def test_dropped_files_are_opened_in_tabs(gui: GuiTester, archive: Path, tmp_path: Path) -> None:
    alone = write_model(tmp_path / "alone.msh", rock())
    gui.app.later(gui.app.control.importing.drop, [str(archive), str(alone)])
    gui.until(lambda: len(gui.state.tabs.opened) == 2)
    assert {str(tab.address) for tab in gui.state.tabs.opened} == {f"{archive}::crane.msh", str(alone)}


def test_dropped_files_that_are_read_in_another_order_keep_their_tabs(
    gui: GuiTester, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The empty tab is taken by the file read first; the one meant for it does not replace that."""
    alone = write_model(tmp_path / "alone.msh", rock())
    gate, read = Event(), loading.read

    def read_late(library: FileStore, address: Address, *rest: Any, **options: Any) -> Opened:
        assert address.path != archive or gate.wait(60)
        return read(library, address, *rest, **options)

    monkeypatch.setattr(loading, "read", read_late)
    gui.app.later(gui.app.control.importing.drop, [str(archive), str(alone)])
    gui.until(lambda: bool(gui.state.tabs.opened))
    assert str(gui.document.address) == str(alone)
    gate.set()
    gui.until(lambda: not gui.app.jobs.title)
    assert [str(tab.address) for tab in gui.state.tabs.tabs] == [str(alone), f"{archive}::crane.msh"]


def test_a_file_name_need_not_be_text(gui: GuiTester, archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "caf\udce9.rlb"
    try:
        path.write_bytes(archive.read_bytes())
    except OSError:
        pytest.skip("the file system takes no such name")
    gui.open(path)
    assert str(gui.document.address) == f"{path}::crane.msh"
    gui.commands.window.copy_text(str(gui.document.address))
    assert imgui.get_clipboard_text() == f"{tmp_path}/cafй.rlb::crane.msh"
    gui.app.save_settings()
    assert [*map(str, settings_file.load(tmp_path / "settings.json").recent)] == [str(path)]


def test_reloading_shows_what_is_on_disk_and_keeps_the_view(gui: GuiTester, tmp_path: Path) -> None:
    path = write_model(tmp_path / "alone.msh", rock())
    gui.open(path)
    gui.select(0)
    before, camera = gui.document, gui.state.view.camera
    changed = rock()
    changed.positions *= 2
    write_model(path, changed)
    press(gui, imgui.Key.f5)
    gui.until(lambda: gui.document is not before)
    assert float(gui.document.model.positions.max()) == 3.0
    assert gui.state.view.camera == camera
    assert gui.state.view.selection.nodes == (0,)


def test_a_reading_is_used_and_remembered_for_its_archive(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    gui.app.opener.use_reading("field")
    gui.until(lambda: gui.document.choice.requested == "field")
    assert gui.state.settings.readings == {str(archive): "field"}
    gui.open(f"{archive}::rock.msh")
    assert gui.document.choice.requested == "field"


def test_the_sample_is_shown_but_not_remembered(gui: GuiTester) -> None:
    gui.commands.opening.open_sample()
    gui.until(lambda: gui.state.document is not None)
    assert gui.document.label(0)
    assert gui.state.settings.recent == ()


def test_settings_are_there_at_the_next_start(gui: GuiTester, archive: Path, tmp_path: Path) -> None:
    gui.open(archive)
    press(gui, imgui.Key.m)
    gui.app.save_settings()
    stored = settings_file.load(tmp_path / "settings.json")
    assert [*map(str, stored.recent)] == [str(archive)]
    assert stored.first_view().shading is Shading.LIT
    assert "[Window][viewport]" in stored.layout


def test_a_loose_file_keeps_the_browser_and_a_root_is_removed_from_its_menu(
    gui: GuiTester, archive: Path, tmp_path: Path
) -> None:
    loose = write_model(tmp_path / "loose.msh", rock())
    gui.open(archive)
    gui.open(loose)
    assert [str(root.address) for root in gui.state.browser.roots] == [str(archive), str(loose)]
    assert str(gui.state.browser.current) == str(loose)

    def remove(context: Context) -> None:
        context.item_click("//browser/**/###entry0", imgui.MouseButton_.right)
        context.item_click("//$FOCUSED/###close_root")

    gui.run(remove)
    assert [str(root.address) for root in gui.state.browser.roots] == [str(loose)]
    assert str(gui.document.address) == str(loose), "tabs stay"


def test_a_folder_shows_what_it_contains(gui: GuiTester, tmp_path: Path) -> None:
    for name, data in retail.files().items():
        path = tmp_path / "install" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    root = tmp_path / "install"
    gui.open(root)
    gui.until(lambda: Address(root) in gui.state.browser.contents)
    assert gui.state.tabs.active.address == Address(root)
    texts = contents_texts(gui.state.browser.contents[Address(root)])
    assert texts[:4] == ["2 models", "1 unit", "1 map", "3 textures"]
    assert contents_texts(gui.state.browser.contents[Address(root / "fortif.rlb")])[-1] == "3 others"


def test_no_frame_after_an_open_shows_a_model_that_is_not_whole(
    gui: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From its first picture on it has its textures, the framing that stays, and its numbers."""
    arriving: list[bool] = []
    drawn_whole: list[int] = []
    drawn: list[tuple[bool, Camera]] = []
    draw_panels, draw_scene = gui.app.shell.draw, gui.app.images.scene.draw

    def panels(frame: UiContext, **options: bool) -> None:
        arriving.append(frame.state.is_arriving)
        if frame.document is not None and not frame.state.is_arriving:
            drawn_whole.append(frame.state.statistics.draws)
        draw_panels(frame, **options)

    def scene() -> None:
        if gui.state.document is not None:
            drawn.append((gui.app.images.scene._feed.is_waiting, gui.state.view.camera))
        draw_scene()

    monkeypatch.setattr(gui.app.shell, "draw", panels)
    monkeypatch.setattr(gui.app.images.scene, "draw", scene)
    gui.commands.opening.open_sample()
    gui.until(lambda: gui.state.document is not None)
    gui.settle()
    assert any(arriving)
    assert drawn_whole
    assert all(drawn_whole), "no frame says 0 draws"
    assert {camera for _, camera in drawn} == {gui.state.view.camera}, "it is framed once, before it is drawn"
    assert not drawn[0][0], "all textures are there"
    assert not gui.app.images.scene.renderer.is_fading


def test_nothing_changes_while_panels_draw(
    gui: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What panels do to the state is done after all of them have drawn."""
    gui.open(archive)
    drawing, changed = [False], list[str]()
    draw, assign = gui.app.shell.draw, State.__setattr__

    def panels(frame: UiContext, **options: bool) -> None:
        drawing[0] = True
        draw(frame, **options)
        drawing[0] = False

    def note(state: State, name: str, value: object) -> None:
        if drawing[0]:
            changed.append(name)
        assign(state, name, value)

    monkeypatch.setattr(gui.app.shell, "draw", panels)
    monkeypatch.setattr(State, "__setattr__", note)
    click(gui, "//outline/**/###eye2")
    for panel in ("tables", "materials", "problems", "search", "log", "timeline", "inspector", "browser"):
        bring_to_front(gui, panel)
    gui.commands.panels.show_settings()
    press(gui, imgui.Key.space)
    assert gui.state.view.hidden == {2, 3}
    assert changed == []


def test_time_begins_with_the_first_whole_picture(gui: GuiTester, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(gui.app.images.scene, "get_ready", lambda: False)
        gui.commands.opening.open_sample()
        gui.until(lambda: gui.state.document is not None)
        gui.frames(30)
        assert gui.state.is_animated
        assert gui.app.arrival.is_pending
        assert timeline.now(gui.state.view) == 0.0
    gui.until(lambda: not gui.app.arrival.is_pending)
    first = timeline.now(gui.state.view)
    gui.frames(2)
    assert first <= STEP
    assert first < timeline.now(gui.state.view) <= first + 2.5 * STEP * gui.state.view.speed
