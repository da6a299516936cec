"""What is not a model in the middle of the window: as image, fields or bytes."""

from __future__ import annotations

from imgui_bundle import imgui

from viewer.model.kinds.registry import by_id
from viewer.model.material.materials import TextureRef
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.session.opened.opened_resource import OpenedResource
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.fields.hex_view import draw_bytes
from viewer.ui.fields.part_tree import PartTree
from viewer.ui.picture.palette_view import colors_of, draw_palette
from viewer.ui.picture.texture_viewer import TextureViewer
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import size_text
from viewer.ui.widgets.icons import icon_of
from viewer.ui.widgets.widgets import copy_menu, labeled, text, tooltip, wrapped


class ResourceView:
    """One payload under tabs: image, palette, fields, bytes."""

    def __init__(self) -> None:
        self._picture = TextureViewer()
        self._parts = PartTree()
        self._asked: Place | None = None

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw the name and the selected tab."""
        _draw_heading(opened)
        if opened.problem:
            wrapped(translated(opened.problem), theme.ERROR)
        for note in opened.notes:
            wrapped(translated(note), theme.DIM)
        reveal = frame.reveal if frame.reveal and frame.reveal.address == opened.address else None
        is_news, self._asked = frame.reveal is not self._asked, frame.reveal
        has_spot = reveal is not None and bool(reveal.table) and is_news
        if has_spot and reveal is not None and opened.parts is not None:
            self._parts.reveal(opened.parts, reveal.table, reveal.row, reveal.field)
        has_picture = opened.texture is not None
        if not imgui.begin_tab_bar("##sides" if has_picture else "##sides_without_image"):
            return
        if opened.texture is not None:
            self._draw_picture(frame, opened.texture)
        chosen = imgui.TabItemFlags_.set_selected if has_spot else imgui.TabItemFlags_.none
        fields_tab = labeled(_("Fields"), "fields")
        if opened.parts is not None and imgui.begin_tab_item(fields_tab, None, chosen)[0]:
            self._parts.draw(opened.parts)
            imgui.end_tab_item()
        if imgui.begin_tab_item(labeled(_("Bytes"), "bytes"))[0]:
            draw_bytes(opened.data)
            imgui.end_tab_item()
        imgui.end_tab_bar()

    def _draw_picture(self, frame: UiContext, picture: TextureRef) -> None:
        """Draw the tabs of a texture."""
        if imgui.begin_tab_item(labeled(_("Image"), "image"))[0]:
            self._picture.draw(frame, picture)
            imgui.end_tab_item()
        colors = colors_of(picture.texture, frame.view.textures)
        if colors is not None and imgui.begin_tab_item(labeled(_("Palette"), "palette_tab"))[0]:
            draw_palette(picture.texture, colors)
            imgui.end_tab_item()


def _draw_heading(opened: OpenedResource) -> None:
    text(f"{icon_of(opened.kind)}  {Address.parse(opened.address).name}")
    tooltip(opened.address)
    copy_menu("copy_address", opened.address)
    imgui.same_line()
    text(subtitle(opened), theme.DIM)


def subtitle(opened: OpenedResource) -> str:
    """Return what is opened, and its size."""
    return f"{by_id(opened.kind).title}, {size_text(len(opened.data))}"
