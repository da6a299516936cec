"""Rotations of keys typed in degrees, and packed numbers typed as what they stand for; undone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.gui.hand import type_into
from tests.gui.harness import GuiTester, bring_to_front, current
from viewer.formats.msh import vertices
from viewer.formats.msh.keys import decode_quaternion
from viewer.formats.msh.tables import UVS
from viewer.geometry.transforms import angles
from viewer.model.mesh.pose.interpolation import matrices
from viewer.session.selection import Selection

pytestmark = pytest.mark.closed("browser", "outline")

MAST = 1


@pytest.fixture
def crane(crane: GuiTester) -> GuiTester:
    """The crane, paused, with the Inspector in front."""
    bring_to_front(crane, "inspector")
    return crane


def degrees_of(gui: GuiTester, key: int) -> list[float]:
    order = gui.document.choice.reading.quaternion_order
    quaternion = decode_quaternion(gui.document.model.keys["quaternion"][key : key + 1], order)
    found: list[float] = angles(matrices(quaternion, np.zeros((1, 3), np.float32))[0]).tolist()
    return found


def undo(gui: GuiTester, archive: Path, steps: int = 1) -> None:
    for _ in range(steps):
        gui.commands.edits.step(-1)
    gui.settle()
    assert current(gui, archive) == archive.read_bytes()


def test_the_rotation_of_a_key_is_typed_in_degrees(crane: GuiTester, archive: Path) -> None:
    key = crane.document.animation.track(MAST)[1]
    before = crane.document.model.keys.copy()
    crane.change(selection=Selection((MAST,), key=key))
    type_into(crane, "//inspector/**/###value_degrees2", "-30")
    assert degrees_of(crane, key) == pytest.approx([0, 0, -30], abs=0.01)
    type_into(crane, "//inspector/**/###value_degrees0", "45 + 45")
    assert degrees_of(crane, key) == pytest.approx([90, 0, -30], abs=0.01)
    after = crane.document.model.keys
    assert np.flatnonzero(before != after).tolist() == [key]
    assert after["time"].tolist() == before["time"].tolist()
    assert after["position"].tolist() == before["position"].tolist()
    undo(crane, archive, 2)


def test_the_rotation_of_a_part_is_typed_where_it_is_selected(crane: GuiTester, archive: Path) -> None:
    crane.select(3)
    key = crane.document.animation.track(3)[0]
    type_into(crane, "//inspector/**/###value_degrees1", "12.5")
    assert degrees_of(crane, key) == pytest.approx([0, 12.5, 0], abs=0.01)
    undo(crane, archive)


def test_angles_that_were_given_are_shown_though_others_are_the_same_rotation(
    crane: GuiTester, archive: Path
) -> None:
    key = crane.document.animation.track(MAST)[1]
    crane.change(selection=Selection((MAST,), key=key))
    type_into(crane, "//inspector/**/###value_degrees1", "120")
    type_into(crane, "//inspector/**/###value_degrees1", "100")
    x, y, z = degrees_of(crane, key)
    assert (abs(x), y, z) == pytest.approx((180, 80, 90), abs=0.01), "100 around y are shown as 80 here"
    undo(crane, archive, 2)


def test_the_components_of_a_quaternion_are_typed_unpacked(crane: GuiTester, archive: Path) -> None:
    key = crane.document.animation.track(MAST)[1]
    before = crane.document.model.keys["quaternion"][key].tolist()
    crane.change(selection=Selection((MAST,), key=key))
    type_into(crane, "//inspector/key/##rotation/**/###value_quaternion1", "0.5")
    after = crane.document.model.keys["quaternion"][key].tolist()
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1
    assert round(0.5 * 32767) in after
    undo(crane, archive)


def test_texture_coordinates_are_typed_as_what_they_stand_for(crane: GuiTester, archive: Path) -> None:
    crane.change(selection=Selection((0,), vertex=2))
    type_into(crane, "//inspector/vertex/decoded/##uv/**/###value_uv1", "0.25")
    assert int(crane.document.model.rows(UVS)["uv"][2, 1]) == vertices.UV_SCALE // 4
    undo(crane, archive)
