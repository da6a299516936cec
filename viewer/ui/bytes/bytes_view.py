"""A payload as bytes: hex by field, values at the cursor, search, bookmarks, overwriting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec.structs import replace

from viewer.diagnostics import Diagnostic
from viewer.model.edit.set_bytes import SetBytes
from viewer.model.query.byte_search import ByteQuery, FoundBytes, Sought
from viewer.model.references.byte_fields import Span
from viewer.model.store.address import Address
from viewer.model.store.place import BYTES, Place
from viewer.session.byte_places import selection_of, spans_of, spans_of_selection
from viewer.session.field_text import cell_text
from viewer.session.opened.payload_bytes import Bookmark, PayloadBytes
from viewer.session.selection import Selection
from viewer.translation import _, count_text, translated
from viewer.ui.bytes.hex_grid import CHANGED, DAMAGED, FOUND, MARKED, HexGrid, HexInput, HexRows
from viewer.ui.bytes.value_sheet import ValueSheet, draw_legend
from viewer.ui.context import UiContext
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.input.filter_field import FilterField
from viewer.ui.widgets.widgets import (
    cut,
    empty,
    ghost_button,
    icon_button,
    identified,
    labeled,
    readable,
    text,
    tooltip,
)

MENU: Final = "bytes_menu"
VALUES, LEGEND, LEAST_HEX = 17.0, 12.0, 22.0
"""Least width of the values, of the legend, and of the bytes next to them, font heights."""
_WHOLE_VALUES, _ROW = 28.0, 40.0
"""Width of the values in which 64-bit numbers are not cut, and of 16 bytes in a row, font heights."""
_BUTTONS: Final = 20.0
"""Width of what follows the search, font heights."""
_CTRL_C: Final = int(imgui.Key.mod_ctrl) | int(imgui.Key.c)
BOOKMARKS: Final = "bookmarks"
_NAME: Final = 14.0
"""Width of the name of a bookmark, font heights."""


class BookmarkList:
    """Draws the bookmarks; owner: a view."""

    def add(self, frame: UiContext, address: Address, offset: int, name: str) -> None:
        """Add a bookmark, or give the one at its offset another name."""
        others = (it for it in frame.state.settings.bookmarks_of(address) if it.offset != offset)
        frame.later(
            frame.control.settings.keep_bookmarks, address, tuple(sorted((*others, Bookmark(offset, name))))
        )

    def draw(self, frame: UiContext, address: Address, cursor: int, size: int) -> int | None:
        """Draw the button and its list; return the offset to go to."""
        if icon_button(fa.ICON_FA_BOOKMARK, "bookmarks", _("Bookmarks")):
            imgui.open_popup(BOOKMARKS)
        if not imgui.begin_popup(BOOKMARKS):
            return None
        if imgui.menu_item_simple(labeled(_("Add bookmark at 0x{offset:X}", offset=cursor), "add")):
            self.add(frame, address, cursor, "")
        asked = None
        for bookmark in frame.state.settings.bookmarks_of(address):
            with identified(f"{bookmark.offset}"):
                if self._draw_one(frame, address, bookmark) and bookmark.offset < size:
                    asked = bookmark.offset
                    imgui.close_current_popup()
        imgui.end_popup()
        return asked

    def _draw_one(self, frame: UiContext, address: Address, bookmark: Bookmark) -> bool:
        """Draw the line of a bookmark; tell whether it is to be shown."""
        is_asked = bool(imgui.text_link(labeled(f"0x{bookmark.offset:X}", "to")))
        imgui.same_line(theme.em(6))
        imgui.set_next_item_width(theme.em(_NAME))
        _changed, name = imgui.input_text("##name", bookmark.name)
        if imgui.is_item_deactivated_after_edit():
            self.add(frame, address, bookmark.offset, name)
        imgui.same_line()
        if ghost_button(fa.ICON_FA_XMARK, "remove", _("Remove"), theme.DIM):
            kept = frame.state.settings.bookmarks_of(address)
            frame.later(
                frame.control.settings.keep_bookmarks, address, tuple(it for it in kept if it != bookmark)
            )
        return is_asked


class BytesView:
    """The bytes at an address, or the file that it lies in; owner: a panel or a page."""

    def __init__(self) -> None:
        self._grids = {False: HexGrid(), True: HexGrid()}
        self._is_file = False
        self._search, self._values, self._bookmarks = SearchBar(), ValueSheet(), BookmarkList()
        self._place: Place | None = None
        self._asked: Place | None = None
        self._followed: Place | None = None
        self._seen: Selection | None = None
        self._own: Selection | None = None
        self._gesture = 0
        self._has_values = True
        self._marks = Cached(_marked)
        self._damaged = Cached(lambda payload, findings: payload.of_findings(findings))

    def reveal(self, place: Place) -> None:
        """Mark the bytes of a place, and bring them into view in the next frame."""
        self._asked = place

    def draw(self, frame: UiContext, address: Address, findings: tuple[Diagnostic, ...] = ()) -> None:
        """Draw the bytes at an address of what the active tab shows.

        Parameters
        ----------
        findings
            What is wrong with the payload; the bytes of rows and fields are underlined.
        """
        payload = frame.lookups.payload(address)
        whole = payload if payload is None or payload.base is None else frame.lookups.payload(payload.file)
        if payload is None:
            empty(_("Its bytes cannot be read."))
            return
        has_file = whole is not None and whole.address != payload.address
        is_file = self._is_file and has_file
        shown = whole if is_file and whole is not None else payload
        if not len(shown.data):
            empty(_("It has no bytes."))
            return
        grid, base = self._grids[is_file], (payload.base or 0) if is_file else 0
        marks = self._follow(frame, payload, grid, base)
        found = self._draw_bar(frame, shown, grid, has_file=has_file)
        if found is not None:
            grid.reveal(found)
        damaged = self._damaged.of((payload, findings), payload, findings)
        changed = frame.lookups.changed(shown.address).spans
        rows = HexRows(
            shown.data,
            shown.fields.shades,
            None if is_file else payload.base,
            (
                (MARKED, [(start + base, size) for start, size in marks]),
                (FOUND, self._found_on_screen(grid)),
                (CHANGED, changed),
                (DAMAGED, [(start + base, size) for start, size in damaged]),
            ),
            frozenset(it.offset for it in frame.state.settings.bookmarks_of(shown.address)),
        )
        self._draw_location(frame, shown, grid)
        done = self._draw_body(shown, grid, rows)
        self._take_input(frame, shown, grid, done)

    def _follow(self, frame: UiContext, payload: PayloadBytes, grid: HexGrid, base: int) -> Sequence[Span]:
        """The bytes of what was selected, followed or shown last, brought into view when they change."""
        selection, is_news = frame.view.selection, False
        if selection != self._seen:
            is_news = self._seen is not None and selection != self._own
            self._seen, self._place = selection, None
        followed = frame.state.reveal
        if followed is not self._followed:
            self._followed = followed
            if followed is not None and spans_of(payload, followed):
                self._asked = self._asked or followed
        if self._asked is not None:
            self._place, self._asked, is_news = self._asked, None, True
        made_of = payload, selection, self._place
        marks: Sequence[Span] = self._marks.of(made_of, frame, payload, self._place)
        if is_news and marks:
            grid.reveal(marks[0][0] + base)
        return marks

    def _found_on_screen(self, grid: HexGrid) -> Sequence[Span]:
        found, (start, end) = self._search.found, grid.on_screen
        if found is None:
            return ()
        first, last = found.offsets.searchsorted([start - found.size + 1, end]).tolist()
        return [(offset, found.size) for offset in found.offsets[first:last].tolist()]

    def _draw_bar(
        self, frame: UiContext, shown: PayloadBytes, grid: HexGrid, *, has_file: bool
    ) -> int | None:
        """Draw the switches, the search and the bookmarks; return the offset to go to."""
        if has_file:
            for is_file, title in ((False, _("Entry")), (True, _("File"))):
                if controls.radio_button(title, f"is_file{is_file}", is_on=self._is_file is is_file):
                    self._is_file = is_file
                imgui.same_line()
        if icon_button(
            fa.ICON_FA_PEN,
            "overwrite",
            _("Overwrite bytes with hexadecimal digits typed at the cursor"),
            is_on=grid.is_editing,
        ):
            grid.is_editing ^= True
        imgui.same_line()
        if icon_button(
            fa.ICON_FA_CALCULATOR,
            "show_values",
            _("Values at the cursor and the colors of fields, if there is room"),
            is_on=self._has_values,
        ):
            self._has_values ^= True
        imgui.same_line()
        booked = self._bookmarks.draw(frame, shown.address, grid.cursor, len(shown.data))
        imgui.same_line()
        found = self._search.draw(frame, shown.data, grid.cursor, 0.0)
        return found if booked is None else booked

    def _draw_location(self, frame: UiContext, shown: PayloadBytes, grid: HexGrid) -> None:
        """Draw what the byte at the cursor is, with a link to its row."""
        cursor = min(grid.cursor, len(shown.data) - 1)
        start, count = grid.selected
        words = f"0x{cursor:X}" if count == 1 else _("0x{start:X}, {count} bytes", start=start, count=count)
        if shown.base:
            words = f"{words}  ({_('file')} 0x{cursor + shown.base:X})"
        text(words, theme.DIM)
        place = shown.place(cursor)
        if place.table == BYTES:
            return
        imgui.same_line(0, theme.em(0.8))
        name = place.in_file if place.address == shown.address else str(place)
        if imgui.text_link(labeled(readable(name), "to_field")):
            frame.later(frame.control.opening.go_to, place)
        at = shown.fields.at(cursor)
        if at is not None and at.field is not None:
            imgui.same_line(0, theme.em(0.8))
            text(at.field.type_name, theme.DIM)
            imgui.same_line(0, theme.em(0.8))
            text(_value(shown, place))
        if at is not None and at.doc and place.address == shown.address:
            imgui.same_line(0, theme.em(0.8))
            text(translated(at.doc), theme.FAINT)

    def _draw_body(self, shown: PayloadBytes, grid: HexGrid, rows: HexRows) -> HexInput:
        """Draw the bytes, and next to them what there is room for: values, then the legend."""
        room = imgui.get_content_region_avail()
        wide = min(max(room.x - theme.em(_ROW + LEGEND), theme.em(VALUES)), theme.em(_WHOLE_VALUES))
        widths = [wide, theme.em(LEGEND)] if self._has_values else []
        while widths and room.x - sum(widths) < theme.em(LEAST_HEX):
            widths.pop()
        gap = imgui.get_style().item_spacing.x * len(widths)
        imgui.begin_child("hex", ImVec2(max(1.0, room.x - sum(widths) - gap), room.y), 0, _PLAIN)
        done = grid.draw(rows, imgui.get_content_region_avail())
        imgui.end_child()
        if widths:
            imgui.same_line()
            imgui.begin_child("values", ImVec2(widths[0], room.y))
            self._values.draw(shown.data, min(grid.cursor, len(shown.data) - 1))
            imgui.end_child()
        if len(widths) > 1:
            imgui.same_line()
            imgui.begin_child("legend", ImVec2(widths[1], room.y))
            draw_legend(shown.fields.legend(*grid.on_screen))
            imgui.end_child()
        return done

    def _take_input(self, frame: UiContext, shown: PayloadBytes, grid: HexGrid, done: HexInput) -> None:
        if done.pointed is not None and imgui.is_window_hovered(imgui.HoveredFlags_.child_windows):
            tooltip(lambda: _explanation(shown, done.pointed or 0))
        if done.clicked is not None:
            self._gesture += 1
            self._select(frame, shown.place(done.clicked))
        if done.written is not None:
            offset, byte = done.written
            change = SetBytes(offset, bytes([byte]))
            gesture = "overwrite", shown.address, id(self), self._gesture
            frame.later(frame.control.edits.edit, shown.address, (change,), gesture=gesture)
        if done.is_menu:
            imgui.open_popup(MENU)
        self._draw_menu(frame, shown, grid)
        if imgui.shortcut(_CTRL_C, int(imgui.InputFlags_.route_focused)):
            start, count = grid.selected
            frame.later(frame.control.window.copy_text, bytes(shown.data[start : start + count]).hex(" "))

    def _select(self, frame: UiContext, place: Place) -> None:
        """Select in the document what a byte is, and mark its field."""
        self._place = Place(place.address, place.table, place.row, place.field)
        document = frame.document
        chosen = None if document is None else selection_of(document, place, frame.view.selection)
        if chosen is not None and chosen != frame.view.selection:
            self._own, self._seen = chosen, chosen
            frame.change(lambda view: replace(view, selection=chosen))

    def _draw_menu(self, frame: UiContext, shown: PayloadBytes, grid: HexGrid) -> None:
        if not imgui.begin_popup(MENU):
            return
        start, count = grid.selected
        chosen = bytes(shown.data[start : start + count])
        copied = (
            (_("Copy as hexadecimal"), chosen.hex(" ")),
            (_("Copy as text"), chosen.decode("cp1251", "replace").replace("\0", "")),
            (_("Copy offset"), f"0x{start:X}"),
        )
        for number, (title, words) in enumerate(copied):
            if imgui.menu_item_simple(labeled(title, f"copy{number}")):
                frame.later(frame.control.window.copy_text, words)
        imgui.separator()
        place = shown.place(start)
        if place.table != BYTES and imgui.menu_item_simple(labeled(_("Go to the field"), "to_field")):
            frame.later(frame.control.opening.go_to, place)
        at = shown.fields.at(start)
        if at is not None and imgui.menu_item_simple(labeled(_("Select its bytes"), "select_field")):
            grid.move(at.span[0])
            grid.move(at.span[0] + max(0, at.span[1] - 1), is_range=True)
        if imgui.menu_item_simple(labeled(_("Add bookmark"), "add_bookmark")):
            self._bookmarks.add(frame, shown.address, start, "" if at is None else at.text)
        imgui.end_popup()


_PLAIN: Final = int(imgui.WindowFlags_.no_scrollbar) | int(imgui.WindowFlags_.no_scroll_with_mouse)


def _marked(frame: UiContext, payload: PayloadBytes, place: Place | None) -> list[Span]:
    """The bytes of a place, else of what is selected."""
    if place is not None:
        return spans_of(payload, place)
    document = frame.document
    return [] if document is None else spans_of_selection(document, frame.view.selection, payload)


def _value(shown: PayloadBytes, place: Place) -> str:
    """The value of the field at a place in this payload."""
    value = shown.value(place)
    return "" if value is None else cell_text(*value)


def _explanation(shown: PayloadBytes, offset: int) -> list[str]:
    at = shown.fields.at(offset)
    lines = [f"0x{offset:X}", str(shown.place(offset))]
    if at is not None and at.field is not None:
        lines.append(f"{at.field.type_name}  {_value(shown, shown.place(offset))}")
    return [*lines, translated(at.doc)] if at is not None and at.doc else lines


_KINDS: Final = {
    Sought.BYTES: _("Bytes"),
    Sought.TEXT: _("Text"),
    Sought.NUMBER: _("Whole number"),
    Sought.FLOAT: _("Float near"),
}
_EXPLANATION: Final = _(
    "Bytes: 4D 53 ??. Text in CP1251, without regard to case. Whole number: 300, of any width, or "
    "300 u16, -5 i32, 0x10 u32be. Float near: 0.35 within half of its last digit, or 1 +- 0.1. "
    "Enter: the next one."
)
_WIDTH, _COUNT = 9.0, 14.0
"""Width of the choice of what is looked for, and of what follows the text, font heights."""


class SearchBar:
    """The search in the bytes of one payload; owner: a view."""

    def __init__(self) -> None:
        self._field = FilterField("bytes_search", _("Search in the bytes"), _EXPLANATION)
        self._sought = Sought.BYTES
        self._asked: ByteQuery | None = None
        self._is_waiting = self._jumps = False
        self._found: FoundBytes | None = None
        self._problem = ""

    @property
    def found(self) -> FoundBytes | None:
        """The answer of the search."""
        return self._found

    def draw(self, frame: UiContext, data: memoryview, cursor: int, room: float) -> int | None:
        """Draw the bar; return the offset to go to.

        Parameters
        ----------
        cursor
            The offset that the next and the previous one are seen from.
        room
            What is drawn after it in the line, in display pixels.
        """
        self._sought = controls.choose("##sought", _KINDS, self._sought, _WIDTH)
        imgui.same_line()
        self._field.draw(room=theme.em(_COUNT) + room)
        is_news = self._update(frame, data)
        step = 1 if self._field.is_entered and not is_news else 0
        imgui.same_line()
        has_any = self._found is not None and len(self._found.offsets) > 0
        if icon_button(fa.ICON_FA_CHEVRON_UP, "previous_found", _("Previous"), is_enabled=has_any):
            step = -1
        imgui.same_line(0, theme.em(0.2))
        if icon_button(fa.ICON_FA_CHEVRON_DOWN, "next_found", _("Next (Enter)"), is_enabled=has_any):
            step = 1
        imgui.same_line()
        self._draw_count(cursor)
        if self._found is None or not has_any or not (step or is_news):
            return None
        index = self._found.next_after(cursor - is_news, step or 1)
        return None if index is None else int(self._found.offsets[index])

    def _update(self, frame: UiContext, data: memoryview) -> bool:
        """Search again if something has changed; tell whether another answer has arrived."""
        words = self._field.text
        made_of = words, self._sought
        asked = self._asked
        if asked is None or asked.data is not data or (asked.text, asked.sought) != made_of:
            self._asked = ByteQuery(data, self._sought, words)
            self._jumps = asked is not None and asked.data is data
            self._found, self._problem = None, ""
            self._is_waiting = not self._field.is_empty
            if self._is_waiting:
                frame.later(frame.control.search.find_bytes, self._asked)
        answer = frame.state.found_bytes
        if not self._is_waiting or answer is None or answer.query is not self._asked:
            return False
        self._is_waiting = False
        self._found, self._problem = answer.found, answer.problem
        return self._jumps

    def _draw_count(self, cursor: int) -> None:
        imgui.align_text_to_frame_padding()
        if self._problem:
            cut(f"{fa.ICON_FA_TRIANGLE_EXCLAMATION}  {translated(self._problem)}", theme.WARNING)
            tooltip(translated(self._problem))
            return
        if self._found is None:
            text("…" if self._is_waiting else "", theme.DIM)
            return
        count = len(self._found.offsets)
        number = int(self._found.offsets.searchsorted(cursor))
        more = "+" if self._found.is_cut else ""
        is_at = number < count and int(self._found.offsets[number]) == cursor
        words = f"{count_text(count)}{more}"
        if is_at:
            words = _("{number} of {count}", number=count_text(number + 1), count=words)
        text(words, theme.DIM if count else theme.WARNING)
