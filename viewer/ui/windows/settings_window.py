"""The settings window; its switches are the same actions as in the menus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Final

from imgui_bundle import imgui

from viewer.model.game.game_folder import Inventory
from viewer.translation import Message, _, translated
from viewer.ui.context import UiContext
from viewer.ui.frame.actions import Action
from viewer.ui.requests import ForgetGame, LimitTextures, OpenDialog, ResetSettings, ShowThumbnails, UseGame
from viewer.ui.widgets import theme
from viewer.ui.widgets.floating import Floating
from viewer.ui.widgets.speed_field import draw_speed
from viewer.ui.widgets.widgets import copy_menu, labeled, text, tooltip, wrapped

MEMORY_CHOICES: Final = (16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
"""MB."""
LABELS: Final = 8.5
"""Width of the labels, in font heights."""
FIELDS: Final = 14.0
SECOND: Final = 12.0
"""Offset of the second column of check boxes."""
RESET: Final = "reset"
"""Id of the popup that asks before it resets."""


class SettingsWindow(Floating):
    """The settings: game folder, display, textures, reset."""

    id = "settings"
    title = Message("Settings")
    size = 36, 41

    def draw(self, actions: Sequence[Action], frame: UiContext) -> None:
        """Draw the window if it is open."""
        with self.window() as is_shown:
            if is_shown:
                _draw_game(frame)
                _draw_picture(actions, frame)
                _draw_textures(actions, frame)
                _draw_reset(frame)


def _draw_game(frame: UiContext) -> None:
    imgui.separator_text(_("Game folder"))
    wrapped(_("Materials and textures of files outside a game folder are looked up here."), theme.DIM)
    game = frame.preferences.game
    with _form("game") as is_shown:
        if is_shown:
            _label(_("folder"))
            _draw_folder(frame, game)
            if game is not None:
                _draw_inventory(game)
            if frame.document is not None:
                _label(_("this file uses"))
                wrapped(translated(frame.document.game.text))


def _draw_folder(frame: UiContext, game: Inventory | None) -> None:
    if game is None:
        text(_("not set"), theme.DIM)
    else:
        wrapped(str(game.folder), theme.ERROR if game.problem else theme.TEXT)
        copy_menu("copy_game", str(game.folder))
    if imgui.button(labeled(_("Choose…"), "choose_game")):
        frame.request(OpenDialog(is_folder=True, requested=UseGame))
    imgui.same_line()
    imgui.begin_disabled(game is None)
    if imgui.button(labeled(_("Clear"), "clear_game")):
        frame.request(ForgetGame())
    imgui.end_disabled()


def _draw_inventory(game: Inventory) -> None:
    if game.problem:
        _label(_("problem"))
        wrapped(_("The folder does not exist any more."), theme.ERROR)
        return
    _label(_("contains"))
    contents = ", ".join(game.present) or _("no game libraries")
    wrapped(contents, theme.GOOD if game.present else theme.ERROR)
    if game.missing:
        _label(_("missing"))
        wrapped(", ".join(game.missing), theme.WARNING)


def _draw_picture(actions: Sequence[Action], frame: UiContext) -> None:
    imgui.separator_text(_("Display"))
    with _form("picture") as is_shown:
        if is_shown:
            _label(_("background"))
            _draw_choice(_of_menu(actions, "view.background"), frame)
            _label(_("anti-aliasing"), _("Samples per pixel: more are smoother and slower."))
            _draw_samples(frame)
            _label(_("playback speed"))
            draw_speed(frame, FIELDS)
            _label(_("browser"))
            changed, is_on = imgui.checkbox(
                labeled(_("Thumbnails"), "thumbnails"), frame.thumbnails is not None
            )
            if changed:
                frame.request(ShowThumbnails(is_on))


def _draw_choice(actions: Iterable[Action], frame: UiContext) -> None:
    """Draw actions as radio buttons in one line."""
    for place, action in enumerate(actions):
        if place:
            imgui.same_line()
        if imgui.radio_button(labeled(action.text, action.id), _is_on(action, frame)):
            action.run(frame)


def _is_on(action: Action, frame: UiContext) -> bool:
    return action.is_on is not None and action.is_on(frame)


def _draw_samples(frame: UiContext) -> None:
    for place, count in enumerate(frame.preferences.samples):
        if place:
            imgui.same_line()
        words = _("off") if count == 1 else f"{count}x"
        if imgui.radio_button(labeled(words, f"samples{count}"), _uses(frame, count)):
            frame.change(partial(replace, samples=count))


def _uses(frame: UiContext, count: int) -> bool:
    """Tell whether a number of samples is in use: the largest that does not exceed the setting."""
    fitting = [other for other in frame.preferences.samples if other <= frame.view.samples]
    return count == max(fitting, default=1)


def _draw_textures(actions: Sequence[Action], frame: UiContext) -> None:
    imgui.separator_text(_("Textures"))
    with _form("textures") as is_shown:
        if is_shown:
            _label(_("memory"), _("GPU memory for textures; the least recently used are evicted first."))
            _draw_memory(frame)
            _draw_switches(_of_menu(actions, "view.textures"), frame)


def _draw_switches(actions: Iterable[Action], frame: UiContext) -> None:
    """Draw actions as check boxes in two columns; the byte orders begin a group."""
    _label(_("options"))
    is_left = True
    for action in actions:
        if action.begins_group:
            _label(_("byte orders"), _("Alternative readings; which one is right is disputed."))
            is_left = True
        if not is_left:
            imgui.same_line(theme.em(SECOND))
        if imgui.checkbox(labeled(action.text, action.id), _is_on(action, frame))[0]:
            action.run(frame)
        is_left = not is_left


def _draw_memory(frame: UiContext) -> None:
    limit = frame.preferences.texture_memory
    imgui.set_next_item_width(theme.em(FIELDS))
    if imgui.begin_combo("###memory", _megabytes(limit)):
        for choice in MEMORY_CHOICES:
            if imgui.selectable(labeled(_megabytes(choice), f"memory{choice}"), choice == limit)[0]:
                frame.request(LimitTextures(choice))
        imgui.end_combo()
    imgui.same_line()
    text(_("{size:.1f} MB in use").format(size=frame.preferences.texture_use), theme.DIM)


def _megabytes(count: int) -> str:
    return _("{count} MB").format(count=count)


def _draw_reset(frame: UiContext) -> None:
    """Draw the reset button; it asks first."""
    imgui.spacing()
    imgui.separator()
    imgui.spacing()
    if imgui.button(labeled(_("Reset all settings…"), "reset")):
        imgui.open_popup(RESET)
    if not imgui.begin_popup(RESET):
        return
    text(_("Reset all settings?"), theme.WARNING)
    imgui.push_text_wrap_pos(theme.em(24))
    text(_("Resets game folder, readings, wear tables, panel layout and display options to their defaults."))
    text(_("Recent files are kept."), theme.DIM)
    imgui.pop_text_wrap_pos()
    imgui.spacing()
    if imgui.button(labeled(_("Reset"), "confirm_reset")):
        frame.request(ResetSettings())
        imgui.close_current_popup()
    imgui.same_line()
    if imgui.button(labeled(_("Cancel"), "cancel_reset")):
        imgui.close_current_popup()
    imgui.end_popup()


def _of_menu(actions: Iterable[Action], menu: str) -> list[Action]:
    return [action for action in actions if action.menu == menu]


@contextmanager
def _form(name: str) -> Iterator[bool]:
    """Begin a table of labels and fields; gives whether it is visible."""
    is_shown = imgui.begin_table(f"##{name}", 2, imgui.TableFlags_.no_saved_settings)
    if is_shown:
        imgui.table_setup_column("name", imgui.TableColumnFlags_.width_fixed, theme.em(LABELS))
        imgui.table_setup_column("value", imgui.TableColumnFlags_.width_stretch)
    yield is_shown
    if is_shown:
        imgui.end_table()


def _label(words: str, hint: str = "") -> None:
    """Begin a row of a form."""
    imgui.table_next_row()
    imgui.table_next_column()
    imgui.align_text_to_frame_padding()
    text(words, theme.DIM)
    if hint:
        tooltip(hint)
    imgui.table_next_column()
