"""Finding the controller of a model, and its clips and channels."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.controllers import Drive, State, archive, build, game, model, opened
from viewer.formats.neighbors import control
from viewer.model.clips.controller import NO_CONTROLLER
from viewer.session.play import posing
from viewer.session.play.playback import Playback
from viewer.session.view.view_state import ViewState

WALK = control.encode(build([State((5, 8))]))
TURN = control.encode(build([State((1, 2))], [Drive(1, (0, 9))]))


def found(folder: Path, address: str) -> str | None:
    """The controller of a model, without the folder."""
    controller = opened(folder / address).controller.address
    return controller and controller.removeprefix(f"{folder}/")


@pytest.mark.parametrize(
    ("references", "expected"),
    [
        (["bots.rlb::a.msh", "bots.rlb::other.ctl"], "bots.rlb::other.ctl"),
        (["BOTS.RLB::A.MSH", "Guns.rlb::Small.CTL"], "guns.rlb::small.ctl"),
        (["bots.rlb::a.msh", "bots.rlb::lost.ctl", "bots.rlb::other.ctl"], "bots.rlb::other.ctl"),
        (["bots.rlb::a.msh"], None),
        (["else.rlb::a.msh", "bots.rlb::other.ctl"], "bots.rlb::a.ctl"),
        (["bots.rlb::b.msh", "bots.rlb::other.ctl"], "bots.rlb::a.ctl"),
        (["objects.rlb::parent"], "guns.rlb::small.ctl"),
        (["bots.rlb::a.bas", "bots.rlb::other.ctl"], "bots.rlb::other.ctl"),
        (None, "bots.rlb::a.ctl"),
    ],
)
def test_the_registry_names_the_controller(
    tmp_path: Path, references: list[str] | None, expected: str | None
) -> None:
    archives = {
        "bots.rlb": {"a.msh": model(), "a.ctl": WALK, "other.ctl": TURN},
        "guns.rlb": {"small.ctl": TURN},
    }
    keys = None if references is None else {"child": references}
    if references == ["objects.rlb::parent"]:
        keys = {"child": references, "parent": ["bots.rlb::a.msh", "guns.rlb::small.ctl"]}
    folder = game(tmp_path / "game", archives, keys)
    assert found(folder, "bots.rlb::a.msh") == expected
    assert found(folder, "bots.rlb::#0") == expected


def test_a_turret_has_two_and_the_first_is_used(tmp_path: Path) -> None:
    archives = {"bots.rlb": {"a.msh": model(), "b.ctl": TURN, "c.ctl": WALK}}
    folder = game(tmp_path, archives, {"a": ["bots.rlb::a.msh", "bots.rlb::b.ctl", "bots.rlb::c.ctl"]})
    controller = opened(folder / "bots.rlb::a.msh").controller
    assert (controller.address, controller.others) == (
        f"{folder / 'bots.rlb'}::b.ctl",
        (f"{folder / 'bots.rlb'}::c.ctl",),
    )


def test_a_file_has_the_controller_beside_it(tmp_path: Path) -> None:
    (tmp_path / "Walker.msh").write_bytes(model())
    assert opened(tmp_path / "Walker.msh").controller == NO_CONTROLLER
    (tmp_path / "walker.CTL").write_bytes(WALK)
    assert found(tmp_path, "Walker.msh") == "walker.CTL"


def test_a_file_taken_out_of_its_archive_has_the_controller_that_the_registry_names(tmp_path: Path) -> None:
    folder = game(tmp_path, {"bots.rlb": {"b.ctl": TURN}}, {"a": ["bots.rlb::a.msh", "bots.rlb::b.ctl"]})
    (folder / "a.msh").write_bytes(model())
    assert found(folder, "a.msh") == "bots.rlb::b.ctl"


def test_a_copy_of_an_archive_has_its_own_controllers_first(tmp_path: Path) -> None:
    entries = {"a.msh": model(), "b.ctl": TURN, "c.ctl": WALK}
    references = ["bots.rlb::a.msh", "bots.rlb::b.ctl", "bots.rlb::c.ctl"]
    folder = game(tmp_path, {"bots.rlb": entries}, {"a": references})
    (folder / "mods").mkdir()
    (folder / "mods" / "bots.rlb").write_bytes(archive({"a.msh": model(), "b.ctl": WALK}))
    controller = opened(folder / "mods" / "bots.rlb::a.msh").controller
    assert controller.address == f"{folder}/mods/bots.rlb::b.ctl"
    assert controller.others == (f"{folder}/bots.rlb::c.ctl",)


def test_an_edited_controller_makes_another_revision(tmp_path: Path) -> None:
    (tmp_path / "a.msh").write_bytes(model())
    (tmp_path / "a.ctl").write_bytes(WALK)
    before = opened(tmp_path / "a.msh")
    (tmp_path / "a.ctl").write_bytes(TURN)
    assert opened(tmp_path / "a.msh").following(before).revision == 1


@pytest.mark.parametrize("damage", [b"", WALK[:60], b"\xff" * 300, WALK[:-120]])
def test_a_damaged_controller_is_one_diagnostic_of_an_intact_model(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "a.msh").write_bytes(model())
    (tmp_path / "a.ctl").write_bytes(damage)
    document = opened(tmp_path / "a.msh")
    assert document.model.node_count == 2
    problem = document.controller.problem
    assert problem is not None
    assert [it for it in document.findings if "the controller" in it.text] == [problem]
    assert str(tmp_path / "a.ctl") in problem.text


def test_controllers_of_the_corpus(samples: Path) -> None:
    """Which controller each model has, and the frames, the weight and the length of each clip."""
    root = (samples / "field").resolve()
    truth = json.loads((root / "truth.json").read_text())
    for key, expected in truth["models"].items():
        controller = opened(root / key).controller
        address = controller.address and controller.address.removeprefix(f"{root}/")
        assert address == expected.get("control"), key
        stated = truth["controls"][address] if address else {"clips": [], "channels": []}
        clips = [
            {
                "index": clip.index,
                "frames_a": [*clip.frames_a],
                "frames_b": clip.frames_b and [*clip.frames_b],
                "weight_b": clip.weight_b,
                "seconds": clip.seconds,
            }
            for clip in controller.clips
        ]
        assert clips == stated["clips"], key
        nodes = [(channel.index, channel.node, channel.flags) for channel in controller.channels]
        assert nodes == [(row, it["node"], it["flags"]) for row, it in enumerate(stated["channels"])], key
    turret = opened(root / "game/robots.rlb::w_tur_01.msh").controller
    assert [Path(address).name for address in turret.others] == ["robots.rlb::w_tur_t_01.ctl"]


@given(st.lists(st.tuples(st.floats(0, 1), st.binary(min_size=1, max_size=8)), min_size=1, max_size=6))
def test_any_damage_leaves_a_pose_without_gaps(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[float, bytes]]
) -> None:
    """Whatever a controller says, its model opens, and every clip gives finite matrices."""
    folder = tmp_path_factory.mktemp("damaged")
    states = State((0, 4), (8, 8), 0.5), State((6, 9), milliseconds=0)
    data = bytearray(control.encode(build(states, [Drive(1, (0, 10), 0.25)], {(0, 1): 0.0})))
    for share, new in changes:
        start = int(share * (len(data) - len(new)))
        data[start : start + len(new)] = new
    (folder / "a.msh").write_bytes(model())
    (folder / "a.ctl").write_bytes(data)
    document = opened(folder / "a.msh")
    for clip in document.controller.clips:
        for seconds in (0.0, 0.25, 1e30):
            view = ViewState(playback=Playback(clip=clip.index, seconds=seconds))
            assert np.isfinite(posing.pose(document, view).world).all()
