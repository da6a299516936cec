"""Windows that are drawn as they are, in frames that change nothing in them."""

from __future__ import annotations

from typing import Final, NamedTuple

from imgui_bundle import ImVec2, imgui

_CHILD_WINDOW: Final = int(imgui.WindowFlags_.child_window)
_AVOID_REFRESH: Final = int(imgui.internal.WindowRefreshFlags_.try_to_avoid_refresh)


class BeginResult(NamedTuple):
    """The result of beginning a window: content is drawn, still open, kept."""

    is_shown: bool
    is_open: bool | None
    is_kept: bool = False


class KeptWindows:
    """Lets ImGui draw panels and bars again as it drew them in the last frame; owner: the shell.

    That is its refresh policy for windows, which is experimental: it does not know of docking, so the window
    that holds a docked one must be informed here. Panels under the pointer or with the keyboard focus,
    and those that have just lost either, are never kept.
    """

    def __init__(self) -> None:
        self._live: set[int] = set()
        self._touched: set[int] = set()
        self._atlas: object = None
        self._may_keep = False

    def follow(self, *, may_keep: bool) -> None:
        """Take note of the input; once a frame, before the panels are drawn.

        Parameters
        ----------
        may_keep
            Whether nothing has changed but what live panels show.
        """
        context = imgui.get_current_context()
        focused = (context.hovered_window, context.nav_window, context.active_id_window)
        before, self._touched = self._touched, {it.root_window.id_ for it in focused if it is not None}
        self._live = before | self._touched
        # What was drawn refers to the texture of its glyphs, which ImGui frees when a larger one replaces it.
        atlas, self._atlas = self._atlas, imgui.get_io().fonts.tex_data.unique_id
        is_alone = not context.open_popup_stack.size() and not context.drag_drop_active
        self._may_keep = may_keep and is_alone and atlas == self._atlas

    def keep_next(self, name: str) -> None:
        """Keep the window that is begun next, which is in no other, if it can be."""
        window = _find(name) if self._may_keep else None
        if window is not None and window.id_ not in self._live:
            imgui.internal.set_next_window_refresh_policy(_AVOID_REFRESH)

    def begin(
        self, window: imgui.internal.Window | None, title: str, flags: int, *, is_timed: bool
    ) -> BeginResult:
        """Begin the window of a panel, which has a button that closes it.

        Parameters
        ----------
        window
            It as it was in the last frame; None if it is new.
        is_timed
            It may show the time of an animation.
        """
        node = None if window is None else window.dock_node
        around = None if node is None else node.host_window
        if window is None or around is None:
            return BeginResult(*imgui.begin(title, True, flags))
        inside = self._allow(window, around, may_keep=not is_timed)
        is_shown, is_open = begin_docked(window, title, flags, is_closable=True)
        return BeginResult(is_shown, is_open, _is_kept(window, inside))

    def begin_child(self, name: str, size: ImVec2, *, may_keep: bool) -> bool:
        """Begin a part of a panel; tell whether to draw it.

        Parameters
        ----------
        may_keep
            Whether it does not show the time of an animation.
        """
        parent = imgui.internal.get_current_window()
        # As ImGui calls it: "Timeline###timeline/playable_B71EEE20".
        window = _find(f"{parent.name}/{name}_{imgui.get_id(name):08X}")
        if window is None:
            return imgui.begin_child(name, size)
        inside = self._allow(window, parent, may_keep=may_keep)
        is_shown = imgui.begin_child(name, size)
        return not _is_kept(window, inside) and is_shown

    def _allow(
        self, window: imgui.internal.Window, around: imgui.internal.Window, *, may_keep: bool
    ) -> imgui.ImVector_Window_ptr:
        """Prepare a window that is begun next; return the windows inside the one around it."""
        if may_keep and self._may_keep and window.root_window.id_ not in self._live:
            imgui.internal.set_next_window_refresh_policy(_AVOID_REFRESH)
        # ImGui draws a scroll bar into the window around it, where it would be missing in the frames that
        # keep what is inside, unless the window begun before in there overlaps it: here that is the same one.
        inside = around.dc.child_windows
        inside.push_back(window)
        return inside


def begin_docked(
    window: imgui.internal.Window | None, title: str, flags: int, *, is_closable: bool
) -> tuple[bool, bool | None]:
    """Begin a window; docked in that of the program, which is cleared to its color, it is not filled."""
    node = None if window is None else window.dock_node
    around = None if node is None else node.host_window
    if around is None or not around.flags & _CHILD_WINDOW:  # it floats, or what it is docked in does
        return imgui.begin(title, True if is_closable else None, flags)
    # Not the flag without a background: windows that are kept would get that of the last one with it.
    imgui.push_style_color(imgui.Col_.window_bg, 0)
    begun = imgui.begin(title, True if is_closable else None, flags)
    imgui.pop_style_color()
    return begun


def _find(name: str) -> imgui.internal.Window | None:
    return imgui.internal.find_window_by_name(name)


def _is_kept(window: imgui.internal.Window, inside: imgui.ImVector_Window_ptr) -> bool:
    """Tell whether ImGui keeps a window that was begun; then only what `_allow` has added has it drawn."""
    if window.skip_refresh:
        return True
    inside.pop_back()
    return False
