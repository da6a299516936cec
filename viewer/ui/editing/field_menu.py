"""The context menu of a field: bytes, copies, statistics, rows with the same value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from imgui_bundle import imgui
from msgspec.structs import replace

from viewer.formats.meaning import meaning
from viewer.formats.record import Field
from viewer.model.kinds.registry import MODEL, presumed_id
from viewer.model.references.values import steps_left_out
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.operations.corpus.collected import table_name
from viewer.session.byte_places import selection_of, spans_of
from viewer.session.field_text import cell_text
from viewer.session.view.state_link import StateLink
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.editing.editable_field import EditableField, Element
from viewer.ui.widgets.widgets import labeled


def draw_field_menu(
    frame: UiContext,
    address: Address,
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
    place = Place(address, table, row, field_path(field.name, element))
    draw_bytes_items(frame, place)
    _draw_copies(frame, place, field, value)
    name = f"{table_name(_kind_of(frame, address), steps_left_out(table))}.{field.name}"
    if imgui.menu_item_simple(labeled(_("Statistics of this field"), "field_statistics")):
        frame.later(frame.control.statistics.count_field, name)
    document = frame.document
    if document is None or document.address != address or table not in document.model.tables:
        return
    condition = condition_of(field, value, element)
    if condition and imgui.menu_item_simple(labeled(_("Filter table by this value"), "field_filter")):
        frame.later(frame.control.tables.filter, table, condition)


def _kind_of(frame: UiContext, address: Address) -> str:
    """The kind of a payload: of what is open, else of what its name says."""
    document, resource = frame.document, frame.state.resource
    if document is not None and document.address == address:
        return MODEL.id
    is_open = resource is not None and resource.address == address
    return resource.kind if resource is not None and is_open else presumed_id(address.name)


def draw_target_menu(frame: UiContext, target: EditableField, element: Element) -> None:
    """Draw the entries for an element of a field that can be set."""
    draw_field_menu(
        frame, target.address, target.table, target.rows.first, target.field, target.value, element
    )


def field_path(name: str, element: Sequence[int]) -> str:
    """Return how a place writes an element of a field: ``position[2]``."""
    return name + "".join(f"[{index}]" for index in element)


def draw_bytes_items(frame: UiContext, place: Place) -> None:
    """Draw what shows the bytes of a field, a row or a table, and what copies them."""
    if imgui.menu_item_simple(labeled(_("Show bytes"), "show_bytes")):
        frame.later(frame.control.panels.show_bytes, place)
    if imgui.menu_item_simple(labeled(_("Copy raw bytes"), "copy_raw")):
        payload = frame.lookups.payload(place.address)
        spans = [] if payload is None else spans_of(payload, place)
        stored = (bytes(payload.data[start : start + size]).hex(" ") for start, size in spans if payload)
        frame.later(frame.control.window.copy_text, "\n".join(stored))


def _draw_copies(frame: UiContext, place: Place, field: Field, value: Any) -> None:
    """Draw what copies the decoded value, the address, and the link to its row."""
    document = frame.document
    is_here = document is not None and document.address == place.address
    choices = document.choice.reading.choices if document is not None and is_here else ()
    copied = [
        ("copy_decoded", _("Copy decoded"), meaning(field, value, choices) or cell_text(field, value)),
        ("copy_address", _("Copy address"), str(place)),
    ]
    if document is not None and is_here:
        chosen = selection_of(document, place, frame.view.selection)
        view = frame.view if chosen is None else replace(frame.view, selection=chosen)
        copied.append(("copy_link", _("Copy state link"), str(StateLink.of(document, view))))
    for name, title, words in copied:
        if imgui.menu_item_simple(labeled(str(title), name)):
            frame.later(frame.control.window.copy_text, words)


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
