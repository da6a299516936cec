"""Materials in time: played, stepped, frozen and varied with the mouse, seen in the viewport."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import imgui

from tests import game_folders
from tests.builders import ModelBuilder, Node, box
from tests.gui.harness import Context, GuiTester, bring_to_front, click, exists
from viewer.formats import wear
from viewer.session.play.timeline import FRAME
from viewer.session.view.camera import Side
from viewer.session.view.view_state import Loop, Overlay

BLINK, DUO = range(2)
LEFT, RIGHT = range(2)


@pytest.fixture
def lamps(gui: GuiTester, tmp_path: Path) -> GuiTester:
    """Two boxes that stand still, seen from behind: the left one blinks, the right one has three variants."""
    game = game_folders.write(tmp_path / "game")
    nodes = [Node(name, shapes={(0, 0): [box(center=(x, 0, 0), material=row)]})
             for name, x, row in (("left", -2, 0), ("right", 2, 2))]  # fmt: skip
    (game / "lamps.msh").write_bytes(ModelBuilder(nodes).build())
    (game / "lamps.wea").write_bytes(wear.build([b"BLINK", b"GLASS", b"DUO", b"NOWHERE"]))
    gui.open(game / "lamps.msh")
    gui.look_from(Side.BACK)
    gui.change(overlays=frozenset[Overlay]())
    gui.pause()
    bring_to_front(gui, "materials")
    return gui


def click_in_list(gui: GuiTester, *items: str) -> None:
    """Click something inside a row of the list, ``$$1/###name``, and what comes up then."""

    def script(context: Context) -> None:
        window = context.window_info("//materials/##materials").window
        assert window is not None
        context.set_ref(window)
        for item in items:
            is_in_row = item.startswith("$$")
            context.item_click(f"$${gui.document.identity}/{item}" if is_in_row else item)

    gui.run(script)


def colors(gui: GuiTester) -> tuple[str, str]:
    """What the left and the right half of the viewport show."""
    pixels = gui.picture()[..., :3].astype(int)
    halves = pixels[:, : pixels.shape[1] // 2], pixels[:, pixels.shape[1] // 2 :]
    spread = [half.reshape(-1, 3)[np.argmax(np.ptp(half.reshape(-1, 3), axis=1))] for half in halves]
    left, right = (("red", "green", "blue")[int(np.argmax(pixel))] for pixel in spread)
    return left, right


def at(gui: GuiTester, milliseconds: float) -> tuple[str, str]:
    """What is seen at a time of the timeline."""
    gui.pause(milliseconds / FRAME)
    return colors(gui)


def test_materials_of_a_model_that_stands_still_play_by_themselves(lamps: GuiTester) -> None:
    assert (at(lamps, 100), at(lamps, 300)) == (("red", "red"), ("blue", "red"))
    lamps.change(is_playing=True, loop=Loop.LOOP, time=0.0)
    assert lamps.app.is_moving
    seen = set()
    for _ in range(12):
        lamps.frames(1, seconds=0.1)
        seen.add(colors(lamps)[LEFT])
    assert seen == {"red", "blue"}


def test_the_timeline_scrubs_steps_and_jumps_where_only_materials_move(lamps: GuiTester) -> None:
    click(lamps, "//timeline/scrub")
    middle = lamps.document.last_frame / 2
    assert lamps.state.view.time == pytest.approx(middle, abs=1)
    click(lamps, "//timeline/###first", "//timeline/###next_key")
    assert lamps.state.view.time * FRAME == pytest.approx(200)
    assert colors(lamps) == ("blue", "red")
    click(lamps, "//timeline/###back")
    assert lamps.state.view.time == 2.0
    lamps.run(lambda context: context.key_press(imgui.Key.k))
    assert lamps.state.view.time * FRAME == pytest.approx(200)


def test_a_frozen_material_stays_while_the_others_go_on(lamps: GuiTester) -> None:
    lamps.change(materials=lamps.state.view.materials.choose(DUO, lamps.document.materials.rows[DUO], 1))
    assert at(lamps, 100) == ("red", "green")
    click(lamps, "//materials/**/###freeze")
    assert at(lamps, 450) == ("red", "blue")
    click(lamps, "//materials/**/###run")
    assert colors(lamps) == ("blue", "blue")


def test_phases_are_stepped_one_by_one(lamps: GuiTester) -> None:
    click(lamps, "//materials/**/###next_phase")
    assert colors(lamps) == ("blue", "red")
    click(lamps, "//materials/**/###next_phase")
    assert colors(lamps) == ("red", "red")
    click(lamps, "//materials/**/###previous_phase")
    assert colors(lamps) == ("blue", "red")


def test_the_place_in_the_cycle_is_dragged(lamps: GuiTester) -> None:
    click(lamps, "//materials/**/cycle")
    moment = lamps.state.view.materials.still[BLINK]
    assert (moment.key, colors(lamps)[LEFT]) == (1, "blue")

    def drag_to_the_end(context: Context) -> None:
        context.mouse_move("//materials/**/cycle")
        context.item_drag_with_delta("//materials/**/cycle", imgui.ImVec2(900, 0))

    lamps.run(drag_to_the_end)
    moment = lamps.state.view.materials.still[BLINK]
    assert tuple(moment) == pytest.approx((1, 299 / 300)), "the end of the cycle is the start of the next"


def test_a_variant_is_chosen(lamps: GuiTester) -> None:
    click_in_list(lamps, f"$${DUO}/###variant", "//$FOCUSED/###variant1")
    assert lamps.state.view.materials.variants == {DUO: 1}
    assert at(lamps, 100) == ("red", "green")


def test_all_materials_are_frozen_and_run(lamps: GuiTester) -> None:
    lamps.change(time=100 / FRAME)
    click(lamps, "//materials/###freeze_all")
    assert at(lamps, 300) == ("red", "red")
    click(lamps, "//materials/###run_all")
    assert colors(lamps) == ("blue", "red")


def test_a_key_of_a_variant_shows_it_and_freezes_it(lamps: GuiTester) -> None:
    click_in_list(lamps, f"$${DUO}/###details")
    click(lamps, "//materials/**/block1/###key1")
    assert colors(lamps) == ("red", "blue")
    assert lamps.state.view.materials.variants == {DUO: 1}


def test_the_pointer_over_a_material_lets_its_batches_flash(lamps: GuiTester) -> None:
    seen: list[frozenset[int]] = []

    def point(context: Context) -> None:
        for item in ("//materials/**/###texture", "//timeline/scrub"):
            context.mouse_move(item)
            context.yield_(3)
            seen.append(lamps.state.view.flash)

    lamps.run(point)
    assert seen == [{0}, frozenset()]


def test_all_nodes_of_a_material_are_selected(lamps: GuiTester) -> None:
    click(lamps, "//materials/**/###details", "//materials/**/###nodes")
    assert lamps.state.view.selection.nodes == (LEFT,)


def test_rows_that_no_batch_uses_are_listed(lamps: GuiTester) -> None:
    assert [row.name for row in lamps.document.materials.unused] == ["GLASS", "NOWHERE"]
    assert exists(lamps, "//materials/**/unused1/###details")
    click(lamps, "//materials/**/unused1/###details")
    assert exists(lamps, "//materials/**/unused1/phase0/###fold")


def test_a_long_list_is_scrolled_to_its_end(gui: GuiTester, tmp_path: Path) -> None:
    game = game_folders.write(tmp_path / "game")
    (game / "box.msh").write_bytes(ModelBuilder([Node("box", shapes={(0, 0): [box()]})]).build())
    (game / "box.wea").write_bytes(wear.build([b"SKIN"] * 40))
    gui.open(game / "box.msh")
    bring_to_front(gui, "materials")
    assert exists(gui, "//materials/**/unused0/###details")
    assert not exists(gui, "//materials/**/unused38/###details")

    def scroll(context: Context) -> None:
        context.mouse_move("//materials/**/unused0/###details")
        context.mouse_wheel_y(-200.0)

    gui.run(scroll)
    assert exists(gui, "//materials/**/unused38/###details")
    assert not exists(gui, "//materials/**/unused0/###details")


def test_what_is_set_for_a_material_follows_it_and_stays_after_a_reload(lamps: GuiTester) -> None:
    click(lamps, "//materials/**/###next_phase")
    before = lamps.document
    lamps.commands.opening.reload()
    lamps.until(lambda: not lamps.app.jobs.title)
    assert set(lamps.state.view.materials.still) == {BLINK}
    other = Path(before.address).with_name("other.wea")
    other.write_bytes(wear.build([b"DUO", b"SKIN", b"BLINK"]))
    lamps.commands.opening.use_wear(str(other))
    lamps.until(lambda: lamps.document.materials.rows[0].name == "DUO")
    names = [lamps.document.materials.rows[index].name for index in lamps.state.view.materials.still]
    assert names == ["BLINK"], "another row of the other table"
    other.write_bytes(wear.build([b"DUO", b"SKIN"]))
    lamps.commands.opening.reload()
    lamps.until(lambda: len(lamps.document.materials.wear_names) == 2)
    assert not lamps.state.view.materials.still, "nothing is drawn with it any more"


def test_another_model_plays_as_the_game_does(lamps: GuiTester, archive: Path) -> None:
    click(lamps, "//materials/**/###next_phase")
    assert lamps.state.view.materials.still
    lamps.open(archive)
    assert not lamps.state.view.materials.still
    assert (lamps.state.view.past, lamps.state.view.is_playing) == (0.0, True)
