"""A wear table: its materials and lightmaps, each a link."""

from __future__ import annotations

from imgui_bundle import imgui

from viewer.formats import wear
from viewer.formats.part import Part, find
from viewer.formats.text import decode
from viewer.model.material.materials import Material
from viewer.model.store.place import Place
from viewer.session.opened.opened_resource import OpenedResource
from viewer.translation import Message, _
from viewer.ui.context import UiContext
from viewer.ui.fields.part_rows import field_of
from viewer.ui.fields.resource_links import ResourceLinks, draw_link
from viewer.ui.fields.row_table import RowColumn, RowList, row_of
from viewer.ui.material.material_sheet import summary
from viewer.ui.material.texture_thumbnail import draw_small_thumbnail
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import counted
from viewer.ui.widgets.widgets import text, tooltip


class WearView:
    """The rows of one wear table."""

    id = "wear"
    title = Message("Wear rows")

    def __init__(self) -> None:
        self._root: Part | None = None
        self._tables: dict[str, Part] = {}
        self._rows = {name: RowList(f"##{name}") for name in (wear.MATERIALS, wear.LIGHTMAPS)}

    def reveal(self, opened: OpenedResource, place: Place) -> bool:
        """Show the row of a place; tell whether it is one of a table."""
        self._show(opened)
        part = self._tables.get(place.table)
        if part is None or place.row is None:
            return False
        self._rows[place.table].reveal(part, place.row, place.field)
        return True

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw the materials, then the lightmaps below them."""
        self._show(opened)
        materials, lightmaps = (self._tables.get(name) for name in (wear.MATERIALS, wear.LIGHTMAPS))
        if materials is None:
            return
        links, room = ResourceLinks(frame, opened.links, kind=opened.kind), imgui.get_content_region_avail().y
        has_lightmaps = lightmaps is not None and lightmaps.count > 0
        height = room * 0.65 if has_lightmaps else 0.0
        table = self._rows[wear.MATERIALS]
        table.draw(
            materials,
            _material_columns(frame, opened, materials, links.edited_by(table.editor)),
            links,
            height,
        )
        if lightmaps is not None and has_lightmaps:
            imgui.separator_text(counted(lightmaps.count, "{count} lightmap", "{count} lightmaps"))
            table = self._rows[wear.LIGHTMAPS]
            table.draw(lightmaps, _lightmap_columns(opened, lightmaps, links.edited_by(table.editor)), links)

    def _show(self, opened: OpenedResource) -> None:
        if opened.parts is not self._root:
            self._root = opened.parts
            found = {name: find(opened.parts, name) for name in self._rows} if opened.parts else {}
            self._tables = {name: part for name, part in found.items() if part is not None}


def _material_columns(
    frame: UiContext, opened: OpenedResource, part: Part, links: ResourceLinks
) -> tuple[RowColumn, ...]:
    rows: tuple[wear.Row, ...] = opened.value.materials
    has_pictures = any(material.textures[0] for material in opened.materials.values())

    def draw_material(row: int) -> None:
        material = _material_of(opened, rows[row])
        if has_pictures:
            draw_small_thumbnail(frame, material.textures[0] if material else None)
            imgui.same_line(0, theme.em(0.3))
        _draw_name(part, links, rows[row], row)

    def draw_texture(row: int) -> None:
        material = _material_of(opened, rows[row])
        picture = material.textures[0] if material else None
        if picture is not None:
            draw_link(frame, f"texture{row}", picture.name, Place(picture.address))
        elif material is not None and material.missing_of(0):
            text(str(material.missing_of(0)), theme.WARNING)

    def draw_kind(row: int) -> None:
        material = _material_of(opened, rows[row])
        if material is not None:
            text(summary(material), theme.DIM)
            tooltip(summary(material))

    return (
        RowColumn(_("Material"), 1.3, draw_material, is_stretched=True),
        RowColumn(_("Texture"), 1, draw_texture, is_stretched=True),
        RowColumn(_("Drawn as"), 1, draw_kind, is_stretched=True),
    )


def _lightmap_columns(opened: OpenedResource, part: Part, links: ResourceLinks) -> tuple[RowColumn, ...]:
    rows: tuple[wear.Row, ...] = opened.value.lightmaps

    def draw_name(row: int) -> None:
        _draw_name(part, links, rows[row], row)

    def draw_number(row: int) -> None:
        text(str(rows[row].number), theme.FAINT)

    return (
        RowColumn(_("Lightmap"), 2.3, draw_name, is_stretched=True),
        RowColumn(_("Number"), 1, draw_number, is_stretched=True),
    )


def _draw_name(part: Part, links: ResourceLinks, row: wear.Row, index: int) -> None:
    links.draw_field(field_of(row_of(part, index), "name"), decode(row.name), theme.TEXT)


def _material_of(opened: OpenedResource, row: wear.Row) -> Material | None:
    target = opened.links.of_name(row.record, row.values, row.record.field("name"))
    return opened.materials.get(target.place.address) if target and target.place else None
