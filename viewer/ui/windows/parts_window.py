"""The window in which parts are tried on a unit: its sockets, the parts that fit, and saving the result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec import Struct

from viewer.formats.record import Rows
from viewer.formats.text import decode
from viewer.formats.units import ON_NODE
from viewer.model.game.sockets import FittingPart
from viewer.operations.units.tried_parts import TriedParts
from viewer.session.field_text import counted
from viewer.session.opened.assembled_unit import AssembledUnit
from viewer.session.opened.entry_list import BrowserEntry
from viewer.session.opened.opened_resource import OpenedResource
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.panels.entry_view import TALL, draw_two_lines
from viewer.ui.stage.units.unit_sheet_page import summary_lines
from viewer.ui.widgets import theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.floating import LARGEST_SHARE, Floating, answer
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import cut, empty, identified, labeled, readable, text, tooltip, wrapped

MODEL: Final = "msh"
SUFFIX: Final = ".dat"


class UnitSocket(Struct, frozen=True):
    """A socket of a unit with a tag.

    Attributes
    ----------
    parent, node
        The component on whose model it is, and the node; of a slot its number in that model's controller.
    name, tag
        What the node is called, and the beginning of the keys of the parts that it takes.
    component
        The component on it; None on a free one.
    """

    parent: int
    node: int
    name: str
    tag: str
    component: int | None = None


class PartsWindow(Floating):
    """Parts for the unit of the active tab; owner: the shell."""

    id = "try_on"
    title = _("Parts that fit")
    size = 44, 34

    def __init__(self) -> None:
        super().__init__()
        self._sockets = Cached(sockets_of)
        self._fitting: Cached[Sequence[FittingPart] | None] = Cached(_fitting)
        self._lines = Cached(summary_lines)
        self._chosen: tuple[object, ...] = ()

    def place(self) -> None:
        """Place the window at the right edge, so that the unit stays in view."""
        area, edge = imgui.get_main_viewport(), theme.em(0.5)
        most = area.work_size * LARGEST_SHARE
        size = ImVec2(min(theme.em(self.size[0]), most.x), min(theme.em(self.size[1]), most.y))
        end = area.work_pos + area.work_size
        # Below the tabs if there is room, so that the toolbar of the unit can be reached.
        top = min(area.work_pos.y + theme.em(7), end.y - size.y - edge)
        imgui.set_next_window_pos(ImVec2(end.x - size.x - edge, top), imgui.Cond_.appearing)
        imgui.set_next_window_size(size, imgui.Cond_.appearing)

    def draw(self, frame: UiContext) -> None:
        """Draw the window if it is open."""
        with self.window() as is_shown:
            opened = frame.state.resource
            if not is_shown:
                return
            if opened is None or opened.unit is None or opened.unit.game is None:
                empty(_("Open a unit of a game folder to try parts on it."))
                return
            self._draw_unit(frame, opened, opened.unit)

    def _draw_unit(self, frame: UiContext, opened: OpenedResource, unit: AssembledUnit) -> None:
        wrapped(_("A click on a part shows the unit with it. The file stays as it is."), theme.DIM)
        sockets = self._sockets.of((unit,), unit, opened.value.components)
        if not sockets:
            empty(_("No socket of this unit says which parts it takes."))
            return
        lines = self._lines.of((opened.sheet,), opened.sheet) if opened.sheet else []
        height = imgui.get_content_region_avail().y - imgui.get_frame_height_with_spacing() - theme.em(0.3)
        height -= imgui.get_text_line_height_with_spacing() * min(1, len(lines))
        chosen = next((it for it in sockets if _key(it) == self._chosen), sockets[0])
        if imgui.begin_child("sockets", ImVec2(imgui.get_content_region_avail().x * 0.42, height)):
            for row in rows_on_screen(len(sockets)):
                self._draw_socket(opened, unit, sockets[row], is_chosen=sockets[row] is chosen)
        imgui.end_child()
        imgui.same_line()
        if imgui.begin_child("fitting", ImVec2(0, height)):
            self._draw_fitting(frame, opened, unit, chosen)
        imgui.end_child()
        if lines:
            cut(lines[0], theme.DIM)
            tooltip(lines)
        _draw_buttons(frame, opened)

    def _draw_socket(
        self, opened: OpenedResource, unit: AssembledUnit, socket: UnitSocket, *, is_chosen: bool
    ) -> None:
        """Draw a socket: what is on it, above where it is and what it takes."""
        component = socket.component
        part = None if component is None else unit.parts[component]
        is_tried = component is not None and (
            component in opened.tried.replaced or component >= len(opened.value.components)
        )
        words = str(_("free")) if part is None else part.called or part.key
        corner, line = imgui.get_cursor_screen_pos(), imgui.get_text_line_height()
        with identified("_".join(map(str, _key(socket)))):
            if imgui.selectable("###socket", is_chosen, size=ImVec2(0, 2 * line + theme.em(0.3)))[0]:
                self._chosen = _key(socket)
        tooltip([_("the socket accepts {label}", label=socket.tag), *([part.key] if part else [])])
        paper, above = imgui.get_window_draw_list(), opened.component_name(socket.parent)
        color = theme.WARNING if is_tried else theme.DIM if part is None else theme.TEXT
        left, top = corner.x + theme.em(0.3), corner.y + theme.em(0.15)
        paper.add_text(ImVec2(left, top), theme.packed(color), readable(words))
        where = readable(f"{above}  {socket.name}  {socket.tag}")
        paper.add_text(ImVec2(left, top + line), theme.packed(theme.DIM), where)

    def _draw_fitting(
        self, frame: UiContext, opened: OpenedResource, unit: AssembledUnit, socket: UnitSocket
    ) -> None:
        """Draw the parts that fit a socket; a click tries one on."""
        found = self._fitting.of((unit.game, opened.address, socket.tag), frame, opened, socket.tag) or ()
        words = counted(len(found), "{count} part of the registry fits", "{count} parts of the registry fit")
        text(f"{socket.tag}:  {words}", theme.DIM)
        key = None if socket.component is None else unit.parts[socket.component].key
        first = _("free") if _is_free_in_file(opened, socket) else _("as in the file")
        is_as_in_file = _tried_key(opened, socket) is None
        icon = f"{fa.ICON_FA_ROTATE_LEFT}  {first}"
        if imgui.selectable(labeled(icon, "as_in_file"), is_as_in_file)[0] and not is_as_in_file:
            _try(frame, opened, socket, None)
        for number in rows_on_screen(len(found)):
            part = found[number]
            is_on = key is not None and part.key.casefold() == key.casefold()
            if self._draw_part(frame, part, is_on=is_on) and not is_on:
                _try(frame, opened, socket, part.key)

    def _draw_part(self, frame: UiContext, part: FittingPart, *, is_on: bool) -> bool:
        """Draw the picture and the names of a part; tell whether it was clicked."""
        corner = imgui.get_cursor_screen_pos()
        height = theme.em(TALL) + theme.em(0.4)
        label, size = labeled("", f"part_{part.key}"), ImVec2(0, height)
        is_clicked = bool(imgui.selectable(label, is_on, size=size)[0])
        thumbnail = None
        if part.model is not None:
            thumbnail = frame.lookups.thumbnail(
                BrowserEntry(part.model, part.model.name, MODEL), theme.em(TALL)
            )
        tooltip(lambda: [part.called or part.key, part.reason, str(part.model or _("no model"))])
        archive = part.model.path.name if part.model else _("no model")
        color = theme.TEXT if part.model else theme.FAINT
        place = ImVec2(corner.x, corner.y + theme.em(0.2))
        facts = readable(f"{part.key}  {archive}" if part.called else archive)
        draw_two_lines(place, fa.ICON_FA_CUBE, readable(part.called or part.key), facts, thumbnail, color)
        return is_clicked


def sockets_of(unit: AssembledUnit, components: Rows) -> list[UnitSocket]:
    """The sockets of the models of a unit that have a tag, and the filled slots of their controllers.

    `components` are those of the file: what hangs on parts that are tried on free sockets has no place in it
    before they are saved. A free slot is left out, as the class of what fits there is not known.
    """
    slots = {it.component: it for it in _slots(unit, components)}
    on = {(it.parent, it.socket): it.component for it in unit.parts if it.component not in slots}
    found: list[UnitSocket] = []
    for component, document in sorted(unit.documents.items()):
        for node, tag in enumerate(document.socket_tags if component < len(components) else ()):
            if tag:
                name = document.names[node] if node < len(document.names) else ""
                found.append(UnitSocket(component, node, name, tag, on.get((component, node))))
    return [*found, *slots.values()]


def _slots(unit: AssembledUnit, components: Rows) -> Iterator[UnitSocket]:
    """The slots of controllers with a label that components of the file fill: internal parts and clips."""
    for part in unit.parts[: len(components)]:
        document, row = unit.documents.get(part.parent), components[part.component]
        number = int(row["attachment"])
        slots = document.controller.components if document else ()
        if int(row["class_id"]) not in ON_NODE and 0 <= number < len(slots) and slots[number].label:
            label = decode(slots[number].label or b"")
            yield UnitSocket(part.parent, number, str(_("slot {node}", node=number)), label, part.component)


def _key(socket: UnitSocket) -> tuple[object, ...]:
    """Identity of a socket while parts are tried on: a slot may have the number of a node."""
    return socket.parent, socket.node, socket.name


def _fitting(frame: UiContext, opened: OpenedResource, tag: str) -> Sequence[FittingPart] | None:
    return frame.lookups.fitting(opened.address, tag)


def _is_free_in_file(opened: OpenedResource, socket: UnitSocket) -> bool:
    return socket.component is None or socket.component >= len(opened.value.components)


def _tried_key(opened: OpenedResource, socket: UnitSocket) -> str | None:
    """The key that is tried on a socket; None for what the file has there."""
    if not _is_free_in_file(opened, socket):
        return opened.tried.replaced.get(socket.component or 0)
    places = {(it.parent, it.socket): it.key for it in opened.tried.added}
    return places.get((socket.parent, socket.node))


def _try(frame: UiContext, opened: OpenedResource, socket: UnitSocket, key: str | None) -> None:
    tried: TriedParts
    if _is_free_in_file(opened, socket):
        tried = opened.tried.with_added(socket.parent, socket.node, key)
    else:
        tried = opened.tried.with_key(socket.component or 0, key)
    frame.later(frame.control.parts.try_on, tried)


def _draw_buttons(frame: UiContext, opened: OpenedResource) -> None:
    is_tried = bool(opened.tried)
    hint = _("As a new unit file; the open one stays as it is")
    if answer(_("Save as a new unit…"), "save_unit", hint, is_enabled=is_tried, is_main=True):
        frame.later(
            frame.control.dialogs.choose_new,
            _("Save as a new unit"),
            f"{opened.address.name.rpartition('.')[0] or opened.address.name}_2{SUFFIX}",
            partial(frame.control.parts.save, opened),
            opened.address.path.parent,
        )
    if answer(_("Take all back"), "take_back", is_enabled=is_tried):
        frame.later(frame.control.parts.take_off)
