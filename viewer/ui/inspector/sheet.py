"""The source of the sections of the Inspector: the frame, its document, and the targets of links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

import numpy as np
from imgui_bundle import imgui
from msgspec import Struct

from viewer.formats.part import Part, find
from viewer.formats.record import Field, Record, Rows
from viewer.model.edit.values import RowChoice
from viewer.model.mesh.engine_model import EngineField
from viewer.model.store.place import Place
from viewer.model.tables.set_fields import DecodedField
from viewer.session.field_text import counted, numbers_text
from viewer.session.opened.document import Document
from viewer.session.places import batches_at, exists, linked
from viewer.session.selection import Selection
from viewer.translation import Text, _
from viewer.ui.context import UiContext
from viewer.ui.editing.editable_field import Choice, EditableField
from viewer.ui.editing.field_editor import FieldEditor
from viewer.ui.editing.value_box import ValueStyle
from viewer.ui.fields.field_view import FieldLinks, RecordEditing, draw_facts, draw_record
from viewer.ui.inspector.degrees import HeldAngles
from viewer.ui.material.uv_layer import UvLayer
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import identified, labeled, text, wrapped

_MOST_LINKS: Final = 24
"""Most links in one list; the rest is counted."""
TABLE: Final = (
    imgui.TableFlags_.row_bg | imgui.TableFlags_.borders_inner_v | imgui.TableFlags_.no_saved_settings
)

Cells = tuple[tuple[str, Color], ...]
"""The texts of a row and their colors."""


class SheetTools(Struct, frozen=True):
    """The values that the Inspector keeps from frame to frame, made once for a revision."""

    editor: FieldEditor
    degrees: HeldAngles
    parts: Cached[Part]
    facts: Cached[dict[str, str]]
    entries: Cached[dict[int, Cells]]
    engine: Cached[tuple[EngineField, ...]]
    uv: UvLayer


class Sheet(Struct, frozen=True):
    """The parts of the Inspector in a frame."""

    frame: UiContext
    document: Document
    selection: Selection
    links: FieldLinks
    tools: SheetTools

    @property
    def made_of(self) -> tuple[object, object]:
        """The inputs of the values of `tools`."""
        return self.document.identity, self.document.revision

    def place(self, table: str, row: int) -> Place:
        """Return the place of a row of a table."""
        return Place(self.document.address, table, row)

    def label(self, table: str, row: int) -> str:
        """Return the number and the name of a row."""
        return self.document.labels.label(table, row)

    def record(
        self,
        record: Record,
        rows: np.ndarray,
        row: int,
        *,
        skip: tuple[str, ...] = (),
        table: str = "",
        edited: tuple[int, ...] = (),
    ) -> None:
        """Draw one row of a table, or an error if it does not exist.

        Parameters
        ----------
        table
            Its name in places, if it is not that of the record.
        edited
            The rows that are set together; empty for the one that is shown.
        """
        if 0 <= row < len(rows):
            reveal = self.frame.state.reveal
            marked = reveal.field if reveal and reveal in self.place(table or record.name, row) else ""
            reading = self.document.choice.reading
            editing = self.editing(table or record.name, *(edited or (row,)))
            draw_record(record, rows[row], reading, self.links, skip=skip, marked=marked, editing=editing)
        else:
            count = counted(len(rows), "{count} row", "{count} rows")
            words = _("{table} has {count}; row {row} does not exist.")
            wrapped(words.format(table=record.name, count=count, row=row), theme.ERROR)

    def decoded(self, title: str, table: str, rows: Rows, row: int, decoded: DecodedField) -> None:
        """Draw what a packed value of rows, (n,), stands for, which is set instead of the stored numbers."""
        field, value = decoded.field, decoded.decode(rows[decoded.field.name][row : row + 1])[0]
        with identified("decoded"):
            draw_facts(field.name, {title: ""}, {title: self.drawing(table, row, field, value)})

    def drawing(self, table: str, row: int, field: Field, value: np.ndarray) -> Callable[[str], None]:
        """Return what draws the decoded value of a packed field so that it can be set."""
        target = EditableField(self.document.address, table, RowChoice.of(row), field, value, is_printed=True)
        style = ValueStyle(is_wrapping=True, text_of=_decoded_text)
        return lambda _ignored: self.tools.editor.draw(self.frame, target, style)

    def editing(self, table: str, *rows: int) -> RecordEditing:
        """Editing of the fields of rows of a table: all are set to what one of them is set to."""
        part = find(self.tools.parts.of(self.made_of, self.document.model), table)
        return RecordEditing(
            self.frame,
            self.tools.editor,
            self.document.address,
            table,
            _chosen(rows),
            partial(choices_in, self.document),
            len(rows),
            part.span(rows[-1] if rows else None)[0] if part is not None else None,
        )

    def rows(self, name: str, title: str, table: str, rows: Sequence[int]) -> None:
        """Draw links to rows of a table with their names."""
        shown = rows[:_MOST_LINKS]
        places = [(self.place(table, row), self.label(table, row)) for row in shown]
        self.places(name, title, places, left_out=len(rows) - len(shown))

    def places(self, name: str, title: str, places: Sequence[tuple[Place, str]], left_out: int = 0) -> None:
        """Draw links, wrapped to the width of the panel; `left_out` more are counted."""
        text(title, theme.DIM)
        for number, (place, words) in enumerate(places[:_MOST_LINKS]):
            controls.same_line_if_room(imgui.calc_text_size(words).x)
            if not self.links.reaches(place):
                text(words, theme.ERROR)
            else:
                with identified(number):
                    self.links.draw(labeled(words, f"{name}{place.row}"), place)
        left_out += max(0, len(places) - _MOST_LINKS)
        if not places or left_out:
            imgui.same_line()
            text(_("and {count} more", count=left_out) if places else _("none"), theme.FAINT)


class InspectedRow(NamedTuple):
    """A section of the Inspector: a row of a table with its fields and links.

    Attributes
    ----------
    id
        The name in every language.
    title
        The text of its header, in which ``{row}`` stands for the name of the row.
    row
        The row in the table; None without a section.
    changed
        The table and the rows that the commands of the section change, the active one last; by default the
        row of the section.
    """

    id: str
    title: Text
    table: str
    row: int | None
    draw: Callable[[Sheet, int], None]
    changed: tuple[str, Sequence[int]] | None = None
    is_open_at_first: bool = True


@lru_cache(maxsize=16)
def _chosen(rows: tuple[int, ...]) -> RowChoice:
    """Rows by their numbers, of which there may be thousands in every frame."""
    return RowChoice.of(*rows)


def _decoded_text(_ignored: Field, number: Any) -> str:
    return numbers_text(np.atleast_1d(number))


def choices_in(document: Document, field: Field) -> Sequence[Choice]:
    """Return the rows of a document that a field may number, by their names; none if they have no names."""
    table = field.refers_to or ""
    names = document.labels.names(table)
    return [Choice(row, f"{row} {name}") for row, name in enumerate(names)]


def links_of(frame: UiContext, document: Document) -> FieldLinks:
    """Links lead to rows of the document; the pointer on one lets the batches of the row flash."""
    return FieldLinks(
        reaches=lambda place: exists(document, linked(document, place)),
        follow=lambda place: frame.later(frame.control.opening.go_to, linked(document, place)),
        point=lambda place: frame.flash(batches_at(document, place)),
        address=document.address,
        label=lambda place: document.labels.label(place.table, place.row or 0),
    )
