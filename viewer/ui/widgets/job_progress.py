"""Progress of a job, a button that cancels it, and the files that it could not read."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.session.jobs import RunningJob
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import ghost_button, text, tooltip

MOST_NAMED: Final = 12
"""Unreadable files that a tooltip names."""


def job_in(frame: UiContext, lane: str) -> RunningJob | None:
    """Return the job of a lane; None before it has run for a moment."""
    return next((job for job in frame.state.jobs if job.lane == lane), None)


def draw_progress(frame: UiContext, lane: str, words: str, key: str) -> None:
    """Draw how far the job of a lane is, `words` before that is known, and a button that cancels it."""
    job = job_in(frame, lane)
    if job is not None and job.total:
        words = _("{done} of {total}: {name}", done=job.done, total=job.total, name=job.what)
    text(words, theme.DIM)
    draw_cancel(frame, lane, key, _("Cancel"))


def draw_cancel(frame: UiContext, lane: str, key: str, hint: str) -> None:
    """Draw a button that cancels the job of a lane next to the item before, if one runs."""
    job = job_in(frame, lane)
    if job is not None and not job.is_cancelled:
        imgui.same_line()
        if ghost_button(fa.ICON_FA_XMARK, key, hint, theme.DIM):
            frame.later(frame.control.window.cancel_job, lane)


def draw_unreadable(title: str, unreadable: Mapping[Any, str]) -> None:
    """Draw a mark with a tooltip that names what could not be read, and why."""
    text(fa.ICON_FA_TRIANGLE_EXCLAMATION, theme.WARNING)
    reasons = (f"{name}: {translated(why)}" for name, why in unreadable.items())
    tooltip([title, *islice(reasons, MOST_NAMED)])
