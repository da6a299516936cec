"""What rows are called."""

from __future__ import annotations

from tests.builders import ModelBuilder, Node, quad
from tests.ui.scenes import GUN, TURRET, tank_document
from viewer.formats import wear
from viewer.model.material.selectors import WearTable
from viewer.session.opened.document import Document


def test_rows_are_called_by_their_number_and_the_name_that_belongs_to_it() -> None:
    document = tank_document()
    slot = int(document.model.nodes["slots"][GUN, 0, 0])
    assert document.labels.label("nodes", TURRET) == "1 turret"
    assert document.labels.label("slots", slot) == f"{slot} gun"
    assert document.labels.label("keys", document.animation.track(TURRET)[1]) == "2 turret"
    assert document.labels.label("vertices", 7) == "7"
    assert document.labels.label("nodes", 99) == "99"


def test_batches_and_materials_have_the_names_of_the_wear_table() -> None:
    model = ModelBuilder([Node(shapes={(0, 0): [quad(), quad(material=2)]})]).model()
    table = WearTable("a.wea", wear.decode(wear.build([b"YELLOW", b"UNUSED", b"STEEL"])))
    document = Document.of("a.msh", model, wears=[table])
    assert document.labels.label("wear", 1) == "1 UNUSED"
    assert document.labels.label("batches", 1) == "1 STEEL"
    assert document.labels.label("materials", 1) == "2 STEEL"


def test_a_slot_or_a_key_that_no_node_uses_has_no_name() -> None:
    builder = ModelBuilder([Node("a", shapes={(0, 0): [quad()]})])
    builder.nodes["slots"] = 0xFFFF
    builder.nodes["fallback_key"] = 0xFFFF
    document = Document.of("a.msh", builder.model())
    assert document.labels.label("slots", 0) == "0"
    assert document.labels.label("keys", 0) == "0"
