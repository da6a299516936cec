"""What the batches of a model are drawn with: every phase, its texture, and how each was found."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.formats.msh import batches
from viewer.model.materials import AlphaKind, Block, Material, Mode, Phase, Picture
from viewer.model.phases import PhaseState, segments
from viewer.session.document import Document
from viewer.session.picture_part import PicturePart
from viewer.session.timeline import FRAME
from viewer.session.view_state import ViewState
from viewer.ui import theme
from viewer.ui.field_view import Place, draw_facts
from viewer.ui.navigation import selection_at
from viewer.ui.panel import Frame, Open, OpenDialog, UseWear
from viewer.ui.widgets import copy_menu, empty, identified, swatch, text, tooltip, wrapped

THUMBNAIL: Final = 2.6
"""Side of a small picture, in font heights."""
SHARPEST: Final = 96
"""Pixels of the longer side that a small picture has at least, where the texture has as many."""
MOST_LINKS: Final = 200
COLOURS: Final = ("ambient", "diffuse", "specular", "emissive")


class Materials:
    """The list of materials, and all of the one that is unfolded."""

    title = "Materials"

    def draw(self, frame: Frame) -> None:
        """Draw where the names come from, then each material."""
        document = frame.document
        if document is None:
            empty("The materials of a model appear here.")
            return
        materials = document.materials
        if materials.wear_source is None:
            wrapped("There is no wear table that can be read: no material has a name.", theme.WARNING)
            if imgui.button("Choose a wear table…"):
                frame.request(OpenDialog(wanted=UseWear))
        else:
            text(f"{len(materials.wear_names)} wear rows, {len(materials.rows)} materials in use", theme.DIM)
            tooltip(materials.wear_source)
            copy_menu("copy wear", materials.wear_source)
        used = _of_selection(document, frame)
        imgui.begin_child("##materials")
        states = document.material_states(frame.view)
        for place, (material, state) in enumerate(zip(materials.rows, states, strict=True)):
            with identified(place):
                _draw_material(frame, document, place, material, state, is_used=place == used)
        imgui.end_child()


def _of_selection(document: Document, frame: Frame) -> int | None:
    """The material of the batch that is selected."""
    batch, of_batch = frame.view.selection.batch, document.materials.of_batch
    return int(of_batch[batch]) if batch is not None and batch < len(of_batch) else None


def _draw_material(
    frame: Frame, document: Document, place: int, material: Material, state: PhaseState, *, is_used: bool
) -> None:
    _draw_thumbnail(frame, material.pictures[state.phase], material, state.phase)
    imgui.same_line()
    imgui.begin_group()
    swatch("diffuse", (*state.diffuse[:3], 1.0))
    imgui.same_line()
    usual = theme.WARNING if material.problems else theme.TEXT
    text(title_of(material), theme.SELECTION if is_used else usual)
    copy_menu("copy name", title_of(material))
    is_open = imgui.tree_node_ex(f"{summary(material)}###details", imgui.TreeNodeFlags_.no_tree_push_on_open)
    imgui.end_group()
    if is_open:
        _draw_details(frame, document, place, material, state.phase)
    imgui.separator()


def title_of(material: Material) -> str:
    """Return a material's row and name, and what stands in for it where it was not found."""
    name = f"{material.row}  {material.name or 'no such row'}"
    return name if material.found == "name" else f"{name}: {material.found}"


def summary(material: Material) -> str:
    """Return in a few words how a material is drawn."""
    parts = [material.blend.label]
    if len(material.phases) > 1:
        parts.append(f"{len(material.phases)} phases")
    if material.lightmap is not None:
        parts.append("lightmap")
    if material.is_two_sided:
        parts.append("two-sided")
    return ", ".join(parts)


def _draw_thumbnail(frame: Frame, picture: Picture | None, material: Material, phase: int) -> None:
    """Draw a small picture of a texture that opens it, or say that there is none."""
    is_lacking = material.lack(phase) is not None
    side = theme.em(THUMBNAIL)
    if imgui.button(f"{fa.ICON_FA_QUESTION if is_lacking else ''}###texture", ImVec2(side, side)) and picture:
        frame.request(Open(picture.address))
    if picture is None:
        tooltip("The texture is missing" if is_lacking else "No texture")
        return
    texture = frame.gallery(PicturePart(picture, small_level(picture)))
    if texture is not None:
        corners = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        imgui.get_window_draw_list().add_image(imgui.ImTextureRef(texture), *corners)
    tooltip([picture.name, "A click opens it"])


def small_level(picture: Picture) -> int:
    """Return the smallest mip level that is still sharp as a small picture."""
    levels = picture.texture.levels
    sharp = [index for index, level in enumerate(levels) if max(level.width, level.height) >= SHARPEST]
    return max(sharp, default=0)


def _draw_details(frame: Frame, document: Document, place: int, material: Material, shown: int) -> None:
    for number, phase in enumerate(material.phases):
        with identified(f"phase{number}"):
            now = ", shown now" if number == shown and len(material.phases) > 1 else ""
            imgui.separator_text(f"Phase {number}{now}")
            _draw_phase(frame, phase, material.pictures[number], material.alphas[number])
    for number, block in enumerate(material.blocks):
        imgui.separator_text(f"Animation {number}: {mode_text(block.mode)}")
        with identified(f"block{number}"):
            _draw_block(frame, block)
    if material.lightmap is not None:
        imgui.separator_text("Lightmap")
        _draw_link(frame, material.lightmap.name, material.lightmap.address)
    _draw_users(frame, document, place)
    imgui.separator_text("How it was found")
    if material.entry is not None:
        _draw_link(frame, "open the material's entry", material.entry)
    for number, step in enumerate(material.trace):
        wrapped(step, theme.WARNING if step in material.problems else theme.DIM)
        copy_menu(f"copy step{number}", step)


def _draw_block(frame: Frame, block: Block) -> None:
    """Draw a link to each key, which stops the time where the key begins to show."""
    for segment in segments(block):
        phase = block.keys[segment.key].phase
        if imgui.text_link(f"phase {phase}, {segment.start} to {segment.end} ms###key{segment.key}"):
            frame.change(partial(stopped_at, milliseconds=segment.start))
    if not block.keys:
        text("no keys", theme.DIM)


def stopped_at(view: ViewState, milliseconds: float) -> ViewState:
    """Return the view as materials look some time after their start, standing still."""
    return replace(view, is_playing=False, time=milliseconds / FRAME, past=0.0)


def mode_text(mode: int) -> str:
    """Return what a way of going through keys is called."""
    return Mode(mode).name.lower().replace("_", "-") if mode in set(Mode) else f"mode {mode}"


def _draw_phase(frame: Frame, phase: Phase, picture: Picture | None, alpha: AlphaKind) -> None:
    for name in COLOURS:
        colour = getattr(phase, name)
        swatch(name, (*colour[:3], 1.0))
        imgui.same_line()
        text(f"{name}  {', '.join(f'{channel:.3g}' for channel in colour)}")
    draw_facts("phase", facts(phase, alpha))
    if picture is not None:
        _draw_link(frame, picture.name, picture.address)


def facts(phase: Phase, alpha: AlphaKind) -> dict[str, str]:
    """Return the fields of a phase that are no colours."""
    return {
        "power": str(phase.power),
        "is lit": "yes" if phase.is_lit else "no, full brightness",
        "texture": phase.texture or "none",
        "page": "whole texture" if phase.page is None else str(phase.page),
        "alpha": alpha.value,
    }


def _draw_link(frame: Frame, words: str, address: str) -> None:
    if imgui.text_link(f"{words}###open {address}"):
        frame.request(Open(address))
    tooltip(address)


def _draw_users(frame: Frame, document: Document, place: int) -> None:
    """Draw a link to each batch that is drawn with it."""
    users = document.materials.batches(place).tolist()
    imgui.separator_text(f"{len(users)} batches")
    right = imgui.get_cursor_screen_pos().x + imgui.get_content_region_avail().x
    for number, batch in enumerate(users[:MOST_LINKS]):
        if number and imgui.get_item_rect_max().x + theme.em(3) < right:
            imgui.same_line()
        if imgui.text_link(f"{batch}###batch{batch}"):
            _select(frame, document, batch)
    if len(users) > MOST_LINKS:
        text(f"and {len(users) - MOST_LINKS} more", theme.DIM)


def _select(frame: Frame, document: Document, batch: int) -> None:
    place = Place(batches.BATCH.name, batch)
    frame.change(lambda view: replace(view, selection=selection_at(document, place, view.selection)))
