"""The entries of context menus that add, remove and move rows of a table."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.model.edit.change import Change
from viewer.model.edit.row_choice import RowChoice
from viewer.model.edit.rows import row_tables
from viewer.model.edit.rows.row_changes import AddRows, MoveRows, RemoveRows
from viewer.model.edit.rows.row_tables import RowTable
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.widgets.widgets import labeled


def draw_row_menu(
    frame: UiContext,
    address: str,
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
        frame.commands.edits.edit(address, (change,))


def _chosen(allowed: RowTable, table: str, row: int, count: int, chosen: Sequence[int]) -> Change | None:
    """Draw the entries; return what was chosen."""
    imgui.separator()
    found: Change | None = None
    if allowed.can_grow:
        if _entry(fa.ICON_FA_COPY, _("Duplicate row"), "duplicate_row"):
            found = AddRows(table, row + 1, like=row)
        found = _new_row(allowed, table, row) or found
    rows, first, last = RowChoice.of(*chosen), chosen[0], chosen[-1]
    if _entry(fa.ICON_FA_ARROW_UP, _("Move up"), "move_row_up", is_enabled=first > 0):
        found = MoveRows(table, rows, first - 1)
    if _entry(fa.ICON_FA_ARROW_DOWN, _("Move down"), "move_row_down", is_enabled=last < count - 1):
        found = MoveRows(table, rows, last + 2)
    if allowed.can_grow and _entry(fa.ICON_FA_TRASH, _("Remove row"), "remove_row"):
        found = RemoveRows(table, rows)
    return found


def _new_row(allowed: RowTable, table: str, row: int) -> Change | None:
    """Draw the entry that adds a row with usual values; of some tables each kind of row has one."""
    words = _("Add row after")
    if not allowed.records:
        return AddRows(table, row + 1) if _entry(fa.ICON_FA_PLUS, words, "add_row") else None
    found: Change | None = None
    if imgui.begin_menu(labeled(f"{fa.ICON_FA_PLUS}  {words}", "add_row")):
        for record in allowed.records:
            if imgui.menu_item_simple(labeled(record.replace("_", " "), f"add_{record}")):
                found = AddRows(table, row + 1, record=record)
        imgui.end_menu()
    return found


def _entry(icon: str, words: str, name: str, *, is_enabled: bool = True) -> bool:
    return imgui.menu_item(labeled(f"{icon}  {words}", name), "", False, is_enabled)[0]
