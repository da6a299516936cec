"""The pages that any payload may have: image, palette, fields, bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Protocol

from msgspec.structs import replace

from viewer.formats.msh.tables import fields_to
from viewer.formats.part import Part, find
from viewer.model.kinds.registry import by_id
from viewer.model.store.place import BYTES, Place
from viewer.session.opened.opened_resource import OpenedResource
from viewer.translation import Text, _
from viewer.ui.bytes.bytes_view import BytesView
from viewer.ui.context import UiContext
from viewer.ui.editing.field_editor import FieldEditor
from viewer.ui.fields.part_tree import PartTree
from viewer.ui.fields.resource_links import ResourceLinks
from viewer.ui.fields.row_table import RowColumn, RowList
from viewer.ui.fields.user_list import draw_users
from viewer.ui.material.texture_info import colors_of, draw_palette
from viewer.ui.material.texture_viewer import TextureViewer
from viewer.ui.widgets.widgets import wrapped


class Page(Protocol):
    """A view of a payload, under a tab."""

    @property
    def id(self) -> str:
        """The name of the page in every language."""

    @property
    def title(self) -> Text:
        """The text of the tab."""

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
        """Draw the colors of the palette."""
        texture = opened.texture.texture if opened.texture else None
        colors = None if texture is None else colors_of(texture, frame.view.textures)
        if texture is not None and colors is not None:
            draw_palette(texture, colors)


class FieldsPage:
    """The page of all parts and fields of a payload."""

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
            links = ResourceLinks(frame, opened.links, self._editor, kind=opened.kind)
            links = replace(links, row_names=opened.row_names)
            self._tree.draw(opened.parts, links)


class UsersPage(PlainPage):
    """The page of the users of a payload."""

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
