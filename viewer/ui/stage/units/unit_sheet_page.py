"""The sheet of a unit: its parts with mass, volume, area and hit points, its weapons and clips, the sums."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.formats.units import COMPONENT
from viewer.model.store.place import Place
from viewer.operations.units.tried_parts import is_class_guessed
from viewer.operations.units.unit_sheets import MEASURES, PartSheet, UnitSheet
from viewer.session.field_text import counted
from viewer.session.opened.opened_resource import OpenedResource
from viewer.translation import Text, _, count_text, translated
from viewer.ui.context import UiContext
from viewer.ui.fields.resource_links import draw_link
from viewer.ui.stage.page import PlainPage
from viewer.ui.widgets import theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.table_grid import LIST, rows_on_screen, set_up_columns
from viewer.ui.widgets.widgets import cut, identified, readable, text, tooltip, wrapped

_TITLES: Final[Mapping[str, Text]] = {
    "area": _("area"),
    "volume": _("volume"),
    "mass": _("mass"),
    "hit_points": _("hit points"),
}
_HINTS: Final[Mapping[str, Text]] = {
    "area": _("Area of the triangles, square units; the game takes it for armour"),
    "volume": _("Volume of the boxes of the nodes, cubic units"),
    "mass": _("Density of each node times its volume"),
    "hit_points": _("Hit points of all nodes that can be destroyed"),
}
UNKNOWN: Final = "?"
MOST_NAMED: Final = 24
"""Weapons and clips that are named; the table has all."""


class UnitSheetPage(PlainPage):
    """The sheet of the open unit, also of one with parts that are tried on."""

    id = "sheet"
    title = _("Sheet")

    def __init__(self) -> None:
        self._lines = Cached(summary_lines)

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw the sums, the weapons and the parts."""
        sheet = opened.sheet
        if sheet is None:
            return
        if opened.tried:
            wrapped(f"{fa.ICON_FA_PUZZLE_PIECE}  {_('With the parts that are tried on.')}", theme.WARNING)
        for line in self._lines.of((sheet,), sheet):
            wrapped(line)
        wrapped(_("The slots of LOD 0, group 0 count. A question mark: the files do not say."), theme.DIM)
        _draw_parts(frame, opened, sheet)


def summary_lines(sheet: UnitSheet) -> list[str]:
    """The sums of the measures, and the weapons with the clips, as lines."""
    sums = "    ".join(f"{_TITLES[name]} {sum_text(sheet, name)}" for name in MEASURES)
    kind = f"{translated(sheet.kind)}:  " if sheet.kind else ""
    lines = [f"{kind}{counted(len(sheet.parts), '{count} part', '{count} parts')}    {sums}"]
    for title, parts in ((_("Weapons"), sheet.weapons), (_("Clips"), sheet.clips)):
        if parts:
            shown = parts[:MOST_NAMED]
            names = ", ".join(f"{name_of(it)} ({it.feeds})" if it.feeds else name_of(it) for it in shown)
            more = ", …" if len(parts) > len(shown) else ""
            lines.append(f"{title}:  {readable(names)}{more}")
    return lines


def sum_text(sheet: UnitSheet, name: str) -> str:
    """The sum of a measure; with a question mark if it is not known of some parts."""
    total = sheet.totals[name]
    if total.unknown == len(sheet.parts):
        return UNKNOWN
    return measure_text(total.sum) + (f" + {UNKNOWN}" if total.unknown else "")


def measure_text(value: float | None) -> str:
    """A measure with four digits, of large ones all before the point."""
    if value is None:
        return UNKNOWN
    return count_text(round(value)) if value >= 1000 else f"{value:.4g}"


def name_of(part: PartSheet) -> str:
    """The game's name of a part, else its key."""
    return part.called or part.key


def _draw_parts(frame: UiContext, opened: OpenedResource, sheet: UnitSheet) -> None:
    columns = {_("part"): -2.2, _("object"): -1.4, _("class"): 5.2}
    columns |= {_TITLES[name]: 4.2 for name in MEASURES}
    columns[_("indestructible")] = 4.2
    if not imgui.begin_table("##sheet", len(columns), LIST):
        return
    set_up_columns(columns, has_headers=True)
    for row in rows_on_screen(len(sheet.parts)):
        part = sheet.parts[row]
        imgui.table_next_row()
        with identified(row):
            imgui.table_next_column()
            is_new = part.component >= len(opened.value.components)
            words = name_of(part)
            if is_new:
                cut(readable(words), theme.WARNING)
            else:
                draw_link(frame, "part", words, Place(opened.address, COMPONENT.name, part.component))
            imgui.table_next_column()
            is_tried = is_new or part.component in opened.tried.replaced
            cut(readable(part.key), theme.WARNING if is_tried else theme.DIM)
            imgui.table_next_column()
            _draw_class(part, is_guessed=is_new and is_class_guessed(part.key))
            for name in MEASURES:
                imgui.table_next_column()
                _draw_measure(getattr(part, name), name)
            imgui.table_next_column()
            text(UNKNOWN if part.indestructible is None else str(part.indestructible), theme.DIM)
            tooltip(_("Nodes that cannot be destroyed"))
    imgui.end_table()


def _draw_class(part: PartSheet, *, is_guessed: bool) -> None:
    """Draw the class of a part; with a question mark if it is that of a new component of any other key."""
    text(f"{translated(part.kind)} {UNKNOWN}" if is_guessed else translated(part.kind), theme.DIM)
    if is_guessed:
        tooltip(_("A guess: its key is neither that of a turret nor of a gun"))


def _draw_measure(value: float | None, name: str) -> None:
    text(measure_text(value), theme.FAINT if value is None else theme.TEXT)
    tooltip(str(_HINTS[name]))
