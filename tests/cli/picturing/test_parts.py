"""Which parts of a model ``render`` shows."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from tests.builders import ModelBuilder, Node, box, quad
from tests.cli.console import Capture, success
from viewer.cli.main import main
from viewer.cli.picturing import drawing
from viewer.errors import UsageError
from viewer.formats import sky
from viewer.formats.archive import nres
from viewer.formats.msh.batches import FLAG_OPEN, FLAG_PORTAL, FLAG_SIGN
from viewer.formats.msh.nodes import FLAG_COCKPIT, FLAG_INTERNAL
from viewer.model.sky.day import first_day, first_hour
from viewer.session.view.options.lighting import Lighting, LightKind, Look
from viewer.session.view.view_state import ViewState

FRONT = ("--yaw", "0", "--pitch", "0", "--size", "64x64")
ROOM, WALL, DOOR, SEAT = range(4)
ZOOMS = ("1", "0.2", "0.1", "0.05")


def ids(model: Path, *arguments: str) -> npt.NDArray[np.uint32]:
    out = model.with_name("ids.npy")
    assert main(["render", str(model), "-o", str(out), "--ids", *FRONT, *arguments]) == 0
    loaded: npt.NDArray[np.uint32] = np.load(out)
    return loaded


@pytest.fixture
def hall(tmp_path: Path) -> Path:
    """A hall with a doorway."""
    return hall_with(tmp_path, FLAG_PORTAL)


def hall_with(folder: Path, flags: int) -> Path:
    """A room and its outer wall; a portal before both; a cockpit in it; each of its own size."""
    wall = [quad(1, center=(0, 0, 1.2))]
    builder = ModelBuilder.of(
        [
            Node("i_room", shapes={(0, 0): [box((2, 2, 2))]}, flags=FLAG_INTERNAL),
            Node("o_wall", shapes={(0, 0): wall, (1, 0): wall}),
            Node("o_door", shapes={(0, 0): [quad(3, center=(0, 0, 1.4))]}),
            Node("CP_seat", shapes={(0, 4): [box((1, 1, 1))]}, flags=FLAG_COCKPIT),
        ]
    )
    door = int(builder.slots["batch_start"][int(builder.nodes["slots"][2, 0, 0])])
    builder.batches["flags"][door], builder.batches["opaque6"][door] = flags, 0
    path = folder / "hall.msh"
    path.write_bytes(builder.build())
    return path


def nodes_seen(model: Path, *options: str) -> set[int]:
    """The nodes in a picture from above."""
    return set((np.unique(ids(model, "--pitch", "90", *options)[..., 0]).astype(int) - 1).tolist()) - {-1}


def test_portals_and_cockpits_are_hidden_until_asked_for(hall: Path) -> None:
    assert nodes_seen(hall) == {ROOM, WALL}
    assert nodes_seen(hall, "--portals") == {DOOR}
    assert nodes_seen(hall, "--own-view", "--pitch", "-90") == {SEAT}


def test_an_open_portal_is_hidden_and_a_sign_is_seen_and_counted(tmp_path: Path, capsys: Capture) -> None:
    seen = hall_with(tmp_path, FLAG_PORTAL | FLAG_OPEN)
    assert (nodes_seen(seen), nodes_seen(seen, "--portals")) == ({ROOM, WALL}, {DOOR})
    seen = hall_with(tmp_path, FLAG_PORTAL | FLAG_SIGN | 0x100)
    assert (nodes_seen(seen), nodes_seen(seen, "--portals")) == ({DOOR}, {DOOR})
    capsys.readouterr()
    lines = success(capsys, "why", seen, "--at", "32,32", "--pitch", "90", *FRONT[:2], *FRONT[4:])
    assert ["portal", "sign", "to", "i_room"] in [line.split() for line in lines[0].splitlines()]


def test_signs_of_the_independent_corpus_are_drawn_doorways_are_not(samples: Path, tmp_path: Path) -> None:
    truth = json.loads((samples / "field2" / "truth.json").read_text())["models"]
    kinds = truth["game/made.rlb::fr_s_sign.msh"]["portals"]
    model = tmp_path / "sign.msh"
    archive = nres.Archive.read((samples / "field2" / "game" / "made.rlb").read_bytes())
    model.write_bytes(archive.payload(archive.find(b"fr_s_sign.msh") or 0))
    for options, shown in (((), {"sign"}), (("--portals",), {"sign", "doorway", "open"})):
        views = [("--yaw", yaw) for yaw in ("0", "90", "180", "270")]
        seen = {*np.unique([ids(model, *view, *options)[..., 1] for view in views]).tolist()} - {0}
        assert {kinds[batch - 1] for batch in seen} - {None} == shown


@pytest.mark.parametrize("clan", range(9))
def test_each_clan_has_its_sign_and_one_past_the_last_the_first(
    samples: Path, tmp_path: Path, clan: int
) -> None:
    truth = json.loads((samples / "field2" / "truth.json").read_text())["clan_cells"]["colours"]
    model, out = f"{samples / 'field2' / 'game' / 'made.rlb'}::emblem.msh", tmp_path / "emblem.png"
    seen = set()
    for yaw in ("0", "90", "180", "270"):
        options = ["--yaw", yaw, "--pitch", "0", "--size", "64x64", "--lights", "off", "--scene", "1"]
        assert main(["render", model, "-o", str(out), "--variant", str(clan), *options]) == 0
        seen |= {*map(tuple, np.asarray(Image.open(out))[..., :3].reshape(-1, 3).tolist())}
    colors = [tuple(it) for it in truth]
    expected = colors[clan] if clan < len(colors) else colors[0]
    assert [it for it in colors if it in seen] == [expected]


def test_a_building_is_cut_open(hall: Path) -> None:
    assert nodes_seen(hall, "--cutaway", "inside") == {ROOM}
    assert nodes_seen(hall, "--cutaway", "outside") == {WALL}


def test_a_damaged_building_is_not_empty(hall: Path) -> None:
    assert nodes_seen(hall, "--lod", "2") == {ROOM, WALL}
    assert nodes_seen(hall, "--lod", "1", "--cells", "exact") == {WALL}
    assert not ids(hall, "--stage", "destroyed").any()


def test_the_size_in_the_image_chooses_the_level(tmp_path: Path) -> None:
    path = tmp_path / "levels.msh"
    shapes = {(0, column): [box()] * (4 - column) for column in range(4)}
    path.write_bytes(ModelBuilder.of([Node("a", shapes=shapes)]).build())
    batches = [len(set(ids(path, "--lod", "auto", "--zoom", zoom)[..., 1].ravel()) - {0}) for zoom in ZOOMS]
    assert batches == [1, 1, 1, 1]
    seed = {int(ids(path, "--lod", "auto", "--reading", "seed", "--zoom", it)[..., 1].max()) for it in ZOOMS}
    assert seed == {int(ids(path)[..., 1].max())}, "the seeds know no group by size"
    first = [int(ids(path, "--lod", "auto", "--zoom", zoom)[..., 1].max()) for zoom in ZOOMS]
    assert first == sorted(set(first))


def test_the_own_view_has_its_own_planes(tmp_path: Path) -> None:
    """The same wall 9 and 11 units before the eye."""
    for distance, is_seen in ((9, True), (11, False)):
        shapes = {(0, 4): [quad(0.5), box((2, 1, 2), center=(0, distance, 0))]}
        path = tmp_path / f"far{distance}.msh"
        path.write_bytes(ModelBuilder.of([Node("CP", shapes=shapes, flags=FLAG_COCKPIT)]).build())
        assert ids(path, "--own-view", "--yaw", "180").any() == is_seen


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--own-view"], "LOD 0 - intact, group 4 - own view draws nothing"),
        (["--stage", "destroyed"], "the destroyed model draws nothing"),
        (["--cutaway", "inside"], "LOD 0 - intact, group 0 - near with internal parts only draws nothing"),
    ],
)
def test_an_empty_picture_says_what_is_missing_and_which_cells_there_are(
    tmp_path: Path, capsys: Capture, options: list[str], what: str
) -> None:
    path = tmp_path / "wall.msh"
    path.write_bytes(ModelBuilder.of([Node("wall", shapes={(0, 0): [quad()], (0, 2): [quad()]})]).build())
    assert not ids(path, *options).any()
    assert f"{what}; the model has geometry in the cells (0, 0), (0, 2)" in capsys.readouterr().err


PLAIN = ViewState(lighting=Lighting(Look.PLAIN, scene=0.5, has_lights=False, kind=LightKind.HEAD))


def applied(view: ViewState, *arguments: str) -> ViewState:
    parser = ArgumentParser()
    drawing.declare(parser)
    return drawing.applied(parser.parse_args(arguments), view)


@pytest.mark.parametrize("view", [ViewState(), PLAIN])
def test_what_the_options_leave_out_stays(view: ViewState) -> None:
    assert applied(view) == view


def test_options_replace_what_they_name() -> None:
    given = ("--look", "game", "--scene", "0", "--lights", "on", "--head-light", "off")
    assert applied(PLAIN, *given).lighting == Lighting(Look.GAME, 0.0, has_lights=True, kind=LightKind.GAME)
    without = applied(PLAIN, "--microtextures", "off", "--second-materials", "off").textures
    assert (without.has_microtextures, without.has_second_materials) == (False, False)
    assert applied(ViewState(), "--lights", "off").lighting == Lighting(has_lights=False)
    assert applied(ViewState(), "--look", "plain", "--scene", "1").lighting == Lighting(Look.PLAIN, 1.0)


def test_the_divisor_of_terrain_coordinates_is_accepted_and_does_nothing(capsys: Capture) -> None:
    assert applied(PLAIN, "--ground-uv", "256") == PLAIN
    assert "--ground-uv does nothing" in capsys.readouterr().err


def test_a_head_light_has_two_spellings() -> None:
    for given in (("--light", "head"), ("--head-light", "on"), ("--light", "head", "--head-light", "on")):
        assert applied(ViewState(), *given).lighting == Lighting(kind=LightKind.HEAD)
    with pytest.raises(UsageError, match="--light game and --head-light on name different lights"):
        applied(ViewState(), "--light", "game", "--head-light", "on")


SKY = "assets/game/MISSIONS/SAMPLE/sky.ske"


def test_a_sky_lights_at_the_hour_at_which_its_clock_starts_or_another() -> None:
    decoded = sky.decode(memoryview(Path(SKY).read_bytes()))
    day = first_day(decoded)
    assert day is not None
    for given, hour in (((), first_hour(decoded)), (("--hour", "19:30"), 19.5)):
        light = applied(ViewState(), "--sky", SKY, *given).lighting
        assert (light.kind, light.sky and light.sky.hour) == (LightKind.SKY, hour)
        assert light.scene_color == day.at(hour).light.scene
        assert light.lights((0.0, 1.0, 0.0)) == day.at(hour).light.lights
    both = applied(ViewState(), "--sky", SKY, "--fog", "on", "--dome", "on").lighting
    assert (both.has_fog, both.has_dome) == (True, True)
    assert applied(ViewState(), "--sky", SKY, "--fog", "off").lighting.has_fog is False
    grey = applied(ViewState(), "--light", "sky", "--sky", SKY, "--scene", "0.4").lighting
    assert grey.scene_color == (0.4, 0.4, 0.4)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--light", "sky"), "--light sky needs --sky"),
        (("--hour", "3:00"), "--hour needs --sky"),
        (("--fog", "on"), "--fog needs --sky"),
        (("--dome", "on", "--light", "head"), "--dome needs --sky"),
        (("--light", "game", "--sky", SKY), "--light game and --sky name different lights"),
        (("--sky", SKY, "--head-light", "on"), "--sky and --head-light on name different lights"),
        (("--sky", "assets/game/models.rlb"), "is not a sky but nres"),
    ],
)
def test_lights_that_cannot_be_are_refused(given: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        applied(ViewState(), *given)


@pytest.mark.parametrize("value", ["-0.1", "1.5", "nan", "bright"])
def test_a_scene_color_out_of_range_is_refused(value: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        applied(ViewState(), f"--scene={value}")
    assert "--scene" in capsys.readouterr().err
