"""All draws of a model as one set of vertices and triangles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, box, quad
from tests.terrains import terrain
from viewer.formats.archive import nres
from viewer.formats.archive.nres_edit import rewrite
from viewer.formats.msh.tables import NORMALS, STREAM14, STREAM18, UVS
from viewer.model.mesh.draw_builder import build
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model
from viewer.render.buffers import merge as merge_module
from viewer.render.buffers.merge import MergedDraws, merge


def _merged(model: Model) -> tuple[Draws, MergedDraws]:
    draws = build(model)
    return draws, merge(model, draws, model.batches["material"])


def _corner_points(model: Model, draws: Draws, merged: MergedDraws) -> list[list[list[float]]]:
    """Positions of the merged triangles in the order of `Draws`."""
    _, row = merged.source_triangles(draws, np.arange(merged.triangle_count))
    points = merged.positions[merged.corners][np.argsort(row)]
    result: list[list[list[float]]] = points.tolist()
    return result


SCENES: dict[str, Sequence[Node]] = {
    "two nodes": [
        Node(shapes={(0, 0): [quad(), box()]}),
        Node(shapes={(0, 0): [box((2, 1, 1))], (1, 0): [quad()]}),
    ],
    "shared slot": [Node(shapes={(0, 0): (shared := [quad(), box()])}), Node(shapes={(0, 0): shared})],
    "materials": [Node(shapes={(0, 0): [quad(material=2), box(material=0), quad(3, material=1)]})],
    "nothing": [Node()],
    "no nodes": [],
}


@pytest.mark.parametrize("chunk", [1, 1 << 16])
@pytest.mark.parametrize("sparse", [0, 4])
@pytest.mark.parametrize("name", SCENES)
def test_merged_triangles_are_the_triangles_of_the_draws(
    name: str, sparse: int, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merge_module, "SPARSE", sparse)
    monkeypatch.setattr(merge_module, "CHUNK", chunk)
    model = ModelBuilder(SCENES[name]).model()
    draws, merged = _merged(model)
    assert _corner_points(model, draws, merged) == model.positions[draws.corners].tolist()


@pytest.mark.parametrize("sparse", [0, 4])
def test_vertices_carry_the_node_of_their_draw(sparse: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge_module, "SPARSE", sparse)
    model = ModelBuilder(SCENES["shared slot"]).model()
    draws, merged = _merged(model)
    draw, _ = merged.source_triangles(draws, np.arange(merged.triangle_count))
    corners = merged.corners[:, 0]
    assert merged.node[corners].tolist() == draws.node[draw].tolist()


def test_draws_are_ordered_by_material() -> None:
    _, merged = _merged(ModelBuilder(SCENES["materials"]).model())
    assert merged.draw.tolist() == [1, 2, 0]
    assert merged.row.tolist() == [0, 1, 2]
    assert merged.triangle_start.tolist() == [0, 12, 14, 16]


def test_a_batch_of_no_triangles_is_left_out() -> None:
    builder = ModelBuilder(SCENES["materials"])
    builder.batches["index_count"][1] = 2
    _, merged = _merged(builder.model())
    assert merged.draw.tolist() == [2, 0]


def test_boxes_hold_the_vertices_of_each_draw() -> None:
    _, merged = _merged(
        ModelBuilder([Node(shapes={(0, 0): [quad(2), box((2, 4, 6), center=(1, 0, 0))]})]).model()
    )
    assert merged.box_low.tolist() == [[-1, -1, 0], [0, -2, -3]]
    assert merged.box_high.tolist() == [[1, 1, 0], [2, 2, 3]]


def test_missing_streams_are_zero() -> None:
    builder = ModelBuilder([Node(shapes={(0, 0): [quad()]})])
    builder.missing |= {NORMALS, UVS}
    _, merged = _merged(builder.model())
    assert not merged.normals.any()
    assert not merged.uvs.any()


def test_draws_are_in_the_order_of_what_they_are_drawn_with() -> None:
    """Which need not be that of the numbers that color them."""
    scene = [Node(shapes={(0, 0): [quad(material=2), box(material=0), quad(3, material=1)]})]
    model = ModelBuilder(scene).model()
    draws = build(model)
    merged = merge(model, draws, model.batches["material"], np.array([1, 0, 0]))
    assert merged.row.tolist() == [0, 0, 1]
    assert merged.draw.tolist() == [1, 2, 0]


def test_weights_of_layers_are_within_0_and_1() -> None:
    container = nres.Archive.read(terrain(1, 1, is_coarse=False))
    index = container.find_type(STREAM14)
    assert index is not None
    stored = np.array([0.25, -3.0, np.inf, np.nan], "<f4")
    model = Model.of(rewritten(container, index, stored.tobytes()))
    merged = merge(model, build(model))
    assert merged.layer_weights is not None
    weights = dict(zip(map(tuple, merged.positions.tolist()), merged.layer_weights.tolist(), strict=True))
    assert [weights[tuple(point)] for point in model.positions.tolist()] == [0.25, 0, 1, 1]
    short = Model.of(rewritten(container, index, stored[:1].tobytes()))
    assert short.layer_weights is not None
    assert short.layer_weights.tolist() == [0.25, 1, 1, 1]


def rewritten(container: nres.Archive, index: int, payload: bytes) -> nres.Archive:
    """The container with another payload."""
    return nres.Archive.read(rewrite(container, {index: payload}))


def test_only_terrain_has_layers() -> None:
    model = ModelBuilder([Node(shapes={(0, 0): [quad()]})]).model()
    assert merge(model, build(model)).layer_weights is None


def test_lightmap_coordinates_follow_their_vertices() -> None:
    builder = ModelBuilder([Node(shapes={(0, 0): [quad(material=1), quad(3, material=0)]})])
    assert not merge(builder.model(), build(builder.model())).lightmap_uvs.any()
    stream = np.arange(16, dtype="<u2").reshape(8, 2)
    builder.tables[STREAM18] = stream.tobytes()
    _, merged = _merged(builder.model())
    assert merged.lightmap_uvs.tolist() == [*stream[4:].tolist(), *stream[:4].tolist()]
