"""Where the authorities disagree: what was chosen for this file, why, and a way to choose otherwise."""

from __future__ import annotations

from typing import Final

from imgui_bundle import imgui

from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.record import Rows
from viewer.model.mesh.reading import (
    MaterialField,
    ReadingChoice,
    Reason,
    ResolvedReading,
    why_material_field,
)
from viewer.translation import Message
from viewer.ui.context import UiContext
from viewer.ui.fields.field_view import draw_facts
from viewer.ui.requests import UseReading
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import empty, text, tooltip, wrapped

_REASONS: Final = {
    Reason.BOX: "the posed geometry fits the box in the header",
    Reason.VOTE: "more keys are near the identity this way",
    Reason.TIE: "nothing speaks for either, so as the engine's code was read",
    Reason.USER: "you chose it",
}
_WANTED: Final = {
    ReadingChoice.AUTO: "Automatic",
    ReadingChoice.SEED: "Seed: as the engine's code was read",
    ReadingChoice.FIELD: "Field: as retail files suggest",
}
NAMES_FROM_RECORDS: Final = "Res9 records; Res10 holds labels, what sockets take"
NAMES_FROM_STRINGS: Final = "Res10 strings"


class ReadingsPanel:
    """The choices of the open document and the override."""

    id = "readings"
    title = Message("Readings")

    def draw(self, frame: UiContext) -> None:
        """Draw the override and the evidence."""
        if frame.document is None:
            empty("How a file is read appears here.")
            return
        document = frame.document
        choice = document.choice
        wrapped("Some fields have two readings. Files are never changed by choosing one.", theme.DIM)
        _draw_override(frame, choice)
        reading = choice.reading
        draw_facts(
            "choice",
            {
                "quaternions": f"{reading.quaternion_order} on disk",
                "because": _REASONS[choice.reason],
                "wear row": wear_row_text(document.model.batches, choice),
                "slot matrix": "LOD by group, or damage state by level of detail: the same cells",
                "node names": NAMES_FROM_RECORDS if reading.has_name_records else NAMES_FROM_STRINGS,
                "game folder": document.game.text,
            },
        )
        text("evidence for the quaternion order", theme.DIM)
        draw_facts("evidence", {order.value: _evidence(choice, order) for order in QuaternionOrder})


def summary(choice: ResolvedReading) -> str:
    """Return the reading in effect in a few words: ``auto: xyzw, seed``."""
    reading = choice.reading
    return f"{choice.wanted}: {reading.quaternion_order}, {reading.material_field}"


def wear_row_text(batches: Rows, choice: ResolvedReading) -> str:
    """Return where batches keep their wear row, and why that is believed."""
    is_seed = choice.reading.material_field is MaterialField.SEED
    place = "u16 at +0x02" if is_seed else "low byte at +0x04"
    return f"{place}: {why_material_field(batches, choice)}"


def evidence_lines(choice: ResolvedReading) -> list[str]:
    """Return why the reading is what it is, a line each."""
    return [
        f"reading {summary(choice)}",
        _REASONS[choice.reason],
        *(f"{order}: {_evidence(choice, order)}" for order in QuaternionOrder),
    ]


def _evidence(choice: ResolvedReading, order: QuaternionOrder) -> str:
    votes = f"{choice.votes[order]} keys speak for it"
    if choice.errors is None:
        return f"no box to compare, {votes}"
    return f"box off by {choice.errors[order]:.3%} of its diagonal, {votes}"


def _draw_override(frame: UiContext, choice: ResolvedReading) -> None:
    imgui.set_next_item_width(-1)
    if imgui.begin_combo("##reading", _WANTED[choice.wanted]):
        for wanted, words in _WANTED.items():
            if imgui.selectable(f"{words}###{wanted}", wanted is choice.wanted)[0]:
                frame.request(UseReading(wanted.value))
        imgui.end_combo()
    tooltip("Read the file in another way")
