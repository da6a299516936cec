"""The application: one window, its state, and the order of the steps of a frame.

Finished jobs are collected, time advances, panels draw one frozen `UiContext` and queue changes and
calls, these are made, then the scene is drawn into the image that the panels show.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Final

from imgui_bundle import imgui
from moderngl_window.context.base import BaseWindow
from msgspec.structs import replace

from viewer.app import program_info
from viewer.app.dialogs.dialogs import Dialogs, draw_message, draw_notice
from viewer.app.dialogs.failure_card import FailureCard
from viewer.app.images.images import Images
from viewer.app.images.screenshots import Screenshots
from viewer.app.panel_builds import Build, PanelBuilds
from viewer.app.platform.gui import Gui, WindowTitle
from viewer.app.platform.sound_player import SoundController
from viewer.app.remembered_window import RememberedWindow
from viewer.app.scene_renderer import FRAMES_TO_LAY_OUT, FRAMES_TO_SETTLE, Arrival, SceneRenderer
from viewer.app.window_control import WindowControl
from viewer.control.controllers import Borders, Controllers
from viewer.control.converting.files import FileController
from viewer.control.editing.editing import Editing
from viewer.control.jobs import JOB, Jobs
from viewer.control.later import Later
from viewer.control.lookups.browser_lists import BrowserLists
from viewer.control.lookups.searches import ComparisonController, PayloadLookup, PixelLookup
from viewer.control.opening.loading import NO_START_OPTIONS, StartOptions
from viewer.control.opening.open_controller import OpenController
from viewer.control.settings.overlay import use_overlay
from viewer.control.settings.settings import Settings
from viewer.control.state import State
from viewer.render.renderer import sample_counts
from viewer.session.edits.edited_file import UnsavedMarks
from viewer.session.opened.tabs import CameraFit, Tabs
from viewer.session.play import playing, timeline, unit_posing
from viewer.session.view import flash
from viewer.session.view.view_state import ViewState
from viewer.translation import Text, _
from viewer.ui.context import Lookups, UiContext, ViewChange
from viewer.ui.frame.shell import Shell
from viewer.ui.viewport.viewport import Viewport
from viewer.ui.widgets import theme
from viewer.ui.widgets.guard import Guard

COMMAND: Final = _("Command")
PICTURE: Final = _("Picture")
SMOOTHING: Final = 0.1
"""Weight of the newest frame in the displayed times."""


class Application:
    """The program behind one window: state, controllers, pictures, panels; owner: its creator, main thread.

    Parameters
    ----------
    window
        A GLFW window, or a headless one.
    settings_path
        Where settings are written; None does not write them.
    remembered
        Settings to start with, as the file has them.
    wake
        Ends the sleep of the frame loop; called from worker threads.
    given
        The options from the command line.
    """

    def __init__(
        self,
        window: BaseWindow,
        remembered: Settings,
        settings_path: Path | None = None,
        wake: Callable[[], None] = lambda: None,
        given: StartOptions = NO_START_OPTIONS,
    ) -> None:
        # Each part gets what it works with when it is made, so that the order is that of their needs.
        # First what all work on: the state, the threads that read for it, the calls that wait for the panels.
        state = self.state = State(
            given.remembered_in(remembered),
            Tabs.of(given.drawn(remembered.first_view())),
            samples=sample_counts(window.ctx),
            about=program_info.collect(window.ctx),
        )
        jobs = self.jobs = Jobs(wake, state.report)
        later = self.later = Later()
        # ImGui before all that draws: it knows the scale of the interface.
        gui = self.gui = Gui(window, remembered)
        # The model on the graphics card before what opens files, which uploads to it; that before all other
        # pictures, which are read by it.
        scene = SceneRenderer(window.ctx, state, jobs, theme.pixel_scale())
        opener = self.opener = OpenController(state, jobs, scene.show, given, scene.prepare)
        images = self.images = Images(window.ctx, state, jobs, scene, opener)
        # What the window shows: the viewport with its picture, and the panels around it.
        pixels = PixelLookup(state, opener.library, images.pictures.pointed)
        viewport = self.viewport = Viewport(images.pictures, pixels.explain)
        self._guard = Guard(state.fail)
        self.shell = Shell(viewport, self._guard, remembered.closed_panels, remembered.panel_order)
        # What asks for paths, and is heard, and is written of all this.
        self.dialog = Dialogs(state, opener, later)
        self.sounds = SoundController(state, jobs, opener)
        self.remembered = RememberedWindow(state, jobs, gui, self.shell, remembered, settings_path)
        # The controllers, which may ask all of that for something; lists before edits, which renew them.
        browser = BrowserLists(state, jobs, opener.library)
        comparing = ComparisonController(state, jobs, opener)

        def follow(path: Path) -> None:
            browser.renew(path)
            comparing.renew(path)

        self.editing = Editing(state, jobs, opener, later, self.dialog, follow, settings_path)
        files = FileController(state, jobs, opener)
        window_control = WindowControl(state, jobs, opener, gui, images, self.shell)
        borders = Borders(
            dialogs=self.dialog,
            pictures=Screenshots(state, jobs, images.pictures, files, images.films),
            panels=self.shell,
            window=window_control,
            images=images.ordered,
            aspect=lambda: viewport.aspect,
            to_clipboard=imgui.set_clipboard_text,
        )
        self.control = Controllers.of(
            state, jobs, opener, self.editing, files, borders, browser=browser, comparing=comparing
        )
        self._marks = UnsavedMarks()
        self.lookups = _lookups(state, opener, images, self.editing, self.control, self._marks)
        # What the system tells the window becomes a call, as what a panel asks for.
        gui.on_drop(later.calling(self.control.importing.drop))
        gui.on_rescale(later.calling(window_control.rescale))
        # What a frame keeps for the next one.
        self._window = window
        self._title = WindowTitle(window, self._marks.is_unsaved)
        self.arrival = Arrival(state, scene, lambda: viewport.aspect)
        self._failures, self._builds = FailureCard(), PanelBuilds()
        self._changes, self._flashing = list[ViewChange](), set[int]()
        self._frames_drawn = self._unsettled = 0
        use_overlay(state)
        opener.look_at_game()

    @property
    def is_closing(self) -> bool:
        """Whether the last frame has been drawn."""
        return self.state.is_closing

    @property
    def is_moving(self) -> bool:
        """Whether something plays or flashes, or work without a window event is pending."""
        is_waiting = self.dialog.is_waiting or self.gui.has_input or self._has_work
        is_settling = is_waiting or self._unsettled > 0
        return self.state.is_animated or flash.is_flashing(self.state.view) or is_settling

    @property
    def _has_work(self) -> bool:
        return self.images.scene.has_work or self._has_work_for_panels

    @property
    def _has_work_for_panels(self) -> bool:
        is_waiting = self.state.tabs.active.framing is not CameraFit.KEPT or self.arrival.is_pending
        return bool(self._changes or self.later.calls) or is_waiting or self.images.has_work

    @property
    def is_working(self) -> bool:
        """Whether the progress of a job is shown, or soon will be."""
        return self.jobs.is_shown or bool(self.images.thumbnails.running) or self.editing.is_waiting

    @property
    def is_ticking(self) -> bool:
        """Whether a text cursor blinks, a notice expires or settings are about to be written."""
        return imgui.get_io().want_text_input or self.state.has_notice or self.remembered.is_waiting

    def draw(self, seconds: float) -> None:
        """Draw a frame and show it."""
        started = perf_counter()
        self._unsettled = max(0, self._unsettled - 1)
        if self._window.is_closing:
            self._window.is_closing = False
            self.later(self.control.closing.quit)
        # Before the panels have their sizes nothing can be framed for them.
        if self._frames_drawn >= FRAMES_TO_LAY_OUT and self.jobs.collect():
            self._builds.request()
        self._update(started)
        build = self._builds.due(seconds, self.state.shown, self.state.view.camera, self._needed_build)
        if build and self.is_working:
            build = Build.ALL  # any panel may show how far it is
        if build is Build.ALL:
            may_draw = not imgui.is_any_mouse_down()
            self._try(PICTURE, partial(self.images.update, may_draw=may_draw))
        self._try(PICTURE, partial(self._move_on, seconds))
        self._builds.note(self.state.shown)
        if self.arrival.ends(started):
            self._draw_scene()
        if not build:
            before = self.images.scene.image
            self._draw_scene()
            if self.images.scene.image != before:  # the viewport shows an image that is gone
                build = Build.LIVE
        if build:
            draw_panels = partial(self._draw_panels, build)
            self.gui.draw(draw_panels, self._answer, self._draw_scene, self._builds.passed)
            self._builds.done()
            if build is Build.ALL or self.gui.has_new_layout or self.remembered.is_waiting:
                self.remembered.update(started)
        else:
            self.gui.draw_again()
        self._frames_drawn += 1
        # Up to here, as `show` waits for the display; smoothed, so that the number can be read.
        spent = (perf_counter() - started) * 1e3
        timing = self.state.timing
        self.state.timing = replace(timing, frame=timing.frame + (spent - timing.frame) * SMOOTHING)
        self.gui.show()

    @property
    def _needed_build(self) -> Build:
        """The panels that this frame needs for other reasons than the next moment of an animation.

        What the state does not hold is asked here: frames without an animation follow from input, a job, a
        wait or a tick.
        """
        state, of_gui = self.state, self.gui.needed_build
        is_animation = state.is_animated or flash.is_flashing(state.view) or self.images.scene.has_work
        is_stage = state.document is None  # what is not a model is drawn by panels alone
        is_waiting = self.dialog.is_waiting or self.editing.is_waiting or self._unsettled > 0
        is_still = not is_animation and of_gui is Build.NONE
        if is_still or is_stage or is_waiting or self._has_work_for_panels:
            return Build.ALL
        return max(of_gui, Build.LIVE) if self.shell.follows_model else of_gui

    def _update(self, now: float) -> None:
        """Do what is due, and take over what was found since the last frame."""
        for update in (
            partial(self.editing.update, now),
            self.control.browser.update,
            self.control.search.update,
            self.control.survey.update,
        ):
            self._try(JOB, update)

    def rebuild_panels(self) -> None:
        """Build the panels in the next frame whatever has changed."""
        self._builds.request()

    def close(self) -> None:
        """Save the settings and release everything; the window stays open."""
        self.save_settings()
        self.editing.close()
        self.jobs.close()
        self.images.release()
        self.sounds.close()
        self.gui.close()

    def _move_on(self, seconds: float) -> None:
        """Advance the time of what plays; that of a model begins with its first picture."""
        state, before = self.state, self.state.view
        state.view = flash.advance_flash(before, seconds)
        self.images.scene.advance(seconds)
        if not self.arrival.is_pending:
            state.view = timeline.advance(state.view, seconds, state.axis)
        if state.document is not None and not self.arrival.is_pending:
            state.view = playing.advance_channels(state.view, state.document.controller, seconds)
        elif state.unit is not None:
            state.view = unit_posing.advance(state.unit, state.view, seconds)
        self._update_pose()
        self.images.scene.pass_time(before)

    def _update_pose(self) -> None:
        started = perf_counter()
        if self.state.update_pose():
            spent, before = (perf_counter() - started) * 1e3, self.state.timing
            self.state.timing = replace(before, pose=before.pose + (spent - before.pose) * SMOOTHING)

    def _draw_panels(self, build: Build) -> None:
        """Draw everything; what the panels call is queued."""
        self.arrival.note_panels()
        self._failures.draw(self.state)  # before the shell, which takes the focus from windows that are gone
        self.shell.draw(self.panel_context(), is_all=build is Build.ALL)
        if draw_message(self.state.message):
            self.state.message = ""
        if self.state.has_notice:
            draw_notice(self.state.notice, is_warning=self.state.is_warned)
        self._guard.draws(_("Dialog"), self.dialog.draw)

    def panel_context(self) -> UiContext:
        """The context of the panels in this frame, with jobs, history and arrival noted in the state."""
        state = self.state
        self._marks.follow(state.edits)
        state.busy, state.jobs = self.jobs.title, (*self.jobs.running, *self.images.thumbnails.running)
        state.history = self.control.history.current
        state.is_arriving = self.arrival.is_pending
        self.images.note()
        of_state = state.document, state.view, state, self.lookups
        return UiContext(*of_state, self.later, self.control, self._changes.append, self._flashing.update)

    def _draw_scene(self) -> None:
        """Draw the image that the viewport shows in this frame."""
        self.state.choose_detail()
        self.state.follow_cell()
        self._update_pose()
        document = self.state.document
        self._title.show(self.state.tabs.active.address, "" if document is None else document.called)
        if not self.arrival.is_pending:
            self._try(PICTURE, self.images.scene.draw)
        for draw in (*self.images.draws(), self.sounds.update):
            self._try(PICTURE, draw)

    def _answer(self) -> None:
        """Frame what was opened if the panels have their sizes, and do what the panels asked for."""
        if not self.arrival.is_pending and self._frames_drawn >= FRAMES_TO_LAY_OUT:
            self.arrival.frame()
        changes, calls = [*self._changes], self.later.take()
        self._changes.clear()
        before = self.state.view
        # Changes of the view come before calls, which may open something else with that view.
        for change in changes:
            self.state.view = change(self.state.view)
        self.state.view = flash.with_flash(self.state.view, frozenset(self._flashing))
        self._flashing.clear()  # panels name the batches again in every frame
        if not self.state.settings.has_seen_hint and _is_at_home(before, self.state.view):
            self.state.set(has_seen_hint=True)
        if calls:  # a call may take longer than the frames that follow the event it came from
            self._unsettled = FRAMES_TO_SETTLE
        for call in calls:
            self._try(COMMAND, call.make)
        self._try(COMMAND, self.editing.renew)
        self._try(COMMAND, self.control.history.record)

    def _try(self, part: Text, step: Callable[[], object]) -> None:
        """Do one thing of a frame; if it fails, the user learns of it, and the frame goes on."""
        try:
            step()
        except Exception as error:  # noqa: BLE001 unsaved edits outlive any fault
            self.state.report(error, part)

    def save_settings(self) -> None:
        """Write the settings now; a failure is only logged."""
        self.remembered.save()


def _is_at_home(before: ViewState, after: ViewState) -> bool:
    """Whether the user did one of the things in the first-run hint, other than orbiting."""
    hinted = before.selection, before.is_playing, before.group
    return hinted != (after.selection, after.is_playing, after.group)


def _lookups(
    state: State,
    opener: OpenController,
    images: Images,
    editing: Editing,
    control: Controllers,
    marks: UnsavedMarks,
) -> Lookups:
    """The look-ups of panels while they draw, each a function of a controller."""
    return Lookups(
        texture=images.gallery.texture,
        material_image=images.materials.texture,
        unit_image=images.pictures.units.texture,
        thumbnail=images.thumbnails.find,
        read_ahead=images.thumbnails.read_ahead,
        users=control.users.find,
        skies=control.skies.find,
        film=images.films.preview,
        cells=images.cells.find,
        names=editing.names.find,
        fitting=editing.names.fitting,
        changed=editing.changed.find,
        complete=control.console.complete,
        payload=PayloadLookup(state, opener.library).find,
        is_unsaved=marks.is_unsaved,
    )
