"""What the context menu of every field offers: statistics of the field, and rows with the same value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from imgui_bundle import imgui

from viewer.formats.record import Field
from viewer.model.references.values import steps_left_out
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.widgets.widgets import labeled


def draw_field_menu(
    frame: UiContext, address: str, table: str, field: Field, value: Any, element: Sequence[int] = ()
) -> None:
    """Draw the entries inside an open menu.

    Parameters
    ----------
    address, table
        The payload, and the path of the table or record in it.
    value
        The stored value of the field.
    element
        The element of an array that is pointed at.
    """
    name = f"{steps_left_out(table)}.{field.name}"
    if imgui.menu_item_simple(labeled(_("Statistics of this field"), "field_statistics")):
        frame.commands.statistics.count_field(name)
    document = frame.document
    if document is None or document.address != address or table not in document.model.tables:
        return
    condition = condition_of(field, value, element)
    if condition and imgui.menu_item_simple(labeled(_("Filter table by this value"), "field_filter")):
        frame.commands.tables.filter(table, condition)


def condition_of(field: Field, value: Any, element: Sequence[int] = ()) -> str:
    """The condition that rows with the value of an element fulfill; empty if there is none to write."""
    found = np.asarray(value)[tuple(element)] if element else np.asarray(value)
    if found.ndim or found.dtype.kind not in "iuf":
        return ""
    path = field.name + "".join(f"[{index}]" for index in element)
    if field.none is not None and found == field.none:
        return f"{path} = none"
    words = str(np.float32(found)) if found.dtype.kind == "f" else str(found)
    return f"{path} = {words}"
