"""Editing entries of an archive from their context menu: renamed, replaced, moved, added, removed."""

from __future__ import annotations

from functools import partial
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
        replace = partial(frame.commands.entries.replace, entry.address)
        frame.commands.dialogs.choose_file(Message("Replace by a file"), replace)
    if container_kind == ARCHIVE.id:
        if imgui.menu_item_simple(labeled(f"{fa.ICON_FA_COPY}  {_('Duplicate')}", "duplicate")):
            _edit(frame, entry.address, DuplicateEntry(_key(entry)))
        _draw_moving(entry, frame)
    if imgui.menu_item_simple(labeled(f"{fa.ICON_FA_TRASH}  {_('Remove from the archive')}", "remove")):
        _edit(frame, entry.address, RemoveEntry(_key(entry)))


def _draw_adding(address: str, frame: UiContext) -> None:
    if imgui.menu_item_simple(labeled(f"{fa.ICON_FA_PLUS}  {_('Add a file…')}", "add_file")):
        add = partial(frame.commands.entries.add, address)
        frame.commands.dialogs.choose_file(Message("Add a file to the archive"), add)
    rows = frame.state.browser.children.get(address)
    has_materials = isinstance(rows, EntryList) and MATERIAL.id in rows.kinds.ids
    words = labeled(f"{fa.ICON_FA_PALETTE}  {_('New material')}", "new_material")
    if has_materials and imgui.menu_item_simple(words):
        frame.commands.edits.edit(address, (AddMaterial(),))


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
            _edit(frame, entry.address, RenameEntry(_key(entry), name))


def _draw_moving(entry: BrowserEntry, frame: UiContext) -> None:
    rows = frame.state.browser.children.get(str(Address.parse(entry.address).parent))
    row = rows.find(entry.address) if isinstance(rows, EntryList) else None
    if rows is None or row is None:
        return
    for key, icon, words, step in (
        ("move_up", fa.ICON_FA_ARROW_UP, _("Move up in the archive"), -1),
        ("move_down", fa.ICON_FA_ARROW_DOWN, _("Move down in the archive"), 1),
    ):
        is_possible = 0 <= row + step < len(rows)
        if imgui.menu_item_simple(labeled(f"{icon}  {words}", key), enabled=is_possible):
            _edit(frame, entry.address, MoveEntry(_key(entry), row + step))


def _key(entry: BrowserEntry) -> str:
    """The entry as changes of its archive name it."""
    return Address.parse(entry.address).name


def _edit(frame: UiContext, address: str, change: Change) -> None:
    frame.commands.edits.edit(str(Address.parse(address).parent), (change,))
