"""Controls of forms, menus and trees by their words, their id and a hint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeVar

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.ui.widgets import theme
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import Hint, ghost_button, labeled, text, tooltip

Value = TypeVar("Value")


def label(words: str, offset: float = 0.0, color: Color = theme.DIM) -> None:
    """Draw the label of a control, and continue next to it, or at an offset from the edge, font heights."""
    imgui.align_text_to_frame_padding()
    text(words, color)
    imgui.same_line(theme.em(offset))


def button(words: str, key: str, hint: Hint = "", *, is_enabled: bool = True, width: float = 0.0) -> bool:
    """Draw a button; tell whether it was pressed. Its width is as in `choose`; 0 is that of its words."""
    size = ImVec2(_pixels(width), 0)
    return _control(imgui.button, labeled(words, key), size, hint=hint, is_enabled=is_enabled)


def small_button(words: str, key: str, hint: Hint = "", *, is_enabled: bool = True) -> bool:
    """Draw a button as high as a line of text; tell whether it was pressed."""
    return _control(imgui.small_button, labeled(words, key), hint=hint, is_enabled=is_enabled)


def checkbox(
    words: str, key: str, hint: Hint = "", *, is_on: bool, is_enabled: bool = True, is_mixed: bool = False
) -> bool:
    """Draw a switch; tell whether it was turned. It is mixed if it stands for several that are not alike."""
    imgui.push_item_flag(imgui.ItemFlags_.mixed_value, is_mixed)
    is_turned = _control(imgui.checkbox, labeled(words, key), is_on, hint=hint, is_enabled=is_enabled)[0]
    imgui.pop_item_flag()
    return is_turned


def radio_button(words: str, key: str, hint: Hint = "", *, is_on: bool, is_enabled: bool = True) -> bool:
    """Draw one of several choices; tell whether it was chosen."""
    return _control(imgui.radio_button, labeled(words, key), is_on, hint=hint, is_enabled=is_enabled)


def _control(draw: Callable[..., Value], *arguments: object, hint: Hint, is_enabled: bool = True) -> Value:
    if not is_enabled:
        imgui.begin_disabled()
    done = draw(*arguments)
    if not is_enabled:
        imgui.end_disabled()
    if hint:
        tooltip(hint)
    return done


def _pixels(width: float) -> float:
    return width if width < 0 else theme.em(width)


def choose(
    name: str,
    choices: Mapping[Value, str],
    chosen: Value,
    width: float | None = None,
    *,
    shown: str = "",
    prefix: str = "",
    hints: Mapping[Value, str] = MappingProxyType({}),
) -> Value:
    """Draw a list of values by their words; return the one that is chosen then.

    Parameters
    ----------
    width
        In font heights, or -1 for all there is.
    shown
        What the closed list says, if that is not what the chosen value is called.
    prefix
        Begins the ids of the values.
    """
    if width is not None:
        imgui.set_next_item_width(_pixels(width))
    if imgui.begin_combo(name, shown or str(choices[chosen])):
        for value, words in choices.items():
            if imgui.selectable(labeled(words, f"{prefix}{value}"), value == chosen)[0]:
                chosen = value
            if value in hints:
                tooltip(hints[value])
        imgui.end_combo()
    return chosen


def menu_item(
    words: str, key: str, keys: str = "", *, icon: str = "", is_on: bool = False, is_enabled: bool = True
) -> bool:
    """Draw an item of an open menu, with the keys that do the same; tell whether it was chosen."""
    words = f"{icon}  {words}" if icon else words
    return imgui.menu_item(labeled(words, key), keys, is_on, is_enabled)[0]


def fold_button(
    name: str, hint: Hint, *, is_open: bool, has_children: bool = True, is_in_tree: bool = False
) -> bool:
    """Draw the arrow of a row, or leave its room if nothing is below it; tell whether it was pressed."""
    if has_children:
        icon = fa.ICON_FA_CARET_DOWN if is_open else fa.ICON_FA_CARET_RIGHT
        return ghost_button(icon, name, hint, theme.DIM, is_in_tree=is_in_tree)
    side = imgui.get_text_line_height()
    imgui.dummy(ImVec2(side * 1.25, side))
    return False


def same_line_if_room(width: float) -> None:
    """Continue in the line of the item before if a width has room there, in pixels, else in the next one."""
    imgui.same_line()
    if imgui.get_content_region_avail().x < width:
        imgui.new_line()


def continue_line(width: float) -> None:
    """Continue in the line of the item before if a width, font heights, has room there, else in the next."""
    imgui.same_line(0, theme.em(0.6))
    if imgui.get_content_region_avail().x < theme.em(width):
        imgui.new_line()


LABELS: Final = 5.6
"""Width of the labels, font heights."""
LEAST: Final = 14.0
"""Least width of a panel that has labels and values side by side, font heights."""


def row_label(words: str) -> None:
    """Draw the label of a row, and continue next to it; in a narrow panel below it."""
    is_wide = imgui.get_content_region_avail().x >= theme.em(LEAST)
    if is_wide:
        imgui.align_text_to_frame_padding()
    if is_wide or words:
        text(words, theme.DIM)
    if is_wide:
        imgui.same_line(theme.em(LABELS))
