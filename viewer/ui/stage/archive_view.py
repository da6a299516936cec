"""The entries of an archive as a table of links."""

from __future__ import annotations

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.formats.archive import nres
from viewer.model.edit.archive.add_effect import FXID
from viewer.model.edit.archive.entries import AddMaterial, DuplicateEntry
from viewer.model.kinds.entry_kinds import entry_kind
from viewer.model.kinds.registry import by_id
from viewer.model.material.lookup import MAT0
from viewer.model.store.address import Address
from viewer.model.store.item import Container, spelling
from viewer.model.store.place import Place
from viewer.session.field_text import size_text
from viewer.session.games.overviews import OVERVIEW
from viewer.session.jobs import KINDS
from viewer.session.opened.entry_list import BrowserEntry
from viewer.session.opened.opened_resource import OpenedResource
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.fields.resource_links import draw_link
from viewer.ui.fields.row_table import RowColumn
from viewer.ui.games.overview_table import OverviewTable
from viewer.ui.panels.entry_menu import (
    ask_for_new_folder,
    ask_for_pictures,
    draw_new_effects,
    has_textures,
)
from viewer.ui.stage.page import TablesPage
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.icons import icon_of
from viewer.ui.widgets.widgets import ghost_button, text

DIRECTORY = nres.ENTRY.name


class OverviewPage:
    """The entries of an archive or a folder with what they hold, and their sums."""

    id = OVERVIEW
    title = _("Overview")

    def __init__(self) -> None:
        self._table = OverviewTable()

    def reveal(self, opened: OpenedResource, place: Place) -> bool:
        """Select the row of a place, and bring it into view; tell whether the place is on the page."""
        del opened
        if place.table == OVERVIEW and place.row is not None:
            self._table.reveal(place.row)
        return place.table == OVERVIEW

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw the table, or pictures."""
        self._table.draw(frame, opened.address)


class ArchiveView(TablesPage):
    """The directory of one archive."""

    id = "entries"
    title = _("Entries")
    tables = (DIRECTORY,)

    def __init__(self) -> None:
        super().__init__()
        self._container: Container | None = None
        self._kinds: dict[int, str] = {}

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw the entries on screen."""
        if opened.value is not self._container:
            self._container, self._kinds = opened.value, {}
        if has_textures(opened.address, frame):
            _draw_texture_folders(frame, opened.address)
        if isinstance(opened.value, nres.Archive):
            _draw_new_material(frame, opened.address, opened.value)
            _draw_new_effect(frame, opened.address, opened.value)
        self._draw_table(frame, opened, DIRECTORY, lambda *_ignored: self._columns(frame, opened))

    def _kind(self, row: int) -> str:
        if row not in self._kinds and self._container is not None:
            self._kinds[row] = entry_kind(self._container, row)
        return self._kinds.get(row, "")

    def _columns(self, frame: UiContext, opened: OpenedResource) -> tuple[RowColumn, ...]:
        container: Container = opened.value
        address = opened.address

        def draw_kind(row: int) -> None:
            kind = self._kind(row)
            text(f"{icon_of(kind)}  {by_id(kind).title}", theme.DIM)

        def draw_name(row: int) -> None:
            place = Place(address.child(spelling(container, row)))
            draw_link(frame, f"entry{row}", container.entries[row].text or f"#{row}", place)

        def draw_size(row: int) -> None:
            entry = container.entries[row]
            text(size_text(entry.size if isinstance(entry, nres.Entry) else entry.unpacked_size), theme.DIM)

        def draw_duplicate(row: int) -> None:
            hint = _("Duplicate: add a copy of the entry")
            if ghost_button(fa.ICON_FA_COPY, f"duplicate{row}", hint, theme.FAINT):
                frame.later(
                    frame.control.edits.edit, opened.address, (DuplicateEntry(spelling(container, row)),)
                )

        def draw_contents(row: int) -> None:
            kind = self._kind(row)
            if kind not in KINDS:
                return
            name = spelling(container, row)
            entry = BrowserEntry(address.child(name), name, kind)
            found = frame.lookups.thumbnail(entry, imgui.get_text_line_height())
            if found is not None:
                text(", ".join(map(translated, found.facts)), theme.DIM)

        can_duplicate, is_read = isinstance(container, nres.Archive), frame.state.settings.has_thumbnails
        return (
            RowColumn(_("Kind"), 10, draw_kind),
            RowColumn(_("Name"), 1.2, draw_name, is_stretched=True),
            *((RowColumn("", 1.6, draw_duplicate),) if can_duplicate else ()),
            RowColumn(_("Size"), 6, draw_size),
            *((RowColumn(_("Contents"), 1, draw_contents, is_stretched=True),) if is_read else ()),
        )


def _draw_texture_folders(frame: UiContext, address: Address) -> None:
    """Draw the buttons that write all textures as pictures, and put them back."""
    hint = _("All textures as PNG with an index, to be changed in any program.")
    words = f"{fa.ICON_FA_FILE_EXPORT}  {_('Textures to a folder…')}"
    if controls.small_button(words, "textures_to_folder", hint):
        ask_for_new_folder(address, frame)
    imgui.same_line()
    hint = _("Shows what was changed in such a folder, and puts it into the library.")
    words = f"{fa.ICON_FA_FILE_IMPORT}  {_('Textures from a folder…')}"
    if controls.small_button(words, "textures_from_folder", hint):
        ask_for_pictures(address, frame)


def _draw_new_material(frame: UiContext, address: Address, archive: nres.Archive) -> None:
    """Draw the button that adds a material, in a library that has some."""
    if (archive.rows["type_id"] == MAT0).any():
        words = f"{fa.ICON_FA_PLUS}  {_('New material')}"
        hint = _("Add a white material without a texture; its name can be changed in the browser.")
        if controls.small_button(words, "new_material", hint):
            frame.later(frame.control.edits.edit, address, (AddMaterial(),))


def _draw_new_effect(frame: UiContext, address: Address, archive: nres.Archive) -> None:
    """Draw the button under which a new effect is chosen, in a library that has some."""
    if not (archive.rows["type_id"] == FXID).any():
        return
    hint = _(
        "Add an effect that draws what those of the library draw; its name can be changed in the browser."
    )
    if controls.small_button(f"{fa.ICON_FA_PLUS}  {_('New effect')}", "new_effect", hint):
        imgui.open_popup("new_effects")
    if imgui.begin_popup("new_effects"):
        draw_new_effects(frame, address)
        imgui.end_popup()
