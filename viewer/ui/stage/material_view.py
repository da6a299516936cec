"""Materials with their phases playing, and wear tables: their names with what the game finds for each."""

from __future__ import annotations

from functools import partial
from typing import Final

from imgui_bundle import ImVec2, imgui
from msgspec.structs import replace

from viewer.formats import wear
from viewer.formats.part import Part
from viewer.formats.text import decode
from viewer.model.material.materials import Material
from viewer.model.material.phases import PhaseMoment, PhaseState
from viewer.model.mesh.reading import SEED
from viewer.model.store.place import Place
from viewer.session.field_text import counted
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.play import timeline
from viewer.session.play.material_play import moves
from viewer.session.view.coloring import MaterialLook
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.editing.field_editor import FieldEditor
from viewer.ui.fields.field_view import EntryEditing
from viewer.ui.fields.part_rows import field_of
from viewer.ui.fields.resource_links import ResourceLinks, draw_link
from viewer.ui.fields.row_table import RowColumn, row_of
from viewer.ui.material.material_player import draw_player, frozen_at
from viewer.ui.material.material_sheet import MaterialSheet, summary
from viewer.ui.material.texture_viewer import draw_small_thumbnail, draw_thumbnail
from viewer.ui.stage.page import PlainPage, TablesPage
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import swatch, text, tooltip

WIDE: Final = 50.0
"""Font heights from which on the fields are next to the image, not below it."""
IMAGE_SHARE: Final = 0.55
"""Share of the width that the image takes next to the fields."""
LEAST_IMAGE, MOST_IMAGE = 12.0, 42.0
"""Limits of the height of the image, in font heights."""
TURN: Final = 0.01
"""Radians that the ball turns for each pixel that the mouse is dragged."""
STEEPEST: Final = 1.5
"""The most that the ball is tilted, radians."""
COLORS: Final = ("diffuse", "ambient", "specular", "emissive")
PLACE: Final = 0
"""Index of the material in the playback of its view."""


class MaterialView(PlainPage):
    """The view of a material."""

    id = "material"
    title = _("Material")

    def __init__(self) -> None:
        self._yaw, self._pitch = 0.35, 0.25
        self._editor = FieldEditor()

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw the image, and the fields next to or below it."""
        material = opened.material
        if material is None:
            return
        state = frame.view.materials.state(PLACE, material, timeline.material_time(frame.view))
        room, gap = imgui.get_content_region_avail(), imgui.get_style().item_spacing.x
        is_wide = room.x >= theme.em(WIDE)
        width = room.x * IMAGE_SHARE if is_wide else room.x
        height = image_height(ImVec2(width, room.y), theme.em(), is_wide=is_wide)
        if is_wide:
            imgui.begin_child("look", ImVec2(width - gap, 0))
        self._draw_image(frame, opened, state, ImVec2(imgui.get_content_region_avail().x, height))
        _draw_controls(frame, material, state)
        if is_wide:
            imgui.end_child()
            imgui.same_line()
        imgui.begin_child("sheet")
        show = partial(_freeze, frame, material)
        editing = EntryEditing(frame, self._editor, opened.address)
        MaterialSheet(frame, replace(material, entry=None), state, SEED, show, editing).draw()
        imgui.end_child()

    def _draw_image(self, frame: UiContext, opened: OpenedResource, state: PhaseState, size: ImVec2) -> None:
        material, corner = opened.material, imgui.get_cursor_screen_pos()
        if material is None or size.x < 1 or size.y < 1:
            return
        imgui.invisible_button("ball", size)
        if imgui.is_item_active():
            moved = imgui.get_io().mouse_delta
            self._yaw += moved.x * TURN
            self._pitch = min(max(self._pitch + moved.y * TURN, -STEEPEST), STEEPEST)
        tooltip(_("Drag to turn the ball"))
        scale = imgui.get_io().display_framebuffer_scale
        pixels = max(1, int(size.x * scale.x)), max(1, int(size.y * scale.y))
        look = MaterialLook(material, state, frame.view, pixels, self._yaw, self._pitch)
        end = ImVec2(corner.x + size.x, corner.y + size.y)
        image = imgui.ImTextureRef(frame.lookups.material_image(look))
        imgui.get_window_draw_list().add_image(image, corner, end, ImVec2(0, 1), ImVec2(1, 0))


def image_height(room: ImVec2, em: float, *, is_wide: bool) -> float:
    """Return the height of the image: ball and quad side by side, or half the room above the fields."""
    most = room.y * (0.75 if is_wide else 0.5)
    return min(max(min(room.x / 2, most), em * LEAST_IMAGE), em * MOST_IMAGE)


def _draw_controls(frame: UiContext, material: Material, state: PhaseState) -> None:
    """Draw the current texture and colors, and the playback of a material that moves."""
    side = theme.em(2.6)
    draw_thumbnail(frame, material.textures[state.phase], material.missing_of(state.phase), side)
    imgui.same_line()
    imgui.begin_group()
    text(summary(material), theme.DIM)
    for name in COLORS:
        swatch(name, (*getattr(state, name)[:3], 1.0))
        tooltip(_("current {name} color", name=name))
        imgui.same_line(0, theme.em(0.3))
    imgui.new_line()
    imgui.end_group()
    if moves(material):
        draw_player(frame, PLACE, material, state, is_alone=True)


def _freeze(frame: UiContext, material: Material, variant: int, moment: PhaseMoment) -> None:
    frame.change(partial(frozen_at, place=PLACE, material=material, variant=variant, moment=moment))


class WearView(TablesPage):
    """The rows of one wear table."""

    id = "wear"
    title = _("Wear rows")
    tables = (wear.MATERIALS, wear.LIGHTMAPS)

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw the materials, then the lightmaps below them."""
        lightmaps = self._part(opened, wear.LIGHTMAPS)
        has_lightmaps = lightmaps is not None and lightmaps.count > 0
        height = imgui.get_content_region_avail().y * 0.65 if has_lightmaps else 0.0
        self._draw_table(frame, opened, wear.MATERIALS, partial(_material_columns, frame, opened), height)
        if lightmaps is not None and has_lightmaps:
            imgui.separator_text(counted(lightmaps.count, "{count} lightmap", "{count} lightmaps"))
            self._draw_table(frame, opened, wear.LIGHTMAPS, partial(_lightmap_columns, opened))


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

    roles = opened.roles
    role = RowColumn(_("Role"), 9, lambda row: text(roles[row] if row < len(roles) else "-", theme.DIM))
    return (
        *((role,) if roles else ()),
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
