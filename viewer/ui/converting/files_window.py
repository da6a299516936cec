"""The window about a file of each of some entries: their bytes, or pictures."""

from __future__ import annotations

from typing import Final

from imgui_bundle import ImVec2, imgui
from msgspec.structs import replace

from viewer.session.exporting import EntryFile, FilesQuestion
from viewer.session.field_text import counted
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.converting.export_window import LABELS, draw_files, draw_folder
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.floating import Floating, answer
from viewer.ui.widgets.widgets import readable, text, wrapped

NUMBERS: Final = 8.0
"""Width of the fields of the size, font heights."""
LARGEST: Final = 8192
_VERBS: Final = {EntryFile.PAYLOAD: _("Extract"), EntryFile.PICTURE: _("Save pictures")}
_WORDS: Final = {
    EntryFile.PAYLOAD: _("The bytes of each entry as a file, unpacked."),
    EntryFile.PICTURE: _(
        "A picture of each model, as the view is set now and from the same direction, and of each texture."
    ),
}


class FilesWindow(Floating):
    """Asks where to write a file of each of some entries; owner: the shell."""

    id = "entry_files"
    title = _("Files of entries")
    size = 34, 26

    def draw(self, frame: UiContext) -> None:
        """Draw the window while there is something to ask."""
        question = frame.state.converting.files
        close = frame.later.calling(frame.control.entry_files.run, is_wanted=False)
        with self.asked(question, close) as is_shown:
            if is_shown and question is not None:
                _draw(question, frame)


def _draw_picture_options(question: FilesQuestion, frame: UiContext) -> None:
    """Draw the size of pictures of models, and whether they have a background."""
    controls.label(_("Size"), LABELS)
    imgui.set_next_item_width(theme.em(NUMBERS))
    size = tuple(min(max(it, 1), LARGEST) for it in imgui.input_int2("##picture_size", [*question.size])[1])
    imgui.same_line()
    text(_("pixels"), theme.DIM)
    controls.label("", LABELS)
    is_clear = question.is_transparent
    if controls.checkbox(_("Transparent"), "transparent", _("Without background."), is_on=is_clear):
        is_clear = not is_clear
    asked = replace(question, size=(size[0], size[1]), is_transparent=is_clear)
    if asked != question:
        frame.later(frame.control.entry_files.ask, asked)


def _draw(question: FilesQuestion, frame: UiContext) -> None:
    text(counted(len(question.entries), "{count} selected entry", "{count} selected entries"))
    wrapped(_WORDS[question.what], theme.DIM)
    if question.what is EntryFile.PICTURE:
        _draw_picture_options(question, frame)
    if draw_folder(question.folder):
        title = _("Choose the folder to write to")
        frame.later(frame.control.dialogs.choose_folder, title, frame.control.entry_files.place)
    imgui.spacing()
    below = imgui.get_frame_height_with_spacing() + imgui.get_style().item_spacing.y
    height = max(imgui.get_content_region_avail().y - below, theme.em(4))
    found = question.preview
    if imgui.begin_child("preview", ImVec2(0, height), imgui.ChildFlags_.borders):
        if found is None:
            text(_("Working out what will be written…"), theme.DIM)
        elif found.error:
            wrapped(translated(found.error), theme.ERROR)
        else:
            draw_files(found)
    imgui.end_child()
    is_over = found is not None and bool(found.replaced)
    words = _("Replace") if is_over else str(_VERBS[question.what])
    is_possible = found is not None and bool(found.files)
    if answer(words, "run", readable(str(question.folder)), is_enabled=is_possible, is_main=True):
        frame.later(frame.control.entry_files.run, is_wanted=True)
    if answer(_("Cancel"), "cancel"):
        frame.later(frame.control.entry_files.run, is_wanted=False)
