"""Every cell of every sample model shows on screen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.corpora import skip_module
from tests.render.canvas import SIZE, Canvas
from viewer.errors import FormatError
from viewer.formats.archive.nres import Archive
from viewer.formats.record import Bytes
from viewer.model.mesh.model import Model, Variant, variant_of
from viewer.model.mesh.shown import CellRule, PartChoice, PartChooser
from viewer.session.selection import Selection
from viewer.session.view.view_state import GROUP_COUNT, LOD_COUNT, DrawnParts, Overlay, ViewState

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
        statistics = canvas.renderer.draw(view, canvas.pose, SIZE).statistics
        assert statistics.triangles == shown.triangle_count
        assert canvas.renderer.ids(view, canvas.pose, SIZE).any()


@pytest.mark.parametrize("corpus", ["seed", "field"])
def test_every_cell_of_every_model_shows(canvas: Canvas, samples: Path, corpus: str) -> None:
    files = [*(samples / corpus / "game").glob("*.rlb"), *(samples / corpus / "direct").iterdir()]
    models = [model for path in sorted(files) for model in _models(path.read_bytes())]
    assert len(models) > 20
    for model in models:
        if model.variant is not Variant.TERRAIN:
            _show(canvas, model)


def test_what_is_left_of_damaged_models_shows(canvas: Canvas, samples: Path) -> None:
    files = sorted((samples / "damaged" / "msh").iterdir())
    models = [model for path in files for model in _models(path.read_bytes())]
    assert len(models) > 20
    for model in models:
        _show_with_all_overlays(canvas, model)


def _show_with_all_overlays(canvas: Canvas, model: Model) -> None:
    """Draw and pick in every cell; what is damaged may lie anywhere, so nothing is said of the pixels."""
    canvas.load_model(model)
    for lod, group in _cells():
        view = ViewState(
            lod=lod, group=group, overlays=frozenset(Overlay), selection=Selection((0,), 0, 0, 0)
        )
        canvas.renderer.draw(view, canvas.pose, SIZE)
        canvas.renderer.pick_all(view, canvas.pose, SIZE, 32, 32)
        assert canvas.ctx.error == "GL_NO_ERROR"
