"""The section about motion: what becomes of the root."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from imgui_bundle import imgui

from viewer.session.view.playback import Root
from viewer.translation import Message, _
from viewer.ui.context import UiContext
from viewer.ui.widgets.widgets import labeled, tooltip

ROOT_TRAVEL: Final = Message("Root travel")


def draw(frame: UiContext) -> None:
    """Draw the section."""
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
