"""What is written over the picture."""

from __future__ import annotations

from math import pi
from typing import Any

import pytest
from msgspec.structs import replace

from tests.builders import ModelBuilder, Node, box, quad
from viewer.errors import Severity
from viewer.formats.archive import nres, nres_edit
from viewer.formats.msh.nodes import FLAG_INTERNAL, FLAG_SURVIVES
from viewer.formats.msh.tables import SLOTS
from viewer.model.mesh.model import Model
from viewer.model.mesh.shown import CellRule, Cutaway
from viewer.model.store.address import Address
from viewer.session.opened.document import Document
from viewer.session.view.camera import Camera
from viewer.session.view.options.drawn_parts import DrawnParts
from viewer.session.view.view_state import ViewState
from viewer.ui.viewport.viewport_overlay import axis_tips, remedy
from viewer.ui.widgets.floating import Area

AREA = Area(left=100, top=50, width=400, height=200)


def test_axes_end_where_they_are_drawn() -> None:
    camera = Camera(yaw=pi, pitch=0, distance=10, is_orthographic=True)
    x, y, z = axis_tips(camera, AREA)
    assert x is not None
    assert y is not None
    assert z is not None
    assert (x.x - 300, x.y - 150) == pytest.approx((0.28 * 100, 0), abs=1e-3)
    assert (y.x, y.y) == pytest.approx((300, 150))
    assert (z.x, z.y) == pytest.approx((300, 150 - 0.28 * 100))


def test_axis_behind_the_eye_has_no_label() -> None:
    camera = replace(Camera(yaw=pi, pitch=0, distance=1, field_of_view=pi / 2), target=(0.0, 1.2, 0.0))
    assert axis_tips(camera, AREA)[1] is not None
    behind = replace(camera, target=(0.0, 9.0, 0.0))
    assert axis_tips(behind, AREA) == [None, None, None]


WALL, HALL, SOCKET = range(3)
INSIDE, EXACT = Cutaway.INSIDE, CellRule.EXACT


def building(*, has_hall: bool = True) -> Document:
    """A wall that survives, a hall in it, a socket."""
    hall = Node("i_hall", shapes={(0, 0): [quad()]}, flags=FLAG_INTERNAL)
    wall = Node("o_wall", shapes={(0, 0): [box()]}, flags=FLAG_SURVIVES)
    nodes = [wall, hall if has_hall else Node("none"), Node("Base_gun")]
    return Document.of(Address.parse("building.msh"), ModelBuilder.of(nodes).model())


@pytest.mark.parametrize(
    ("has_hall", "parts", "nodes", "reason"),
    [
        (True, {}, {"isolated": frozenset({SOCKET})}, "everything in this cell is hidden"),
        (True, {"is_own_view": True}, {}, "the own view (group 4) shows nothing of this model"),
        (True, {"is_destroyed": True, "cutaway": INSIDE}, {}, "no internal parts in this cell"),
        (False, {"cutaway": INSIDE}, {}, "no internal parts in this cell"),
        (
            False,
            {"cutaway": INSIDE},
            {"isolated": frozenset({SOCKET})},
            "several switches together hide everything of this model",
        ),
        (
            False,
            {"cells": EXACT, "cutaway": INSIDE},
            {"lod": 1},
            "no geometry in LOD 1 - damaged, group 0 - near",
        ),
    ],
)
def test_the_reason_is_true_and_the_offer_shows_something(
    has_hall: bool,
    parts: dict[str, Any],
    nodes: dict[str, Any],
    reason: str,
) -> None:
    opened, view = building(has_hall=has_hall), ViewState(drawn=DrawnParts(**parts), **nodes)
    assert not opened.shown(view).triangle_count
    found = remedy(opened, view)
    assert found.reason == reason
    assert opened.shown(found.change(view)).triangle_count


def test_a_model_without_geometry_says_so() -> None:
    found = remedy(
        Document.of(Address.parse("empty.msh"), ModelBuilder.of([Node("root")]).model()), ViewState()
    )
    assert (found.reason, found.offer) == ("this model has no geometry in any cell", "")


def test_a_model_that_lost_its_geometry_leads_to_its_errors() -> None:
    builder = ModelBuilder.of([Node("root", shapes={(0, 0): [box()]})])
    whole = nres.Archive.read(memoryview(builder.build()))
    edit = nres_edit.Edit(whole)
    edit.replace(whole.find_type(SLOTS) or 0, bytes(139))
    opened = Document.of(Address.parse("short.msh"), Model.read(edit.encode()))
    count = sum(it.severity is Severity.ERROR for it in opened.diagnostics)
    found = remedy(opened, ViewState())
    assert found.reason == "this model has no geometry in any cell"
    assert (found.offer, found.panel) == (f"Show its {count} errors", "problems")
    assert count > 1


def test_a_cutaway_of_the_model_before_does_not_hide_one_without_an_inside() -> None:
    view = ViewState(drawn=DrawnParts(cutaway=INSIDE))
    assert building().first_view(view).drawn.cutaway is INSIDE
    assert building(has_hall=False).first_view(view).drawn.cutaway is Cutaway.ALL
