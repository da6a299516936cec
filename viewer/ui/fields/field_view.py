"""Fields of a record: stored value, meaning, certainty, links to what it refers to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from imgui_bundle import imgui
from msgspec import Struct

from viewer.formats.meaning import meaning
from viewer.formats.record import Bits, Field, Record, Status
from viewer.model.edit.values import RowChoice
from viewer.model.mesh.reading import Reading
from viewer.model.store.address import CURRENT, Address
from viewer.model.store.place import Place
from viewer.session.field_text import is_none, raw_text, tooltip_lines
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.editing.editable_field import Choice, Choices, EditableField, no_choices
from viewer.ui.editing.field_editor import FieldEditor
from viewer.ui.editing.field_menu import draw_field_menu
from viewer.ui.editing.value_box import LEAST_WIDTH, ValueStyle
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import (
    colored,
    copy_menu,
    labeled,
    text,
    tooltip,
    wrapped,
)

_FLAGS = imgui.TableFlags_.row_bg | imgui.TableFlags_.borders_inner_v | imgui.TableFlags_.no_saved_settings
MARK: Final = 0.35
"""Opacity of the accent behind a field that is highlighted."""
STATUS_NAMES: Final = {
    Status.PROVEN: _("proven"),
    Status.INFERRED: _("inferred"),
    Status.HYPOTHESIS: _("hypothesis"),
    Status.OPEN: _("open"),
}
_NAME_WIDTH: Final = 6.6
"""Least width of the names in a panel with room for it, font heights."""
_NAME_SHARE: Final = 0.45
"""Largest share of the names of the width of the panel."""


class FieldLinks(Struct, frozen=True):
    """Links of fields: the places that they can reach, clicking and hovering, and names.

    `address` is that of the file whose rows the fields number.
    """

    reaches: Callable[[Place], bool]
    follow: Callable[[Place], None]
    point: Callable[[Place], None] = lambda _ignored: None
    address: Address = CURRENT
    label: Callable[[Place], str] = lambda place: f"{place.row}"

    def draw(self, words: str, place: Place) -> None:
        """Draw a link to a place."""
        if imgui.text_link(words):
            self.follow(place)
        if imgui.is_item_hovered():
            self.point(place)


NO_LINKS: Final = FieldLinks(lambda _ignored: False, lambda _ignored: None)
"""Links of a record that has none."""


_WRAPPING: Final = ValueStyle(is_wrapping=True, text_of=raw_text)
"""The style of most values."""
SPACE: Final = "space"
"""Ends the units of lengths, which only tooltips name."""


class RecordEditing(Struct, frozen=True):
    """Editing of the fields of a record.

    Parameters
    ----------
    editor
        The editor of the panel.
    address, table, rows
        The payload, the path of the table, and the rows that are set: the one shown, or several.
    choices
        The names of the rows that a field may number.
    count
        Number of rows that are set.
    start
        Offset of the record in the payload, by which changed fields are marked; None marks none.
    substitute_for
        As in `Edit`.
    """

    frame: UiContext
    editor: FieldEditor
    address: Address
    table: str
    rows: RowChoice
    choices: Choices = no_choices
    count: int = 1
    start: int | None = None
    substitute_for: str = ""

    @property
    def changed(self) -> Callable[[Field], bool]:
        """Tells whether a field differs from the saved file."""
        start, ranges = self.start, self.frame.lookups.changed(self.address)
        if start is None or not ranges:
            return _is_unchanged
        return lambda field: ranges.touches(start + field.offset, field.size)

    def target(self, field: Field, value: Any) -> EditableField:
        """A field of the record that can be edited."""
        place = self.address, self.table, self.rows
        return EditableField(*place, field, value, self.count, substitute_for=self.substitute_for)

    def draw_menu(self, field: Field, value: Any) -> None:
        """Draw what the context menu of a field offers beside copying it."""
        draw_field_menu(self.frame, self.address, self.table, self.rows.first, field, value)

    def draw(
        self,
        field: Field,
        value: Any,
        readings: Collection[str],
        link: Callable[[], None] | None,
        width: float = LEAST_WIDTH,
    ) -> None:
        """Draw a value that can be changed.

        Parameters
        ----------
        link
            Draws a value that leads somewhere.
        width
            Least width of each element, font heights.
        """
        style = _WRAPPING
        if link is not None or width != LEAST_WIDTH:
            style = ValueStyle(is_wrapping=True, text_of=raw_text, link=link, width=width)
        choices = self.choices if field.reading in ("", *readings) else no_choices
        self.editor.draw(self.frame, self.target(field, value), style, choices, readings)


class EntryEditing(Struct, frozen=True):
    """Editing of the records of an entry, wherever they are shown.

    Parameters
    ----------
    editor
        The editor of the panel.
    address
        The entry.
    substitute_for
        As in `Edit`.
    """

    frame: UiContext
    editor: FieldEditor
    address: Address
    substitute_for: str = ""

    def of(self, table: str, row: int | None = None) -> RecordEditing:
        """Edit a row of a table, or a single record."""
        rows = RowChoice() if row is None else RowChoice.of(row)
        place = self.address, table, rows
        name = self.substitute_for
        return RecordEditing(self.frame, self.editor, *place, self.choices, substitute_for=name)

    def choices(self, field: Field) -> list[Choice]:
        """The resources that a field may name."""
        names = self.frame.lookups.names(field.names, self.address, b"") if field.names else ()
        return [Choice(name, name) for name in names]


def draw_record(
    record: Record,
    row: np.void,
    reading: Reading,
    links: FieldLinks,
    *,
    skip: tuple[str, ...] = (),
    marked: str = "",
    editing: RecordEditing | None = None,
) -> None:
    """Draw the fields of `row` but those in `skip`; a value that numbers a row can be followed there.

    The field called `marked` is highlighted. Without `editing` the values cannot be changed.
    """
    fields = [field for field in record.fields if field.name not in skip]
    is_changed, choices = _is_unchanged if editing is None else editing.changed, reading.choices
    if not _begin_table(record.name, (field.name for field in fields)):
        return
    for field in fields:
        value = row[field.name]
        imgui.push_id(field.name)
        _begin_field(field, is_changed=is_changed(field))
        more = None if editing is None else partial(editing.draw_menu, field, value)
        _explain_field(field, more or (lambda: None))
        imgui.table_next_column()
        _draw_value(field, value, choices, links, editing)
        if field.name == marked:
            imgui.table_set_bg_color(imgui.TableBgTarget_.row_bg1, theme.packed(theme.ACCENT, MARK))
        imgui.pop_id()
    imgui.end_table()


def draw_facts(
    name: str, facts: Mapping[str, str], links: Mapping[str, Callable[[str], None]] = MappingProxyType({})
) -> None:
    """Draw derived values as names and texts that can be copied; those in `links` draw themselves."""
    if not _begin_table(name, facts):
        return
    for number, (title, value) in enumerate(facts.items()):
        imgui.table_next_row()
        imgui.table_next_column()
        wrapped(title, theme.DIM)
        imgui.table_next_column()
        if title in links:
            links[title](value)
            continue
        wrapped(value)
        copy_menu(f"copy{number}", value)
    imgui.end_table()


def _begin_table(name: str, names: Iterable[str]) -> bool:
    """Begin a table of names and values; in a narrow panel the names leave more to the values."""
    most = _NAME_SHARE * imgui.get_content_region_avail().x
    if not imgui.begin_table(f"##{name}", 2, _FLAGS):
        return False
    widest = max((imgui.calc_text_size(name).x for name in names), default=0.0)
    width = min(max(widest, theme.em(_NAME_WIDTH)), most)
    imgui.table_setup_column("name", imgui.TableColumnFlags_.width_fixed, width)
    imgui.table_setup_column("value", imgui.TableColumnFlags_.width_stretch)
    return True


def places(field: Field, value: Any, address: Address) -> Iterator[Place]:
    """Yield the rows that a field's value numbers in a file, one per item, without "nothing"."""
    if field.refers_to is None:
        return
    for item in np.asarray(value).ravel().tolist():
        if not is_none(field, item):
            yield Place(address, field.refers_to, int(item))


def places_in_bits(
    field: Field, value: Any, choices: Collection[str], address: Address
) -> Iterator[tuple[Place, Bits]]:
    """Yield the rows that groups of bits of a field number in a file in the readings in effect."""
    for bits in field.bits:
        if bits.refers_to is not None and bits.reading in ("", *choices) and bits.of(value) != bits.none:
            yield Place(address, bits.refers_to, int(bits.of(value))), bits


def certainty(status: Status) -> str:
    """Return a certainty as text."""
    return {
        Status.PROVEN: _("proven"),
        Status.INFERRED: _("inferred from the data, not proven"),
        Status.HYPOTHESIS: _("hypothesis: one of several ways to look at unknown bytes"),
        Status.OPEN: _("open: the meaning is unknown"),
    }[status]


def _is_unchanged(_ignored: Field) -> bool:
    return False


def _begin_field(field: Field, *, is_changed: bool) -> None:
    """Draw the name of a field."""
    imgui.table_next_row()
    imgui.table_next_column()
    with colored(theme.UNSAVED if is_changed else theme.TEXT):
        imgui.selectable(field.name, False)


def _explain_field(field: Field, draw_more: Callable[[], None]) -> None:
    """Draw the tooltip of a name, and its context menu; `draw_more` draws further entries of that."""
    tooltip(lambda: [*tooltip_lines(field), certainty(field.status)])
    copy_menu("copy", field.name, draw_more)


def _draw_value(
    field: Field, value: Any, choices: Collection[str], links: FieldLinks, editing: RecordEditing | None
) -> None:
    is_used = field.reading in ("", *choices)
    targets = [*places(field, value, links.address)] if is_used else []
    reached = [place for place in targets if links.reaches(place)]
    is_link = len(targets) == 1 and bool(reached)
    link = partial(_draw_target, field, reached[0], value, links) if is_link else None
    if editing is not None:
        editing.draw(field, value, choices, link)
    elif link is not None:
        link()
    else:
        stored = raw_text(field, value)
        wrapped(stored)
        copy_menu("copy_stored", stored)
    if len(targets) > 1:
        _draw_targets(field, reached, links)
    words = meaning(field, value, choices)
    if unit := _unit(field, words):
        imgui.same_line()
        text(unit, theme.DIM)
    _draw_meaning(field, words)
    for place, bits in places_in_bits(field, value, choices, links.address):
        if links.reaches(place):
            links.draw(labeled(f"{bits.name} {links.label(place)}", f"follow_{bits.name}"), place)


def _unit(field: Field, words: str) -> str:
    """The unit next to a value whose meaning is said in `words`; empty if those say it."""
    return translated(field.unit) if field.unit and not words and not field.unit.endswith(SPACE) else ""


def _draw_target(field: Field, place: Place, value: Any, links: FieldLinks) -> None:
    """Draw the row that a value numbers as a link."""
    links.draw(labeled(links.label(place), f"follow_{field.name}"), place)
    tooltip(partial(_target_hint, place))
    copy_menu("copy_stored", raw_text(field, value))


def _target_hint(place: Place) -> str:
    return _("go to {place}", place=f"{place.table} {place.row}")


def _draw_targets(field: Field, reached: Sequence[Place], links: FieldLinks) -> None:
    for number, place in enumerate(reached):
        if number:
            imgui.same_line()
        links.draw(labeled(links.label(place), f"follow_{field.name}{number}"), place)
        tooltip(partial(_target_hint, place))


def _draw_meaning(field: Field, words: str) -> None:
    """The meaning of the value below it, and the certainty of a field that is not proven."""
    if field.status is not Status.PROVEN:
        text(str(STATUS_NAMES[field.status]), theme.STATUSES[field.status])
        tooltip(certainty(field.status))
        used = imgui.get_item_rect_size().x + imgui.get_style().item_spacing.x
        if words and used + imgui.calc_text_size(words).x < imgui.get_content_region_avail().x:
            imgui.same_line()  # else the meaning has the whole width of the column
    if words:
        wrapped(words, theme.DIM)
        copy_menu("copy_meaning", words)
