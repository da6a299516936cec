"""The settings window; its switches are the same actions as in the menus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import PurePath
from typing import Final, TypeVar

from imgui_bundle import imgui
from msgspec import Struct
from msgspec.structs import replace

from viewer.model.game.game_folder import Inventory
from viewer.model.query.names import NameFilter
from viewer.options import OF_SETTINGS, OF_TEXTURE_SETTINGS, Declared, option_at, options_of
from viewer.session.program import FONT_SUFFIXES, LEAST_FONT, MOST_FONT, system_fonts
from viewer.session.view.view_state import ViewState
from viewer.translation import _, translated
from viewer.ui.actions.actions import Action, option_actions
from viewer.ui.context import UiContext
from viewer.ui.display.background import draw_color
from viewer.ui.display.option_controls import all_options, choose, options_in, value_of
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.floating import Floating
from viewer.ui.widgets.input.filter_field import FilterField
from viewer.ui.widgets.input.number_field import draw_number
from viewer.ui.widgets.input.speed_field import draw_speed
from viewer.ui.widgets.names import name_of
from viewer.ui.widgets.table_grid import table_rows
from viewer.ui.widgets.widgets import copy_menu, empty, readable, text, tooltip, wrapped

Value = TypeVar("Value")
LABELS: Final = 9.5
"""Width of the labels, in font heights."""
FIELDS: Final = 14.0
SECOND: Final = 12.0
"""Offset of the second column of check boxes."""
OWN_FONT: Final = _("that of the program")
RESET: Final = "reset"
"""Id of the popup that asks before it resets."""


class _SettingsRow(Struct, frozen=True):
    """A label and what is next to it; `words` are texts of the latter that a filter finds."""

    label: str
    draw: Callable[[], object]
    hint: str = ""
    words: str = ""


class SettingsWindow(Floating):
    """The settings: game folder, display, textures, reset."""

    id = "settings"
    title = _("Settings")
    size = 36, 44

    def __init__(self) -> None:
        super().__init__()
        self._filter = FilterField("settings_filter", _("Filter settings"))

    def draw(self, actions: Sequence[Action], frame: UiContext) -> None:
        """Draw the window if it is open."""
        with self.window() as is_shown:
            if is_shown:
                if imgui.is_window_appearing():
                    self._filter.clear()
                self._filter.draw()
                self._draw_sections(actions, frame)

    def _draw_sections(self, actions: Sequence[Action], frame: UiContext) -> None:
        names = self._filter.names
        shown = [
            _draw_section("game", _("Game folder"), _game(frame), names),
            _draw_section("picture", _("Display"), _declared(frame, OF_SETTINGS), names),
            _draw_section("textures", _("Textures"), _textures(actions, frame), names),
        ]
        if names.matches(_("Reset all settings…")):
            _draw_reset(frame)
        elif not any(shown):
            empty(_("No setting matches the filter."))


def _draw_section(name: str, title: str, rows: Iterable[_SettingsRow], names: NameFilter) -> bool:
    """Draw the rows that pass the filter under their title; tell whether there are any."""
    passing = [row for row in rows if names.matches(f"{title} {row.label} {row.hint} {row.words}")]
    if not passing:
        return False
    imgui.separator_text(title)
    columns = {"name": LABELS, "value": -1}
    for row in table_rows(f"##{name}", columns, passing, imgui.TableFlags_.no_saved_settings):
        imgui.align_text_to_frame_padding()
        text(row.label, theme.DIM)
        if row.hint:
            tooltip(row.hint)
        imgui.table_next_column()
        row.draw()
    return True


def _game(frame: UiContext) -> Iterator[_SettingsRow]:
    game = frame.state.game
    hint = _("Materials and textures of files outside a game folder are looked up here.")
    yield _SettingsRow(_("folder"), lambda: _draw_folder(frame, game), hint)
    if game is not None:
        yield from _inventory(game)
    if frame.state.installs:
        yield _SettingsRow(_("found"), lambda: _draw_installs(frame), _("Games found on this computer."))
    document = frame.document
    if document is not None:
        yield _SettingsRow(_("this file uses"), lambda: wrapped(translated(document.game.text)))


def _draw_folder(frame: UiContext, game: Inventory | None) -> None:
    if game is None:
        text(_("not set"), theme.DIM)
    else:
        wrapped(str(game.folder), theme.ERROR if game.problem else theme.TEXT)
        copy_menu("copy_game", str(game.folder))
    if controls.button(_("Choose…"), "choose_game"):
        frame.later(frame.control.dialogs.choose_game)
    imgui.same_line()
    if controls.button(_("Clear"), "clear_game", is_enabled=game is not None):
        frame.later(frame.control.opening.forget_game)


def _draw_installs(frame: UiContext) -> None:
    """Draw the games found on this computer, each with a button that makes it the game folder."""
    used = frame.state.game
    for number, install in enumerate(frame.state.installs):
        is_used = used is not None and str(used.folder) == install.folder
        if controls.button(_("Use"), f"use_install{number}", is_enabled=not is_used):
            frame.later(frame.control.opening.use_game, install.folder)
        imgui.same_line()
        wrapped(f"{install.folder} ({name_of(install.launcher)})")


def _inventory(game: Inventory) -> Iterator[_SettingsRow]:
    if game.problem:
        words = _("The folder does not exist any more.")
        yield _SettingsRow(_("problem"), lambda: wrapped(words, theme.ERROR))
        return
    contents = ", ".join(game.present) or _("no game libraries")
    yield _SettingsRow(_("contains"), lambda: wrapped(contents, theme.GOOD if game.present else theme.ERROR))
    if game.missing:
        yield _SettingsRow(_("missing"), lambda: wrapped(", ".join(game.missing), theme.WARNING))


def _declared(frame: UiContext, section: str) -> Iterator[_SettingsRow]:
    """Yield a row for each option of a section: those of the view, those of the settings, switches last."""
    for option in sorted(options_in(section), key=lambda it: it.plain_kind is bool):
        said = option.option
        words = " ".join((*(str(it.title) for it in said.choices), str(said.label)))
        draw = partial(_OWN_CONTROLS.get(option.name, _draw_option), option, frame)
        title = str(said.title) if option.plain_kind is bool else option.label
        yield _SettingsRow(title, draw, " ".join(map(str, said.hint)), words)


def _draw_option(option: Declared, frame: UiContext) -> None:
    """Draw a check box, a field of a number, or choices: those of the view as buttons, others as a list."""
    said, now = option.option, value_of(frame, option)
    if option.value_kind in (int, float) and not said.choices:
        value = draw_number(option, now, "", FIELDS)
        if value != now:
            choose(frame, option, value)
    elif not said.choices:
        if controls.checkbox(option.label, option.key, is_on=now):
            choose(frame, option, not now)
    elif option in options_of(ViewState):
        _draw_choices(option, frame)
    else:
        names = {it.value: str(it.title) for it in said.choices}
        _draw_list(option.key, names, now, partial(choose, frame, option), names.get(now, str(now)))


def _draw_choices(option: Declared, frame: UiContext) -> None:
    """Draw the choices of an option of the view as radio buttons in one line."""
    now = value_of(frame, option)
    for number, choice in enumerate(option.option.choices):
        if number:
            imgui.same_line()
        words, key = str(choice.title), f"{option.key}.{choice.value}"
        if controls.radio_button(words, key, choice.hint, is_on=choice.value == now):
            choose(frame, option, choice.value)


def _draw_list(
    name: str, choices: Mapping[Value, str], chosen: Value, use: Callable[[Value], None], shown: str = ""
) -> None:
    """Draw a list of values of a setting; `use` sets the one that is chosen."""
    value = controls.choose(f"###{name}", choices, chosen, FIELDS, shown=shown, prefix=name)
    if value != chosen:
        use(value)


def _draw_font(_option: Declared, frame: UiContext) -> None:
    """Draw the fonts of the system, any file, and the size."""
    chosen = frame.state.settings.font
    size = frame.state.settings.font_size
    names = {"": OWN_FONT, **{path: readable(name) for name, path in system_fonts().items()}}

    def use(path: str) -> None:
        frame.later(frame.control.settings.set, font=path)

    _draw_list("font", names, chosen, use, readable(PurePath(chosen).stem))
    imgui.same_line()
    if controls.button(_("File…"), "choose_font"):
        frame.later(
            frame.control.dialogs.choose_file,
            _("Choose a font"),
            lambda path: frame.control.settings.set(font=str(path)),
            FONT_SUFFIXES,
        )
    imgui.set_next_item_width(theme.em(FIELDS))
    is_changed, wanted = imgui.slider_float("###font_size", size, LEAST_FONT, MOST_FONT, "%.0f px")
    if is_changed and round(wanted) != size:
        frame.later(frame.control.settings.set, font_size=float(round(wanted)))


def _is_on(action: Action, frame: UiContext) -> bool:
    return action.is_on is not None and action.is_on(frame)


def _draw_samples(_option: Declared, frame: UiContext) -> None:
    # In use is the largest number that does not exceed the setting.
    fitting = [count for count in frame.state.samples if count <= frame.view.samples]
    used = max(fitting, default=1)
    for place, count in enumerate(frame.state.samples):
        if place:
            imgui.same_line()
        words = _("off") if count == 1 else f"{count}x"
        if controls.radio_button(words, f"samples{count}", is_on=count == used):
            frame.change(partial(replace, samples=count))


def _draw_background_color(_option: Declared, frame: UiContext) -> None:
    draw_color(frame)


def _draw_playback_speed(_option: Declared, frame: UiContext) -> None:
    draw_speed(frame, FIELDS)


def _textures(actions: Sequence[Action], frame: UiContext) -> Iterator[_SettingsRow]:
    yield from _declared(frame, OF_TEXTURE_SETTINGS)
    orders = {it.id for it in option_actions(option_at(ViewState, "textures.byte_orders"))}
    switches = {
        it.option.action.id
        for it in all_options()
        if it.path[0] == "textures" and it.plain_kind is bool and it.option.action is not None
    }
    of_menu = _of_menu(actions, "view.textures")
    options = [it for it in of_menu if it.id in switches]
    byte_orders = [it for it in of_menu if it.id in orders]
    yield _SettingsRow(_("options"), lambda: _draw_switches(options, frame), words=_words(options))
    hint = _("Alternative readings; which one is right is disputed.")
    yield _SettingsRow(
        _("byte orders"), lambda: _draw_switches(byte_orders, frame), hint, _words(byte_orders)
    )


def _words(actions: Iterable[Action]) -> str:
    return " ".join(action.text() for action in actions)


def _draw_switches(actions: Iterable[Action], frame: UiContext) -> None:
    """Draw actions as check boxes in two columns."""
    for place, action in enumerate(actions):
        if place % 2:
            imgui.same_line(theme.em(SECOND))
        if controls.checkbox(action.text(), action.id, is_on=_is_on(action, frame)):
            action.run(frame)


def _draw_memory(option: Declared, frame: UiContext) -> None:
    _draw_option(option, frame)
    imgui.same_line()
    text(_("{size:.1f} MB in use", size=frame.state.texture_use), theme.DIM)


_OWN_CONTROLS: Final[Mapping[str, Callable[[Declared, UiContext], None]]] = {
    "background_color": _draw_background_color,
    "samples": _draw_samples,
    "speed": _draw_playback_speed,
    "font": _draw_font,
    "texture_memory": _draw_memory,
}
"""The controls of options with choices of the graphics card or this computer, and of a number."""


def _draw_reset(frame: UiContext) -> None:
    """Draw the reset button; it asks first."""
    imgui.spacing()
    imgui.separator()
    imgui.spacing()
    if controls.button(_("Reset all settings…"), "reset"):
        imgui.open_popup(RESET)
    if not imgui.begin_popup(RESET):
        return
    text(_("Reset all settings?"), theme.WARNING)
    imgui.push_text_wrap_pos(theme.em(24))
    text(_("Resets game folder, readings, wear tables, panel layout and display options to their defaults."))
    text(_("Recent files are kept."), theme.DIM)
    imgui.pop_text_wrap_pos()
    imgui.spacing()
    if controls.button(_("Reset"), "confirm_reset"):
        frame.later(frame.control.window.reset_settings)
        imgui.close_current_popup()
    imgui.same_line()
    if controls.button(_("Cancel"), "cancel_reset"):
        imgui.close_current_popup()
    imgui.end_popup()


def _of_menu(actions: Iterable[Action], menu: str) -> list[Action]:
    return [action for action in actions if action.menu == menu]
