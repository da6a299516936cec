"""What the context menu of every field offers: statistics of the field, and rows with the same value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from imgui_bundle import imgui

from viewer.formats.record import Field
from viewer.model.references.values import steps_left_out
from viewer.model.store.place import Place
from viewer.session.byte_places import spans_of
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.editing.edit_spot import EditSpot, Element
from viewer.ui.widgets.widgets import labeled


def draw_field_menu(
    frame: UiContext,
    address: str,
    table: str,
    row: int | None,
    field: Field,
    value: Any,
    element: Sequence[int] = (),
) -> None:
    """Draw the entries inside an open menu.

    Parameters
    ----------
    address, table, row
        The payload, the path of the table or record in it, and the row of a table.
    value
        The stored value of the field.
    element
        The element of an array that is pointed at.
    """
    _draw_bytes(frame, Place(address, table, row, field_path(field.name, element)))
    name = f"{steps_left_out(table)}.{field.name}"
    if imgui.menu_item_simple(labeled(_("Statistics of this field"), "field_statistics")):
        frame.commands.statistics.count_field(name)
    document = frame.document
    if document is None or document.address != address or table not in document.model.tables:
        return
    condition = condition_of(field, value, element)
    if condition and imgui.menu_item_simple(labeled(_("Filter table by this value"), "field_filter")):
        frame.commands.tables.filter(table, condition)


def draw_spot_menu(frame: UiContext, spot: EditSpot, element: Element) -> None:
    """Draw the entries for an element of a field that can be set."""
    draw_field_menu(frame, spot.address, spot.table, spot.rows.first, spot.field, spot.value, element)


def field_path(name: str, element: Sequence[int]) -> str:
    """Return how a place writes an element of a field: ``position[2]``."""
    return name + "".join(f"[{index}]" for index in element)


def _draw_bytes(frame: UiContext, place: Place) -> None:
    """Draw what shows the bytes of a field, and what copies them."""
    if imgui.menu_item_simple(labeled(_("Show bytes"), "show_bytes")):
        frame.commands.panels.show_bytes(place)
    if imgui.menu_item_simple(labeled(_("Copy raw bytes"), "copy_raw")):
        payload = frame.lookups.payload(place.address)
        spans = [] if payload is None else spans_of(payload, place)
        stored = (bytes(payload.data[start : start + size]).hex(" ") for start, size in spans if payload)
        frame.commands.window.copy_text("\n".join(stored))


def condition_of(field: Field, value: Any, element: Sequence[int] = ()) -> str:
    """The condition that rows with the value of an element fulfill; empty if there is none to write."""
    found = np.asarray(value)[tuple(element)] if element else np.asarray(value)
    if found.ndim or found.dtype.kind not in "iuf":
        return ""
    path = field_path(field.name, element)
    if field.none is not None and found == field.none:
        return f"{path} = none"
    words = str(np.float32(found)) if found.dtype.kind == "f" else str(found)
    return f"{path} = {words}"
