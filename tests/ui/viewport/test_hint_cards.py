"""The forms of the first-run hint, from the one that says most to the smallest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import ModelBuilder, Node, box
from tests.ui.scenes import tank_document
from viewer.model.game.game_folder import GameOrigin, GameSource
from viewer.model.material.materials import FoundIn, Material, Materials, MissingResource, TraceStep
from viewer.model.store.address import Address
from viewer.session.opened.document import Document
from viewer.session.play.playback import Playback, Root
from viewer.session.view.view_state import ViewState
from viewer.ui.viewport.hint_cards import HINTS, HintCard, HintForm, Summary, headline, shapes, summary_of
from viewer.ui.widgets.floating import Area

pytestmark = pytest.mark.usefixtures("imgui_frame")

SENTENCES = [str(hint.sentence) for hint in HINTS]


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
    document = Document.of(Address.parse("a"), ModelBuilder.of([Node(shapes={(0, 0): [box()]})]).model())
    first = card._silhouette_of(document, view)
    for playback in (Playback(seconds=0.5), Playback().with_channel(0, 0.5)):
        assert card._silhouette_of(document, replace(view, playback=playback)) is first
    travelling = replace(view, playback=Playback(root=Root.TRAVEL))
    assert card._silhouette_of(document, travelling) is not first


WHOLE = Material(0, "A", FoundIn.NAME, missing=(None,))


def document_of(*rows: Material) -> Document:
    """A document in a game folder with some materials."""
    place = np.zeros(0, np.int64)
    game = GameSource(Path("game"), GameOrigin.BESIDE)
    return with_opened(tank_document(), materials=Materials(rows, place, place), game=game)


def with_opened(document: Document, **changes: Any) -> Document:
    """A document whose opened model has other values."""
    return replace(document, opened=replace(document.opened, **changes))


def test_each_reason_is_told_once() -> None:
    missing = MissingResource("no texture", "A.0")
    phases = Material(
        1, "B", FoundIn.NAME, missing=(missing, None, missing, MissingResource("damaged texture", "B.0"))
    )
    told = summary_of(document_of(WHOLE, phases, Material(2, "C", FoundIn.NAME, missing=(missing,))))
    assert told == Summary(2, ("no texture A.0", "damaged texture B.0"))


def test_something_else_in_its_place_counts_too() -> None:
    told = summary_of(document_of(WHOLE, Material(1, "B", FoundIn.DEFAULT, missing=(None,))))
    assert told == Summary(1, ("material B not found; using a substitute",))


def test_a_lightmap_counts_as_well() -> None:
    dark = replace(WHOLE, missing_lightmap=MissingResource("no lightmap", "HALL.0"))
    assert summary_of(document_of(WHOLE, dark)) == Summary(1, ("no lightmap HALL.0",))


def test_where_all_is_there_nothing_is_said() -> None:
    assert summary_of(document_of(WHOLE)) == Summary(0, ())
    assert summary_of(with_opened(document_of(WHOLE), game=GameSource())) == Summary(0, ())


def test_packed_libraries_are_one_reason_for_all() -> None:
    rows = [Material(row, f"M{row}", missing=(MissingResource("no material", f"M{row}"),)) for row in (0, 1)]
    document = document_of(*rows)
    packed = TraceStep("Material.lib: packed", is_problem=True)
    found = with_opened(document, materials=replace(document.materials, packed=packed, problems=(packed,)))
    assert summary_of(found) == Summary(2, ("Material.lib: packed",))
    assert [finding.message for finding in found.findings][-1:] == ["Material.lib: packed"]


def test_a_game_folder_that_is_not_known_comes_first() -> None:
    missing = document_of(Material(0, "A", missing=(MissingResource("no material", "A"),)))
    assert summary_of(with_opened(missing, game=GameSource())).reasons == (
        "no game folder is set",
        "no material A",
    )


def test_what_all_of_them_lack_comes_before_what_each_lacks() -> None:
    problems = (
        TraceStep("Material.lib is not in game", is_problem=True),
        TraceStep("no such name", is_problem=True),
    )
    rows = [
        Material(row, name, missing=(MissingResource("no material", name),), steps=problems[: 2 - row])
        for row, name in enumerate("AB")
    ]
    told = summary_of(document_of(WHOLE, *rows))
    assert told == Summary(2, ("Material.lib is not in game", "no material A", "no material B"))
    assert summary_of(document_of(WHOLE, rows[0])).reasons == ("no material A",)


def test_the_headline_counts() -> None:
    assert headline(2, 9) == "2 of 9 materials are incomplete"
    assert headline(1, 9) == "1 of 9 materials is incomplete"
    assert headline(9, 9) == "All 9 materials are incomplete"
    assert headline(1, 1) == "1 material is incomplete"
