"""The choice of what a table of unknown meaning is looked at as, and the color of bytes looked at as one."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import Any, Final

from imgui_bundle import imgui
from msgspec.structs import replace

from viewer.formats.msh.guesses import COLOR, GUESSES, VECTORS, Guess, guess_of, is_color
from viewer.formats.msh.tables import TABLES
from viewer.formats.msh.vertices import STREAM16, STREAM18
from viewer.formats.record import Bytes, Status
from viewer.model.mesh.reading import Reading
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.fields.field_view import NO_LINKS, certainty, draw_record
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.widgets import swatch, text, tooltip, wrapped

DECLARED: Final = "declared"
_DRAWN: Final = {
    (STREAM16.name, VECTORS): _("With the vertex normals (N) they are drawn: A red, B green."),
    (STREAM18.name, COLOR): _("The shading Res18 draws it on the vertices."),
}
"""Words about the drawing of a guess in the viewport."""
_WIDTH: Final = 9.0
"""Width of the list, font heights."""


def draw_guess_choice(frame: UiContext, table: str) -> None:
    """Draw the list of what a table may be looked at as; the choice changes the view and no bytes."""
    guess = guess_of(table, frame.view.guesses)
    name = DECLARED if guess is None else guess.name
    titles = {DECLARED: _("as declared"), **{it.name: it.title for it in GUESSES[table]}}
    chosen = controls.choose(f"##guess_{table}", titles, name, _WIDTH)
    if chosen != name:
        others = {it: other for it, other in frame.view.guesses.items() if it != table}
        guesses = others if chosen == DECLARED else {**others, table: chosen}
        frame.change(partial(replace, guesses=MappingProxyType(guesses)))
    hint = _("What the bytes of {table} are looked at as; they stay as they are.", table=table)
    sure = Status.HYPOTHESIS
    if guess is None:
        sure = next(it.record.fields[0] for it in TABLES.values() if it.record and it.name == table).status
    more = _DRAWN.get((table, name))
    tooltip([hint, certainty(sure), *([more] if more else [])])


def draw_guess(guess: Guess, payload: Bytes, row: int, reading: Reading) -> None:
    """Draw a row of a table as a guess: its values, decoded ones, the colors; nothing can be set."""
    rows = guess.record.view(payload)
    if row >= len(rows):
        wrapped(_("Row {row} does not exist.", row=row), theme.ERROR)
        return
    for field in guess.record.fields:
        if is_color(field):
            draw_bgra(field.name, rows[row][field.name])
            text(field.name, theme.DIM)
    draw_record(guess.record, rows[row], reading, NO_LINKS)


def draw_bgra(name: str, value: Any) -> None:
    """Draw the color of four bytes B, G, R, A, and continue next to it."""
    blue, green, red, _alpha = (int(it) / 255 for it in value)
    swatch(name, (red, green, blue, 1.0))
    imgui.same_line()
