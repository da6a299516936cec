"""Where the fields of a record lead."""

from __future__ import annotations

from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.nodes import NODE, NONE
from viewer.model.store.place import Place
from viewer.ui.fields.field_view import places, places_in_bits


def test_a_field_leads_to_the_rows_that_it_numbers() -> None:
    slots = NODE.field("slots")
    values = [[3, NONE, NONE, NONE, 7], [NONE] * 5, [NONE] * 5]
    assert [*places(slots, values, "a.msh")] == [Place("a.msh", "slots", 3), Place("a.msh", "slots", 7)]
    assert [*places(NODE.field("flags"), 3, "a.msh")] == []


def test_bits_lead_somewhere_in_the_reading_in_which_they_mean_it() -> None:
    opaque4 = BATCH.field("opaque4")
    ((place, bits),) = places_in_bits(opaque4, 0xFF02, ("field", "wxyz"), "a.msh")
    assert (place, bits.name) == (Place("a.msh", "wear", 2), "wear row")
    assert [*places_in_bits(opaque4, 0xFF02, ("seed", "xyzw"), "a.msh")] == []
    behind = BATCH.field("opaque6")
    assert [*places_in_bits(behind, 0xFFFF, ("field",), "a.msh")] == [], "it means none"
