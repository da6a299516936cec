"""Plain data, as ``mshview inspect`` prints it, as a tree of names and values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, TypeGuard

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.formats.mat0 import COLORS
from viewer.translation import _
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import count_text, counted
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.tree_rows import TreeRow, flatten
from viewer.ui.widgets.widgets import copy_menu, ghost_button, swatch, text, tooltip

Path = tuple[str, ...]

SHORT: Final = 16
"""Numbers of a list that stand in one row."""
MOST_ROWS: Final = 2000
"""Rows of a list that are listed."""
_FLAGS = (
    imgui.TableFlags_.scroll_y
    | imgui.TableFlags_.row_bg
    | imgui.TableFlags_.borders_inner_v
    | imgui.TableFlags_.resizable
    | imgui.TableFlags_.no_saved_settings
)


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One value and the way to it."""

    path: Path
    value: Any = field(compare=False)


class FieldTree:
    """The fields of one object; expanded rows stay expanded while it is shown."""

    def __init__(self) -> None:
        self._fields: Mapping[str, Any] = {}
        self._open: set[Path] = set()
        self._rows: list[TreeRow[FieldRow]] | None = None

    def draw(self, fields: Mapping[str, Any]) -> None:
        """Draw the rows on screen."""
        if fields is not self._fields:
            self._fields, self._rows = fields, None
            self._open = set(unfolded(fields))
        if self._rows is None:
            self._rows = flatten(roots_of(fields), children_of, lambda row: row.path in self._open)
        if not imgui.begin_table("##fields", 2, _FLAGS, imgui.get_content_region_avail()):
            return
        imgui.table_setup_column("field", imgui.TableColumnFlags_.width_stretch, 2)
        imgui.table_setup_column("value", imgui.TableColumnFlags_.width_stretch, 3)
        rows = self._rows
        for place in rows_on_screen(len(rows)):
            self._draw_row(place, rows[place])
        imgui.end_table()

    def _draw_row(self, place: int, row: TreeRow[FieldRow]) -> None:
        imgui.table_next_row()
        imgui.table_next_column()
        imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + row.depth * theme.em(0.8))
        side = imgui.get_text_line_height()
        if not row.has_children:
            imgui.dummy(ImVec2(side * 1.25, side))
        elif ghost_button(_fold_icon(row), f"fold{place}", _("Expand or collapse"), theme.DIM):
            self._open ^= {row.key.path}
            self._rows = None
        imgui.same_line(0, theme.em(0.2))
        text(row.key.path[-1], theme.DIM)
        imgui.table_next_column()
        color = color_of(row.key)
        if color is not None:
            swatch(f"color{place}", color)
            imgui.same_line()
        words = value_text(row.key.value)
        text(words, theme.FAINT if row.has_children else theme.TEXT)
        tooltip(words)
        copy_menu(f"copy{place}", words)


def _fold_icon(row: TreeRow[FieldRow]) -> str:
    return fa.ICON_FA_CARET_DOWN if row.is_open else fa.ICON_FA_CARET_RIGHT


def unfolded(fields: Mapping[str, Any]) -> Iterator[Path]:
    """Yield the paths of initially expanded rows: short lists and records, and the only row of a list."""
    for row in roots_of(fields):
        below = children_of(row)
        if 0 < len(below) <= SHORT:
            yield row.path
        if len(below) == 1:
            yield below[0].path


def roots_of(fields: Mapping[str, Any]) -> list[FieldRow]:
    """Return the top-level rows; the format is shown above the tree."""
    return [FieldRow((name,), value) for name, value in fields.items() if name != "format"]


def children_of(row: FieldRow) -> list[FieldRow]:
    """Return the rows inside a value; short lists of numbers stand in their own row."""
    value = row.value
    if isinstance(value, Mapping):
        return [FieldRow((*row.path, name), inner) for name, inner in value.items()]
    if _is_list(value) and not _is_short(value):
        return [*_listed(row.path, value)]
    return []


def _listed(path: Path, values: Sequence[Any]) -> Iterator[FieldRow]:
    """The rows of a list; only the first ones of a long list."""
    for index, inner in enumerate(islice(values, MOST_ROWS)):
        yield FieldRow((*path, str(index)), inner)
    if len(values) > MOST_ROWS:
        more = count_text(len(values) - MOST_ROWS)
        yield FieldRow((*path, "..."), _("{count} more rows (use `mshview inspect`)").format(count=more))


def color_of(row: FieldRow) -> Color | None:
    """Return the colour of a value, or None."""
    if row.path[-1] not in COLORS or len(row.value) != 3:
        return None
    red, green, blue = (channel / 255 for channel in row.value)
    return red, green, blue, 1.0


def value_text(value: Any) -> str:
    """Return a value in one line; for a list of rows their count."""
    if value is None:
        return _("none")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Mapping):
        return _summary(value)
    if _is_list(value):
        return _list_text(value)
    return str(value)


def _list_text(values: Sequence[Any]) -> str:
    if not len(values):
        return _("none")
    if _is_short(values):
        return ", ".join(map(value_text, values))
    return counted(len(values), "{count} row", "{count} rows")


def _summary(fields: Mapping[str, Any]) -> str:
    """The first few plain values of a record."""
    plain = [f"{name} {value_text(value)}" for name, value in fields.items() if _is_plain(value)]
    return "  ".join([part for part in plain if not part.startswith("index ")][:4])


def _is_short(values: Sequence[Any]) -> bool:
    return len(values) <= SHORT and all(_is_plain(value) for value in values)


def _is_plain(value: Any) -> bool:
    return not isinstance(value, Mapping) and not _is_list(value)


def _is_list(value: Any) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, Sequence) and not isinstance(value, str)
