"""Materials panel: wear rows, phases, textures and the resolution trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui
from msgspec import Struct
from msgspec.structs import replace

from viewer.formats import wear
from viewer.formats.msh.batches import BATCH
from viewer.formats.record import CP1251, MATERIAL, Field
from viewer.formats.text import encode
from viewer.model.edit.values import RowChoice
from viewer.model.material.materials import MATERIALS, FoundIn, Material, Materials
from viewer.model.material.phases import PhaseMoment, PhaseState, state_at
from viewer.model.query.names import NameFilter
from viewer.model.store.place import Place
from viewer.session.field_text import counted
from viewer.session.opened.document import Document
from viewer.session.places import selection_at
from viewer.session.play.machinery import material_states
from viewer.session.play.material_play import clan_count, moves
from viewer.session.selection import Selection
from viewer.session.view.options.lighting import Look
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.editing.editable_field import EditableField
from viewer.ui.editing.field_editor import FieldEditor
from viewer.ui.editing.value_box import ValueStyle
from viewer.ui.fields.field_view import EntryEditing
from viewer.ui.material.material_player import draw_player, draw_transport_of_all, frozen_at
from viewer.ui.material.material_sheet import MaterialSheet, summary
from viewer.ui.material.texture_viewer import draw_thumbnail
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.input.filter_field import FilterField
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import (
    colored,
    copy_menu,
    empty,
    identified,
    labeled,
    swatch,
    text,
    tooltip,
    wrapped,
)

_FOUND: Final = {
    FoundIn.DEFAULT: _("default material"),
    FoundIn.FIRST: _("first material of the library"),
    FoundIn.MISSING: _("missing"),
}
THUMBNAIL: Final = 2.6
"""Side of a thumbnail, in font heights."""
MOST_LINKS: Final = 200
_EXPLANATION: Final = _(
    "The name of the material or of one of its textures must contain all words; * and ? are wildcards."
)
_NAME: Final = Field("name", "S64", "", encoding=CP1251, names=MATERIAL)
_AS_BUTTON: Final = ValueStyle(link=lambda: None)
DETAILS: Final = "details"
"""Id of the tree node of a material."""


class MaterialsPanel:
    """The list of materials, with the details of the expanded ones."""

    id = "materials"
    title = _("Materials")

    def __init__(self) -> None:
        self._document: Document | None = None
        self._moving: frozenset[int] = frozenset()
        self._heights: dict[str, float] = {}
        self._asked: Place | None = None
        self._filter = FilterField("material_filter", _("Filter materials"), _EXPLANATION)
        self._passing_of = Cached(_passing)
        self._passing: frozenset[int] = frozenset()
        self._editor = FieldEditor()

    def draw(self, frame: UiContext) -> None:
        """Draw the wear table in use, then each material."""
        document = frame.document
        if document is None:
            empty(_("The materials of the open model appear here."))
            return
        rows = document.materials.rows
        if document is not self._document:
            self._document = document
            self._moving = frozenset(place for place, row in enumerate(rows) if moves(row))
            self._heights = {}
            self._take_filter(document)
            if not self._passing:
                self._filter.clear()
        _draw_top(frame, document, has_moving=bool(self._moving))
        self._filter.draw()
        self._take_filter(document)
        imgui.begin_child("##materials")
        self._filter.scroll_to_top()
        with identified(document.identity):
            self._draw_used(frame, document)
            if document.materials.unused:
                self._draw_unused(frame, document)
        if not self._passing:
            empty(_("No material matches the filter."))
        imgui.end_child()

    def _take_filter(self, document: Document) -> None:
        """Find the materials that pass, again only if the filter or the materials have changed."""
        made_of = self._filter.names, document.materials
        self._passing = self._passing_of.of(made_of, *made_of)

    def _draw_used(self, frame: UiContext, document: Document) -> None:
        batch, of_batch = frame.view.selection.batch, document.materials.of_batch
        selected = int(of_batch[batch]) if batch is not None and batch < len(of_batch) else None
        revealed = self._new_row(frame, document)
        states = material_states(document, frame.view)
        for place, (material, state) in enumerate(zip(document.materials.rows, states, strict=True)):
            if place == revealed and place not in self._passing:
                self._filter.clear()
            elif place not in self._passing:
                continue
            usual = theme.WARNING if material.problems else theme.TEXT
            color = theme.SELECTION if place == selected else usual
            if place == revealed:
                self._heights.pop(f"{place}", None)
                imgui.set_scroll_here_y(0)
            with identified(place), self._row(f"{place}") as is_seen:
                if is_seen:
                    if place == revealed:
                        _turn(DETAILS, is_open=True)
                    row = _MaterialRow(frame, document, self._editor, material, state, place)
                    row.draw(color, is_moving=place in self._moving)

    def _new_row(self, frame: UiContext, document: Document) -> int | None:
        """Return the row that was just requested, once."""
        place = frame.state.reveal
        if place is None or place is self._asked:
            return None
        self._asked = place
        return place.row if place in Place(document.address, MATERIALS) else None

    def _draw_unused(self, frame: UiContext, document: Document) -> None:
        """Draw the rows of the wear table that no batch uses, dimmed."""
        materials = document.materials
        count = materials.unused_count
        imgui.separator_text(counted(count, "{count} unused wear row", "{count} unused wear rows"))
        for number, material in enumerate(materials.unused):
            if len(materials.rows) + number not in self._passing:
                continue
            with identified(f"unused{number}"), self._row(f"unused{number}") as is_seen:
                if is_seen:
                    state = state_at(material, 0.0)
                    _MaterialRow(frame, document, self._editor, material, state).draw(theme.FAINT)
        if materials.unused_count > len(materials.unused):
            text(_("and {count} more", count=materials.unused_count - len(materials.unused)), theme.DIM)

    @contextmanager
    def _row(self, name: str) -> Iterator[bool]:
        """Reserve the last known height of a row that is off screen, else draw the row."""
        top, height = imgui.get_cursor_pos_y(), self._heights.get(name)
        # Rows of different heights cannot be clipped by count.
        if height is not None and not imgui.is_rect_visible(ImVec2(1, height)):
            yield False
            imgui.dummy(ImVec2(1, height - imgui.get_style().item_spacing.y))
            return
        yield True
        imgui.separator()
        self._heights[name] = imgui.get_cursor_pos_y() - top


def _passing(names: NameFilter, materials: Materials) -> frozenset[int]:
    everything = enumerate((*materials.rows, *materials.unused))
    return frozenset(place for place, material in everything if any(map(names.matches, names_of(material))))


def _draw_top(frame: UiContext, document: Document, *, has_moving: bool) -> None:
    """The wear table, and the controls of all materials."""
    materials = document.materials
    if materials.wear_source is None:
        wrapped(_("No readable wear table: the materials have no names."), theme.WARNING)
        if controls.button(_("Choose wear table…"), "choose_wear"):
            frame.later(frame.control.dialogs.choose_wear)
    else:
        if has_moving:
            draw_transport_of_all(frame, materials.rows)
            imgui.same_line(0, theme.em(0.6))
            imgui.align_text_to_frame_padding()
        in_use = counted(len(materials.rows), "{count} material", "{count} materials")
        wear_rows = counted(len(materials.wear_names), "{count} wear row", "{count} wear rows")
        text(_("{rows}, {materials} in use", rows=wear_rows, materials=in_use), theme.DIM)
        tooltip([str(materials.wear_source), _("game folder: {game}", game=translated(document.game.text))])
        copy_menu("copy_wear", str(materials.wear_source))


class _MaterialRow(Struct, frozen=True):
    """A material in one frame; `place` is its index among those in use, None for one that no batch uses."""

    frame: UiContext
    document: Document
    editor: FieldEditor
    material: Material
    state: PhaseState
    place: int | None = None

    def draw(self, color: Color, *, is_moving: bool = False) -> None:
        """Draw the head of the material, and all else if it is expanded."""
        frame, material, place, show = self.frame, self.material, self.place, None
        imgui.begin_group()
        is_open = self._draw_head(color)
        imgui.end_group()
        if place is not None and imgui.is_item_hovered():
            frame.flash(self.document.materials.batches(place).tolist())
        if place is not None and is_moving:
            draw_player(frame, place, material, self.state)
        if not is_open:
            return
        if place is not None:
            self._draw_users(place)
            show = partial(self._freeze, place)
        MaterialSheet(frame, material, self.state, self.document.choice.reading, show, self._editing).draw()

    @property
    def _editing(self) -> EntryEditing | None:
        """The editor of the entry of the material, if there is one; of a substitute the user is asked."""
        if not self.material.entry:
            return None
        name = (self.material.name or "") if self.material.found is not FoundIn.NAME else ""
        return EntryEditing(self.frame, self.editor, self.material.entry, name)

    def _draw_head(self, color: Color) -> bool:
        """Draw the thumbnail, the colors and the names; tell whether the material is expanded."""
        frame, material, state = self.frame, self.material, self.state
        rows = self.document.materials.rows
        second = None if self.place is None or material.second is None else rows[material.second]
        title = title_of(material, second)
        texture, missing = material.textures[state.phase], material.missing_of(state.phase)
        draw_thumbnail(frame, texture, missing, theme.em(THUMBNAIL))
        imgui.same_line()
        imgui.begin_group()
        names = main_colors(state, frame.view.lighting.look)
        for name in names:
            swatch(name, (*getattr(state, name)[:3], 1.0))
            tooltip(_("current {name} color", name=name))
            imgui.same_line(0, theme.em(0.4 if name == names[-1] else 0.15))
        text(title, color)
        if imgui.is_item_clicked():
            _turn(DETAILS)
        copy_menu("copy_name", title)
        if self.place is not None:
            imgui.same_line(0, 0)
            self._draw_chooser()
            self._draw_clan(self.place)
        with colored(theme.DIM):
            flags = imgui.TreeNodeFlags_.no_tree_push_on_open
            words = summary(material)
            if self.place is not None and material.microtexture is not None:
                fine = title_of(rows[material.microtexture])
                words = _("{words}, microtexture {name}", words=words, name=fine)
            is_open = imgui.tree_node_ex(labeled(words, DETAILS), flags)
        imgui.end_group()
        return is_open

    def _draw_clan(self, place: int) -> None:
        """Draw which clan a material of several blocks is shown for."""
        if clan_count([self.material]):
            imgui.same_line(0, theme.em(0.6))
            text(
                _("clan {number}", number=self.frame.view.materials.variant(place, self.material)),
                theme.ACCENT,
            )
            count = len(self.material.blocks)
            tooltip(_("It has a block for each of {count} clans. Display chooses the clan.", count=count))

    def _draw_chooser(self) -> None:
        """Draw a button that chooses another material for the row of the wear table."""
        address, name = self.material.wear, self.material.name
        if address is None or name is None:
            return
        target = EditableField(address, wear.MATERIALS, RowChoice.of(self.material.row), _NAME, encode(name))
        choices = EntryEditing(self.frame, self.editor, address).choices
        self.editor.draw(self.frame, target, _AS_BUTTON, choices)

    def _freeze(self, place: int, variant: int, moment: PhaseMoment) -> None:
        freeze = partial(frozen_at, place=place, material=self.material, variant=variant, moment=moment)
        self.frame.change(freeze)

    def _draw_users(self, place: int) -> None:
        """Draw a link to each batch that uses the material, and to all nodes that draw them."""
        frame, document = self.frame, self.document
        users = document.materials.batches(place).tolist()
        nodes = np.unique(document.draws.node[document.materials.of_draw == place]).tolist()
        has_batches = len(document.materials.of_batch) > 0
        batches = counted(len(users), "{count} batch", "{count} batches")
        imgui.separator_text(batches if has_batches else _("Terrain"))
        words = counted(len(nodes), "select its node", "select all {count} nodes")
        if imgui.text_link(labeled(words, "nodes")):
            frame.change(lambda view: replace(view, selection=Selection(tuple(nodes))))
        tooltip(_("The nodes that use this material, in any cell"))
        for batch in users[:MOST_LINKS]:
            # The number of a batch and the name of the first node that draws it.
            first = np.flatnonzero(document.draws.batch == batch)[:1]
            words = " ".join([str(batch), *(document.names[node] for node in document.draws.node[first])])
            controls.same_line_if_room(imgui.calc_text_size(words).x)
            if imgui.text_link(labeled(words, f"batch{batch}")):
                _select(frame, document, batch)
            if imgui.is_item_hovered():
                frame.flash((batch,))
        if len(users) > MOST_LINKS:
            text(_("and {count} more", count=len(users) - MOST_LINKS), theme.DIM)


def _turn(node: str, *, is_open: bool | None = None) -> None:
    """Expand or collapse a tree node; toggle it for None."""
    number = imgui.get_id(node)
    is_folded = not imgui.get_state_storage().get_int(number)
    imgui.internal.tree_node_set_open(number, is_folded if is_open is None else is_open)


def main_colors(state: PhaseState, look: Look) -> tuple[str, str]:
    """Return the names of the two main colors in a look; in the plain one an unlit phase has no diffuse."""
    if look is Look.GAME:
        return "ambient", "diffuse"
    return "diffuse" if state.is_lit else "ambient", "emissive"


def title_of(material: Material, second: Material | None = None) -> str:
    """Return the row and the name of a material, and its substitute if it was not found."""
    if second is not None:
        return f"{title_of(material)} + {title_of(second)}"
    if material.name is None:
        return f"{material.row}  {_('(unnamed)')}"
    name = f"{material.row}  {material.name}"
    return name if material.found is FoundIn.NAME else f"{name}: {_FOUND[material.found]}"


def names_of(material: Material) -> Iterator[str]:
    """Yield the name of a material, as its title has it, and those of its textures."""
    yield title_of(material)
    yield from (texture.name for texture in material.textures if texture is not None)


def _select(frame: UiContext, document: Document, batch: int) -> None:
    place = Place(document.address, BATCH.name, batch)
    frame.change(lambda view: replace(view, selection=selection_at(document, place, view.selection)))
