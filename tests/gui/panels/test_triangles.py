"""The panel of triangles: masks applied live, walking over links, flood fill, what is odd about edges."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import imgui

from tests.builders import ModelBuilder, Node, box
from tests.gui.hand import click, press
from tests.gui.harness import Context, GuiTester, bring_to_front, exists, in_child, write_model
from viewer.formats.msh.tables import TRIANGLES
from viewer.model.edit.geometry.links import DerivedData, Recompute
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.mesh.triangle_query import Masks, TriangleLinks
from viewer.model.store.place import Place
from viewer.session.places import selection_at
from viewer.session.selection import Selection
from viewer.session.view.options.shading import Shading

pytestmark = pytest.mark.closed("browser", "outline", "inspector")

ALT = int(imgui.Key.mod_alt)


@pytest.fixture
def boxed(gui: GuiTester, tmp_path: Path) -> GuiTester:
    """A box whose triangles are linked all around; six of twelve can be walked on."""
    gui.open(write_model(tmp_path / "box.msh", ModelBuilder.of([Node("box", shapes={(0, 0): [box()]})])))
    gui.commands.edits.edit(
        gui.document.address,
        (
            Recompute(DerivedData.LINKS),
            SetField("tri_descriptors", RowChoice.of(*range(6)), "flags", 2),
        ),
    )
    gui.settle()
    bring_to_front(gui, "triangles")
    return gui


def query(item: str) -> str:
    return in_child("triangles/query", item)


def chosen(gui: GuiTester, row: int) -> None:
    """Select the triangle of a descriptor."""
    place = Place(gui.document.address, "tri_descriptors", row)
    gui.change(selection=selection_at(gui.document, place, Selection()))


def test_masks_are_applied_live(boxed: GuiTester) -> None:
    before = boxed.picture()
    click(boxed, query("**/##required2"))
    assert boxed.state.view.lab.masks == Masks(required=2)
    assert boxed.state.view.lab.is_marked
    required = boxed.picture()
    assert (required != before).any()
    click(boxed, query("**/##required2"), query("**/##forbidden2"))
    assert boxed.state.view.lab.masks == Masks(forbidden=2)
    assert (boxed.picture() != required).any()
    click(boxed, query("###has_numbers"), query("###clear_masks"))
    assert boxed.state.view.lab.masks == Masks()
    assert boxed.state.view.lab.has_numbers


def test_keys_walk_over_the_links(boxed: GuiTester) -> None:
    links = TriangleLinks.of(boxed.document.model, boxed.document.draws).target
    chosen(boxed, 3)
    row = 3
    for edge, key in ((0, imgui.Key._1), (2, imgui.Key._3), (1, imgui.Key._2)):
        press(boxed, ALT | int(key))
        boxed.settle()
        row = int(links[row, edge])
        assert boxed.state.view.selection.descriptor == row
        assert boxed.state.view.selection.node == 0
    assert boxed.state.view.lab.has_links


def test_a_flood_fill_stays_where_links_and_masks_lead(boxed: GuiTester) -> None:
    chosen(boxed, 0)
    click(boxed, query("**/##required2"), query("###flood"))
    lab = boxed.state.view.lab
    assert (lab.start, lab.masks) == (0, Masks(required=2))
    click(boxed, query("###end_flood"))
    assert boxed.state.view.lab.start is None


def test_an_open_edge_is_listed_and_drawn(boxed: GuiTester) -> None:
    stored = boxed.document.model.rows(TRIANGLES)["links"].copy()
    assert np.count_nonzero(stored == 0xFFFF) == 0
    before = boxed.picture()
    change = SetField("tri_descriptors", RowChoice.of(4), "links[1]", 0xFFFF)
    boxed.commands.edits.edit(boxed.document.address, (change,))
    boxed.settle()
    assert exists(boxed, in_child("triangles/selected", "###odd_open"))
    assert exists(boxed, in_child("triangles/selected", "###odd_one_way")), "its neighbor still links to it"
    click(boxed, query("###has_edges"))
    assert (boxed.picture() != before).any()


def test_masks_of_batches_choose_what_is_drawn(boxed: GuiTester) -> None:
    change = SetField("batches", RowChoice.of(0), "flags", 0x100)
    boxed.commands.edits.edit(boxed.document.address, (change,))
    boxed.settle()
    assert boxed.document.shown(boxed.state.view).triangle_count == 12

    def forbid(context: Context) -> None:
        context.item_input_value(query("###batches_forbidden"), "100")

    boxed.run(forbid)
    boxed.settle()
    assert boxed.state.view.lab.batches == Masks(forbidden=0x100)
    assert boxed.document.shown(boxed.state.view).triangle_count == 0
    click(boxed, "//##message/###accept")
    assert boxed.document.shown(boxed.state.view).triangle_count == 12
    assert boxed.state.view.lab.batches == Masks()


def test_the_heat_map_is_of_this_file_alone(boxed: GuiTester) -> None:
    for shading in (Shading.NORMAL_ERROR, Shading.TEXTURED):
        click(boxed, query("heat_map"))
        view = boxed.state.view
        assert (view.shading, view.usual_shading) == (shading, Shading.TEXTURED)
