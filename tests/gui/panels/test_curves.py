"""The curves panel: kinds, keys dragged in value and time, and the current time."""

from __future__ import annotations

from typing import Any

import pytest
from imgui_bundle import ImVec2, imgui, implot

from tests.gui.hand import click, drag, press
from tests.gui.harness import Context, GuiTester, bring_to_front, enlarge
from viewer.session.play.keys.curves import CurveKind
from viewer.ui.timeline import curves
from viewer.ui.timeline.curves import CurvesPanel

pytestmark = pytest.mark.closed("browser", "outline", "inspector")

MAST = 1


@pytest.fixture
def plot(crane: GuiTester, monkeypatch: pytest.MonkeyPatch) -> GuiTester:
    """The crane with its mast selected, whose keys are at 0, 10 and 20, and the curves in front."""
    bring_to_front(crane, CurvesPanel.id)
    enlarge(crane, CurvesPanel.id)
    crane.select(MAST)
    crane.frames(3)
    click(crane, "//curves/##kind", f"//$FOCUSED/###{CurveKind.POSITION}")
    return crane


def panel(gui: GuiTester) -> Any:
    found: Any = next(it for it in gui.app.shell._panels if it.id == CurvesPanel.id)
    return found._plots.of(gui.state.tabs)


def test_it_opens_on_what_moves(crane: GuiTester) -> None:
    """The mast turns, the arm has one key: without a selection the mast is shown."""
    bring_to_front(crane, CurvesPanel.id)
    assert panel(crane)._kind is CurveKind.DEGREES
    assert set(panel(crane)._known) == {MAST}
    crane.select(2)
    assert panel(crane)._kind is CurveKind.POSITION
    click(crane, "//curves/##kind", f"//$FOCUSED/###{CurveKind.SPEED}")
    crane.select(MAST)
    assert panel(crane)._kind is CurveKind.SPEED, "what was chosen stays"


def points(gui: GuiTester, monkeypatch: pytest.MonkeyPatch, *places: tuple[float, float]) -> list[ImVec2]:
    """The points of the screen of times and values."""
    found: list[ImVec2] = []
    release = curves._Plot._release

    def noted(self: Any, *arguments: Any) -> None:
        found[:] = [implot.plot_to_pixels(*place) for place in places]
        release(self, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(curves._Plot, "_release", noted)
        gui.app.rebuild_panels()
        gui.frames(2, is_seen=True)
    return found


def test_a_curve_is_hidden(plot: GuiTester, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    plot_line = implot.plot_line

    def noting(name: str, *arguments: Any) -> None:
        drawn.append(name.partition("###")[0])
        plot_line(name, *arguments)

    monkeypatch.setattr(implot, "plot_line", noting)
    click(plot, "//curves/###axis_y")
    drawn.clear()
    plot.app.rebuild_panels()
    plot.frames(2)
    assert set(drawn) == {"mast x", "mast z"}


def keys(gui: GuiTester) -> list[tuple[float, float]]:
    """Time and height of the keys of the mast."""
    rows = gui.document.model.keys[gui.document.animation.track(MAST).start :][:3]
    return [
        (float(time), float(place[2])) for time, place in zip(rows["time"], rows["position"], strict=True)
    ]


def test_a_key_is_dragged_in_time_and_value_as_one_step(
    plot: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert keys(plot) == [(0, 0), (10, 0), (20, 0)]
    # Not exactly at zero, where the keys of x, y and z lie on each other: the last one is on top.
    start, end = points(plot, monkeypatch, (10.0, 0.0), (13.0, 0.04))
    drag(plot, start, end)
    plot.until(lambda: keys(plot)[1][0] == 13)
    moved = plot.document.model.keys["position"][plot.document.animation.track(MAST)[1]]
    assert sorted(moved.tolist()) == [0, 0, pytest.approx(0.04, abs=0.02)]
    press(plot, int(imgui.Key.mod_ctrl) | int(imgui.Key.z))
    plot.until(lambda: keys(plot) == [(0, 0), (10, 0), (20, 0)])


def test_a_refused_drag_is_a_line_at_the_place_with_the_name_of_the_node(
    plot: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key cannot be dragged to the time of another one."""
    start, end = points(plot, monkeypatch, (10.0, 0.0), (20.0, 0.0))
    drag(plot, start, end)
    plot.settle()
    assert keys(plot) == [(0, 0), (10, 0), (20, 0)]
    assert not plot.state.message, "no dialog"
    assert panel(plot)._edits.refusal.startswith("mast: ")


def test_the_current_time_is_dragged(plot: GuiTester, monkeypatch: pytest.MonkeyPatch) -> None:
    plot.pause(time=4.0)
    start, end = points(plot, monkeypatch, (4.0, 0.06), (15.2, 0.06))
    drag(plot, start, end)
    assert plot.state.view.time == 15


def test_each_kind_is_drawn(plot: GuiTester) -> None:
    for kind in CurveKind:
        click(plot, "//curves/##kind", f"//$FOCUSED/###{kind}")
        plot.frames(2)
        assert panel(plot)._kind is kind
        assert MAST in panel(plot)._known


def test_a_rotation_is_dragged(plot: GuiTester, monkeypatch: pytest.MonkeyPatch) -> None:
    panel(plot)._kind = CurveKind.QUATERNION
    plot.app.rebuild_panels()
    plot.frames(2)
    key = plot.document.animation.track(MAST)[1]
    before = plot.document.animation.key_pose(key)[1]
    start, end = points(plot, monkeypatch, (10.0, float(before[0])), (10.0, 0.3))
    drag(plot, start, end)
    plot.until(lambda: plot.document.animation.key_pose(key)[1][0] != before[0])
    quaternion = plot.document.animation.key_pose(key)[1]
    assert quaternion[0] == pytest.approx(0.3, abs=0.05), "of points on each other the first one"
    assert float((quaternion**2).sum()) == pytest.approx(1, abs=1e-4)
    assert keys(plot)[1] == (10, 0)


def test_ctrl_and_shift_with_the_wheel_pan(plot: GuiTester, monkeypatch: pytest.MonkeyPatch) -> None:
    (middle,) = points(plot, monkeypatch, (11.0, 0.05))

    def limits(modifier: imgui.Key | None = None) -> tuple[float, float, float, float]:
        def script(context: Context) -> None:
            context.mouse_move_to_pos(middle)
            if modifier is not None:
                context.key_down(modifier)
                context.mouse_wheel_y(2)
                context.key_up(modifier)
            context.yield_(2)
            seen.append(panel(plot)._limits)

        seen: list[implot.Rect] = []
        plot.run(script)
        return seen[0].x.min, seen[0].x.max, seen[0].y.min, seen[0].y.max

    first = limits()
    later = limits(imgui.Key.mod_ctrl)
    assert later[0] > first[0]
    assert later[1] - later[0] == pytest.approx(first[1] - first[0])
    assert later[2:] == pytest.approx(first[2:])
    higher = limits(imgui.Key.mod_shift)
    assert higher[2] > first[2]
    assert higher[:2] == pytest.approx(later[:2])
