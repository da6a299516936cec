"""The window of mods: those that are applied to a game, those to apply in their order, and what conflicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.model.kinds import json_text
from viewer.operations.mods.conflicts import ADD, PATCH, REMOVE, ModConflict
from viewer.operations.mods.manifest import ModManifest
from viewer.operations.mods.package import ZIP_SUFFIX
from viewer.session.games.modded import MODS_LANE, ModCheckResult, ModsState, first_changes
from viewer.translation import _, counted, translated
from viewer.ui.context import UiContext
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.floating import Floating, answer
from viewer.ui.widgets.job_progress import draw_progress
from viewer.ui.widgets.table_grid import rows_on_screen, table_rows
from viewer.ui.widgets.widgets import cut, ghost_button, readable, text, tooltip, wrapped

Row = TypeVar("Row")
_INTRODUCTION: Final = _(
    "A mod has what it changes in a game, and no file of the game. It is a folder with mod.json, or a zip of "
    'it, as "Make a mod" writes them. All that is applied can be taken back, byte for byte.'
)
_FLAGS: Final = imgui.TableFlags_.row_bg | imgui.TableFlags_.no_saved_settings | imgui.TableFlags_.scroll_y
_WHOLE: Final = {PATCH: _("changed"), ADD: _("added"), REMOVE: _("removed")}
"""Words for changes of whole payloads."""
_LINES: Final = 5
"""Rows of a list of mods that are visible without scrolling."""


class ModsWindow(Floating):
    """The mods of a game; owner: the shell."""

    id = "mods"
    title = _("Mods")
    size = 62, 44

    def show(self, frame: UiContext) -> None:
        """Open the window; the game folder that is known is proposed."""
        self.is_open = True
        frame.later(frame.control.mods.propose)

    def draw(self, frame: UiContext) -> None:
        """Draw the window if it is open."""
        with self.window() as is_shown:
            if is_shown:
                self._draw_content(frame, frame.state.mods)

    def _draw_content(self, frame: UiContext, state: ModsState) -> None:
        wrapped(str(_INTRODUCTION), theme.DIM)
        _draw_game(frame, state)
        if state.problem:
            wrapped(translated(state.problem), theme.ERROR)
        for name in state.refused:
            words, hint = (
                _("Take back in spite of this"),
                _("What was changed is kept next to it as NAME.bak."),
            )
            if controls.button(words, "revert_forced", hint, is_enabled=not state.is_running):
                frame.later(partial(frame.control.mods.revert, is_forced=True), name)
        if state.note:
            wrapped(translated(state.note), theme.DIM)
        if state.folder is not None:
            _draw_applied(frame, state)
        _draw_chosen(frame, state)
        if state.found is not None:
            _draw_findings(state.found)
        _draw_answers(frame, state)


def _draw_game(frame: UiContext, state: ModsState) -> None:
    """Draw the game folder, and how far the work on it is."""
    words = f"{fa.ICON_FA_FOLDER_OPEN}  {_('Choose the game…')}"
    if controls.button(words, "choose_game_of_mods", is_enabled=not state.is_running):
        frame.later(frame.control.dialogs.choose_folder, _("Choose the game folder"), frame.control.mods.open)
    imgui.same_line()
    imgui.align_text_to_frame_padding()
    if state.is_running:
        draw_progress(frame, MODS_LANE, _("Reading the game and its mods…"), "cancel_mods")
    elif state.folder is None:
        text(_("no game folder is chosen"), theme.DIM)
    else:
        cut(readable(str(state.folder)))
        tooltip(readable(str(state.folder)))


def _draw_applied(frame: UiContext, state: ModsState) -> None:
    """Draw the mods that are applied, each with a button that takes it back."""
    imgui.separator_text(_("Applied"))
    if not state.applied:
        text(_("no mod is applied"), theme.DIM)
        return
    for manifest in _rows("applied", state.applied):
        _draw_mod(manifest)
        imgui.table_next_column()
        hint = _("Take this mod back; what the others have changed stays.")
        key = f"revert_{manifest.name}"
        if controls.small_button(_("Take back"), key, hint, is_enabled=not state.is_running):
            frame.later(frame.control.mods.revert, manifest.name)
    hint = _("Every byte of the game is as it was before any mod.")
    if controls.button(_("Take all back"), "revert_all", hint, is_enabled=not state.is_running):
        frame.later(frame.control.mods.revert)


def _draw_chosen(frame: UiContext, state: ModsState) -> None:
    """Draw the mods to apply in their order, which can be changed."""
    imgui.separator_text(_("To apply, later ones win"))
    if not state.chosen:
        text(_("Add mods: what conflicts appears here before anything is written."), theme.DIM)
    for number, (path, manifest) in enumerate(_rows("chosen", state.chosen)):
        _draw_mod(manifest)
        imgui.table_next_column()
        _draw_order(frame, path, number, len(state.chosen))
    if controls.button(
        f"{fa.ICON_FA_PLUS}  {_('Add a folder…')}", "add_mod", is_enabled=not state.is_running
    ):
        title = _("Choose the folder of a mod")
        frame.later(frame.control.dialogs.choose_folder, title, frame.control.mods.add, state.beside)
    imgui.same_line()
    if controls.button(f"{fa.ICON_FA_PLUS}  {_('Add a zip…')}", "add_zip", is_enabled=not state.is_running):
        frame.later(
            frame.control.dialogs.choose_file,
            _("Choose the zip of a mod"),
            frame.control.mods.add,
            (ZIP_SUFFIX,),
        )
    imgui.same_line()
    hint = _("Of two folders: the game, and a copy of it in which something was changed.")
    if controls.button(f"{fa.ICON_FA_CUBES}  {_('Make a mod…')}", "make_mod", hint):
        frame.later(frame.control.new_mods.propose)


def _rows(name: str, rows: Sequence[Row]) -> Iterable[Row]:
    """Rows of a table of mods."""
    height = min(len(rows), _LINES) * imgui.get_frame_height_with_spacing() + theme.em(0.4)
    columns = {"name": -3.0, "version": 5.0, "author": -2.0, "needs": -2.0, "changes": 7.0, "buttons": 8.0}
    return table_rows(f"##{name}", columns, rows, _FLAGS, ImVec2(0, height)) if rows else ()


def _draw_mod(manifest: ModManifest) -> None:
    """Draw the cells that say what a mod is."""
    needs = ", ".join(manifest.needs)
    count = counted(len(manifest.changes), "{count} change", "{count} changes")
    hint = [readable(manifest.name), *map(readable, first_changes(manifest))]
    cut(readable(manifest.name))
    tooltip(hint)
    for words in (manifest.version, manifest.author, _("needs {names}", names=needs) if needs else "", count):
        imgui.table_next_column()
        cut(readable(words), theme.DIM)
    tooltip(hint)


def _draw_order(frame: UiContext, path: Path, number: int, count: int) -> None:
    """Draw what moves a chosen mod, or leaves it out."""
    is_free = not frame.state.mods.is_running
    if _ghost(fa.ICON_FA_ARROW_UP, f"up_{number}", _("Apply earlier"), is_enabled=is_free and number > 0):
        frame.later(frame.control.mods.move, path, -1)
    is_movable = is_free and number + 1 < count
    if _ghost(fa.ICON_FA_ARROW_DOWN, f"down_{number}", _("Apply later: it wins"), is_enabled=is_movable):
        frame.later(frame.control.mods.move, path, 1)
    if _ghost(fa.ICON_FA_XMARK, f"remove_{number}", _("Leave it out"), is_enabled=is_free):
        frame.later(frame.control.mods.remove, path)


def _ghost(icon: str, key: str, hint: str, *, is_enabled: bool) -> bool:
    """Draw a button without a frame, and continue next to it; tell whether it was pressed."""
    imgui.begin_disabled(not is_enabled)
    is_pressed = ghost_button(icon, key, hint, theme.DIM)
    imgui.end_disabled()
    imgui.same_line()
    return is_pressed


def _draw_findings(found: ModCheckResult) -> None:
    """Draw what conflicts, what is missing, and what the game has changed."""
    if found.is_clean:
        text(f"{fa.ICON_FA_CHECK}  {_('The mods go together, and with this game.')}", theme.DIM)
        return
    imgui.separator_text(_("Conflicts"))
    for name in found.missing:
        text(_("{name} is needed", name=readable(name)), theme.WARNING)
    height = -2.2 * imgui.get_frame_height_with_spacing()
    columns = {str(_("Place")): -3.0, str(_("First")): -2.0, str(_("Then")): -2.0}
    flags, rows = _FLAGS | imgui.TableFlags_.resizable, _rows_of(found)
    if imgui.begin_child("findings", ImVec2(0, height)):
        shown = (rows[number] for number in rows_on_screen(len(rows)))
        for place, first, then in table_rows("##conflicts", columns, shown, flags, has_headers=True):
            cut(place)
            tooltip([place, first, then])
            for words in (first, then):
                imgui.table_next_column()
                cut(words, theme.ACCENT if words.startswith(fa.ICON_FA_CHECK) else theme.TEXT)
    imgui.end_child()


def _rows_of(found: ModCheckResult) -> list[tuple[str, str, str]]:
    """The cells of each conflict, the value that counts with a mark, then of each changed payload."""
    words = str(_("the game has another payload than the mod was made of"))
    changed = [(readable(it), words, "") for it in found.changed_base]
    return [*map(_cells, found.conflicts), *changed]


def _cells(it: ModConflict) -> tuple[str, str, str]:
    place = ": ".join(part for part in (str(it.address), it.field) if part)
    first, then = (
        f"{f'{fa.ICON_FA_CHECK} ' if mod == it.winner else ''}{mod}: {_value_text(it, value)}"
        for mod, value in zip(it.mods, it.values, strict=True)
    )
    return readable(place), readable(first), readable(then)


def _value_text(it: ModConflict, value: object) -> str:
    if not isinstance(value, str):
        return json_text.encode(value)
    return translated(_WHOLE[value]) if it.field is None and value in _WHOLE else value


def _draw_answers(frame: UiContext, state: ModsState) -> None:
    """Draw what applies the chosen mods."""
    can_apply = state.folder is not None and state.found is not None and not state.is_running
    is_clean = state.found is None or state.found.is_clean
    words = _("Apply") if is_clean else _("Apply in spite of this")
    hint = _("To the game itself; it is taken back here at any time.")
    if answer(words, "apply_mods", hint, is_enabled=can_apply, is_main=is_clean):
        frame.later(frame.control.mods.apply)
    hint = _("To a copy of the game, which is a new folder.")
    if answer(_("Apply to a copy…"), "apply_to_copy", hint, is_enabled=can_apply):
        name = f"{state.folder.name if state.folder else ''}-modded"
        frame.later(
            frame.control.dialogs.choose_new,
            _("The new folder of the copy"),
            name,
            frame.control.mods.apply_to_copy,
        )
