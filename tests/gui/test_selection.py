"""Choosing things: what a click, a link and a key of the timeline select, and what then comes forward."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gui.harness import GuiTester, click, exists
from viewer.model.store.place import Place
from viewer.session.selection import Selection
from viewer.ui.requests import GoTo

BASE, MAST, ARM, HOOK = range(4)


@pytest.fixture
def crane(gui: GuiTester, archive: Path) -> GuiTester:
    """The crane, paused at time 0."""
    gui.open(archive)
    gui.pause()
    return gui


def go_to(gui: GuiTester, table: str, row: int) -> None:
    """Follow a link to a row."""
    gui.ask(GoTo(Place(gui.document.address, table, row)))
    gui.frames(2)


def test_a_key_that_is_clicked_on_the_timeline_is_selected_and_explained(crane: GuiTester) -> None:
    crane.select(MAST)
    crane.run(lambda context: context.item_click("//timeline/scrub"))
    key = crane.document.animation.track(MAST)[1]
    assert crane.state.view.selection == Selection((MAST,), key=key)
    assert crane.state.view.time == 10
    assert exists(crane, "//inspector/**/quaternion")


def test_the_keys_around_a_key_and_its_node_are_linked(crane: GuiTester) -> None:
    first, second, third = crane.document.animation.track(MAST)
    go_to(crane, "keys", second)
    assert crane.state.view.selection == Selection((MAST,), key=second)
    click(crane, f"//inspector/**/###after{third}")
    assert crane.state.view.selection.key == third
    click(crane, f"//inspector/**/###before{second}", f"//inspector/**/###before{first}")
    assert crane.state.view.selection.key == first
    click(crane, f"//inspector/**/1 mast###node{MAST}")
    assert crane.state.view.selection == Selection((MAST,))


def test_the_time_of_a_key_is_shown(crane: GuiTester) -> None:
    go_to(crane, "keys", crane.document.animation.track(MAST)[2])
    click(crane, "//inspector/**/###seek_key")
    assert crane.state.view.time == 20


def test_a_vertex_is_explained_with_all_its_streams_and_marked_in_the_viewport(crane: GuiTester) -> None:
    crane.select(BASE)
    before = crane.picture()
    go_to(crane, "vertices", 0)
    assert crane.state.view.selection.vertex == 0
    for field in ("position", "normal", "uv", "value"):
        assert exists(crane, f"//inspector/**/{field}")
    marked = crane.picture()
    crane.change(selection=Selection((BASE,), slot=0, batch=0))
    assert (marked != crane.picture()).any()
    assert (before != marked).any()


def test_the_corners_of_a_triangle_lead_to_its_vertices(crane: GuiTester) -> None:
    go_to(crane, "tri_descriptors", 3)
    triangle = crane.state.view.selection
    corner = int(crane.document.draws.corners[crane.document.draws.descriptor == 3][0][1])
    click(crane, f"//inspector/**/###corners{corner}")
    selection = crane.state.view.selection
    assert (selection.vertex, selection.triangle) == (corner, triangle.triangle)


def test_the_material_of_a_batch_is_linked_by_name_into_the_materials(crane: GuiTester) -> None:
    go_to(crane, "batches", 2)
    assert exists(crane, "//inspector/**/1 STEEL###follow_material")
    click(crane, "//inspector/**/###follow_material")
    crane.frames(3)
    material = int(crane.document.materials.of_batch[2])
    assert crane.state.reveal == Place(crane.document.address, "materials", material)
    assert exists(crane, "//materials/**/###details")
