"""Changes as they are listed: values with the problems that they add, consequences, ranges of bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec.structs import replace

from viewer.formats.splice import Splice, Splices
from viewer.model.compare.edit_report import ChangedValue, Finding, by_kind
from viewer.model.edit.change import Topic
from viewer.model.kinds import json_text
from viewer.model.store.address import SEPARATOR
from viewer.session.field_text import counted, offset_text
from viewer.translation import Text, _, translated
from viewer.ui.widgets import theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import (
    colored,
    copy_menu,
    cut,
    identified,
    labeled,
    readable,
    text,
    tooltip,
    wrapped,
)

WIDE: Final = 50.0
"""From this width on two panes are side by side, font heights."""
LONGEST: Final = 40
"""Letters of a value that are shown in its row."""
WHATS: Final[Mapping[str, Text]] = {
    "changed": _("changed"),
    "added": _("added"),
    "removed": _("removed"),
    "moved": _("moved"),
}
_FLAGS: Final = imgui.TableFlags_.no_saved_settings | imgui.TableFlags_.row_bg


def draw_panes(below: float, panes: Mapping[str, Callable[[], None]]) -> None:
    """Draw two panes side by side, or one above the other if there is no room, above what is `below`."""
    room, gap = imgui.get_content_region_avail(), imgui.get_style().item_spacing
    height, is_wide = max(room.y - below, theme.em(6)), room.x >= theme.em(WIDE)
    size = ImVec2((room.x - gap.x) / 2, height) if is_wide else ImVec2(room.x, (height - gap.y) / 2)
    for number, (name, draw) in enumerate(panes.items()):
        if number and is_wide:
            imgui.same_line()
        if imgui.begin_child(name, size, imgui.ChildFlags_.borders):
            draw()
        imgui.end_child()


def draw_summary(summary: Sequence[str]) -> None:
    """Draw a line for each payload with inserted, removed and renumbered rows."""
    for number, words in enumerate(summary):
        wrapped(translated(words), theme.UNSAVED)
        copy_menu(f"summary{number}", words)


def draw_values(values: tuple[ChangedValue, ...]) -> None:
    """Draw a row for each value on screen: where it is, what it was, what it will be."""
    if not imgui.begin_table("##values", 2, _FLAGS):
        return
    imgui.table_setup_column("where", imgui.TableColumnFlags_.width_stretch, 1.3)
    imgui.table_setup_column("what", imgui.TableColumnFlags_.width_stretch, 2.0)
    for number in rows_on_screen(len(values)):
        value = narrowed(values[number])
        imgui.table_next_row()
        imgui.table_next_column()
        text(place_of(value), theme.DIM)
        tooltip([place_of(value), readable(str(value.address))])
        entry = entry_of(values, number)
        if entry:
            imgui.same_line()
            cut(entry, theme.FAINT)
        copy_menu(f"value{number}", f"{value.address} {place_of(value)}: {change_text(value)}")
        imgui.table_next_column()
        draw_change(value)
    imgui.end_table()


def entry_of(values: Sequence[ChangedValue], number: int) -> str:
    """Return the name of the entry that a value is in, if it is the first of them; empty for a file."""
    address = values[number].address
    is_first = number == 0 or values[number - 1].address != address
    return readable(address.name) if is_first and address.entries else ""


def place_of(value: ChangedValue) -> str:
    """Return where a value is in its payload: ``batches[3].flags``; of a run of rows ``keys[3:8]``."""
    end = "" if value.row is None or value.count == 1 else f":{value.row + value.count}"
    row = "" if value.row is None else f"[{value.row}{end}]"
    return f"{value.table}{row}.{value.field}" if value.field else f"{value.table}{row}"


def narrowed(value: ChangedValue) -> ChangedValue:
    """Return the change of a list that differs in one component as the change of that component."""
    before, after = value.before, value.after
    if not (isinstance(before, list) and isinstance(after, list) and 1 < len(before) == len(after)):
        return value
    changed = [index for index, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]]
    if len(changed) != 1:
        return value
    (index,) = changed
    return replace(value, field=f"{value.field}[{index}]", before=before[index], after=after[index])


def change_text(value: ChangedValue) -> str:
    """Return what happens to a value: ``1 -> 2``, ``added``."""
    if value.what != "changed" or (value.before is None and value.after is None):
        return str(WHATS.get(value.what, value.what))
    before, after = map(value_text, value.written)
    return f"{before} -> {after}"


def value_text(value: Any) -> str:
    """Return a value as ``inspect`` prints it, on one line."""
    if value is None:
        return _("none")
    return value if isinstance(value, str) else json_text.encode(value)


def shortened(words: str) -> str:
    """Return a text without what is too long for a row."""
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"


def draw_change(value: ChangedValue) -> None:
    """Draw what happens to a value: what it was and what it is."""
    words = change_text(value)
    if " -> " not in words:
        text(words, theme.TEXT)
        return
    before, after = map(value_text, value.written)
    text(shortened(before), theme.ERROR)
    tooltip(words)
    imgui.same_line(0, theme.em(0.5))
    text(fa.ICON_FA_ARROW_RIGHT, theme.FAINT)
    imgui.same_line(0, theme.em(0.5))
    cut(shortened(after), theme.GOOD)
    tooltip(words)


def draw_added(added: tuple[Finding, ...], most: int) -> None:
    """Draw a line for each kind of diagnostic that a change adds, of which `most` are seen without scrolling.

    A kind of several unfolds them.
    """
    text(counted(len(added), "The changes add {count} problem:", "The changes add {count} problems:"))
    kinds = by_kind(added)
    height = min(len(kinds), most) * imgui.get_text_line_height_with_spacing()
    if imgui.begin_child("added", ImVec2(0, height)):
        for number, (first, *rest) in enumerate(kinds):
            with identified(number):
                if not rest:
                    _draw_finding(first, theme.em(4.5))
                    continue
                color = theme.SEVERITIES[first.diagnostic.severity]
                with colored(color):
                    is_open = imgui.tree_node_ex(labeled(first.diagnostic.rule, "kind"))
                imgui.same_line(theme.em(4.5))
                text(_("{problem}, and {count} more like it", problem=_told(first), count=len(rest)))
                if is_open:
                    for at, item in enumerate((first, *rest)):
                        with identified(at):
                            _draw_finding(item, theme.em(6))
                    imgui.tree_pop()
    imgui.end_child()


def _told(item: Finding) -> str:
    """Location and words of a diagnostic."""
    where = ": ".join(filter(None, (SEPARATOR.join(item.source.entries), item.diagnostic.where)))
    return ": ".join(filter(None, (where, translated(item.diagnostic.message))))


def _draw_finding(item: Finding, left: float) -> None:
    """Draw a diagnostic, whose words begin so far from the left, in pixels."""
    found = item.diagnostic
    text(f"{fa.ICON_FA_TRIANGLE_EXCLAMATION}  {found.rule}", theme.SEVERITIES[found.severity])
    imgui.same_line(left)
    text(_told(item))
    tooltip([translated(found.message), readable(str(item.source))])
    copy_menu("added", f"{found.rule}: {item.source}: {found.message}")


TOPICS: Final[Mapping[Topic, Text]] = {
    Topic.BOUNDS: _("slot bounds"),
    Topic.HEADER: _("header"),
    Topic.NORMALS: _("normals"),
    Topic.LINKS: _("neighbor links"),
    Topic.VERTEX_COUNTS: _("vertex counts"),
    Topic.ATTRIBUTES: _("attributes"),
    Topic.FRAME_MAP: _("frame map"),
    Topic.REFERENCES: _("references"),
    Topic.DURATIONS: _("durations"),
    Topic.COUNTS: _("counts"),
}


def topic_text(topic: Topic) -> str:
    """The name of a consequence; its own id if it is new."""
    return str(TOPICS.get(topic, topic.value))


LENGTHS: Final = (16, 8, 4)
"""Numbers of old bytes that a line may have, and of new ones."""
_GAP: Final = 2.2
"""Between old and new bytes, font heights."""


class RangeLines:
    """The lines of all ranges one after the other: a head for each, then its bytes.

    Parameters
    ----------
    length
        Old, and new, bytes in a line.
    """

    def __init__(self, ranges: Splices, length: int) -> None:
        self._ranges = ranges
        self._length = length
        longest = np.array([max(len(it.before), len(it.after)) for it in ranges], np.int64)
        # One line for the head, and the bytes rounded up to lines: -(-20 // 16) is 2, so 20 bytes have 3.
        self._starts = np.concatenate([[0], np.cumsum(1 - (-longest // length))])

    def __len__(self) -> int:
        return int(self._starts[-1])

    def line(self, number: int) -> tuple[int, int | None]:
        """Return the index of a line's range, and the first byte of the line in it; None for the head."""
        index = int(np.searchsorted(self._starts, number, side="right")) - 1
        inside = number - int(self._starts[index])
        return index, (inside - 1) * self._length if inside else None

    def head(self, index: int) -> int:
        """Return the line of the head of a range."""
        return int(self._starts[index])

    def nearest(self, offset: int) -> int:
        """Return the line of the head of the range at an offset, or before it, or the first one."""
        offsets = [it.offset for it in self._ranges]
        return self.head(max(int(np.searchsorted(offsets, offset, side="right")) - 1, 0))


class ByteRanges:
    """Draws the lines on screen; owner: a window."""

    def __init__(self) -> None:
        self._lines = Cached(RangeLines)
        self._asked: int | None = None

    def reveal(self, offset: int) -> None:
        """Bring the range at an offset into view, or the one before it."""
        self._asked = offset

    def draw(self, ranges: Splices, size: int) -> None:
        """Draw ranges of a file of `size` bytes in the rest of the window."""
        digits = imgui.calc_text_size("00").x + theme.em(0.35)
        length = line_length(imgui.get_content_region_avail().x, digits)
        lines = self._lines.of((ranges, length), ranges, length)
        asked, self._asked = self._asked, None
        for number in rows_on_screen(len(lines), None if asked is None else lines.nearest(asked)):
            index, start = lines.line(number)
            if start is None:
                _draw_head(ranges[index], index, size)
            else:
                _draw_line(ranges[index], start, length, digits)


def line_length(room: float, digits: float) -> int:
    """Return how many old bytes, and new ones, fit into a line; `digits` is the width of one."""
    fitting = (length for length in LENGTHS if theme.em(1 + _GAP) + 2 * length * digits <= room)
    return next(fitting, LENGTHS[-1])


def _draw_head(splice: Splice, index: int, size: int) -> None:
    text(f"0x{offset_text(splice.offset, size).upper()}", theme.ACCENT)
    copy_menu(f"range{index}", f"{splice.offset:#x}: {splice.before.hex(' ')} -> {splice.after.hex(' ')}")
    imgui.same_line(0, theme.em(0.8))
    text(length_text(splice), theme.DIM)


def length_text(splice: Splice) -> str:
    """Say how long a range is, or how much longer or shorter it gets."""
    old, new = len(splice.before), len(splice.after)
    if old == new:
        return counted(new, "{count} byte", "{count} bytes")
    if not old:
        return counted(new, "{count} byte inserted", "{count} bytes inserted")
    if not new:
        return counted(old, "{count} byte removed", "{count} bytes removed")
    return _("{old} bytes become {new}", old=old, new=new)


def _draw_line(splice: Splice, start: int, length: int, digits: float) -> None:
    """Draw old bytes and, after an arrow, new ones; those that differ in the colors of old and new."""
    corner = imgui.get_cursor_screen_pos()
    imgui.dummy(ImVec2(1, imgui.get_text_line_height()))
    left = corner.x + theme.em(1)
    right = left + length * digits + theme.em(_GAP)
    old, new = splice.before[start : start + length], splice.after[start : start + length]
    _draw_bytes(ImVec2(left, corner.y), old, new, digits, theme.ERROR)
    _draw_bytes(ImVec2(right, corner.y), new, old, digits, theme.GOOD)
    arrow = ImVec2(right - theme.em(_GAP * 0.8), corner.y)
    imgui.get_window_draw_list().add_text(arrow, theme.packed(theme.FAINT), fa.ICON_FA_ARROW_RIGHT)


def _draw_bytes(corner: ImVec2, shown: bytes, other: bytes, digits: float, color: Color) -> None:
    painter = imgui.get_window_draw_list()
    for index, byte in enumerate(shown):
        is_same = index < len(other) and other[index] == byte
        place = ImVec2(corner.x + index * digits, corner.y)
        painter.add_text(place, theme.packed(theme.DIM if is_same else color), f"{byte:02x}")
