"""Parts are tried on a unit in the window: a view of it, which is saved as a new unit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gui.hand import click
from tests.gui.harness import GuiTester
from tests.outfitted_game import WALKER, outfitted_game
from viewer.app.dialogs.dialogs import Dialogs
from viewer.formats import units
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.store.address import Address
from viewer.session.opened.opened_resource import OpenedResource
from viewer.ui.windows.parts_window import sockets_of

pytestmark = pytest.mark.closed("browser", "outline")


def opened(gui: GuiTester) -> OpenedResource:
    assert gui.state.resource is not None
    return gui.state.resource


def settled(gui: GuiTester) -> None:
    gui.until(lambda: not gui.app.jobs.title)
    gui.settle()


def test_parts_are_tried_on_and_saved_as_a_new_unit(
    gui: GuiTester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = outfitted_game(tmp_path / "game") / WALKER
    before = path.read_bytes()
    gui.open(str(path))
    settled(gui)
    gui.run(lambda context: context.menu_click("//##MainMenuBar/###game/###window.parts"))
    gui.frames(2)
    first = opened(gui)
    assert first.sheet is not None
    assert len(first.sheet.parts) == 4

    # The first socket, which is free, then the one of the gun.
    click(gui, "//try_on/**/###part_e_gun_ll_01")
    settled(gui)
    shown = opened(gui)
    assert [it.key for it in shown.tried.added] == ["e_gun_ll_01"]
    assert shown.unit is not None
    assert 4 in shown.unit.documents
    assert shown.sheet is not None
    assert [it.key for it in shown.sheet.weapons] == ["e_gun_tw_01", "e_gun_ll_01"]
    (added,) = shown.tried.added
    gui.app.later(gui.app.control.parts.try_on, shown.tried.with_key(2, "e_gun_tw_02"))
    settled(gui)
    assert path.read_bytes() == before
    assert not gui.state.edits.changed

    new = path.with_name("new.dat")
    monkeypatch.setattr(Dialogs, "choose_new", lambda _self, _title, _name, then, *_others: then(new))
    click(gui, "//try_on/**/###save_unit")
    gui.until(lambda: gui.state.tabs.active.address == Address(new))
    made = units.decode(memoryview(new.read_bytes()))
    keys = [bytes(it).split(b"\0")[0] for it in made.components["key"].tolist()]
    assert keys == [b"walker", b"e_tur_bt_01", b"e_gun_tw_02", b"i_reactor_01", b"e_gun_ll_01"]
    assert made.components["attachment"][4] == added.socket
    assert path.read_bytes() == before


def test_tried_parts_are_taken_back(gui: GuiTester, tmp_path: Path) -> None:
    path = outfitted_game(tmp_path / "game") / WALKER
    gui.open(str(path))
    settled(gui)
    gui.app.later(gui.app.control.parts.try_on, opened(gui).tried.with_key(1, "e_tur_bt_02"))
    settled(gui)
    unit = opened(gui).unit
    assert unit is not None
    assert unit.parts[1].key == "e_tur_bt_02"
    gui.app.later(gui.app.control.parts.take_off)
    settled(gui)
    unit = opened(gui).unit
    assert unit is not None
    assert unit.parts[1].key == "e_tur_bt_01"
    assert not opened(gui).tried


def test_a_part_that_cannot_be_tried_is_said_and_taken_back(gui: GuiTester, tmp_path: Path) -> None:
    gui.open(str(outfitted_game(tmp_path / "game") / WALKER))
    settled(gui)
    gui.app.later(gui.app.control.parts.try_on, opened(gui).tried.with_key(99, "e_gun_tw_02"))
    gui.until(lambda: bool(gui.state.message))
    assert "component 99 does not exist" in gui.state.message
    settled(gui)
    assert not opened(gui).tried


def test_sockets_and_filled_slots_say_what_they_take(gui: GuiTester, tmp_path: Path) -> None:
    gui.open(str(outfitted_game(tmp_path / "game") / WALKER))
    settled(gui)
    resource = opened(gui)
    assert resource.unit is not None
    found = sockets_of(resource.unit, resource.value.components)
    assert [(it.parent, it.tag, it.component) for it in found] == [
        (0, "universal_ll", None),
        (0, "e_tur_bt", 1),
        (1, "e_gun_tw", 2),
        (0, "i_reactor", 3),
    ]
    assert found[-1].node == 0  # a component of the controller of the chassis, no node
    gui.app.later(gui.app.control.parts.try_on, resource.tried.with_key(3, "i_reactor_02"))
    settled(gui)
    assert opened(gui).component_name(3) == resource.component_name(3)
    assert opened(gui).sheet is not None
    unit = opened(gui).unit
    assert unit is not None
    assert sockets_of(unit, resource.value.components) == found


def tried_on(gui: GuiTester, path: Path) -> None:
    """Open a unit and try a turret on it."""
    gui.open(str(path))
    settled(gui)
    gui.app.later(gui.app.control.parts.try_on, opened(gui).tried.with_key(1, "e_tur_bt_02"))
    settled(gui)


def has_turret(gui: GuiTester) -> bool:
    """Whether the unit is shown with the turret that was tried on."""
    resource = opened(gui)
    assert resource.unit is not None
    return bool(resource.tried) and resource.unit.parts[1].key == "e_tur_bt_02"


def test_tried_parts_stay_on_when_the_unit_is_read_again(gui: GuiTester, tmp_path: Path) -> None:
    path = outfitted_game(tmp_path / "game") / WALKER
    tried_on(gui, path)
    before = opened(gui)
    gui.commands.opening.reload()
    settled(gui)
    assert opened(gui) is not before
    assert has_turret(gui)
    assert not gui.state.message

    gui.commands.edits.edit(
        opened(gui).address, (SetField("components", RowChoice("2"), "name", "other gun"),)
    )
    settled(gui)
    assert opened(gui).component_name(2) == "other gun"
    assert has_turret(gui)


def test_tried_parts_stay_on_in_a_tab_that_comes_back(gui: GuiTester, tmp_path: Path) -> None:
    path = outfitted_game(tmp_path / "game") / WALKER
    tried_on(gui, path)
    gui.open(str(path.with_name("outpost.dat")))
    settled(gui)
    assert len(gui.state.tabs.tabs) == 2
    assert not opened(gui).tried
    gui.commands.opening.open_neighbour(1)
    settled(gui)
    gui.commands.opening.activate(gui.state.tabs.tabs[0].identity)
    settled(gui)
    assert has_turret(gui)


def test_parts_tried_on_other_components_are_taken_off_with_words(gui: GuiTester, tmp_path: Path) -> None:
    path = outfitted_game(tmp_path / "game") / WALKER
    tried_on(gui, path)
    gui.commands.edits.edit(
        opened(gui).address, (SetField("components", RowChoice("1"), "key", "e_tur_bt_01x"),)
    )
    settled(gui)
    assert not opened(gui).tried
    unit = opened(gui).unit
    assert unit is not None
    assert unit.parts[1].key == "e_tur_bt_01x"
