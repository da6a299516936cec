"""The header of an effect, and its blocks as a table: kind, time, resource, main numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

import numpy as np
from imgui_bundle import imgui

from viewer.formats import fxid
from viewer.formats.fxid import COMMAND_KINDS, REFERENCE, CommandKind
from viewer.formats.meaning import meaning
from viewer.formats.part import Part, find
from viewer.formats.record import Field
from viewer.formats.text import decode, until_nul
from viewer.model.kinds.columns import Order, order_of_parts
from viewer.model.store.place import Place
from viewer.session.field_text import cell_text
from viewer.session.opened.opened_resource import OpenedResource
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.editing.field_editor import FieldEditor
from viewer.ui.fields.part_rows import PartRow, children_of
from viewer.ui.fields.part_tree import explanation
from viewer.ui.fields.resource_links import ResourceLinks
from viewer.ui.fields.row_table import RowColumn, RowList
from viewer.ui.material.texture_viewer import draw_small_thumbnail
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import identified, text, tooltip

MAIN_NUMBERS: Final = 4
"""Fields of a block that its own line shows."""
LEFT_OUT: Final = frozenset({"command_count"})
"""Fields of the header that are not shown above the blocks."""


class CommandView:
    """The header and the blocks of one effect."""

    id = "commands"
    title = _("Blocks")

    def __init__(self) -> None:
        self._table = RowList("##commands")
        self._editor = FieldEditor()
        self._root: Part | None = None
        self._header: tuple[PartRow, ...] = ()
        self._commands: Part | None = None
        self._orders: dict[str, Order] = {}

    def reveal(self, opened: OpenedResource, place: Place) -> bool:
        """Show the row of a place; tell whether it is one of a command."""
        self._show(opened)
        if place.table != fxid.COMMANDS or place.row is None or self._commands is None:
            return False
        self._table.reveal(self._commands, place.row, place.field)
        return True

    def draw(
        self,
        frame: UiContext,
        opened: OpenedResource,
        more: tuple[RowColumn, ...] = (),
        selected: int | None = None,
    ) -> int | None:
        """Draw the fields of the header, then the blocks, with `more` columns before the others.

        Returns the block that was clicked in this frame, or None.
        """
        self._show(opened)
        if self._commands is None:
            return None
        links = ResourceLinks(frame, opened.links, kind=opened.kind)
        links.draw_new_rows(fxid.COMMANDS, self._commands.count)
        _draw_fields(self._header, links.edited_by(self._editor))
        columns = (*more, *self._columns(frame, opened, self._commands, links.edited_by(self._editor)))
        return self._table.draw(self._commands, columns, links, selected=selected)

    def _show(self, opened: OpenedResource) -> None:
        if opened.parts is not self._root:
            self._root = opened.parts
            self._commands = find(opened.parts, fxid.COMMANDS) if opened.parts else None
            self._orders = order_of_parts(self._commands.children) if self._commands else {}
            header = find(opened.parts, fxid.HEADER.name) if opened.parts else None
            lines = children_of(PartRow(fxid.HEADER.name, "", header)) if header else []
            self._header = tuple(it for it in lines if it.name not in LEFT_OUT)

    def _columns(
        self, frame: UiContext, opened: OpenedResource, commands: Part, links: ResourceLinks
    ) -> tuple[RowColumn, ...]:
        def draw_kind(row: int) -> None:
            command = commands.children[row]
            name = translated(command.name)
            text(_("{name}, on top", name=name) if is_on_top(command.rows) else name)

        def draw_time(row: int) -> None:
            words = time_text(COMMAND_KINDS[int(opened.value.opcodes[row])], commands.children[row].rows)
            text(words)

        def draw_resource(row: int) -> None:
            _draw_resource(frame, opened, row, commands.children[row], links)

        def draw_numbers(row: int) -> None:
            part = commands.children[row]
            words = numbers_text(COMMAND_KINDS[int(opened.value.opcodes[row])], self._orders, part.rows)
            text(words, theme.DIM)
            tooltip(words)

        return (
            RowColumn(_("Block"), 8.5, draw_kind),
            RowColumn(_("Time"), 6.5, draw_time),
            RowColumn(_("Resource"), 1, draw_resource, is_stretched=True),
            RowColumn(_("Main numbers"), 1.6, draw_numbers, is_stretched=True),
        )


def _draw_resource(
    frame: UiContext, opened: OpenedResource, row: int, command: Part, links: ResourceLinks
) -> None:
    """Draw the resource of a block as a link with a list of others, after a thumbnail of a material."""
    record, values = command.record, command.rows
    if record is None or not isinstance(values, np.void) or REFERENCE[1] not in (values.dtype.names or ()):
        return
    field = record.field(REFERENCE[1])
    name = decode(until_nul(values[field.name].tobytes()))
    if not name and not COMMAND_KINDS[int(opened.value.opcodes[row])].needs_reference:
        return
    target = opened.links.of_name(record, values, field)
    material = opened.materials.get(target.place.address) if target is not None and target.place else None
    if material is not None:
        draw_small_thumbnail(frame, material.textures[0])
        imgui.same_line(0, theme.em(0.3))
    line = PartRow(f"{fxid.COMMANDS}[{row}].{field.name}", field.name, command, field=field)
    links.draw_field(line, name or _("none"), theme.TEXT if name else theme.FAINT)


def _draw_fields(lines: Sequence[PartRow], links: ResourceLinks) -> None:
    """Draw fields with their values, which can be changed, after the last item and below it, as in a text."""
    right = imgui.get_cursor_screen_pos().x + imgui.get_content_region_avail().x
    for line in lines:
        words = (meaning(line.field, line.value) or translated(line.field.unit or "")) if line.field else ""
        width = sum(imgui.calc_text_size(it).x for it in (line.name, line.text, words)) + theme.em(1.5)
        imgui.same_line(0, theme.em(1.4))
        if imgui.get_cursor_screen_pos().x + width > right:
            imgui.new_line()
        text(line.name, theme.DIM)
        tooltip(explanation(line))
        imgui.same_line(0, theme.em(0.4))
        with identified(line.name):
            links.draw_field(line, line.text, theme.TEXT)
        if words:
            imgui.same_line(0, theme.em(0.4))
            text(words, theme.DIM)


def is_on_top(row: Any) -> bool:
    """Tell whether a block is drawn over the scene while the tested point is in view."""
    return bool(int(row["word"]) & fxid.ON_TOP)


def time_text(kind: CommandKind, row: Any) -> str:
    """Return the times between which a block is active; empty if it has none."""
    if not kind.has_window:
        return ""
    start, end = (f"{row[name]:.4g}" for name in fxid.WINDOW)
    return _("{start} to {end}", start=start, end=end)


def numbers_text(kind: CommandKind, orders: dict[str, Order], row: Any) -> str:
    """Return the fields that tell a block from the others of its kind, besides those in other columns."""
    shown = {"word", *REFERENCE, *fxid.WINDOW}
    others = (field for field in orders.get(kind.name, ()) if field.name not in shown)
    return "   ".join(
        f"{field.name} {_rounded(field, row[field.name])}" for field in islice(others, MAIN_NUMBERS)
    )


def _rounded(field: Field, value: Any) -> str:
    """A value in few digits; the fields have all of them."""
    if not field.is_float:
        return cell_text(field, value)
    return ", ".join(f"{number:.4g}" for number in np.asarray(value).ravel().tolist())
