"""The tables of a model with names beside numbers; filtering and sorting their rows.

Every table of every sample, the damaged ones included, is shown, sorted, filtered and copied.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, legacy24, quad
from tests.session.test_places import documents
from tests.share import some
from tests.terrains import terrain
from tests.ui.scenes import BODY, GUN, SOCKET, TURRET, tank, tank_document
from viewer.errors import UsageError
from viewer.formats import wear
from viewer.formats.msh.tables import NORMALS, STREAM18, UVS
from viewer.formats.msh.vertices import POSITION
from viewer.formats.record import Status
from viewer.model.material.selectors import WearTable
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import FIELD
from viewer.model.query.condition import Condition
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.model.tables.column import ROWS_AT_ONCE, Column, ColumnTexts
from viewer.model.tables.model_tables import row_count, table_names, table_of
from viewer.model.tables.table import ModelTable
from viewer.progress import Cancelled, Progress, working
from viewer.session.opened.document import Document
from viewer.session.places import batches_at, exists, is_selectable, places_of, selection_at
from viewer.session.selection import Selection
from viewer.session.tables.table_view import (
    ArrangedRows,
    CopyFormat,
    RowQuery,
    RowSelection,
    SortedBy,
    arrange,
    copied,
)


def texts(document: Document, table: str, column: str) -> list[str]:
    """A whole column as text."""
    view = table_of(document.tables, table)
    found = view.column(column)
    assert found is not None
    return found.texts(range(view.count))


def test_every_table_has_a_view_with_its_rows_and_fields() -> None:
    document = tank_document()
    for name, table in document.model.tables.items():
        view = table_of(document.tables, name)
        assert view.count == len(table.rows) == row_count(document.tables, name)
        for field in table.record.fields if table.record else ():
            assert view.column(field.name) is not None
        assert all(len(column.texts(range(view.count))) == view.count for column in view.columns)


@pytest.mark.parametrize("model", [legacy24([quad()]), terrain()])
def test_models_without_nodes_and_terrains_have_views_too(model: bytes) -> None:
    document = Document.of(Address.parse("a.msh"), Model.read(model))
    for name in table_names(document.tables):
        view = table_of(document.tables, name)
        assert all(len(column.texts(range(view.count))) == view.count for column in view.columns)


def test_nodes_of_24_bytes_are_words_of_which_nothing_is_known() -> None:
    view = table_of(Document.of(Address.parse("a.msh"), Model.read(legacy24([quad()]))).tables, "nodes")
    assert [column.name for column in view.columns] == [f"unknown_0x{at:02x}" for at in range(0, 24, 2)]
    # Their bytes are 0, 1, 2 and so on.
    assert [column.texts([0]) for column in view.columns][:2] == [["0x0100"], ["0x0302"]]
    assert {(it.field.type_name, it.field.status) for it in view.columns if it.field} == {
        ("u16", Status.OPEN)
    }


def test_nodes_without_names_have_no_column_for_them() -> None:
    view = table_of(Document.of(Address.parse("Land.msh"), Model.read(terrain())).tables, "nodes")
    assert "name" not in [it.name for it in view.shown]
    assert view.plain().row(0)["name"] is None


def test_nodes_have_a_column_of_what_they_take_if_res10_holds_labels() -> None:
    assert "takes" not in [it.name for it in table_of(tank_document().tables, "nodes").shown]
    builder = ModelBuilder.of(tank().scene, FIELD)
    builder.names = [b""] * SOCKET + [b"e_gun_ll", b""]
    document = Document.of(Address.parse("tank.msh"), builder.model())
    assert texts(document, "nodes", "takes") == ["", "", "", "e_gun_ll", ""]
    assert texts(document, "nodes", "name")[SOCKET] == "Base_gun"


def test_names_stand_beside_numbers() -> None:
    document = tank_document()
    assert texts(document, "nodes", "name")[TURRET] == "turret"
    assert texts(document, "nodes", "parent") == ["none", "0 body", "1 turret", "1 turret", "0 body"]
    assert texts(document, "keys", "node") == [
        "0 body",
        *["1 turret"] * 3,
        "2 gun",
        "3 Base_gun",
        "4 CP_body",
    ]
    assert texts(document, "frame_map", "node") == ["1 turret"] * 11
    assert texts(document, "frame_map", "frame") == [*map(str, range(11))]
    assert texts(document, "frame_map", "key")[0] == "1 turret"


def test_slots_and_batches_name_the_cell_that_shows_them() -> None:
    document = tank_document()
    slot = int(document.model.nodes["slots"][BODY, 1, 0])
    batch = int(document.model.slots["batch_start"][slot])
    for table, row in (("slots", slot), ("batches", batch)):
        found = [texts(document, table, column)[row] for column in ("node", "lod", "group")]
        assert found == ["0 body", "1 damaged", "0 near"]
    assert texts(document, "batches", "slot")[batch] == f"{slot} body"
    hull = int(document.model.nodes["slots"][4, 0, 4])
    assert texts(document, "slots", "group")[hull] == "4 own view"


def test_what_nothing_uses_has_no_name() -> None:
    builder = tank()
    builder.nodes["slots"] = 0xFFFF
    document = Document.of(Address.parse("a.msh"), builder.model())
    for column in ("node", "lod", "group"):
        assert set(texts(document, "slots", column)) == {""}
        assert set(texts(document, "batches", column)) == {""}
    assert set(texts(document, "vertices", "node")) == {""}


def test_batches_name_their_material_in_either_reading() -> None:
    builder = ModelBuilder.of([Node("a", shapes={(0, 0): [quad(), quad(material=1)]})])
    table = WearTable(Address.parse("a.wea"), wear.decode(wear.build([b"YELLOW", b"STEEL"])))
    document = Document.of(Address.parse("a.msh"), builder.model(), wears=[table])
    assert texts(document, "batches", "wear_row") == ["0 YELLOW", "1 STEEL"]
    assert texts(document, "batches", "material") == ["0 YELLOW", "1 STEEL"]


def test_indices_and_descriptors_name_what_draws_them() -> None:
    document = tank_document()
    row = document.model.batches[1]
    first = int(row["index_start"])
    vertex = int(document.model.indices[first]) + int(row["base_vertex"])
    assert texts(document, "indices", "batch")[first] == "1"
    assert texts(document, "indices", "vertex")[first] == str(vertex)
    descriptor = int(document.model.slots["tri_start"][int(document.model.nodes["slots"][GUN, 0, 0])])
    assert texts(document, "tri_descriptors", "node")[descriptor] == "2 gun"


def test_vertices_have_every_stream_decoded_and_as_stored() -> None:
    builder = tank()
    count = len(builder.positions)
    builder.tables[STREAM18] = np.arange(2 * count, dtype="<u2").tobytes()
    document = Document.of(Address.parse("tank.msh"), builder.model())
    view = table_of(document.tables, "vertices")
    names = [column.name for column in view.shown]
    assert names == [
        "node", "batch", "position", "normal", "normal_raw", "uv", "uv_raw", "uv2", "uv2_raw", "stream15",
    ]  # fmt: skip
    vertex = 30
    uv, uv2 = view.column("uv"), view.column("uv2")
    assert uv is not None
    assert uv2 is not None
    assert np.asarray(uv.values)[vertex].tolist() == (builder.uvs[vertex] / 1024).tolist()
    assert np.asarray(uv2.values)[vertex].tolist() == [60 / 1024, 61 / 1024]
    node = document.draws.node[np.searchsorted(document.draws.triangle_start, 0, "right") - 1]
    assert texts(document, "vertices", "node")[0].startswith(f"{node} ")


def test_the_first_triangle_decides_what_draws_a_shared_vertex() -> None:
    builder = tank()
    builder.nodes["slots"][GUN, 0, 0] = builder.nodes["slots"][BODY, 0, 0]
    document = Document.of(Address.parse("a.msh"), builder.model())
    assert texts(document, "vertices", "node")[0] == "0 body"


def test_a_stream_that_is_too_short_or_missing_invents_nothing() -> None:
    builder = tank()
    builder.tables[NORMALS] = bytes([1, 2, 3, 4])
    builder.missing.add(UVS)
    document = Document.of(Address.parse("a.msh"), builder.model())
    view = table_of(document.tables, "vertices")
    assert "uv" not in [it.name for it in view.shown]
    first, second = (view.plain().row(row) for row in (0, 1))
    assert (first["normal_raw"], second["normal_raw"], first["uv"]) == ([1, 2, 3, 4], None, None)
    assert texts(document, "vertices", "normal_raw")[:2] == ["1, 2, 3, 4", ", , , "]


def test_the_table_of_the_vertices_stands_before_its_streams_and_its_rows_exist() -> None:
    document = tank_document()
    names = table_names(document.tables)
    assert names.index("vertices") + 1 == names.index("positions")
    assert exists(
        document, Place(Address.parse("tank.msh"), "vertices", row_count(document.tables, "vertices") - 1)
    )


def test_entries_of_the_directory_name_their_table() -> None:
    document = tank_document()
    assert "batches" in texts(document, "directory", "table")


def test_a_field_of_another_reading_refers_to_nothing() -> None:
    view = table_of(tank_document().tables, "batches")
    opaque6, material = view.column("opaque6"), view.column("material")
    assert opaque6 is not None
    assert material is not None
    assert (opaque6.refers_to, material.refers_to) == ("", "wear")


def test_elements_of_an_array_are_pieces_with_their_targets() -> None:
    column = table_of(tank_document().tables, "nodes").column("slots")
    assert column is not None
    pieces = column.pieces(BODY)
    assert len(pieces) == 15
    assert pieces[0] == ("0", 0)
    assert pieces[1] == ("-", None)


def arranged(table: str, text: str = "", sorted_by: SortedBy | None = None) -> ArrangedRows:
    """The rows of a table of the tank."""
    return arrange(RowQuery(table_of(tank_document().tables, table), text, sorted_by))


def rows(table: str, text: str = "", sorted_by: SortedBy | None = None) -> list[int]:
    """The numbers of the rows."""
    found = arranged(table, text, sorted_by)
    assert not found.problem
    numbers: list[int] = found.rows.tolist()
    return numbers


def test_plain_words_must_all_be_in_a_row_names_included() -> None:
    assert rows("nodes", "turret") == [TURRET, GUN, 3]
    assert rows("nodes", "TURRET gun") == [GUN, 3]
    assert rows("nodes", "no such text") == []
    assert rows("nodes", "  ") == [0, 1, 2, 3, 4]


def test_a_condition_filters_by_fields_names_and_references() -> None:
    assert rows("nodes", "name = *gun*") == [GUN, 3]
    assert rows("nodes", "parent = turret and not name = gun") == [3]
    assert rows("keys", "node = turret and time > 0") == [2, 3]
    assert rows("batches", "lod = 1") == [2], "the row of the slot matrix, as in addresses"
    assert rows("batches", "lod = 4") == []
    assert rows("nodes", "slots = none and flags & 0x20") == [4]


@pytest.mark.parametrize("text", ["nmae = gun", "flags >", "flags & words", "(parent = 1"])
def test_a_bad_condition_is_reported_and_filters_nothing(text: str) -> None:
    found = arranged("nodes", text)
    assert found.problem
    assert len(found.rows) == 5


def test_rows_are_sorted_by_stored_and_derived_columns_after_the_filter() -> None:
    assert rows("nodes", sorted_by=SortedBy("name")) == [3, 0, 4, 2, 1]
    assert rows("nodes", "turret", SortedBy("name", is_descending=True)) == [1, 2, 3]
    assert rows("nodes", sorted_by=SortedBy("parent")) == [1, 4, 2, 3, 0]
    assert rows("nodes", sorted_by=SortedBy("row", is_descending=True)) == [4, 3, 2, 1, 0]
    assert rows("nodes", sorted_by=SortedBy("row")) == [0, 1, 2, 3, 4]
    assert rows("nodes", sorted_by=SortedBy("no_such_column")) == [0, 1, 2, 3, 4]


def large(count: int) -> ModelTable:
    """A table of numbers."""
    values = np.random.default_rng(1).integers(0, 1000, count)
    return ModelTable("large", count, (Column("x", lambda: values),))


def test_300_000_rows_are_sorted_stably() -> None:
    view = large(300_000)
    found = arrange(RowQuery(view, sorted_by=SortedBy("x"))).rows
    values = np.asarray(view.columns[0].values)[found]
    steps = np.diff(values)
    assert (steps >= 0).all()
    assert (np.diff(found)[steps == 0] > 0).all()


def test_equal_numbers_of_many_rows_are_formatted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal bit by bit: a minus before 0 stays. A filter of 600,000 vertices would take half a minute."""
    formatted: list[int] = []
    real = Column.words

    def words(self: Column, flat: Any, *, is_alone: bool) -> list[str]:
        formatted.append(len(flat))
        return real(self, flat, is_alone=is_alone)

    monkeypatch.setattr(Column, "words", words)
    rows = np.resize(np.array([(0.5, -0.0), (0.25, 0.0), (np.nan, -0.0)], np.float32), (ROWS_AT_ONCE, 2))
    column = Column("f", lambda: rows, POSITION.fields[0])
    shown = column.texts(range(ROWS_AT_ONCE))
    assert formatted == [5]
    assert shown[:3] == ["0.5, -0", "0.25, 0", "nan, -0"]
    assert shown == [text for row in range(ROWS_AT_ONCE) for text in column.texts([row])]


def test_filtering_by_content_ends_when_it_is_cancelled() -> None:
    progress = Progress()
    progress.cancel()
    with working(progress), pytest.raises(Cancelled):
        arrange(RowQuery(large(10_000), "77"))


def test_content_is_compared_as_it_is_shown() -> None:
    assert rows("batches", "0x0000") == [*range(table_of(tank_document().tables, "batches").count)]
    view = large(5000)
    found = arrange(RowQuery(view, "777")).rows
    assert (np.asarray(view.columns[0].values)[found] == 777).all()
    assert len(found)


ORDER = np.array([4, 2, 0, 3, 1])


def clicked(*clicks: tuple[int, str]) -> RowSelection:
    """The selection after clicks on rows, each with the keys held: c for Ctrl, s for Shift."""
    selection = RowSelection()
    for row, keys in clicks:
        selection = selection.clicked(row, ORDER, is_added="c" in keys, is_range="s" in keys)
    return selection


def test_a_click_selects_one_row() -> None:
    assert clicked((2, ""), (3, "")) == RowSelection.of(3)


def test_control_adds_and_removes() -> None:
    assert clicked((2, ""), (3, "c")).rows == {2, 3}
    assert clicked((2, ""), (3, "c"), (2, "c")).rows == {3}
    assert clicked((2, ""), (2, "c")).active is None


def test_shift_selects_a_range_in_the_order_shown_from_where_it_began() -> None:
    assert clicked((2, ""), (3, "s")).rows == {2, 0, 3}
    assert clicked((3, ""), (2, "s")).rows == {2, 0, 3}
    assert clicked((0, ""), (1, "s"), (2, "s")).rows == {2, 0}
    assert clicked((0, ""), (1, "s")).active == 1


def test_control_and_shift_add_a_range() -> None:
    assert clicked((4, ""), (0, "c"), (1, "cs")).rows == {4, 0, 3, 1}


def test_a_range_from_a_row_that_is_filtered_out_is_the_row_alone() -> None:
    assert clicked((9, ""), (3, "s")).rows == {3}


def test_all_rows_that_are_shown_are_selected() -> None:
    assert RowSelection.of(2).all_of(ORDER[:3]).rows == {4, 2, 0}


def test_selected_rows_come_in_the_order_shown() -> None:
    assert clicked((3, ""), (4, "c"), (0, "c")).shown(ORDER).tolist() == [4, 0, 3]
    assert RowSelection().all_of(ORDER).shown(ORDER).tolist() == ORDER.tolist()
    assert RowSelection.of(7).shown(ORDER).tolist() == []


def test_arrows_step_through_the_order_shown() -> None:
    assert RowSelection.of(2).stepped(1, ORDER) == RowSelection.of(0)
    assert RowSelection.of(4).stepped(-1, ORDER) == RowSelection.of(4)
    assert RowSelection.of(1).stepped(1, ORDER) == RowSelection.of(1)
    assert RowSelection().stepped(1, ORDER) == RowSelection.of(4)
    assert RowSelection().stepped(1, ORDER[:0]) == RowSelection()


NODES = np.array([2, 0])


def test_tsv_has_a_header_and_a_column_for_each_element() -> None:
    lines = copied(table_of(tank_document().tables, "nodes"), NODES, CopyFormat.TSV).splitlines()
    header, gun, body = (line.split("\t") for line in lines)
    assert header[:6] == ["index", "name", "takes", "flags", "parent", "parent_name"]
    assert header[-1] == "slots[2][4]"
    assert header[6:9] == ["map_start", "fallback_key", "fallback_key_name"]
    assert len(header) == len(gun) == len(body) == 9 + 15
    assert gun[:6] == ["2", "gun", "", "0x0000", "1", "turret"], "bits as the screen shows them"
    assert body[:6] == ["0", "body", "", "0x0000", "", ""], "a missing parent is an empty cell"


def test_json_has_an_object_per_row_with_stored_values_and_names() -> None:
    gun, body = json.loads(copied(table_of(tank_document().tables, "nodes"), NODES, CopyFormat.JSON))
    assert (gun["index"], gun["name"], gun["parent"], gun["parent_name"]) == (2, "gun", 1, "turret")
    assert (body["parent"], body["parent_name"]) == (None, None)
    assert body["slots"][0] == [0, None, None, None, None]


def test_floats_are_copied_in_their_shortest_form_in_both() -> None:
    values = np.array([(0.1, np.nan), (1e-20, 3.0)], "<f4")
    view = ModelTable("t", 2, (Column("x", lambda: values),))
    assert copied(view, np.arange(2), CopyFormat.TSV) == "index\tx[0]\tx[1]\n0\t0.1\tnan\n1\t1e-20\t3.0\n"
    assert json.loads(copied(view, np.arange(2), CopyFormat.JSON))[0]["x"] == [0.1, "nan"]


def test_no_copied_text_is_a_formula() -> None:
    texts = ColumnTexts.of(["=1+1", "-1.5", "-x"])
    view = ModelTable("t", 3, (Column("x", lambda: texts),))
    assert copied(view, np.arange(3), CopyFormat.TSV) == "index\tx\n0\t'=1+1\n1\t-1.5\n2\t'-x\n"


def test_a_text_with_tabs_and_lines_stays_in_its_cell() -> None:
    texts = ColumnTexts.of(["a\tb\r\nc", ""])
    view = ModelTable("t", 2, (Column("x", lambda: texts),))
    assert copied(view, np.arange(2), CopyFormat.TSV) == "index\tx\n0\ta b  c\n1\t\n"
    assert json.loads(copied(view, np.arange(2), CopyFormat.JSON))[1]["x"] is None


def check(document: Document) -> int:
    """Go through all tables of a document; return how many there are."""
    names = table_names(document.tables)
    for name in names:
        view = table_of(document.tables, name)
        ends = np.unique(np.clip([0, 1, view.count // 2, view.count - 1], 0, view.count - 1))
        for column in view.columns:
            assert len(column.texts(ends)) == len(ends)
            assert all(column.pieces(row) for row in ends.tolist())
            found = arrange(RowQuery(view, f"{column.name} != none", SortedBy(column.name)))
            assert not found.problem
        for form in CopyFormat:
            assert copied(view, ends, form).endswith("\n")
        check_rows(document, name, ends.tolist())
    return len(names)


def check_rows(document: Document, table: str, rows: list[int]) -> None:
    """Some rows of a table can be pointed at and, where that makes sense, selected."""
    for row in rows:
        place = Place(document.address, table, row)
        assert all(0 <= batch < len(document.model.batches) for batch in batches_at(document, place))
        if is_selectable(document, place):
            selection = selection_at(document, place, Selection())
            assert row in [it.row for it in places_of(document, selection)]


@pytest.mark.parametrize("folder", ["seed", "field", "damaged"])
def test_all_tables_of_the_samples_are_shown(files: Path, folder: str) -> None:
    assert sum(map(check, some(documents(files / folder), files))) > 0


def test_a_condition_for_one_table_is_refused_by_another(files: Path) -> None:
    document = next(it for it in documents(files / "seed") if "nodes" in table_names(it.tables))
    with pytest.raises(UsageError, match="index_count"):
        Condition.parse("index_count > 300").rows(table_of(document.tables, "nodes").words)
