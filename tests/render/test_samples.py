"""Every cell of every sample model shows on screen.

Every model of the corpora in its materials: something shows, and checks only where something is missing.

Everything is drawn twice, and the checks that stand for what is missing have other colors the second
time: where the two pictures are equal no check shows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.builders import ModelBuilder
from tests.corpora import skip_module
from tests.render.canvas import SIZE, Canvas
from tests.share import some
from viewer.errors import FormatError
from viewer.formats.archive.nres import Archive
from viewer.formats.record import Bytes
from viewer.formats.texture.pixels import Image
from viewer.model.material.materials import Blend
from viewer.model.mesh.model import Model, Variant, variant_of
from viewer.model.mesh.shown import CellRule, PartChoice, PartChooser
from viewer.model.store.address import CURRENT, Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.render.offscreen import OffscreenRenderer, cameras, direction
from viewer.render.portions import Frame
from viewer.render.textures import label
from viewer.session.opened.document import Document
from viewer.session.selection import Selection
from viewer.session.view.options.drawn_parts import DrawnParts
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading
from viewer.session.view.view_state import GROUP_COUNT, LOD_COUNT, ViewState

skip_module()


def _models(data: Bytes) -> Iterator[Model]:
    """The model that some bytes are, or those in the archive that they are."""
    try:
        archive = Archive.read(data)
    except FormatError:
        return
    variant = variant_of(archive)
    if variant is not None:
        yield Model(archive, variant)
        return
    for entry in archive.entries:
        if not entry.is_damaged:
            yield from _models(archive.payload(entry.index))


def _cells() -> list[tuple[int, int]]:
    return [(lod, group) for lod in range(LOD_COUNT) for group in range(GROUP_COUNT)]


def _show(canvas: Canvas, model: Model) -> None:
    """Look at every filled cell from where all of it is in view."""
    canvas.load_model(model)
    for lod, group in _cells():
        shown = PartChooser(model, canvas.draws).shown(PartChoice(lod, group, CellRule.EXACT))
        bounds = canvas.draws.posed_bounds(model, canvas.pose.world, shown.draws)
        if bounds is None:
            continue
        view = ViewState(lod=lod, group=group, drawn=DrawnParts(CellRule.EXACT))
        view = replace(view, camera=view.camera.frame(bounds))
        statistics = canvas.renderer.draw(Frame(view, canvas.pose, SIZE)).statistics
        assert statistics.triangles == shown.triangle_count
        assert canvas.renderer.ids(Frame(view, canvas.pose, SIZE)).any()


@pytest.mark.parametrize("corpus", ["seed", "field"])
def test_every_cell_of_every_model_shows(canvas: Canvas, samples: Path, corpus: str) -> None:
    files = [*(samples / corpus / "game").glob("*.rlb"), *(samples / corpus / "direct").iterdir()]
    models = [model for path in sorted(files) for model in _models(path.read_bytes())]
    assert len(models) > 20
    for model in some(models, samples):
        if model.variant is not Variant.TERRAIN:
            _show(canvas, model)


def test_what_is_left_of_damaged_models_shows(canvas: Canvas, samples: Path) -> None:
    files = sorted((samples / "damaged" / "msh").iterdir())
    models = [model for path in files for model in _models(path.read_bytes())]
    assert len(models) > 20
    for model in some(models, samples):
        _show_with_all_overlays(canvas, model)


def _show_with_all_overlays(canvas: Canvas, model: Model) -> None:
    """Draw and pick in every cell; what is damaged may lie anywhere, so nothing is said of the pixels."""
    canvas.load_model(model)
    for lod, group in _cells():
        view = ViewState(
            lod=lod, group=group, overlays=frozenset(Overlay), selection=Selection((0,), 0, 0, 0)
        )
        canvas.renderer.draw(Frame(view, canvas.pose, SIZE))
        canvas.renderer.pick_all(Frame(view, canvas.pose, SIZE), 32, 32)
        assert canvas.ctx.error == "GL_NO_ERROR"


skip_module()

Place = tuple[str, int, int]

TEXTURED_SIZE = (48, 48)
CHECKS = (label.COLORS, ((0, 255, 0), (255, 255, 255)))


def views(document: Document) -> Iterator[ViewState]:
    """Every filled cell seen whole from three quarters."""
    for lod in range(LOD_COUNT):
        for group in range(GROUP_COUNT):
            cell = ViewState(lod=lod, group=group, drawn=DrawnParts(CellRule.EXACT))
            if document.shown(cell).triangle_count:
                camera = cameras(document, cell, [0.0], [direction(None, None)], 1.0)[0]
                yield replace(
                    cell,
                    camera=camera,
                    overlays=frozenset(),
                    shading=Shading.TEXTURED,
                    samples=1,
                )


def is_clear(document: Document, view: ViewState) -> bool:
    """Whether nothing in a cell is opaque enough to pass the alpha test, by alphas alone."""
    drawn = document.shown(view).draws
    rows = {document.materials.rows[row] for row in document.materials.of_draw[drawn].tolist()}
    blended = [row for row in rows if row.blend is not Blend.OPAQUE]
    return len(blended) == len(rows) and all(row.phases[0].ambient[3] * row.opacity < 0.05 for row in rows)


def pictures(folder: Path, keys: list[str]) -> Iterator[tuple[Place, Image]]:
    """Every cell of every model; it differs from a picture of nothing."""
    library, nothing = FileStore(), Document.of(CURRENT, ModelBuilder.of([]).model())
    renderer = OffscreenRenderer(nothing)
    empty = renderer.image(replace(ViewState(), overlays=frozenset(), samples=1), TEXTURED_SIZE)
    for key in keys:
        document = Document.open(library, Source(Address.parse(str(folder / key))))
        renderer.show(document)
        for view in views(document):
            place = (key, view.lod, view.group)
            picture = renderer.image(view, TEXTURED_SIZE)
            assert (picture != empty).any() != is_clear(document, view), place
            yield place, picture
            assert renderer.ctx.error == "GL_NO_ERROR", key


def resolves(truth: Mapping[str, Any], key: str) -> bool:
    """Whether the truth has a wear table for a model, and all that follows from it."""
    table = truth["wear"].get(key.removeprefix("game/").rpartition(".")[0] + ".wea")
    materials = {name.upper(): value for name, value in truth["materials"].items()}
    known = {"", *(name.upper() for name in truth["textures"])}
    names = [name.upper() for name in table["materials"]] if table else []
    used = [materials.get(name, materials["DEFAULT"]) for name in names]
    return bool(used) and all(phase["texture"].upper() in known for each in used for phase in each["phases"])


@pytest.mark.parametrize("corpus", ["seed", "field"])
def test_every_cell_shows_in_its_materials(
    samples: Path, monkeypatch: pytest.MonkeyPatch, corpus: str
) -> None:
    folder = samples / corpus
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    keys = some([*truth["models"], *truth["land"]], samples)
    drawn: list[dict[Place, Image]] = []
    for colors in CHECKS:
        monkeypatch.setattr(label, "COLORS", colors)
        drawn.append(dict(pictures(folder, keys)))
    assert {key for key, _, _ in drawn[0]} == set(keys)
    with_checks = {place[0] for place, picture in drawn[0].items() if (picture != drawn[1][place]).any()}
    models = {*truth["models"]} & {*keys}
    resolving = {key for key in models if resolves(truth, key)}
    assert len(resolving) > len(models) / 2
    assert with_checks == models - resolving
