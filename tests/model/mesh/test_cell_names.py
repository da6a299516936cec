"""The names of LODs and groups, in each reading."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.builders import ModelBuilder, Node, box
from tests.terrains import terrain
from viewer.cli.reading import model_tables
from viewer.formats.msh.nodes import GROUPS, LODS
from viewer.model.mesh import cell_names
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import ReadingChoice
from viewer.session.opened.document import Document


def test_the_meaning_follows_the_number_of_row_and_column() -> None:
    assert cell_names.FIELD.lod(1) == "LOD 1 - damaged"
    assert [cell_names.FIELD.group(group) for group in (2, 4)] == ["group 2 - far", "group 4 - own view"]
    assert cell_names.FIELD.cell(0, 3) == "LOD 0 - intact, group 3 - farthest"


def test_the_seeds_state_no_meaning() -> None:
    assert [cell_names.SEED.cell(2, 4), cell_names.SEED.lod(0), cell_names.SEED.group(1)] == [
        "LOD 2, group 4",
        "LOD 0",
        "group 1",
    ]


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (terrain(), ["LOD 0, group 0 - fine", "LOD 0, group 1 - coarse"]),
        (terrain(coarse=(1, 0)), ["LOD 0 - fine, group 0", "LOD 1 - coarse, group 0"]),
        (terrain(is_coarse=False), ["LOD 0, group 0 - fine"]),
    ],
)
def test_the_coarse_level_of_a_terrain_is_named_where_its_file_has_it(data: bytes, names: list[str]) -> None:
    document = Document.of("Land.msh", Model.read(data))
    assert [cell["name"] for cell in model_tables.cells(document)] == names


def test_cells_have_different_names() -> None:
    def named(names: cell_names.CellNames) -> Iterator[str]:
        yield from (names.cell(lod, group) for lod in range(LODS) for group in range(GROUPS))

    assert len({*named(cell_names.FIELD)}) == len({*named(cell_names.SEED)}) == LODS * GROUPS


@pytest.mark.parametrize(
    ("requested", "name"),
    [
        (ReadingChoice.AUTO, "LOD 1 - damaged"),
        (ReadingChoice.FIELD, "LOD 1 - damaged"),
        (ReadingChoice.SEED, "LOD 1"),
    ],
)
def test_a_document_has_the_names_of_its_reading(requested: ReadingChoice, name: str) -> None:
    model = ModelBuilder([Node("hull", shapes={(0, 0): [box()]})]).model()
    assert Document.of("hull.msh", model, requested=requested).cell_names.lod(1) == name
