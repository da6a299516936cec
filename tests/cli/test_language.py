"""The shell speaks the language of the system; what programs read stays English."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from tests.cli.console import MODELS, Capture, failure, success
from viewer import translation
from viewer.cli.main import main

CYRILLIC = re.compile(r"[\u0430-\u044f\u0451]{3}")


@pytest.fixture(autouse=True)
def _russian(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("LC_ALL", "ru_RU.UTF-8")
    monkeypatch.delenv("LANGUAGE")
    yield
    translation.use(None)


def test_help_and_the_manual_page(capsys: Capture) -> None:
    out, _ = success(capsys, "ls", "--help")
    assert "использование: mshview ls" in out
    assert "показать то, что цело" in out  # an option that verbs share
    assert "перечислить архив" in out  # an example
    assert "default" not in success(capsys, "find", "--help")[0]
    page, _ = success(capsys, "man")
    assert '.SH "КОД ЗАВЕРШЕНИЯ"' in page
    assert '.SH "EXIT STATUS"' not in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["inspect"], "inspect: не хватает аргументов: PATH[::ENTRY]; см. «mshview inspect --help»"),
        (["ls", "--zz"], "ls: параметра --zz нет; см. «mshview ls --help»"),
        (["ls", "nosuch"], "nosuch: не читается: нет такого файла или папки"),
        (["ls", f"{MODELS}::*.no"], f"{MODELS}: ни одна запись не подходит к '*.no'"),
    ],
)
def test_errors(arguments: list[str], message: str, capsys: Capture) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err == f"mshview: ошибка: {message}\n"


def test_tables_have_headings_in_russian_but_for_fields_of_formats(capsys: Capture) -> None:
    walker = f"{MODELS}::walker.msh"
    heading = success(capsys, "ls", MODELS)[0].split()
    assert heading[:6] == ["индекс", "имя", "тип", "формат", "размер", "смещение"]
    assert success(capsys, "inspect", walker, "--table", "nodes")[0].startswith("index  name ")
    spot = success(capsys, "inspect", walker, "--at", "nodes[1].parent")[0]
    values = dict(line.split(maxsplit=1) for line in spot.splitlines())
    assert (values["значение"], values["достоверность"]) == ("0", "доказано")
    out, _ = success(capsys, "materials", walker)
    assert re.search(r"GLASS +имя +альфа ", out)
    assert " нет" in success(capsys, "draws", walker)[0]
    assert "рыскание" in success(capsys, "clips", walker)[0]
    assert "напечатать строки" in success(capsys, "inspect", "--help")[0].replace("\n", " ")


def test_what_programs_read_is_english(capsys: Capture) -> None:
    assert "such file" in failure(capsys, "ls", "nosuch", "--json")
    out, _ = success(capsys, "validate", MODELS, "--json")
    assert json.loads(out)["summary"]["files"] > 1
    assert not CYRILLIC.search(out)
    out, _ = success(capsys, "materials", f"{MODELS}::walker.msh", "--format", "csv")
    assert not CYRILLIC.search(out)


def test_a_language_without_a_catalogue_is_english(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert "such file" in failure(capsys, "ls", "nosuch")
