"""The sprites of effects at a pixel: which they are, and which texel of their texture is there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.model.effects.effects import SPRITE, block, effect
from viewer.formats import fxid
from viewer.model.effects.program import EffectInputs, EffectProgram
from viewer.model.effects.shapes import LAST
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.effects.effects import LoadedEffect
from viewer.resources import bundled_path
from viewer.session.pixel import effect_card
from viewer.session.pixel.sprites import MOST_SPRITES, EffectPixel, explain_effect
from viewer.session.play.model_effects import PlayedEffect
from viewer.session.view.camera import Camera
from viewer.session.view.effect_look import framed, seen_from
from viewer.session.view.view_state import ViewState

GAME = bundled_path("assets/game")
BLAST = Address(GAME / "effects.rlb", ("blast",))
SIZE = 640, 480
SHARES = 0.3, -0.2
"""Where the pixel is on a sprite, in lengths of its first two axes from its center."""


@pytest.fixture(params=[False, True], ids=["perspective", "orthographic"])
def camera(request: pytest.FixtureRequest) -> Camera:
    return Camera(is_orthographic=request.param)


def explained(camera: Camera) -> tuple[EffectPixel, int, FileStore]:
    """A pixel of the first sprite of the largest block of the bundled explosion, and that block."""
    store = FileStore()
    loaded = LoadedEffect.open(store, store.open(BLAST), GAME)
    played = PlayedEffect(EffectProgram.of(loaded.effect), loaded.materials, EffectInputs(0.3), source=BLAST)
    camera = framed(camera, played.program, played.inputs, SIZE[0] / SIZE[1])
    sprites = played.program.at(seen_from(played.inputs, camera)).sprites
    row = int(np.argmax(np.linalg.norm(sprites.x, axis=1)))
    point = sprites.center[row] + SHARES[0] * sprites.x[row] + SHARES[1] * sprites.y[row]
    x, y, _z, w = camera.clip_from_world(SIZE[0] / SIZE[1]) @ [*point, 1]
    pixel = int((x / w + 1) / 2 * SIZE[0]), int((1 - y / w) / 2 * SIZE[1])
    found = explain_effect(store, played, ViewState(camera=camera), SIZE, pixel)
    return found, int(sprites.block[row]), store


def test_a_sprite_is_explained_down_to_its_texel_and_its_bytes(camera: Camera) -> None:
    found, block, store = explained(camera)
    (sprite,) = (it for it in found.sprites.nearest if it.block == block)
    assert sprite.texel is not None
    assert sprite.material is not None
    expected = [(share + 0.5) * LAST for share in SHARES]
    assert np.allclose(sprite.texel.uv, expected, atol=1 / 40), "the middle of the pixel is not its point"
    texture = store.open(sprite.texel.texture.address)
    start, size = sprite.texel.span
    assert 0 < start < len(texture.data) - size
    of_block = next(it for it in found.ranges if it.what == "block" and it.place.row == block)
    assert of_block.offset is not None
    assert GAME.joinpath("effects.rlb").read_bytes()[of_block.offset] == sprite.opcode


def test_the_card_names_every_sprite_and_leads_to_its_block(camera: Camera) -> None:
    found, block, _store = explained(camera)
    parts = effect_card.sections(found)
    names = [part.id for part in parts]
    assert names == ["pixel", *(f"sprite{number}" for number in range(len(found.sprites.nearest))), "bytes"]
    assert all(line.place is not None or line.panel for part in parts for line in part.lines)
    rows = {
        line.place.row for part in parts for line in part.lines if line.title == "position" and line.place
    }
    assert block in rows
    document = effect_card.as_json(found)
    assert [it["block"] for it in document["sprites"]] == [it.block for it in found.sprites.nearest]


def test_the_background_is_said(camera: Camera) -> None:
    found, _block, store = explained(camera)
    loaded = LoadedEffect.open(store, store.open(BLAST), GAME)
    played = PlayedEffect(EffectProgram.of(loaded.effect), loaded.materials, EffectInputs(0.3), source=BLAST)
    empty = explain_effect(store, played, ViewState(camera=Camera(distance=1e4)), SIZE, (0, 0))
    assert (empty.sprites.count, empty.ranges) == (0, ())
    (part,) = effect_card.sections(empty)
    assert [line.text for line in part.lines][1] == "the background"
    assert found.sprites.count


def test_of_thousands_of_sprites_the_nearest_are_explained() -> None:
    """12,000 blocks at one place: each is counted, and the block of the effect is found once."""
    low, high = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    blocks = [block(3, **{**SPRITE, "position_low": low, "position_high": high})] * 12_000
    store = FileStore()
    source = Address(Path("huge.fxid"))
    data = effect(*blocks)
    store.unsaved.overlay(source.real.path, memoryview(data))
    program = EffectProgram.of(fxid.decode(data))
    played = PlayedEffect(program, (None,) * len(blocks), EffectInputs(0.1), source=source)
    view = ViewState(camera=Camera(target=low, distance=10))
    found = explain_effect(store, played, view, SIZE, (SIZE[0] // 2, SIZE[1] // 2))
    assert (found.sprites.count, len(found.sprites.nearest)) == (12_000, MOST_SPRITES)
    words = [line.text for line in effect_card.sections(found)[0].lines]
    assert "12000 sprites, the nearest 12 below" in words
