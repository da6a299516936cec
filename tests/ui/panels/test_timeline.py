"""What the timeline says."""

from __future__ import annotations

from viewer.model.clips.clip import FRAME_RATE
from viewer.session.play.timeline import TimeAxis, advance
from viewer.session.view.view_state import ViewState
from viewer.ui.timeline.timeline import material_times

LAST = 2 * FRAME_RATE


def test_after_a_lap_the_clock_of_the_materials_is_not_the_place_on_the_axis() -> None:
    first = advance(ViewState(is_playing=True), 1.5, TimeAxis.whole(LAST))
    third = advance(first, 4.0, TimeAxis.whole(LAST))
    assert first.time == third.time
    assert material_times(first, LAST)[1:] == ("1.50 s of 2.00 s", "1.50 s")
    assert material_times(third, LAST)[1:] == ("5.50 s in loop 3 of 2.00 s each", "5.50 s")
