"""What is said about the reading in effect."""

from __future__ import annotations

from msgspec.structs import replace

from tests.ui.scenes import tank_document
from viewer.formats.msh.keys import QuaternionOrder
from viewer.model.mesh.reading import FIELD, MaterialField, Reason, why_material_field
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.ui.panels.readings import evidence_lines, summary


def test_summary_names_who_chose_and_what() -> None:
    choice = tank_document().choice
    assert summary(choice) == "auto: xyzw, seed"
    assert summary(replace(choice, requested=ReadingChoice.FIELD, reading=FIELD)) == "field: wxyz, field"


def test_the_wear_row_has_its_reason() -> None:
    document = tank_document()
    batches, choice = document.model.batches, document.choice
    assert choice.reading.material_field is MaterialField.SEED
    assert why_material_field(batches, choice) == "no evidence for the low bytes at +0x04"
    assert why_material_field(batches[:0], choice) == "this model has no batches"
    chosen = replace(choice, requested=ReadingChoice.FIELD, reading=FIELD)
    assert why_material_field(batches, chosen) == "the field reading was requested"


def test_evidence_gives_the_measured_error_of_both_orders() -> None:
    errors = {QuaternionOrder.XYZW: 0.001, QuaternionOrder.WXYZ: 0.25}
    choice = replace(tank_document().choice, errors=errors, decided_by=Reason.BOX)
    text = "\n".join(evidence_lines(choice))
    assert "0.100%" in text
    assert "25.000%" in text
    assert "bounding box of the header" in text
    assert choice.margin == 0.249


def test_without_a_box_the_votes_are_all_there_is() -> None:
    choice = replace(tank_document().choice, errors=None, decided_by=Reason.VOTE)
    assert all("no bounding box" in line for line in evidence_lines(choice)[2:])
    assert choice.margin is None
