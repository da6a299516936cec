"""The menu of the entries that are selected in an overview: in its table, or as pictures."""

from __future__ import annotations

from imgui_bundle import imgui
from msgspec import Struct

from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.session.exporting import PICTURED, EntryFile
from viewer.session.opened.comparison import ComparedSide
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.panels.entry_menu import draw_address_items
from viewer.ui.widgets import controls
from viewer.ui.widgets.widgets import tooltip


class SelectedEntries(Struct, frozen=True):
    """The selected entries in the order shown, and the kind of each; files and entries of archives."""

    addresses: tuple[Address, ...]
    kinds: tuple[str, ...]


def draw_selected_items(frame: UiContext, selected: SelectedEntries) -> None:
    """Draw the items that some entries have, inside an open menu."""
    addresses = selected.addresses
    if len(addresses) == 1:
        if controls.menu_item(_("Open in a new tab"), "open"):
            open_entry(frame, addresses[0])
        imgui.separator()
        draw_address_items(addresses[0], selected.kinds[0], frame)
    elif addresses:
        _draw_several(frame, addresses, has_picture=not PICTURED.isdisjoint(selected.kinds))
    if addresses and controls.menu_item(_("Show statistics"), "entry_statistics"):
        frame.later(frame.control.statistics.count_entries, addresses)
    is_counted = frame.state.corpus.is_of_entries
    if addresses and is_counted and controls.menu_item(_("Add to the statistics"), "add_to_statistics"):
        frame.later(frame.control.statistics.add_entries, addresses)


def _draw_several(frame: UiContext, addresses: tuple[Address, ...], *, has_picture: bool) -> None:
    """Draw the items that more than one entry has; an impossible one says why it is grey."""
    if controls.menu_item(_("Export…"), "export_entries"):
        frame.later(frame.control.exporting.show_entries, addresses)
    if controls.menu_item(_("Pictures…"), "entry_pictures", is_enabled=has_picture):
        frame.later(frame.control.entry_files.show, EntryFile.PICTURE, addresses)
    if not has_picture:
        tooltip(_("Models and textures have pictures; there is none among these."))
    has_entries = any(it.entries for it in addresses)
    if controls.menu_item(_("Extract…"), "extract_entries", is_enabled=has_entries):
        frame.later(frame.control.entry_files.show, EntryFile.PAYLOAD, addresses)
    if not has_entries:
        tooltip(_("These are files, not entries of an archive."))
    if controls.menu_item(_("Compare both"), "compare_both", is_enabled=len(addresses) == 2):
        frame.later(frame.control.comparing.compare, *map(ComparedSide, addresses))
    if len(addresses) != 2:
        tooltip(_("Two entries can be compared."))
    if controls.menu_item(_("Validate"), "validate_rows"):
        frame.later(frame.control.validation.start, *addresses)


def open_entry(frame: UiContext, address: Address) -> None:
    """Open an entry in a new tab."""
    frame.later(frame.control.opening.go_to, Place(address), in_new_tab=True)
