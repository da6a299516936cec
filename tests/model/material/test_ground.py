"""The materials of the terrain of an independent corpus, against its truth."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.session.opened.document import Document

MAP = "game/DATA/MAPS/SYN_2/Land.msh"


@pytest.fixture(scope="module")
def land(samples: Path) -> Document:
    return Document.open(FileStore(), Source(Address(samples / "field2" / MAP)))


def test_every_probed_face_has_its_materials_its_microtextures_and_opacities(
    samples: Path, land: Document
) -> None:
    truth = json.loads((samples / "field2" / "truth.json").read_text())["land"][MAP]
    rows = land.materials.rows
    draw_of_face = np.zeros(len(land.model.faces), np.int64)
    draw_of_face[land.draws.triangle] = np.repeat(np.arange(len(land.draws)), land.draws.triangle_count)
    assert land.model.second_alphas is not None
    for probe in truth["face_probe"]:
        material = rows[land.materials.of_draw[draw_of_face[probe["face"]]]]
        second = None if material.second is None else rows[material.second]
        assert material.name == truth["first"][probe["a"]]
        assert (second and second.name) == (None if probe["b"] is None else truth["first"][probe["b"]])
        for row, it in ((probe["a"], material), (probe["b"], second)):
            if it is not None:
                assert micro_of(land, it.microtexture) == (truth["micro"][row] if probe["micro"] else None)
        alphas = land.model.second_alphas[probe["vertices"]]
        assert alphas.tolist() == pytest.approx(probe["alpha"], abs=1e-7)
    has_second = land.model.faces["material_b"] != 0xFF
    assert (int(has_second.sum()), int((land.model.faces["flags"] & 0x8 != 0).sum())) == (
        truth["second"],
        truth["water"],
    )


def micro_of(land: Document, row: int | None) -> str | None:
    """The name of the texture that a material shows as a microtexture."""
    if row is None:
        return None
    material = land.materials.rows[row]
    key = material.blocks[material.usual_block].keys[0] if material.blocks else None
    return material.phases[key.phase if key else 0].texture


def test_nothing_is_wrong_with_it(land: Document) -> None:
    assert [it for it in land.findings if it.rule.startswith("L")] == []
