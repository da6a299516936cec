"""Readings panel: the reading of disputed fields, the evidence for it, and a way to override it."""

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
from viewer.session.opened.document import Document
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.fields.field_view import draw_facts
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import counted
from viewer.ui.widgets.names import name_of
from viewer.ui.widgets.widgets import empty, labeled, text, tooltip, wrapped

_REASONS: Final = {
    Reason.BOX: _("the posed geometry fits the bounding box of the header"),
    Reason.VOTE: _("more keys are close to the identity in this order"),
    Reason.TIE: _("inconclusive; defaulting to the seed order"),
    Reason.USER: _("chosen by you"),
}
_CHOICES: Final = {
    ReadingChoice.AUTO: _("Automatic"),
    ReadingChoice.SEED: _("Seed (from the engine's disassembly)"),
    ReadingChoice.FIELD: _("Field (from retail files)"),
}
NAMES_FROM_RECORDS: Final = _("Res9 records; Res10 holds labels")
NAMES_FROM_STRINGS: Final = _("Res10 strings")


class ReadingsPanel:
    """The reading of the open document and the override."""

    id = "readings"
    title = _("Readings")

    def draw(self, frame: UiContext) -> None:
        """Draw the override and the evidence."""
        if frame.document is None:
            empty(_("The readings of the open model appear here."))
            return
        document = frame.document
        choice = document.choice
        wrapped(_("Some fields have two readings. Choosing one never changes the file."), theme.DIM)
        _draw_override(frame, choice)
        reading = choice.reading
        draw_facts(
            "choice",
            {
                _("quaternions"): _("{order} on disk", order=reading.quaternion_order),
                _("because"): str(_REASONS[choice.reason]),
                _("wear row"): wear_row_text(document.model.batches, choice),
                _("slot matrix"): _slot_matrix(document),
                _("node names"): str(NAMES_FROM_RECORDS if reading.has_name_records else NAMES_FROM_STRINGS),
                _("game folder"): translated(document.game.text),
            },
        )
        if document.game.folder is None:
            for number, install in enumerate(frame.state.installs):
                words = _("Use the game found ({launcher})", launcher=name_of(install.launcher))
                if imgui.button(labeled(words, f"use_install{number}")):
                    frame.commands.opening.use_game(install.folder)
                tooltip(install.folder)
        text(_("evidence for the quaternion order"), theme.DIM)
        draw_facts("evidence", {order.value: _evidence(choice, order) for order in QuaternionOrder})


def summary(choice: ResolvedReading) -> str:
    """Return the reading in use: ``auto: xyzw, seed``."""
    reading = choice.reading
    order, field = reading.quaternion_order, reading.material_field
    return _("{choice}: {order}, {field}", choice=choice.requested, order=order, field=field)


def _slot_matrix(document: Document) -> str:
    """Return how the rows and columns of the slot matrix are read."""
    if document.is_terrain:
        return _("LOD by group: fine and coarse by tile, as the slot matrix of this file shows")
    if document.is_in_seed_reading:
        return _("LOD by group; the seeds state no meaning")
    return _("LOD by group: damage stage by level of detail, as measured in retail files")


def wear_row_text(batches: Rows, choice: ResolvedReading) -> str:
    """Return where batches store their wear row, and the evidence."""
    is_seed = choice.reading.material_field is MaterialField.SEED
    where = _("u16 at +0x02") if is_seed else _("low byte at +0x04")
    return f"{where}: {translated(why_material_field(batches, choice))}"


def evidence_lines(choice: ResolvedReading) -> list[str]:
    """Return the reading and its evidence, a line each."""
    return [
        _("reading {reading}", reading=summary(choice)),
        str(_REASONS[choice.reason]),
        *(f"{order}: {_evidence(choice, order)}" for order in QuaternionOrder),
    ]


def _evidence(choice: ResolvedReading, order: QuaternionOrder) -> str:
    votes = counted(choice.votes[order], "{count} key supports it", "{count} keys support it")
    if choice.errors is None:
        return _("no bounding box to compare, {votes}", votes=votes)
    words = _("bounding box off by {error:.3%} of its diagonal, {votes}")
    return words.format(error=choice.errors[order], votes=votes)


def _draw_override(frame: UiContext, choice: ResolvedReading) -> None:
    imgui.set_next_item_width(-1)
    if imgui.begin_combo("##reading", str(_CHOICES[choice.requested])):
        for requested, words in _CHOICES.items():
            if imgui.selectable(labeled(str(words), requested.value), requested is choice.requested)[0]:
                frame.commands.opening.use_reading(requested.value)
        imgui.end_combo()
    tooltip(_("Choose another reading"))
