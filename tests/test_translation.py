"""Text is looked up when it is shown."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import pytest

from tests.languages import Bracketed
from viewer import translation
from viewer.translation import Message, Sentence, _, ngettext, translated


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Return to English after each test."""
    yield
    translation.use(None)


def test_without_a_catalogue_text_is_english() -> None:
    assert _("Open recent") == "Open recent"
    assert [ngettext("{count} node", "{count} nodes", count) for count in (1, 2)] == [
        "{count} node",
        "{count} nodes",
    ]


def test_the_language_changes_while_the_program_runs() -> None:
    message = Message("LOD {lod}", lod=2)
    assert str(message) == "LOD 2"
    translation.use(Bracketed())
    assert str(message) == "[LOD 2]"
    translation.use(None)
    assert str(message) == "LOD 2"


def test_a_message_may_be_a_value_of_another() -> None:
    translation.use(Bracketed())
    assert str(Message("{what} saved", what=Message("texture"))) == "[[texture] saved]"


def test_a_sentence_of_the_model_is_english_and_can_be_translated() -> None:
    translation.use(Bracketed())
    sentence = Sentence("{count} bytes belong to no entry", count=3)
    assert sentence == "3 bytes belong to no entry"
    assert translated(sentence) == "[3 bytes belong to no entry]"
    assert translated("plain") == "plain"


def test_a_sentence_comes_back_from_another_process() -> None:
    sentence = pickle.loads(pickle.dumps(Sentence("{a} of {b}", a=1, b="x")))
    assert (sentence, sentence.template, sentence.values) == ("1 of x", "{a} of {b}", {"a": 1, "b": "x"})
