"""The tables of a model with names beside numbers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, legacy24, quad
from tests.terrains import terrain
from tests.ui.scenes import BODY, GUN, SOCKET, TURRET, tank, tank_document
from viewer.formats import wear
from viewer.formats.msh.tables import NORMALS, STREAM18, UVS
from viewer.model.material.selectors import WearTable
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import FIELD
from viewer.model.store.place import Place
from viewer.session.opened.document import Document
from viewer.session.places import exists
from viewer.session.tables.model_tables import row_count, table_names, table_view


def texts(document: Document, table: str, column: str) -> list[str]:
    """A whole column as text."""
    view = table_view(document, table)
    found = view.column(column)
    assert found is not None
    return found.texts(range(view.count))


def test_every_table_has_a_view_with_its_rows_and_fields() -> None:
    document = tank_document()
    for name, table in document.model.tables.items():
        view = table_view(document, name)
        assert view.count == len(table.rows) == row_count(document, name)
        for field in table.record.fields if table.record else ():
            assert view.column(field.name) is not None
        assert all(len(column.texts(range(view.count))) == view.count for column in view.columns)


@pytest.mark.parametrize("model", [legacy24([quad()]), terrain()])
def test_models_without_nodes_and_terrains_have_views_too(model: bytes) -> None:
    document = Document.of("a.msh", Model.read(model))
    for name in table_names(document):
        view = table_view(document, name)
        assert all(len(column.texts(range(view.count))) == view.count for column in view.columns)


def test_nodes_without_names_have_no_column_for_them() -> None:
    view = table_view(Document.of("Land.msh", Model.read(terrain())), "nodes")
    assert view.column("name") is None


def test_nodes_have_a_column_of_what_they_take_if_res10_holds_labels() -> None:
    assert table_view(tank_document(), "nodes").column("takes") is None
    builder = ModelBuilder(tank().scene, FIELD)
    builder.names = [b""] * SOCKET + [b"e_gun_ll", b""]
    document = Document.of("tank.msh", builder.model())
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
    document = Document.of("a.msh", builder.model())
    for column in ("node", "lod", "group"):
        assert set(texts(document, "slots", column)) == {""}
        assert set(texts(document, "batches", column)) == {""}
    assert set(texts(document, "vertices", "node")) == {""}


def test_batches_name_their_material_in_either_reading() -> None:
    builder = ModelBuilder([Node("a", shapes={(0, 0): [quad(), quad(material=1)]})])
    table = WearTable("a.wea", wear.decode(wear.build([b"YELLOW", b"STEEL"])))
    document = Document.of("a.msh", builder.model(), wears=[table])
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
    document = Document.of("tank.msh", builder.model())
    view = table_view(document, "vertices")
    names = [column.name for column in view.columns]
    assert names == [
        "node", "batch", "position", "normal", "normal_raw", "uv", "uv_raw", "uv2", "uv2_raw", "stream15",
    ]  # fmt: skip
    vertex = 30
    uv, uv2 = view.column("uv"), view.column("uv2")
    assert uv is not None
    assert uv2 is not None
    assert np.asarray(uv.column.values)[vertex].tolist() == (builder.uvs[vertex] / 1024).tolist()
    assert np.asarray(uv2.column.values)[vertex].tolist() == [60 / 1024, 61 / 1024]
    node = document.draws.node[np.searchsorted(document.draws.triangle_start, 0, "right") - 1]
    assert texts(document, "vertices", "node")[0].startswith(f"{node} ")


def test_the_first_triangle_decides_what_draws_a_shared_vertex() -> None:
    builder = tank()
    builder.nodes["slots"][GUN, 0, 0] = builder.nodes["slots"][BODY, 0, 0]
    document = Document.of("a.msh", builder.model())
    assert texts(document, "vertices", "node")[0] == "0 body"


def test_a_stream_that_is_too_short_or_missing_invents_nothing() -> None:
    builder = tank()
    builder.tables[NORMALS] = bytes([1, 2, 3, 4])
    builder.missing.add(UVS)
    document = Document.of("a.msh", builder.model())
    view = table_view(document, "vertices")
    assert view.column("uv") is None
    assert texts(document, "vertices", "normal_raw")[:2] == ["1, 2, 3, 4", ", , , "]


def test_the_table_of_the_vertices_stands_before_its_streams_and_its_rows_exist() -> None:
    document = tank_document()
    names = table_names(document)
    assert names.index("vertices") + 1 == names.index("positions")
    assert exists(document, Place("tank.msh", "vertices", row_count(document, "vertices") - 1))


def test_entries_of_the_directory_name_their_table() -> None:
    document = tank_document()
    assert "batches" in texts(document, "directory", "table")


def test_a_field_of_another_reading_refers_to_nothing() -> None:
    view = table_view(tank_document(), "batches")
    opaque6, material = view.column("opaque6"), view.column("material")
    assert opaque6 is not None
    assert material is not None
    assert (opaque6.refers_to, material.refers_to) == ("", "wear")


def test_elements_of_an_array_are_pieces_with_their_targets() -> None:
    column = table_view(tank_document(), "nodes").column("slots")
    assert column is not None
    pieces = column.pieces(BODY)
    assert len(pieces) == 15
    assert pieces[0] == ("0", 0)
    assert pieces[1] == ("-", None)
