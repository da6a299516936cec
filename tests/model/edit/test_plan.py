"""Plans: changes one after the other, refused as a whole, with the bytes that they say and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import ModelBuilder, Node, archive_of, box
from viewer.errors import EditError, FormatError, UsageError
from viewer.formats import splice
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.geometry.slot_changes import AddSlot
from viewer.model.edit.plan import Plan, lifted, plan
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.registry import by_id
from viewer.model.mesh.model import Model
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore

MODEL = ModelBuilder.of(
    [Node("hull", shapes={(0, 0): [box(), box()]}), Node("gun", parent=0, shapes={(0, 0): [box()]})]
).build()


def planned(*changes: Change) -> Plan:
    return plan(Draft(by_id("msh"), MODEL), changes)


def test_a_condition_chooses_rows() -> None:
    made = planned(SetField("nodes", RowChoice("name = g*"), "flags", 0x40))
    assert Model.read(made.after).nodes["flags"].tolist() == [0, 0x40]


def test_later_changes_see_earlier_ones() -> None:
    made = planned(
        SetField("batches", RowChoice("1"), "flags", 8),
        SetField("batches", RowChoice("flags & 8"), "opaque6", 77),
    )
    assert Model.read(made.after).batches["flags"].tolist() == [0, 8, 0]
    assert bytes(made.after) == splice.applied(made.before, made.splices)
    assert splice.applied(made.after, splice.reverse(made.splices)) == made.before


def test_the_value_that_is_there_changes_nothing() -> None:
    assert planned(SetField("batches", RowChoice("*"), "flags", 0)).splices == ()


@pytest.mark.parametrize(
    ("table", "rows", "field", "place"),
    [
        ("batches", "7", "flags", "batches[7]"),
        ("batches", "", "flags", "batches"),
        ("header", "0", "hull", "header"),
        ("batches", "0", "color", "batches[0].color"),
    ],
)
def test_what_is_not_there_is_refused_with_its_place(table: str, rows: str, field: str, place: str) -> None:
    with pytest.raises(EditError) as refused:
        planned(SetField(table, RowChoice(rows), field, 1))
    assert str(refused.value).startswith(place)


def test_unknown_tables_and_conditions_are_refused() -> None:
    for change in (
        SetField("wheels", RowChoice("0"), "flags", 1),
        SetField("batches", RowChoice("x >"), "flags", 1),
    ):
        with pytest.raises(UsageError):
            planned(change)


def test_a_refused_change_leaves_the_draft() -> None:
    draft = Draft(by_id("msh"), MODEL)
    with pytest.raises(FormatError):
        SetField("batches", RowChoice("*"), "index_count", 1 << 20).apply(draft)
    assert bytes(draft.data) == MODEL
    assert draft.splices == ()


def test_an_entry_of_a_nested_archive_is_changed_where_it_lies(tmp_path: Path) -> None:
    inner = archive_of({"hull.msh": MODEL, "b.msh": MODEL})
    path = tmp_path / "outer.rlb"
    path.write_bytes(archive_of({"first.wea": b"1\r\n0 M\r\n", "inner.rlb": inner}))
    address = Address(path, ("inner.rlb", "b.msh"))
    library = FileStore()
    splices = lifted(library, address, planned(SetField("nodes", RowChoice("1"), "flags", 0x41)).splices)
    after = splice.applied(path.read_bytes(), splices)
    assert splice.total(splices) == 2
    path.write_bytes(after)
    assert library.open(address).read_model().nodes["flags"].tolist() == [0, 0x41]
    assert bytes(library.open(Address(path, ("inner.rlb", "hull.msh"))).data) == MODEL


def test_a_condition_that_chooses_nothing_is_told() -> None:
    made = planned(SetField("nodes", RowChoice("name = wheel"), "flags", 1))
    assert made.splices == ()
    assert made.notes == ("no row of nodes is chosen by name = wheel",)


def test_what_is_only_offered_refuses_nothing() -> None:
    """A slot without geometry is added to a model that draws nothing, so there is no box for the header."""
    empty = ModelBuilder.of([Node("hull")]).build()
    made = plan(Draft(by_id("msh"), empty), [AddSlot()], wanted=[*Topic])
    assert made.splices
    assert any(note.startswith("header: ") for note in made.notes)
