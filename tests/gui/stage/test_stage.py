"""What is no model in the middle of the window: its pages, and the links in them."""

from __future__ import annotations

from pathlib import Path
from time import sleep
from typing import Any

import pytest
from imgui_bundle import imgui

from tests.broken import games, sound_game
from tests.gui.hand import click, drag, press
from tests.gui.harness import Context, GuiTester, exists, in_stage
from viewer.formats import mat0
from viewer.formats.mat0 import PhaseRecord
from viewer.model.kinds.entry_kinds import entry_kind
from viewer.model.material.materials import Material
from viewer.model.store.address import Address
from viewer.model.store.item import Container
from viewer.model.store.place import Place
from viewer.resources import bundled_path
from viewer.session.jobs import USERS_LANE
from viewer.session.play.timeline import material_time
from viewer.ui.stage import archive_view

pytestmark = pytest.mark.closed("browser", "outline")


@pytest.fixture
def game(tmp_path: Path) -> Path:
    return sound_game.write(tmp_path)


def open_in(gui: GuiTester, game: Path, address: str) -> None:
    gui.open(f"{game}/{address}")
    assert gui.state.message == ""
    gui.settle()


def follow(gui: GuiTester, item: str) -> str:
    """Click a link, and return the address of what is shown then, without its folder."""
    click(gui, in_stage(item))
    gui.until(lambda: not gui.app.jobs.title)
    gui.settle()
    return Path(str(gui.state.tabs.active.address)).name


def test_a_row_of_the_registry_leads_to_model_wear_table_and_archive(gui: GuiTester, game: Path) -> None:
    open_in(gui, game, "objects.rlb::tree")
    assert follow(gui, "**/###to_resource1") == "static.rlb::tree.wea"
    assert exists(gui, in_stage("**/###wear"))
    open_in(gui, game, "objects.rlb::tree")
    assert follow(gui, "**/###to_resource0") == "static.rlb::tree.msh"


def test_an_archive_lists_its_entries_as_links(
    gui: GuiTester, game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gui.commands.opening.go_to(Place(Address.parse(f"{game}/objects.rlb"), "directory", 1))
    gui.until(lambda: not gui.app.jobs.title)
    asked: list[int] = []

    def counting(container: Container, row: int) -> str:
        asked.append(row)
        return entry_kind(container, row)

    monkeypatch.setattr(archive_view, "entry_kind", counting)
    gui.settle()
    assert len(asked) == len(set(asked))
    assert follow(gui, "**/###entry1") == "objects.rlb::oak"


def test_a_wear_row_leads_to_its_material_and_a_phase_to_its_texture(gui: GuiTester, game: Path) -> None:
    open_in(gui, game, "static.rlb::tree.wea")
    assert follow(gui, "**/###to_name") == "Material.lib::DEFAULT"
    gui.commands.opening.go_to(Place(Address.parse(f"{game}/Material.lib::DEFAULT"), "phases", 0, "texture"))
    gui.settle()
    assert follow(gui, "**/###to_texture0") == "Textures.lib::STONE.0"


def test_the_table_of_a_model_leads_to_the_model(gui: GuiTester, game: Path) -> None:
    open_in(gui, game, "static.rlb::tree.wea")
    assert follow(gui, "**/###model") == "static.rlb::tree.msh"


def test_a_command_of_an_effect_leads_to_its_sound(gui: GuiTester, game: Path) -> None:
    open_in(gui, game, "effects.rlb::blast")
    assert follow(gui, "**/###to_resource") == "sounds.lib::boom.wav"


def test_a_command_unfolds_to_all_its_fields(gui: GuiTester, game: Path) -> None:
    open_in(gui, game, "effects.rlb::blast")
    click(gui, in_stage("**/###fold0"))
    gui.commands.opening.go_to(Place(Address.parse(f"{game}/effects.rlb::blast"), "commands", 0, "archive"))
    gui.settle()
    assert follow(gui, "**/###to_archive") == "sounds.lib"


def test_a_component_of_a_unit_leads_to_its_object_and_its_model(gui: GuiTester, game: Path) -> None:
    open_in(gui, game, "UNITS/tree.dat")
    assert follow(gui, "**/###to_key0") == "objects.rlb::oak"
    open_in(gui, game, "UNITS/tree.dat")
    assert follow(gui, "**/###model0") == "static.rlb::tree.msh"


def test_a_part_of_a_unit_leads_to_the_socket_that_it_hangs_on(gui: GuiTester) -> None:
    open_in(gui, bundled_path("assets/game"), "UNITS/UNITS/SAMPLE/walker.dat")
    assert not exists(gui, in_stage("**/###node0"))
    assert not exists(gui, in_stage("**/###node3")), "an internal part has a slot, no node"
    assert follow(gui, "**/###node1") == "models.rlb::walker.msh"
    assert gui.state.view.selection.node == gui.document.names.index("Base_TM")


def test_a_name_that_leads_nowhere_is_no_link(gui: GuiTester, game: Path) -> None:
    (game / "static.rlb").unlink()
    open_in(gui, game, "objects.rlb::tree")
    assert not exists(gui, in_stage("**/###to_resource0"))


def test_ctrl_opens_a_link_in_another_tab(gui: GuiTester, game: Path) -> None:
    open_in(gui, game, "objects.rlb::tree")
    count = len(gui.state.tabs.tabs)

    def script(context: Context) -> None:
        context.key_down(int(imgui.Key.mod_ctrl))
        context.item_click(in_stage("**/###to_resource1"))
        context.key_up(int(imgui.Key.mod_ctrl))

    gui.run(script)
    gui.until(lambda: len(gui.state.tabs.tabs) == count + 1)


def test_the_middle_button_opens_a_link_in_another_tab(gui: GuiTester, game: Path) -> None:
    open_in(gui, game, "objects.rlb::tree")
    count = len(gui.state.tabs.tabs)

    def script(context: Context) -> None:
        context.item_click(in_stage("**/###to_resource1"), imgui.MouseButton_.middle)

    gui.run(script)
    gui.until(lambda: len(gui.state.tabs.tabs) == count + 1)


def test_a_place_in_a_table_is_shown_in_the_view_of_its_kind(gui: GuiTester, game: Path) -> None:
    gui.commands.opening.go_to(Place(Address.parse(f"{game}/static.rlb::tree.wea"), "materials", 0))
    gui.until(lambda: not gui.app.jobs.title)
    gui.settle()
    assert exists(gui, in_stage("**/###texture0"))
    gui.commands.opening.go_to(
        Place(Address.parse(f"{game}/static.rlb::tree.wea"), "material_count", None, "count")
    )
    gui.settle()
    assert not exists(gui, in_stage("**/###texture0"))


def test_text_is_shown_wrapped_and_copied(gui: GuiTester, game: Path) -> None:
    (game / "readme.txt").write_bytes("Дым".encode("cp1251") + b" word" * 400)
    open_in(gui, game, "readme.txt")
    copied: list[str] = []

    def script(context: Context) -> None:
        context.item_click(in_stage("**/###copy_text"))
        context.yield_(2)
        copied.append(imgui.get_clipboard_text())

    gui.run(script)
    assert copied == ["Дым" + " word" * 400]
    click(gui, in_stage("**/###wrap"))


def users_of(gui: GuiTester) -> list[str]:
    """The addresses of those that refer to what the active tab shows, once they are found."""
    (address,) = gui.state.tabs.addresses
    gui.until(lambda: not gui.app.control.users.find(address).is_searching)
    found = gui.app.control.users.find(address).found
    assert found is not None
    gui.settle()
    return [Path(str(user.place.address)).name for user in found.users]


def test_the_users_of_a_texture_are_listed_as_links(gui: GuiTester, game: Path) -> None:
    open_in(gui, game, "Textures.lib::STONE.0")
    click(gui, in_stage("**/###users"))
    assert users_of(gui) == ["Material.lib::DEFAULT"]
    assert follow(gui, "**/###user0") == "Material.lib::DEFAULT"
    assert gui.state.reveal == Place(Address.parse(f"{game}/Material.lib::DEFAULT"), "phases", 0, "texture")


def test_nothing_is_searched_before_somebody_wants_to_know(gui: GuiTester, game: Path) -> None:
    open_in(gui, game, "Textures.lib::STONE.0")
    assert gui.app.control.users._found == {}


def test_the_users_of_a_model_are_in_the_inspector(gui: GuiTester, game: Path) -> None:
    open_in(gui, game, "static.rlb::tree.msh")
    click(gui, "//inspector/###used_by")
    assert users_of(gui) == ["objects.rlb::tree", "objects.rlb::turner", "objects.rlb::oak", "tree.dat"]
    click(gui, "//inspector/**/###user3")
    gui.until(lambda: gui.state.resource is not None)
    assert str(gui.state.tabs.active.address) == f"{game}/UNITS/tree.dat"


def test_users_are_searched_again_on_request_and_after_a_reload(gui: GuiTester, game: Path) -> None:
    open_in(gui, game, "Textures.lib::STONE.0")
    click(gui, in_stage("**/###users"))
    assert users_of(gui) == ["Material.lib::DEFAULT"]
    (game / "Material.lib").unlink()
    click(gui, in_stage("**/###find_users"))
    assert users_of(gui) == []
    assert exists(gui, in_stage("**/###find_users"))


def test_a_cancelled_search_says_so(gui: GuiTester, game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*given: Any) -> None:
        while True:
            given[-1].check()
            sleep(0.001)

    monkeypatch.setattr(gui.app.control.users._search, "find", endless)
    open_in(gui, game, "Textures.lib::STONE.0")
    click(gui, in_stage("**/###users"))
    (address,) = gui.state.tabs.addresses
    gui.until(lambda: any(job.lane.startswith(USERS_LANE) for job in gui.app.jobs.running))
    click(gui, in_stage("**/###cancel_users"))
    gui.until(lambda: not gui.app.control.users.find(address).is_searching)
    assert gui.app.control.users.find(address).problem == "cancelled"


BLINK = mat0.build(
    [PhaseRecord(ambient=color, diffuse=(0, 0, 0)) for color in ((255, 0, 0), (0, 0, 255))],
    [mat0.block(0, 0, [(0, 200), (1, 500)])],
)


@pytest.fixture
def blinking(game: Path) -> Path:
    (game / "Material.lib").write_bytes(games.archive(games.MAT0, {"BLINK": BLINK}, mat0.VERSION))
    return game


def is_on_screen(gui: GuiTester, color: tuple[int, int, int]) -> bool:
    gui.frames(1)
    return color in gui.colors()


def test_a_material_is_drawn_and_plays_its_phases(gui: GuiTester, blinking: Path) -> None:
    open_in(gui, blinking, "Material.lib::BLINK")
    seen = set()
    for _ in range(60):
        gui.frames(1, 1 / 30)
        seen.add(gui.state.view.materials.state(0, shown(gui), material_time(gui.state.view)).phase)
    assert seen == {0, 1}
    click(gui, in_stage("**/###play"))
    assert not gui.state.view.is_playing
    click(gui, in_stage("**/###next_phase"))
    first = (255, 0, 0), (0, 0, 255)
    frozen = gui.state.view.materials.still[0].key
    gui.until(lambda: is_on_screen(gui, first[frozen]))
    click(gui, in_stage("**/###next_phase"))
    gui.until(lambda: is_on_screen(gui, first[1 - frozen]))


def test_space_pauses_a_material_and_plays_it_again(gui: GuiTester, blinking: Path) -> None:
    open_in(gui, blinking, "Material.lib::BLINK")
    for is_playing in (False, True):
        press(gui, imgui.Key.space)
        assert gui.state.view.is_playing == is_playing


def shown(gui: GuiTester) -> Material:
    assert gui.state.resource is not None
    assert gui.state.resource.material is not None
    return gui.state.resource.material


def test_dragging_turns_the_ball(gui: GuiTester, game: Path) -> None:
    open_in(gui, game, "Material.lib::DEFAULT")
    gui.until(lambda: gui.app.images.materials._drawn is not None and not gui.app.jobs.is_busy)
    before = gui.app.images.materials._drawn

    drag(gui, in_stage("**/ball"), by=(40, 10))
    after = gui.app.images.materials._drawn
    assert before is not None
    assert after is not None
    assert after.yaw == pytest.approx(before.yaw + 0.4, abs=0.1)
    assert after.pitch > before.pitch


def test_a_material_of_a_closed_tab_is_not_drawn(gui: GuiTester, game: Path) -> None:
    open_in(gui, game, "Material.lib::DEFAULT")
    open_in(gui, game, "Textures.lib::STONE.0")
    gui.settle()
    assert gui.app.images.materials._requested is None
    assert not gui.app.images.materials.has_work
