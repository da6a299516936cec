"""Editing entries of an archive from their context menu: renamed, replaced, moved, added, removed."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.model.edit.archive.entries import MoveEntry, RemoveEntry, RenameEntry
from viewer.model.edit.archive.new_entries import AddMaterial, DuplicateEntry
from viewer.model.edit.change import Change
from viewer.model.kinds.registry import ARCHIVE, MATERIAL, PACKED
from viewer.model.store.address import SEPARATOR, Address
from viewer.session.opened.browser_entry import BrowserEntry
from viewer.session.opened.entry_list import EntryList
from viewer.translation import Message, _
from viewer.ui.context import UiContext
from viewer.ui.edit_requests import AddFile, Edit, ReplaceByFile, ReplacePicture
from viewer.ui.requests import OpenDialog
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import labeled, text

ARCHIVES: Final = frozenset({ARCHIVE.id, PACKED.id})
NAME_WIDTH: Final = 16.0
"""Of the field for the name, font heights."""


def draw_entry_edits(entry: BrowserEntry, container_kind: str | None, frame: UiContext) -> None:
    """Draw the items that change an archive, of one of its entries or of the archive itself."""
    is_inside = container_kind in ARCHIVES and SEPARATOR in entry.address
    if entry.kind == ARCHIVE.id:
        _draw_adding(entry.address, frame)
    if not is_inside:
        return
    imgui.separator()
    _draw_name(entry, frame)
    if imgui.menu_item_simple(labeled(f"{fa.ICON_FA_FILE_IMPORT}  {_('Replace by a file…')}", "replace")):
        frame.request(replacing(entry.address))
    if container_kind == ARCHIVE.id:
        if imgui.menu_item_simple(labeled(f"{fa.ICON_FA_COPY}  {_('Duplicate')}", "duplicate")):
            _request(frame, entry.address, DuplicateEntry(_key(entry)))
        _draw_moving(entry, frame)
    if imgui.menu_item_simple(labeled(f"{fa.ICON_FA_TRASH}  {_('Remove from the archive')}", "remove")):
        _request(frame, entry.address, RemoveEntry(_key(entry)))


def replacing(address: str) -> OpenDialog:
    """Return the request for a file that replaces an entry."""
    return OpenDialog(
        requested=lambda path: ReplaceByFile(address, Path(path)), title=Message("Replace by a file")
    )


def replacing_picture(address: str) -> OpenDialog:
    """Return the request for a picture that is put into a texture."""
    return OpenDialog(
        requested=lambda path: ReplacePicture(address, Path(path)), title=Message("Choose a PNG picture")
    )


def _draw_adding(address: str, frame: UiContext) -> None:
    if imgui.menu_item_simple(labeled(f"{fa.ICON_FA_PLUS}  {_('Add a file…')}", "add_file")):
        requested = partial(_added, address)
        frame.request(OpenDialog(requested=requested, title=Message("Add a file to the archive")))
    rows = frame.browser.children.get(address)
    has_materials = isinstance(rows, EntryList) and MATERIAL.id in rows.kinds.ids
    words = labeled(f"{fa.ICON_FA_PALETTE}  {_('New material')}", "new_material")
    if has_materials and imgui.menu_item_simple(words):
        frame.request(Edit(address, (AddMaterial(),)))


def _added(address: str, path: str) -> AddFile:
    return AddFile(address, Path(path))


def _draw_name(entry: BrowserEntry, frame: UiContext) -> None:
    """Draw the name as a field; Enter renames the entry."""
    imgui.align_text_to_frame_padding()
    text(fa.ICON_FA_PEN, theme.DIM)
    imgui.same_line()
    imgui.set_next_item_width(theme.em(NAME_WIDTH))
    flags = imgui.InputTextFlags_.enter_returns_true | imgui.InputTextFlags_.auto_select_all
    is_entered, name = imgui.input_text("###entry_name", entry.name, flags)
    if is_entered:
        imgui.close_current_popup()
        if name != entry.name:
            _request(frame, entry.address, RenameEntry(_key(entry), name))


def _draw_moving(entry: BrowserEntry, frame: UiContext) -> None:
    rows = frame.browser.children.get(str(Address.parse(entry.address).parent))
    row = rows.find(entry.address) if isinstance(rows, EntryList) else None
    if rows is None or row is None:
        return
    for key, icon, words, step in (
        ("move_up", fa.ICON_FA_ARROW_UP, _("Move up in the archive"), -1),
        ("move_down", fa.ICON_FA_ARROW_DOWN, _("Move down in the archive"), 1),
    ):
        is_possible = 0 <= row + step < len(rows)
        if imgui.menu_item_simple(labeled(f"{icon}  {words}", key), enabled=is_possible):
            _request(frame, entry.address, MoveEntry(_key(entry), row + step))


def _key(entry: BrowserEntry) -> str:
    """The entry as changes of its archive name it."""
    return Address.parse(entry.address).name


def _request(frame: UiContext, address: str, change: Change) -> None:
    frame.request(Edit(str(Address.parse(address).parent), (change,)))
