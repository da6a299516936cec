"""Every cell of every sample model shows on screen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.render.stage import SIZE, Stage
from viewer.errors import FormatError
from viewer.formats.archive.nres import Archive
from viewer.formats.record import Bytes
from viewer.model.mesh.model import Model, Variant, variant_of
from viewer.session.selection import Selection
from viewer.session.view.view_state import GROUP_COUNT, LOD_COUNT, Overlay, ViewState


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


def _show(stage: Stage, model: Model) -> None:
    """Look at every filled cell from where all of it is in view."""
    stage.load_model(model)
    for lod, group in _cells():
        chosen = stage.draws.chosen_parts(lod, group)
        bounds = stage.draws.posed_bounds(model, stage.pose.world, chosen)
        if bounds is None:
            continue
        view = ViewState(lod=lod, group=group)
        view = replace(view, camera=view.camera.frame(bounds))
        statistics = stage.renderer.draw(view, stage.pose, SIZE).statistics
        assert statistics.triangles == stage.draws.triangle_counts()[lod, group]
        assert stage.renderer.ids(view, stage.pose, SIZE).any()


@pytest.mark.parametrize("corpus", ["seed", "field"])
def test_every_cell_of_every_model_shows(stage: Stage, samples: Path, corpus: str) -> None:
    files = [*(samples / corpus / "game").glob("*.rlb"), *(samples / corpus / "direct").iterdir()]
    models = [model for path in sorted(files) for model in _models(path.read_bytes())]
    assert len(models) > 20
    for model in models:
        if model.variant is not Variant.TERRAIN:
            _show(stage, model)


def test_what_is_left_of_damaged_models_shows(stage: Stage, samples: Path) -> None:
    files = sorted((samples / "damaged" / "msh").iterdir())
    models = [model for path in files for model in _models(path.read_bytes())]
    assert len(models) > 20
    for model in models:
        _show_with_all_overlays(stage, model)


def _show_with_all_overlays(stage: Stage, model: Model) -> None:
    """Draw and pick in every cell; what is damaged may lie anywhere, so nothing is said of the pixels."""
    stage.load_model(model)
    for lod, group in _cells():
        view = ViewState(
            lod=lod, group=group, overlays=frozenset(Overlay), selection=Selection((0,), 0, 0, 0)
        )
        stage.renderer.draw(view, stage.pose, SIZE)
        stage.renderer.pick_all(view, stage.pose, SIZE, 32, 32)
        assert stage.ctx.error == "GL_NO_ERROR"
