"""Controls of the options of a view, each where its declaration puts it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import Any

from imgui_bundle import imgui

from viewer.control.settings.settings import Settings
from viewer.options import Declared, option_at, options_of
from viewer.session.view.view_state import ViewState
from viewer.translation import Text, _
from viewer.ui.context import UiContext
from viewer.ui.display.rows import choices
from viewer.ui.viewport.obstacles import choice_obstacle, option_obstacle
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.controls import row_label
from viewer.ui.widgets.icons import icon_named
from viewer.ui.widgets.names import name_of
from viewer.ui.widgets.widgets import icon_button, labeled, tooltip


def turn(frame: UiContext, option: Declared) -> None:
    """Turn a switch of the view."""
    frame.change(option.switched)
    if option.option.moves_camera:
        frame.later(frame.control.camera.restore)


@cache
def all_options() -> tuple[Declared, ...]:
    """The options of the view, then those of the settings."""
    return (*options_of(ViewState), *(it for it in options_of(Settings) if it.path[0] != "view"))


def options_in(section: str) -> Iterator[Declared]:
    """The options of a section: those of the view, then those of the settings."""
    return (it for it in all_options() if it.option.section == section)


def holder_of(frame: UiContext, option: Declared) -> ViewState | Settings:
    """The value that has the field of an option: the view, or the settings.

    An option of reading that links hold is that with which the document was read.
    """
    if option in options_of(ViewState):
        return frame.view
    document, settings = frame.document, frame.state.settings
    if document is None or not option.option.link:
        return settings
    return option.set(settings, getattr(document.source.options, option.path[-1]))


def value_of(frame: UiContext, option: Declared) -> Any:
    """The value of an option of the view, or of the settings."""
    return option.of(holder_of(frame, option))


def choose(frame: UiContext, option: Declared, value: Any) -> None:
    """Choose a value of an option of the view, or of the settings; of a set it is switched."""
    if option in options_of(ViewState):
        frame.change(partial(option.picked, found=value))
    elif option.option.link:
        frame.later(frame.control.opening.choose, option, value)
    else:
        frame.later(frame.control.settings.choose, option, value)


def draw_option(frame: UiContext, name: str, *more: Text | str) -> None:
    """Draw the check box or the choices of the option at some attributes, ``lighting.has_fog``.

    Parameters
    ----------
    more
        Lines of the tooltip of a check box, after its own.
    """
    _draw(frame, option_at(ViewState, name), more)


def draw_options(frame: UiContext, section: str, caption: str = "") -> None:
    """Draw the options of a section in a row each.

    Parameters
    ----------
    caption
        The label of the first check box; choices have one of their own.
    """
    for option in options_in(section):
        row_label(option.label if option.option.choices else caption)
        _draw(frame, option, ())
        caption = ""


def _draw(frame: UiContext, option: Declared, more: tuple[Text | str, ...]) -> None:
    said = option.option
    if said.choices:
        _draw_choices(frame, option)
        return
    reason = option_obstacle(frame, option)
    hint = [*map(str, (*said.hint, *more)), *([reason] if reason else [])]
    is_on = bool(option.of(frame.view)) and not reason
    if controls.checkbox(option.label, option.key, hint, is_on=is_on, is_enabled=not reason):
        turn(frame, option)


def _draw_choices(frame: UiContext, option: Declared) -> None:
    """Draw a radio button for each choice."""
    known = {it.value: it for it in option.option.choices}
    hints = {value: it.hint for value, it in known.items()}
    obstacles = {value: choice_obstacle(frame, option, it) for value, it in known.items()}
    for value in choices(known, value_of(frame, option), hints, obstacles=obstacles):
        choose(frame, option, value)


def draw_button(frame: UiContext, option: Declared) -> None:
    """Draw the icon button of an option: a switch, or one that goes from each choice to the next."""
    if option.option.choices:
        _draw_steps(frame, option)
        return
    said, reason = option.option, option_obstacle(frame, option)
    is_on = bool(option.of(frame.view)) and not reason
    icon = icon_named(said.icon)
    if icon_button(icon, option.key, partial(_said, option, reason), is_on=is_on, is_enabled=not reason):
        turn(frame, option)


def _said(option: Declared, reason: str) -> str:
    """The lines of the tooltip of a button."""
    said = option.option
    keys = said.action.keys if said.action else ""
    lines = [str(said.title), _("Key: {keys}", keys=keys) if keys else "", *map(str, said.hint), reason]
    return "\n".join(filter(None, lines))


def _draw_steps(frame: UiContext, option: Declared) -> None:
    now, after = option.choice(option.of(frame.view)), option.following(frame.view)

    def hint() -> str:
        title = option.option.title
        words = _("{title}: {now}\nClick: {following}", title=title, now=now.title, following=after.title)
        return "\n".join(map(str, (words, *option.option.hint)))

    if icon_button(icon_named(now.icon), option.key, hint):
        frame.change(partial(option.chosen, found=after.value))


def draw_list(frame: UiContext, option: Declared, width: float) -> None:
    """Draw the choices of an option as a list, `width` in font heights."""
    now = option.of(frame.view)
    imgui.set_next_item_width(theme.em(width))
    if imgui.begin_combo(f"##{option.key}", name_of(now), imgui.ComboFlags_.height_largest):
        for choice in option.option.choices:
            reason = choice_obstacle(frame, option, choice)
            flags = imgui.SelectableFlags_.disabled if reason else imgui.SelectableFlags_.none
            words = labeled(str(choice.title), str(choice.value))
            if imgui.selectable(words, choice.value == now, flags)[0]:
                frame.change(partial(option.chosen, found=choice.value))
            if reason:
                tooltip(reason)
        imgui.end_combo()
    tooltip(lambda: [str(option.option.title), *map(str, option.option.hint)])
