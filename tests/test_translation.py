"""Text is looked up when it is shown."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from gettext import NullTranslations

import pytest

from tests.ui.languages import Bracketed
from viewer import translation
from viewer.errors import FormatError, error_text
from viewer.formats.msh.batches import BATCH
from viewer.formats.record import Rows
from viewer.model.checks.materials import selected_rows
from viewer.model.mesh.reading import MaterialField
from viewer.resources import use_language
from viewer.translation import Text, _, counted, ngettext, quoted, remembered, translated
from viewer.ui.widgets.cached import Cached


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
    message = _("LOD {lod}", lod=2)
    assert str(message) == "LOD 2"
    translation.use(Bracketed())
    assert str(message) == "[LOD 2]"
    translation.use(None)
    assert str(message) == "LOD 2"


def test_texts_that_are_kept_follow_the_language_and_what_they_are_made_of() -> None:
    made: list[int] = []

    def words(count: int) -> str:
        made.append(count)
        return str(_("{count} nodes", count=count))

    function, kept = remembered(words), Cached(words)
    for shown in (function, lambda count: kept.of((count,), count)):
        made.clear()
        assert [shown(1), shown(1), shown(2)] == ["1 nodes", "1 nodes", "2 nodes"]
        assert made == [1, 2], "made once for each"
        translation.use(Bracketed())
        assert shown(2) == "[2 nodes]"
        translation.use(None)
        assert shown(2) == "2 nodes"


def test_a_message_may_be_a_value_of_another() -> None:
    translation.use(Bracketed())
    assert str(_("{what} saved", what=_("texture"))) == "[[texture] saved]"


def test_a_message_is_in_the_language_of_its_making_and_shown_in_that_of_now() -> None:
    english = _("{count} bytes belong to no entry", count=3)
    translation.use(Bracketed())
    assert english == "3 bytes belong to no entry"
    assert translated(english) == f"{english}" == "[3 bytes belong to no entry]"
    bracketed = _("{count} bytes belong to no entry", count=3)
    assert bracketed == "[3 bytes belong to no entry]"
    translation.use(None)
    assert translated(bracketed) == "3 bytes belong to no entry"


def test_a_counted_message_follows_the_language_in_its_form() -> None:
    words = [counted(count, "{count} row", "{count} rows") for count in (1, 3, 5)]
    assert words == ["1 row", "3 rows", "5 rows"]
    use_language("ru")
    assert [translated(it) for it in words] == ["1 строка", "3 строки", "5 строк"]
    assert _("{many} left", many=words[1]).format() != "3 rows left"
    assert [str(pickle.loads(pickle.dumps(it))) for it in words] == [*map(str, words)]
    translation.use(None)
    assert [*map(str, words)] == ["1 row", "3 rows", "5 rows"]


def test_a_message_is_filled_only_if_it_has_values() -> None:
    assert _("{count} rows") == "{count} rows"
    assert _("{count} rows").format(count=2) == _("{count} rows", count=2) == "2 rows"


def test_a_message_without_values_is_its_own_template() -> None:
    translation.use(Bracketed())
    assert [translated("plain"), translated("")] == ["[plain]", ""]
    assert translated(Text.of("{plain")) == "[{plain]"


def test_a_message_among_the_values_of_another_is_translated() -> None:
    translation.use(Bracketed())
    inner = _("{count} bytes", count=3)
    assert translated(_("{name}: {text}", name="a", text=inner)) == "[a: [3 bytes]]"


def test_a_catalogue_translates_a_diagnostic_with_its_values() -> None:
    table = selected_rows(_batches(5, 2), MaterialField.SEED, 3)
    translation.use(_Catalogue({"row {row} of {count} in the wear table": "in der Tabelle: {row}/{count}"}))
    assert [item.message for item in table] == ["row 5 of 3 in the wear table"]
    assert [translated(item.text) for item in table] == ["batches[0].material: in der Tabelle: 5/3"]


def test_a_catalogue_translates_an_error_behind_its_place() -> None:
    error = FormatError("is no number", table="header", field="size", source="a.msh")
    assert error.text == str(error) == "a.msh: header.size: is no number"
    translation.use(_Catalogue({"is no number": "ist keine Zahl"}))
    assert translated(error.text) == error_text(error) == "a.msh: header.size: ist keine Zahl"
    assert error_text(ValueError("is no number")) == "an unexpected value"


class _Catalogue(NullTranslations):
    """A language that has these texts alone."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        super().__init__()
        self._texts = texts

    def gettext(self, message: str) -> str:
        """Return the translation, the text itself if there is none."""
        return self._texts.get(message, message)


def _batches(*materials: int) -> Rows:
    rows = BATCH.new(len(materials))
    rows["material"] = materials
    return rows


def test_a_message_comes_back_from_another_process() -> None:
    message = pickle.loads(pickle.dumps(_("{a} of {b}", a=1, b="x")))
    assert (message, message.template, message.values) == ("1 of x", "{a} of {b}", {"a": 1, "b": "x"})


@pytest.mark.parametrize("value", ["x" * 1_000_000, b"x" * 1_000_000, ["x"] * 1_000_000])
def test_a_long_value_is_cut_where_it_is_quoted(value: object) -> None:
    assert len(_("the name {name!r} is too long", name=value)) < 6000
    assert _("{name!r}", name="x" * 1000) == repr("x" * 1000)
    assert str(value) in _("all of {name}", name=value)


def test_a_deep_value_is_cut_where_it_is_quoted() -> None:
    deep: list[object] = []
    for _ignored in range(5000):
        deep = [deep]
    assert quoted(deep) == "[[[...]]]"
    assert quoted({"a": {"b": [{}]}}) == "{'a': {'b': [...]}}"
