"""Textures by the folder: what was written, and what the pictures of a folder change in a library."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.formats.texture.texm import Texture
from viewer.operations.textures.texture_folders import ReturnedTexture, ReturnPlan
from viewer.session.field_text import counted
from viewer.session.importing import PICTURES_LANE, TextureReturn, WrittenPictures
from viewer.translation import _, count_text, translated
from viewer.ui.context import UiContext
from viewer.ui.converting.texture_wipes import TextureWipes
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.floating import Floating, answer
from viewer.ui.widgets.job_progress import draw_progress
from viewer.ui.widgets.table_grid import LIST, rows_on_screen, table_rows
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import copy_menu, cut, empty, identified, readable, text, tooltip, wrapped

LIST_SHARE: Final = 0.48
"""Share of the width that the list of textures takes."""
NOTES: Final = 9.0
"""Height of what is said of a texture and of pictures that are not used, font heights."""
_COLUMNS: Final = {
    _("Texture"): -1.6,
    _("Format"): 7.0,
    _("Size"): -1.8,
    _("Mips"): 3.6,
    _("Bytes"): -1.8,
    "": 1.2,
}


class TextureReturnWindow(Floating):
    """The changes of a library by pictures of a folder, each with a check box; owner: the shell."""

    id = "texture_return"
    title = _("Textures from a folder")
    size = 100, 50

    def __init__(self) -> None:
        super().__init__()
        self._wipes = TextureWipes()
        self._folder: object = None
        self._row = 0

    def draw(self, frame: UiContext) -> None:
        """Draw the window while there is something to ask."""
        asked = frame.state.converting.textures
        if asked is None and self._folder is not None:
            # Their plan has the library before and after, tens of megabytes each.
            self._folder, self._wipes = None, TextureWipes()
        close = frame.later.calling(frame.control.textures.answer, is_wanted=False)
        with self.asked(asked, close) as is_shown:
            if is_shown and asked is not None:
                self._draw(frame, asked)

    def _draw(self, frame: UiContext, asked: TextureReturn) -> None:
        if asked.folder is not self._folder:
            self._folder, self._row = asked.folder, 0
        _draw_head(frame, asked)
        below = imgui.get_frame_height_with_spacing() + imgui.get_style().item_spacing.y
        height = max(imgui.get_content_region_avail().y - below, theme.em(8))
        plan = asked.plan
        if imgui.begin_child("content", ImVec2(0, height)):
            if plan is not None and plan.changed:
                self._draw_changes(frame, asked, plan)
            elif plan is not None:
                empty(_("No picture was changed: the library keeps its bytes."))
                _draw_remarks(plan)
        imgui.end_child()
        _draw_buttons(frame, asked)

    def _draw_changes(self, frame: UiContext, asked: TextureReturn, plan: ReturnPlan) -> None:
        """Draw the list next to the images."""
        room = imgui.get_content_region_avail()
        self._row = min(self._row, len(plan.changed) - 1)
        if imgui.begin_child("list", ImVec2(room.x * LIST_SHARE, room.y)):
            self._draw_list(frame, asked, plan)
        imgui.end_child()
        imgui.same_line()
        if imgui.begin_child("wipes", ImVec2(0, room.y)):
            self._wipes.draw(frame, asked, plan.changed[self._row])
        imgui.end_child()

    def _draw_list(self, frame: UiContext, asked: TextureReturn, plan: ReturnPlan) -> None:
        """Draw the textures that change, what is said of the chosen one, and what is not used."""
        every, left = range(len(plan.changed)), len(asked.left_out)
        imgui.push_style_var(imgui.StyleVar_.frame_padding, ImVec2(theme.em(0.1), 0))
        if controls.checkbox(
            _("All changes"), "all", is_on=left < len(every), is_mixed=0 < left < len(every)
        ):
            none_left = frozenset[int]() if left else frozenset(every)
            frame.later(frame.control.textures.leave_out, none_left)
        imgui.pop_style_var()
        needed = (len(every) + 1) * (imgui.get_text_line_height() + theme.em(0.5)) + theme.em(0.4)
        room = max(imgui.get_content_region_avail().y - theme.em(NOTES), theme.em(6))
        size, rows = ImVec2(0, min(needed, room)), rows_on_screen(len(every))
        columns = {str(title): width for title, width in _COLUMNS.items()}
        for number in table_rows("##textures", columns, rows, LIST, size, has_headers=True):
            with identified(number):
                self._draw_row(frame, asked, number, plan.changed[number])
        if imgui.begin_child("notes"):
            _draw_notes(plan.changed[self._row])
            _draw_remarks(plan)
        imgui.end_child()

    def _draw_row(self, frame: UiContext, asked: TextureReturn, number: int, it: ReturnedTexture) -> None:
        is_made, name = number not in asked.left_out, readable(it.name)
        flags = imgui.SelectableFlags_.span_all_columns | imgui.SelectableFlags_.allow_overlap
        if imgui.selectable("###row", number == self._row, int(flags))[0]:
            self._row = number
        imgui.same_line(0, 0)
        imgui.push_style_var(imgui.StyleVar_.frame_padding, ImVec2(theme.em(0.1), 0))
        hint = _("Off: it is left out.")
        if controls.checkbox("", "made", hint, is_on=is_made):
            self._row = number
            frame.later(frame.control.textures.leave_out, asked.left_out ^ {number})
        imgui.pop_style_var()
        imgui.same_line()
        color = theme.TEXT if is_made else theme.DIM
        cut(name, color)
        tooltip([name, readable(it.picture)])
        copy_menu("name", name)
        imgui.table_next_column()
        cut(it.after.format.label, color)
        tooltip(translated(it.after.format.meaning))
        for before, after in _values(it):
            imgui.table_next_column()
            _draw_change(before, after, color)
        imgui.table_next_column()
        if it.notes:
            text(fa.ICON_FA_TRIANGLE_EXCLAMATION, theme.WARNING)
            tooltip([*map(translated, it.notes)])


def _values(it: ReturnedTexture) -> Iterator[tuple[str, str]]:
    """The values of a texture that may change, before and after: size, levels, bytes."""
    yield _size(it.before), _size(it.after)
    yield str(len(it.before.levels)), str(len(it.after.levels))
    yield count_text(it.size_before), count_text(it.size_after)


def _size(texture: Texture) -> str:
    return f"{texture.levels[0].width} x {texture.levels[0].height}"


def _draw_change(before: str, after: str, color: Color) -> None:
    """Draw a value, or what it was and what it will be."""
    if before == after:
        text(before, color)
        return
    words = f"{before} {fa.ICON_FA_ARROW_RIGHT} {after}"
    cut(words, theme.UNSAVED if color == theme.TEXT else color)
    tooltip(words)


def _draw_notes(it: ReturnedTexture) -> None:
    """Draw what the format of a texture cannot hold of its picture."""
    imgui.separator_text(readable(it.name))
    for note in it.notes:
        wrapped(translated(note), theme.WARNING)
    if not it.notes:
        wrapped(_("Every pixel is stored as the picture has it."), theme.GOOD)


def _draw_remarks(plan: ReturnPlan) -> None:
    """Draw which pictures cannot be textures, are missing, or are not used."""
    refused = [f"{it.path.name}: {translated(it.reason.message)}" for it in plan.refused]
    lines = [*((it, theme.ERROR) for it in refused), *((it, theme.WARNING) for it in plan.remarks)]
    if lines:
        imgui.separator_text(_("Not used"))
    for number, (words, color) in enumerate(lines):
        shown = readable(translated(words))
        wrapped(shown, color)
        copy_menu(f"remark{number}", shown)


def _draw_head(frame: UiContext, asked: TextureReturn) -> None:
    """Draw which folder goes into which library, and how large that becomes."""
    text(f"{fa.ICON_FA_FOLDER_OPEN}  {readable(asked.folder.name)}")
    tooltip(readable(str(asked.folder)))
    imgui.same_line(0, theme.em(0.8))
    text(_("into {name}", name=readable(asked.library.name)), theme.DIM)
    tooltip(readable(str(asked.library)))
    imgui.same_line(0, theme.em(1.6))
    if asked.is_running:
        draw_progress(frame, PICTURES_LANE, _("Reading the pictures…"), "cancel_pictures")
    elif asked.problem:
        imgui.new_line()
        wrapped(translated(asked.problem), theme.ERROR)
    elif asked.plan is not None:
        text(",  ".join(asked.plan.summary), theme.UNSAVED if asked.plan.chosen else theme.GOOD)


def _draw_buttons(frame: UiContext, asked: TextureReturn) -> None:
    is_idle = not asked.is_running
    can_apply = asked.plan is None or bool(asked.plan.changed)
    if can_apply:
        hint = _("One step in the history of the library, which Save writes.")
        is_ready = is_idle and asked.is_ready
        if answer(_("Apply"), "apply", hint, is_enabled=is_ready, is_main=True):
            frame.later(frame.control.textures.answer, is_wanted=True)
    hint = _("After another program has saved its pictures again.")
    if answer(_("Read again"), "read_again", hint, is_enabled=is_idle):
        frame.later(frame.control.textures.read, asked.library, asked.folder)
    if answer(_("Cancel") if can_apply else _("Close"), "cancel", is_main=not can_apply):
        frame.later(frame.control.textures.answer, is_wanted=False)


class WrittenPicturesWindow(Floating):
    """The report of textures written as pictures; owner: the shell."""

    id = "written_pictures"
    title = _("Textures to a folder")
    size = 42, 16

    def draw(self, frame: UiContext) -> None:
        """Draw the window while there is a report."""
        written = frame.state.converting.pictures
        with self.asked(written, frame.later.calling(frame.control.textures.close_written)) as is_shown:
            if is_shown and written is not None:
                _draw_written(frame, written)


def _draw_written(frame: UiContext, written: WrittenPictures) -> None:
    folder = readable(str(written.folder))
    count = counted(written.count, "{count} picture", "{count} pictures")
    wrote = _("wrote {count} to {out}", count=count, out=folder)
    wrapped(f"{readable(written.library.name)}: {wrote}")
    copy_menu("folder", folder)
    words = _(
        "Names, formats, levels and palettes are in index.json there. Change the pictures in any program, "
        "then put them back: only those that were changed become other textures."
    )
    wrapped(words, theme.DIM)
    below = imgui.get_frame_height_with_spacing() + imgui.get_style().item_spacing.y
    if imgui.begin_child("refused", ImVec2(0, max(imgui.get_content_region_avail().y - below, 1))):
        for number, it in enumerate(written.refused):
            wrapped(readable(str(it)), theme.WARNING)
            copy_menu(f"refused{number}", readable(str(it)))
    imgui.end_child()
    if answer(_("Open the folder"), "open_folder", folder):
        frame.later(frame.control.window.open_folder, written.folder)
    if answer(_("Put them back…"), "put_back", _("Show what was changed in the folder since.")):
        frame.later(frame.control.textures.read, written.library, written.folder)
    if answer(_("Close"), "close", is_main=True):
        frame.later(frame.control.textures.close_written)
