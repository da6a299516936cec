"""Maps of one color a material, from the shell, against colors worked out by hand (land.md 4)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from tests.broken import games
from tests.cli.console import Capture, success
from tests.terrains import terrain
from viewer.cli.main import main
from viewer.formats import mat0, wear
from viewer.formats.archive import nres
from viewer.formats.archive.nres import NewEntry
from viewer.formats.archive.nres_edit import rewrite
from viewer.formats.mat0 import PhaseRecord, block
from viewer.formats.msh.tables import FACES, STREAM14
from viewer.formats.msh.terrain import FACE
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat

Reals = npt.NDArray[np.float64]
DRY, BARE, WATER = 0x100600, 0x100200, 0x120608
COLORS = {"A": (100, 80, 60), "B": (200, 160, 120), "FINE": (128, 128, 128), "COARSE": (192, 64, 32)}
"""Textures of one color: two materials and two microtextures."""
LAND1, LAND2 = ("A", "B", "A"), ("TWO_BLOCKS", "ONE_BLOCK", "A")
"""Rows of the wear tables: of two blocks, of which the second counts, and of one."""


def write_map(folder: Path, faces: list[tuple[int, int, int]], alpha: float = 0.25) -> Path:
    """A tile with faces of flags, first and second material in two levels, and a game around it."""
    phases = {name: _glowing(f"{name}.0") for name in COLORS}
    one = block(0, 0, [(0, 246)])
    materials = {
        "DEFAULT": mat0.build([phases["A"]]),
        "A": mat0.build([phases["A"]], [one]),
        "B": mat0.build([_glowing("B.0", ambient_alpha=80)], [one]),
        "TWO_BLOCKS": mat0.build([phases["A"], phases["FINE"]], [one, block(0, 0, [(1, 246)])]),
        "ONE_BLOCK": mat0.build([phases["COARSE"]], [one]),
    }
    (folder / "Material.lib").write_bytes(
        nres.build(
            NewEntry(games.MAT0, it, name.encode(), attr2=mat0.VERSION) for name, it in materials.items()
        )
    )
    textures = {
        f"{name}.0": texm.build(np.full((2, 2, 4), (*color, 255), np.uint8), PixelFormat.ARGB8888)
        for name, color in COLORS.items()
    }
    (folder / "Textures.lib").write_bytes(
        nres.build(NewEntry(games.TEXM, it, name.encode()) for name, it in textures.items())
    )
    container = nres.Archive.read(terrain(1, 1))
    at = {type_id: container.find_type(type_id) or 0 for type_id in (FACES, STREAM14)}
    rows = FACE.view(container.payload(at[FACES])).copy()
    for row, (flags, first, second) in enumerate(faces * 2):
        rows["flags"][row], rows["material_a"][row], rows["material_b"][row] = flags, first, second
    alphas = np.full(4, alpha, "<f4").tobytes()
    changed = rewrite(container, {at[FACES]: rows.tobytes(), at[STREAM14]: alphas})
    (folder / "Land.msh").write_bytes(changed)
    for name, names in (("Land1.wea", LAND1), ("Land2.wea", LAND2)):
        (folder / name).write_bytes(wear.build([it.encode() for it in names]))
    return folder / "Land.msh"


def _glowing(texture: str, ambient_alpha: int = 100) -> PhaseRecord:
    return PhaseRecord(
        texture.encode(), ambient=(255, 255, 255), ambient_alpha=ambient_alpha, diffuse=(0, 0, 0)
    )


def colors(land: Path, *options: str) -> set[tuple[int, ...]]:
    """The colors of its picture from above without light, but for the background."""
    out = land.with_name("out.png")
    view = ("--pitch", "90", "--size", "32x32", "--lights", "off", "--scene", "0", "--transparent")
    assert main(["render", str(land), "-o", str(out), *view, *options]) == 0
    pixels = np.asarray(Image.open(out)).reshape(-1, 4)
    return {*map(tuple, pixels[pixels[:, 3] == 255][:, :3].tolist())}


def fine(color: tuple[int, ...], micro: str) -> Reals:
    """A color times twice that of a microtexture, at most white."""
    doubled: Reals = np.array(color) * 2 * np.array(COLORS[micro]) / 255
    return doubled.clip(max=255)


A, B, NONE = 0, 1, 0xFF


@pytest.mark.parametrize("group", ["0", "1"])
@pytest.mark.parametrize(
    ("face", "expected"),
    [
        ((DRY, A, NONE), fine(COLORS["A"], "FINE")),
        ((DRY, B, NONE), fine(COLORS["B"], "COARSE")),
        ((BARE, A, NONE), COLORS["A"]),
        ((WATER, A, NONE), COLORS["A"]),
        ((WATER & ~0x8, A, NONE), COLORS["A"]),
        # 0.25 of the vertices times 0.8 of the second material's ambient alpha.
        ((DRY, A, B), 0.8 * fine(COLORS["A"], "FINE") + 0.2 * fine(COLORS["B"], "COARSE")),
        ((BARE, A, B), 0.8 * np.array(COLORS["A"]) + 0.2 * np.array(COLORS["B"])),
        ((DRY, B, A), 0.75 * fine(COLORS["B"], "COARSE") + 0.25 * fine(COLORS["A"], "FINE")),
    ],
)
def test_each_kind_of_face_has_the_color_of_the_game(
    tmp_path: Path, face: tuple[int, int, int], expected: tuple[float, ...], group: str
) -> None:
    found = colors(write_map(tmp_path, [face] * 2), "--group", group)
    assert found == {tuple(int(it) for it in np.floor(np.array(expected) + 0.5))}


def test_the_switches_take_them_away(tmp_path: Path) -> None:
    land = write_map(tmp_path, [(DRY, A, B)] * 2)
    assert colors(land, "--second-materials", "off", "--microtextures", "off") == {COLORS["A"]}
    mixed = 0.8 * np.array(COLORS["A"]) + 0.2 * np.array(COLORS["B"])
    assert colors(land, "--microtextures", "off") == {tuple(mixed.astype(int).tolist())}


@pytest.mark.parametrize(
    ("ground", "group", "first", "second"),
    [
        ("levels", "0", "A", "B"),
        ("levels", "1", "A", "COARSE"),
        ("crossed", "0", "A", "B"),
    ],
)
def test_the_other_readings_take_materials_from_other_tables(
    tmp_path: Path, ground: str, group: str, first: str, second: str
) -> None:
    """Row 0 of Land2.wea is TWO_BLOCKS, which shows A itself; row 1 is ONE_BLOCK."""
    land = write_map(tmp_path, [(DRY, A, B)] * 2, alpha=1.0)
    share = 0.8 if second == "B" else 1.0
    expected = (1 - share) * np.array(COLORS[first]) + share * np.array(COLORS[second])
    assert colors(land, "--ground", ground, "--group", group) == {
        tuple(np.rint(expected).astype(int).tolist())
    }


def test_materials_says_what_each_is_used_as(tmp_path: Path, capsys: Capture) -> None:
    land = write_map(tmp_path, [(DRY, A, B), (WATER, A, NONE)])
    lines = success(capsys, "materials", land)[0].splitlines()
    assert [line.split() for line in lines[3:8]] == [
        ["0", "A", "name", "opaque", "1", "A.0", "-", "first", "-", "-"],
        ["0", "A", "name", "opaque", "1", "A.0", "-", "first", "B", "FINE.0"],
        ["1", "B", "name", "opaque", "1", "B.0", "-", "second", "-", "COARSE.0"],
        ["0", "TWO_BLOCKS", "name", "opaque", "2", "FINE.0", "-", "microtexture", "-", "-"],
        ["1", "ONE_BLOCK", "name", "opaque", "1", "COARSE.0", "-", "microtexture", "-", "-"],
    ]


def test_why_names_the_texels_of_both_materials_and_the_color(tmp_path: Path, capsys: Capture) -> None:
    land = write_map(tmp_path, [(DRY, A, B)] * 2)
    view = ("--pitch", "90", "--size", "32x32", "--lights", "off", "--scene", "0")
    lines = [line.strip() for line in success(capsys, "why", land, "--at", "16,16", *view)[0].splitlines()]
    expected = 0.8 * fine(COLORS["A"], "FINE") + 0.2 * fine(COLORS["B"], "COARSE")
    r, g, b = (round(it) for it in expected.tolist())
    texels = "A (100, 80, 60) x (128, 128, 128) x 2 under B (200, 160, 120) x (192, 64, 32) x 2"
    assert f"{r}, {g}, {b}: {texels}, unfiltered" in [line.removeprefix("color").strip() for line in lines]
    assert any(line.startswith("second material") and "opacity 0.200" in line for line in lines)
