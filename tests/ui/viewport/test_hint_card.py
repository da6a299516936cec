"""The forms of the first-run hint, from the one that says most to the smallest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from imgui_bundle import imgui

from tests.builders import ModelBuilder, Node, box
from viewer.session.opened.document import Document
from viewer.session.play.playback import Playback, Root
from viewer.session.view.view_state import ViewState
from viewer.ui.viewport.hint_card import HINTS, HintCard, HintForm, shapes
from viewer.ui.widgets.card import Area

SENTENCES = [str(hint.sentence) for hint in HINTS]


@pytest.fixture(autouse=True)
def _frame() -> Iterator[None]:
    """A frame of ImGui, for the sizes of text."""
    context = imgui.create_context()
    io = imgui.get_io()
    io.backend_flags |= imgui.BackendFlags_.renderer_has_textures
    io.display_size = imgui.ImVec2(800, 600)
    io.set_ini_filename("")
    imgui.new_frame()
    yield
    imgui.end_frame()
    imgui.destroy_context(context)


def forms(width: float, height: float) -> list[HintForm]:
    return [*shapes(Area(0, 0, width, height), lambda words: 7.0 * len(words))]


def test_sentences_where_there_is_room() -> None:
    largest = forms(2000, 2000)[0]
    assert [words for _, words in largest.rows] == SENTENCES
    assert not largest.is_line


def test_words_where_sentences_are_too_wide() -> None:
    largest = forms(250, 2000)[0]
    assert [words for _, words in largest.rows] == [str(hint.word) for hint in HINTS]


def test_one_line_where_there_is_no_height() -> None:
    assert all(form.is_line for form in forms(2000, 90))


def test_the_row_that_leads_to_the_others_is_always_there() -> None:
    assert {form.rows[-1][0] for form in forms(2000, 2000)} == {"F1"}


def test_nothing_where_nothing_fits() -> None:
    assert forms(60, 2000) == forms(2000, 20) == []


def test_the_outline_is_found_again_only_for_another_motion() -> None:
    """Not for each frame of a clip, and not while a channel moves."""
    card, view = HintCard(), ViewState()
    document = Document.of("a", ModelBuilder([Node(shapes={(0, 0): [box()]})]).model())
    first = card._silhouette_of(document, view)
    for playback in (Playback(seconds=0.5), Playback().with_channel(0, 0.5)):
        assert card._silhouette_of(document, replace(view, playback=playback)) is first
    travelling = replace(view, playback=Playback(root=Root.TRAVEL))
    assert card._silhouette_of(document, travelling) is not first
