"""Actions: menu, key chords and effect; running the actions whose keys are pressed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final

from imgui_bundle import imgui
from msgspec import Struct
from msgspec.structs import force_setattr

from viewer.control.controllers import Controllers
from viewer.options import Declared, Obstacle
from viewer.session.keymap import MODIFIERS
from viewer.session.play.timeline import TimeAxis
from viewer.session.view.view_state import ViewState
from viewer.translation import Text, key_names
from viewer.ui.context import UiContext
from viewer.ui.display.option_controls import all_options, choose, holder_of, turn
from viewer.ui.viewport.obstacles import (
    NEEDS,
    a_file,
    a_model,
    a_stage,
    a_tab,
    choice_obstacle,
    models,
    nothing,
)
from viewer.ui.widgets import key_focus
from viewer.ui.widgets.icons import icon_named

ActionEffect = Callable[[UiContext], None]


def can_step(frame: UiContext, step: int) -> bool:
    """Tell whether there is something to go back (-1) or forward (1) to."""
    return frame.state.history.can_step(step) or frame.state.tabs.active.trail.next(step) is not None


class Action(Struct, frozen=True):
    """An action of the user: menu, keys, effect.

    Parameters
    ----------
    id
        Its name in every language and version: ``view.frame_all``.
    title
        What it is called on screen.
    keys
        Key chords separated by spaces; the menu shows the first.
    menu
        Id of its menu: ``file``, ``view.camera``; by default what stands before the last dot of its id.
    repeats
        Whether it repeats while the key is held.
    is_on
        For a switch: whether it is on.
    needs
        Tells what is to be open for it, if that is not open; empty if it is.
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
    title: Text
    run: ActionEffect
    keys: str = ""
    menu: str = ""
    repeats: bool = False
    is_on: Callable[[UiContext], bool] | None = None
    needs: Callable[[UiContext], str] = a_model
    begins_group: bool = False
    obstacle: Callable[[UiContext], str] = nothing
    icon: str = ""
    title_of: Callable[[UiContext], str] | None = None

    def __post_init__(self) -> None:
        force_setattr(self, "menu", self.menu or self.id.rpartition(".")[0])

    def text(self, frame: UiContext | None = None) -> str:
        """The name of the action in the user's language."""
        return str(self.title) if frame is None or self.title_of is None else self.title_of(frame)

    @property
    def chords(self) -> tuple[Chord, ...]:
        """The key chords of the action."""
        return tuple(map(Chord, self.keys.split()))

    @property
    def first_keys(self) -> str:
        """The first chord of an action with keys, as this system calls the keys."""
        return key_names(self.keys.split(maxsplit=1)[0])

    def is_enabled(self, frame: UiContext) -> bool:
        """Tell whether the action can run now."""
        return not self.reason(frame)

    def reason(self, frame: UiContext) -> str:
        """Reason for which the action cannot run now; empty if it can."""
        return self.needs(frame) or self.obstacle(frame)


always = partial(Action, needs=nothing)
"""Makes an action that is always enabled."""
of_tab = partial(Action, needs=a_tab)
"""Makes an action that needs anything open in the active tab."""
of_file = partial(Action, needs=a_file)
"""Makes an action that needs a file or an entry in the active tab, not a folder."""
of_models = partial(Action, needs=models)
"""Makes an action that needs a model or a unit."""
of_stage = partial(Action, needs=a_stage)
"""Makes an action that needs anything that is shown in space."""


def option_actions(option: Declared) -> Iterator[Action]:
    """Yield the action of a switch of the view, or one for each choice of that or of the settings."""
    said, action = option.option, option.option.action
    if action is None:
        raise ValueError(option.name)
    if not said.choices:
        yield Action(
            action.id,
            Text.of(said.title),
            partial(turn, option=option),
            action.keys,
            action.menu,
            is_on=lambda frame: bool(option.of(frame.view)),
            needs=NEEDS[action.needs],
            begins_group=action.begins_group,
            obstacle=nothing if said.obstacle is None else partial(_reason, obstacle=said.obstacle),
            icon=icon_named(said.icon),
        )
    for number, choice in enumerate(said.choices):
        yield Action(
            f"{action.id}.{choice.value}",
            choice.title if action.title is None else Text(action.title.template, value=choice.title),
            partial(choose, option=option, value=choice.value),
            choice.keys,
            action.menu,
            is_on=partial(_is_chosen, option=option, value=choice.value),
            needs=NEEDS[action.needs],
            begins_group=action.begins_group and not number,
            obstacle=partial(choice_obstacle, option=option, choice=choice),
            icon=icon_named(choice.icon) if option.is_set else "",
        )


def _is_chosen(frame: UiContext, option: Declared, value: object) -> bool:
    return option.is_on(holder_of(frame, option), value)


def _reason(frame: UiContext, obstacle: Obstacle) -> str:
    """The reason why a switch changes nothing; empty if it does."""
    return str(obstacle(frame.view, frame.document))


def actions_of(menu: str) -> dict[str, Action]:
    """The actions of the options in a menu, by their ids."""
    declared = (it for it in all_options() if it.option.action is not None)
    return {it.id: it for option in declared for it in option_actions(option) if it.menu == menu}


class KeyBindings:
    """Runs the actions whose keys are pressed, of those with the same keys the first; owner: the shell."""

    def __init__(self, actions: Iterable[Action]) -> None:
        found: dict[int, Action] = {}
        for action in actions:
            for code in (code for chord in action.chords for code in chord.codes):
                found.setdefault(code, action)
        self._bound = [(it, code, _REPEATING if it.repeats else _GLOBAL) for code, it in found.items()]

    def dispatch(self, frame: UiContext) -> None:
        """Run the actions whose keys were pressed, unless something else has the keys."""
        if key_focus.is_typing():
            return
        # Every code is asked for in every frame: that registers its route for the next one.
        pressed = [action for action, code, flags in self._bound if imgui.shortcut(code, flags)]
        for action in pressed if key_focus.is_on_top() else ():
            if action.is_enabled(frame):
                action.run(frame)


def step_with_mouse(frame: UiContext) -> None:
    """Go back and forward with the fourth and the fifth mouse button."""
    for button, step in MOUSE_STEPS.items():
        if imgui.is_mouse_clicked(button):
            frame.later(frame.control.history.step, step)


def pressed_chord() -> str:
    """Return the keys that were pressed in this frame, as menus show them; empty if none were."""
    io = imgui.get_io()
    held = zip(MODIFIERS, (io.key_ctrl, io.key_shift, io.key_alt), strict=True)
    modifiers = "".join(f"{name}+" for name, is_held in held if is_held)
    pressed = (name for name, keys in _KEYS.items() if any(imgui.is_key_pressed(key, False) for key in keys))
    return next((modifiers + name for name in pressed), "")


def calling(method: Callable[[Controllers], Callable[[], object]]) -> ActionEffect:
    """Make an effect of a method of a controller."""
    return lambda frame: frame.later(method(frame.control))


def changing(change: Callable[[ViewState], ViewState]) -> ActionEffect:
    """Make an effect of a change of the view."""
    return lambda frame: frame.change(change)


def moving(change: Callable[[ViewState, TimeAxis], ViewState]) -> ActionEffect:
    """Make an effect of a change that depends on the times that can be shown."""
    return lambda frame: frame.change(lambda view: change(view, frame.state.axis))


_MODIFIERS: Final = {"Ctrl": imgui.Key.mod_ctrl, "Shift": imgui.Key.mod_shift, "Alt": imgui.Key.mod_alt}

_KEYS: Final[dict[str, tuple[imgui.Key, ...]]] = {
    **{letter: (getattr(imgui.Key, letter.lower()),) for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
    **{
        str(digit): (getattr(imgui.Key, f"_{digit}"), getattr(imgui.Key, f"keypad{digit}"))
        for digit in range(10)
    },
    **{f"F{number}": (getattr(imgui.Key, f"f{number}"),) for number in range(1, 13)},
    "Space": (imgui.Key.space,),
    "Tab": (imgui.Key.tab,),
    "Esc": (imgui.Key.escape,),
    "Home": (imgui.Key.home,),
    "End": (imgui.Key.end,),
    "Left": (imgui.Key.left_arrow,),
    "Right": (imgui.Key.right_arrow,),
    "Up": (imgui.Key.up_arrow,),
    "Down": (imgui.Key.down_arrow,),
    "Enter": (imgui.Key.enter, imgui.Key.keypad_enter),
    ",": (imgui.Key.comma,),
    ".": (imgui.Key.period,),
    "[": (imgui.Key.left_bracket,),
    "]": (imgui.Key.right_bracket,),
    "/": (imgui.Key.slash, imgui.Key.keypad_divide),
    "-": (imgui.Key.minus, imgui.Key.keypad_subtract),
    "+": (imgui.Key.equal, imgui.Key.keypad_add),
}
_SHIFTED_TOO: Final = ("+",)
"""Keys whose sign is written with Shift on many keyboards."""
_GLOBAL: Final = int(imgui.InputFlags_.route_global)
MOUSE_STEPS: Final = {3: -1, 4: 1}
"""Mouse buttons, counted from 0, and the steps in the history that they make."""
_REPEATING: Final = _GLOBAL | int(imgui.InputFlags_.repeat)


class Chord(Struct, frozen=True):
    """A key with its modifiers, by its position on the keyboard, so that any layout works.

    Parameters
    ----------
    text
        As menus show it: ``Ctrl+O``, ``Shift+[``, ``F``.
    """

    text: str

    def __post_init__(self) -> None:
        if self._key not in _KEYS:
            raise ValueError(self.text)

    @property
    def _key(self) -> str:
        return self.text.rpartition("+")[2] or "+"

    @property
    def codes(self) -> tuple[int, ...]:
        """The equivalent ImGui key chords: some keys are on the keyboard twice."""
        modifiers = 0
        for name, modifier in _MODIFIERS.items():
            if f"{name}+" in self.text:
                modifiers |= int(modifier)
        plain = tuple(modifiers | int(key) for key in _KEYS[self._key])
        shift = int(imgui.Key.mod_shift) if self._key in _SHIFTED_TOO else 0
        return plain + tuple(code | shift for code in plain if shift)
