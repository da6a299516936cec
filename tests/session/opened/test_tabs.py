"""The open tabs: what is in front, what stays with each, and what belongs to the whole program.

What the colors of a shading mode stand for.

What rows are called.

Where a model is in the image.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, box, quad
from tests.ui.scenes import BODY, GUN, TURRET, tank_document
from viewer.formats import wear
from viewer.model.material.selectors import WearTable
from viewer.model.store.address import CURRENT, Address
from viewer.session.opened.document import Document
from viewer.session.opened.legend import Legend
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.opened.silhouette import MOMENTS, Silhouette, is_covered
from viewer.session.opened.tabs import MOST_VISITS, Tab, Tabs, Trail, Visit
from viewer.session.play.playback import Playback, Root
from viewer.session.selection import Selection
from viewer.session.view.camera import Camera
from viewer.session.view.options.background import Background
from viewer.session.view.options.shading import Shading
from viewer.session.view.view_state import ViewState, isolate


def resource(address: str) -> OpenedResource:
    return OpenedResource(Address.parse(address), "wear", memoryview(b""))


@pytest.fixture
def three() -> Tabs:
    """Three tabs, the second in front."""
    return Tabs(tuple(Tab(resource=resource(name)) for name in "abc"), 1)


@pytest.mark.parametrize("is_one_file", [True, False])
def test_a_file_spelled_otherwise_has_one_tab_where_its_folder_ignores_case(
    is_one_file: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lower, upper = tmp_path / "x.rlb", tmp_path / "X.RLB"
    lower.write_bytes(b"")
    if is_one_file and not upper.exists():
        upper.hardlink_to(lower)  # what such a folder shows: one file under both names
    elif not is_one_file:
        monkeypatch.setattr(Path, "samefile", lambda *_: False)
    tabs = Tabs((Tab(resource=resource(f"{lower}::a")), Tab(resource=resource(f"{lower}::b"))), 0)
    found = tabs.at(Address(upper, ("b",)))
    assert found is (tabs.opened[1] if is_one_file or lower == upper else None)
    assert tabs.at(Address(upper, ("c",))) is None
    assert tabs.at(Address(tmp_path / "y.rlb", ("b",))) is None


def addresses(tabs: Tabs) -> str:
    return "".join(str(tab.address) for tab in tabs.tabs)


def test_at_first_there_is_one_empty_tab() -> None:
    assert Tabs().active.address is None
    assert Tabs().opened == ()


def test_a_tab_is_found_by_what_it_shows(three: Tabs) -> None:
    found = three.at(Address.parse("c"))
    assert found is three.tabs[2]
    assert three.at(Address.parse("d")) is None
    assert Tabs().at(CURRENT) is None


def test_a_new_tab_comes_last(three: Tabs) -> None:
    assert addresses(three.with_tab(Tab(resource=resource("d")))) == "abcd"


def test_each_tab_keeps_its_selection_and_all_share_one_look(three: Tabs) -> None:
    chosen = Selection((3,))
    tabs = three.changed(view=ViewState(selection=chosen, time=4.0, shading=Shading.NORMALS))
    tabs = tabs.activated(tabs.tabs[0].identity)
    assert (tabs.active.view.selection, tabs.active.view.time) == (Selection(), 0.0)
    assert tabs.active.view.shading is Shading.NORMALS
    tabs = tabs.changed(view=replace(tabs.active.view, background=Background.LIGHT))
    view = tabs.activated(tabs.tabs[1].identity).active.view
    assert (view.selection, view.time, view.background) == (chosen, 4.0, Background.LIGHT)


@pytest.mark.parametrize(("closed", "left", "front"), [("a", "bc", "b"), ("b", "ac", "c"), ("c", "ab", "b")])
def test_the_next_tab_follows_a_closed_one(three: Tabs, closed: str, left: str, front: str) -> None:
    tab = three.at(Address.parse(closed))
    assert tab is not None
    tabs = three.closed(tab.identity)
    assert (addresses(tabs), str(tabs.active.address)) == (left, front)


def test_the_last_tab_is_followed_by_the_one_before_it(three: Tabs) -> None:
    tabs = three.activated(three.tabs[2].identity).closed(three.tabs[2].identity)
    assert (addresses(tabs), str(tabs.active.address)) == ("ab", "b")


def test_when_all_are_closed_an_empty_tab_keeps_the_look() -> None:
    tabs = Tabs((Tab(ViewState(shading=Shading.LIT, selection=Selection((1,))), resource=resource("a")),))
    tabs = tabs.closed(tabs.active.identity)
    assert tabs.opened == ()
    assert (tabs.active.view.shading, tabs.active.view.selection) == (Shading.LIT, Selection())


def test_a_closed_tab_changes_nothing_more(three: Tabs) -> None:
    gone = three.tabs[0].identity
    tabs = three.closed(gone)
    assert tabs.closed(gone) is tabs
    assert tabs.activated(gone) is tabs
    assert tabs.find(gone) is None


def test_tabs_are_stepped_through_in_a_circle(three: Tabs) -> None:
    assert [str(three.stepped(step).address) for step in (-2, -1, 0, 1, 2)] == ["c", "a", "b", "c", "a"]


def test_the_order_changes_and_the_same_tab_stays_in_front(three: Tabs) -> None:
    identity = {tab.address: tab.identity for tab in three.tabs}
    tabs = three.ordered(identity[Address.parse(name)] for name in "cba")
    assert (addresses(tabs), str(tabs.active.address)) == ("cba", "b")
    assert addresses(three.ordered([identity[Address.parse("c")]])) == "cab"


def test_what_panels_remember_ends_with_the_content_of_a_tab(three: Tabs) -> None:
    tab = three.active
    assert tab.showing(resource("b"), tab.view).key == tab.key
    assert tab.showing(resource("d"), tab.view).key != tab.key
    assert tab.showing(resource("d"), tab.view).identity == tab.identity


def visit(address: str) -> Visit:
    return Visit(Address.parse(address), ViewState())


def test_back_and_forward_are_inverse() -> None:
    trail = Trail().left(visit("a")).left(visit("b"))
    assert trail.next(-1) == visit("b")
    assert trail.next(1) is None
    back = trail.stepped(-1, visit("c"))
    assert (back.next(-1), back.next(1)) == (visit("a"), visit("c"))
    assert back.stepped(1, visit("b")) == trail


def test_something_new_ends_the_way_forward() -> None:
    back = Trail().left(visit("a")).stepped(-1, visit("b"))
    assert back.next(1) == visit("b")
    assert back.left(visit("a")).next(1) is None


def test_only_so_many_visits_are_kept() -> None:
    trail = Trail()
    for number in range(MOST_VISITS + 3):
        trail = trail.left(visit(str(number)))
    assert len(trail.earlier) == MOST_VISITS
    assert trail.earlier[0] == visit("3")


def numbers(view: ViewState, most: int = 10) -> dict[int, int]:
    """Triangles by number."""
    legend = Legend.of(tank_document(), view, most)
    return {group.number: group.triangles for group in legend.groups}


@pytest.mark.parametrize(
    ("shading", "expected"),
    [
        (Shading.NODE, {BODY: 24, TURRET: 12, GUN: 12}),
        (Shading.BATCH, {0: 12, 1: 12, 3: 12, 4: 12}),
        (Shading.LOD, {0: 48}),
        (Shading.FLAG, {0: 48}),
    ],
)
def test_triangles_are_counted_per_group(shading: Shading, expected: dict[int, int]) -> None:
    assert numbers(ViewState(shading=shading)) == expected


def test_only_what_is_shown_counts() -> None:
    view = isolate(ViewState(shading=Shading.NODE), [TURRET])
    assert numbers(view) == {TURRET: 12}
    assert numbers(replace(view, isolated=None, hidden=frozenset({TURRET, GUN}))) == {BODY: 24}


def test_the_largest_groups_come_first_and_the_others_are_counted() -> None:
    legend = Legend.of(tank_document(), ViewState(shading=Shading.NODE), 1)
    assert [group.number for group in legend.groups] == [BODY]
    assert legend.others == 2


def test_a_group_selects_what_it_is() -> None:
    document = tank_document()
    by_batch = Legend.of(document, ViewState(shading=Shading.BATCH), 10).groups
    assert by_batch[-1].selection == Selection((GUN,), slot=3, batch=4)
    by_lod = Legend.of(document, ViewState(shading=Shading.LOD), 10).groups
    assert by_lod[0].selection == Selection((BODY, TURRET, GUN))
    assert by_lod[0].batches == {0, 1, 3, 4}


def test_rows_are_called_by_their_number_and_the_name_that_belongs_to_it() -> None:
    document = tank_document()
    slot = int(document.model.nodes["slots"][GUN, 0, 0])
    assert document.labels.label("nodes", TURRET) == "1 turret"
    assert document.labels.label("slots", slot) == f"{slot} gun"
    assert document.labels.label("keys", document.animation.track(TURRET)[1]) == "2 turret"
    assert document.labels.label("vertices", 7) == "7"
    assert document.labels.label("nodes", 99) == "99"


def test_batches_and_materials_have_the_names_of_the_wear_table() -> None:
    model = ModelBuilder.of([Node(shapes={(0, 0): [quad(), quad(material=2)]})]).model()
    table = WearTable(Address.parse("a.wea"), wear.decode(wear.build([b"YELLOW", b"UNUSED", b"STEEL"])))
    document = Document.of(Address.parse("a.msh"), model, wears=[table])
    assert document.labels.label("wear", 1) == "1 UNUSED"
    assert document.labels.label("batches", 1) == "1 STEEL"
    assert document.labels.label("materials", 1) == "2 STEEL"


def test_a_slot_or_a_key_that_no_node_uses_has_no_name() -> None:
    builder = ModelBuilder.of([Node("a", shapes={(0, 0): [quad()]})])
    builder.nodes["slots"] = 0xFFFF
    builder.nodes["fallback_key"] = 0xFFFF
    document = Document.of(Address.parse("a.msh"), builder.model())
    assert document.labels.label("slots", 0) == "0"
    assert document.labels.label("keys", 0) == "0"


def test_a_part_has_a_rectangle_around_it() -> None:
    document = Document.of(
        Address.parse("box"), ModelBuilder.of([Node(shapes={(0, 0): [box((2, 2, 2))]})]).model()
    )
    camera = Camera(yaw=0.0, pitch=0.0, is_orthographic=True).frame(
        document.posed(document.animation.pose(0.0), ViewState()), 2.0
    )
    found = Silhouette(document, ViewState()).rectangles(camera, 2.0)
    np.testing.assert_allclose(found, [[0.3, 0.1, 0.7, 0.9]], atol=1e-6)


def test_all_of_an_animation_counts() -> None:
    moving = Node("a", shapes={(0, 0): [box()]}, keys=[Key(0), Key(10, position=(5, 0, 0))])
    document = Document.of(Address.parse("box"), ModelBuilder.of([moving]).model())
    silhouette = Silhouette(document, ViewState(playback=Playback(root=Root.TRAVEL)))
    assert len(silhouette.boxes) == MOMENTS
    assert silhouette.boxes[..., 0].max() == pytest.approx(5.5)


def test_cockpits_do_not_count_from_outside() -> None:
    document = tank_document()
    whole, parts = Silhouette(document, ViewState()), document.draws.parts
    assert len(whole.boxes) == MOMENTS * len({BODY, TURRET, GUN}) < MOMENTS * len(set(parts.node.tolist()))


@pytest.mark.parametrize(
    ("area", "expected"),
    [((0.0, 0.0, 0.2, 0.2), False), ((0.0, 0.0, 0.5, 0.5), True), ((0.45, 0.45, 0.5, 0.5), True)],
)
def test_an_area_is_covered_where_a_rectangle_meets_it(
    area: tuple[float, float, float, float], *, expected: bool
) -> None:
    assert is_covered(np.array([[0.4, 0.4, 0.6, 0.6]]), *area) == expected
