"""Res11 and Res21: the worked example of land.md."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.formats.msh.terrain import DRAW, FACE, drawn_faces
from viewer.formats.msh.triangles import decode_selectors

EXAMPLE = bytes.fromhex("08000200 03FF FFFF 0A000B000C00 0500FFFF0700 00000000FF7F 24 00")


def test_the_worked_example() -> None:
    face = FACE.read(EXAMPLE)
    assert FACE.row(face) == {
        "flags": 0x20008,
        "material_a": 3,
        "material_b": None,
        "opaque6": 0xFFFF,
        "vertices": [10, 11, 12],
        "neighbours": [5, None, 7],
        "normal": [0, 0, 32767],
        "edges": 0x24,
        "opaque27": 0,
    }
    assert decode_selectors(face["edges"]).tolist() == [0, 1, 2]


def test_the_draw_list_pairs_a_face_with_flags() -> None:
    assert DRAW.view(bytes.fromhex("0000 5800 0100 4800")).tolist() == [(0, 0x58), (1, 0x48)]


@pytest.mark.parametrize(
    ("halves", "faces"),
    [
        ([(0, 0x58), (1, 0x48), (2, 0x48)], [0, 1, 2]),
        ([(7, 0), (7, 1), (4, 2)], [0, 1, 2]),
        ([(2, 9), (0, 9), (1, 8)], [2, 0, 1]),
        ([], []),
    ],
)
def test_the_half_that_counts_names_the_face(halves: list[tuple[int, int]], faces: list[int]) -> None:
    assert drawn_faces(np.array(halves, DRAW.dtype)).tolist() == faces
