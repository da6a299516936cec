"""Rotations of keys: their products and matrices agree with those that a pose is made of."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.geometry import quaternions
from viewer.geometry.transforms import Doubles
from viewer.model.mesh.animation import matrices

CHANCE = np.random.default_rng(11)


def some(count: int) -> Doubles:
    found = CHANCE.normal(size=(count, 4))
    unit: Doubles = found / np.linalg.norm(found, axis=1, keepdims=True)
    return unit


def matrix(quaternion: Doubles) -> Doubles:
    found = matrices(np.atleast_2d(quaternion).astype(np.float32), np.zeros((1, 3), np.float32))
    rotation: Doubles = found[0, :3, :3].astype(np.float64)
    return rotation


def test_a_product_turns_by_the_second_in_the_space_around() -> None:
    for first, then in zip(some(20), some(20), strict=True):
        found = matrix(quaternions.product(first, then))
        assert found == pytest.approx(matrix(then) @ matrix(first), abs=1e-5)


def test_a_matrix_gives_its_quaternion() -> None:
    for quaternion in (*some(50), *np.eye(4), -np.eye(4)[0]):
        found = quaternions.of_matrix(matrix(quaternion))
        assert found[0] >= 0
        assert matrix(found) == pytest.approx(matrix(quaternion), abs=1e-5)
