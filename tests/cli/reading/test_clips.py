"""What a model can play, and its pose and picture while it is played.

``draws``: the draws of a cell, exactly or as the game chooses.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.builders import ModelBuilder, Node, box, quad
from tests.cli.console import Capture, failure, json_of, success
from tests.model.controllers import Drive, State, build, game, model
from viewer.formats.msh.nodes import FLAG_COCKPIT, FLAG_INTERNAL, FLAG_SURVIVES
from viewer.formats.neighbors import control


@pytest.fixture
def walker(tmp_path: Path) -> str:
    """A model with two clips of the same gait, and a channel of its turret."""
    states = State((0, 4), (8, 8), 0.5), State((6, 9), milliseconds=0)
    controllers = {"a.ctl": build(states, [Drive(1, (0, 10), 0.25)]), "b.ctl": build()}
    entries = {name: control.encode(it) for name, it in controllers.items()}
    keys = {"a": ["bots.rlb::a.msh", "bots.rlb::a.ctl", "bots.rlb::b.ctl"]}
    return f"{game(tmp_path / 'game', {'bots.rlb': {'a.msh': model(), **entries}}, keys) / 'bots.rlb'}::a.msh"


def positions(capsys: Capture, address: str, *options: object) -> list[list[float]]:
    nodes = json_of(capsys, "pose", address, "--time", 0.5, *options)["nodes"]
    return [[round(number, 5) for number in node["position"]] for node in nodes]


def test_clips_and_channels_are_listed(capsys: Capture, walker: str) -> None:
    found = json_of(capsys, "clips", walker)
    archive = walker.removesuffix("::a.msh")
    assert (found["control"], found["others"], found["frames"]) == (
        f"{archive}::a.ctl",
        [f"{archive}::b.ctl"],
        11,
    )
    assert found["clips"] == [
        {
            "index": 0,
            "name": "stand",
            "guess": True,
            "frames_a": [0, 4],
            "frames_b": [8, 8],
            "weight_b": 0.5,
            "seconds": 1.0,
            "chain": [0],
            "request": 0,
            "intact": [],
            "destroyed": [],
        },
        {
            "index": 1,
            "name": "stand 2",
            "guess": True,
            "frames_a": [6, 9],
            "frames_b": None,
            "weight_b": 0.0,
            "seconds": None,
            "chain": [1],
            "request": 0,
            "intact": [],
            "destroyed": [],
        },
    ]
    assert [(it["index"], it["node"], it["last"], it["initial"]) for it in found["channels"]] == [
        (0, 1, 10, 0.25)
    ]


def test_the_text_says_what_is_a_guess_and_what_is_our_rate(
    capsys: Capture, walker: str, tmp_path: Path
) -> None:
    text, _ = success(capsys, "clips", walker)
    assert "stand 2" in text
    assert "guesses" in text
    assert "stride" in text
    (tmp_path / "strip.msh").write_bytes(model())
    text, _ = success(capsys, "clips", tmp_path / "strip.msh")
    assert "one strip" in text
    assert "our rate" in text


def test_another_controller_can_be_used(capsys: Capture, walker: str, tmp_path: Path) -> None:
    own, other = (walker.replace("a.msh", f"{stem}.ctl") for stem in "ab")
    found = json_of(capsys, "clips", walker, "--control", other)
    assert (found["control"], found["others"], found["clips"]) == (other, [own], [])
    (tmp_path / "c.ctl").write_bytes(control.encode(build([State((7, 7))])))
    for options in ((), ("--channel", "1=0")):
        message = failure(
            capsys, "pose", walker, "--time", 0, "--clip", 1, "--control", tmp_path / "c.ctl", *options
        )
        assert "the clips are 0 to 0: stand" in message
    found = json_of(capsys, "pose", walker, "--time", 0, "--clip", 0, "--control", tmp_path / "c.ctl")
    assert found["nodes"][0]["position"] == [7, 5, 0]
    assert "has no entry" in failure(capsys, "clips", walker, "--control", f"{other}x")


def test_a_pose_in_a_clip(capsys: Capture, walker: str) -> None:
    """Half a second into one second: frame 2 and frame 8, half of each; the turret at a quarter."""
    assert positions(capsys, walker, "--clip", 0) == [[5, 5, 0], [0, 0, 2.5]]
    assert positions(capsys, walker, "--clip", "STAND", "--root", "still") == [[0, 0, 0], [0, 0, 2.5]]
    for node in ("1", "Turret"):
        assert positions(capsys, walker, "--channel", f"{node}=0.75") == [[0.5, 5, 0], [0, 0, 7.5]]


def test_a_pose_of_two_clips(capsys: Capture, walker: str) -> None:
    """Frames 2 and 8, half of each, with frame 7.5 of the other clip, half way too, or with its first one."""
    both = "--clip", 0, "--clip-b", "stand 2", "--blend", 0.25
    assert positions(capsys, walker, *both)[0] == [0.75 * 5 + 0.25 * 7.5, 5, 0]
    assert positions(capsys, walker, *both, "--time-b", 0)[0] == [0.75 * 5 + 0.25 * 6, 5, 0]


def test_a_pose_keeps_the_root_unless_it_is_to_be_still(capsys: Capture, walker: str) -> None:
    assert positions(capsys, walker)[0] == [0.5, 5, 0]
    assert positions(capsys, walker, "--root", "travel")[0] == [0.5, 5, 0]
    assert positions(capsys, walker, "--root", "still")[0] == [0, 0, 0]


def test_a_huge_time_shows_the_end(capsys: Capture, walker: str) -> None:
    for time in ("1e30", "-1e30", "2e9", "4294967296"):
        nodes = json_of(capsys, "pose", walker, f"--time={time}")["nodes"]
        assert [(node["position"], node["interpolated"]) for node in nodes] == [
            ([10, 5, 0], False),
            ([0, 0, 10], False),
        ], time


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--clip", "2"), "the clips are 0 to 1: stand, stand 2"),
        (("--clip", "-1"), "the clips are 0 to 1"),
        (("--clip", "jump"), "the clips are 0 to 1"),
        (("--clip", "0", "--time-b", "1", "--blend", "0.5"), "--clip with --time-b needs --clip-b"),
        (("--clip-b", "0", "--blend", "0.5"), "--clip-b needs --clip"),
        (("--clip", "0", "--clip-b", "1"), "--clip-b needs --blend"),
        (("--clip", "0", "--clip-b", "7", "--blend", "0.5"), "the clips are 0 to 1"),
        (("--time-b", "1"), "require each other"),
        (("--time-b", "1", "--blend=7"), "--blend: '7' is not within 0 to 1"),
        (("--time-b", "1", "--blend=-0.1"), "--blend: '-0.1' is not within 0 to 1"),
        (("--channel", "1"), "NODE=VALUE"),
        (("--channel", "1=1.5"), "from 0 to 1"),
        (("--channel", "1=nan"), "from 0 to 1"),
        (("--channel", "0=0.5"), "no channel drives"),
        (("--channel", "2=0.5"), "no such node"),
        (("--channel", "1" * 5000 + "=0.5"), "no such node"),
        (("--clip", "1" * 5000), "the clips are 0 to"),
        (("--channel", "=0.5"), "no such node"),
    ],
)
def test_what_cannot_be_played_is_one_error(
    capsys: Capture, walker: str, options: tuple[str, ...], said: str
) -> None:
    assert said in failure(capsys, "pose", walker, "--time", 0, *options)


def test_a_model_without_controller_has_no_clip(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "strip.msh").write_bytes(model())
    assert "no controller" in failure(capsys, "pose", tmp_path / "strip.msh", "--time", 0, "--clip", 0)
    (tmp_path / "strip.ctl").write_bytes(control.encode(build()))
    assert "has no clips" in failure(capsys, "pose", tmp_path / "strip.msh", "--time", 0, "--clip", 0)


def test_a_damaged_controller_is_a_warning_and_no_clip(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "a.msh").write_bytes(model())
    (tmp_path / "a.ctl").write_bytes(b"\1\0\0")
    out, err = success(capsys, "clips", tmp_path / "a.msh", "--json")
    assert json.loads(out)["clips"] == []
    assert err.count("a.ctl cannot be read") == 1
    assert "a.ctl cannot be read" in failure(capsys, "pose", tmp_path / "a.msh", "--time", 0, "--clip", 0)


def pixels(capsys: Capture, walker: str, out: Path, *options: object) -> bytes:
    success(capsys, "render", walker, "-o", out, "--size", "48x48", "--shading", "lit", *options)
    return np.asarray(Image.open(out)).tobytes()


def test_a_picture_shows_the_clip_the_channels_and_the_root(
    capsys: Capture, walker: str, tmp_path: Path
) -> None:
    """The clip's pose is that of frames 5 and 2.5, which the strip cannot show but channels can."""
    out = tmp_path / "a.png"
    clip = pixels(capsys, walker, out, "--clip", "0", "--time", "0.5")
    assert clip == pixels(capsys, walker, out, "--time", "5", "--channel", "1=0.25")
    assert clip != pixels(capsys, walker, out, "--time", "5")
    assert clip == pixels(capsys, walker, out, "--clip", "0", "--time", "0.5", "--root", "travel")
    frames = "--frames", "0:10:9"
    success(capsys, "render", walker, "-o", out, "--size", "48x48", "--root", "travel", *frames)
    travelled = [np.asarray(Image.open(tmp_path / f"a_000{index}.png")) for index in range(2)]
    success(capsys, "render", walker, "-o", out, "--size", "48x48", "--channel", "1=0", *frames)
    stayed = [np.asarray(Image.open(tmp_path / f"a_000{index}.png")) for index in range(2)]
    assert (travelled[0] != travelled[1]).any()
    assert (stayed[0] == stayed[1]).all()


FINE, WALL, EYE = range(3)


@pytest.fixture
def drawn_model(tmp_path: Path) -> Path:
    """Three groups and two LODs; an internal wall with a portal; a cockpit."""
    stages = {(0, 0): [box()], (0, 1): [quad()], (0, 2): [quad()], (1, 0): [quad(2)]}
    builder = ModelBuilder.of(
        [
            Node("fine", shapes=stages, flags=FLAG_SURVIVES),
            Node("wall", shapes={(0, 0): [quad(), quad()]}, flags=FLAG_INTERNAL),
            Node("CP_eye", shapes={(0, 4): [box()]}, flags=FLAG_COCKPIT),
        ]
    )
    portal = int(builder.slots["batch_start"][int(builder.nodes["slots"][WALL, 0, 0])]) + 1
    builder.batches["flags"][portal], builder.batches["opaque6"][portal] = 0x8, FINE
    path = tmp_path / "hall.msh"
    path.write_bytes(builder.build())
    return path


Draws = Callable[..., dict[str, Any]]


@pytest.fixture
def draws(drawn_model: Path, capsys: Capture) -> Draws:
    def run(*options: str) -> dict[str, Any]:
        found: dict[str, Any] = json_of(capsys, "draws", drawn_model, *options)
        return found

    return run


def nodes(found: dict[str, Any]) -> list[int]:
    return [draw["node"] for draw in found["draws"]]


def test_by_default_it_is_exactly_the_cell_with_its_portals(draws: Draws) -> None:
    found = draws()
    assert (found["lod"], found["group"], nodes(found)) == (0, 0, [FINE, WALL, WALL])
    assert found["cell"] == "LOD 0 - intact, group 0 - near"
    assert [draw["portal"] for draw in found["draws"]] == [False, False, True]
    assert [draw["portal_kind"] for draw in found["draws"]] == [None, None, "doorway"]
    assert nodes(draws("--lod", "1")) == [FINE]
    assert nodes(draws("--group", "1")) == [FINE]


def test_the_game_draws_what_is_nearest(draws: Draws) -> None:
    assert nodes(draws("--lod", "1", "--cells", "game")) == [FINE, WALL, WALL]
    assert nodes(draws("--group", "3", "--cells", "game")) == [FINE, WALL, WALL]
    assert nodes(draws("--cells", "game", "--stage", "destroyed")) == [FINE]
    assert nodes(draws("--cells", "game", "--cutaway", "inside")) == [WALL, WALL]
    assert nodes(draws("--own-view")) == [EYE]


@pytest.mark.parametrize("lod", ["-1", "auto"])
def test_the_distance_chooses_the_group(draws: Draws, lod: str) -> None:
    """The coarsest group is the last one that the model has."""
    assert (draws("--lod", lod)["lod"], draws("--lod", lod)["group"]) == (0, 0)
    groups = [draws("--lod", lod, "--distance", str(distance))["group"] for distance in (1, 12, 24, 1000)]
    assert groups == [0, 1, 2, 2]
    assert draws("--lod", lod, "--distance", "1", "--group", "2")["group"] == 2
    assert nodes(draws("--lod", lod, "--distance", "1000", "--cells", "game")) == [FINE, WALL, WALL]
    assert draws("--lod", lod, "--stage", "1")["lod"] == 1


@pytest.mark.parametrize("lod", ["-1", "auto"])
def test_in_the_seed_reading_the_current_lod_is_a_row_that_is_set(draws: Draws, lod: str) -> None:
    found = [draws("--reading", "seed", "--lod", lod, *more) for more in ((), ("--current-lod", "1"))]
    assert [(it["lod"], it["group"]) for it in found] == [(0, 0), (1, 0)]
    assert nodes(found[1]) == [FINE]
    far = draws("--reading", "field", "--lod", lod, "--current-lod", "1", "--distance", "1000")
    assert (far["lod"], far["group"]) == (1, 0), "LOD 1 has no other group"
    far = draws("--reading", "field", "--lod", lod, "--distance", "1000")
    assert (far["lod"], far["group"]) == (0, 2)


def test_the_text_names_the_cell_with_its_meaning(drawn_model: Path, capsys: Capture) -> None:
    cell = ("--lod", "1", "--group", "2", "--reading")
    lines = [success(capsys, "draws", drawn_model, *cell, it)[0].splitlines()[0] for it in ("field", "seed")]
    assert lines == ["LOD 1 - damaged, group 2 - far", "LOD 1, group 2"]


@pytest.mark.parametrize(
    "options",
    [
        ["--distance", "5"],
        ["--distance", "5", "--lod", "auto", "--reading", "seed"],
        ["--current-lod", "1"],
        ["--current-lod", "1", "--lod", "0"],
        ["--current-lod", "1", "--lod", "auto", "--stage", "2"],
        ["--lod", "auto", "--distance", "0"],
        ["--lod", "1", "--stage", "2"],
        ["--stage", "destroyed"],
        ["--own-view", "--group", "2"],
        ["--own-view", "--lod", "auto"],
        ["--lod", "3"],
        ["--lod", "-2"],
    ],
)
def test_options_that_contradict_are_refused(drawn_model: Path, capsys: Capture, options: list[str]) -> None:
    assert options[0] in failure(capsys, "draws", drawn_model, *options)


def test_a_channel_is_named_by_every_component_that_drives_it(samples: Path, capsys: Capture) -> None:
    out, _ = success(capsys, "clips", f"{samples / 'field2' / 'game' / 'made.rlb'}::rotor.msh")
    wanted = {
        "Tup": "device",
        "dish": "radar",
        "hub": "efficiency",
        "mast": "mast",
        "turret": "main teleport, turret, door",
    }
    lines = [line.split() for line in out.splitlines()]
    found = {it[1]: " ".join(it[2:]) for it in lines if len(it) > 2 and it[1] in wanted}
    assert all(found[node].startswith(f"{words} ") for node, words in wanted.items()), found
