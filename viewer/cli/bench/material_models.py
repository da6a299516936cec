"""Cost of materials: the same draws with many textures and with one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from viewer.cli.bench.subjects import Subjects
from viewer.cli.bench.timing import Result, Work, milliseconds
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.material.materials import FoundIn, Material, Materials, TextureRef
from viewer.model.store.address import Address
from viewer.render.buffers.merge import merge
from viewer.render.buffers.model_buffers import ModelBuffers
from viewer.render.passes.base import FrameScene
from viewer.render.passes.textured import TexturedPass
from viewer.render.programs import FrameBlock, Programs, Projection
from viewer.render.targets import RenderTarget
from viewer.render.textures import texels
from viewer.render.textures.material_bindings import MaterialBindings
from viewer.render.textures.texture_store import TextureStore
from viewer.resources import bundled_path

NAME: Final = "materials_20_over_1"
UNIT: Final = "x"
MANY: Final = 20
SIDE: Final = 64
"""Width and height of the textures."""


def measure(subjects: Subjects) -> Result:
    """Time of the calls that draw the large model with many materials, relative to one material."""
    runs = subjects.sizes.runs
    many, one = (milliseconds(_submission(subjects, count), runs) for count in (MANY, 1))
    return Result(NAME, UNIT, tuple(a / b for a, b in zip(sorted(many), sorted(one), strict=True)))


def _submission(subjects: Subjects, count: int) -> Work:
    """The calls alone, without the later work of the driver."""
    ctx, document = subjects.renderer.ctx, subjects.large_document
    target = RenderTarget(ctx)
    target.resize(subjects.sizes.frame)
    projection = Projection.of(subjects.view.camera, subjects.sizes.frame)
    shown = document.shown(subjects.view)
    subject = _subject(subjects, count)
    scene = FrameScene(subjects.view, subject, shown, projection, target.scene)
    layer = TexturedPass(ctx, Programs(ctx, bundled_path("shaders")), subject)

    def prepare() -> None:
        target.scene.use()
        target.scene.clear()
        ctx.finish()

    return Work(_calls(layer, scene, FrameBlock(ctx)), before=prepare, after=ctx.finish)


def _calls(layer: TexturedPass, scene: FrameScene, block: FrameBlock) -> Callable[[], None]:
    def submit() -> None:
        block.write(scene.projection)
        scene.subject.matrices.bind()
        scene.subject.show(scene.shown.draws)
        layer.draw(scene)

    return submit


def _subject(subjects: Subjects, count: int) -> ModelBuffers:
    """The large model, its draws distributed over `count` materials."""
    ctx, document = subjects.renderer.ctx, subjects.large_document
    row = np.arange(len(document.draws)) % count
    merged = merge(document.model, document.draws, row=row)
    store = TextureStore(ctx)
    materials = Materials(tuple(map(_material, range(count))), row, row)
    bindings = MaterialBindings(ctx, store, materials, merged.row)
    bindings.use(subjects.view.textures)
    for texture in bindings.requested():
        store.put(texels.decode(texture, subjects.view.textures, store.limit))
    subject = ModelBuffers(ctx, document.model, document.draws, merged, bindings)
    subject.take(document.animation.pose(1.5))
    return subject


def _material(number: int) -> Material:
    noise = np.random.default_rng(number).integers(0, 256, (SIDE, SIDE, 4), np.uint8)
    data = texm.build(noise, PixelFormat.RGB565)
    name = f"BENCH_{number}.0"
    texture = TextureRef(Address(Path(name)), name, texm.decode(data))
    return Material(row=number, name=name, found=FoundIn.NAME, textures=(texture,))
