"""What is kept on the graphics card for tabs behind."""

from __future__ import annotations

import moderngl
import pytest

from tests.builders import ModelBuilder, Node, box
from viewer.app import scene_renderer
from viewer.app.scene_renderer import MOST_MODELS, UploadedModels
from viewer.model.store.address import Address
from viewer.render.renderer import Renderer, UploadedModel
from viewer.session.opened.document import Document


def document(name: str) -> Document:
    return Document.of(Address.parse(name), ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})]).model())


@pytest.fixture
def models(ctx: moderngl.Context) -> UploadedModels:
    return UploadedModels(Renderer(ctx))


def test_going_back_to_a_tab_uploads_nothing(models: UploadedModels, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = document("a"), document("b")
    models.show(one)
    models.show(other)
    loads: list[Document] = []
    load = models._load

    def counted(shown: Document) -> UploadedModel:
        loads.append(shown)
        return load(shown)

    monkeypatch.setattr(models, "_load", counted)
    models.show(None)
    models.show(one)
    models.show(other)
    assert loads == []
    models.show(document("c"))
    assert len(loads) == 1


def test_a_large_model_is_merged_where_it_was_read(
    models: UploadedModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scene_renderer, "MANY_TRIANGLES", 11)
    large, other = document("large"), document("other")
    models.prepare(large)

    def fail(*_: object) -> None:
        pytest.fail("a model that was prepared is merged again")

    with monkeypatch.context() as patch:
        patch.setattr("viewer.render.buffers.merge.merge", fail)
        models.show(large)
    models.prepare(large)
    models.show(other)
    assert models.documents == (large, other)


def test_only_a_few_models_are_kept_and_the_last_shown_stay(models: UploadedModels) -> None:
    documents = [document(str(number)) for number in range(MOST_MODELS + 2)]
    for shown in documents:
        models.show(shown)
    assert models.documents == tuple(documents[2:])
    models.show(documents[2])
    models.show(document("new"))
    assert documents[2] in models.documents
    assert documents[3] not in models.documents


def test_the_bound_in_bytes_never_ends_what_is_shown(
    models: UploadedModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scene_renderer, "MOST_BYTES", 0)
    one, other = document("a"), document("b")
    models.show(one)
    assert models.documents == (one,)
    models.show(other)
    assert models.documents == (other,)


def test_what_is_closed_is_released(models: UploadedModels) -> None:
    one, other = document("a"), document("b")
    models.show(one)
    models.show(other)
    models.keep_only((other,))
    assert models.documents == (other,)
