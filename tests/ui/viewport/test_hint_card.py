"""How much of the first-run hint fits."""

from __future__ import annotations

from viewer.ui.viewport.hint_card import HINTS, hints

LONGEST = max(len(str(hint.sentence)) for hint in HINTS)
LONGEST_WORD = max(len(str(hint.word)) for hint in HINTS)


def test_all_of_it_where_there_is_room() -> None:
    assert hints(LONGEST, 5, len) == [(str(hint.keys), str(hint.sentence)) for hint in HINTS]


def test_words_where_sentences_are_too_long() -> None:
    assert hints(LONGEST - 1, 9, len) == [(str(hint.keys), str(hint.word)) for hint in HINTS]


def test_fewer_lines_keep_the_one_that_leads_to_the_others() -> None:
    assert [keys for keys, _ in hints(LONGEST, 2, len)] == ["Drag", "F1"]
    assert [keys for keys, _ in hints(LONGEST, 1, len)] == ["F1"]


def test_nothing_where_nothing_fits() -> None:
    assert hints(LONGEST_WORD - 1, 5, len) == []
    assert hints(LONGEST, 0, len) == hints(LONGEST, -3, len) == []
