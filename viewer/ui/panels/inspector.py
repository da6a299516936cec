"""Inspector panel: the selected node, slot, batch, triangle, vertex and key field by field, else the file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.keys import KEY
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.slots import SLOT
from viewer.formats.msh.triangles import TRIANGLE
from viewer.formats.msh.vertices import INDEX
from viewer.formats.part import Part
from viewer.model.kinds.registry import MODEL
from viewer.session.opened.document import Document
from viewer.session.places import CORNERS, VERTICES
from viewer.session.selection import Selection
from viewer.session.tables.model_tables import row_count
from viewer.translation import Message, _
from viewer.ui.context import UiContext
from viewer.ui.editing.field_editor import FieldEditor
from viewer.ui.editing.model_menu import ModelMenu, has_entries
from viewer.ui.inspector.degrees import HeldAngles
from viewer.ui.inspector.key_section import draw_key
from viewer.ui.inspector.node_section import draw_node
from viewer.ui.inspector.sections import (
    draw_batch,
    draw_descriptor,
    draw_file,
    draw_slot,
    draw_triangle,
    draw_vertex,
)
from viewer.ui.inspector.sheet import Sheet, links_of
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import counted
from viewer.ui.widgets.widgets import empty, identified, labeled, section, wrapped

_Section = tuple[str, str, str, int | None, Callable[[Sheet, int], None]]
"""Id, title, the table that its row is in, the row if there is one, what draws it."""


MENU: Final = "row_menu"


class InspectorPanel:
    """Sections for the selection, each a record with its links."""

    id = "inspector"
    title = Message("Inspector")

    def __init__(self) -> None:
        self._editor, self._menu, self._degrees = FieldEditor(), ModelMenu(), HeldAngles()
        self._parts: tuple[Document, Part] | None = None

    def _parts_of(self, document: Document) -> Part:
        """The parts of the model, made once for each revision."""
        if self._parts is None or self._parts[0] is not document:
            self._parts = document, MODEL.parts(document.model)
        return self._parts[1]

    def draw(self, frame: UiContext) -> None:
        """Draw the sections that apply."""
        document = frame.document
        if document is None:
            empty(_("The fields of the selection appear here."))
            return
        selection = _completed(frame, document)
        sheet = Sheet(
            frame,
            document,
            selection,
            links_of(frame, document),
            self._editor,
            self._parts_of(document),
            self._degrees,
        )
        if sheet.selection == Selection():
            draw_file(sheet)
            return
        if len(sheet.selection.nodes) > 1:
            count = counted(
                len(sheet.selection.nodes),
                "{count} node selected",
                "{count} nodes selected; this is the last. What is changed here is changed in all of them.",
            )
            wrapped(count, theme.DIM)
        for name, title, table, row, draw in _sections(sheet):
            if row is not None and section(labeled(title.format(row=sheet.label(table, row)), name)):
                with identified(name):
                    self._draw_changes(sheet, name, table, row)
                    draw(sheet, row)

    def _draw_changes(self, sheet: Sheet, name: str, table: str, row: int) -> None:
        """A button for what can be done with the row of a section, apart from setting its fields."""
        document = sheet.document
        if name == "triangle":
            table, row = INDEX.name, row * CORNERS
        if document.model.tables.get(table) is None and table != VERTICES:
            return
        if row >= row_count(document, table) or not has_entries(document, table, row):
            return
        if imgui.small_button(labeled(f"{fa.ICON_FA_PEN}  {_('Change')}…", "change_row")):
            imgui.open_popup(MENU)
        if imgui.begin_popup(MENU):
            rows = sheet.selection.nodes if name == "node" else (row,)
            self._menu.draw(sheet.frame, document, table, rows)
            imgui.end_popup()


def _sections(sheet: Sheet) -> tuple[_Section, ...]:
    """The sections in their order: a vertex and a key, which are chosen by themselves, come first."""
    selection = sheet.selection
    return (
        ("vertex", _("Vertex {row}"), VERTICES, selection.vertex, draw_vertex),
        ("key", _("Key {row}"), KEY.name, selection.key, draw_key),
        ("node", _("Node {row}"), NODE.name, selection.node, draw_node),
        ("slot", _("Slot {row}"), SLOT.name, selection.slot, draw_slot),
        ("batch", _("Batch {row}"), BATCH.name, selection.batch, draw_batch),
        ("triangle", _("Triangle {row}"), "", selection.triangle, draw_triangle),
        ("descriptor", _("Descriptor {row}"), TRIANGLE.name, selection.descriptor, draw_descriptor),
    )


def _completed(frame: UiContext, document: Document) -> Selection:
    """Add the slot that a node shows if only the node was selected."""
    selection = frame.view.selection
    if selection.node is None or selection.slot is not None or selection.node >= len(document.model.nodes):
        return selection
    cell = document.shown_cell(selection.node, frame.view)
    if cell is None:
        return selection
    return replace(selection, slot=int(document.model.nodes["slots"][(selection.node, *cell)]))
