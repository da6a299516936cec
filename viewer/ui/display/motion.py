"""The section about motion: the root, what is played, the channels."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.session.opened.document import Document
from viewer.session.play.playback import Root
from viewer.session.play.playing import reset_channels, step_playable
from viewer.translation import Message, _
from viewer.ui.context import UiContext
from viewer.ui.display.parts import row_label
from viewer.ui.timeline.clip_texts import clip_name
from viewer.ui.timeline.ranges import range_text
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import icon_button, labeled, text, tooltip

ROOT_TRAVEL: Final = Message("Root travel")


def draw(frame: UiContext) -> None:
    """Draw the section."""
    row_label(_("root"))
    is_on = frame.view.playback.root is Root.TRAVEL
    changed, _is_on = imgui.checkbox(labeled(str(ROOT_TRAVEL), "root_travel"), is_on)
    tooltip(
        (
            _("The first node keeps its stored translation if it has no parent."),
            _("The game leaves it out: there the controller moves the body."),
        )
    )
    if changed:
        frame.change(lambda view: replace(view, playback=view.playback.with_other_root()))
    if frame.document is not None and frame.document.animation.is_animated:
        _draw_played(frame, frame.document)
    if frame.document is not None and frame.document.controller.channels:
        _draw_channels(frame)


def _draw_played(frame: UiContext, document: Document) -> None:
    """Draw what is played, with buttons to the ones before and after it."""
    row_label(_("played"))
    for icon, name, step, hint in (
        (fa.ICON_FA_CARET_LEFT, "previous_clip", -1, _("Previous clip") + "\nShift+Left"),
        (fa.ICON_FA_CARET_RIGHT, "next_clip", 1, _("Next clip") + "\nShift+Right"),
    ):
        if icon_button(icon, name, hint):
            frame.change(partial(step_playable, document=document, ranges=frame.state.ranges, step=step))
        imgui.same_line(0, theme.em(0.2))
    clip = document.controller.clip(frame.view.playback.clip)
    imgui.align_text_to_frame_padding()
    if clip is not None:
        text(clip_name(clip))
        if clip.is_guess:
            imgui.same_line(0, theme.em(0.5))
            text(_("guess"), theme.FAINT)
    else:
        text(_("Whole strip") if frame.view.frames is None else range_text(frame.view.frames))


def _draw_channels(frame: UiContext) -> None:
    row_label(_("channels"))
    playback = frame.view.playback
    imgui.begin_disabled(not (playback.channels or playback.turning))
    if imgui.button(labeled(_("Reset all"), "reset_channels")):
        frame.change(reset_channels)
    imgui.end_disabled()
