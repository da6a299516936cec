"""Every cell of every model of the corpora makes a picture of what the truth says it draws."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import ModelBuilder, Node, box
from tests.share import some
from viewer.model.mesh.shown import CellRule
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.render import offscreen
from viewer.render.offscreen import OffscreenRenderer, cameras, direction, zoomed
from viewer.session.opened.document import Document
from viewer.session.view.options.drawn_parts import DrawnParts
from viewer.session.view.options.shading import Shading
from viewer.session.view.view_state import ViewState

SIZE = (48, 48)
EXACT = DrawnParts(CellRule.EXACT)


@pytest.fixture(scope="module")
def renderer() -> OffscreenRenderer:
    return OffscreenRenderer(boxes())


def boxes() -> Document:
    return Document.of(Address.parse("boxes"), ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})]).model())


def test_every_cell_shows_what_it_draws(samples: Path, renderer: OffscreenRenderer) -> None:
    for corpus in ["seed", "field"]:
        truth = json.loads((samples / corpus / "truth.json").read_text(encoding="utf-8"))
        library = FileStore()
        for key, expected in some(truth["models"].items()):
            document = Document.open(library, Source(Address.parse(str(samples / corpus / key))))
            renderer.show(document)
            for cell, drawn in expected["draws"].items():
                lod, group = (int(number) for number in cell.split("/"))
                plain = ViewState(
                    lod=lod, group=group, overlays=frozenset(), shading=Shading.LIT, drawn=EXACT
                )
                camera = cameras(document, plain, [0.0], [direction(None, None)], 1.0)[0]
                view = replace(plain, camera=camera)
                ids = renderer.ids(view, SIZE)
                shown = {tuple(pair) for pair in (ids[ids[..., 0] > 0][:, :2].astype(int) - 1).tolist()}
                assert shown <= {(node, batch) for node, batch in drawn["list"]}, (key, cell)
                assert shown, (key, cell)
                assert len(np.unique(renderer.image(view, SIZE).reshape(-1, 4), axis=0)) > 1, (key, cell)


def test_series_shares_one_distance() -> None:
    directions = [direction(angle, 10.0) for angle in (0.0, 45.0, 90.0)]
    framed = cameras(boxes(), ViewState(), [0.0], directions, 1.0)
    assert len({camera.distance for camera in framed}) == 1
    assert [camera.yaw for camera in framed] == [camera.yaw for camera in directions]


def test_zoom_divides_the_distance() -> None:
    camera = direction(None, None)
    assert zoomed(camera, 4.0) == replace(camera, distance=camera.distance / 4)


def test_the_driver_is_told_what_nobody_has_said(monkeypatch: pytest.MonkeyPatch) -> None:
    unset, taken = offscreen.SETTINGS
    monkeypatch.delenv(unset, raising=False)
    monkeypatch.setenv(taken, "as the user wants it")
    offscreen.prepare_driver()
    assert os.environ[unset] == offscreen.SETTINGS[unset]
    assert os.environ[taken] == "as the user wants it"
