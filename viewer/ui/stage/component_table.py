"""The components of a controller: class, node, channels, what they do, and what fits their slots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from imgui_bundle import ImVec2, imgui

from viewer.formats.neighbors.component import MAST, ControllerComponent
from viewer.formats.text import decode, until_nul
from viewer.model.store.place import Place
from viewer.session.field_text import counted
from viewer.session.opened.opened_resource import OpenedResource
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.fields.resource_links import draw_link
from viewer.ui.timeline.component_names import component_title, motion_text
from viewer.ui.timeline.machinery_fields import OPEN_MAST
from viewer.ui.widgets import theme
from viewer.ui.widgets.table_grid import LIST, rows_on_screen, set_up_columns
from viewer.ui.widgets.widgets import text, tooltip

LINES: Final = 8
"""Lines of components that are seen at once; the others are scrolled to."""
MOST_NAMED: Final = 12
"""Objects that fit a slot that are named."""


def draw_components(
    frame: UiContext, opened: OpenedResource, components: Sequence[ControllerComponent]
) -> None:
    """Draw a table of components."""
    text(counted(len(components), "{count} component", "{count} components"), theme.DIM)
    height = (min(len(components), LINES) + 1) * imgui.get_text_line_height_with_spacing() + theme.em(0.6)
    if not imgui.begin_table("##components", 6, LIST, ImVec2(0, height)):
        return
    titles = (_("Component"), _("Node"), _("Channels"), _("Moves"), _("Slot for"), _("Emits"))
    set_up_columns(dict.fromkeys(titles, 0), has_headers=True)
    for line in rows_on_screen(len(components)):
        imgui.table_next_row()
        _draw_row(frame, opened, line, components[line])
    imgui.end_table()


def _draw_row(frame: UiContext, opened: OpenedResource, row: int, it: ControllerComponent) -> None:
    imgui.table_next_column()
    text(component_title(it))
    tooltip(partial(_hints, row, it))
    imgui.table_next_column()
    names = opened.node_names
    words = (names[it.node] if 0 <= it.node < len(names) else "") or _("node {node}", node=it.node)
    if opened.links.model and it.node >= 0:
        draw_link(frame, f"on{row}", words, Place(opened.links.model, "nodes", it.node))
    else:
        text(words, theme.DIM)
    imgui.table_next_column()
    text(", ".join(map(str, it.channels)), theme.DIM)
    imgui.table_next_column()
    text(motion_text(it), theme.TEXT if it.turns else theme.DIM)
    if it.number == MAST and it.turns:
        imgui.same_line(0, theme.em(0.5))
        text(_("open"), theme.FAINT)
        tooltip(str(OPEN_MAST))
    imgui.table_next_column()
    if it.label:
        fits = opened.fitting.get(it.label, ())
        text(decode(it.label))
        tooltip(partial(_fitting_hints, fits))
    imgui.table_next_column()
    text(decode(until_nul(it.header["name"].tobytes())), theme.DIM)


def _hints(row: int, it: ControllerComponent) -> Iterator[str]:
    yield _("Component {row}, class {number}", row=row, number=it.number)
    yield _("power {power:g}", power=float(it.header["power"]))
    values = [f"{value:g}" for value in it.header["values"].tolist()]
    while values and values[-1] == "0":
        values.pop()
    if values:
        yield _("values {values}", values=", ".join(values))


def _fitting_hints(fits: Sequence[str]) -> Iterator[str]:
    yield counted(len(fits), "{count} object of the registry fits", "{count} objects of the registry fit")
    if fits:
        more = "" if len(fits) <= MOST_NAMED else ", ..."
        yield ", ".join(fits[:MOST_NAMED]) + more
