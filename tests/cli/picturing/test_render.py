"""``render``, and the picture that ``open`` leaves if there is no display."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace
from PIL import Image

from tests import game_folders
from tests.builders import Key, ModelBuilder, Node, archive_of, box
from tests.cli.console import ROOT, Capture
from tests.conftest import Start
from tests.messages import states
from tests.render import painted
from viewer.cli.main import main
from viewer.cli.picturing import preview
from viewer.control.opening.loading import StartOptions
from viewer.control.settings.settings import Settings
from viewer.errors import FormatError
from viewer.formats import mat0, wear
from viewer.formats.archive import nres
from viewer.formats.msh.tables import BATCHES
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.store.address import Address
from viewer.render.portions import Pace, Portions
from viewer.render.renderer import Renderer
from viewer.resources import bundled_path
from viewer.session.view.options.background import Background
from viewer.session.view.view_state import ViewState

FRONT = ("--yaw", "0", "--pitch", "0", "--size", "64x64")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A box on the left side, two on the right (+X), one of which flies up; another cell has one."""
    left, right = box(center=(-4, 0, 0)), box(center=(4, 0, 0))
    flight = Key(), Key(time=10, position=(0, 0, 20))
    builder = ModelBuilder.of(
        [
            Node("left", shapes={(0, 0): [left]}),
            Node("right", shapes={(0, 0): [box(center=(4, 0, 4)), right], (1, 2): [box()]}, keys=flight),
        ]
    )
    path = tmp_path / "boxes.msh"
    path.write_bytes(builder.build())
    return path


def picture(path: Path) -> npt.NDArray[np.uint8]:
    with Image.open(path) as image:
        return np.asarray(image.convert("RGBA"))


def ids(model: Path, *arguments: str) -> npt.NDArray[np.uint32]:
    out = model.with_name("ids.npy")
    assert main(["render", str(model), "-o", str(out), "--ids", *FRONT, *arguments]) == 0
    loaded: npt.NDArray[np.uint32] = np.load(out)
    return loaded


def test_picture_shows_the_model(model: Path, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "picture.png"
    assert main(["render", str(model), "-o", str(out), "--size", "80x60"]) == 0
    assert capsys.readouterr().out == f"wrote {out}\n"
    pixels = picture(out)
    assert pixels.shape == (60, 80, 4)
    assert (pixels[..., 3] == 255).all()
    assert len(np.unique(pixels.reshape(-1, 4), axis=0)) > 2
    assert [*tmp_path.glob("*.png")] == [out]


def test_without_light_a_pixel_is_texture_times_ambient(tmp_path: Path) -> None:
    """The options of the picture: (200, 100, 50) times the brighter of (204, 102, 255) / 255 and the scene.

    The lights of the game pass the front by. A head light adds 0.2, and of 1.2 a sixth of 0.2 is left above
    1, of which 0.8 is added: 6.8 of 255.
    """
    phase = mat0.PhaseRecord(b"T.0", ambient=(204, 102, 255), diffuse=(51, 51, 51))
    texture = texm.build(np.full((1, 1, 4), (200, 100, 50, 255), np.uint8), PixelFormat.RGB888)
    files = painted.libraries({"A": mat0.build([phase])}, {"T.0": texture})
    address = painted.write(tmp_path / "game", [Node("a", shapes={(0, 0): [box()]})], ["A"], files)

    def color(*options: str) -> list[int]:
        out = tmp_path / "picture.png"
        assert main(["render", str(address), "-o", str(out), *FRONT, *options]) == 0
        shown: list[int] = picture(out)[32, 32, :3].tolist()
        return shown

    dark = color("--lights", "off", "--scene", "0")
    assert dark == [160, 40, 50]
    assert color("--lights", "off", "--scene", "0.5") == [160, 50, 50]
    assert color("--scene", "0.5") == [160, 50, 50]
    for head in (("--light", "head"), ("--head-light", "on")):
        assert color("--scene", "0", *head) == [200, 60, 57]
    assert color("--look", "plain", "--scene", "0", "--lights", "off") == color("--look", "plain")


def test_transparent_background(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "picture.png"
    assert main(["render", str(model), "-o", str(out), "--transparent", *FRONT]) == 0
    alpha = picture(out)[..., 3]
    assert alpha[0, 0] == 0
    assert alpha.max() == 255


def test_ids_name_what_every_pixel_shows(model: Path) -> None:
    """From the front the right side of the model, +X, is on the left of the image."""
    shown = ids(model)
    assert shown.shape == (64, 64, 3)
    assert shown.dtype == np.dtype("<u4")
    assert not shown[0, 0].any()
    assert {tuple(pair) for pair in np.unique(shown[..., :2].reshape(-1, 2), axis=0).tolist()} == {
        (0, 0), (1, 1), (2, 2), (2, 3),
    }  # fmt: skip
    columns = np.arange(64)[None, :] + np.zeros((64, 1))
    rows = np.arange(64)[:, None] + np.zeros((1, 64))
    assert columns[shown[..., 0] == 2].max() < columns[shown[..., 0] == 1].min()
    assert rows[shown[..., 1] == 2].max() < rows[shown[..., 1] == 3].min()


def test_ids_have_the_holes_of_the_picture_unless_no_materials_are_shown(tmp_path: Path) -> None:
    tree, out = bundled_path("assets/game/models.rlb"), tmp_path / "tree.png"
    common = ["render", f"{tree}::s_tree_oak.msh", "-o", str(out), "--size", "160x120", "--ids"]
    assert main([*common, "--transparent"]) == 0
    shown, is_covered = np.load(out.with_suffix(".npy")).any(axis=2), picture(out)[..., 3] > 0
    assert (shown & ~is_covered).sum() < shown.sum() / 100
    assert main([*common, "--shading", "lit"]) == 0
    with_holes = np.load(out.with_suffix(".npy")).any(axis=2)
    assert not (shown & ~with_holes).any()
    assert shown.sum() < with_holes.sum()


def test_ids_number_triangles_in_index_order(model: Path) -> None:
    shown = ids(model)
    per_batch = 12
    for batch in range(3):
        triangles = shown[..., 2][shown[..., 1] == batch + 1]
        assert triangles.min() > batch * per_batch
        assert triangles.max() <= (batch + 1) * per_batch


def test_ids_of_another_cell_and_of_an_empty_one(model: Path) -> None:
    other = ids(model, "--lod", "1", "--group", "2", "--cells", "exact")
    assert set(np.unique(other[..., 0])) == {0, 2}
    assert not ids(model, "--lod", "2", "--group", "0", "--cells", "exact").any()


def test_picture_and_ids_together(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "both.png"
    assert main(["render", str(model), "-o", str(out), "--ids", *FRONT]) == 0
    assert picture(out).shape == (64, 64, 4)
    assert np.load(tmp_path / "both.npy").shape == (64, 64, 3)


def test_what_is_not_drawn_in_time_is_an_error_and_leaves_no_file(
    model: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even the image, if only the numbers take too long."""
    begin = Portions.begin
    monkeypatch.setattr(Pace, "room", lambda *_: 1)
    monkeypatch.setattr(Portions, "begin", lambda self, seconds: begin(self, min(seconds, 0.0)))
    for module, part in ((Renderer, "image"), (Renderer, "ids")):
        with monkeypatch.context() as patch:
            if part == "ids":
                patch.setattr(module, "image", lambda *_, **__: np.zeros((8, 8, 4), np.uint8))
            assert main(["render", str(model), "-o", str(tmp_path / "a.png"), "--ids", "--size", "8x8"]) == 2
        error = capsys.readouterr().err
        assert re.search(r"boxes.*drawing takes longer than 60 seconds: 1 of [\d,]+ triangles", error), error
        assert not list(tmp_path.glob("a.*"))


def test_time_moves_the_model(model: Path) -> None:
    before, after = ids(model), ids(model, "--time", "10")
    assert before.any()
    assert after.any()
    assert not np.array_equal(before, after)


def test_zoom_comes_nearer(model: Path) -> None:
    cell = ("--lod", "1", "--group", "2", "--cells", "exact")
    far, near = (np.count_nonzero(ids(model, *cell, "--zoom", factor)) for factor in ("0.5", "1"))
    assert 3 * far < near < 6 * far


def test_frames_are_numbered(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "walk.png"
    assert main(["render", str(model), "-o", str(out), "--frames", "0:10:4", *FRONT]) == 0
    names = ["walk_0000.png", "walk_0001.png", "walk_0002.png"]
    assert sorted(path.name for path in tmp_path.glob("*.png")) == names
    first, *others = (picture(tmp_path / name) for name in names)
    assert not any(np.array_equal(first, other) for other in others)


def test_turntable_goes_all_around_at_one_distance(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "turn.npy"
    assert main(["render", str(model), "-o", str(out), "--ids", "--turntable", "4", *FRONT]) == 0
    shown = [np.load(tmp_path / f"turn_{number:04}.npy")[..., 0] for number in range(4)]
    middle = [np.flatnonzero(nodes.any(axis=0)).mean() for nodes in shown]
    assert middle == pytest.approx([middle[0]] * 4, abs=1.5)
    front, back = shown[0], shown[2]
    assert np.array_equal(front > 0, (back > 0)[:, ::-1])
    from_right, from_left = shown[1], shown[3]
    assert (from_right == 2).sum() > (from_left == 2).sum()
    assert (from_right == 1).sum() < (from_left == 1).sum()


def colors(model: Path, *arguments: str) -> set[str]:
    """The channels that show anything."""
    out = model.with_name("color.png")
    assert (
        main(["render", str(model), "-o", str(out), "--transparent", "--scene", "0", *FRONT, *arguments]) == 0
    )
    shown = picture(out)
    return {name for place, name in enumerate(("red", "green", "blue")) if shown[..., place].any()}


def test_materials_of_a_model_that_stands_still_go_by_the_time(tmp_path: Path) -> None:
    game = game_folders.write(tmp_path / "game")
    model = game / "box.msh"
    model.write_bytes(ModelBuilder.of([Node("box", shapes={(0, 0): [box()]})]).build())
    model.with_suffix(".wea").write_bytes(wear.build([b"DUO"]))
    assert colors(model, "--time", "5") == {"red"}
    assert colors(model, "--variant", "1") == {"green"}
    assert colors(model, "--variant", "1", "--time", "6.1") == {"blue"}, "from 400 ms on"
    assert colors(model, "--variant", "1", "--time", "24.1") == {"green"}, "on the way back"
    assert colors(model, "--variant", "7") == {"red"}


@pytest.mark.parametrize("shading", ["lit", "unlit", "normals", "wireframe", "node", "batch", "material"])
def test_every_shading(model: Path, tmp_path: Path, shading: str) -> None:
    out = tmp_path / f"{shading}.png"
    assert main(["render", str(model), "-o", str(out), "--shading", shading, "--transparent", *FRONT]) == 0
    assert picture(out)[..., 3].any()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--size", "64"],
        ["--size", "0x64"],
        ["--size", "9000x9000"],
        ["--zoom", "0"],
        ["--zoom", "nan"],
        ["--yaw", "inf"],
        ["--pitch", "91"],
        ["--time", "nan"],
        ["--frames", "0:10:0"],
        ["--frames", "0:x"],
        ["--frames", "5:5"],
        ["--frames", "0:1e9"],
        ["--turntable", "0"],
        ["--turntable", "4", "--frames", "0:4"],
        ["--shading", "cel"],
        ["--variant", "-1"],
        ["--variant", "all"],
    ],
)
def test_wrong_options(model: Path, tmp_path: Path, capsys: Capture, arguments: list[str]) -> None:
    out = tmp_path / "picture.png"
    assert main(["render", str(model), "-o", str(out), *arguments]) == 2
    assert capsys.readouterr().err.startswith("mshview: error: render: ")
    assert not out.exists()


def test_output_that_cannot_be_written(model: Path, tmp_path: Path, capsys: Capture) -> None:
    out = model / "picture.png"
    assert main(["render", str(model), "-o", str(out), *FRONT]) == 2
    assert capsys.readouterr().err.startswith(f"mshview: error: {out}: ")


def test_preview_follows_the_reading_asked_for(model: Path, tmp_path: Path) -> None:
    for reading in ("seed", "field"):
        given = StartOptions(Address(model), {"reading": reading})
        preview.save(given, Settings(), tmp_path / f"{reading}.png")
    assert not np.array_equal(picture(tmp_path / "seed.png"), picture(tmp_path / "field.png"))


def test_preview_of_the_first_model_of_an_archive(model: Path, tmp_path: Path) -> None:
    archive = tmp_path / "archive.rlb"
    archive.write_bytes(archive_of({"first.wea": b"0\r\n", "second.msh": model.read_bytes()}))
    found = preview.save(StartOptions(Address(archive)), Settings(), tmp_path / "preview.png")
    assert str(found) == f"{archive}::second.msh"


def test_preview_shows_what_the_window_would(model: Path, tmp_path: Path) -> None:
    game = game_folders.write(tmp_path / "game")
    (tmp_path / "red.wea").write_bytes(wear.build([b"BLINK"]))
    (tmp_path / "skin.wea").write_bytes(wear.build([b"SKIN"]))
    remembered = Settings(game=str(game), wears={str(model): str(tmp_path / "red.wea")})
    light = replace(remembered, view=ViewState(background=Background.LIGHT, overlays=frozenset()))
    shown = {
        "nothing": (StartOptions(Address(model)), Settings()),
        "remembered": (StartOptions(Address(model)), remembered),
        "given": (StartOptions(Address(model), {"wear": Address(tmp_path / "skin.wea")}), remembered),
        "look": (StartOptions(Address(model)), light),
    }
    pictures = []
    for name, (given, settings) in shown.items():
        preview.save(given, settings, tmp_path / f"{name}.png")
        pictures.append(picture(tmp_path / f"{name}.png").tobytes())
    assert len(set(pictures)) == len(pictures)


def test_preview_refuses_what_the_window_would(model: Path, tmp_path: Path) -> None:
    data = bytearray(model.read_bytes())
    archive = nres.Archive.read(bytes(data))
    batches = next(entry for entry in archive.entries if entry.type_id == BATCHES)
    data[batches.offset + 8 : batches.offset + 10] = b"\xff\xff"
    model.write_bytes(bytes(data))
    preview.save(StartOptions(Address(model)), Settings(), tmp_path / "tolerant.png")
    with pytest.raises(FormatError, match="batches"):
        preview.save(StartOptions(Address(model), {"strict": True}), Settings(), tmp_path / "strict.png")
    assert not (tmp_path / "strict.png").exists()


@pytest.mark.parametrize(("name", "options"), [("x.jpg", []), ("x", []), ("x.npy", []), ("x.tga", ["--ids"])])
def test_a_name_that_promises_another_format_is_refused(
    name: str, options: list[str], model: Path, tmp_path: Path, capsys: Capture
) -> None:
    assert main(["render", str(model), "-o", str(tmp_path / name), *options]) == 2
    assert ".png" in capsys.readouterr().err
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize(("cell", "is_empty"), [(("1", "2"), False), (("2", "4"), True)])
def test_an_empty_cell_is_a_warning(
    model: Path, tmp_path: Path, capsys: Capture, cell: tuple[str, str], *, is_empty: bool
) -> None:
    lod, group = cell
    out = tmp_path / "picture.png"
    assert main(["render", str(model), "-o", str(out), *FRONT, "--lod", lod, "--group", group]) == 0
    err = capsys.readouterr().err
    assert err.count("\n") == is_empty
    assert states(err, f"mshview: warning: {model}: LOD 2 group 4 nothing (0, 0), (1, 2)") == is_empty


@pytest.mark.parametrize("series", [["--turntable", "12"], ["--frames", "0:12:1"]])
def test_a_series_shows_progress_if_requested(
    model: Path, tmp_path: Path, capsys: Capture, series: list[str]
) -> None:
    arguments = ["render", str(model), "-o", str(tmp_path / "picture.png"), "--size", "16x16", *series]
    assert main(arguments) == 0
    assert capsys.readouterr().err == ""
    assert main([*arguments, "-v"]) == 0
    assert "12 of 12 images\n" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal")
def test_a_series_shows_progress_on_a_terminal(start: Start, model: Path, tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "viewer", "render", str(model), "-o", str(tmp_path / "picture.png")]
    environment = {**os.environ, "TERM": "xterm"}
    start(
        [*command, "--turntable", "60", "--size", "400x400"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # the other end is closed
        while data := os.read(ours, 4096):
            shown += data
    os.close(ours)
    assert re.fullmatch(rb"(\r\d+ of 60 images\x1b\[K)+\r\x1b\[K", shown)


def test_overlays_are_shown_by_name(tmp_path: Path, capsys: Capture) -> None:
    """The path graph of the tower is inside of it, its ground plan around its foot."""
    tower, out = f"{bundled_path('assets/game/models.rlb')}::b_tower.msh", tmp_path / "tower.png"
    common = ("render", tower, "-o", str(out), "--size", "64x96", "--pitch", "0")
    assert main([*common]) == 0
    plain = picture(out)

    def rows(names: str) -> tuple[int, int]:
        assert main([*common, "--show", names]) == 0
        (changed,) = np.nonzero((picture(out) != plain).any(axis=(1, 2)))
        return int(changed.min()), int(changed.max())

    assert rows("ground-plan")[0] > 64
    assert rows("path-graph,ground-plan")[0] < 48
    assert main([*common, "--show", "point"]) == 2
    assert states(capsys.readouterr().err, "--show point control-points")
    effect = f"{bundled_path('assets/game/effects.rlb')}::blast"
    assert main(["render", effect, "-o", str(out), "--show", "grid"]) == 2
    assert "--show is for a model" in capsys.readouterr().err
