"""The committed sample, opened as the program opens it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from viewer.formats import wear
from viewer.formats.archive.nres import Archive
from viewer.model.mesh import draw_builder
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.animation import Animation
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.model.mesh.reading import ResolvedReading, choose

GAME = Path(__file__).parents[2] / "assets" / "game"


@dataclass(frozen=True)
class BundledModel:
    """A model of the sample with everything that can be known of it."""

    model: Model
    wear: wear.Wear
    skeleton: Skeleton
    draws: Draws
    choice: ResolvedReading
    animation: Animation

    @property
    def names(self) -> tuple[str, ...]:
        """Node names in the reading chosen."""
        return self.model.node_names(from_records=self.choice.reading.has_name_records)

    def world(self, time: float, node: str) -> npt.NDArray[np.float32]:
        """``world_from_node``, (4, 4)."""
        matrix: npt.NDArray[np.float32] = self.animation.pose(time).world[self.names.index(node)]
        return matrix


@cache
def open_subject(archive: str, stem: str) -> BundledModel:
    """A model of the sample by archive and stem."""
    entries = Archive.read((GAME / archive).read_bytes())
    found = entries.find(f"{stem}.msh".encode()), entries.find(f"{stem}.wea".encode())
    assert found[0] is not None
    assert found[1] is not None
    model, table = Model.read(entries.payload(found[0])), wear.decode(entries.payload(found[1]))
    skeleton, draws = Skeleton(model), draw_builder.build(model)
    choice = choose(model, skeleton, draws, wear_rows=len(table.materials))
    animation = Animation(model, skeleton, choice.reading.quaternion_order)
    return BundledModel(model, table, skeleton, draws, choice, animation)


@pytest.fixture(scope="session")
def game() -> Path:
    """The committed game folder."""
    return GAME


@pytest.fixture(scope="session")
def subject() -> Callable[[str, str], BundledModel]:
    """Opens a model of the sample by archive and stem."""
    return open_subject


@pytest.fixture(
    params=[
        ("models.rlb", "walker"),
        ("seed.rlb", "drone_seed"),
        ("models.rlb", "drone"),
        ("models.rlb", "b_tower"),
        ("models.rlb", "s_tree_oak"),
        ("models.rlb", "s_sign"),
        ("turrets.rlb", "e_tur_bt_01"),
        ("guns.rlb", "e_gun_tw_01"),
        ("machines.rlb", "r_crawler"),
    ],
    ids=lambda param: param[1],
)
def any_model(request: pytest.FixtureRequest) -> BundledModel:
    """Each model of the sample in turn."""
    return open_subject(*request.param)
