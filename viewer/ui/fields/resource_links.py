"""Links from the fields of a payload to what they name or number."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui
from msgspec import Struct, field
from msgspec.structs import replace

from viewer.formats.part import find
from viewer.formats.record import Field
from viewer.model.references.links import NO_LINKS, Links
from viewer.model.references.targets import Target, archive_in
from viewer.model.store.place import Place
from viewer.session.field_text import cell_text
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.editing.editable_field import Choice, target_of
from viewer.ui.editing.field_editor import FieldEditor
from viewer.ui.editing.field_menu import draw_bytes_items, draw_field_menu
from viewer.ui.editing.model_menu import draw_new_rows, draw_row_menu
from viewer.ui.editing.value_box import ValueStyle
from viewer.ui.fields.part_rows import PartRow
from viewer.ui.widgets import theme
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import Hint, colored, copy_menu, labeled, readable, text, tooltip

MOST_LINKS: Final = 16
"""Links in one line."""
MOST_CHOICES: Final = 512
"""Rows without names that are listed."""


class ResourceLinks(Struct, frozen=True):
    """The links of the payload that is drawn, how they are followed, and how values are edited.

    Parameters
    ----------
    editor
        What edits the values; None if they cannot be changed.
    readings
        The readings in effect.
    kind
        The id of the kind of the payload, by which rows can be added and moved; or empty.
    row_names
        The names of the rows of tables that have some.
    """

    frame: UiContext
    links: Links = NO_LINKS
    editor: FieldEditor | None = None
    readings: Collection[str] = ()
    kind: str = ""
    row_names: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def name_of(self, line: PartRow) -> str:
        """The text of a line: of a row with a name the number and the name."""
        names = self.row_names.get(line.table, ()) if line.field is None else ()
        if line.row is None or line.row >= len(names):
            return line.name
        return f"{line.name}  {names[line.row]}"

    def draw_row_menu(self, table: str, row: int, count: int) -> None:
        """Draw what can be done with a row of a table with `count` rows, inside an open menu."""
        if self.editor is not None and self.links.address:
            draw_row_menu(self.frame, self.links.address, self.kind, table, row, count)

    def draw_new_rows(self, table: str, before: int) -> None:
        """Draw a button that adds a row of one of several kinds to a table."""
        if self.links.address:
            draw_new_rows(self.frame, self.links.address, self.kind, table, before)

    def draw_line_menu(self, line: PartRow) -> None:
        """Draw what can be done with a field, a row or a part, inside an open menu."""
        address = self.links.address
        if address and line.field is not None:
            draw_field_menu(self.frame, address, line.table, line.row, line.field, line.value)
        elif address:
            draw_bytes_items(self.frame, Place(address, line.table, line.row))

    def is_changed(self, line: PartRow) -> bool:
        """Whether a line differs from the saved file."""
        changed = self.frame.lookups.changed(self.links.address)
        return bool(changed) and changed.touches(*line.span)

    def edited_by(self, editor: FieldEditor) -> ResourceLinks:
        """The links, with an editor that changes their values."""
        return replace(self, editor=editor)

    def draw_field(self, line: PartRow, words: str, color: Color) -> None:
        """Draw the value of a field: as a link if it leads somewhere, else as text with the reason."""
        field, record = line.field, line.part.record
        if field is None or record is None:
            draw_words(words, color)
            return
        name = f"to_{field.name}" if line.row is None else f"to_{field.name}{line.row}"
        target = self.links.of_name(record, line.record, field)
        places = [*self.links.of_numbers(field, line.value)][: MOST_LINKS + 1]
        link: Callable[[], None] | None = None
        if target is not None:
            link = partial(draw_target, self.frame, name, words, target, color)
        elif len(places) == 1 and field.count == 1:
            link = partial(draw_link, self.frame, name, words, places[0])
        if self.editor is not None and self.links.address:
            editable = target_of(self.links.address, line.table, line.row, field, line.value)
            # The words, if they say something else than the stored value.
            text_of = cell_text if words == line.text else lambda field, value: words
            style = ValueStyle(color, text_of=text_of, link=link)
            self.editor.draw(self.frame, editable, style, partial(self._choices, line), self.readings)
        elif link is not None:
            link()
        else:
            draw_words(words, color, name)
        if link is None and field.count > 1:
            _draw_places(self.frame, field.name, places)

    def _choices(self, line: PartRow, field: Field) -> Sequence[Choice]:
        """The rows of the payload that a field of a line may number, or the resources that it may name."""
        if field.names:
            record = line.part.record
            archive = archive_in(record, line.record, field) if record is not None else b""
            names = self.frame.lookups.names(field.names, self.links.address, archive)
            return [Choice(name, name) for name in names]
        part = find(self.links.root, field.refers_to) if self.links.root and field.refers_to else None
        if part is None or part.count > MOST_CHOICES:
            return ()
        return [Choice(row, str(row)) for row in range(part.count)]


def _draw_places(frame: UiContext, name: str, places: Sequence[Place]) -> None:
    """Draw a link for each row that an array of numbers names."""
    if len(places) > MOST_LINKS:
        return
    for number, place in enumerate(places):
        imgui.same_line()
        draw_link(frame, f"to_{name}{number}", f"{fa.ICON_FA_ARROW_RIGHT} {place.row}", place)


def draw_words(words: str, color: Color = theme.TEXT, name: str = "value") -> None:
    """Draw a value that is no link; `name` is the id of its menu among those of a row."""
    text(words, color)
    tooltip(words)
    copy_menu(f"copy_{name}", words)


def draw_target(frame: UiContext, name: str, words: str, target: Target, color: Color = theme.TEXT) -> None:
    """Draw what a name leads to as a link; a name that leads nowhere as text with the reason."""
    if target.place is not None:
        draw_link(frame, name, words, target.place)
        return
    text(words, theme.WARNING if color == theme.TEXT else color)
    tooltip([words, translated(target.problem)])
    copy_menu(f"copy_{name}", words)


def draw_link(frame: UiContext, name: str, words: str, place: Place) -> None:
    """Draw a link to a place; Ctrl or the middle button opens it in another tab."""
    with colored(theme.ACCENT):
        is_clicked = imgui.text_link(labeled(readable(words) or "-", name))
    _follow(frame.later.calling(frame.control.opening.go_to, place), is_clicked=is_clicked)
    tooltip(lambda: [_("go to {place}", place=place), _("Ctrl or middle click: in another tab")])
    copy_menu(f"copy_{name}", place.__str__)


def draw_row_link(
    label: str,
    target: str,
    hints: Hint,
    follow: Callable[..., None],
    draw_more: Callable[[], None] = lambda: None,
) -> None:
    """Draw the first cell of a row as a link, all over the row; its menu copies where that leads.

    Parameters
    ----------
    follow
        Goes there; in a new tab with `in_new_tab`.
    draw_more
        Draws the other entries of the menu.
    """
    is_clicked = imgui.selectable(label, False, imgui.SelectableFlags_.span_all_columns)[0]
    _follow(follow, is_clicked=is_clicked)
    tooltip(hints)
    copy_menu("copy_" + label.rpartition("###")[2], target, draw_more)


def _follow(follow: Callable[..., None], *, is_clicked: bool) -> None:
    is_apart = imgui.is_item_clicked(imgui.MouseButton_.middle)
    if is_clicked or is_apart:
        follow(in_new_tab=is_apart or imgui.get_io().key_ctrl)
