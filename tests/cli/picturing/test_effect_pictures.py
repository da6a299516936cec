"""Pictures of effects: where the formulas put each corner of a sprite, a piece of a bolt and a dome."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from tests.cli.console import GAME, WALKER, Capture, failure, success
from tests.model.effects.effects import BOLT, BURST, SPRITE, block, effect
from viewer.cli.picturing import effect_options
from viewer.cli.usage.parser import parser_of
from viewer.formats import fxid
from viewer.formats.archive import nres
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.clips.clip import FRAME_RATE
from viewer.model.effects.program import EffectInputs, EffectProgram
from viewer.model.material.materials import Material, Phase, TextureRef
from viewer.model.store.address import Address
from viewer.render.buffers.effect_sprites import instances, sprite_materials
from viewer.render.effect_renderer import EffectRenderer
from viewer.render.offscreen import create_context
from viewer.render.textures import texels
from viewer.session.play.playback import EffectSettings
from viewer.session.view.camera import Camera, Side
from viewer.session.view.effect_look import EffectLook
from viewer.session.view.options.background import Background
from viewer.session.view.view_state import ViewState

QUARTERS = ((255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255))
"""Colors of the quarters of the texture: top left, top right, bottom left, bottom right."""
SIZE = (200, 200)
SIDES = (Side.FRONT, Side.RIGHT, Side.TOP)


def material(attr1: int = 4, alpha: int = 255) -> Material:
    """A texture in four quarters, with its own light; it replaces what is behind it by its alpha."""
    image = np.zeros((8, 8, 4), np.uint8)
    image[..., 3] = alpha
    for number, color in enumerate(QUARTERS):
        row, column = divmod(number, 2)
        image[row * 4 : row * 4 + 4, column * 4 : column * 4 + 4, :3] = color
    texture = texm.decode(texm.build(image, PixelFormat.ARGB8888))
    white = (1.0, 1.0, 1.0, 1.0)
    phase = Phase(white, white, white, white)
    return Material(0, attr1=attr1, phases=(phase,), textures=(TextureRef(Address.parse("a"), "a", texture),))


def drawn(
    data: bytes, camera: Camera, materials: tuple[Material, ...], **more: Any
) -> tuple[np.ndarray[Any, Any], EffectProgram, EffectInputs]:
    """The picture of an effect at the middle of its life."""
    program = EffectProgram.of(fxid.decode(data))
    x, y, z = camera.eye.tolist()
    inputs = EffectInputs(1.0, eye=(x, y, z), **more)
    view = ViewState(overlays=frozenset(), camera=camera, samples=1, background=Background.TRANSPARENT)
    view = replace(view, textures=replace(view.textures, is_filtered=False, has_mip_maps=False))
    renderer = EffectRenderer(create_context())
    look = EffectLook(program, materials, inputs, view, SIZE)
    renderer.load(look)
    for texture in renderer.requested_textures(view.textures):
        renderer.provide(texels.decode(texture, view.textures, renderer.texture_limit))
    return renderer.image(look), program, inputs


def pixel(image: np.ndarray[Any, Any], camera: Camera, point: np.ndarray[Any, Any]) -> tuple[int, ...]:
    """The color at a point of the world."""
    clip = camera.clip_from_world(SIZE[0] / SIZE[1]) @ np.append(point, 1.0)
    x, y = clip[:2] / clip[3]
    return tuple(image[int((1 - y) / 2 * SIZE[1]), int((x + 1) / 2 * SIZE[0]), :3].tolist())


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("mode", [0, 1, 2])
def test_the_corners_of_a_sprite_are_where_the_formulas_say(mode: int, side: Side) -> None:
    """The first row of the texture is at v 0, the half towards -M_y; u runs along M_x."""
    camera = Camera(distance=10).towards(side)
    d = (0.3, 0.5, 0.8)
    values = SPRITE | {"mode": mode, "size_low": (2, 3, 4), "size_high": (2, 3, 4)}
    sprite = block(3, **values | {"direction_start": d, "direction_end": d, "position_low": (0.5, 0, 0.2)})
    image, program, inputs = drawn(effect(sprite), camera, (material(),))
    found = program.at(inputs).sprites
    for number, (v, u) in enumerate(((-1, -1), (-1, 1), (1, -1), (1, 1))):
        point = found.center[0] + u * found.x[0] / 4 + v * found.y[0] / 4
        assert pixel(image, camera, point) == QUARTERS[number]
    assert pixel(image, camera, found.center[0] + found.x[0] * 0.6)[:3] == (0, 0, 0)


@pytest.mark.parametrize("side", SIDES)
def test_the_pieces_of_a_bolt_lie_on_its_line(side: Side) -> None:
    """Five pieces of two units, each with the texture once, from the target to the effect."""
    camera = Camera(distance=40).towards(side)
    bolt = block(5, **BOLT | {"segment": 2, "repeat": 2, "width_start": 2, "width_end": 2})
    start = np.array([6.0, 3.0, 4.0])
    start *= 10 / np.linalg.norm(start)
    image, *_ = drawn(effect(bolt), camera, (material(),), target=tuple(start.tolist()))
    w = camera.eye - start / 2
    across = np.cross(w, -start) / np.linalg.norm(np.cross(w, -start))
    for piece in range(5):
        for number, (v, u) in enumerate(((-1, -1), (-1, 1), (1, -1), (1, 1))):
            point = start * (1 - (piece + 0.5 + u * 0.25) / 5) + across * v * 0.4
            assert pixel(image, camera, point) == QUARTERS[number], (piece, number)


@pytest.mark.parametrize("side", SIDES)
def test_a_dome_bulges_along_its_direction(side: Side) -> None:
    """Its outline reaches one radius from its center to every side, but not below its rim."""
    camera = Camera(distance=10, is_orthographic=True).towards(side)
    values = SPRITE | {"mode": 2, "shape": 2, "direction_start": (0, 0, 1), "direction_end": (0, 0, 1)}
    image, *_ = drawn(effect(block(9, **values)), camera, (material(),))
    covered = image[..., 3] > 0
    height = 2 * camera.half_height / SIZE[1]
    rows, columns = np.flatnonzero(covered.any(1)), np.flatnonzero(covered.any(0))
    assert (columns[-1] - columns[0]) * height == pytest.approx(2, abs=0.15)
    assert (rows[-1] - rows[0]) * height == pytest.approx(2 if side is Side.TOP else 1, abs=0.15)
    if side is not Side.TOP:
        assert rows[-1] <= SIZE[1] // 2 + 1


def test_blending_follows_the_distance_whatever_the_material() -> None:
    """A far added sprite, a half covering one before it, and an added one in front, in one picture."""
    behind, before = (0.0, -2.0, 0.0), (0.0, 2.0, 0.0)
    values = [SPRITE | {"position_low": it, "position_high": it} for it in (before, behind, (0.0, 0.0, 0.0))]
    data = effect(*(block(3, **it) for it in values))
    added = replace(material(attr1=8, alpha=51), name="added")
    covering = replace(material(attr1=4, alpha=102), name="covering")
    camera = Camera(distance=10).towards(Side.FRONT)
    image, program, inputs = drawn(data, camera, (added, added, covering))
    found = program.at(inputs).sprites
    spot = found.center[2] - found.x[2] / 8 - found.y[2] / 8
    # 0.2 added, then 0.4 over it, then 0.2 added; straight alpha 1 - 0.8 * 0.6 * 0.8.
    red = 0.2 * 0.6 + 0.4 + 0.2
    alpha = 1 - 0.8 * 0.6 * 0.8
    assert pixel(image, camera, spot)[0] == pytest.approx(min(255, 255 * red / alpha), abs=3)


def test_hidden_blocks_are_not_drawn_and_phases_of_one_texture_take_one_call() -> None:
    one = material()
    two = replace(one, phases=one.phases * 2, textures=one.textures * 2, name="two")
    assert [it.texture.tolist() for it in sprite_materials((one, two))] == [[0], [0]]
    program = EffectProgram.of(fxid.decode(effect(block(3, **SPRITE), block(7, **BURST))))
    moment = program.at(EffectInputs(1.0))
    materials = [*sprite_materials((one, two))]
    eye = np.array([0.0, -10, 0])
    assert len(instances(program, moment, materials, eye).rows) == 7
    assert len(instances(program, moment, materials, eye, frozenset({1})).rows) == 1
    assert len(instances(program, moment, [None, None], eye).rows) == 0


def test_pictures_and_films_of_the_sample(capsys: Capture, tmp_path: Path) -> None:
    blast = f"{GAME / 'effects.rlb'}::blast"
    out = tmp_path / "blast.png"
    success(capsys, "render", blast, "-o", out, "--time", 0.2, "--size", "64x48", "--size", 2)
    image = np.asarray(Image.open(out).convert("RGB"))
    assert image.shape == (48, 64, 3)
    assert (image != image[0, 0]).any()
    success(capsys, "render", blast, "-o", tmp_path / "a.webp", "--animate", "--size", "32x32", "--rate", 4)
    with Image.open(tmp_path / "a.webp") as film:
        assert getattr(film, "n_frames", 1) == 6
    success(capsys, "render", blast, "-o", tmp_path / "b.png", "--frames", "0:0.6:0.2", "--size", "32x32")
    assert len([*tmp_path.glob("b_*.png")]) == 3
    success(capsys, "render", blast, "-o", tmp_path / "c.png", "--turntable", 2, "--size", "32x32")
    assert len([*tmp_path.glob("c_*.png")]) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((WALKER, "--seed", 3), "--seed is for an effect"),
        ((WALKER, "--size", 3), "--size 3 is for an effect"),
        ((f"{GAME / 'effects.rlb'}::blast", "--clip", "walk"), "--clip is for a model"),
        ((f"{GAME / 'effects.rlb'}::blast", "--time", -1), "before the effect was made"),
    ],
)
def test_options_of_the_other_kind_are_refused(
    capsys: Capture, tmp_path: Path, arguments: tuple[object, ...], words: str
) -> None:
    out = tmp_path / "a.png"
    assert words in failure(capsys, "render", *arguments, "-o", out)
    assert not out.exists()


def test_a_missing_material_is_a_warning(capsys: Capture, tmp_path: Path) -> None:
    game = tmp_path / "game"
    game.mkdir()
    for name in ("Material.lib", "Textures.lib"):
        (game / name).write_bytes((GAME / name).read_bytes())
    path = game / "a.fxid"
    path.write_bytes(effect(block(3, b"NOTHING", **SPRITE), block(3, b"HALO", **SPRITE)))
    _, err = success(capsys, "render", path, "-o", tmp_path / "a.png", "--time", 1, "--size", "32x32")
    assert "commands[0].resource" in err
    assert "NOTHING" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ((), {"blast.png", "walker.msh.png"}),
        (("--seed", 3), {"blast.png"}),
        (("--lod", 0), {"walker.msh.png"}),
    ],
)
def test_models_and_effects_of_archives_are_drawn(
    capsys: Capture, tmp_path: Path, options: tuple[object, ...], names: set[str]
) -> None:
    """An option that is for one of both leaves the others out."""
    game = tmp_path / "game"
    game.mkdir()
    for archive, entry in (("effects.rlb", "blast"), ("models.rlb", "walker.msh")):
        whole = nres.Archive.read((GAME / archive).read_bytes())
        found = next(it for it in whole.entries if it.text == entry)
        made = nres.NewEntry(found.type_id, bytes(whole.payload(found.index)), found.name)
        (game / archive).write_bytes(nres.build([made]))
    out = f"{tmp_path}/out/{{entry}}.png"
    success(capsys, "render", game, "-o", out, "--size", "32x32", *options)
    assert {it.name for it in (tmp_path / "out").iterdir()} == names


def test_an_effect_of_years_is_no_film(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "long.fxid"
    path.write_bytes(effect(block(3, b"", **SPRITE), duration=3e38))
    error = failure(capsys, "render", path, "-o", tmp_path / "a.webp", "--animate")
    assert "--animate makes 15000 images, not 1 to 10000" in error


def test_the_window_opens_an_effect_with_the_same_options() -> None:
    given = (
        "--seed",
        3,
        "--mode",
        2,
        "--strength",
        0.5,
        "--size",
        4,
        "--target",
        "1,2,3",
        "--spawn",
        "spread",
    )
    options = parser_of("open").parse_args([str(it) for it in (WALKER, *given, "--steps", "--time", 2)])
    view = effect_options.staged(options, ViewState())
    assert view.playback.stage == EffectSettings(
        3, 2, 0.5, 4.0, is_spread=True, has_steps=True, target=(1.0, 2.0, 3.0)
    )
    assert (view.time, view.is_playing) == (2 * FRAME_RATE, False)
    plain = effect_options.staged(parser_of("open").parse_args([str(WALKER)]), ViewState())
    assert plain.playback.stage == EffectSettings()


def test_the_window_refuses_a_mode_that_there_is_not(capsys: Capture) -> None:
    assert "--mode: 18 is not from 0 to 17" in failure(capsys, "open", WALKER, "--mode", 18)
