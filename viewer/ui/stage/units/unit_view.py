"""Units as a tree of their components, and objects, with links to what they name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np
from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.formats import units
from viewer.formats.meaning import meaning
from viewer.formats.objects import REFERENCE
from viewer.formats.part import Part, find
from viewer.formats.text import decode, until_nul
from viewer.model.kinds.registry import by_id, presumed_id
from viewer.model.references.targets import Target
from viewer.model.store.place import Place
from viewer.session.field_text import counted
from viewer.session.opened.opened_resource import OpenedResource
from viewer.translation import Text, _, count_text, translated
from viewer.ui.context import UiContext
from viewer.ui.editing.field_editor import FieldEditor
from viewer.ui.fields.fitting_parts import draw_socket_tag
from viewer.ui.fields.part_rows import PartRow, field_of
from viewer.ui.fields.resource_links import ResourceLinks, draw_link
from viewer.ui.fields.row_table import RowColumn, row_of
from viewer.ui.stage.page import TablesPage
from viewer.ui.stage.units.assembly_view import AssemblyView, draw_switches
from viewer.ui.viewport.stage_view import StageView
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.icons import icon_of
from viewer.ui.widgets.table_grid import LIST, TreeRow, flatten, indent, rows_on_screen, set_up_columns
from viewer.ui.widgets.widgets import copy_menu, cut, identified, text, tooltip

IMAGE_SHARE: Final = 0.66
"""Share of the height that the image takes above the components."""
_ICONS: Final = {
    0: fa.ICON_FA_TRUCK_MONSTER,
    1: fa.ICON_FA_TOWER_OBSERVATION,
    2: fa.ICON_FA_SHIELD_HALVED,
    3: fa.ICON_FA_MICROCHIP,
    4: fa.ICON_FA_GUN,
    5: fa.ICON_FA_BOX,
}
"""By the class of a component."""


class UnitView:
    """The tree of one unit; folded components stay so while it is shown."""

    id = "components"
    title = _("Components")

    def __init__(self, stage: StageView) -> None:
        self._unit: units.Unit | None = None
        self._children: dict[int, list[int]] = {}
        self._parents: Sequence[int] = ()
        self._folded: set[int] = set()
        self._rows: list[TreeRow[int]] | None = None
        self._marked: int | None = None
        self._scroll_to: int | None = None
        self._editor = FieldEditor()
        self._assembly = AssemblyView(stage)

    def reveal(self, opened: OpenedResource, place: Place) -> bool:
        """Show the component of a place; tell whether it is one."""
        self._show(opened)
        if place.table != units.COMPONENT.name or place.row is None:
            return False
        self._marked = self._scroll_to = place.row
        self._folded, self._rows = set(), None
        return True

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw the assembled unit, and below it the components on screen."""
        self._show(opened)
        if opened.unit is not None and opened.unit.documents:
            self._assembly.draw(frame, opened, imgui.get_content_region_avail().y * IMAGE_SHARE)
        if self._rows is None:
            roots = self._children.get(-1, [])
            self._rows = flatten(
                roots, lambda at: self._children.get(at, []), lambda at: at not in self._folded
            )
        count, shown = len(opened.value.components), len(opened.models)
        words = counted(count, "{count} component", "{count} components")
        text(
            words
            if count == shown
            else _("{words}, the first {shown} are shown", words=words, shown=count_text(shown)),
            theme.DIM,
        )
        imgui.same_line()
        text(meaning(units.HEADER.field("unit_type"), opened.value.header["unit_type"]), theme.DIM)
        if opened.tried:
            imgui.same_line()
            text(f"{fa.ICON_FA_PUZZLE_PIECE}  {_('shown with parts that are tried on')}", theme.WARNING)
        has_parts = opened.unit is not None and bool(opened.unit.documents)
        has_names = opened.unit is not None and opened.unit.has_names
        if not imgui.begin_table("##components", 5 + has_parts + has_names, LIST):
            return
        columns = _columns_of_units(has_parts=has_parts, has_names=has_names)
        set_up_columns(columns, has_headers=True)
        requested, self._scroll_to = self._scroll_to, None
        found = (line for line, row in enumerate(self._rows) if row.key == requested)
        for line in rows_on_screen(len(self._rows), next(found, None)):
            with identified(self._rows[line].key):
                self._draw_row(frame, opened, self._rows[line])
        imgui.end_table()

    def _show(self, opened: OpenedResource) -> None:
        """Sort the components whose models are known by their parents."""
        unit: units.Unit = opened.value
        if unit is self._unit:
            return
        self._unit, self._rows, self._folded = unit, None, set()
        counts = unit.components["child_count"][: len(opened.models)].tolist()
        self._parents, self._children = units.parents_of(counts), {}
        for index, parent in enumerate(self._parents):
            self._children.setdefault(parent, []).append(index)

    def _draw_row(self, frame: UiContext, opened: OpenedResource, line: TreeRow[int]) -> None:
        index, row = line.key, opened.value.components[line.key]
        links = ResourceLinks(frame, opened.links, self._editor, kind=opened.kind)
        part = find(opened.parts, units.COMPONENT.name) if opened.parts else None
        imgui.table_next_row()
        if index == self._marked or (opened.unit is not None and index in frame.view.selection.nodes):
            imgui.table_set_bg_color(imgui.TableBgTarget_.row_bg0, theme.packed(theme.ACCENT, 0.3))
        imgui.table_next_column()
        if opened.unit is not None and opened.unit.documents:
            draw_switches(frame, opened.unit, index)
            imgui.table_next_column()
        self._draw_icon(line, int(row["class_id"]))
        if part is None:
            return
        copy_menu("row_menu", _text(row["name"]), lambda: links.draw_row_menu(part.name, index, part.count))
        imgui.same_line(0, theme.em(0.4))
        component = row_of(part, index)
        links.draw_field(field_of(component, "name"), _text(row["name"]) or str(index), theme.TEXT)
        imgui.table_next_column()
        links.draw_field(field_of(component, "key"), _text(row["key"]), theme.TEXT)
        imgui.table_next_column()
        if opened.unit is not None and opened.unit.has_names:
            cut(opened.unit.parts[index].called, theme.DIM)
            imgui.table_next_column()
        _draw_model(frame, f"model{index}", opened.models[index])
        imgui.table_next_column()
        named = meaning(units.COMPONENT.field("class_id"), row["class_id"])
        links.draw_field(field_of(component, "class_id"), named or str(row["class_id"]), theme.DIM)
        imgui.table_next_column()
        self._draw_attachment(opened, index, field_of(component, "attachment"), links)

    def _draw_icon(self, line: TreeRow[int], class_id: int) -> None:
        """Draw the fold and the icon of a component; the icon has the menu of its row."""
        shift = indent(line.depth, 1.1)
        imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + shift)
        hint, has_children = _("Show or hide what is inside"), line.has_children
        if controls.fold_button(f"fold{line.key}", hint, is_open=line.is_open, has_children=has_children):
            self._folded ^= {line.key}
            self._rows = None
        imgui.same_line(0, theme.em(0.2))
        text(_ICONS.get(class_id, fa.ICON_FA_PUZZLE_PIECE))
        tooltip(_("Right click: duplicate, add, move or remove the component"))

    def _draw_attachment(
        self, opened: OpenedResource, index: int, line: PartRow, links: ResourceLinks
    ) -> None:
        """Draw the slot or the node that a component is attached to: of a known model also its name."""
        row, socket = opened.value.components[index], opened.sockets[index]
        number = int(row["attachment"])
        if number < 0:
            words = _("root") if self._parents[index] < 0 else "-"
        else:
            words = _("node {node}") if int(row["class_id"]) in units.ON_NODE else _("slot {node}")
        links.draw_field(line, words.format(node=number), theme.FAINT if number < 0 else theme.DIM)
        if socket is None:
            return
        imgui.same_line()
        draw_link(links.frame, f"node{index}", socket.name or _("node {node}", node=number), socket.place)
        if socket.tag:
            imgui.same_line()
            draw_socket_tag(links.frame, opened.address, socket.tag)


def _columns_of_units(*, has_parts: bool, has_names: bool) -> dict[Text, float]:
    """The titles and the widths of the columns, shares below 0."""
    first = {_("Shown"): 4.6} if has_parts else {}
    first |= {_("Component"): -4.0, _("Object"): -3.2}
    names = {_("Called in the game"): -2.8} if has_names else {}
    last = -7.0 if has_names else -5.6  # a third of the room
    return {**first, **names, _("Model"): -2.4, _("Class"): -1.6, _("Attached to"): last}


def _draw_model(frame: UiContext, name: str, target: Target) -> None:
    """Draw the model of a component as a link, or a dash with the reason."""
    if target.place is None:
        text("-", theme.FAINT)
        tooltip(translated(target.problem))
    else:
        draw_link(frame, name, target.place.address.name, target.place)


def _text(raw: np.void) -> str:
    return decode(until_nul(raw.tobytes())).strip()


class ObjectView(TablesPage):
    """The references of one object."""

    id = "references"
    title = _("References")
    tables = (REFERENCE.name,)

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw the references."""
        self._draw_table(frame, opened, REFERENCE.name, partial(_columns, opened))


def _columns(opened: OpenedResource, part: Part, links: ResourceLinks) -> tuple[RowColumn, ...]:
    rows = opened.value.rows

    def draw_kind(row: int) -> None:
        kind = presumed_kind(name_of(rows[row], "resource"))
        text(f"{icon_of(kind)}  {by_id(kind).title}" if kind else _("object"), theme.DIM)

    def draw_field(row: int, field: str) -> None:
        links.draw_field(field_of(row_of(part, row), field), name_of(rows[row], field), theme.TEXT)

    return (
        RowColumn(_("Kind"), 9, draw_kind),
        RowColumn(_("Resource"), 1.2, lambda row: draw_field(row, "resource"), is_stretched=True),
        RowColumn(_("Archive"), 1, lambda row: draw_field(row, "archive"), is_stretched=True),
    )


def name_of(row: np.void, field: str) -> str:
    """Return the text of a name, up to its NUL."""
    return decode(until_nul(row[field].tobytes()))


def presumed_kind(name: str) -> str:
    """Return the kind that the suffix of a name stands for; empty for a name without a suffix."""
    return presumed_id(name.strip())
