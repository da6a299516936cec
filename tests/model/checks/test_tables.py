"""One finding per table whose size, attributes or counts are wrong."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, legacy24, quad
from viewer.errors import Severity
from viewer.formats.msh.tables import (
    FRAME_MAP,
    INDICES,
    KEYS,
    NAME_RECORDS,
    NODES,
    NORMALS,
    PATH_GRAPH,
    POSITIONS,
    SLOTS,
    STREAM15,
    STRINGS,
    UVS,
)
from viewer.model.checks import models
from viewer.model.mesh.model import Model

SCENE = [Node("hull", shapes={(0, 0): [quad()]})]


def found_in(builder: ModelBuilder) -> list[str]:
    return [f"{finding.rule} {finding.where}" for finding in models.check_tables(builder.model())]


def test_a_sound_model_has_nothing_against_it() -> None:
    assert found_in(ModelBuilder(SCENE)) == []


@pytest.mark.parametrize(
    ("type_id", "attributes", "expected"),
    [
        (NODES, (2, 0, 38), "V06 attr1"),
        (NODES, (1, 0, 40), "V03 attr3"),
        (SLOTS, (1, 1, 68), "V08 attr2"),
        (POSITIONS, (4, 0, 13), "V07 attr3"),
        (INDICES, (5, 0, 2), "V06 attr1"),
        (KEYS, (1, 0, 24), "V07 attr3"),
        (FRAME_MAP, (1, 1, 2), "V06 attr1"),
        (STRINGS, (2, 0, 0), "V06 attr1"),
        (STRINGS, (1, 0, 1), "V07 attr3"),
        (STRINGS, (1, 7, 0), "V08 attr2"),
    ],
)
def test_attributes_that_do_not_match(type_id: int, attributes: tuple[int, int, int], expected: str) -> None:
    builder = ModelBuilder(SCENE)
    builder.attributes[type_id] = attributes
    index = builder.model().archive.find_type(type_id)
    rule, field = expected.split()
    assert found_in(builder) == [f"{rule} directory[{index}].{field}"]


@pytest.mark.parametrize(
    ("type_id", "attributes"),
    [(NODES, (1, 99, 38)), (FRAME_MAP, (0, 5, 2)), (NAME_RECORDS, (9, 9, 9)), (PATH_GRAPH, (9, 9, 9))],
)
def test_attributes_that_are_free(type_id: int, attributes: tuple[int, int, int]) -> None:
    builder = ModelBuilder(SCENE)
    builder.tables[PATH_GRAPH] = b"path"
    builder.attributes[type_id] = attributes
    assert found_in(builder) == []


@pytest.mark.parametrize(
    ("type_id", "expected"),
    [(NORMALS, "V09 normals[3]"), (UVS, "V09 uvs[3]"), (STREAM15, "V10 stream15[3]")],
)
def test_vertex_tables_of_another_length(type_id: int, expected: str) -> None:
    builder = ModelBuilder(SCENE)
    size = len(builder.payloads()[type_id])
    builder.tables[type_id] = bytes(size - size // 4)
    assert found_in(builder) == [expected]


def test_numbers_that_are_not_finite() -> None:
    builder = ModelBuilder(SCENE)
    builder.positions[2, 1] = np.nan
    builder.header["sphere_radius"] = np.inf
    assert found_in(builder) == ["V20 positions[2].position", "V20 header.sphere_radius"]


def test_unknown_types_and_legacy_nodes_are_mentioned() -> None:
    builder = ModelBuilder(SCENE)
    builder.tables[77] = b"?"
    assert found_in(builder) == ["V27 directory[13].type_id"]
    found = models.check_tables(Model.read(legacy24([quad()])))
    assert [(finding.rule, finding.severity) for finding in found] == [("V03", Severity.INFO)]
