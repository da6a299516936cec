"""Texture coordinates over a texture, in its tab and in the Inspector."""

from __future__ import annotations

import pytest
from imgui_bundle import imgui
from msgspec.structs import replace

from tests.gui.hand import press
from tests.gui.harness import GuiTester, exists
from viewer.session.selection import Selection
from viewer.session.view.options.textures import TextureSwitches, UvMarks
from viewer.session.view.uv_subject import UvSubject, subjects_of, subjects_of_batch
from viewer.ui.material.texture_viewport import TextureViewport
from viewer.ui.material.uv_layer import UvLayer

pytestmark = pytest.mark.closed("browser", "timeline", "outline")


def select_batch(gui: GuiTester) -> int:
    """Select the first batch that is drawn."""
    draws = gui.document.draws
    gui.change(selection=Selection((int(draws.node[0]),), int(draws.slot[0]), int(draws.batch[0])))
    gui.until(lambda: not gui.app.jobs.title)
    return int(draws.batch[0])


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[tuple[UvSubject, UvMarks]]:
    """The maps that were drawn, the last at the end."""
    found: list[tuple[UvSubject, UvMarks]] = []
    draw = UvLayer.draw

    def note(layer: UvLayer, subject: UvSubject, marks: UvMarks, sight: TextureViewport) -> None:
        found.append((subject, marks))
        draw(layer, subject, marks, sight)

    monkeypatch.setattr(UvLayer, "draw", note)
    return found


Drawn = list[tuple[UvSubject, UvMarks]]


def test_the_key_shows_the_batch_over_its_texture(walker: GuiTester, drawn: Drawn) -> None:
    batch, document = select_batch(walker), walker.document
    press(walker, int(imgui.Key.u))
    walker.until(lambda: walker.state.resource is not None)
    assert walker.state.view.textures.uv_marks is UvMarks.PROBLEMS
    assert walker.state.resource is not None
    assert walker.state.resource.texture is not None
    subjects = subjects_of(walker.state.tabs, walker.state.resource.texture)
    assert [it.batch for it in subjects][:2] == [batch, None]
    walker.until(lambda: bool(drawn))
    assert drawn[-1][0].key == subjects[0].key
    assert drawn[-1][1] is UvMarks.PROBLEMS
    assert subjects[0].document is document
    walker.change(textures=TextureSwitches())
    drawn.clear()
    walker.settle()
    assert not drawn


def test_without_a_batch_the_action_is_grey(walker: GuiTester) -> None:
    press(walker, int(imgui.Key.u))
    assert walker.state.resource is None


def test_the_inspector_shows_it_below_the_batch(walker: GuiTester, drawn: Drawn) -> None:
    batch = select_batch(walker)
    walker.change(textures=TextureSwitches(uv_marks=UvMarks.DENSITY))
    walker.run(lambda context: context.item_open("//inspector/###uv"))
    assert exists(walker, "//inspector/**/###open_uv")
    assert drawn[-1][0].batch == batch
    assert drawn[-1][1] is UvMarks.DENSITY


def test_a_material_has_the_triangles_that_the_view_shows(walker: GuiTester) -> None:
    document, view = walker.document, walker.state.view
    walker.until(lambda: not walker.app.jobs.title)
    of_batch, of_material = subjects_of_batch(document, view, 0)
    assert len(of_batch.map()) == int(document.model.batches[0]["index_count"]) // 3
    shown = document.shown(view).draws & (document.materials.of_draw == document.materials.of_batch[0])
    assert len(of_material.map()) == document.draws.triangle_count[shown].sum()
    assert of_material.map().density.shape == (len(of_material.map()),)
    other = replace(view, lod=1)
    assert replace(of_batch, view=other).made_of == of_batch.made_of
    assert replace(of_material, view=other).made_of != of_material.made_of
