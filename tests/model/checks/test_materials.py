"""Wear rows that batches select, in either reading."""

from __future__ import annotations

import pytest

from tests.builders import ModelBuilder, Node, box, quad
from tests.messages import states
from viewer.model.checks.materials import selected_rows
from viewer.model.mesh.reading import FIELD, SEED, Reading


@pytest.mark.parametrize(("reading", "field"), [(SEED, "material"), (FIELD, "opaque4")])
@pytest.mark.parametrize("rows", [1, 3, 4])
def test_rows_beyond_the_table_are_named(reading: Reading, field: str, rows: int) -> None:
    shapes = [box(material=row) for row in range(3)] + [quad(material=3, has_lightmap=True)]
    batches = ModelBuilder([Node("a", shapes={(0, 0): shapes})], reading).batches
    found = selected_rows(batches, reading.material_field, rows)
    assert [item.where for item in found] == [f"batches[{row}].{field}" for row in range(rows, 4)]
    assert all(states(item.message, f"{row} {rows}") for item, row in zip(found, range(rows, 4), strict=True))
