"""What lies next to the models of the sample, and the units that are made of several of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from assets.sample.neighbors.walker import SHARE_OF_TURN
from assets.sample.walker.gait import RUN, TURN, WALK
from tests.assets.conftest import BundledModel
from viewer.cli.main import main
from viewer.formats import fxid, units
from viewer.formats.archive.nres import Archive
from viewer.formats.msh.nodes import NONE
from viewer.formats.neighbors import control, control_points, damage, ground_plan
from viewer.formats.text import until_nul
from viewer.model.clips import controller, found_controller
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore

ARCHIVES = ("models.rlb", "turrets.rlb", "guns.rlb", "intsys.rlb")
MODULES: dict[bytes, Any] = {
    b".ctl": control,
    b".cpt": control_points,
    b".ndp": damage,
    b".bas": ground_plan,
}
WITH_DAMAGE = [
    ("models.rlb", "walker"),
    ("models.rlb", "drone"),
    ("models.rlb", "b_tower"),
    ("turrets.rlb", "e_tur_bt_01"),
    ("guns.rlb", "e_gun_tw_01"),
]
UNITS = ("walker.dat", "outpost.dat")


def payload(game: Path, archive: str, name: str) -> bytes:
    opened = Archive.read((game / archive).read_bytes())
    index = opened.find(name.encode())
    assert index is not None
    return bytes(opened.payload(index))


def neighbors(game: Path) -> Iterator[tuple[bytes, bytes]]:
    """Name and payload of everything that is neither a model nor a wear table."""
    for archive in ARCHIVES:
        opened = Archive.read((game / archive).read_bytes())
        for entry in opened.entries:
            if entry.name[-4:] in MODULES:
                yield entry.name, bytes(opened.payload(entry.index))


def player(game: Path, archive: str, stem: str) -> controller.Controller:
    """The controller that the program finds for a model."""
    library = FileStore()
    model = library.open(Address(game / archive, (f"{stem}.msh",)))
    return controller.of_found(found_controller.find(library, model, game))


def test_the_validator_finds_nothing_in_the_whole_folder(
    game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["validate", str(game), "--verbose"]) == 0
    shown = capsys.readouterr()
    assert [word for word in ("warning", "error:") if word in shown.out + shown.err] == []


def test_neighbors_are_whole_and_encode_to_the_same_bytes(game: Path) -> None:
    found = dict(neighbors(game))
    assert {name[-4:] for name in found} == set(MODULES)
    for name, data in found.items():
        module = MODULES[name[-4:]]
        value = module.decode(data)
        assert value.diagnostics == ()
        assert module.encode(value) == data


def test_the_blast_is_made_of_whole_commands(game: Path) -> None:
    effect = fxid.decode(payload(game, "effects.rlb", "blast"))
    assert effect.diagnostics == ()
    assert effect.opcodes.tolist() == [1, 3, 7, 10]


def test_the_walker_has_a_clip_for_every_movement(game: Path) -> None:
    found = player(game, "models.rlb", "walker").clips
    assert [clip.name for clip in found] == ["stand", "walk", "run", "turn", "turn 2", "backward", "walk 2"]
    played = np.array([clip.frames_a for clip in found])
    assert (played[[1, 6]] == (WALK.first, WALK.last)).all()
    assert (played[2] == (RUN.first, RUN.last)).all()
    assert (played[5] == (WALK.last, WALK.first)).all()
    blended = np.array([(*clip.frames_b, clip.weight_b) for clip in found if clip.frames_b])
    assert np.allclose(blended, [(TURN.first, TURN.last, SHARE_OF_TURN)])
    assert [clip.chain for clip in found] == [(clip.index,) for clip in found]


def test_states_are_chosen_by_the_speed_that_their_frames_have(game: Path) -> None:
    states = control.decode(payload(game, "models.rlb", "walker.ctl")).states
    forward = {0: 0.0, 1: WALK.speed, 2: RUN.speed, 5: -WALK.speed}
    spin = {3: TURN.spin, 4: -TURN.spin}
    for row, speed in forward.items():
        assert states["velocity_min"][row, 1] <= speed <= states["velocity_max"][row, 1]
    for row, turn in spin.items():
        assert states["spin_min"][row, 2] <= turn <= states["spin_max"][row, 2]


def test_the_turret_channel_is_a_whole_turn(game: Path, subject: Callable[[str, str], BundledModel]) -> None:
    for archive, stem in (("models.rlb", "walker"), ("turrets.rlb", "e_tur_bt_01")):
        channel = player(game, archive, stem).channels[0]
        names = subject(archive, stem).names
        assert (names[channel.node], channel.last - channel.first) == ("turret", 4)
        assert channel.wraps
        assert round(np.degrees(channel.span)) == 360


def test_controllers_of_another_stem_are_found_through_the_registry(game: Path) -> None:
    for archive, stem, name in (
        ("models.rlb", "s_tree_oak", "s_tree_wind.ctl"),
        ("guns.rlb", "e_gun_tw_01", "gun_twin.ctl"),
    ):
        found = player(game, archive, stem)
        assert found.address is not None
        assert str(found.address).endswith(f"{archive}::{name}")
    assert player(game, "models.rlb", "drone").address is None


@pytest.mark.parametrize(("archive", "stem"), WITH_DAMAGE, ids=lambda value: value)
def test_only_nodes_with_a_damaged_state_explode(
    game: Path, subject: Callable[[str, str], BundledModel], archive: str, stem: str
) -> None:
    model, rows = subject(archive, stem).model, damage.decode(payload(game, archive, f"{stem}.ndp")).rows
    assert len(rows) == len(model.nodes)
    explodes = np.array([bool(until_nul(name)) for name in rows["explosion"].tolist()])
    assert (explodes == (model.nodes["slots"][:, 1, 0] != NONE)).all()
    is_empty = (model.nodes["slots"] == NONE).all(axis=(1, 2))
    assert ((rows["hit_points"] == 1e6) == is_empty).all()


def test_running_gear_is_flagged_by_its_side(game: Path, subject: Callable[[str, str], BundledModel]) -> None:
    """spec/field-notes.md 3: left running gear at x < 0."""
    walker = subject("models.rlb", "walker")
    flags = damage.decode(payload(game, "models.rlb", "walker.ndp")).rows["flags"]
    x = walker.animation.pose(0.0).world[:, 0, 3]
    assert (x[flags == 0x20] < 0).all()
    assert (x[flags == 0x40] > 0).all()
    assert (flags == 0x20).sum() == (flags == 0x40).sum() == 9


def test_cameras_and_muzzles_aim_forward(game: Path) -> None:
    for name, data in neighbors(game):
        if name.endswith(b".cpt"):
            points = control_points.decode(data)
            for point, row in zip(points.names, points.points, strict=True):
                if point.startswith((b"Camera", b"Muzzle")):
                    assert row["direction"][1] > 0
                    assert row["direction"][[0, 2]].tolist() == [0, 0]


def test_muzzles_are_at_the_end_of_their_barrels(
    game: Path, subject: Callable[[str, str], BundledModel]
) -> None:
    for archive, stem in (("models.rlb", "walker"), ("guns.rlb", "e_gun_tw_01")):
        points = control_points.decode(payload(game, archive, f"{stem}.cpt"))
        model = subject(archive, stem).model
        for name, row in zip(points.names, points.points, strict=True):
            if name.startswith(b"Muzzle"):
                slot = model.slots[model.nodes["slots"][row["nodes"][0], 0, 0]]
                assert abs(row["position"][1] - slot["aabb_max"][1]) < 0.05


def test_the_ground_plan_is_tied_to_triangles(
    game: Path, subject: Callable[[str, str], BundledModel]
) -> None:
    plan = ground_plan.decode(payload(game, "models.rlb", "b_tower.bas"))
    tower = subject("models.rlb", "b_tower")
    (inner,), (outer,) = plan.inner, plan.outer
    assert (inner.points[0] == inner.points[-1]).all()
    corners = dict(zip(tower.draws.triangle.tolist(), tower.draws.corners, strict=True))
    for point, triangle, corner in zip(inner.points[:-1], inner.triangles, inner.corners, strict=True):
        assert (tower.model.positions[corners[int(triangle)][int(corner)]] == point).all()
    assert (np.abs(outer.points[:, :2]) > np.abs(inner.points[:, :2])).all()


@pytest.mark.parametrize("name", UNITS)
def test_parts_of_a_unit_hang_on_sockets_that_take_them(
    game: Path, subject: Callable[[str, str], BundledModel], name: str
) -> None:
    unit = units.decode((game / "UNITS/UNITS/SAMPLE" / name).read_bytes())
    assert unit.diagnostics == ()
    assert {int(kind) for kind in unit.components["class_id"]} >= {0, 1, 4}
    for row, parent in zip(unit.components, unit.parents, strict=True):
        if row["class_id"] in {1, 4}:
            body = subject(*_model_of(unit.components[parent]))
            socket, takes = body.names[row["attachment"]], body.model.strings[row["attachment"]]
            assert socket.startswith("Base_")
            assert takes
            assert until_nul(row["key"].tobytes()).startswith(takes)


def _model_of(component: np.void) -> tuple[str, str]:
    """Archive and stem of the model of a component."""
    key = until_nul(component["key"].tobytes()).decode()
    known = {"walker": "walker", "tower_outpost": "b_tower"}
    return ("models.rlb", known[key]) if key in known else ("turrets.rlb", key)


def test_the_turret_of_the_walker_stands_on_its_roof(subject: Callable[[str, str], BundledModel]) -> None:
    """Assembled as in spec/field-notes.md 5: world(socket) * local(part root)^-1 * world(node)."""
    body, part = subject("models.rlb", "walker"), subject("turrets.rlb", "e_tur_bt_01")
    socket = body.world(0.0, "Base_TM").astype(np.float64)
    mount = socket @ np.linalg.inv(part.world(0.0, "root").astype(np.float64))
    low = _points(part, "ring", mount)[:, 2].min()
    roof = _points(body, "turret", np.eye(4))[:, 2].max()
    assert abs(low - roof) < 0.2
    ahead = mount @ part.world(0.0, "Base_G1") @ np.array([0, 1, 0, 0])
    assert ahead[1] > 0.9


def _points(subject: BundledModel, node: str, mount: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The corners of the box of a node's finest level in the space of the unit."""
    slot = subject.model.slots[subject.model.nodes["slots"][subject.names.index(node), 0, 0]]
    low, high = slot["aabb_min"], slot["aabb_max"]
    corners = [[(low, high)[i >> axis & 1][axis] for axis in range(3)] + [1] for i in range(8)]
    posed: npt.NDArray[np.float64] = np.array(corners) @ (mount @ subject.world(0.0, node)).T
    return posed
