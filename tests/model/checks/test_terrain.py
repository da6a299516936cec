"""One finding per broken rule of terrain."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import container
from tests.terrains import terrain
from viewer.formats.msh.tables import DRAW_LIST, FACES, NODES, STREAM14, STREAM18
from viewer.formats.msh.terrain import FACE
from viewer.model.checks import models as rules
from viewer.model.mesh import draw_builder
from viewer.model.mesh.model import Model

GOOD = Model.read(terrain(2, 3))


def found_in(tables: dict[int, bytes], columns: int = 2, missing: tuple[int, ...] = ()) -> list[str]:
    payloads = {entry.type_id: bytes(GOOD.payload(entry.type_id)) for entry in GOOD.archive.entries}
    payloads.update(tables)
    kept = {type_id: data for type_id, data in payloads.items() if type_id not in missing}
    model = Model.read(container(kept, changed={NODES: (6, columns, 38)}))
    found = rules.check_terrain(model, draw_builder.build(model))
    return [f"{finding.rule} {finding.where}" for finding in found]


def test_a_sound_terrain_has_nothing_against_it() -> None:
    assert found_in({}) == []
    assert found_in({}, missing=(STREAM14,)) == []


@pytest.mark.parametrize("type_id", [STREAM18, DRAW_LIST])
def test_tables_that_the_engine_needs(type_id: int) -> None:
    assert found_in({}, missing=(type_id,)) == ["L01 directory"]


@pytest.mark.parametrize("columns", [0, 4])
def test_columns_that_do_not_divide_the_tiles(columns: int) -> None:
    assert found_in({}, columns) == ["L07 directory[0].attr2"]


def test_neighbours_that_are_not_there() -> None:
    faces = FACE.view(GOOD.payload(FACES)).copy()
    faces["neighbours"][7, 1] = len(faces)
    assert found_in({FACES: faces.tobytes()}) == ["L04 faces[7].neighbours"]


def test_another_order_of_types() -> None:
    payloads = [(entry.type_id, bytes(GOOD.payload(entry.type_id))) for entry in GOOD.archive.entries]
    model = Model.read(container(dict(reversed(payloads)), changed={NODES: (6, 2, 38)}))
    found = rules.check_terrain(model, draw_builder.build(model))
    assert [finding.rule for finding in found] == ["L08"]
    assert np.array_equal(model.positions, GOOD.positions)
