"""Cases of ``bench`` that draw: frames, the pictures of all cells, and what is under the cursor."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Final

import numpy as np
from msgspec.structs import replace

from viewer.cli.bench.subjects import Subjects
from viewer.cli.bench.timing import SLOW_RUNS, Result, Work, by_name, milliseconds
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.material.materials import FoundIn, Material, Materials, TextureRef
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.render.buffers.merge import merge
from viewer.render.buffers.model_buffers import ModelBuffers
from viewer.render.offscreen import OffscreenRenderer
from viewer.render.passes.base import FrameScene, Pass
from viewer.render.passes.textured import TexturedPass
from viewer.render.portions import Frame
from viewer.render.programs import FrameBlock, Programs, Projection
from viewer.render.renderer import IMAGE_SECONDS
from viewer.render.sheets import SheetPainter
from viewer.render.targets import RenderTarget
from viewer.render.textures import texels
from viewer.render.textures.material_bindings import MaterialBindings
from viewer.render.textures.texture_store import TextureStore
from viewer.session.opened.document import Document
from viewer.session.play import posing
from viewer.session.play.posing import framed
from viewer.session.view.cell_sheet import CellCounts, SheetLook, sheet_views
from viewer.session.view.view_state import GROUP_COUNT, ViewState

SHEET_CELL: Final = (128, 160)
"""Size of the picture of a cell, pixels."""
MANY: Final = 20
SIDE: Final = 64
"""Width and height of the textures."""


def frame_10k(subjects: Subjects) -> Work:
    """A whole frame of an animated model: pose, culling, matrices, drawing, until the GPU has finished."""
    return replace(_frames(subjects.renderer, subjects.view, subjects), most=SLOW_RUNS)


def contact_sheet_60k(subjects: Subjects) -> Work:
    """The pictures of all fifteen cells of a model, from their counts and camera to the finished texture."""
    document = Document.open(FileStore(), Source(subjects.medium))
    offscreen = OffscreenRenderer(document)
    painter = SheetPainter(offscreen.ctx, offscreen.renderer)

    def draw() -> None:
        look = SheetLook.of(document, subjects.view, None, SHEET_CELL)
        pose = posing.pose(document, look.alone)
        CellCounts.of(document, look.alone, None)
        painter.begin(sheet_views(look, pose), pose, look.size, GROUP_COUNT)
        while not painter.is_whole:
            painter.advance(IMAGE_SECONDS)
        offscreen.ctx.finish()

    return Work(draw)


def frame_60k(subjects: Subjects) -> Work:
    """A whole frame of an animated model of few nodes and some triangles each."""
    return _framed(subjects.moving, subjects)


def frame_6m(subjects: Subjects) -> Work:
    """A whole picture of a model of very many triangles, on slow machines in as many frames as it takes."""
    return replace(_framed(subjects.dense, subjects), most=SLOW_RUNS)


def _framed(model: Address, subjects: Subjects) -> Work:
    """Frames that show all of a model."""
    document = Document.open(FileStore(), Source(model))
    width, height = subjects.sizes.frame
    camera = framed(document, subjects.view.camera, subjects.view, width / height)
    return _frames(OffscreenRenderer(document), replace(subjects.view, camera=camera), subjects)


def _frames(offscreen: OffscreenRenderer, view: ViewState, subjects: Subjects) -> Work:
    """The next pose, drawn until the picture is whole."""
    animation, renderer = offscreen.document.animation, offscreen.renderer
    moments = times(animation.frame_count)

    def draw() -> None:
        frame = renderer.draw(Frame(view, animation.pose(next(moments)), subjects.sizes.frame))
        while not frame.statistics.is_whole:
            frame = renderer.draw_further()
        offscreen.ctx.finish()

    return Work(draw)


def pick_10k(subjects: Subjects) -> Work:
    """Pick what is under the cursor, in a frame that shows everything."""
    document, renderer = subjects.large_document, subjects.renderer
    frame = Frame(subjects.view, document.animation.pose(1.5), subjects.sizes.frame)
    width, height = frame.size
    return Work(lambda: renderer.renderer.pick(frame, width // 2, height // 2))


def times(frame_count: int) -> Iterator[float]:
    """Times between frames, repeated endlessly."""
    return cycle([frame + 0.3 for frame in range(max(1, frame_count - 1))])


def submission(subjects: Subjects, model: ModelBuffers, layer: Pass) -> Work:
    """The calls that draw a layer of the large model, without the later work of the driver."""
    ctx, document = subjects.renderer.ctx, subjects.large_document
    model.take(document.animation.pose(1.5))
    target, block = RenderTarget(ctx), FrameBlock(ctx)
    target.resize(subjects.sizes.frame)
    projection = Projection.of(subjects.view.camera, subjects.sizes.frame)
    scene = FrameScene(subjects.view, model, document.shown(subjects.view), projection, target.scene)

    def prepare() -> None:
        target.scene.use()
        target.scene.clear()
        ctx.finish()

    def submit() -> None:
        block.write(projection)
        model.matrices.bind()
        model.show(scene.shown.draws)
        layer.draw(scene)

    return Work(submit, before=prepare, after=ctx.finish)


def materials_20_over_1(subjects: Subjects) -> Result:
    """Time of the calls that draw the large model with many materials, relative to one material."""
    runs = subjects.sizes.runs
    many, one = (milliseconds(_with_materials(subjects, count), runs) for count in (MANY, 1))
    ratios = (a / b for a, b in zip(sorted(many), sorted(one), strict=True))
    return Result("materials_20_over_1", "x", tuple(ratios))


def _with_materials(subjects: Subjects, count: int) -> Work:
    """The calls that draw the large model, its draws distributed over `count` materials."""
    ctx, document = subjects.renderer.ctx, subjects.large_document
    row = np.arange(len(document.draws)) % count
    merged = merge(document.model, document.draws, row=row)
    store = TextureStore(ctx)
    materials = Materials(tuple(map(_material, range(count))), row, row)
    bindings = MaterialBindings(ctx, store, materials, merged.row)
    bindings.use(subjects.view.textures)
    for texture in bindings.requested():
        store.put(texels.decode(texture, subjects.view.textures, store.limit))
    model = ModelBuffers(ctx, document.model, document.draws, merged, bindings)
    return submission(subjects, model, TexturedPass(ctx, Programs.of(ctx), model))


def _material(number: int) -> Material:
    noise = np.random.default_rng(number).integers(0, 256, (SIDE, SIDE, 4), np.uint8)
    data = texm.build(noise, PixelFormat.RGB565)
    name = f"BENCH_{number}.0"
    texture = TextureRef(Address(Path(name)), name, texm.decode(data))
    return Material(row=number, name=name, found=FoundIn.NAME, textures=(texture,))


CASES: Final = by_name(frame_10k, frame_60k, contact_sheet_60k, frame_6m, pick_10k)
