"""The receiver of keys: the topmost of text fields, menus, lists and dialogs.

A text field in which something is typed has them all. Otherwise a menu, a list or a dialog that is open has
them, and of several the one that was opened last; only without one do keys run actions. Esc closes a menu or
a list, and does nothing else in that frame.
"""

from __future__ import annotations

from typing import Final

from imgui_bundle import imgui

_LETTERS: Final = tuple(
    imgui.Key(it)
    for first, last in (
        (imgui.Key._0, imgui.Key.z),  # noqa: SLF001 the key 0
        (imgui.Key.apostrophe, imgui.Key.grave_accent),
        (imgui.Key.keypad0, imgui.Key.keypad_add),
    )
    for it in range(int(first), int(last) + 1)
)
"""The keys of letters, digits and signs; a space is not one, as it plays."""
_CLEARS: Final = int(imgui.InputTextFlags_.escape_clears_all)
_SUBMENU: Final = int(imgui.WindowFlags_.child_window)


def is_typing() -> bool:
    """Tell whether a text field has the keys."""
    context = imgui.get_current_context()
    # ImGui says so itself one frame after the field was activated.
    is_new = context.active_id and context.active_id == context.input_text_state.id_
    return bool(is_new or imgui.get_io().want_text_input)


def is_on_top() -> bool:
    """Tell whether no menu, list or dialog is open over the window that is being drawn."""
    context = imgui.get_current_context()
    return bool(context.open_popup_stack.size() <= context.begin_popup_stack.size())


def is_pressed(*keys: imgui.Key) -> bool:
    """Tell whether one of the keys went down for the window that is being drawn."""
    return is_on_top() and any(imgui.is_key_pressed(key, False) for key in keys)


def is_entered() -> bool:
    """Tell whether Enter was pressed for the window that is being drawn."""
    return is_pressed(imgui.Key.enter, imgui.Key.keypad_enter)


def takes_escape() -> bool:
    """Tell whether Esc was pressed for the window that is being drawn; what follows does not get it."""
    is_taken = is_pressed(imgui.Key.escape)
    if is_taken:
        lock_escape()
    return is_taken


def lock_escape() -> None:
    """Keep the Esc of this frame from all that is drawn after this call."""
    _lock(imgui.Key.escape)


def lock_letters() -> None:
    """Keep what is typed in this frame from all that is drawn after this call; chords go on to it."""
    io = imgui.get_io()
    if not (io.key_ctrl or io.key_alt):
        _lock(*_LETTERS)


def _lock(*keys: imgui.Key) -> None:
    owner, lock = imgui.get_id("locked"), imgui.internal.InputFlagsPrivate_.lock_this_frame
    for key in keys:
        imgui.internal.set_key_owner(key, owner, lock)


def close_top() -> None:
    """Close the menu or the list on top with Esc; at the start of a frame, before what lies beneath is drawn.

    Dear ImGui does so only with its keyboard navigation. A submenu would open again under the mouse, so that
    its menu is closed. A dialog answers its Esc itself.
    """
    context = imgui.get_current_context()
    stack, field = context.open_popup_stack, context.input_text_state
    if not stack.size() or not imgui.is_key_pressed(imgui.Key.escape, False):
        return
    level = stack.size() - 1
    while level and stack[level].window is not None and stack[level].window.flags & _SUBMENU:
        level -= 1
    window = stack[level].window
    is_dialog = window is not None and window.flags & imgui.WindowFlags_.modal
    is_clearing = context.active_id == field.id_ and field.flags & _CLEARS and field.text_len
    if not is_dialog and not is_clearing:
        lock_escape()
        imgui.internal.close_popup_to_level(level, True)
