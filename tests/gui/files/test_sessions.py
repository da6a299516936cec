"""What was open last time, and what another start of the program opens here."""

from __future__ import annotations

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import sleep
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from tests.builders import archive_of
from tests.gui.conftest import rock
from tests.gui.harness import SIDES, GuiTester
from viewer.app.platform import single_window
from viewer.app.platform import window as platform_window
from viewer.app.platform.single_window import Received, _reached, claimed, hand_over, listening, place_of
from viewer.control.opening import sessions
from viewer.control.opening.loading import StartOptions
from viewer.model.store.address import Address
from viewer.session.opened.tabs import NO_TRAIL, Tab
from viewer.session.selection import Selection

pytestmark = pytest.mark.closed(*SIDES)


def opened(gui: GuiTester) -> list[str]:
    """The addresses of the tabs, in their order."""
    return [*map(str, gui.state.tabs.addresses)]


@pytest.fixture
def stone(tmp_path: Path) -> Path:
    """Another archive."""
    path = tmp_path / "stones.rlb"
    path.write_bytes(archive_of({"stone.msh": rock().build(), "stone.wea": b"1\n0 STONE\n"}))
    return path


def test_what_was_open_is_opened_again_as_it_was_looked_at(
    gui: GuiTester, archive: Path, stone: Path
) -> None:
    addresses = [f"{stone}::stone.wea", f"{archive}::crane.msh", f"{stone}::stone.msh"]
    for address in addresses:
        gui.commands.opening.open(Address.parse(address), in_new_tab=True)
        gui.settle()
    gui.commands.opening.activate(gui.state.tabs.opened[1].identity)
    gui.change(selection=Selection((1,)), lod=1, camera=replace(gui.state.view.camera, yaw=0.75))
    camera = gui.state.view.camera
    settings = gui.state.remembered.with_session(gui.state.tabs)
    for tab in gui.state.tabs.opened:
        gui.commands.closing.close_tab(tab.identity)
    stone.unlink()
    gui.state.set(session=(*settings.session, "gone.rlb"), session_front=settings.session_front)
    gui.state.set(restores_session=True)
    stone.write_bytes(archive_of({"stone.msh": rock().build(), "stone.wea": b"1\n0 STONE\n"}))
    sessions.open_first(gui.state, gui.app.opener)
    gui.settle()
    assert opened(gui) == addresses
    assert str(gui.state.tabs.active.address) == addresses[1]
    view = gui.state.view
    assert (view.selection, view.lod) == (Selection((1,)), 1)
    assert (view.camera.yaw, view.camera.target) == (camera.yaw, camera.target)
    assert "gone.rlb" in gui.state.message
    assert all(tab.trail == NO_TRAIL for tab in gui.state.tabs.opened), "nothing was left yet"


def test_tabs_of_several_paths_are_in_their_order(
    gui: GuiTester, archive: Path, stone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("restore_window", "focus_window", "request_window_attention", "post_empty_event"):
        monkeypatch.setattr(f"viewer.app.platform.window.glfw.{name}", lambda *_ignored: None)
    addresses = [f"{archive}::crane.msh", f"{stone}::stone.wea", f"{archive}::rock.msh"]
    first, *others = (StartOptions(address=Address.parse(it)) for it in addresses)
    received = Received(others)
    shown: Any = SimpleNamespace(_window=None)
    assert first.address is not None
    gui.app.opener.open(first.address)

    def all_open() -> bool:
        platform_window._open_others(gui.app, shown, received)
        return len(gui.state.tabs.opened) == 3

    gui.until(all_open)
    gui.settle()
    assert opened(gui) == addresses
    assert str(gui.state.tabs.active.address) == addresses[-1]


def test_the_tab_of_a_folder_is_opened_again(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    gui.open(archive.parent)
    folder = Address(archive.parent)
    assert [tab.address for tab in gui.state.tabs.opened] == [Address(archive, ("crane.msh",)), folder]
    settings = gui.state.remembered.with_session(gui.state.tabs)
    for tab in gui.state.tabs.opened:
        gui.commands.closing.close_tab(tab.identity)
    gui.state.set(session=settings.session, session_front=settings.session_front, restores_session=True)
    sessions.open_first(gui.state, gui.app.opener)
    gui.settle()
    assert gui.state.tabs.active.address == folder
    assert gui.state.resource is not None
    assert gui.state.resource.is_folder
    gui.commands.opening.open(folder)
    gui.settle()
    assert len(gui.state.tabs.opened) == 2, "what is open comes to the front"


def test_tabs_keep_the_order_of_the_program(gui: GuiTester, archive: Path, stone: Path) -> None:
    for address in (f"{stone}::stone.wea", f"{archive}::crane.msh", f"{stone}::stone.msh"):
        gui.commands.opening.open(Address.parse(address), in_new_tab=True)
        gui.settle()
    first, second, third = gui.state.tabs.opened
    gui.state.show(gui.state.tabs.ordered((third.identity, first.identity, second.identity)))
    gui.frames(4)
    assert gui.state.tabs.opened == (third, first, second)
    late = Tab(document=second.document)
    tabs = gui.state.tabs.with_tab(late)
    gui.state.show(tabs.ordered((late.identity, *(tab.identity for tab in tabs.tabs if tab is not late))))
    gui.frames(4)
    assert gui.state.tabs.opened[0] is late, "ImGui puts a new one at the end"


def test_without_the_wish_a_start_opens_the_sample(gui: GuiTester, archive: Path) -> None:
    gui.state.set(session=(str(archive),))
    sessions.open_first(gui.state, gui.app.opener)
    gui.settle()
    assert [it.rpartition("::")[2] for it in opened(gui)] == ["walker.msh"]


def in_own_view(view: object) -> object:
    """What an option says of the view."""
    return replace(view, samples=1)  # type: ignore[type-var]


def test_another_start_opens_a_tab_here(gui: GuiTester, archive: Path, stone: Path, tmp_path: Path) -> None:
    gui.open(archive)
    given = StartOptions(Address(stone, ("stone.msh",)), {"reading": "field"}, drawn=partial(in_own_view))  # type: ignore[arg-type]
    place = place_of(tmp_path / "settings.json")
    woken: list[None] = []
    received = Received()
    received.wake = lambda: woken.append(None)
    with listening(place, received):
        assert place.stat().st_mode & 0o077 == 0, "only the user can read the key"
        assert hand_over(place, [given])
        for it in received.taken():
            sessions.open_given(gui.state, gui.app.opener, it)
        gui.settle()
        assert woken
    assert [it.rpartition("::")[2] for it in opened(gui)] == ["crane.msh", "stone.msh"]
    assert gui.document.choice.requested == "field"
    assert gui.state.view.samples == 1
    sessions.open_given(gui.state, gui.app.opener, StartOptions(Address.parse(opened(gui)[0])))
    gui.settle()
    assert (len(opened(gui)), gui.state.tabs.position) == (2, 0)
    sessions.open_given(gui.state, gui.app.opener, StartOptions(Address(tmp_path / "none.rlb")))
    gui.settle()
    assert (len(opened(gui)), gui.state.tabs.position) == (2, 0)
    assert "none.rlb" in gui.state.message
    assert not place.exists()


@pytest.mark.parametrize("damage", [b"", b"[]", b'{"address": "nowhere", "key": "zz"}', b'{"address": 1}'])
def test_a_damaged_place_is_nobody(tmp_path: Path, damage: bytes) -> None:
    place = place_of(tmp_path / "settings.json")
    place.write_bytes(damage)
    assert not hand_over(place, [StartOptions()])
    with listening(place, Received()):
        assert hand_over(place, [StartOptions()]), "it is written anew"


def test_a_program_that_starts_is_waited_for(tmp_path: Path) -> None:
    """A file manager starts the program for each file: the first one listens a moment later."""
    place = place_of(tmp_path / "settings.json")
    received = Received([StartOptions(Address.parse("first"))])
    with claimed(place) as is_first, claimed(place) as is_second, ThreadPoolExecutor(3) as pool:
        assert (is_first, is_second) == (True, False)
        names = ("a", "b", "c")
        answers = [pool.submit(hand_over, place, [StartOptions(Address.parse(it))] * 2) for it in names]
        sleep(0.1)
        assert not any(it.done() for it in answers)
        with listening(place, received):
            assert all(it.result() for it in answers)
    assert sorted(str(it.address) for it in received.taken()) == ["a", "a", "b", "b", "c", "c", "first"]
    with claimed(place) as is_first:
        assert is_first, "the former one has ended"


def test_who_reads_the_place_finds_it_whole(tmp_path: Path) -> None:
    place, found = place_of(tmp_path / "settings.json"), {"address": "a" * 4000, "key": "00"}

    def write() -> None:
        for _ in range(200):
            single_window._write(place, found)

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        while not writing.done():
            with suppress(FileNotFoundError):
                assert json.loads(place.read_text()) == found
    assert [it.name for it in place.parent.iterdir()] == [place.name]


def test_a_program_that_never_listens_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(single_window, "PATIENCE", 0.1)
    assert not hand_over(place_of(tmp_path / "settings.json"), [StartOptions()])


def test_a_stranger_without_the_key_opens_nothing(tmp_path: Path) -> None:
    place = place_of(tmp_path / "settings.json")
    received = Received()
    with listening(place, received):
        stored = place.read_text()
        place.write_text(stored.replace(stored.split('"')[-2], "00" * 32))
        assert not hand_over(place, [StartOptions()])
        place.write_text(stored)
        assert hand_over(place, [StartOptions(Address.parse("next"))]), "it still listens"
    assert [str(it.address) for it in received.taken()] == ["next"]


@pytest.mark.parametrize("sent", [pickle.dumps(7), b"cno_such_module\nname\n."])
def test_another_build_that_sends_something_else_is_left_alone(tmp_path: Path, sent: bytes) -> None:
    place = place_of(tmp_path / "settings.json")
    received = Received()
    with listening(place, received):
        with _reached(place) as connection:
            connection.send_bytes(sent)
            with pytest.raises((EOFError, ConnectionError)):
                connection.recv_bytes(1)
        assert hand_over(place, [StartOptions(Address.parse("next"))]), "it still listens"
    assert [str(it.address) for it in received.taken()] == ["next"]


def test_options_reach_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = StartOptions(
        Address.parse("a.rlb::b.msh"), {"wear": Address.parse("c.wea"), "game": Path("game")}
    ).absolute
    copied: StartOptions = pickle.loads(pickle.dumps(given))
    assert str(copied.address) == f"{tmp_path}/a.rlb::b.msh"
    assert copied.given == {"wear": Address.parse(f"{tmp_path}/c.wea"), "game": tmp_path / "game"}
