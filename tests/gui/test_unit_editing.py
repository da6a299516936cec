"""Components of a unit edited in the columns of their tree, and undone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import imgui

from tests.gui.harness import Context, GuiTester, in_stage
from tests.gui.test_editing import current
from viewer.formats import units


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """A chassis with a turret and a gun on it, and one more box."""
    rows = units.COMPONENT.new(4)
    for row, name, attachment, kind, children in zip(
        rows, ("Hull", "Turret", "Gun", "Box"), (-1, 2, 3, 4), (0, 1, 4, 5), (2, 1, 0, 0), strict=True
    ):
        row["name"], row["attachment"] = name.encode().ljust(32, b"\0"), attachment
        row["archive"], row["key"] = b"objects.rlb".ljust(32, b"\0"), b"x".ljust(32, b"\0")
        row["class_id"], row["child_count"] = kind, children
    path = tmp_path / "tank.dat"
    path.write_bytes(np.array([units.MAGIC, 2], "<u4").tobytes() + rows.tobytes())
    return path


@pytest.mark.parametrize(
    ("item", "typed", "field", "value"),
    [
        ("value_name", "Cannon", "name", b"Cannon"),
        ("value_attachment", "7", "attachment", 7),
        ("choose_key", "u_gun", "key", b"u_gun"),
    ],
)
def test_a_column_is_typed(
    gui: GuiTester, unit: Path, item: str, typed: str, field: str, value: object
) -> None:
    gui.open(unit)
    before = unit.read_bytes()

    def script(context: Context) -> None:
        context.item_click(in_stage(f"**/###{item}"))
        context.key_chars_replace(typed)
        context.key_press(int(imgui.Key.enter))

    gui.run(script)
    gui.settle()
    start = 8 + 0 * units.COMPONENT.size + units.COMPONENT.field(field).offset
    end = start + units.COMPONENT.field(field).size
    after = current(gui, unit)
    assert (after[:start], after[end:]) == (before[:start], before[end:])
    found = units.COMPONENT.view(after, offset=8, count=1)[field][0]
    shown = found.tobytes().rstrip(b"\0") if isinstance(value, bytes) else int(found)
    assert shown == value
    gui.commands.edits.step(-1)
    gui.settle()
    assert current(gui, unit) == before
