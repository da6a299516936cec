"""The commands of an effect as a table: kind, time, resource, main numbers."""

from __future__ import annotations

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
from viewer.session.opened.opened_resource import OpenedResource
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.fields.resource_links import ResourceLinks, draw_target
from viewer.ui.fields.row_table import RowColumn, RowList
from viewer.ui.material.texture_viewer import draw_small_thumbnail
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import cell_text, counted, float_text
from viewer.ui.widgets.widgets import text, tooltip, wrapped

MAIN_NUMBERS: Final = 4
"""Fields of a command that its own line shows."""


class CommandView:
    """The commands of one effect."""

    id = "commands"
    title = _("Commands")

    def __init__(self) -> None:
        self._table = RowList("##commands")
        self._root: Part | None = None
        self._commands: Part | None = None
        self._orders: dict[str, Order] = {}

    def reveal(self, opened: OpenedResource, place: Place) -> bool:
        """Show the row of a place; tell whether it is one of a command."""
        self._show(opened)
        if place.table != fxid.COMMANDS or place.row is None or self._commands is None:
            return False
        self._table.reveal(self._commands, place.row, place.field)
        return True

    def draw(self, frame: UiContext, opened: OpenedResource, more: tuple[RowColumn, ...] = ()) -> None:
        """Draw what is known of the effect, then its commands, with `more` columns before the others."""
        self._show(opened)
        wrapped(header_text(opened.value), theme.DIM)
        if self._commands is None:
            return
        links = ResourceLinks(frame, opened.links, kind=opened.kind)
        self._table.draw(self._commands, (*more, *self._columns(frame, opened, self._commands)), links)

    def _show(self, opened: OpenedResource) -> None:
        if opened.parts is not self._root:
            self._root = opened.parts
            self._commands = find(opened.parts, fxid.COMMANDS) if opened.parts else None
            self._orders = order_of_parts(self._commands.children) if self._commands else {}

    def _columns(self, frame: UiContext, opened: OpenedResource, commands: Part) -> tuple[RowColumn, ...]:
        def draw_kind(row: int) -> None:
            command = commands.children[row]
            name = command.name
            text(_("{name}, on top", name=name) if is_on_top(command.rows) else name)

        def draw_time(row: int) -> None:
            words = time_text(COMMAND_KINDS[int(opened.value.opcodes[row])], commands.children[row].rows)
            text(words)

        def draw_resource(row: int) -> None:
            _draw_resource(frame, opened, commands.children[row], f"resource{row}")

        def draw_numbers(row: int) -> None:
            part = commands.children[row]
            words = numbers_text(COMMAND_KINDS[int(opened.value.opcodes[row])], self._orders, part.rows)
            text(words, theme.DIM)
            tooltip(words)

        return (
            RowColumn(_("Command"), 8.5, draw_kind),
            RowColumn(_("Time"), 6.5, draw_time),
            RowColumn(_("Resource"), 1, draw_resource, is_stretched=True),
            RowColumn(_("Main numbers"), 1.6, draw_numbers, is_stretched=True),
        )


def _draw_resource(frame: UiContext, opened: OpenedResource, command: Part, name: str) -> None:
    """Draw the resource of a command as a link, with a thumbnail if it is a material."""
    record, row = command.record, command.rows
    if record is None or not isinstance(row, np.void) or REFERENCE[1] not in (row.dtype.names or ()):
        return
    field = record.field(REFERENCE[1])
    target = opened.links.of_name(record, row, field)
    if target is None:
        return
    material = opened.materials.get(target.place.address) if target.place else None
    if material is not None:
        draw_small_thumbnail(frame, material.textures[0])
        imgui.same_line(0, theme.em(0.3))
    draw_target(frame, name, decode(until_nul(row[field.name].tobytes())), target)


def header_text(effect: fxid.Effect) -> str:
    """Return duration, source of the time and modes of an effect, as one line."""
    header = effect.header
    mode, flags = fxid.HEADER.field("time_mode"), fxid.HEADER.field("flags")
    parts = (
        counted(len(effect.opcodes), "{count} command", "{count} commands"),
        _("{seconds} s", seconds=float_text(header["duration"])),
        _("time: {mode}", mode=meaning(mode, header["time_mode"])),
        _("flags: {flags}", flags=meaning(flags, header["flags"])),
    )
    return "  ·  ".join(parts)


def is_on_top(row: Any) -> bool:
    """Tell whether a command is drawn over the scene while the tested point is in view."""
    return bool(int(row["word"]) & fxid.ON_TOP)


def time_text(kind: CommandKind, row: Any) -> str:
    """Return the times between which a command is active; empty if it has none."""
    if not kind.has_window:
        return ""
    start, end = (f"{row[name]:.4g}" for name in fxid.WINDOW)
    return _("{start} to {end}", start=start, end=end)


def numbers_text(kind: CommandKind, orders: dict[str, Order], row: Any) -> str:
    """Return the fields that tell a command from the others of its kind, besides those in other columns."""
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
