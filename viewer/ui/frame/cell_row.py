"""The LODs and the groups in the toolbar: a caption and a button for each, made once for what they show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from imgui_bundle import ImVec2, imgui
from msgspec import Struct

from viewer.model.mesh.shown import Cell, PartChoice
from viewer.session.field_text import GROUP_HINT, LOD_HINT, cell_hint, group_name, lod_name, short_count
from viewer.session.opened.document import Document
from viewer.session.view.view_state import GROUP_COUNT, LOD_COUNT
from viewer.translation import Text, _
from viewer.ui.widgets import theme
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import colored, labeled, switched, text, tooltip


class CellButton(NamedTuple):
    """The button of a LOD or group, dimmed if the model has nothing of its own in the cell."""

    label: str
    color: Color
    is_on: bool
    hint: Callable[[], Iterable[str]]


class CellRow(Struct, frozen=True):
    """The caption of the LODs or of the groups, the room up to its buttons, and those; made once."""

    caption: str
    room: float
    hint: Callable[[], Iterable[str]]
    buttons: tuple[CellButton, ...]

    def draw_caption(self) -> None:
        """Draw the caption; what follows it never moves."""
        imgui.align_text_to_frame_padding()
        text(self.caption, theme.DIM)
        tooltip(self.hint)
        imgui.same_line(0, self.room - imgui.get_item_rect_size().x)

    def draw_buttons(self, width: float, reason: str = "") -> int | None:
        """Draw the buttons, each `width` wide; return the number of the one that was pressed.

        With a `reason` they are disabled, and their tooltip says it.
        """
        imgui.begin_disabled(bool(reason))
        pressed, size, gap = None, ImVec2(width, 0), theme.em(0.15)
        for number, button in enumerate(self.buttons):
            with colored(button.color), switched(is_on=button.is_on):
                if imgui.button(button.label, size):
                    pressed = number
            tooltip(reason or button.hint)
            imgui.same_line(0, gap)
        imgui.end_disabled()
        return pressed


def lods_of(documents: Sequence[Document], choice: PartChoice, has_counts: bool) -> CellRow:
    """The LODs of the chosen group."""
    document = _alone(documents)
    names = [lod_name(document, lod) for lod in range(LOD_COUNT)]
    shown = _("destroyed") if choice.is_destroyed else names[choice.lod]
    caption, others = (shown, (*names, _("destroyed"))) if has_counts else (_("LOD"), ())
    cells = {(lod, choice.group): lod == choice.lod and not choice.is_destroyed for lod in range(LOD_COUNT)}
    buttons = tuple(_cell_buttons(documents, choice, "lod", cells, has_counts=has_counts))
    hint = partial(_axis_hint, LOD_HINT, names, "[ ]")
    return CellRow(caption, _room_of(caption, others), hint, buttons)


def groups_of(documents: Sequence[Document], choice: PartChoice, has_counts: bool) -> CellRow:
    """The groups of the chosen LOD."""
    document = _alone(documents)
    names = [group_name(document, group) for group in range(GROUP_COUNT)]
    caption, others = (names[choice.group], names) if has_counts else (_("group"), [])
    cells = {(choice.lod, group): group == choice.group for group in range(GROUP_COUNT)}
    buttons = tuple(_cell_buttons(documents, choice, "group", cells, has_counts=has_counts))
    hint = partial(_axis_hint, GROUP_HINT, names, "Shift+[ Shift+]")
    return CellRow(caption, _room_of(caption, others), hint, buttons)


def _alone(documents: Sequence[Document]) -> Document | None:
    """The model whose names of cells are used; those of the field for several, or none."""
    return documents[0] if len(documents) == 1 else None


def _room_of(caption: str, others: Iterable[str]) -> float:
    """The width of the widest text that the caption may have, and a gap."""
    return max(imgui.calc_text_size(it).x for it in (caption, *others)) + theme.em(0.4)


def _axis_hint(words: Text, names: Sequence[str], keys: str) -> list[str]:
    return [str(words), *names, _("Keys: {keys}", keys=keys)]


def _cell_buttons(
    documents: Sequence[Document],
    choice: PartChoice,
    name: str,
    cells: Mapping[Cell, bool],
    *,
    has_counts: bool,
) -> Iterator[CellButton]:
    """Yield the buttons of some cells, of each of which is given whether it is on."""
    document = _alone(documents)
    counts = [it.chooser.triangle_counts(choice) for it in documents]
    for number, (cell, is_on) in enumerate(cells.items()):
        count = sum(int(it[cell]) for it in counts)
        is_own = any(it.triangle_counts[cell] for it in documents)
        shown = short_count(count) if count else "-"
        label = f"{number}   {shown}" if has_counts else str(number)
        if is_on and not (is_own or has_counts):
            label = f"({number})"  # grey is hard to read on the color of a switch
        color = theme.TEXT if is_own or is_on else theme.FAINT
        hint = partial(cell_hint, document, cell, count, is_own=is_own)
        yield CellButton(labeled(label, f"{name}{number}"), color, is_on, hint)
