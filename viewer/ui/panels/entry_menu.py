"""What can be done with an entry: its context menu in the browser and on its tab."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from imgui_bundle import imgui

from viewer.model.kinds.registry import ARCHIVE, MODEL, WEAR
from viewer.model.store.address import SEPARATOR, Address
from viewer.model.store.place import Place
from viewer.model.write.file_names import FileNames
from viewer.session.opened.browser_entry import FOLDER, BrowserEntry
from viewer.session.thumbnail import TEXTURES
from viewer.translation import Message, _
from viewer.ui.commands import OpenCommands
from viewer.ui.context import UiContext
from viewer.ui.panels.entry_edits import draw_entry_edits
from viewer.ui.widgets.widgets import labeled, readable


def draw_entry_menu(name: str, entry: BrowserEntry, parent_kind: str | None, frame: UiContext) -> None:
    """Draw the context menu of the item just drawn, which is a row for an entry."""
    if not imgui.begin_popup_context_item(name):
        return
    imgui.separator_text(readable(entry.name))
    opening = opening_of(entry, parent_kind, in_new_tab=True)
    words = labeled(_("Open in a new tab"), "open_in_tab")
    if opening is not None and imgui.menu_item_simple(words, _("Middle click")):
        opening(frame.commands.opening)
    if entry.kind == FOLDER and imgui.menu_item_simple(labeled(_("Use as game folder"), "use_game")):
        frame.commands.opening.use_game(entry.address)
    draw_address_items(entry.address, entry.kind, frame)
    here = None if parent_kind == MODEL.id else opening_of(entry, parent_kind)
    if here is not None and imgui.menu_item_simple(labeled(_("Repair…"), "repair")):
        here(frame.commands.opening)
        frame.commands.panels.show_repair()
    draw_entry_edits(entry, parent_kind, frame)
    is_root = any(root.address == entry.address for root in frame.state.browser.roots)
    if is_root and imgui.menu_item_simple(labeled(_("Remove from the browser"), "close_root")):
        frame.commands.browser.close(entry.address)
    imgui.end_popup()


def draw_address_items(address: str, kind: str, frame: UiContext) -> None:
    """Draw the items that an entry has wherever it is shown."""
    if SEPARATOR in address and imgui.menu_item_simple(labeled(_("Extract…"), "extract")):
        name = Address.parse(address).name
        extract = partial(frame.commands.files.extract, address)
        stem = FileNames().add(name.lstrip("#"), 0)
        frame.commands.dialogs.choose_new(Message("Extract {name}", name=name), stem, extract)
    if kind != FOLDER and imgui.menu_item_simple(labeled(_("Export…"), "export")):
        frame.commands.exporting.show(address, kind)
    if kind in (MODEL.id, ARCHIVE.id) and imgui.menu_item_simple(
        labeled(_("Check round trip"), "round_trip")
    ):
        frame.commands.trips.check(address)
    if kind in TEXTURES and imgui.menu_item_simple(labeled(_("Save as PNG"), "save_png")):
        frame.commands.files.save_texture_at(address)
    replace_picture = labeled(_("Replace the picture…"), "replace_picture")
    if kind in TEXTURES and imgui.menu_item_simple(replace_picture):
        replace = partial(frame.commands.entries.replace_picture, address)
        frame.commands.dialogs.choose_file(Message("Choose a PNG picture"), replace)
    use_wear = labeled(_("Use as wear table of this model"), "use_wear")
    if kind == WEAR.id and imgui.menu_item_simple(use_wear, enabled=frame.document is not None):
        frame.commands.opening.use_wear(address)
    if imgui.menu_item_simple(labeled(_("Validate"), "validate")):
        frame.commands.window.validate(address)
    imgui.separator()
    if imgui.menu_item_simple(labeled(_("Copy address"), "copy_address")):
        frame.commands.window.copy_text(address)


def opening_of(
    entry: BrowserEntry, parent_kind: str | None, *, in_new_tab: bool = False
) -> Callable[[OpenCommands], None] | None:
    """Return the call that opens an entry itself; None for a folder, which only lists its files."""
    if entry.kind == FOLDER:
        return None
    place = Place(entry.address)
    if parent_kind == MODEL.id and not entry.can_open:
        place = Place(entry.address.rpartition(SEPARATOR)[0], entry.kind)
    elif not entry.can_open:
        return lambda opening: opening.open(entry.address, in_new_tab=in_new_tab)
    return lambda opening: opening.go_to(place, in_new_tab=in_new_tab)
