"""Running jobs in the status bar: shown after a moment, cancelled with an x, listed if there are several."""

from __future__ import annotations

from threading import Event

import pytest
from imgui_bundle import imgui

from tests.gui.hand import click
from tests.gui.harness import SIDES, GuiTester, exists
from viewer.control.jobs import Jobs
from viewer.control.opening import loading
from viewer.model.store.address import Address
from viewer.progress import Cancelled, Progress, current

pytestmark = pytest.mark.closed(*SIDES)


class GatedWork:
    """A job that goes on until the test ends or cancels it."""

    def __init__(self, jobs: Jobs, lane: str) -> None:
        self.ended = Event()
        self.errors: list[BaseException] = []
        jobs.start(lane, f"Working on {lane}…", self._run, print, self.errors.append, is_background=True)

    def _run(self, progress: Progress) -> None:
        try:
            for _ in progress.over(range(4), str):
                while progress.done == 1:
                    progress.check()
                    Event().wait(0.001)
        finally:
            self.ended.set()


def test_a_job_is_shown_after_a_moment_and_ends_with_its_x(gui: GuiTester) -> None:
    work = GatedWork(gui.app.jobs, "maps")
    assert gui.app.is_working
    gui.until(lambda: bool(gui.app.jobs.running))
    (job,) = gui.app.jobs.running
    assert (job.title, job.share, job.what) == ("Working on maps…", 0.25, "1")
    click(gui, "//##status/###cancel_maps")
    assert work.ended.wait(60)
    gui.settle()
    assert [type(error) for error in work.errors] == [Cancelled]
    assert not gui.app.is_working


def test_several_jobs_are_a_list_with_an_x_each(gui: GuiTester) -> None:
    works = {lane: GatedWork(gui.app.jobs, lane) for lane in ("maps", "ships")}
    gui.until(lambda: len(gui.app.jobs.running) == 2)
    gui.frames()
    assert not exists(gui, "//##status/###cancel_maps")
    click(gui, "//##status/###show_jobs", "//$FOCUSED/ships/###cancel_ships")
    assert works["ships"].ended.wait(60)
    assert not works["maps"].ended.is_set()
    gui.until(lambda: len(gui.app.jobs.running) == 1)


def test_opening_ends_when_it_is_cancelled_and_what_was_open_stays(
    gui: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    gui.app.opener.open_sample()
    gui.settle()
    before = gui.document

    def read_forever(*_: object, **__: object) -> None:
        while True:
            current().check()

    monkeypatch.setattr(loading, "read", read_forever)
    gui.app.opener.open(Address.parse("other.rlb"))
    gui.until(lambda: bool(gui.app.jobs.running))
    click(gui, "//##status/###cancel_open")
    gui.settle()
    assert gui.document is before
    assert gui.state.message == ""
    assert "other.rlb" in gui.state.notice


def test_a_job_leaves_room_for_the_rest_of_the_status_bar(gui: GuiTester) -> None:
    """The statistics become shorter; nothing is drawn over anything else."""
    gui.app.opener.open_sample()
    gui.settle()
    GatedWork(gui.app.jobs, "maps")
    gui.until(lambda: bool(gui.app.jobs.running))
    gui.frames(2)
    rects: list[imgui.internal.ImRect] = []

    def measure(context: imgui.test_engine.TestContext) -> None:
        rects.extend(
            context.item_info(f"//##status/###{name}").rect_full for name in ("reading", "cancel_maps")
        )

    gui.run(measure)
    reading, cancel = rects
    assert reading.max.x <= cancel.min.x
    assert cancel.max.x <= gui.window.width


def test_the_x_is_in_the_window_however_little_room_there_is(gui: GuiTester) -> None:
    gui.app.opener.open_sample()
    gui.settle()
    gui.commands.settings.set(interface_scale=2.0)
    GatedWork(gui.app.jobs, "maps")
    gui.until(lambda: bool(gui.app.jobs.running))
    gui.frames(2)
    found: list[imgui.internal.ImRect] = []
    gui.run(lambda context: found.append(context.item_info("//##status/###cancel_maps").rect_full))
    assert found[0].min.x > 0
    assert found[0].max.x <= gui.window.width
