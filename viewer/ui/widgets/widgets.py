"""Basic widgets: buttons with icons, tooltips, dimmed text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import Final, Self

from imgui_bundle import ImVec2, ImVec4, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer import translation
from viewer.translation import _
from viewer.ui.widgets import theme
from viewer.ui.widgets.theme import Color

# As numbers: an operator on ImGui's enumerations costs forty times the call that takes the result.
_FOR_TOOLTIP: Final = int(imgui.HoveredFlags_.for_tooltip) | int(imgui.HoveredFlags_.allow_when_disabled)
_TEXT: Final = int(imgui.Col_.text)
_BUTTON: Final = int(imgui.Col_.button)
_FRAME_PADDING: Final = int(imgui.StyleVar_.frame_padding)
_NO_PADDING: Final = ImVec2(0, 0)
_TRANSPARENT: Final = ImVec4(0, 0, 0, 0)
STAGE: Final = "viewport"
"""Id of the panel in the middle, which the tooltips of others leave free."""
TOOLTIP_WIDTH: Final = 26.0
"""Width at which the text of a tooltip is wrapped, font heights."""
Hint = str | Iterable[str] | Callable[[], str | Iterable[str]]
"""The lines of a tooltip, or what makes them: only one item in a frame needs them."""


class colored:  # noqa: N801 read as a statement: with colored(theme.DIM)
    """Draws text in a color inside the block; a class, as a generator costs four times as much per row."""

    __slots__ = ("_color",)

    def __init__(self, color: Color) -> None:
        self._color = theme.vector(color)

    def __enter__(self) -> None:
        imgui.push_style_color(_TEXT, self._color)

    def __exit__(self, *_ignored: object) -> None:
        imgui.pop_style_color()


class identified:  # noqa: N801 as above
    """Keeps the ids of items inside the block apart from those of other `key` values."""

    __slots__ = ("_key",)

    def __init__(self, key: int | str) -> None:
        self._key = key

    def __enter__(self) -> None:
        imgui.push_id(self._key)

    def __exit__(self, *_ignored: object) -> None:
        imgui.pop_id()


def labeled(words: str, key: str) -> str:
    """Return the label of an item that shows `words` and whose ImGui id is `key` in every language."""
    return f"{words}###{key}"


def readable(words: str) -> str:
    """Return a path as valid UTF-8, which ImGui requires; a file name may hold any bytes."""
    return translation.readable(words)


def text(words: str, color: Color = theme.TEXT) -> None:
    """Draw one line of text without formatting."""
    # The binding passes the text as the argument of "%s": a percent sign in it means nothing.
    imgui.text_colored(theme.vector(color), words if words.isascii() else readable(words))


def fitting(choices: Iterable[str], room: float) -> str:
    """Return the first of some texts that is at most `room` wide, else an empty text."""
    return next((words for words in choices if imgui.calc_text_size(words).x <= room), "")


def cut(words: str, color: Color = theme.TEXT, room: float | None = None) -> None:
    """Draw a line of text, which ends in dots if there is no room for all of it, by default in the panel."""
    text(shortened(words, imgui.get_content_region_avail().x if room is None else room), color)


def shortened(words: str, room: float) -> str:
    """Return a line of text, which ends in dots if it is wider than the room."""
    if imgui.calc_text_size(words).x <= room:
        return words
    # Widths grow with the length, so the longest text that fits is found by halving.
    last = bisect_left(range(len(words)), room, key=lambda at: imgui.calc_text_size(f"{words[:at]}…").x)
    return f"{words[: max(last - 1, 0)].rstrip()}…"


def in_lines(words: str, room: float, most: int) -> str:
    """Return a text in at most so many lines, broken at spaces; the last one ends in dots if it is cut."""
    lines: list[str] = []
    while len(lines) < most - 1 and imgui.calc_text_size(words).x > room:
        ends = [at for at, letter in enumerate(words) if letter == " "]
        fit = bisect_left(ends, room, key=lambda at: imgui.calc_text_size(words[:at]).x)
        if not fit:
            break
        lines.append(words[: ends[fit - 1]])
        words = words[ends[fit - 1] + 1 :]
    return "\n".join([*lines, shortened(words, room)])


def wrapped(words: str, color: Color = theme.TEXT) -> None:
    """Draw a paragraph as wide as the panel."""
    imgui.push_text_wrap_pos(0.0)
    text(words, color)
    imgui.pop_text_wrap_pos()


def wrapped_link(name: str, words: str, color: Color = theme.TEXT) -> bool:
    """Write a paragraph as wide as the panel that can be clicked, and tell whether it was."""
    words, width = readable(words), max(imgui.get_content_region_avail().x, 1.0)
    is_clicked = imgui.invisible_button(name, imgui.calc_text_size(words, False, width))
    if imgui.is_item_hovered():
        imgui.set_mouse_cursor(imgui.MouseCursor_.hand)
        color = theme.ACCENT
    font, size, corner = imgui.get_font(), imgui.get_font_size(), imgui.get_item_rect_min()
    imgui.get_window_draw_list().add_text(font, size, corner, theme.packed(color), words, width)
    return is_clicked


def tooltip(
    words: Hint,
    draw_above: Callable[[], None] | None = None,
    *,
    is_beside: bool = False,
    is_clear: bool = False,
    is_below: bool = False,
) -> None:
    """Show a tooltip for the last item while the mouse is over it.

    One of a panel at the side of the viewport does not cover that.

    Parameters
    ----------
    draw_above
        Draws the part above the text.
    is_beside
        Show it next to the window, or above or below a panel at the side, so that it covers no row of a tree.
    is_clear
        Show it above or below the panel as wide as that, so that it covers no row and not the viewport.
    is_below
        Show it below the item under the pointer, so that it covers nothing that can be dragged.
    """
    if not imgui.is_item_hovered(_FOR_TOOLTIP):
        return
    words = words() if callable(words) else words
    width = theme.em(TOOLTIP_WIDTH)
    is_at_side = _is_at_side()
    if is_clear or (is_beside and is_at_side):
        width = _place_clear()
    elif is_below:
        imgui.set_next_window_pos(
            ImVec2(imgui.get_mouse_pos().x, imgui.get_item_rect_max().y + theme.em(0.2))
        )
    elif is_beside:
        _place_beside()
    elif is_at_side:
        width = _place_in_column()
    lines = [words] if isinstance(words, str) else list(words)
    imgui.begin_tooltip()
    if draw_above is not None:
        draw_above()
    imgui.push_text_wrap_pos(width)
    for number, line in enumerate(lines):
        text(str(line), theme.TEXT if number == 0 else theme.DIM)
    imgui.pop_text_wrap_pos()
    imgui.end_tooltip()


def _is_at_side() -> bool:
    """Whether the current panel has the viewport to its right or left."""
    panel, stage = imgui.internal.get_current_window().root_window, imgui.internal.find_window_by_name(STAGE)
    if stage is None or panel.pos.x < 0:
        return False
    return stage.pos.x >= panel.pos.x + panel.size.x or stage.pos.x + stage.size.x <= panel.pos.x


def _place_in_column() -> float:
    """Place the next window below the last item, or above a low one, in the panel; returns its width."""
    panel, gap = imgui.internal.get_current_window().root_window, theme.em(0.2)
    start, end = imgui.get_item_rect_min(), imgui.get_item_rect_max()
    is_low = start.y > imgui.get_main_viewport().get_center().y
    is_right = (start.x + end.x) / 2 > panel.pos.x + panel.size.x / 2
    x = panel.pos.x + panel.size.x if is_right else panel.pos.x
    y = start.y - gap if is_low else end.y + gap
    imgui.set_next_window_pos(ImVec2(x, y), imgui.Cond_.always, ImVec2(is_right, is_low))
    imgui.set_next_window_size_constraints(ImVec2(0, 0), ImVec2(panel.size.x, 1e9))
    return min(theme.em(TOOLTIP_WIDTH), panel.size.x - 2 * imgui.get_style().window_padding.x)


def _place_beside() -> None:
    """Place the next window to the right or left of the current panel, or above the last item."""
    panel = imgui.internal.get_current_window().root_window
    view, gap, width = imgui.get_main_viewport(), theme.em(0.4), theme.em(TOOLTIP_WIDTH + 2)
    start, end = imgui.get_item_rect_min(), imgui.get_item_rect_max()
    is_low = start.y > view.get_center().y
    y = end.y if is_low else start.y
    right = panel.pos.x + panel.size.x
    if right + width <= view.pos.x + view.size.x:
        imgui.set_next_window_pos(ImVec2(right + gap, y), imgui.Cond_.always, ImVec2(0, is_low))
    elif panel.pos.x - width >= view.pos.x:
        imgui.set_next_window_pos(ImVec2(panel.pos.x - gap, y), imgui.Cond_.always, ImVec2(1, is_low))
    else:
        imgui.set_next_window_pos(ImVec2(start.x, start.y - gap), imgui.Cond_.always, ImVec2(0, 1))


def _place_clear() -> float:
    """Place the next window above or below the current panel, or inside one that has the viewport there.

    Returns the width of its text.
    """
    panel = imgui.internal.get_current_window().root_window
    start, end = panel.pos, panel.pos + panel.size
    is_clear = _is_at_side() or imgui.internal.find_window_by_name(STAGE) is None
    middle = imgui.get_main_viewport().get_center().y if is_clear else (start.y + end.y) / 2
    is_low = ((start.y + end.y) / 2 if is_clear else imgui.get_item_rect_min().y) > middle
    place = ImVec2(start.x, start.y if is_low else end.y)
    imgui.set_next_window_pos(place, imgui.Cond_.always, ImVec2(0, is_low if is_clear else not is_low))
    imgui.set_next_window_size_constraints(ImVec2(0, 0), ImVec2(panel.size.x, 1e9))
    return min(theme.em(TOOLTIP_WIDTH), panel.size.x - 2 * imgui.get_style().window_padding.x)


class switched:  # noqa: N801 as above
    """Draws buttons inside the block as switches that are on, if they are."""

    __slots__ = ("_is_on",)

    def __init__(self, *, is_on: bool) -> None:
        self._is_on = is_on

    def __enter__(self) -> None:
        if self._is_on:
            imgui.push_style_color(_BUTTON, theme.vector(theme.CHOSEN))

    def __exit__(self, *_ignored: object) -> None:
        if self._is_on:
            imgui.pop_style_color()


class flat:  # noqa: N801 as above
    """Draws buttons inside the block without a frame."""

    __slots__ = ()

    def __enter__(self) -> Self:
        imgui.push_style_var(_FRAME_PADDING, _NO_PADDING)
        imgui.push_style_color(_BUTTON, _TRANSPARENT)
        return self

    def __exit__(self, *_ignored: object) -> None:
        imgui.pop_style_color()
        imgui.pop_style_var()


def icon_button(
    icon: str, name: str, hint: str | Callable[[], str], *, is_on: bool = False, is_enabled: bool = True
) -> bool:
    """Draw a square button; tell whether it was pressed.

    Parameters
    ----------
    hint
        The lines of its tooltip, or what makes them.
    name
        Its id, also for tests: the button is found as ``###name``.
    is_on
        Whether to draw it as a switch that is on.
    """
    side = imgui.get_frame_height()
    # As `switched`: bars have dozens of them.
    if not is_enabled:
        imgui.begin_disabled()
    if is_on:
        imgui.push_style_color(_BUTTON, theme.vector(theme.CHOSEN))
    pressed = imgui.button(f"{icon}###{name}", ImVec2(side, side))
    if is_on:
        imgui.pop_style_color()
    if not is_enabled:
        imgui.end_disabled()
    if imgui.is_item_hovered(_FOR_TOOLTIP):
        tooltip((hint() if callable(hint) else hint).split("\n"))
    return pressed


def ghost_button(icon: str, name: str, hint: Hint, color: Color, *, is_in_tree: bool = False) -> bool:
    """Draw an icon button without a frame, as high as a line of text; in a tree its tooltip is next to it."""
    side = imgui.get_text_line_height()
    # As `flat` and `colored`: rows of a list have up to three of them.
    imgui.push_style_var(_FRAME_PADDING, _NO_PADDING)
    imgui.push_style_color(_BUTTON, _TRANSPARENT)
    imgui.push_style_color(_TEXT, theme.vector(color))
    pressed = imgui.button(f"{icon}###{name}", ImVec2(side * 1.25, side))
    imgui.pop_style_color(2)
    imgui.pop_style_var()
    if imgui.is_item_hovered(_FOR_TOOLTIP):
        tooltip(hint, is_beside=is_in_tree)
    return pressed


def swatch(name: str, color: Color) -> None:
    """Draw a filled rectangle as high as a line of text, aligned with the text next to it."""
    side = imgui.get_text_line_height()
    # In a line with framed items text is lower by their padding; the rectangle follows it.
    shift = imgui.internal.get_current_window().dc.curr_line_text_base_offset
    imgui.set_cursor_pos_y(imgui.get_cursor_pos_y() + shift)
    flags = int(imgui.ColorEditFlags_.no_tooltip) | int(imgui.ColorEditFlags_.no_drag_drop)
    imgui.color_button(f"##{name}", ImVec4(*color), flags, ImVec2(side * 1.4, side))


def section(title: str, *, is_open_at_first: bool = True) -> bool:
    """Begin a section; tell whether it is expanded."""
    imgui.push_style_color(imgui.Col_.header, theme.vector(theme.SECTION))
    is_open = imgui.collapsing_header(
        title, imgui.TreeNodeFlags_.default_open if is_open_at_first else imgui.TreeNodeFlags_.none
    )
    imgui.pop_style_color()
    return is_open


def empty(words: str) -> None:
    """Draw the text of an empty panel in its middle."""
    room = imgui.get_content_region_avail()
    width = min(imgui.calc_text_size(words).x, room.x)
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + (room.x - width) / 2)
    imgui.set_cursor_pos_y(imgui.get_cursor_pos_y() + max(theme.em(1), room.y * 0.35))
    wrapped(words, theme.DIM)


def copy_menu(
    name: str, words: str | Callable[[], str], draw_more: Callable[[], None] = lambda: None
) -> None:
    """Add a context menu to the last item that copies a text; `draw_more` draws its other entries.

    Parameters
    ----------
    words
        The text, or what makes it.
    """
    if imgui.begin_popup_context_item(name):
        if imgui.menu_item_simple(labeled(f"{fa.ICON_FA_COPY}  {_('Copy')}", "copy")):
            imgui.set_clipboard_text(readable(words() if callable(words) else words))
        draw_more()
        imgui.end_popup()
