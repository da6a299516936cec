"""What can be done with an entry: its context menu in the browser and on its tab."""

from __future__ import annotations

from functools import partial

from imgui_bundle import imgui

from viewer.model.kinds.registry import ARCHIVE, MODEL, WEAR
from viewer.model.store.address import SEPARATOR, Address
from viewer.model.store.place import Place
from viewer.model.write.file_names import FileNames
from viewer.session.opened.browser_entry import FOLDER, BrowserEntry
from viewer.session.thumbnail import TEXTURES
from viewer.translation import Message, _
from viewer.ui.context import UiContext
from viewer.ui.convert_requests import CheckTrips, ShowExport
from viewer.ui.edit_requests import ShowRepair
from viewer.ui.panels.entry_edits import draw_entry_edits, replacing_picture
from viewer.ui.requests import (
    CloseRoot,
    CopyText,
    Extract,
    GoTo,
    Open,
    Request,
    SaveDialog,
    SaveTextureAt,
    UseGame,
    UseWear,
    Validate,
)
from viewer.ui.widgets.widgets import labeled, readable


def draw_entry_menu(name: str, entry: BrowserEntry, parent_kind: str | None, frame: UiContext) -> None:
    """Draw the context menu of the item just drawn, which is a row for an entry."""
    if not imgui.begin_popup_context_item(name):
        return
    imgui.separator_text(readable(entry.name))
    opening = request_of(entry, parent_kind, in_new_tab=True)
    words = labeled(_("Open in a new tab"), "open_in_tab")
    if opening is not None and imgui.menu_item_simple(words, _("Middle click")):
        frame.request(opening)
    if entry.kind == FOLDER and imgui.menu_item_simple(labeled(_("Use as game folder"), "use_game")):
        frame.request(UseGame(entry.address))
    draw_address_items(entry.address, entry.kind, frame)
    here = None if parent_kind == MODEL.id else request_of(entry, parent_kind)
    if here is not None and imgui.menu_item_simple(labeled(_("Repair…"), "repair")):
        frame.request(here)
        frame.request(ShowRepair())
    draw_entry_edits(entry, parent_kind, frame)
    is_root = any(root.address == entry.address for root in frame.browser.roots)
    if is_root and imgui.menu_item_simple(labeled(_("Remove from the browser"), "close_root")):
        frame.request(CloseRoot(entry.address))
    imgui.end_popup()


def draw_address_items(address: str, kind: str, frame: UiContext) -> None:
    """Draw the items that an entry has wherever it is shown."""
    if SEPARATOR in address and imgui.menu_item_simple(labeled(_("Extract…"), "extract")):
        frame.request(extraction(address))
    if kind != FOLDER and imgui.menu_item_simple(labeled(_("Export…"), "export")):
        frame.request(ShowExport(address, kind))
    if kind in (MODEL.id, ARCHIVE.id) and imgui.menu_item_simple(
        labeled(_("Check round trip"), "round_trip")
    ):
        frame.request(CheckTrips(address))
    if kind in TEXTURES and imgui.menu_item_simple(labeled(_("Save as PNG"), "save_png")):
        frame.request(SaveTextureAt(address))
    replace_picture = labeled(_("Replace the picture…"), "replace_picture")
    if kind in TEXTURES and imgui.menu_item_simple(replace_picture):
        frame.request(replacing_picture(address))
    use_wear = labeled(_("Use as wear table of this model"), "use_wear")
    if kind == WEAR.id and imgui.menu_item_simple(use_wear, enabled=frame.document is not None):
        frame.request(UseWear(address))
    if imgui.menu_item_simple(labeled(_("Validate"), "validate")):
        frame.request(Validate(address))
    imgui.separator()
    if imgui.menu_item_simple(labeled(_("Copy address"), "copy_address")):
        frame.request(CopyText(address))


def request_of(entry: BrowserEntry, parent_kind: str | None, *, in_new_tab: bool = False) -> Request | None:
    """Return the request that opens an entry itself; None for a folder, which only lists its files."""
    if entry.kind == FOLDER:
        return None
    if entry.can_open:
        return GoTo(Place(entry.address), in_new_tab)
    if parent_kind == MODEL.id:
        return GoTo(Place(entry.address.rpartition(SEPARATOR)[0], entry.kind), in_new_tab)
    return Open(entry.address, in_new_tab)


def extraction(address: str) -> SaveDialog:
    """Return the request for a path to extract an entry to."""
    name = Address.parse(address).name
    return SaveDialog(
        Message("Extract {name}", name=name), FileNames().add(name.lstrip("#"), 0), partial(Extract, address)
    )
