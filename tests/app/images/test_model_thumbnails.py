"""Small pictures of models."""

from __future__ import annotations

from pathlib import Path

import moderngl
import numpy as np
import pytest

from tests import game_folders
from tests.builders import ModelBuilder, Node, archive_of, box
from viewer.app.images.thumbnail_reading import ModelPreview, ModelThumbnails, Reader, cropped
from viewer.app.loading import NO_OPEN_OPTIONS
from viewer.formats import mat0
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.file_store import FileStore
from viewer.render.renderer import Renderer
from viewer.resources import bundled_path
from viewer.session.opened.entry_list import BrowserEntry

SIDE = 48


def preview(folder: Path, size: float = 1) -> ModelPreview:
    """A box in a material whose texture is green."""
    green = np.full((8, 8, 4), (0, 255, 0, 255), np.uint8)
    textures = {"GREEN.0": texm.build(green, PixelFormat.RGB565)}
    game_folders.write(
        folder,
        Material=game_folders.archive(
            game_folders.MAT0, {"GREEN": mat0.build([mat0.PhaseRecord(b"GREEN.0")])}
        ),
        Textures=game_folders.archive(game_folders.TEXM, textures),
    )
    model = ModelBuilder([Node("box", shapes={(0, 0): [box((size, 1, 1))]})]).build()
    path = folder / "a.rlb"
    path.write_bytes(archive_of({"box.msh": model, "box.wea": b"1\r\n0 GREEN\r\n"}))
    entry = BrowserEntry(f"{path}::box.msh", "box.msh", "msh")
    found = (
        Reader(FileStore(), SIDE, lambda _: False).read(entry, ReadingChoice.AUTO, NO_OPEN_OPTIONS).preview
    )
    assert found is not None
    return found


def test_a_model_is_drawn_in_its_textures_and_nothing_else(ctx: moderngl.Context, tmp_path: Path) -> None:
    drawn = ModelThumbnails(ctx).draw(preview(tmp_path), SIDE)
    assert drawn is not None
    seen = drawn[drawn[..., 3] == 255]
    assert len(seen) > drawn[..., 3].size // 3
    assert (seen[:, 1] > 60).all()
    assert (seen[:, 0] == 0).all()
    assert not drawn[0, 0].any()


def test_one_portrait_does_not_show_in_the_next(ctx: moderngl.Context, tmp_path: Path) -> None:
    portraits = ModelThumbnails(ctx)
    wide, cube = preview(tmp_path / "wide", 9), preview(tmp_path / "cube")
    first = portraits.draw(cube, SIDE)
    portraits.draw(wide, SIDE)
    again = portraits.draw(cube, SIDE)
    assert first is not None
    assert again is not None
    np.testing.assert_array_equal(first, again)


def test_the_scene_on_screen_is_left_as_it_is(ctx: moderngl.Context, tmp_path: Path) -> None:
    scene, other = preview(tmp_path / "scene", 3), preview(tmp_path / "other")
    renderer = Renderer(ctx, bundled_path("shaders"))
    document = scene.document
    renderer.load(document.model, document.draws, materials=document.materials)
    pose = document.animation.pose(0.0)
    before = renderer.image(scene.view, pose, (64, 64))
    assert before.any()
    ModelThumbnails(ctx).draw(other, SIDE)
    np.testing.assert_array_equal(renderer.image(scene.view, pose, (64, 64)), before)


def test_what_the_card_refuses_has_no_portrait(
    ctx: moderngl.Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise moderngl.Error("out of memory")

    monkeypatch.setattr(Renderer, "load", refuse)
    assert ModelThumbnails(ctx).draw(preview(tmp_path), SIDE) is None


def test_margins_are_cut_off_but_holes_stay() -> None:
    image = np.zeros((9, 9, 4), np.uint8)
    image[2:5, 3:8] = 255
    image[3, 5] = 0
    assert cropped(image).shape == (3, 5, 4)
    assert not cropped(image)[1, 2].any()
    assert cropped(np.zeros((9, 9, 4), np.uint8)).shape == (9, 9, 4)
