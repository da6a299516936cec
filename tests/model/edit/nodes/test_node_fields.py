"""Names, labels, parents and slots of nodes: what is written, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders import ModelBuilder, Node, box
from tests.model.edit.drafts import corpus_models, draft_of, edited, planned
from viewer.errors import EditError
from viewer.formats import splice
from viewer.formats.msh import strings
from viewer.formats.msh.tables import STRINGS
from viewer.model.edit.change import Change
from viewer.model.edit.nodes.node_count import SetCell, SetParent
from viewer.model.edit.nodes.rename_node import LabelNode, RenameNode
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import FIELD
from viewer.model.mesh.reading_choices import ReadingChoice

SCENE = (
    Node("hull", shapes={(0, 0): [box()]}),
    Node("turret", parent=0, shapes={(0, 0): [box()]}),
    Node("gun", parent=1, shapes={(0, 0): [box()]}),
    Node("", parent=0),
)
SEED_MODEL = ModelBuilder.of(SCENE).build()
FIELD_MODEL = ModelBuilder.of(SCENE, FIELD).build()


def test_a_name_has_the_length_of_its_text_in_the_seed_reading() -> None:
    model = edited(SEED_MODEL, RenameNode("turret", "Башня"))
    assert model.strings == (b"hull", "Башня".encode("cp1251"), b"gun", b"")
    assert len(edited(SEED_MODEL, RenameNode(3, "x")).archive.data) > len(SEED_MODEL)
    assert edited(SEED_MODEL, RenameNode(0, None)).strings[0] == b""


def test_a_name_is_a_record_in_the_field_reading() -> None:
    made = planned(FIELD_MODEL, RenameNode("turret", "tower"))
    model = Model.read(made.after)
    assert model.name_records == (b"hull", b"tower", b"gun", b"")
    assert model.strings == (b"", b"", b"", b"")
    assert splice.total(made.splices) <= len("turret")


def test_a_label_is_only_there_in_the_field_reading() -> None:
    model = edited(FIELD_MODEL, LabelNode(1, "e_tur_bt"))
    assert (model.strings[1], model.name_records[1]) == (b"e_tur_bt", b"turret")
    with pytest.raises(EditError, match="no labels"):
        edited(SEED_MODEL, LabelNode(1, "e_tur_bt"))


def test_a_label_of_a_node_whose_text_cannot_be_read_is_not_lost_in_silence() -> None:
    draft = draft_of(FIELD_MODEL)
    draft.replace_tables({STRINGS: strings.build([b"", b"", b""])})
    LabelNode(3, None).apply(draft)
    with pytest.raises(EditError, match="only 3 texts can be read"):
        LabelNode(3, "gun_").apply(draft)


def test_the_name_that_is_there_changes_nothing() -> None:
    assert planned(SEED_MODEL, RenameNode(1, "turret")).splices == ()
    assert planned(FIELD_MODEL, RenameNode(1, "turret"), LabelNode(1, None)).splices == ()


def test_names_and_labels_are_fields_of_the_nodes() -> None:
    for data in (SEED_MODEL, FIELD_MODEL):
        draft = draft_of(data)
        SetField("nodes", RowChoice("1:3"), "name", "part").apply(draft)
        SetField("nodes", RowChoice("name = part"), "flags", 4).apply(draft)
        assert draft.model.nodes["flags"].tolist() == [0, 4, 4, 0]
    assert edited(FIELD_MODEL, SetField("nodes", RowChoice("3"), "takes", "gun_")).strings[3] == b"gun_"


@pytest.mark.parametrize(
    ("change", "place", "reason"),
    [
        (RenameNode(1, "x" * 32), "name_records[1].name", "32 bytes, a name has at most 31"),
        (RenameNode(1, "日"), "nodes[1].name", "is not in CP1251"),
        (RenameNode(1, "a\0b"), "nodes[1].name", "NUL"),
        (RenameNode(9, "x"), "nodes[9]", "there are 4 nodes"),
        (RenameNode("wheel", "x"), "nodes", "no node is named 'wheel'"),
        (RenameNode("-1", "x"), "nodes", "no node is named '-1'"),
        (SetField("nodes", RowChoice("1"), "name", 5), "nodes.name", "a text or null is needed, not 5"),
        (SetCell(1, 3, 0, None), "nodes[1].slots[3][0]", "3 LODs and 5 groups"),
        (SetCell(1, 0, -1, 0), "nodes[1].slots[0][-1]", "3 LODs and 5 groups"),
        (SetCell(1, 0, 0, 3), "nodes[1].slots[0][0]", "there is no slot 3, there are 3"),
        (SetParent(1, 1), "nodes[1].parent", "its own parent"),
        (SetParent(0, 2), "nodes[0].parent", "node 2 is under it"),
        (SetParent(1, 3), "nodes[1].parent", "comes after it"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(change: Change, place: str, reason: str) -> None:
    draft = draft_of(FIELD_MODEL)
    with pytest.raises(EditError) as refused:
        change.apply(draft)
    assert refused.value.where == place
    assert reason in refused.value.message
    assert bytes(draft.data) == FIELD_MODEL
    assert draft.splices == ()


def test_a_parent_and_a_cell_are_two_bytes() -> None:
    for parent, found in (("hull", 0), (None, 0xFFFF)):
        made = planned(SEED_MODEL, SetParent("gun", parent))
        assert Model.read(made.after).nodes["parent"].tolist() == [0xFFFF, 0, found, 0]
        assert splice.total(made.splices) <= 2
    made = planned(SEED_MODEL, SetCell("gun", 1, 2, 0))
    assert Model.read(made.after).nodes["slots"][2, 1, 2] == 0
    assert splice.total(made.splices) == 2


def test_every_model_of_the_corpora_takes_a_name(samples: Path) -> None:
    for corpus in ["seed", "field"]:
        truth = json.loads((samples / corpus / "truth.json").read_text())["models"]
        reading = ReadingChoice(corpus)
        for key, data in corpus_models(samples, corpus):
            names = [name or "" for name in truth[key]["names"]]
            model = edited(data, RenameNode(len(names) - 1, "Хвост 9"), reading=reading)
            assert [*model.node_names(from_records=corpus == "field")] == [*names[:-1], "Хвост 9"], key
            tables = {it.type_id: bytes(model.archive.payload(it.index)) for it in model.archive.entries}
            before = Model.read(data).archive
            changed = {it.type_id for it in before.entries if before.payload(it.index) != tables[it.type_id]}
            assert changed == {9 if corpus == "field" else 10}, key
            assert planned(data, RenameNode(len(names) - 1, names[-1]), reading=reading).splices == ()
