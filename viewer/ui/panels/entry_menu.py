"""The context menu of an entry, in the browser and on its tab, and its edits in the archive."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.model.convert.scene_images import SUFFIXES
from viewer.model.edit.archive.add_effect import AddEffect
from viewer.model.edit.archive.entries import AddMaterial, DuplicateEntry, RemoveEntry, RenameEntry
from viewer.model.edit.archive.entry_order import MoveEntry
from viewer.model.edit.change import Change
from viewer.model.effects.templates import TemplateName
from viewer.model.kinds.registry import ARCHIVE, ARCHIVES, EFFECT, MATERIAL, MODEL, TEXTURE, WEAR
from viewer.model.store.address import Address
from viewer.model.store.disk import BACKUP_SUFFIX
from viewer.model.store.place import Place
from viewer.model.write.saving import FileNames
from viewer.session.jobs import TEXTURES
from viewer.session.opened.comparison import ComparedSide, has_backup
from viewer.session.opened.entry_list import FOLDER, BrowserEntry, EntryList
from viewer.translation import _
from viewer.ui.actions.actions import ActionEffect
from viewer.ui.context import UiContext
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.widgets import labeled, readable


def draw_entry_menu(name: str, entry: BrowserEntry, parent_kind: str | None, frame: UiContext) -> None:
    """Draw the context menu of the item just drawn, which is a row for an entry."""
    if not imgui.begin_popup_context_item(name):
        return
    imgui.separator_text(readable(entry.name))
    opening = opening_of(entry, parent_kind, in_new_tab=True)
    is_folder = entry.kind == FOLDER
    if (
        opening
        and not is_folder
        and controls.menu_item(_("Open in a new tab"), "open_in_tab", _("Middle click"))
    ):
        opening(frame)
    if is_folder and controls.menu_item(_("Use as game folder"), "use_game"):
        frame.later(frame.control.opening.use_game, str(entry.address.path))
    if is_folder and controls.menu_item(_("Compare with a folder…"), "compare_folder"):
        frame.later(
            frame.control.dialogs.choose_folder,
            _("Choose a folder to compare"),
            partial(frame.control.folders.compare, entry.address.path),
        )
    keys = _("Middle click") if is_folder else ""
    if (is_folder or entry.kind in ARCHIVES) and controls.menu_item(_("Overview"), "overview", keys):
        frame.later(frame.control.overviews.show, entry.address)
    draw_address_items(entry.address, entry.kind, frame)
    here = None if parent_kind == MODEL.id else opening_of(entry, parent_kind)
    if here is not None and controls.menu_item(_("Repair…"), "repair"):
        here(frame)
        frame.later(frame.control.panels.show_repair)
    draw_entry_edits(entry, parent_kind, frame)
    is_root = any(root.address == entry.address for root in frame.state.browser.roots)
    if is_root and controls.menu_item(_("Remove from the browser"), "close_root"):
        frame.later(frame.control.browser.close, entry.address)
    imgui.end_popup()


def draw_address_items(address: Address, kind: str, frame: UiContext) -> None:
    """Draw the items that an entry has wherever it is shown."""
    if address.entries and controls.menu_item(_("Extract…"), "extract"):
        frame.later(
            frame.control.dialogs.choose_new,
            _("Extract {name}", name=address.name),
            FileNames().add(address.name.lstrip("#"), 0),
            partial(frame.control.files.extract, address),
        )
    if kind != FOLDER:
        if controls.menu_item(_("Export…"), "export"):
            frame.later(frame.control.exporting.show, address, kind)
        _draw_comparing(address, frame)
    if kind in (MODEL.id, ARCHIVE.id) and controls.menu_item(_("Check round trip"), "round_trip"):
        frame.later(frame.control.round_trips.check, address)
    _draw_picture_items(address, kind, frame)
    use_wear, has_model = _("Use as wear table of this model"), frame.document is not None
    if kind == WEAR.id and controls.menu_item(use_wear, "use_wear", is_enabled=has_model):
        frame.later(frame.control.opening.use_wear, address)
    if controls.menu_item(_("Validate"), "validate"):
        frame.later(frame.control.validation.start, address)
    imgui.separator()
    if controls.menu_item(_("Copy address"), "copy_address"):
        frame.later(frame.control.window.copy_text, str(address))


def has_textures(address: Address, frame: UiContext) -> bool | None:
    """Whether an archive has textures; None if its entries are not listed yet."""
    rows = frame.state.browser.children.get(address)
    return TEXTURE.id in rows.kinds.ids if isinstance(rows, EntryList) else None


def _draw_picture_items(address: Address, kind: str, frame: UiContext) -> None:
    """Draw the items that a texture has, and those of a library of textures."""
    if kind in TEXTURES and controls.menu_item(_("Save as PNG"), "save_png"):
        frame.later(frame.control.files.save_texture_at, address)
    if kind in TEXTURES and controls.menu_item(_("Replace the picture…"), "replace_picture"):
        ask_for_picture(address, frame)
    if kind not in ARCHIVES or has_textures(address, frame) is False:
        return
    if controls.menu_item(_("Textures to a folder…"), "textures_to_folder"):
        ask_for_new_folder(address, frame)
    if controls.menu_item(_("Textures from a folder…"), "textures_from_folder"):
        ask_for_pictures(address, frame)


def ask_for_new_folder(library: Address, frame: UiContext) -> None:
    """Ask for the folder that the textures of a library are written to."""
    frame.later(
        frame.control.dialogs.choose_new,
        _("The new folder of the pictures"),
        Path(library.name).stem,
        partial(frame.control.textures.write, library),
    )


def ask_for_pictures(library: Address, frame: UiContext) -> None:
    """Ask for the folder whose pictures become textures of a library."""
    frame.later(
        frame.control.dialogs.choose_folder,
        _("Choose the folder of the pictures"),
        partial(frame.control.textures.read, library),
    )


def ask_for_picture(address: Address, frame: UiContext) -> None:
    """Ask for the file whose picture is put into a texture."""
    frame.later(
        frame.control.dialogs.choose_file,
        _("Choose a picture"),
        partial(frame.control.entries.replace_picture, address),
        SUFFIXES,
    )


def _draw_comparing(address: Address, frame: UiContext) -> None:
    """Draw the items that compare an entry: with one chosen before, what is open, the file, a backup."""
    if not imgui.begin_menu(labeled(_("Compare"), "compare")):
        return
    here = ComparedSide(address)
    if controls.menu_item(_("With what is chosen next"), "compare_first", "Alt+Click"):
        frame.later(frame.control.comparing.choose, address)
    first, opened = frame.state.comparison.first, frame.state.tabs.active.address
    for name, other in (("compare_with", None if opened == first else first), ("compare_open", opened)):
        if not other or other == address:
            continue
        words = _("With {name}", name=readable(other.name))
        if controls.menu_item(words, name, "Shift+Click" if other == opened else ""):
            frame.later(frame.control.comparing.compare, ComparedSide(other), here)
    is_unsaved = frame.lookups.is_unsaved(address)
    if controls.menu_item(_("With the file on the disk"), "compare_saved", is_enabled=is_unsaved):
        frame.later(frame.control.comparing.compare, ComparedSide(address, is_saved=True), here)
    with_backup = _("With {suffix}", suffix=BACKUP_SUFFIX)
    if controls.menu_item(with_backup, "compare_backup", is_enabled=has_backup(address)):
        frame.later(frame.control.comparing.compare, ComparedSide(address, is_backup=True), here)
    imgui.end_menu()


def opening_of(
    entry: BrowserEntry, parent_kind: str | None, *, in_new_tab: bool = False
) -> ActionEffect | None:
    """Return what opens an entry itself; None for a folder, which lists its files, unless in a new tab."""
    if entry.kind == FOLDER and not in_new_tab:
        return None
    place = Place(entry.address)
    if parent_kind == MODEL.id and not entry.can_open:
        place = Place(entry.address.parent, entry.kind)
    elif not entry.can_open:
        return lambda frame: frame.later(frame.control.opening.open, entry.address, in_new_tab=in_new_tab)
    return lambda frame: frame.later(frame.control.opening.go_to, place, in_new_tab=in_new_tab)


NAME_WIDTH: Final = 16.0
"""Width of the field for the name, font heights."""


def draw_entry_edits(entry: BrowserEntry, container_kind: str | None, frame: UiContext) -> None:
    """Draw the items that change an archive, of one of its entries or of the archive itself."""
    if entry.kind == ARCHIVE.id:
        _draw_adding(entry.address, frame)
    if container_kind not in ARCHIVES or not entry.address.entries:
        return
    imgui.separator()
    _draw_name(entry, frame)
    if controls.menu_item(_("Replace by a file…"), "replace", icon=fa.ICON_FA_FILE_IMPORT):
        frame.later(
            frame.control.dialogs.choose_file,
            _("Replace by a file"),
            partial(frame.control.entries.replace, entry.address),
        )
    if container_kind == ARCHIVE.id:
        if controls.menu_item(_("Duplicate"), "duplicate", icon=fa.ICON_FA_COPY):
            _edit(frame, entry.address, DuplicateEntry(entry.address.name))
        _draw_moving(entry, frame)
    if controls.menu_item(_("Remove from the archive"), "remove", icon=fa.ICON_FA_TRASH):
        _edit(frame, entry.address, RemoveEntry(entry.address.name))


def _draw_adding(address: Address, frame: UiContext) -> None:
    if controls.menu_item(_("Add a file…"), "add_file", icon=fa.ICON_FA_PLUS):
        frame.later(
            frame.control.dialogs.choose_file,
            _("Add a file to the archive"),
            partial(frame.control.entries.add, address),
        )
    rows = frame.state.browser.children.get(address)
    kinds = rows.kinds.ids if isinstance(rows, EntryList) else ()
    if MATERIAL.id in kinds and controls.menu_item(
        _("New material"), "new_material", icon=fa.ICON_FA_PALETTE
    ):
        frame.later(frame.control.edits.edit, address, (AddMaterial(),))
    words = labeled(f"{fa.ICON_FA_WAND_MAGIC_SPARKLES}  {_('New effect')}", "new_effect")
    if EFFECT.id in kinds and imgui.begin_menu(words):
        draw_new_effects(frame, address)
        imgui.end_menu()


def draw_new_effects(frame: UiContext, address: Address) -> None:
    """Draw an item for each template of an effect, which adds it to an archive, inside an open menu."""
    for kind in TemplateName:
        if controls.menu_item(kind.value, f"new_{kind.value}"):
            frame.later(frame.control.edits.edit, address, (AddEffect(kind),))


def _draw_name(entry: BrowserEntry, frame: UiContext) -> None:
    """Draw the name as a field; Enter renames the entry."""
    controls.label(fa.ICON_FA_PEN)
    imgui.set_next_item_width(theme.em(NAME_WIDTH))
    flags = imgui.InputTextFlags_.enter_returns_true | imgui.InputTextFlags_.auto_select_all
    is_entered, name = imgui.input_text("###entry_name", entry.name, flags)
    if is_entered:
        imgui.close_current_popup()
        if name != entry.name:
            _edit(frame, entry.address, RenameEntry(entry.address.name, name))


def _draw_moving(entry: BrowserEntry, frame: UiContext) -> None:
    rows = frame.state.browser.children.get(entry.address.parent)
    row = rows.find(entry.address) if isinstance(rows, EntryList) else None
    if rows is None or row is None:
        return
    for key, icon, words, step in (
        ("move_up", fa.ICON_FA_ARROW_UP, _("Move up in the archive"), -1),
        ("move_down", fa.ICON_FA_ARROW_DOWN, _("Move down in the archive"), 1),
    ):
        if controls.menu_item(words, key, icon=icon, is_enabled=0 <= row + step < len(rows)):
            _edit(frame, entry.address, MoveEntry(entry.address.name, row + step))


def _edit(frame: UiContext, address: Address, change: Change) -> None:
    frame.later(frame.control.edits.edit, address.parent, (change,))
