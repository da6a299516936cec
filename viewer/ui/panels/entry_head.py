"""Above the rows of the browser: how many entries the filter has found, and the order."""

from __future__ import annotations

from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.model.query.name_filter import NameFilter
from viewer.session.opened.arrangement import Arrangement
from viewer.session.opened.entry_list import EntryOrder
from viewer.translation import Message, _
from viewer.ui.context import UiContext
from viewer.ui.widgets.field_text import counted
from viewer.ui.widgets.widgets import icon_button, labeled

ORDERS: Final = {
    EntryOrder.FILE: (fa.ICON_FA_ARROW_DOWN_1_9, Message("Order in the file")),
    EntryOrder.NAME: (fa.ICON_FA_ARROW_DOWN_A_Z, Message("Name")),
    EntryOrder.KIND: (fa.ICON_FA_SHAPES, Message("Kind")),
    EntryOrder.SIZE: (fa.ICON_FA_ARROW_DOWN_WIDE_SHORT, Message("Size, largest first")),
}
_POPUP: Final = "orders"


def hits_text(found: Arrangement, requested: NameFilter) -> str:
    """Return the number of hits, and what is still to be read."""
    if found.requested != requested:
        return _("searching…")
    hits = counted(found.hits, "{count} hit", "{count} hits")
    if not found.unread:
        return hits if not found.has_more else _("{hits}; not everything was read").format(hits=hits)
    if found.read < found.total:
        reading = _("reading {read} of {total} archives…").format(read=found.read + 1, total=found.total)
    else:
        reading = _("reading folders…")
    return f"{hits}, {reading}"


def no_hits_text(found: Arrangement) -> str:
    """Return what is shown instead of rows."""
    if found.unread or found.requested.is_empty:
        return _("Nothing found yet.")
    if found.has_more:
        return _("No entry that was read has such a name.")
    return _("No entry has such a name.")


def draw_order(frame: UiContext) -> None:
    """Draw the button that opens the choice of the order."""
    current = EntryOrder(frame.state.settings.entry_order)
    icon, title = ORDERS[current]
    hint = _("Order of the entries: {order}").format(order=title)
    if icon_button(icon, "entry_order", hint, is_on=current is not EntryOrder.FILE):
        imgui.open_popup(_POPUP)
    if imgui.begin_popup(_POPUP):
        for order, (icon, title) in ORDERS.items():
            label = labeled(f"{icon}  {title}", f"order_{order.value}")
            if imgui.menu_item(label, "", order is current)[0]:
                frame.commands.browser.sort(order)
        imgui.end_popup()
