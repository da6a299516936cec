"""Check boxes of the options of a view, each where its declaration puts it."""

from __future__ import annotations

from viewer.session.options import Declared, option_at, options_of
from viewer.session.view.view_state import ViewState
from viewer.translation import Text
from viewer.ui.context import UiContext
from viewer.ui.widgets import controls
from viewer.ui.widgets.controls import row_label


def turn(frame: UiContext, option: Declared) -> None:
    """Turn a switch of the view."""
    frame.change(option.switched)
    if option.option.moves_camera:
        frame.later(frame.control.camera.restore)


def draw_switch(frame: UiContext, name: str, *more: Text | str) -> None:
    """Draw the check box of the option at some attributes, ``lighting.has_fog``; `more` are hints too."""
    _draw(frame, option_at(ViewState, name), more)


def draw_switches(frame: UiContext, section: str, caption: str = "") -> None:
    """Draw the check boxes of a section in a row each; the caption is next to the first."""
    for option in (it for it in options_of(ViewState) if it.option.section == section):
        row_label(caption)
        _draw(frame, option, ())
        caption = ""


def _draw(frame: UiContext, option: Declared, more: tuple[Text | str, ...]) -> None:
    said = option.option
    hint = [*map(str, (*said.hint, *more))]
    if controls.checkbox(str(said.label or said.title), option.key, hint, is_on=option.of(frame.view)):
        turn(frame, option)
