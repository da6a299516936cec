"""Which tables of a model have rows."""

from __future__ import annotations

from tests.ui.scenes import tank
from viewer.formats.msh.path_graph import PATH_LINK, PATH_NODE
from viewer.formats.msh.tables import LIGHT_PROBES, NORMALS, PATH_GRAPH, TABLES


def test_tables_without_rows_are_left_out() -> None:
    builder = tank()
    builder.missing.add(NORMALS)
    names = builder.model().tables
    assert "nodes" in names
    assert TABLES[NORMALS].name not in names
    assert TABLES[LIGHT_PROBES].name not in names


def test_header_texts_and_directory_are_tables_too() -> None:
    model = tank().model()
    assert [len(model.tables[name].rows) for name in ("header", "container")] == [1, 1]
    assert len(model.tables["directory"].rows) == len(model.archive.entries)
    assert tuple(model.tables["strings"].rows) == model.strings


def test_both_tables_of_a_path_graph() -> None:
    builder = tank()
    graph = PATH_NODE.new(2).tobytes() + PATH_LINK.new(3).tobytes()
    builder.tables[PATH_GRAPH], builder.attributes[PATH_GRAPH] = graph, (2, 3, 0)
    tables = builder.model().tables
    assert [len(tables[name].rows) for name in ("path_graph", "path_links")] == [2, 3]
    assert tables["path_links"].has_field("start")
    assert not tables["path_graph"].has_field("start")
