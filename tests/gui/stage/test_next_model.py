"""What is kept of the view in another file and in the next model; slots and counts follow LOD and group."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import ImVec2, imgui
from msgspec.structs import replace

from tests.builders import ModelBuilder, Node, box, quad
from tests.gui.harness import BOTTOM, LEFT, GuiTester, bring_to_front
from viewer.model.mesh.shown import CellRule
from viewer.resources import bundled_path
from viewer.session.field_text import short_count
from viewer.session.selection import Selection
from viewer.ui.panels import inspector
from viewer.ui.viewport import cells
from viewer.ui.widgets.theme import Color

pytestmark = pytest.mark.closed(*BOTTOM, *LEFT)

SAMPLE = bundled_path("assets/game/models.rlb")


def lod_and_group(gui: GuiTester) -> tuple[int, int]:
    return gui.state.view.lod, gui.state.view.group


def test_lod_and_group_stay_in_their_file(walker: GuiTester, tmp_path: Path) -> None:
    walker.change(lod=2, group=1)
    walker.commands.opening.open_neighbour(1)
    walker.settle()
    assert (str(walker.document.address).startswith(str(SAMPLE)), lod_and_group(walker)[0]) == (True, 2)
    other = tmp_path / "other.rlb"
    other.write_bytes(SAMPLE.read_bytes())
    walker.open(f"{other}::walker.msh")
    assert lod_and_group(walker) == (0, 0)
    walker.change(lod=1)
    walker.open(str(bundled_path("assets/game/UNITS/UNITS/SAMPLE/walker.dat")))
    assert lod_and_group(walker) == (0, 0)


@pytest.mark.parametrize("zoom", [1.0, 0.02, 40.0])
def test_the_next_model_is_seen_whole_from_the_same_side(walker: GuiTester, zoom: float) -> None:
    walker.settle()
    camera = replace(walker.state.view.camera, yaw=2.0, pitch=-0.3)
    walker.change(camera=replace(camera, distance=zoom * camera.distance))
    walker.commands.opening.open_neighbour(1)
    walker.settle()
    found, area = walker.state.view.camera, walker.app.viewport.area
    assert (found.yaw, found.pitch) == (2.0, -0.3)
    assert walker.state.pose is not None
    points = np.concatenate([*walker.document.posed(walker.state.pose, walker.state.view)._points()])
    clip = np.column_stack([points, np.ones(len(points))]) @ found.clip_from_world(area.aspect).T
    across = np.abs(clip[:, :2] / clip[:, 3:])
    assert (clip[:, 3] > 0).all(), "nothing of it is behind the eye"
    assert 0.3 < across.max() <= 1.0, "it fills the image and is not cut off"


def test_the_slot_of_a_node_follows_lod_and_group(gui: GuiTester, tmp_path: Path) -> None:
    shapes = {(lod, group): [quad(2 + lod + group)] for lod in range(2) for group in range(2)}
    path = tmp_path / "slots.msh"
    path.write_bytes(ModelBuilder.of([Node(shapes=shapes)]).build())
    gui.open(str(path))
    slots = gui.document.model.nodes["slots"][0]
    gui.change(selection=Selection((0,), slot=int(slots[0, 0]), batch=0, triangle=0))
    for cell in ((1, 0), (1, 1), (0, 1)):
        gui.change(lod=cell[0], group=cell[1])
        gui.frames(2)
        assert gui.state.view.selection == Selection((0,), slot=int(slots[cell]))
        shown = inspector._completed(gui.app.panel_context(), gui.document)
        assert shown.slot == slots[cell]
    # A slot that is chosen although another one is shown stays what it is.
    gui.change(selection=Selection((0,), slot=int(slots[1, 1])))
    gui.change(lod=1, group=0)
    assert gui.state.view.selection.slot == slots[1, 1]


def test_toolbar_and_cells_count_the_same_triangles(
    gui: GuiTester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The second node has nothing in group 1, where the game shows what it has in group 0.
    nodes = [Node(shapes={(0, 0): [box()], (0, 1): [quad()]}), Node(shapes={(0, 0): [box()]})]
    path = tmp_path / "counts.msh"
    path.write_bytes(ModelBuilder.of(nodes).build())
    drawn: list[str] = []
    draw = cells._draw_corner

    def note(painter: imgui.ImDrawList, corner: ImVec2, words: str, color: Color) -> None:
        drawn.append(words)
        draw(painter, corner, words, color)

    monkeypatch.setattr(cells, "_draw_corner", note)
    gui.open(str(path))
    bring_to_front(gui, "cells")
    for rule, counts in ((CellRule.GAME, [24, 14]), (CellRule.EXACT, [24, 2])):
        gui.change(drawn=replace(gui.state.view.drawn, cells=rule))
        drawn.clear()
        gui.frames(1)
        assert drawn[:2] == [short_count(it) for it in counts]
        toolbar = gui.document.chooser.triangle_counts(gui.state.view.parts)
        assert toolbar[0, :2].tolist() == counts
        for group, count in enumerate(counts):
            gui.change(group=group)
            assert gui.document.shown(gui.state.view).triangle_count == count
        gui.change(group=0)
