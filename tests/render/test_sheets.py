"""The contact sheet: each picture is the one that its view gives alone, and none touches another."""

from __future__ import annotations

import numpy as np
import pytest

from tests.render.canvas import Canvas, Image
from tests.ui.scenes import tank_document
from viewer.render import sheets
from viewer.render.portions import Frame
from viewer.render.sheets import SheetPainter
from viewer.render.targets import straight_alpha
from viewer.session.play import posing
from viewer.session.play.ghosts import laid_over
from viewer.session.view.cell_sheet import CELL_COUNT, CellCounts, SheetLook, sheet_views, toggle_laid_over
from viewer.session.view.view_state import GROUP_COUNT, LOD_COUNT, ViewState, with_cell

WIDTH, HEIGHT = 24, 16
VIEW = ViewState(samples=1)


def sheet(canvas: Canvas, look: SheetLook) -> Image:
    """The pixels of a whole sheet, top row first."""
    painter = SheetPainter(canvas.ctx, canvas.renderer)
    pose = posing.pose(look.document, look.alone)
    painter.begin(sheet_views(look, pose), pose, look.size, GROUP_COUNT)
    while not painter.is_whole:
        painter.advance(1.0)
    texture = canvas.ctx.external_texture(
        painter.texture, (WIDTH * GROUP_COUNT, HEIGHT * LOD_COUNT), 4, 0, "f1"
    )
    pixels = np.frombuffer(texture.read(alignment=1), np.uint8)
    return straight_alpha(pixels.reshape(HEIGHT * LOD_COUNT, WIDTH * GROUP_COUNT, 4)[::-1])


def test_each_picture_is_that_of_its_cell(canvas: Canvas) -> None:
    document = tank_document()
    canvas.show(document)
    for nodes in (None, frozenset({0})):
        look = SheetLook.of(document, VIEW, nodes, (WIDTH, HEIGHT))
        pose = posing.pose(document, look.alone)
        drawn, views = sheet(canvas, look), sheet_views(look, pose)
        counts = CellCounts.of(document, VIEW, nodes)
        assert len({view.camera for view in views}) == 1
        for cell in range(CELL_COUNT):
            lod, group = divmod(cell, GROUP_COUNT)
            part = drawn[lod * HEIGHT : (lod + 1) * HEIGHT, group * WIDTH : (group + 1) * WIDTH]
            alone = canvas.renderer.image(Frame(views[cell], pose, (WIDTH, HEIGHT)))
            np.testing.assert_allclose(part.astype(int), alone, atol=1)  # rasterised at another corner
            has_model = len(np.unique(part.reshape(-1, 4), axis=0)) > 1
            assert (
                has_model
                == (counts.shown[lod, group] > 0)
                == (document.shown(views[cell]).triangle_count > 0)
            )


def test_an_empty_cell_has_no_triangles_of_its_own_whatever_is_shown_instead() -> None:
    counts = CellCounts.of(tank_document(), VIEW, frozenset({0}))
    # Two boxes in LOD 0, group 0, a quad in LOD 1, group 0; a far group shows the nearer one.
    assert counts.own.tolist() == [[24, 0, 0, 0, 0], [2, 0, 0, 0, 0], [0, 0, 0, 0, 0]]
    assert counts.shown[0, :4].tolist() == [24] * 4
    assert counts.shown[2, :4].tolist() == [2] * 4


def test_a_cell_is_laid_over_in_its_color_and_leaves_with_the_file() -> None:
    document = tank_document()
    view = toggle_laid_over(toggle_laid_over(VIEW, (1, 0)), (0, 4))
    ghosts = laid_over(document, view, posing.pose(document, view))
    assert len({ghost.color for ghost in ghosts}) == 2
    for ghost, cell in zip(ghosts, [(0, 4), (1, 0)], strict=True):
        assert ghost.draws is not None
        np.testing.assert_array_equal(ghost.draws, document.shown(with_cell(VIEW, *cell)).draws)
    assert toggle_laid_over(view, (1, 0)).laid_over == {(0, 4)}
    assert document.first_view(view).laid_over == frozenset()


def test_a_slow_picture_comes_after_the_others_and_becomes_whole(
    canvas: Canvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sheets, "SLOW_SECONDS", -1.0)
    document = tank_document()
    canvas.show(document)
    look = SheetLook.of(document, VIEW, None, (WIDTH, HEIGHT))
    painter, pose = SheetPainter(canvas.ctx, canvas.renderer), posing.pose(document, look.alone)
    painter.begin(sheet_views(look, pose), pose, look.size, GROUP_COUNT)
    # All are slow, so the sheet is shown at once, and says what is missing.
    assert painter.advance(1e-6)
    assert sorted(painter.unfinished)[-1] == CELL_COUNT - 1
    seen = []
    for _step in range(2000):
        seen.append(len(painter.unfinished))
        if painter.is_whole:
            break
        painter.advance(1e-6)
    assert painter.is_whole
    assert painter.unfinished == {}
    assert seen == sorted(seen, reverse=True)
