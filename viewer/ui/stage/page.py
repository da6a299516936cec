"""The tabs of what is open, and the pages that any payload may have: image, palette, fields, bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final, Protocol

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.formats.msh.tables import fields_to
from viewer.formats.part import Part, find
from viewer.model.kinds.registry import MODEL, by_id
from viewer.model.store.address import Address
from viewer.model.store.place import BYTES, Place
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.opened.tabs import Tab
from viewer.translation import Text, _, remembered
from viewer.ui.actions.actions import can_step
from viewer.ui.bytes.bytes_view import BytesView
from viewer.ui.context import UiContext
from viewer.ui.editing.field_editor import FieldEditor
from viewer.ui.fields.part_tree import PartTree
from viewer.ui.fields.resource_links import ResourceLinks
from viewer.ui.fields.row_table import RowColumn, RowList
from viewer.ui.fields.user_list import draw_users
from viewer.ui.material.texture_info import colors_of, draw_palette
from viewer.ui.material.texture_viewer import TextureViewer
from viewer.ui.panels.entry_menu import draw_address_items
from viewer.ui.widgets.icons import icon_of
from viewer.ui.widgets.widgets import labeled, readable, tooltip, wrapped


class Page(Protocol):
    """One view of a payload, under a tab."""

    @property
    def id(self) -> str:
        """Its name in every language."""

    @property
    def title(self) -> Text:
        """The text of its tab."""

    def reveal(self, opened: OpenedResource, place: Place) -> bool:
        """Bring a place into view; tell whether it can be shown here."""

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw it in the room that is left."""


class PlainPage:
    """A page that shows no places."""

    def reveal(self, opened: OpenedResource, place: Place) -> bool:
        """Return False, whatever the place."""
        del opened, place
        return False


class TablesPage:
    """A page with the rows of some tables of a payload.

    Attributes
    ----------
    tables
        The names of the tables.
    """

    tables: ClassVar[tuple[str, ...]]

    def __init__(self) -> None:
        self._lists = {name: RowList(f"##{name}") for name in self.tables}

    def reveal(self, opened: OpenedResource, place: Place) -> bool:
        """Show the row of a place; tell whether it is one of a table of the page."""
        part = self._part(opened, place.table)
        if part is None or place.row is None:
            return False
        self._lists[place.table].reveal(part, place.row, place.field)
        return True

    def _part(self, opened: OpenedResource, table: str) -> Part | None:
        return find(opened.parts, table) if opened.parts and table in self._lists else None

    def _draw_table(
        self,
        frame: UiContext,
        opened: OpenedResource,
        table: str,
        columns: Callable[[Part, ResourceLinks], tuple[RowColumn, ...]],
        height: float = 0.0,
    ) -> None:
        """Draw the rows of a table that are on screen, if the payload has it."""
        part, rows = self._part(opened, table), self._lists[table]
        if part is not None:
            links = ResourceLinks(frame, opened.links, rows.editor, kind=opened.kind)
            rows.draw(part, columns(part, links), links, height)


class ImagePage(PlainPage):
    """The image of a texture."""

    id = "image"
    title = _("Image")

    def __init__(self) -> None:
        self._viewer = TextureViewer()

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw the image."""
        if opened.texture is not None:
            self._viewer.draw(frame, opened.texture)


class PalettePage(PlainPage):
    """The palette of a texture."""

    id = "palette_tab"
    title = _("Palette")

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw its colors."""
        texture = opened.texture.texture if opened.texture else None
        colors = None if texture is None else colors_of(texture, frame.view.textures)
        if texture is not None and colors is not None:
            draw_palette(texture, colors)


class FieldsPage:
    """Every part and field."""

    id = "fields"
    title = _("Fields")

    def __init__(self) -> None:
        self._tree = PartTree()
        self._editor = FieldEditor()

    def reveal(self, opened: OpenedResource, place: Place) -> bool:
        """Unfold the tree down to a place; tell whether it lies in a table."""
        if opened.parts is None or not place.table:
            return False
        self._tree.reveal(opened.parts, place.table, place.row, place.field)
        return True

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw the tree."""
        if opened.parts is not None:
            self._tree.draw(opened.parts, ResourceLinks(frame, opened.links, self._editor, kind=opened.kind))


class UsersPage(PlainPage):
    """Who refers to it."""

    id = "users"
    title = _("Used by")

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw the list of those found, and how far the search is; of a table the fields of its model."""
        if not by_id(opened.kind).is_table:
            draw_users(frame, opened.address)
        elif fields := fields_to(opened.kind):
            wrapped(
                _("Its rows are numbered by fields of the same model: {fields}", fields=", ".join(fields))
            )
        else:
            wrapped(_("No field of its model numbers its rows."))


class BytesPage:
    """The bytes, as the panel shows them."""

    id = "bytes"
    title = _("Bytes")

    def __init__(self) -> None:
        self._view = BytesView()

    def reveal(self, opened: OpenedResource, place: Place) -> bool:
        """Mark the byte of a place; tell whether there is one."""
        if place.table != BYTES or place.row is None or place.row >= len(opened.data):
            return False
        self._view.reveal(place)
        return True

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw the bytes on screen."""
        self._view.draw(frame, opened.address, opened.diagnostics)


_FLAGS: Final = int(
    imgui.TabBarFlags_.reorderable | imgui.TabBarFlags_.fitting_policy_mixed | imgui.TabBarFlags_.no_tooltip
)
_LEADING: Final = int(imgui.TabItemFlags_.leading)
_SELECTED: Final = int(imgui.TabItemFlags_.set_selected)
_UNSAVED: Final = int(imgui.TabItemFlags_.unsaved_document)


class TabBar:
    """Draws the tabs; which one is active is decided by the application alone."""

    def __init__(self) -> None:
        self._front = 0
        self._order: tuple[int, ...] = ()
        self._bar = "tabs"

    def draw(self, frame: UiContext) -> None:
        """Draw the bar, unless nothing is open."""
        self._follow_order(tuple(tab.identity for tab in frame.state.tabs.opened))
        if not frame.state.tabs.opened or not imgui.begin_tab_bar(self._bar, _FLAGS):
            return
        _draw_steps(frame)
        active, front = frame.state.tabs.active.identity, self._front
        style = imgui.get_style()
        hidden, style.tab_close_button_min_width_selected = style.tab_close_button_min_width_selected, -1.0
        lefts: dict[int, float] = {}
        for tab in frame.state.tabs.tabs:
            address = tab.address
            if address is None:
                continue
            is_behind = tab.identity == active != front
            is_unsaved = frame.lookups.is_unsaved(address)
            flags = is_behind * _SELECTED + is_unsaved * _UNSAVED
            label = _label(_kind(tab), address, tab.identity)
            is_front, is_kept = imgui.begin_tab_item(label, True, flags)
            if imgui.get_item_rect_size().x:
                lefts[tab.identity] = imgui.get_item_rect_min().x
            if imgui.is_item_clicked() and tab.identity != active:
                frame.commands.opening.activate(tab.identity)
            tooltip([str(address), _("unsaved changes")] if is_unsaved else str(address))
            _draw_menu(tab, address, frame)
            if is_front:
                self._front = tab.identity
                imgui.end_tab_item()
            if not is_kept:
                frame.commands.closing.close_tab(tab.identity)
        style.tab_close_button_min_width_selected = hidden
        imgui.end_tab_bar()
        self._take_order(lefts, frame)

    def _follow_order(self, identities: tuple[int, ...]) -> None:
        """Draw another bar if the program has ordered the tabs: ImGui keeps the order in which they came."""
        known = [it for it in self._order if it in identities]
        if [*identities[: len(known)]] != known:
            self._bar = f"tabs{identities}"
        self._order = identities

    def _take_order(self, lefts: dict[int, float], frame: UiContext) -> None:
        """Adopt the order into which the user dragged the tabs; a new one has no place in its first frame."""
        # Tabs stand where ImGui has them: the order of their left edges is the order on screen.
        order = tuple(sorted(lefts, key=lefts.__getitem__))
        if order != tuple(lefts) and not imgui.is_mouse_down(imgui.MouseButton_.left):
            frame.commands.opening.order_tabs(order)
            self._order = order


def _draw_steps(frame: UiContext) -> None:
    """Draw the buttons that go back and forward, before the tabs."""
    for name, icon, step, hint in (
        ("back", fa.ICON_FA_ARROW_LEFT, -1, _("Back") + "\nAlt+Left"),
        ("forward", fa.ICON_FA_ARROW_RIGHT, 1, _("Forward") + "\nAlt+Right"),
    ):
        imgui.begin_disabled(not can_step(frame, step))
        if imgui.tab_item_button(f"{icon}###{name}", _LEADING):
            frame.commands.history.step(step)
        imgui.end_disabled()
        tooltip(hint)


def _kind(tab: Tab) -> str:
    return MODEL.id if tab.resource is None else tab.resource.kind


@remembered
def _label(kind: str, address: Address, identity: int) -> str:
    return labeled(f"{icon_of(kind)}  {readable(address.name)}", f"tab{identity}")


def _draw_menu(tab: Tab, address: Address, frame: UiContext) -> None:
    if not imgui.begin_popup_context_item():
        return
    if imgui.menu_item_simple(labeled(_("Close"), "close"), "Ctrl+W"):
        frame.commands.closing.close_tab(tab.identity)
    others = [other for other in frame.state.tabs.opened if other is not tab]
    if imgui.menu_item_simple(labeled(_("Close others"), "close_others"), enabled=bool(others)):
        for other in others:
            frame.commands.closing.close_tab(other.identity)
    imgui.separator()
    draw_address_items(address, _kind(tab), frame)
    imgui.end_popup()
