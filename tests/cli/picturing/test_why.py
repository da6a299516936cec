"""``why``: the same triangle as the id image has, and bytes that are where it says."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.broken import libraries
from tests.builders import ModelBuilder, Node, box
from tests.cli.console import GAME, WALKER, Capture, failure, json_of, success
from tests.render import painted
from viewer.formats import mat0
from viewer.formats.archive import rsli_edit
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat

STEP, WIDTH, HEIGHT = 16, 96, 80
SIZE = ("--size", f"{WIDTH}x{HEIGHT}")
VIEWS = (
    (f"{GAME / 'models.rlb'}::s_tree_oak.msh",),
    (WALKER, "--clip", "0", "--time", "0.3", "--yaw", "200", "--pitch", "10"),
    (WALKER, "--cells", "exact", "--lod", "0", "--group", "1", "--shading", "lit", "--zoom", "2"),
    (f"{GAME / 'models.rlb'}::s_sign.msh", "--look", "plain"),
)
CORPORA = (
    ("field", "game/fortif.rlb", "--portals"),
    ("field", "game/robots.rlb", "--time", "7"),
    ("field", "game/static.rlb"),
    ("seed", "game/static.rlb"),
)


def check_grid(capsys: Capture, tmp_path: Path, address: str, *options: str) -> int:
    """Compare a grid of pixels with the id image of the same options; return how many show the model."""
    out = tmp_path / "ids.npy"
    success(capsys, "render", address, "-o", out, "--ids", *SIZE, *options)
    ids, hits = np.load(out), 0
    for y in range(STEP // 2, HEIGHT, STEP):
        for x in range(STEP // 2, WIDTH, STEP):
            found = json_of(capsys, "why", address, "--at", f"{x},{y}", *SIZE, *options)
            named = [0 if found[name] is None else found[name] + 1 for name in ("node", "batch", "triangle")]
            assert named == ids[y, x].tolist(), (address, x, y)
            assert found["hit"] == bool(ids[y, x, 0])
            hits += found["hit"]
    return hits


@pytest.mark.usefixtures("_opened_once")
@pytest.mark.parametrize("view", VIEWS, ids=lambda view: Path(view[0]).name.rpartition("::")[2])
def test_a_pixel_is_what_the_ids_have_there(capsys: Capture, tmp_path: Path, view: tuple[str, ...]) -> None:
    assert check_grid(capsys, tmp_path, *view) >= 4


@pytest.mark.usefixtures("_opened_once")
@pytest.mark.parametrize("corpus", CORPORA, ids=lambda it: f"{it[0]}-{Path(it[1]).stem}")
def test_pixels_of_the_corpora(
    capsys: Capture, tmp_path: Path, samples: Path, corpus: tuple[str, ...]
) -> None:
    folder, archive, *options = corpus
    path = samples / folder / archive
    listed = json_of(capsys, "ls", path)["entries"]
    models = [it["index"] for it in listed if it["type_name"] == "msh"][:2]
    assert sum(check_grid(capsys, tmp_path, f"{path}::#{index}", *options) for index in models)


def test_the_bytes_are_where_it_says(capsys: Capture) -> None:
    """Every record read at its offset in the archive, by its plain layout, says what the rest says."""
    found = json_of(capsys, "why", WALKER, "--at", "512,300")
    data = (GAME / "models.rlb").read_bytes()

    def read(what: str, form: str) -> list[tuple[Any, ...]]:
        rows = [it for it in found["bytes"] if it["what"] == what]
        assert all(it["size"] == struct.calcsize(form) for it in rows)
        return [struct.unpack_from(form, data, it["offset"]) for it in rows]

    (batch,), (slot,), (node,) = read("batch", "<5HIHI"), read("slot", "<4H15I"), read("node", "<19H")
    assert read("indices", "<3H") == [tuple(found["indices"])]
    assert [index + batch[7] for index in found["indices"]] == found["vertices"]
    assert batch[5] <= 3 * found["triangle"] < batch[5] + batch[4]
    assert slot[2] <= found["batch"] < slot[2] + slot[3]
    assert slot[0] <= found["descriptor"] < slot[0] + slot[1]
    row, column = found["cell"]
    assert read("cell", "<H") == [(found["slot"],)] == [(node[4 + 5 * row + column],)]
    corners = np.array(read("position", "<3f"))
    flags, *links = read("descriptor", "<4H3hH")[0][:4]
    listed = json_of(capsys, "inspect", WALKER, "--table", "tri_descriptors")["rows"]
    assert listed[found["descriptor"]]["flags"] == flags
    assert [0xFFFF if link is None else link for link in listed[found["descriptor"]]["links"]] == links
    pose = json_of(capsys, "pose", WALKER, "--time", "0", "--root", "still")
    world = np.array(pose["nodes"][found["node"]]["world"]).reshape(4, 4)
    check_inside(corners @ world[:3, :3].T + world[:3, 3], np.array(found["position"]))
    (row,) = [it for it in found["bytes"] if it["what"] == "wear row"]
    assert data[row["offset"] :][: row["size"]].split()[1].decode() == found["material"]


def check_inside(corners: Any, point: Any) -> None:
    """A point in the plane of a triangle lies in it if the three areas that it makes add up to its area."""
    areas = [
        np.linalg.norm(np.cross(corners[a] - point, corners[b] - point)) for a, b in ((0, 1), (1, 2), (2, 0))
    ]
    whole = np.linalg.norm(np.cross(corners[1] - corners[0], corners[2] - corners[0]))
    # The edge of the triangle may pass through the pixel beside its center.
    assert sum(areas) == pytest.approx(whole, rel=0.02)


@pytest.mark.parametrize(("method", "is_there"), [(0, True), (0x020, False), (0x040, False)])
def test_what_a_library_packs_has_no_offset(
    capsys: Capture, tmp_path: Path, method: int, *, is_there: bool
) -> None:
    data = ModelBuilder.of([Node("box", shapes={(0, 0): [box()]})]).build()
    path = tmp_path / "packed.lib"
    path.write_bytes(libraries.library([(b"BOX.MSH", method, len(data), rsli_edit.pack(data, method, 0))]))
    found = json_of(capsys, "why", f"{path}::BOX.MSH", "--at", "32,32", "--size", "64x64")
    assert found["hit"]
    assert {it["offset"] is not None for it in found["bytes"]} == {is_there}
    if is_there:
        (at,) = [it for it in found["bytes"] if it["what"] == "indices"]
        stored = struct.unpack_from("<3H", path.read_bytes(), at["offset"])
        assert [*stored] == found["indices"]


def test_the_background_has_nothing(capsys: Capture) -> None:
    found = json_of(capsys, "why", WALKER, "--at", "0,0")
    assert found.pop("schema") == "mshview-why-1"
    assert (found.pop("x"), found.pop("y"), found.pop("hit"), found.pop("bytes")) == (0, 0, False, [])
    assert {*found.values()} == {None}
    assert "background" in success(capsys, "why", WALKER, "--at", "0,0")[0]


def test_the_card_names_everything(capsys: Capture) -> None:
    out, _ = success(capsys, "why", WALKER, "--at", "512,300")
    for words in (
        "512, 300 of 1024 x 768",
        "slot  ",
        "WALKER_ARMOUR",
        "ARMOUR.0",
        "above right",
        "knee",
        "0x",
    ):
        assert words in out, words


def test_the_card_says_what_is_of_low_certainty(capsys: Capture) -> None:
    """On water of the map, and on the canopy of the drone."""
    land = GAME / "DATA/MAPS/SAMPLE/Land.msh"
    view = "--at", "189,98", "--size", "360x300", "--yaw", "35", "--pitch", "60"
    water, _ = success(capsys, "why", land, *view)
    assert re.search(r"material +3 WATER", water)
    assert "texture times light; low certainty: the game mirrors the scene in water" in water
    ground, _ = success(capsys, "why", land, *view[2:], "--at", "189,200")
    assert "low certainty" not in ground
    canopy, _ = success(capsys, "why", f"{GAME / 'models.rlb'}::drone.msh", "--at", "620,380")
    assert "without writing depth; low certainty: the order of see-through surfaces" in canopy


def test_wrong_pixels_are_refused(capsys: Capture) -> None:
    for at in ("1024,0", "0,768", "-1,0"):
        assert f"--at {at}" in failure(capsys, "why", WALKER, f"--at={at}")
    for at in ("5", "a,b", "1,2,3", ""):
        failure(capsys, "why", WALKER, f"--at={at}")


def test_the_light_adds_up_to_the_color_of_the_image(capsys: Capture, tmp_path: Path) -> None:
    """Of a texture of one color nothing is filtered, so the pixel has the color that the card computes.

    Overbright on top, with a highlight that differs from corner to corner.
    """
    phase = mat0.PhaseRecord(
        b"T.0", ambient=(20, 40, 60), diffuse=(151, 101, 51), specular=(200, 150, 255), power=3
    )
    texture = texm.build(np.full((1, 1, 4), (200, 100, 50, 255), np.uint8), PixelFormat.RGB888)
    files = painted.libraries({"A": mat0.build([phase])}, {"T.0": texture})
    address = painted.write(tmp_path / "game", [Node("a", shapes={(0, 0): [box()]})], ["A"], files)
    out = tmp_path / "picture.png"
    head = "--scene", "0.1", "--head-light", "on", "--yaw", "70"
    for options in ((), ("--pitch", "80"), head, ("--lights", "off")):
        success(capsys, "render", address, "-o", out, *SIZE, *options)
        with Image.open(out) as image:
            pixel = np.asarray(image)[HEIGHT // 2, WIDTH // 2, :3]
        text, _ = success(capsys, "why", address, "--at", f"{WIDTH // 2},{HEIGHT // 2}", *SIZE, *options)
        (line,) = [line for line in text.splitlines() if line.startswith("  color")]
        computed = [int(number) for number in re.findall(r"\d+", line)[:3]]
        assert computed == pytest.approx(pixel.tolist(), abs=1)
