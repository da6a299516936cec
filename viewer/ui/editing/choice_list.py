"""The list under a value in which another one is chosen or typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from imgui_bundle import ImVec2, imgui

from viewer.dataclass import dataclass
from viewer.errors import EditError, error_text
from viewer.formats.record import Field
from viewer.translation import _
from viewer.ui.editing import edit_spot
from viewer.ui.editing.edit_spot import EditSpot, Element
from viewer.ui.widgets import theme
from viewer.ui.widgets.filter_field import FilterField
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import (
    identified,
    labeled,
    text,
    wrapped,
)

MOST_LINES: Final = 14
"""Lines of the list before it scrolls."""
WIDTH: Final = 16.0
"""Width of the list, font heights."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One value.

    Parameters
    ----------
    value
        As a change takes it.
    words
        What it is called.
    """

    value: Any
    words: str


Choices = Callable[[Field], Sequence[Choice]]
"""Gives the values that a field can be set to; empty if any number or text can be typed."""


def no_choices(field: Field) -> Sequence[Choice]:
    """Return none."""
    del field
    return ()


def named_values(field: Field) -> list[Choice]:
    """Return the values of an enumeration, and the one that means none."""
    none = [Choice(None, _("none"))] if field.none is not None and field.none not in field.values else []
    return [*none, *(Choice(value, f"{value}  {name}") for value, name in sorted(field.values.items()))]


class ChoiceList:
    """The list under a value in which another is chosen or typed; owner: a `FieldEditor`."""

    def __init__(self) -> None:
        self._filter = FilterField("choose", _("Type a value or part of a name"))
        self._choices: Sequence[Choice] = ()
        self._shown: tuple[str, Sequence[Choice]] = ("", ())
        self._problem = ""

    def open(self, choices: Sequence[Choice]) -> None:
        """Begin with some choices."""
        self._choices, self._problem = choices, ""
        self._filter.clear()
        self._filter.ask()
        self._shown = ("", choices)

    def draw(self, spot: EditSpot, element: Element) -> Choice | None:
        """Draw the list inside its popup; return what was chosen in this frame."""
        imgui.dummy(ImVec2(theme.em(WIDTH), 0))
        self._filter.draw()
        chosen = self._typed(spot, element) if self._filter.is_entered else None
        if self._problem:
            wrapped(self._problem, theme.ERROR)
        shown = self._passing()
        height = imgui.get_text_line_height_with_spacing() * min(max(len(shown), 1), MOST_LINES)
        imgui.begin_child("choices", ImVec2(0, height))
        now = _now(spot, element)
        for index in rows_on_screen(len(shown)):
            with identified(index):
                if imgui.selectable(labeled(shown[index].words, "choice"), shown[index].value == now)[0]:
                    chosen = shown[index]
        chosen = self._offered(spot, shown) or chosen
        if not shown:
            text(_("No name matches."), theme.FAINT)
        imgui.end_child()
        return chosen

    def _offered(self, spot: EditSpot, shown: Sequence[Choice]) -> Choice | None:
        """Offer a typed text that is not one of the names; return it if it was chosen."""
        words = self._filter.text
        if not spot.field.is_text or not words or any(it.value == words for it in shown):
            return None
        label = labeled(_("Set to {text}", text=repr(words)), "as_typed")
        return Choice(words, words) if imgui.selectable(label, False)[0] else None

    def _passing(self) -> Sequence[Choice]:
        """The choices whose names pass the filter."""
        if self._shown[0] != self._filter.text:
            names = self._filter.names
            self._shown = self._filter.text, [it for it in self._choices if names.matches(it.words)]
            self._problem = ""
        return self._shown[1]

    def _typed(self, spot: EditSpot, element: Element) -> Choice | None:
        """What was typed as a value, else the first name that passes."""
        words, passing = self._filter.text, self._passing()
        # "steel" may be a name and the beginning of others: the exact one wins.
        if spot.field.is_text and passing:
            exact = (it for it in passing if it.words.casefold() == words.casefold())
            return next(exact, passing[0])
        try:
            value = edit_spot.value_of(spot.field, words)
            spot.check(value, element)
        except EditError as error:
            if passing:
                return passing[0]
            self._problem = error_text(error)
            self._filter.ask()
            return None
        return Choice(value, words)


def _now(spot: EditSpot, element: Element) -> Any:
    """The value that is stored, as a choice has it."""
    # numpy's own types do not compare as the values of a list do.
    value = np.asarray(spot.element(element)).tolist()
    if isinstance(value, bytes):
        return edit_spot.text_of(spot.field, value)
    return None if value == spot.field.none else value
