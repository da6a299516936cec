"""Buffers on the graphics card, read back."""

from __future__ import annotations

import moderngl
import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, box, quad
from viewer.model.mesh.draw_builder import build
from viewer.render.buffers import draw_list
from viewer.render.buffers.merge import MergedDraws, merge
from viewer.render.buffers.upload import MeshBuffers, NodeMatrices, Submission
from viewer.render.portions import Portions
from viewer.render.programs import Programs


def _merged(count: int = 6) -> MergedDraws:
    """One batch of three quads' triangles per node."""
    model = ModelBuilder.of([Node(shapes={(0, 0): [quad(), box()]}) for _ in range(count)]).model()
    return merge(model, build(model))


def test_matrices_lie_as_three_rows_per_node(ctx: moderngl.Context) -> None:
    world = np.random.default_rng(1).random((300, 4, 4), np.float32)
    matrices = NodeMatrices(ctx, 300)
    matrices.write(world)
    texels = np.frombuffer(matrices.texture.read(), np.float32).reshape(-1, 3, 4)
    assert texels[:300].tolist() == world[:, :3].tolist()


@pytest.mark.parametrize(("nodes", "rows"), [(0, 1), (1, 1), (256, 1), (257, 2), (65_535, 256)])
def test_the_matrix_texture_has_room_for_every_node(ctx: moderngl.Context, nodes: int, rows: int) -> None:
    assert NodeMatrices(ctx, nodes).texture.size == (768, rows)


def test_matrices_are_the_identity_until_written(ctx: moderngl.Context) -> None:
    texels = np.frombuffer(NodeMatrices(ctx, 2).texture.read(), np.float32).reshape(-1, 3, 4)
    assert texels[1].tolist() == np.eye(3, 4).tolist()


def test_everything_visible_is_one_run(ctx: moderngl.Context) -> None:
    submission = Submission(MeshBuffers(ctx, _merged()))
    submission.show(np.ones(12, np.bool_))
    assert submission.draws.runs == [(0, 6 * 14)]


def test_a_mesh_without_triangles_draws_nothing(ctx: moderngl.Context, programs: Programs) -> None:
    submission = Submission(MeshBuffers(ctx, _merged(0)))
    submission.render(programs.get("plain", "plain"), Portions())
    submission.render_vertices(programs.get("normals", "lines", "normals"), Portions())
    assert submission.draws.runs == []


def test_the_compacted_buffer_is_written_only_when_other_draws_are_visible(
    ctx: moderngl.Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draw_list, "MOST_RUNS", 1)
    written: list[int] = []
    compacted = draw_list.DrawList.compacted

    def counted(self: draw_list.DrawList, corners: np.ndarray) -> np.ndarray:
        written.append(self.draw_count)
        return compacted(self, corners)

    monkeypatch.setattr(draw_list.DrawList, "compacted", counted)
    submission = Submission(MeshBuffers(ctx, _merged()))
    even, odd = np.arange(12) % 2 == 0, np.arange(12) % 3 == 0
    for visible in (even, even.copy(), odd, odd.copy(), np.ones(12, np.bool_)):
        submission.show(visible)
    assert written == [6, 4]


def test_nodes_beyond_sixteen_bits_keep_their_numbers(ctx: moderngl.Context, programs: Programs) -> None:
    merged = _merged(1)
    merged.node[:] = 70_000
    mesh = MeshBuffers(ctx, merged)
    assert isinstance(
        mesh.vertex_array(programs.get("covered", "ids"), mesh.index_buffer), moderngl.VertexArray
    )
