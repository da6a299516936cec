"""Which triangles of a file are those of a model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mshview
from viewer.model.convert.importing import identity
from viewer.resources import bundled_path

DRONE = f"{bundled_path('assets/game')}/models.rlb::drone.msh"


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_triangles_are_paired_whatever_the_size_of_the_numbers(dtype: type[np.signedinteger]) -> None:
    """Three numbers of 11 bits have 33: a key of 32 bits would make others of them."""
    given = np.array([[5, 6, 7], [1500, 1501, 1502], [1990, 1991, 1999]], np.int64)
    known = given[::-1, [1, 2, 0]].astype(dtype)
    found = identity.pairs(known, given)
    assert found.of_given.tolist() == [2, 1, 0]
    assert not found.is_lost.any()
    turned = identity.turned_over(known, given[:, ::-1], np.full(3, -1))
    assert turned.tolist() == [2, 1, 0]


def test_one_triangle_turned_over_changes_no_other_of_a_large_part(tmp_path: Path) -> None:
    (model,) = mshview.models(DRONE)
    before, part = model.triangles, tmp_path / "drone.obj"
    model.export(part, textures=False)
    lines = part.read_text().split("\n")
    at = next(row for row, line in enumerate(lines) if line.startswith("f "))
    face, a, b, c = lines[at].split()
    lines[at] = " ".join((face, a, c, b))
    part.write_text("\n".join(lines))
    model.import_from(part)
    assert [*np.flatnonzero((model.triangles != before).any(axis=1))] == [0]
    assert model.triangles[0].tolist() == before[0, [0, 2, 1]].tolist()
