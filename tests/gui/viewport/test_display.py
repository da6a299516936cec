"""The light of the display panel and of the menu: what is chosen is drawn, and lasts.

What the window holds after it has shown many different files: every cache has its bound.

Names of nodes over the image, and at sockets what they take.

Shading modes that have nothing to show say so, and those with colors explain them.
"""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import imgui

from tests import game_folders, skies
from tests.builders import Key, ModelBuilder, Node, archive_of, box, quad
from tests.gui.hand import click, press
from tests.gui.harness import Context, GuiTester, bring_to_front, exists, write_model
from tests.gui.window.test_language import recorded
from viewer.app import scene_renderer
from viewer.app.images import textures
from viewer.formats import wear
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.formats.texture.texm import Texture
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import FIELD
from viewer.model.mesh.shown import CellRule
from viewer.model.store import file_store
from viewer.model.store.address import Address
from viewer.session.opened import browser
from viewer.session.opened.document import Document
from viewer.session.view.coloring import GROUPED
from viewer.session.view.options.drawn_parts import DrawnParts
from viewer.session.view.options.lighting import GAME_DAY, Lighting, LightKind, Look
from viewer.session.view.options.shading import Shading
from viewer.session.view.options.triangle_lab import TriangleLab
from viewer.session.view.view_state import ViewState
from viewer.ui.actions.action_table import ACTIONS
from viewer.ui.viewport.obstacles import shading_obstacle, shading_obstacle_of

pytestmark = pytest.mark.closed("browser")

SECTION = "//display/light/"
MENU = "//##MainMenuBar/view/view.light/"


@pytest.fixture
def shown(gui: GuiTester, tmp_path: Path) -> GuiTester:
    """A box in a skin, and the display panel."""
    folder = game_folders.write(tmp_path)
    (folder / "a.wea").write_bytes(wear.build([b"SKIN"]))
    gui.open(write_model(folder / "a.msh", ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})])))
    bring_to_front(gui, "display")
    return gui


def test_the_look_changes_the_picture(shown: GuiTester) -> None:
    before = shown.picture()
    click(shown, f"{SECTION}###plain")
    assert shown.state.view.lighting == Lighting(Look.PLAIN)
    shown.settle()
    assert (shown.picture() != before).any()
    click(shown, f"{SECTION}###game")
    assert shown.state.view.lighting == Lighting()


def test_scene_and_lights_belong_to_the_look_of_the_game(shown: GuiTester) -> None:
    for button, scene in (("game_day", GAME_DAY), ("default", None)):
        click(shown, f"{SECTION}###{button}")
        assert shown.state.view.lighting.scene == scene
    click(shown, f"{SECTION}###light_head")
    assert shown.state.view.lighting.kind is LightKind.HEAD
    click(shown, f"{SECTION}###lights")
    assert not shown.state.view.lighting.has_lights
    click(shown, f"{SECTION}###light_game")
    assert shown.state.view.lighting.kind is LightKind.HEAD, "without lights it is disabled"
    click(shown, f"{SECTION}###plain")
    click(shown, f"{SECTION}###lights")
    assert shown.state.view.lighting == Lighting(Look.PLAIN, has_lights=False, kind=LightKind.HEAD)


def test_the_scene_is_typed_or_dragged_and_saved(shown: GuiTester) -> None:
    shown.run(lambda context: context.item_input_value(f"{SECTION}###scene", 0.75))
    assert shown.state.view.lighting.scene == pytest.approx(0.75)
    assert shown.app.remembered.settings.view.lighting == shown.state.view.lighting


def test_the_menu_and_a_key_have_the_same(shown: GuiTester) -> None:
    shown.run(lambda context: context.menu_click(f"{MENU}view.light.scene_game_day"))
    assert shown.state.view.lighting == Lighting(scene=GAME_DAY)
    for look in (Look.PLAIN, Look.GAME):
        press(shown, int(imgui.Key.mod_shift) | int(imgui.Key.l))
        assert shown.state.view.lighting.look is look


def with_skies(folder: Path, *missions: str) -> None:
    """Skies in the folders of missions, whose clocks start at 6:30."""
    for mission in missions:
        (folder / "Missions" / mission).mkdir(parents=True)
        (folder / "Missions" / mission / "SKY.SKE").write_bytes(skies.SKY)


def is_greyed(gui: GuiTester, item: str) -> bool:
    found: list[bool] = []
    gui.run(lambda context: found.append(not takes_clicks(context, item)))
    return found[0]


def test_the_sky_is_grey_without_a_sky_in_the_game_folder(shown: GuiTester) -> None:
    assert is_greyed(shown, f"{SECTION}###light_sky")
    assert "no mission of" in shown.app.lookups.skies().problem


def test_the_skies_of_the_missions_are_offered(gui: GuiTester, tmp_path: Path) -> None:
    """The first is used by a click on *sky*, another is chosen in the list at the same hour."""
    folder = game_folders.write(tmp_path)
    with_skies(folder, "M1", "CAMPAIGN/M2")
    (folder / "Missions" / "M1" / "data.tma").write_bytes(b"no sky")
    gui.open(write_model(folder / "a.msh", ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})])))
    bring_to_front(gui, "display")
    gui.until(lambda: len(gui.app.lookups.skies().addresses) == 2)
    gui.settle()
    click(gui, f"{SECTION}###light_sky")
    gui.settle()
    sky = gui.state.view.lighting.sky
    assert sky is not None
    assert (gui.state.view.lighting.kind, sky.hour) == (LightKind.SKY, 6.5)
    assert Path(sky.name).parent.name == "M2", "CAMPAIGN is before M1"
    gui.run(lambda context: context.item_input_value(f"{SECTION}###hour", 12.0))
    click(gui, f"{SECTION}###sky", "//$FOCUSED/###sky1")
    gui.settle()
    other = gui.state.view.lighting.sky
    assert other is not None
    assert Path(other.name).parent.name == "M1"
    for switch in ("fog", "dome"):
        before = gui.picture()
        click(gui, f"{SECTION}###{switch}")
        gui.settle()
        assert getattr(gui.state.view.lighting, f"has_{switch}")
        assert (gui.picture() != before).any()
    click(gui, f"{SECTION}###light_game")
    assert gui.state.view.lighting.kind is LightKind.GAME


def test_the_menu_has_the_sky_too(gui: GuiTester, tmp_path: Path) -> None:
    folder = game_folders.write(tmp_path)
    gui.open(write_model(folder / "a.msh", ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})])))
    actions = {it.id: it for it in ACTIONS}

    def reason(name: str) -> str:
        return actions[f"view.light.{name}"].reason(gui.app.panel_context())

    gui.until(lambda: "no mission of" in reason("sky"))
    assert "not that of a sky" in reason("fog")
    with_skies(tmp_path / "other", "M1")
    gui.app.control.skies.use(Address(tmp_path / "other/Missions/M1/SKY.SKE"))
    assert (reason("sky"), reason("fog"), reason("dome")) == ("", "", "")
    for name, field in (("fog", "has_fog"), ("dome", "has_dome")):
        gui.run(lambda context, name=name: context.menu_click(f"{MENU}view.light.{name}"))  # type: ignore[misc]
        assert getattr(gui.state.view.lighting, field), name
    for kind in (LightKind.GAME, LightKind.SKY):
        gui.run(lambda context: context.menu_click(f"{MENU}view.light.sky"))
        assert gui.state.view.lighting.kind is kind


def test_a_sky_that_is_open_is_offered(shown: GuiTester, tmp_path: Path) -> None:
    path = tmp_path / "evening.ske"
    path.write_bytes(skies.SKY)
    model = shown.state.tabs.active.identity
    shown.app.later(shown.app.control.opening.open, Address(path), in_new_tab=True)
    shown.until(lambda: shown.state.resource is not None)
    shown.app.later(shown.app.control.opening.activate, model)
    shown.settle()
    assert not is_greyed(shown, f"{SECTION}###light_sky")
    click(shown, f"{SECTION}###light_sky")
    shown.settle()
    sky = shown.state.view.lighting.sky
    assert sky is not None
    assert sky.name == str(path)


FILES = 24
BOUND = 4


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Archives with a model and a texture each, all different; the caches hold less than all of them."""
    monkeypatch.setattr(file_store, "MOST_FILES", BOUND)
    monkeypatch.setattr(browser, "MOST_ROOTS", BOUND)
    monkeypatch.setattr(textures, "CAPACITY", 2 << 20)
    paths = []
    for number in range(FILES):
        model = ModelBuilder.of([Node("box", shapes={(0, 0): [box((1 + number, 1, 1))]})]).build()
        texture = texm.build(np.full((16, 16, 4), number * 8, np.uint8), PixelFormat.RGB888)
        path = tmp_path / f"{number}.rlb"
        path.write_bytes(archive_of({"a.msh": model, "a.0": texture}))
        paths.append(path)
    return paths


def held(kind: type) -> int:
    """How many objects of a class exist."""
    gc.collect()
    return sum(type(it) is kind for it in gc.get_objects())


@pytest.fixture
def seen(files: list[Path], request: pytest.FixtureRequest) -> GuiTester:
    """The application after it has shown every model and every texture."""
    gui: GuiTester = request.getfixturevalue("gui")
    for path in files:
        gui.open(path)
        gui.open(f"{path}::a.0")
    return gui


def test_only_the_files_shown_last_are_held(seen: GuiTester) -> None:
    library, tabs = seen.app.opener.library, len(seen.state.tabs.tabs)
    assert len(library._files) <= BOUND
    assert len(seen.state.browser.roots) <= BOUND
    assert len(seen.state.browser.children) <= BOUND
    assert held(Document) <= scene_renderer.MOST_MODELS + tabs
    assert held(Model) <= scene_renderer.MOST_MODELS + tabs + BOUND
    assert held(Texture) <= tabs + BOUND


def test_textures_of_the_panels_keep_to_their_share_of_the_graphics_card(seen: GuiTester) -> None:
    seen.settle()
    assert seen.app.images.gallery._shelf.size <= textures.CAPACITY + max(
        texture.width * texture.height * 4 for texture in seen.app.images.gallery._shelf._textures.values()
    )
    assert not seen.app.images.gallery._asked
    assert not seen.app.images.gallery._decoded


def mount() -> ModelBuilder:
    """A body with two sockets, one of which says what it takes."""
    builder = ModelBuilder.of(
        [
            Node("body", shapes={(0, 0): [box((4, 4, 4))]}),
            Node("Base_TM", parent=0, keys=[Key(position=(0, 0, 2))]),
            Node("Base_CL", parent=0, keys=[Key(position=(0, 0, -2))]),
        ],
        FIELD,
    )
    builder.names = [b"", b"e_tur_bt", b""]
    return builder


def press_key(gui: GuiTester, key: imgui.Key) -> None:
    """Press a key with Shift."""
    press(gui, int(imgui.Key.mod_shift) | int(key))


def test_sockets_say_what_they_take(
    gui: GuiTester, tmp_path: Path, written: dict[str, tuple[float, float]]
) -> None:
    gui.open(write_model(tmp_path / "mount.msh", mount()))
    assert written == {}
    press_key(gui, imgui.Key.s)
    assert {*written} == {"Base_TM\nsocket tag e_tur_bt", "Base_CL"}
    assert written["Base_TM\nsocket tag e_tur_bt"][1] < written["Base_CL"][1]
    gui.change(hidden=frozenset({2}))
    assert {*written} == {"Base_TM\nsocket tag e_tur_bt"}


def test_names_are_at_their_nodes_and_sockets_are_written_once(
    gui: GuiTester, tmp_path: Path, written: dict[str, tuple[float, float]]
) -> None:
    gui.open(write_model(tmp_path / "mount.msh", mount()))
    press_key(gui, imgui.Key.n)
    assert {*written} == {"body", "Base_TM", "Base_CL"}
    click(gui, "//##toolbar/###sockets")
    assert {*written} == {"body", "Base_TM\nsocket tag e_tur_bt", "Base_CL"}
    gui.change(isolated=frozenset({0}))
    assert {*written} == {"body"}


def test_the_inspector_and_the_outline_say_what_a_socket_takes(
    gui: GuiTester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gui.open(write_model(tmp_path / "mount.msh", mount()))
    with recorded(monkeypatch) as drawn:
        gui.select(2)
        assert "socket tag" not in drawn
        gui.select(1)
        assert {"socket tag", "e_tur_bt"} <= drawn
    assert any("Base_TM   tag e_tur_bt" in words for words in drawn)


UNAVAILABLE = (Shading.LIGHTMAP, Shading.STREAM18)
SHADING_MENU = "//##MainMenuBar/view/view.shading"


def takes_clicks(context: Context, item: str) -> bool:
    """Tell whether a visible item is enabled."""
    return not int(context.item_info(item).item_flags) & int(imgui.ItemFlags_.disabled)


def test_the_reason_is_that_of_the_model(crane: GuiTester) -> None:
    frame = crane.app.panel_context()
    assert shading_obstacle(frame, Shading.LIGHTMAP) == "no material of this model has a lightmap"
    assert shading_obstacle(frame, Shading.STREAM18) == "this model has no stream 18 (Res18)"
    assert shading_obstacle(frame, Shading.FLAG) == ""
    view = ViewState(shading=Shading.LIGHTMAP)
    assert shading_obstacle_of(crane.document, view) == "no material of this model has a lightmap"
    assert shading_obstacle_of(None, view) == ""


def test_actions_tell_why_they_cannot_run(crane: GuiTester) -> None:
    frame = crane.app.panel_context()
    reasons = {action.id: action.reason(frame) for action in ACTIONS}
    assert reasons["view.shading.lightmap"] == "no material of this model has a lightmap"
    assert reasons["view.shading.lit"] == ""


@pytest.mark.parametrize("shading", UNAVAILABLE)
def test_a_shading_without_anything_to_show_is_gray_everywhere(crane: GuiTester, shading: Shading) -> None:
    found: list[bool] = []

    def look(context: Context) -> None:
        context.item_click("//##toolbar/##shading")
        found.extend(takes_clicks(context, f"//$FOCUSED/{name}") for name in (shading.value, "lit"))
        context.key_press(imgui.Key.escape)
        context.menu_click(SHADING_MENU)
        found.append(takes_clicks(context, f"//###Menu_01/###view.shading.{shading.value}"))
        context.key_press(imgui.Key.escape)
        context.key_press(imgui.Key.escape)
        context.key_press(imgui.Key.f1)
        context.yield_(2)
        context.key_chars("shading")
        context.yield_(2)
        found.append(takes_clicks(context, f"//keys/**/###view.shading.{shading.value}"))

    crane.run(look)
    assert found == [False, True, False, False]


def test_the_next_shading_is_one_that_shows_something(crane: GuiTester) -> None:
    seen = []
    for _ in range(len(Shading)):
        press(crane, imgui.Key.m)
        seen.append(crane.state.view.shading)
    assert not set(seen) & set(UNAVAILABLE)
    shows = {it for it in Shading if not shading_obstacle(crane.app.panel_context(), it)}
    assert set(seen) == shows


def test_a_shading_that_shows_nothing_of_another_model_says_so(crane: GuiTester) -> None:
    crane.change(shading=Shading.LIGHTMAP)
    assert exists(crane, "//##message/###accept")
    click(crane, "//##message/###accept")
    assert crane.state.view.shading is Shading.TEXTURED


def test_a_color_is_clicked_to_select_what_has_it(crane: GuiTester) -> None:
    crane.change(shading=Shading.NODE)
    click(crane, "//##legend/**/###group1")
    assert crane.state.view.selection.nodes == (1,)
    crane.change(shading=Shading.BATCH)
    click(crane, "//##legend/**/###group2")
    assert (crane.state.view.selection.node, crane.state.view.selection.batch) == (1, 2)


def test_a_legend_is_there_for_colors_by_group_and_for_nothing_else(crane: GuiTester) -> None:
    for shading in Shading:
        crane.change(shading=shading)
        crane.settle()
        window = imgui.internal.find_window_by_name("##legend")
        assert (window is not None and window.was_active) == (shading in GROUPED), shading


def test_marked_triangles_have_a_legend_that_ends_the_mark(crane: GuiTester) -> None:
    crane.change(lab=TriangleLab(is_marked=True))
    crane.settle()
    window = imgui.internal.find_window_by_name("##legend")
    assert window is not None
    assert window.was_active
    count = crane.document.shown(crane.state.view).triangle_count
    assert crane.app.shell._stage._legend._marked._value == f"{count} triangles pass"
    click(crane, "//##legend/###end_mark")
    crane.settle()
    assert not crane.state.view.lab.is_marked
    window = imgui.internal.find_window_by_name("##legend")
    assert window is None or not window.was_active


def test_a_color_that_the_pointer_rests_on_flashes(crane: GuiTester) -> None:
    crane.change(shading=Shading.NODE)
    seen: list[frozenset[int]] = []

    def point(context: Context) -> None:
        context.mouse_move("//##legend/**/###group1")
        context.yield_(2)
        seen.append(crane.state.view.flash)

    crane.run(point)
    assert seen == [frozenset({2})]


def test_a_legend_never_takes_more_than_its_share(gui: GuiTester, tmp_path: Path) -> None:
    nodes = [Node(f"a_node_with_a_long_name_{number}", shapes={(0, 0): [quad()]}) for number in range(300)]
    gui.open(write_model(tmp_path / "many.msh", ModelBuilder.of(nodes)))
    gui.change(shading=Shading.NODE)
    window, area = imgui.internal.find_window_by_name("##legend"), gui.app.viewport.area
    assert window is not None
    assert window.size.x < area.width * 0.55
    assert window.size.y < area.height * 0.75
    assert window.pos.x + window.size.x <= area.left + area.width
    assert window.pos.y + window.size.y <= area.top + area.height


def test_a_legend_follows_what_is_shown(gui: GuiTester, tmp_path: Path) -> None:
    scene = [Node("a", shapes={(0, 0): [box()]}), Node("b", shapes={(0, 0): [quad()], (1, 0): [box()]})]
    gui.open(write_model(tmp_path / "two.msh", ModelBuilder.of(scene)))
    legend = gui.app.shell._stage._legend
    gui.change(shading=Shading.NODE)
    assert [(group.number, group.triangles) for group in legend._legend._value.groups] == [(0, 12), (1, 2)]
    gui.change(hidden=frozenset({0}))
    assert [group.number for group in legend._legend._value.groups] == [1]
    gui.change(hidden=frozenset(), lod=1, drawn=DrawnParts(CellRule.EXACT))
    assert [(group.number, group.triangles) for group in legend._legend._value.groups] == [(1, 12)]
