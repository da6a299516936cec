"""The window that makes a mod of two game folders."""

from __future__ import annotations

from functools import partial
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.operations.mods.package import ZIP_SUFFIX
from viewer.session.games.new_mod import NEW_MOD_LANE, NewModState
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.floating import Floating, answer
from viewer.ui.widgets.job_progress import draw_progress
from viewer.ui.widgets.widgets import cut, readable, text, tooltip, wrapped

_INTRODUCTION: Final = _(
    "Copy the game, change the copy with any program, and choose both here: the mod has what differs, field "
    "by field, and nothing that both have."
)
_FOLDERS: Final = _("Choose the game…"), _("Choose the changed copy…")
_TITLES: Final = _("Choose the game folder"), _("Choose the changed copy of the game")
_FIELDS: Final = {
    "name": (_("Name"), _("its name, by which others need it")),
    "version": (_("Version"), ""),
    "author": (_("Author"), ""),
    "needs": (_("Needs"), _("names of other mods, separated by commas")),
}
_LABELS: Final = 6.0
"""Width of the labels, font heights."""


class NewModWindow(Floating):
    """Makes a mod; owner: the shell."""

    id = "new_mod"
    title = _("Make a mod")
    size = 46, 26

    def __init__(self) -> None:
        super().__init__()
        self._asked: object = None
        self._words = dict.fromkeys(_FIELDS, "")

    def draw(self, frame: UiContext) -> None:
        """Draw the window if it is open; it opens when a mod is to be made."""
        state = frame.state.new_mod
        if state.asked is not self._asked:
            self.is_open, self._asked = True, state.asked
        with self.window() as is_shown:
            if is_shown:
                wrapped(str(_INTRODUCTION), theme.DIM)
                _draw_folders(frame, state)
                self._draw_fields()
                self._draw_answers(frame, state)
                _draw_result(frame, state)

    def _draw_fields(self) -> None:
        """Draw what the manifest says of the mod."""
        for key, (title, hint) in _FIELDS.items():
            controls.label(str(title), _LABELS)
            imgui.set_next_item_width(-1)
            words = self._words[key]
            self._words[key] = imgui.input_text_with_hint(f"###{key}_of_mod", str(hint), words)[1]

    def _draw_answers(self, frame: UiContext, state: NewModState) -> None:
        """Draw what writes the mod."""
        name = self._words["name"].strip()
        is_ready = bool(name and state.base and state.changed) and not state.is_running
        for key, words, suffix, is_main in (
            ("save_mod_folder", _("Save as a folder…"), "", True),
            ("save_mod_zip", _("Save as a zip…"), ZIP_SUFFIX, False),
        ):
            if answer(words, key, is_enabled=is_ready, is_main=is_main):
                version, author, needs = (self._words[it].strip() for it in ("version", "author", "needs"))
                frame.later(
                    frame.control.dialogs.choose_new, _("Save the mod"), f"{_stem(name)}{suffix}",
                    partial(frame.control.new_mods.make, name, version, author, needs),
                )  # fmt: skip
        imgui.new_line()


def _stem(name: str) -> str:
    """A name for files: without what no file name has."""
    return "".join("_" if it in '/\\:*?"<>|' else it for it in name)


def _draw_folders(frame: UiContext, state: NewModState) -> None:
    """Draw both folders, each with what chooses another one."""
    for side, folder in enumerate((state.base, state.changed)):
        words = f"{fa.ICON_FA_FOLDER_OPEN}  {_FOLDERS[side]}"
        if controls.button(words, f"choose_side{side}", is_enabled=not state.is_running):
            around = next((it.parent for it in (folder, state.base, state.changed) if it), None)
            frame.later(
                frame.control.dialogs.choose_folder, _TITLES[side],
                partial(frame.control.new_mods.choose, side), around,
            )  # fmt: skip
        imgui.same_line()
        imgui.align_text_to_frame_padding()
        if folder is None:
            text(_("not chosen"), theme.DIM)
        else:
            cut(readable(str(folder)))
            tooltip(readable(str(folder)))


def _draw_result(frame: UiContext, state: NewModState) -> None:
    """Draw how far it is, or what came of it."""
    if state.is_running:
        draw_progress(frame, NEW_MOD_LANE, _("Listing the files…"), "cancel_new_mod")
    if state.problem:
        wrapped(translated(state.problem), theme.ERROR)
    if state.note:
        wrapped(f"{fa.ICON_FA_CHECK}  {translated(state.note)}", theme.GOOD)
    for it in state.remarks:
        wrapped(readable(translated(it)), theme.WARNING)
