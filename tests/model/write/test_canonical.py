"""Canonical models: attributes that follow from sizes, maps without gaps, and nothing invented."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, box, legacy24
from viewer.formats.archive import nres
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.nodes import NONE
from viewer.formats.msh.tables import FRAME_MAP, NAME_RECORDS, NODES, POSITIONS
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.model import Model
from viewer.model.mesh.skeleton import Skeleton
from viewer.model.write.canonical import entries_of

SCENE = [
    Node("hull", shapes={(0, 0): [box()]}),
    Node("left", 0, keys=(Key(), Key(time=2.0, position=(1, 0, 0)), Key(time=5.0))),
    Node("right", 0, keys=(Key(), Key(time=5.0, position=(0, 2, 0)))),
]


def canonical(model: Model) -> Model:
    return Model.read(nres.build(entries_of(model)))


def poses(model: Model) -> np.ndarray:
    animation = Animation(model, Skeleton(model), QuaternionOrder.XYZW)
    return np.array([animation.pose(time).local for time in np.arange(-1, 9, 0.37)])


def test_a_canonical_model_stays() -> None:
    data = ModelBuilder(SCENE).build()
    assert canonical(Model.read(data)).archive.data == data


def test_wrong_attributes_follow_from_the_sizes() -> None:
    builder = ModelBuilder(SCENE)
    right = builder.build()
    builder.attributes |= {POSITIONS: (1, 2, 3), FRAME_MAP: (9, 6, 9)}
    assert canonical(builder.model()).archive.data == right


def test_attributes_without_a_rule_stay() -> None:
    builder = ModelBuilder(SCENE)
    builder.attributes |= {NAME_RECORDS: (7, 8, 9), NODES: (3, 55, 38), 99: (1, 2, 3)}
    builder.tables[99] = b"unknown"
    data = builder.build()
    assert canonical(Model.read(data)).archive.data == data


def scattered() -> ModelBuilder:
    """Blocks in the wrong order with a gap between them, and words above the fallback key."""
    builder = ModelBuilder(SCENE)
    frames = builder.frame_count
    left, right = builder.frame_map[:frames], builder.frame_map[frames:]
    left = np.where(left == builder.nodes["fallback_key"][1], 0xFFFE, left)
    builder.frame_map = np.concatenate([right, np.full(5, 0xABCD), left]).astype("<u2")
    builder.nodes["map_start"] = [NONE, frames + 5, 0]
    builder.attributes[FRAME_MAP] = (len(builder.frame_map), frames, 2)
    return builder


def test_a_scattered_map_is_put_in_order() -> None:
    assert canonical(scattered().model()).archive.data == ModelBuilder(SCENE).build()


def test_it_plays_as_before(files: Path) -> None:
    for path in sorted((files).glob("*/odd/*.msh")):
        model = Model.read(path.read_bytes())
        assert np.array_equal(poses(model), poses(canonical(model))), path.name
    assert np.array_equal(poses(scattered().model()), poses(canonical(scattered().model())))


@pytest.mark.parametrize("start", [0xFFFE, 12])
def test_a_block_that_is_not_whole_is_left_alone(start: int) -> None:
    builder = scattered()
    builder.nodes["map_start"][2] = start
    model = builder.model()
    again = canonical(model)
    assert again.payload(FRAME_MAP) == model.payload(FRAME_MAP)
    assert again.payload(NODES) == model.payload(NODES)


def test_bytes_behind_the_last_node_stay() -> None:
    builder = scattered()
    builder.tables[NODES] = builder.nodes.tobytes() + b"odd"
    builder.attributes[NODES] = (3, 0, 38)
    assert bytes(canonical(builder.model()).payload(NODES)).endswith(b"odd")


def test_legacy_nodes_are_copied() -> None:
    data = legacy24([box()])
    assert canonical(Model.read(data)).archive.data == data
