"""Running jobs in the status bar: one with its progress and an x, several as a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.session.running_job import RunningJob
from viewer.translation import _, ngettext
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import colored, ghost_button, identified, labeled, readable, text, tooltip

WIDTH: Final = 21.0
"""Width in the status bar, font heights."""
_SPACE: Final = 0.6
"""Between the jobs and the text on their left, font heights."""
_BAR, _LIST_BAR, _TITLES = 6.0, 9.0, 20.0
_LIST: Final = "jobs"


def jobs_width(frame: UiContext) -> float:
    """Return the width that the running jobs take in the status bar; 0 if there are none."""
    return theme.em(WIDTH + _SPACE) if frame.state.jobs else 0.0


def draw_jobs(frame: UiContext) -> None:
    """Draw the running jobs, if any, at the right end of the current line, over anything that is there."""
    jobs = frame.state.jobs
    if not jobs:
        return
    _clear_end(theme.em(WIDTH))
    if len(jobs) == 1:
        _draw_title(jobs[0], theme.em(WIDTH - _BAR - 2.6))
        _draw_bar(jobs[0], _BAR)
        _draw_cancel(jobs[0], frame)
    else:
        _draw_several(jobs)
    _draw_list(jobs, frame)


def _clear_end(width: float) -> None:
    """Put the cursor `width` before the right end of the window, and paint over what is there."""
    edge = imgui.get_window_width() - imgui.get_style().window_padding.x
    left, line = imgui.get_window_pos().x, imgui.get_cursor_screen_pos().y
    corner = ImVec2(left + edge - width - theme.em(_SPACE), line)
    end = ImVec2(left + edge, line + imgui.get_text_line_height())
    color = imgui.get_color_u32(imgui.Col_.window_bg)
    imgui.get_window_draw_list().add_rect_filled(corner, end, color)
    imgui.set_cursor_pos_x(edge - width)


def _draw_several(jobs: Sequence[RunningJob]) -> None:
    """Draw a button that opens the list, and the progress of the job that has come furthest."""
    words = ngettext("{count} job running", "{count} jobs running", len(jobs)).format(count=len(jobs))
    icon = fa.ICON_FA_LIST
    room = theme.em(WIDTH - _BAR - 2.6)
    with colored(theme.ACCENT):
        imgui.push_style_var(imgui.StyleVar_.frame_padding, ImVec2(0, 0))
        imgui.push_style_color(imgui.Col_.button, (0.0, 0.0, 0.0, 0.0))
        is_pressed = imgui.button(labeled(f"{icon}  {words}", "show_jobs"), ImVec2(room, 0))
        imgui.pop_style_color()
        imgui.pop_style_var()
    tooltip([job.title for job in jobs])
    if is_pressed:
        imgui.open_popup(_LIST)
    _draw_bar(max(jobs, key=lambda job: job.share or 0.0), _BAR)


def _draw_list(jobs: Sequence[RunningJob], frame: UiContext) -> None:
    """Draw the list of all jobs above the status bar, if it is open."""
    corner = imgui.get_main_viewport()
    place = ImVec2(corner.pos.x + corner.size.x, imgui.get_window_pos().y)
    imgui.set_next_window_pos(place, imgui.Cond_.always, ImVec2(1.0, 1.0))
    if not imgui.begin_popup(_LIST):
        return
    for job in jobs:
        with identified(job.lane):
            _draw_title(job, theme.em(_TITLES))
            _draw_bar(job, _LIST_BAR)
            _draw_cancel(job, frame)
            text(job.what, theme.DIM)
    imgui.end_popup()


def _draw_title(job: RunningJob, room: float) -> None:
    """Draw the title of a job in at most `room`, the next item behind it."""
    words = _("Cancelling…") if job.is_cancelled else job.title
    left = imgui.get_cursor_pos_x()
    corner = imgui.get_cursor_screen_pos()
    end = ImVec2(corner.x + room, corner.y + imgui.get_text_line_height())
    imgui.push_clip_rect(corner, end, True)
    text(words)
    imgui.pop_clip_rect()
    tooltip([job.title, *filter(None, (job.what, _count(job)))])
    imgui.same_line(left + room + theme.em(0.4))


def _draw_bar(job: RunningJob, width: float) -> None:
    """Draw the share that is done; a moving bar if that is not known."""
    share, height = job.share, imgui.get_text_line_height()
    words = "" if share is None else f"{share:.0%}"
    done = -float(imgui.get_time()) if share is None else share
    imgui.push_style_var(imgui.StyleVar_.frame_padding, ImVec2(0, 0))
    imgui.push_style_color(imgui.Col_.plot_histogram, imgui.get_style().color_(imgui.Col_.header))
    imgui.progress_bar(done, ImVec2(theme.em(width), height), words)
    imgui.pop_style_color()
    imgui.pop_style_var()
    tooltip([job.title, *filter(None, (readable(job.what), _count(job)))])
    imgui.same_line(0, theme.em(0.4))


def _count(job: RunningJob) -> str:
    return _("{done} of {total}").format(done=job.done, total=job.total) if job.total else ""


def _draw_cancel(job: RunningJob, frame: UiContext) -> None:
    imgui.begin_disabled(job.is_cancelled)
    if ghost_button(fa.ICON_FA_XMARK, f"cancel_{job.lane}", _("Cancel"), theme.DIM):
        frame.commands.window.cancel_job(job.lane)
    imgui.end_disabled()
