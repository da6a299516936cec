"""The legend of colors by node, batch, slot, material, cell or flags: a click selects what has a color."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from imgui_bundle import ImVec2, imgui

from viewer.formats.meaning import meaning
from viewer.formats.msh.nodes import GROUPS
from viewer.formats.msh.terrain import FACE
from viewer.formats.msh.triangles import TRIANGLE
from viewer.model.mesh.model import Variant
from viewer.session.opened.document import Document
from viewer.session.opened.legend import Group, Legend
from viewer.session.view.coloring import GROUPED, NO_GROUP, color
from viewer.session.view.view_state import Shading, ViewState
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.viewport.shadings import obstacle
from viewer.ui.widgets import theme
from viewer.ui.widgets.card import LOWER_RIGHT, Area, card
from viewer.ui.widgets.cell_text import cell_name
from viewer.ui.widgets.field_text import count_text, counted
from viewer.ui.widgets.names import name_of
from viewer.ui.widgets.widgets import labeled, text, tooltip

MOST_ROWS: Final = 12
SHARE: Final = (0.45, 0.6)
"""Largest share of the viewport's width and height."""
LEAST: Final = 5.0
"""Width for names below which there is no legend, font heights."""
_WHOLE_ROW: Final = imgui.SelectableFlags_.span_all_columns | imgui.SelectableFlags_.allow_overlap


class LegendCard:
    """A card in the lower right corner while the shading has a color per group; owner: the shell."""

    def __init__(self) -> None:
        self._made_of: tuple[object, ...] = ()
        self._legend = Legend()

    def draw(self, frame: UiContext, area: Area) -> None:
        """Draw it if the shading has colors to explain, and it has room."""
        document, view = frame.document, frame.view
        if document is None or view.shading not in GROUPED or obstacle(document, view.shading):
            return
        line = imgui.get_text_line_height() + 2 * imgui.get_style().cell_padding.y
        rows = min(MOST_ROWS, int(area.card_room[1] * SHARE[1] / line) - 2)
        room = area.card_room[0] * SHARE[0] - 3 * imgui.get_text_line_height()
        if rows < 1 or room < theme.em(LEAST):
            return
        legend = self._legend_of(document, view, rows)
        if legend.groups:
            with card("##legend", area, LOWER_RIGHT):
                self._draw_rows(frame, document, legend, room)

    def _legend_of(self, document: Document, view: ViewState, most: int) -> Legend:
        made_of = document.identity, document.revision, view.shading, document.shown(view), most
        if made_of != self._made_of:
            self._made_of, self._legend = made_of, Legend.of(document, view, most)
        return self._legend

    def _draw_rows(self, frame: UiContext, document: Document, legend: Legend, room: float) -> None:
        text(name_of(frame.view.shading), theme.DIM)
        if imgui.begin_table("##groups", 3, imgui.TableFlags_.sizing_fixed_fit):
            for group in legend.groups:
                imgui.table_next_row()
                _draw_group(frame, document, group, room)
            imgui.end_table()
        if legend.others:
            text(_("and {count} more").format(count=count_text(legend.others)), theme.DIM)


def _draw_group(frame: UiContext, document: Document, group: Group, room: float) -> None:
    imgui.table_next_column()
    is_selected = frame.view.selection == group.selection
    if imgui.selectable(labeled("", f"group{group.number}"), is_selected, _WHOLE_ROW)[0]:
        frame.change(lambda view: replace(view, selection=group.selection))
    if imgui.is_item_hovered():
        frame.flash(group.batches)
    name, count = name_of_group(document, frame.view.shading, group.number), count_text(group.triangles)
    tooltip([name, counted(group.triangles, "{count} triangle", "{count} triangles"), _("Click to select.")])
    imgui.same_line(0, 0)
    _draw_swatch((*color(group.number), 1.0))
    imgui.table_next_column()
    text(_cut(name, room - imgui.calc_text_size(count).x))
    imgui.table_next_column()
    text(count, theme.DIM)


def _draw_swatch(tint: theme.Color) -> None:
    """Draw a rectangle that takes no clicks, as high as a line of text."""
    corner, side = imgui.get_cursor_screen_pos(), imgui.get_text_line_height()
    end = ImVec2(corner.x + 1.4 * side, corner.y + side)
    imgui.get_window_draw_list().add_rect_filled(corner, end, theme.packed(tint), theme.em(0.15))
    imgui.dummy(ImVec2(1.4 * side, side))


def _cut(words: str, room: float) -> str:
    """Return a text shortened to a width."""
    if imgui.calc_text_size(words).x <= room:
        return words
    kept = len(words)
    while kept > 1 and imgui.calc_text_size(f"{words[:kept]}…").x > room:
        kept -= 1
    return f"{words[:kept]}…"


def name_of_group(document: Document, shading: Shading, number: int) -> str:
    """Return what the triangles of a number are: a node, a batch, a material, their flags."""
    if number == NO_GROUP:
        return _("none")
    if shading is Shading.NODE:
        return document.label(number)
    if shading is Shading.MATERIAL:
        names = (row.name for row in document.materials.rows if row.row == number)
        return f"{number}  {next(names, '')}".rstrip()
    if shading is Shading.FLAG:
        return _flags_text(document, number)
    if shading is Shading.LOD:
        return cell_name(document, *divmod(number, GROUPS))
    words = {
        Shading.BATCH: _("batch {number}"),
        Shading.SLOT: _("slot {number}"),
    }
    return words[shading].format(number=number)


def _flags_text(document: Document, flags: int) -> str:
    record = FACE if document.model.variant is Variant.TERRAIN else TRIANGLE
    field = next(field for field in record.fields if field.name == "flags")
    return f"0x{flags:0{2 * field.size}X}  {meaning(field, flags)}".rstrip()
