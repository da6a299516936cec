"""Catalogues of other languages: their forms, and that nothing in them breaks a message."""

from __future__ import annotations

import ast
import gettext
import io
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from tests.sources import viewer_modules
from viewer import translation
from viewer.resources import bundled_path, use_language
from viewer.ui.actions.actions import Action
from viewer.ui.windows.help_windows import keys_text

LANGUAGES = Path(__file__).parents[2] / "assets" / "languages"
SENTENCE = re.compile(r"[A-Za-z]{2,} [a-z]{2,}")
OTHER_WORDS = (
    "__main__.py",
    "app/program_info.py",  # a report that is read in English
    "cli/bench/",
    "cli/gallery/making.py",  # the page is English
    "cli/schemas/",
    "cli/usage/",  # examples and scripts of shells
    "formats/fxid.py",  # parts of explanations that are put together
    "model/convert/gltf/",  # what streams are called
    "model/edit/change.py",  # topics, which the window names itself
    "model/mesh/pose/pose_trace.py",  # as in JSON
    "operations/checking/bug_report.py",  # a report that is read in English
    "operations/layouts/",  # files for other programs, in English
    "operations/checking/private_names.py",  # names of folders of systems
    "operations/survey/",  # readings, as in the report
    "operations/checking/selfcheck",  # names of the vectors of the specification
    "session/edits/questions.py",
)
"""Modules with sentences that are not shown as texts."""
FIELDS = re.compile(r"\{[^{}]*\}|%[-+.\d]*[a-z]")


@pytest.fixture(scope="module")
def written() -> Catalog:
    return read_po(io.BytesIO((LANGUAGES / "ru.po").read_bytes()))


@pytest.fixture(scope="module")
def extracted() -> Catalog:
    """The texts of the sources."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(LANGUAGES))
        found: Catalog = import_module("make").extracted(viewer_modules())
    return found


@pytest.fixture(scope="module")
def russian() -> gettext.NullTranslations:
    with bundled_path("assets/languages/ru.mo").open("rb") as file:
        return gettext.GNUTranslations(file)


def test_the_compiled_catalogue_is_that_of_the_sources(
    written: Catalog, russian: gettext.NullTranslations
) -> None:
    """`make test` compiles it, `make texts` too."""
    stale = [it.id for it in written if it.id and forms_of(it)[0] != russian.gettext(key_of(it))]
    assert not stale


def test_no_message_sets_thousands_apart_by_commas(extracted: Catalog) -> None:
    """`count_text` does it: a comma begins the decimals in other languages."""
    assert not [it.id for it in extracted if ":,}" in key_of(it)]


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "узлов"),
        (1, "узел"),
        (2, "узла"),
        (4, "узла"),
        (5, "узлов"),
        (11, "узлов"),
        (21, "узел"),
        (112, "узлов"),
    ],
)
def test_plural_forms(russian: gettext.NullTranslations, count: int, words: str) -> None:
    assert russian.ngettext("{count} node", "{count} nodes", count) == f"{{count}} {words}"


def test_what_is_not_translated_is_english(russian: gettext.NullTranslations) -> None:
    assert russian.gettext("Undo") == "Отменить"
    assert russian.gettext("no such text") == "no such text"
    assert [russian.ngettext("one", "many", it) for it in (1, 2)] == ["one", "many"]


def test_every_language_has_a_catalogue() -> None:
    assert {path.stem for path in LANGUAGES.glob("*.po")} == {*translation.LANGUAGES} - {"en"}


def test_messages_keep_their_values(written: Catalog) -> None:
    """Each translated form has the values of the English one, and no others."""
    wrong = [
        (it.id, form)
        for it in written
        for form in forms_of(it)
        if it.id and {*FIELDS.findall(form)} - {"{count}"} != {*FIELDS.findall(key_of(it))} - {"{count}"}
    ]
    assert not wrong


def test_a_damaged_catalogue_leaves_english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bundled_path("assets/languages/ru.mo").read_bytes()
    damaged = tmp_path / "ru.mo"
    monkeypatch.setattr("viewer.resources.bundled_path", lambda _: damaged)
    for data in (b"", whole[:10], whole[:1000], b"text" + whole[4:], whole[:-1000]):
        damaged.write_bytes(data)
        use_language("ru")
        assert translation.translated("Undo") == "Undo"


@pytest.mark.parametrize(
    ("variables", "code"),
    [
        ({"LANG": "ru_RU.UTF-8"}, "ru"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "ru_UA.KOI8-U"}, "ru"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LC_MESSAGES": "ru", "LANG": "C"}, "ru"),
        ({"LANGUAGE": "de:ru", "LANG": "de_DE.UTF-8"}, "ru"),
        ({"LANGUAGE": "en", "LANG": "ru_RU.UTF-8"}, "en"),
        ({"LANGUAGE": "ru", "LANG": "C.UTF-8"}, "ru"),
        ({"LANGUAGE": "ru", "LANG": "C"}, "en"),
    ],
)
def test_the_language_of_the_system(
    variables: dict[str, str], code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert translation.language_of_system() == code


@pytest.mark.parametrize(
    ("listed", "code"),
    [
        ('(\n    "ru-RU",\n    "en-US"\n)\n', "ru"),
        ('(\n    "en-RU",\n    "ru-RU"\n)\n', "en"),
        ("(\n    ru\n)\n", "ru"),
        (None, "en"),
    ],
)
def test_the_language_of_macos_for_a_program_that_finder_started(
    listed: str | None, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No variable names one then: the first of the list that the user has made."""

    def read(command: list[str], **_: object) -> SimpleNamespace:
        assert command[-2:] == ["-g", "AppleLanguages"]
        if listed is None:
            raise FileNotFoundError
        return SimpleNamespace(stdout=listed)

    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(subprocess, "run", read)
    assert translation.language_of_system() == code


@pytest.mark.parametrize("language", ["en", "ru"])
def test_macos_has_another_name_for_the_key_for_commands(language: str) -> None:
    """Menus, lists of keys and sentences; values that a user has given stay as they are."""
    use_language(language)
    action = Action("file.open", translation._("Open…"), run=lambda _: None, keys="Ctrl+Shift+O Ctrl+P")
    words = "Nothing is open. Drop a file on the window, or press Ctrl+O."
    assert "Ctrl+O" in translation.translated(words)
    try:
        translation.call_ctrl("Cmd")
        assert action.first_keys == "Cmd+Shift+O"
        assert keys_text(action) == "Cmd+Shift+O  Cmd+P"
        assert "Cmd+O" in translation.translated(words)
        assert str(translation._("wrote {path}", path="Ctrl.msh")).endswith("Ctrl.msh")
    finally:
        translation.call_ctrl(translation.CTRL)
        use_language("en")
    assert action.first_keys == "Ctrl+Shift+O"


def test_every_text_is_translated_and_no_other(written: Catalog, extracted: Catalog) -> None:
    """`make texts` removes what no source has any more, and lists what is missing."""
    texts = {key_of(it) for it in extracted if it.id}
    assert [it.id for it in written if it.id and (it.fuzzy or not all(forms_of(it)))] == []
    assert {key_of(it) for it in written if it.id} == texts


def test_no_sentence_is_outside_of_the_catalogue(extracted: Catalog) -> None:
    """A text that is not marked as one, and so shown in English, is a sentence in a module of its own."""
    texts = {form for it in extracted for form in (it.id if isinstance(it.id, tuple) else (it.id,))}
    found = {
        name
        for name, module in viewer_modules()
        if any(sentence not in texts for sentence in sentences(module))
    }
    assert {name for name in found if not name.startswith(OTHER_WORDS)} == set()
    assert [name for name in OTHER_WORDS if not any(it.startswith(name) for it in found)] == []


def sentences(module: ast.Module) -> Iterator[str]:
    """Yield the constants in a module that are several words; not docstrings, f-strings, or wrong calls."""
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SENTENCE.search(node.value):
            yield node.value
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_wrong_call = isinstance(node, ast.Raise) and "ValueError" in ast.unparse(node)
        # What a JSON Schema says of a member is for programs, in English.
        is_of_schema = isinstance(node, ast.Call) and ast.unparse(node.func) == "described"
        if not (is_docstring or is_wrong_call or is_of_schema or isinstance(node, ast.JoinedStr)):
            waiting += ast.iter_child_nodes(node)


def key_of(message: Message) -> str:
    """The key of a text in a catalogue; that of a plural is its first form."""
    return message.id if isinstance(message.id, str) else message.id[0]


def forms_of(message: Message) -> tuple[str, ...]:
    """The translated forms of a text, one without plural."""
    forms = message.string
    return (forms,) if isinstance(forms, str) else tuple(str(it or "") for it in forms or ("",))
