"""The items of context menus that change rows of a model, with the fields that place geometry."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

import numpy as np
from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.slots import SLOT
from viewer.formats.msh.triangles import TRIANGLE
from viewer.formats.msh.vertices import INDEX
from viewer.geometry.transforms import Matrix, rotation
from viewer.model.edit.change import Change
from viewer.model.edit.rows import row_tables
from viewer.model.edit.rows.row_changes import AddRows, MoveRows, RemoveRows
from viewer.model.edit.rows.row_tables import RowTable
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.registry import MODEL
from viewer.model.mesh.model import Variant
from viewer.model.store.address import Address
from viewer.model.tables.model_tables import row_count
from viewer.model.tables.table_names import WEAR
from viewer.session.edits.row_commands import (
    assignment,
    batches_with,
    can_place,
    placement,
    pose,
    row_commands,
)
from viewer.session.field_text import counted
from viewer.session.opened.document import Document
from viewer.session.places import CORNERS
from viewer.session.selection import Selection
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.icons import icon_named
from viewer.ui.widgets.widgets import labeled, tooltip


class ModelMenu:
    """Draws the entries and remembers the numbers typed in them; owner: a panel."""

    def __init__(self) -> None:
        self._placing = Placing()

    def draw(self, frame: UiContext, document: Document, table: str, rows: Sequence[int]) -> None:
        """Draw what can be done with rows of a table, inside an open menu.

        Parameters
        ----------
        rows
            The chosen rows, the active one last.
        """
        for number, command in enumerate(row_commands(document, table, rows)):
            if not number and imgui.get_cursor_pos_y() > imgui.get_cursor_start_pos().y:
                imgui.separator()
            icon = icon_named(command.icon) or fa.ICON_FA_PEN
            if controls.menu_item(command.title, command.name, icon=icon, is_enabled=command.is_possible):
                _request(frame, document, command.changes())
        if isinstance(row_tables.of(MODEL.id, table), row_tables.RowTable):
            count = row_count(document.tables, table)
            draw_row_menu(frame, document.address, MODEL.id, table, rows[-1], count, rows)
        if rows and can_place(table):
            self._draw_placing(frame, document, table, rows)
        if table == NODE.name and imgui.begin_menu(
            labeled(f"{fa.ICON_FA_ANCHOR}  {_('Move, turn the part in all its keys')}", "place_node")
        ):
            matrix = self._placing.draw(can_scale=False)
            if matrix is not None:
                _request(frame, document, pose(document, rows, matrix))
            imgui.end_menu()
        _draw_materials(frame, document, table, rows)

    def draw_selected(self, frame: UiContext, document: Document) -> None:
        """Draw a menu for each thing that is selected: the parts, and what was picked in the last one."""
        for name, words, table, rows in _selected(document, frame.view.selection):
            if imgui.begin_menu(labeled(words, f"change_{name}")):
                self.draw(frame, document, table, rows)
                imgui.end_menu()

    def _draw_placing(self, frame: UiContext, document: Document, table: str, rows: Sequence[int]) -> None:
        words = _("Move, turn, scale the geometry") if table == NODE.name else _("Move, turn, scale")
        if not imgui.begin_menu(labeled(f"{fa.ICON_FA_UP_DOWN_LEFT_RIGHT}  {words}", "place")):
            return
        matrix = self._placing.draw()
        if matrix is not None:
            _request(frame, document, placement(document, table, rows, matrix))
        imgui.end_menu()


def _selected(document: Document, selection: Selection) -> Iterator[tuple[str, str, str, tuple[int, ...]]]:
    """Yield id, title, table and rows of what is selected and can be changed."""
    row, is_terrain = selection.triangle, document.model.variant is Variant.TERRAIN
    corner = None if row is None or is_terrain or selection.descriptor is not None else CORNERS * row
    label = document.labels.label
    if selection.node is not None and selection.node < len(document.model.nodes):
        words: str = _("Part {name}", name=document.label(selection.node))
        if len(selection.nodes) > 1:
            words = counted(len(selection.nodes), "{count} part", "{count} parts")
        yield "node", words, NODE.name, selection.nodes
    for name, words, table, number, shown in (
        ("slot", _("Slot {row}"), SLOT.name, selection.slot, None),
        ("batch", _("Batch {row}"), BATCH.name, selection.batch, None),
        ("triangle", _("Triangle {row}"), INDEX.name, corner, row),
        ("descriptor", _("Triangle {row}"), TRIANGLE.name, selection.descriptor, row),
    ):
        if number is not None:
            title = label(table, number) if shown is None else shown
            yield name, words.format(row=title), table, (number,)


def has_entries(document: Document, table: str, row: int) -> bool:
    """Tell whether anything can be done with a row of a table."""
    return (
        can_place(table)
        or next(row_commands(document, table, (row,)), None) is not None
        or isinstance(row_tables.of(MODEL.id, table), row_tables.RowTable)
    )


def _draw_materials(frame: UiContext, document: Document, table: str, rows: Sequence[int]) -> None:
    """Draw the rows of the wear table; the one that is chosen is given to all batches of the rows."""
    names = document.labels.names(WEAR)
    if not names or not batches_with(document, table, rows):
        return
    if not imgui.begin_menu(labeled(f"{fa.ICON_FA_PALETTE}  {_('Give it the material')}", "material")):
        return
    for material, name in enumerate(names):
        if imgui.menu_item_simple(labeled(f"{material}  {name}", f"material{material}")):
            _request(frame, document, assignment(document, table, rows, material))
    imgui.end_menu()


def _request(frame: UiContext, document: Document, changes: tuple[Change, ...]) -> None:
    if changes:
        frame.later(frame.control.edits.edit, document.address, changes)


WIDTH: Final = 15.0
"""Width of a field of three numbers, font heights."""
STEPS: Final = (0.01, 0.5, 0.01)
"""Model units, degrees and factor for each pixel that the mouse is dragged."""


class Placing:
    """The numbers that were given last; owner: a menu."""

    def __init__(self) -> None:
        self._offset, self._degrees, self._factors = [0.0] * 3, [0.0] * 3, [1.0] * 3

    @property
    def matrix(self) -> Matrix:
        """Scaling, then turning, then moving, shape (4, 4)."""
        matrix = rotation(self._degrees)
        matrix[:3, :3] = matrix[:3, :3] @ np.diag(self._factors)
        matrix[:3, 3] = self._offset
        return matrix

    def draw(self, *, can_scale: bool = True) -> Matrix | None:
        """Draw the fields inside an open menu; return the matrix when it is to be applied."""
        self._factors = self._factors if can_scale else [1.0] * 3
        for name, words, values, step, hint in (
            (
                "way",
                _("move by"),
                self._offset,
                STEPS[0],
                _("x, y, z in model units, in the space of the part"),
            ),
            ("degrees", _("turn by"), self._degrees, STEPS[1], _("degrees around x, then y, then z")),
            ("factors", _("scale by"), self._factors, STEPS[2], _("along x, y, z; below 0 mirrors")),
        ):
            if name == "factors" and not can_scale:
                continue
            imgui.set_next_item_width(theme.em(WIDTH))
            values[:] = imgui.drag_float3(labeled(words, name), values, step, 0.0, 0.0, "%.6g")[1]
            tooltip([hint, _("Drag, or double-click to type.")])
        is_possible = all(self._factors) and not np.array_equal(self.matrix, np.eye(4))
        is_applied = controls.button(_("Apply"), "apply_placing", is_enabled=is_possible)
        imgui.same_line()
        if controls.button(_("Reset"), "reset_placing"):
            self._offset, self._degrees, self._factors = [0.0] * 3, [0.0] * 3, [1.0] * 3
        return self.matrix if is_applied else None


def draw_row_menu(
    frame: UiContext,
    address: Address,
    kind: str,
    table: str,
    row: int,
    count: int,
    selected: Collection[int] = (),
) -> None:
    """Draw what can be done with a row, inside an open menu; nothing if the rows of the table are fixed.

    Parameters
    ----------
    kind
        The id of the kind of the payload.
    table
        Path of the table.
    count
        Number of its rows.
    selected
        The rows that are moved and removed with it.
    """
    allowed = row_tables.of(kind, table)
    if isinstance(allowed, str):
        return
    change = _chosen(allowed, table, row, count, sorted({row, *selected}))
    if change is not None:
        frame.later(frame.control.edits.edit, address, (change,))


def _chosen(allowed: RowTable, table: str, row: int, count: int, chosen: Sequence[int]) -> Change | None:
    """Draw the entries; return what was chosen."""
    imgui.separator()
    found: Change | None = None
    if allowed.can_grow:
        if controls.menu_item(_("Duplicate row"), "duplicate_row", icon=fa.ICON_FA_COPY):
            found = AddRows(table, row + 1, like=row)
        found = _new_row(allowed, table, row) or found
    rows, first, last = RowChoice.of(*chosen), chosen[0], chosen[-1]
    if controls.menu_item(_("Move up"), "move_row_up", icon=fa.ICON_FA_ARROW_UP, is_enabled=first > 0):
        found = MoveRows(table, rows, first - 1)
    is_last = last >= count - 1
    if controls.menu_item(
        _("Move down"), "move_row_down", icon=fa.ICON_FA_ARROW_DOWN, is_enabled=not is_last
    ):
        found = MoveRows(table, rows, last + 2)
    if allowed.can_grow and controls.menu_item(_("Remove row"), "remove_row", icon=fa.ICON_FA_TRASH):
        found = RemoveRows(table, rows)
    return found


def _new_row(allowed: RowTable, table: str, row: int) -> Change | None:
    """Draw the entry that adds a row with usual values; of some tables each kind of row has one."""
    words = _("Add row after")
    if not allowed.records:
        return AddRows(table, row + 1) if controls.menu_item(words, "add_row", icon=fa.ICON_FA_PLUS) else None
    found: Change | None = None
    if imgui.begin_menu(labeled(f"{fa.ICON_FA_PLUS}  {words}", "add_row")):
        found = _new_kind(allowed, table, row + 1)
        imgui.end_menu()
    return found


def _new_kind(allowed: RowTable, table: str, before: int) -> Change | None:
    """Draw an entry for each kind of row that a table may have; return what was chosen."""
    found: Change | None = None
    for record in allowed.records:
        if imgui.menu_item_simple(labeled(record.replace("_", " "), f"add_{record}")):
            found = AddRows(table, before, record=record)
    return found


def draw_new_rows(frame: UiContext, address: Address, kind: str, table: str, before: int) -> None:
    """Draw a button under which a kind of row is chosen, which is added before a row of a table."""
    allowed = row_tables.of(kind, table)
    if isinstance(allowed, str):
        return
    if imgui.small_button(labeled(f"{fa.ICON_FA_PLUS}  {_('Add')}", "new_rows")):
        imgui.open_popup("kinds")
    if imgui.begin_popup("kinds"):
        change = _new_kind(allowed, table, before)
        if change is not None:
            frame.later(frame.control.edits.edit, address, (change,))
        imgui.end_popup()
