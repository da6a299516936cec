"""The pages that any payload may have: its image, its palette, its fields, its bytes."""

from __future__ import annotations

from typing import Protocol

from viewer.model.store.place import BYTES, Place
from viewer.session.opened.opened_resource import OpenedResource
from viewer.translation import Message
from viewer.ui.context import UiContext
from viewer.ui.editing.field_editor import FieldEditor
from viewer.ui.fields.hex_view import HexView
from viewer.ui.fields.part_tree import PartTree
from viewer.ui.fields.resource_links import ResourceLinks
from viewer.ui.fields.user_list import draw_users
from viewer.ui.material.texture_info import colors_of, draw_palette
from viewer.ui.material.texture_viewer import TextureViewer


class Page(Protocol):
    """One view of a payload, under a tab."""

    @property
    def id(self) -> str:
        """Its name in every language."""

    @property
    def title(self) -> Message:
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


class ImagePage(PlainPage):
    """The image of a texture."""

    id = "image"
    title = Message("Image")

    def __init__(self) -> None:
        self._viewer = TextureViewer()

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw the image."""
        if opened.texture is not None:
            self._viewer.draw(frame, opened.texture)


class PalettePage(PlainPage):
    """The palette of a texture."""

    id = "palette_tab"
    title = Message("Palette")

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw its colors."""
        texture = opened.texture.texture if opened.texture else None
        colors = None if texture is None else colors_of(texture, frame.view.textures)
        if texture is not None and colors is not None:
            draw_palette(texture, colors)


class FieldsPage:
    """Every part and field."""

    id = "fields"
    title = Message("Fields")

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
    title = Message("Used by")

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw the list of those found, and how far the search is."""
        draw_users(frame, opened.address)


class BytesPage:
    """The bytes."""

    id = "bytes"
    title = Message("Bytes")

    def __init__(self) -> None:
        self._view = HexView()

    def reveal(self, opened: OpenedResource, place: Place) -> bool:
        """Mark the byte of a place; tell whether there is one."""
        if place.table != BYTES or place.row is None or place.row >= len(opened.data):
            return False
        self._view.reveal(place.row)
        return True

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw the bytes on screen."""
        del frame
        self._view.draw(opened.data)
