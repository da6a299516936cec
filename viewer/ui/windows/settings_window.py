"""The settings in one place; what is also in the menus is the same value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Final

from imgui_bundle import imgui

from viewer.model.game.game_folder import Inventory
from viewer.ui.context import UiContext
from viewer.ui.frame.actions import Action
from viewer.ui.requests import ForgetGame, LimitTextures, OpenDialog, ResetSettings, ShowThumbnails, UseGame
from viewer.ui.widgets import theme
from viewer.ui.widgets.floating import Floating
from viewer.ui.widgets.speed_field import draw_speed
from viewer.ui.widgets.widgets import copy_menu, text, tooltip, wrapped

MEMORY_CHOICES: Final = (16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
"""MB."""
LABELS: Final = 8.5
"""Width of the names, in font heights."""
FIELDS: Final = 14.0
SECOND: Final = 12.0
"""Where the second of two boxes begins."""
RESET: Final = "Reset all settings?"


class SettingsWindow(Floating):
    """The settings: game folder, picture, textures, and a way back to where everything began."""

    title = "Settings"
    size = 36, 41

    def draw(self, actions: Sequence[Action], frame: UiContext) -> None:
        """Draw the window where it is shown."""
        with self.window() as is_shown:
            if is_shown:
                _draw_game(frame)
                _draw_picture(actions, frame)
                _draw_textures(actions, frame)
                _draw_reset(frame)


def _draw_game(frame: UiContext) -> None:
    imgui.separator_text("Game folder")
    wrapped("Where materials and textures are looked up for files that lie in no game folder.", theme.DIM)
    game = frame.preferences.game
    with _form("game") as is_shown:
        if is_shown:
            _label("folder")
            _draw_folder(frame, game)
            if game is not None:
                _draw_inventory(game)
            if frame.document is not None:
                _label("this file uses")
                wrapped(frame.document.game.text)


def _draw_folder(frame: UiContext, game: Inventory | None) -> None:
    if game is None:
        text("none is set", theme.DIM)
    else:
        wrapped(str(game.folder), theme.ERROR if game.problem else theme.TEXT)
        copy_menu("copy game", str(game.folder))
    if imgui.button("Choose…###choose game"):
        frame.request(OpenDialog(is_folder=True, wanted=UseGame))
    imgui.same_line()
    imgui.begin_disabled(game is None)
    if imgui.button("Clear###clear game"):
        frame.request(ForgetGame())
    imgui.end_disabled()


def _draw_inventory(game: Inventory) -> None:
    if game.problem:
        _label("problem")
        wrapped("The folder is not there any more.", theme.ERROR)
        return
    _label("has")
    wrapped(", ".join(game.present) or "no library of the game", theme.GOOD if game.present else theme.ERROR)
    if game.missing:
        _label("lacks")
        wrapped(", ".join(game.missing), theme.WARNING)


def _draw_picture(actions: Sequence[Action], frame: UiContext) -> None:
    imgui.separator_text("Picture")
    with _form("picture") as is_shown:
        if is_shown:
            _label("background")
            _draw_choice(_of_menu(actions, "View/Background"), frame)
            _label("anti-aliasing", "Samples per pixel; more are smoother and slower.")
            _draw_samples(frame)
            _label("playback speed")
            draw_speed(frame, FIELDS)
            _label("browser")
            changed, is_on = imgui.checkbox("Thumbnails###thumbnails", frame.thumbnails is not None)
            if changed:
                frame.request(ShowThumbnails(is_on))


def _draw_choice(actions: Iterable[Action], frame: UiContext) -> None:
    """Draw actions of which one is on, side by side."""
    for place, action in enumerate(actions):
        if place:
            imgui.same_line()
        if imgui.radio_button(action.text, action.is_on is not None and action.is_on(frame)):
            action.run(frame)


def _draw_samples(frame: UiContext) -> None:
    for place, count in enumerate(frame.preferences.samples):
        if place:
            imgui.same_line()
        if imgui.radio_button(
            "off###1 samples" if count == 1 else f"{count}x###{count} samples", _uses(frame, count)
        ):
            frame.change(partial(replace, samples=count))


def _uses(frame: UiContext, count: int) -> bool:
    """Tell whether a choice of samples is the one in effect: the largest that is not more than wanted."""
    fitting = [other for other in frame.preferences.samples if other <= frame.view.samples]
    return count == max(fitting, default=1)


def _draw_textures(actions: Sequence[Action], frame: UiContext) -> None:
    imgui.separator_text("Textures")
    with _form("textures") as is_shown:
        if is_shown:
            _label("memory", "What textures may take on the graphics card; the least recent go first.")
            _draw_memory(frame)
            _draw_switches(_of_menu(actions, "View/Textures"), frame)


def _draw_switches(actions: Iterable[Action], frame: UiContext) -> None:
    """Draw actions as boxes to tick, two abreast; the byte orders begin a group."""
    _label("shown with")
    is_left = True
    for action in actions:
        if action.begins_group:
            _label("byte orders", "What files mean by them is disputed.")
            is_left = True
        if not is_left:
            imgui.same_line(theme.em(SECOND))
        if imgui.checkbox(action.text, action.is_on is not None and action.is_on(frame))[0]:
            action.run(frame)
        is_left = not is_left


def _draw_memory(frame: UiContext) -> None:
    limit = frame.preferences.texture_memory
    imgui.set_next_item_width(theme.em(FIELDS))
    if imgui.begin_combo("###memory", f"{limit} MB"):
        for choice in MEMORY_CHOICES:
            if imgui.selectable(f"{choice} MB", choice == limit)[0]:
                frame.request(LimitTextures(choice))
        imgui.end_combo()
    imgui.same_line()
    text(f"{frame.preferences.texture_use:.1f} MB in use", theme.DIM)


def _draw_reset(frame: UiContext) -> None:
    """Draw a button that asks before it does what it says."""
    imgui.spacing()
    imgui.separator()
    imgui.spacing()
    if imgui.button("Reset all settings…###reset"):
        imgui.open_popup(RESET)
    if not imgui.begin_popup(RESET):
        return
    text(RESET, theme.WARNING)
    imgui.push_text_wrap_pos(theme.em(24))
    text("Game folder, readings, wear tables, panels and how things are shown become as on the first start.")
    text("Recent files are kept.", theme.DIM)
    imgui.pop_text_wrap_pos()
    imgui.spacing()
    if imgui.button("Reset###do reset"):
        frame.request(ResetSettings())
        imgui.close_current_popup()
    imgui.same_line()
    if imgui.button("Cancel###no reset"):
        imgui.close_current_popup()
    imgui.end_popup()


def _of_menu(actions: Iterable[Action], menu: str) -> list[Action]:
    return [action for action in actions if action.menu == menu]


@contextmanager
def _form(name: str) -> Iterator[bool]:
    """Begin a table of names and what belongs to them; gives whether it is seen."""
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
