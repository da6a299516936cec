"""What is said about the reading in effect."""

from __future__ import annotations

from dataclasses import replace

from tests.ui.scenes import tank_document
from viewer.formats.msh.keys import QuaternionOrder
from viewer.model.mesh.reading import FIELD, ReadingChoice, Reason
from viewer.ui.panels.readings import evidence_lines, summary, wear_row_text


def test_summary_names_who_chose_and_what() -> None:
    choice = tank_document().choice
    assert summary(choice) == "auto: xyzw, seed"
    assert summary(replace(choice, requested=ReadingChoice.FIELD, reading=FIELD)) == "field: wxyz, field"


def test_the_wear_row_has_its_reason() -> None:
    document = tank_document()
    batches, chosen = (
        document.model.batches,
        replace(document.choice, requested=ReadingChoice.FIELD, reading=FIELD),
    )
    assert wear_row_text(batches, document.choice) == "u16 at +0x02: no evidence for the low bytes at +0x04"
    assert wear_row_text(batches[:0], document.choice) == "u16 at +0x02: this model has no batches"
    assert wear_row_text(batches, chosen) == "low byte at +0x04: the field reading was requested"


def test_evidence_gives_the_measured_error_of_both_orders() -> None:
    errors = {QuaternionOrder.XYZW: 0.001, QuaternionOrder.WXYZ: 0.25}
    choice = replace(tank_document().choice, errors=errors, reason=Reason.BOX)
    text = "\n".join(evidence_lines(choice))
    assert "0.100%" in text
    assert "25.000%" in text
    assert "bounding box of the header" in text


def test_without_a_box_the_votes_are_all_there_is() -> None:
    choice = replace(tank_document().choice, errors=None, reason=Reason.VOTE)
    assert all("no bounding box" in line for line in evidence_lines(choice)[2:])
