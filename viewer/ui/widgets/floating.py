"""Windows and cards over the panels: those that open on request, questions that take all input, hints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import ClassVar, Final

from imgui_bundle import ImVec2, imgui
from msgspec import Struct

from viewer.translation import Text
from viewer.ui.widgets import key_focus, theme
from viewer.ui.widgets.widgets import labeled, switched, tooltip

LARGEST_SHARE: Final = 0.9
"""Largest share of the space between the bars, in both directions."""


def place_in_middle(width: float, height: float, when: imgui.Cond_ = imgui.Cond_.appearing) -> None:
    """Place the next window in the middle, in font heights; it is smaller where there is no room for it."""
    viewport = imgui.get_main_viewport()
    most = viewport.work_size * LARGEST_SHARE
    size = ImVec2(min(theme.em(width), most.x), min(theme.em(height), most.y))
    imgui.set_next_window_pos(viewport.get_work_center(), imgui.Cond_.appearing, ImVec2(0.5, 0.5))
    imgui.set_next_window_size(size, when)


@contextmanager
def over_all(name: str) -> Iterator[None]:
    """Begin and end a window as large as that of the program."""
    imgui.set_next_window_pos(ImVec2(0, 0))
    imgui.set_next_window_size(imgui.get_io().display_size)
    imgui.begin(name)
    yield
    imgui.end()


_CLOSED: Final = nullcontext(False)


class Floating:
    """A window that is shown on request; subclasses draw its content.

    Attributes
    ----------
    id
        Its name in every language.
    title
        The text of its title bar.
    size
        Width and height when it opens, in font heights, if there is room.
    """

    id: ClassVar[str]
    title: ClassVar[Text]
    size: ClassVar[tuple[float, float]]

    def __init__(self) -> None:
        self.is_open = False

    def toggle(self, _frame: object = None) -> None:
        """Show the window, or hide it; also the effect of an action."""
        self.is_open = not self.is_open

    def place(self) -> None:
        """Place the window when it opens."""
        place_in_middle(*self.size)

    def window(self) -> AbstractContextManager[bool]:
        """Begin and end the window if it is open; gives whether its content is visible."""
        return self._window() if self.is_open else _CLOSED

    @contextmanager
    def asked(self, what: object, close: Callable[[], None]) -> Iterator[bool]:
        """Begin and end the window while there is something to ask or to report; closing it calls `close`."""
        self.is_open = what is not None
        try:
            with self.window() as is_shown:
                yield is_shown
        finally:
            if what is not None and not self.is_open:
                close()

    @contextmanager
    def _window(self) -> Iterator[bool]:
        self.place()
        label = labeled(str(self.title), self.id)
        is_shown, is_open = imgui.begin(label, True, imgui.WindowFlags_.no_docking)
        try:
            yield is_shown
            # After the content: a text field inside that takes the Esc has locked it.
            if imgui.is_window_focused(imgui.FocusedFlags_.root_and_child_windows):
                is_open = is_open and not key_focus.takes_escape()
        except BaseException:
            is_open = False  # it would fail in every frame
            raise
        finally:
            self.is_open = self.is_open and bool(is_open)
            imgui.end()


BUTTON: Final = 8.0
"""Least width of a button, font heights."""


@contextmanager
def modal(name: str, title: str, width: float, height: float = 0.0, *, is_asked: bool) -> Iterator[bool]:
    """Begin and end a question; gives whether its content is to be drawn.

    Parameters
    ----------
    width, height
        In font heights; a height of 0 is that of the content.
    is_asked
        Opens it, and closes it once it is not asked any more.
    """
    if is_asked and not imgui.is_popup_open(name):
        imgui.open_popup(name)
    if not imgui.is_popup_open(name):
        yield False
        return
    place_in_middle(width, height, imgui.Cond_.appearing if height else imgui.Cond_.always)
    if not imgui.begin_popup_modal(labeled(title, name), None, imgui.WindowFlags_.no_saved_settings)[0]:
        yield False
        return
    try:
        yield is_asked
        # Answered meanwhile: ImGui keeps a popup open until it is closed from inside.
        if not is_asked:
            imgui.close_current_popup()
    finally:
        imgui.end_popup()


def answer(words: str, key: str, hint: str = "", *, is_enabled: bool = True, is_main: bool = False) -> bool:
    """Draw a button that answers a question; Enter presses the main one of the window that has the focus.

    Tells whether it was pressed. An Enter in a field is of the field. The button follows the one before in
    the same line, or begins another one if there is no room.
    """
    width = max(imgui.calc_text_size(words).x + 2 * theme.em(0.9), theme.em(BUTTON))
    # `same_line` after the button before has put the cursor here.
    if imgui.get_content_region_avail().x < width:
        imgui.new_line()
    imgui.begin_disabled(not is_enabled)
    with switched(is_on=is_main):
        is_pressed = imgui.button(labeled(words, key), ImVec2(width, 0))
    imgui.end_disabled()
    if hint:
        tooltip(hint.split("\n"))
    imgui.same_line()
    is_focused = imgui.is_window_focused(imgui.FocusedFlags_.root_and_child_windows)
    has_enter = is_main and is_enabled and is_focused and not key_focus.is_typing()
    return is_pressed or (has_enter and key_focus.is_entered())


MIDDLE: Final = (0.5, 0.45)
UPPER_LEFT: Final = (0.0, 0.0)
LOWER_LEFT: Final = (0.0, 1.0)
LOWER_RIGHT: Final = (1.0, 1.0)
MARGIN: Final = 0.8
PADDING: Final = (0.9, 0.7)
LABELS: Final = 1.4
"""Height of the labels along the lower edge of the viewport; all of these in font heights."""
_FLAGS: Final = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_docking
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_focus_on_appearing
    | imgui.WindowFlags_.no_nav
    | imgui.WindowFlags_.always_auto_resize
)


class Area(Struct, frozen=True):
    """The area of the viewport on screen, ImGui units."""

    left: float
    top: float
    width: float
    height: float

    @classmethod
    def of_room(cls) -> Area:
        """Return the remaining area of the current window."""
        corner, room = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail()
        return cls(corner.x, corner.y, room.x, room.y)

    @property
    def right(self) -> float:
        """The edge on the right."""
        return self.left + self.width

    @property
    def corners(self) -> tuple[ImVec2, ImVec2]:
        """The upper left and the lower right corner."""
        return ImVec2(self.left, self.top), ImVec2(self.left + self.width, self.top + self.height)

    @property
    def card_room(self) -> tuple[float, float]:
        """Width and height that the content of a card may have."""
        across = self.width - 2 * theme.em(MARGIN + PADDING[0])
        return across, self.height - 2 * theme.em(MARGIN + PADDING[1]) - theme.em(LABELS)


@contextmanager
def card(name: str, area: Area, pivot: tuple[float, float] = MIDDLE) -> Iterator[None]:
    """A small window over the viewport; `pivot` is its corner, (0, 0) upper left to (1, 1) lower right."""
    margin = theme.em(MARGIN)
    x = area.left + margin + (area.width - 2 * margin) * pivot[0]
    y = area.top + margin + (area.height - 2 * margin - theme.em(LABELS)) * pivot[1]
    imgui.set_next_window_pos(ImVec2(x, y), imgui.Cond_.always, ImVec2(*pivot))
    imgui.push_style_var(imgui.StyleVar_.window_padding, ImVec2(*map(theme.em, PADDING)))
    imgui.push_style_color(imgui.Col_.window_bg, theme.vector(theme.BACKDROP))
    imgui.begin(name, None, _FLAGS)
    imgui.pop_style_color()
    imgui.pop_style_var()
    try:
        yield
    finally:
        imgui.end()
