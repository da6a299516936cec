"""What an action is: its id, its menu, its keys and its effect; running those whose keys are pressed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from imgui_bundle import imgui

from viewer.session.play.timeline import TimeAxis
from viewer.session.view.view_state import ViewState
from viewer.translation import Message, _
from viewer.ui.actions.keys import Chord
from viewer.ui.commands import Commands
from viewer.ui.context import UiContext

ActionEffect = Callable[[UiContext], None]


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that the user can do: its menu, its keys, its effect.

    Parameters
    ----------
    id
        Its name in every language and version: ``view.frame_all``.
    menu
        Id of its menu: ``file``, ``view.camera``.
    title
        What it is called on screen.
    keys
        Key chords separated by spaces; the menu shows the first.
    repeats
        Whether it repeats while the key is held.
    is_on
        For a switch: whether it is on.
    needs_document
        Whether it is disabled while the active tab shows no model.
    needs
        Decides instead of `needs_document` whether it is enabled.
    obstacle
        Tells why it is disabled even so; empty if it is not.
    icon
        The icon next to its title.
    title_of
        Returns its title instead of `title` if that depends on what is open.
    begins_group
        Whether a line is drawn above it in the menu.
    """

    id: str
    menu: str
    title: Message
    run: ActionEffect
    keys: str = ""
    repeats: bool = False
    is_on: Callable[[UiContext], bool] | None = None
    needs_document: bool = True
    needs: Callable[[UiContext], bool] | None = None
    begins_group: bool = False
    obstacle: Callable[[UiContext], str] | None = None
    icon: str = ""
    title_of: Callable[[UiContext], str] | None = None

    def text(self, frame: UiContext | None = None) -> str:
        """What it is called on screen, in the user's language."""
        return str(self.title) if frame is None or self.title_of is None else self.title_of(frame)

    @property
    def chords(self) -> tuple[Chord, ...]:
        """Its key chords."""
        return _chords(self.keys)

    def is_enabled(self, frame: UiContext) -> bool:
        """Tell whether it can run now."""
        return not self.reason(frame)

    def reason(self, frame: UiContext) -> str:
        """Why it cannot run now; empty if it can."""
        if self.needs is not None:
            return "" if self.needs(frame) else _("nothing is open")
        if self.needs_document and frame.document is None:
            return _("no model is open")
        return self.obstacle(frame) if self.obstacle else ""


@cache
def _chords(keys: str) -> tuple[Chord, ...]:
    """The chords in a text; asked for in every frame."""
    return tuple(Chord(text) for text in keys.split())


def has_tab(frame: UiContext) -> bool:
    """Tell whether anything is open in the active tab."""
    return bool(frame.state.tabs.active.address)


def dispatch(actions: tuple[Action, ...], frame: UiContext) -> None:
    """Run the actions whose keys were pressed this frame, unless a text field or a dialog takes the keys."""
    if imgui.get_io().want_text_input or imgui.internal.get_top_most_popup_modal() is not None:
        return
    if imgui.is_key_pressed(imgui.Key.escape, repeat=False) and _close_popup():
        return
    for action in actions:
        pressed = [chord.is_pressed(repeats=action.repeats) for chord in action.chords]
        if any(pressed) and action.is_enabled(frame):
            action.run(frame)


def _close_popup() -> bool:
    """Close the topmost menu and tell whether there was one; ImGui does so only with keyboard navigation."""
    count = imgui.get_current_context().open_popup_stack.size()
    if count:
        imgui.internal.close_popup_to_level(count - 1, True)
    return bool(count)


def commanding(command: Callable[[Commands], None]) -> ActionEffect:
    """Make an effect of a command."""
    return lambda frame: command(frame.commands)


def changing(change: Callable[[ViewState], ViewState]) -> ActionEffect:
    """Make an effect of a change of the view."""
    return lambda frame: frame.change(change)


def moving(change: Callable[[ViewState, TimeAxis], ViewState]) -> ActionEffect:
    """Make an effect of a change that depends on the times that can be shown."""
    return lambda frame: frame.change(lambda view: change(view, frame.state.axis))
