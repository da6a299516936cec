"""What the batches of a model are drawn with: every phase, its texture, and how each was found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.formats.msh.batches import BATCH
from viewer.model.material.materials import MATERIALS, Material, TextureRef
from viewer.model.material.phases import Moment, PhaseState, state_at
from viewer.model.store.place import Place
from viewer.session.document import Document
from viewer.session.material_play import moves
from viewer.session.places import selection_at
from viewer.session.selection import Selection
from viewer.session.texture_view import TextureView
from viewer.translation import Message, _
from viewer.ui.context import UiContext
from viewer.ui.material.material_player import draw_player, draw_transport_of_all, frozen_at
from viewer.ui.material.material_sheet import draw_sheet
from viewer.ui.requests import Open, OpenDialog, UseWear
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import counted
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import colored, copy_menu, empty, identified, swatch, text, tooltip, wrapped

THUMBNAIL: Final = 2.6
"""Side of a small picture, in font heights."""
SHARPEST: Final = 96
"""Pixels of the longer side that a small picture has at least, where the texture has as many."""
MOST_LINKS: Final = 200
DETAILS: Final = "###details"
"""What the node of a material's details is called."""


class MaterialsPanel:
    """The list of materials, and all of the one that is unfolded."""

    id = "materials"
    title = Message("Materials")

    def __init__(self) -> None:
        self._document: Document | None = None
        self._moving: frozenset[int] = frozenset()
        self._heights: dict[str, float] = {}
        self._asked: Place | None = None

    def draw(self, frame: UiContext) -> None:
        """Draw where the names come from, then each material."""
        document = frame.document
        if document is None:
            empty("The materials of a model appear here.")
            return
        rows = document.materials.rows
        if document is not self._document:
            self._document = document
            self._moving = frozenset(place for place, row in enumerate(rows) if moves(row))
            self._heights = {}
        _draw_top(frame, document, has_moving=bool(self._moving))
        imgui.begin_child("##materials")
        with identified(document.identity):
            self._draw_used(frame, document)
            if document.materials.unused:
                self._draw_unused(frame, document)
        imgui.end_child()

    def _draw_used(self, frame: UiContext, document: Document) -> None:
        selected, revealed = _of_selection(document, frame), self._new_row(frame, document)
        states = document.material_states(frame.view)
        for place, (material, state) in enumerate(zip(document.materials.rows, states, strict=True)):
            usual = theme.WARNING if material.problems else theme.TEXT
            color = theme.SELECTION if place == selected else usual
            if place == revealed:
                self._heights.pop(f"{place}", None)
                imgui.set_scroll_here_y(0)
            with identified(place), self._row(f"{place}") as is_seen:
                if is_seen:
                    if place == revealed:
                        _turn(DETAILS, is_open=True)
                    _draw_material(frame, document, place, state, color, is_moving=place in self._moving)

    def _new_row(self, frame: UiContext, document: Document) -> int | None:
        """Return the row that was just requested, once."""
        place = frame.reveal
        if place is None or place is self._asked:
            return None
        self._asked = place
        return place.row if place in Place(document.address, MATERIALS) else None

    def _draw_unused(self, frame: UiContext, document: Document) -> None:
        """Draw the rows of the wear table that nothing is drawn with, quietly."""
        materials = document.materials
        imgui.separator_text(
            f"{counted(materials.unused_count, '{count} row', '{count} rows')} that no batch uses"
        )
        for number, material in enumerate(materials.unused):
            with identified(f"unused{number}"), self._row(f"unused{number}") as is_seen:
                if is_seen:
                    state = state_at(material, 0.0)
                    if _draw_head(frame, material, state, theme.FAINT):
                        draw_sheet(frame, material, state, document.choice.reading, None)
        if materials.unused_count > len(materials.unused):
            text(f"and {materials.unused_count - len(materials.unused)} more", theme.DIM)

    @contextmanager
    def _row(self, name: str) -> Iterator[bool]:
        """Leave room for what is off screen, as much as it took when it was last seen; else draw it."""
        top, height = imgui.get_cursor_pos_y(), self._heights.get(name)
        if height is not None and not imgui.is_rect_visible(ImVec2(1, height)):
            yield False
            imgui.dummy(ImVec2(1, height - imgui.get_style().item_spacing.y))
            return
        yield True
        imgui.separator()
        self._heights[name] = imgui.get_cursor_pos_y() - top


def _draw_top(frame: UiContext, document: Document, *, has_moving: bool) -> None:
    """Where the names come from, and what concerns all materials."""
    materials = document.materials
    if materials.wear_source is None:
        wrapped("There is no wear table that can be read: no material has a name.", theme.WARNING)
        if imgui.button("Choose a wear table…"):
            frame.request(OpenDialog(is_entry=True, wanted=UseWear))
    else:
        if has_moving:
            draw_transport_of_all(frame, materials.rows)
            imgui.same_line(0, theme.em(0.6))
            imgui.align_text_to_frame_padding()
        in_use = counted(len(materials.rows), "{count} material", "{count} materials")
        wear_rows = counted(len(materials.wear_names), "{count} wear row", "{count} wear rows")
        text(_("{rows}, {materials} in use").format(rows=wear_rows, materials=in_use), theme.DIM)
        tooltip([materials.wear_source, f"game folder: {document.game.text}"])
        copy_menu("copy wear", materials.wear_source)


def _of_selection(document: Document, frame: UiContext) -> int | None:
    """The material of the batch that is selected."""
    batch, of_batch = frame.view.selection.batch, document.materials.of_batch
    return int(of_batch[batch]) if batch is not None and batch < len(of_batch) else None


def _draw_material(
    frame: UiContext, document: Document, place: int, state: PhaseState, color: Color, *, is_moving: bool
) -> None:
    material = document.materials.rows[place]
    imgui.begin_group()
    is_open = _draw_head(frame, material, state, color)
    imgui.end_group()
    if imgui.is_item_hovered():
        frame.flash(document.materials.batches(place).tolist())
    if is_moving:
        draw_player(frame, place, material, state)
    if is_open:
        _draw_users(frame, document, place)
        show = partial(_freeze, frame, place, material)
        draw_sheet(frame, material, state, document.choice.reading, show)


def _draw_head(frame: UiContext, material: Material, state: PhaseState, color: Color) -> bool:
    """Draw what is seen of a folded material; tell whether it is unfolded."""
    _draw_thumbnail(frame, material.pictures[state.phase], material, state.phase)
    imgui.same_line()
    imgui.begin_group()
    for name in main_colors(state):
        swatch(name, (*getattr(state, name)[:3], 1.0))
        tooltip(f"{name} colour of the moment")
        imgui.same_line(0, theme.em(0.4 if name == "emissive" else 0.15))
    text(title_of(material), color)
    if imgui.is_item_clicked():
        _turn(DETAILS)
    copy_menu("copy name", title_of(material))
    with colored(theme.DIM):
        flags = imgui.TreeNodeFlags_.no_tree_push_on_open
        is_open = imgui.tree_node_ex(f"{summary(material)}{DETAILS}", flags)
    imgui.end_group()
    return is_open


def _turn(node: str, *, is_open: bool | None = None) -> None:
    """Fold or unfold a node of a tree; the other way than it is for None."""
    number = imgui.get_id(node)
    is_folded = not imgui.get_state_storage().get_int(number)
    imgui.internal.tree_node_set_open(number, is_folded if is_open is None else is_open)


def _freeze(frame: UiContext, place: int, material: Material, variant: int, moment: Moment) -> None:
    frame.change(partial(frozen_at, place=place, material=material, variant=variant, moment=moment))


def main_colors(state: PhaseState) -> tuple[str, str]:
    """Return the names of the colours that are seen most: diffuse is black where no light falls."""
    return "diffuse" if state.is_lit else "ambient", "emissive"


def title_of(material: Material) -> str:
    """Return a material's row and name, and what stands in for it where it was not found."""
    if material.name is None:
        return f"{material.row}  without a name"
    name = f"{material.row}  {material.name}"
    return name if material.found == "name" else f"{name}: {material.found}"


def summary(material: Material) -> str:
    """Return in a few words how a material is drawn."""
    parts = [material.blend.label]
    if len(material.phases) > 1:
        parts.append(f"{len(material.phases)} phases")
    if len(material.blocks) > 1:
        parts.append(f"{len(material.blocks)} variants")
    if material.lightmap is not None:
        parts.append("lightmap")
    if material.is_two_sided:
        parts.append("two-sided")
    return ", ".join(parts)


def _draw_thumbnail(frame: UiContext, picture: TextureRef | None, material: Material, phase: int) -> None:
    """Draw a small picture of a texture that opens it, or say that there is none."""
    lack = material.lack(phase)
    side = theme.em(THUMBNAIL)
    if imgui.button(f"{fa.ICON_FA_QUESTION if lack else ''}###texture", ImVec2(side, side)) and picture:
        frame.request(Open(picture.address))
    if picture is None:
        tooltip(str(lack) if lack else "no texture")
        return
    texture = frame.gallery(TextureView.seen(picture, frame.view.textures, small_level(picture)))
    if texture is not None:
        corners = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        imgui.get_window_draw_list().add_image(imgui.ImTextureRef(texture), *corners, *shown_part(picture))
    tooltip([picture.name, "A click opens it"])


def shown_part(picture: TextureRef) -> tuple[ImVec2, ImVec2]:
    """Return the corners of what is shown of a texture, 0 to 1."""
    if picture.page is None:
        return ImVec2(0, 0), ImVec2(1, 1)
    level, (x, y, w, h) = picture.texture.levels[0], picture.page
    left, top = x / level.width, y / level.height
    return ImVec2(left, top), ImVec2(left + w / level.width, top + h / level.height)


def small_level(picture: TextureRef) -> int:
    """Return the smallest mip level that is still sharp as a small picture."""
    levels, page = picture.texture.levels, picture.page
    sides = [max(level.width, level.height) for level in levels]
    share = 1.0 if page is None else max(page.w, page.h) / sides[0]
    return max((index for index, side in enumerate(sides) if side * share >= SHARPEST), default=0)


def _draw_users(frame: UiContext, document: Document, place: int) -> None:
    """Draw a link to each batch that is drawn with it, and to all nodes that draw them."""
    users = document.materials.batches(place).tolist()
    nodes = np.unique(document.draws.node[document.materials.of_draw == place]).tolist()
    has_batches = len(document.materials.of_batch) > 0
    imgui.separator_text(
        counted(len(users), "{count} batch", "{count} batches") if has_batches else "Terrain"
    )
    if imgui.text_link(f"select {'its node' if len(nodes) == 1 else f'all {len(nodes)} nodes'}###nodes"):
        frame.change(lambda view: replace(view, selection=Selection(tuple(nodes))))
    tooltip("The nodes that draw anything with this material, in any cell")
    for batch in users[:MOST_LINKS]:
        words = f"{batch}###batch{batch}"
        _go_on_in_line(str(batch))
        if imgui.text_link(words):
            _select(frame, document, batch)
        if imgui.is_item_hovered():
            frame.flash((batch,))
    if len(users) > MOST_LINKS:
        text(f"and {len(users) - MOST_LINKS} more", theme.DIM)


def _go_on_in_line(words: str) -> None:
    """Stay in the line where some words still fit behind the last item."""
    right = imgui.get_cursor_screen_pos().x + imgui.get_content_region_avail().x
    spacing = imgui.get_style().item_spacing.x
    if imgui.get_item_rect_max().x + spacing + imgui.calc_text_size(words).x < right:
        imgui.same_line()


def _select(frame: UiContext, document: Document, batch: int) -> None:
    place = Place(document.address, BATCH.name, batch)
    frame.change(lambda view: replace(view, selection=selection_at(document, place, view.selection)))
