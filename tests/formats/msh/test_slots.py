"""Res2: the worked example, and the header in front of the slots."""

from __future__ import annotations

import numpy as np

from viewer.formats.msh.slots import HEADER, SLOT

EXAMPLE = bytes.fromhex(
    "0000020000000100 000000BF000000BF00000000 0000003F0000003F00000000" + 12 * "00" + "F304353F" + 20 * "00"
)


def test_the_worked_example() -> None:
    assert SLOT.row(SLOT.read(EXAMPLE)) == {
        "tri_start": 0,
        "tri_count": 2,
        "batch_start": 0,
        "batch_count": 1,
        "aabb_min": [-0.5, -0.5, 0.0],
        "aabb_max": [0.5, 0.5, 0.0],
        "sphere_center": [0.0, 0.0, 0.0],
        "sphere_radius": float(np.float32(0.70710677)),
        "opaque": [0, 0, 0, 0, 0],
    }


def test_the_header_is_thirty_five_floats() -> None:
    row = HEADER.row(HEADER.read(np.arange(35, dtype="<f4").tobytes()))
    assert row["hull"][7] == [21.0, 22.0, 23.0]
    assert row["sphere_center"] == [24.0, 25.0, 26.0]
    assert row["sphere_radius"] == 27.0
    assert (row["capsule_a"], row["capsule_b"]) == ([28.0, 29.0, 30.0], [31.0, 32.0, 33.0])
    assert row["capsule_radius"] == 34.0


def test_the_layout_is_the_specs() -> None:
    assert (HEADER.size, SLOT.size) == (0x8C, 68)
    assert [SLOT.field(name).offset for name in ("aabb_min", "sphere_center", "sphere_radius", "opaque")] == [
        0x08,
        0x20,
        0x2C,
        0x30,
    ]
