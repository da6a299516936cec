"""Messages are in words of this program or of the system, never in those of Python."""

from __future__ import annotations

import ast
import errno
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from tests.sources import parse, sources
from tests.systems import IS_WINDOWS
from viewer import errors
from viewer.diagnostics import FEW, Remark, remarks_of
from viewer.errors import FormatError, error_text, reason_of, shown
from viewer.translation import LONGEST_QUOTE, _, quoted

SPEAKING: Final = {
    "viewer/control/editing/console.py": "a script of the user",
    "viewer/app/platform/sound_player.py": "the driver of the sound card",
    "viewer/app/platform/window.py": "the driver of the graphics card",
    "viewer/cli/picturing/open.py": "the loader of the libraries of the system",
    "viewer/cli/usage/configuration.py": "the reader of TOML, with line and column",
    "viewer/cli/bench/windows.py": "the loader of the libraries of the system",
    "viewer/formats/text.py": "the letter that is missing, no sentence",
    "viewer/operations/checking/selfcheck.py": "the check of an installation, which is sent with a report",
    "viewer/render/offscreen.py": "the driver of the graphics card",
}
"""Modules that repeat what an error says, and who speaks in it."""
OWN: Final = {name for name, it in vars(errors).items() if isinstance(it, type)} | {
    "ArgumentError",
    "DisplayError",
    "DrawingTimeError",
    "GraphicsError",
    "JsonFault",
    "ReferencedError",
    "RepeatedKeyError",
    "moderngl.Error",
}
"""Errors whose text is one of this program, or of the driver of the graphics card."""
SPELLS: Final = {"str", "repr", "format", "of", "Text", "translated", "shown", "quoted"}
"""Functions that make text of what they are given."""


def spelled_errors(name: str) -> Iterator[int]:
    """Yield the lines of a module in which an error that may be one of Python becomes a text."""
    for handler in ast.walk(parse(name)):
        if not isinstance(handler, ast.ExceptHandler) or handler.name is None:
            continue
        listed = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        if all(it is not None and ast.unparse(it) in OWN for it in listed):
            continue
        for parent in ast.walk(handler):
            for child in ast.iter_child_nodes(parent):
                if isinstance(child, ast.Name) and child.id == handler.name and _spells(parent):
                    yield child.lineno


def _spells(parent: ast.AST) -> bool:
    if isinstance(parent, ast.Call):
        return getattr(parent.func, "attr", getattr(parent.func, "id", "")) in SPELLS
    is_part = isinstance(parent, ast.FormattedValue | ast.keyword)
    return is_part or (isinstance(parent, ast.Attribute) and parent.attr == "args")


def test_no_error_of_python_becomes_a_text() -> None:
    found = {name: [*spelled_errors(name)] for name in sources("viewer", "mshview")}
    assert {name: lines for name, lines in found.items() if lines and name not in SPEAKING} == {}
    assert {name for name in SPEAKING if not found[name]} == set()


def _raised(call: Callable[[], Any]) -> BaseException:
    with pytest.raises(Exception) as caught:  # noqa: PT011 whatever it raises
        call()
    return caught.value


def _deep() -> None:
    _deep()


def _two(first: int, second: int) -> None:
    del first, second


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: _two(*[1, 2, 3]), "an unexpected value"),
        (lambda: int("hell"), "an unexpected value"),
        (lambda: dict[str, int]()["hell"], "something is missing"),
        (lambda: [*""][1], "something is missing"),
        (lambda: int(float("inf")), "a number is too large"),
        (lambda: b"ab\xff".decode("utf-8"), "byte 2 is not UTF-8"),
        (lambda: json.loads('{"a":\n oops}'), "line 2, column 2: expecting value"),
        (lambda: open("a\0b"), f"embedded null {'character' if IS_WINDOWS else 'byte'}"),  # noqa: SIM115, PTH123
        (_deep, "nested too deeply"),
    ],
)
def test_reasons_are_words_of_this_program(call: Callable[[], Any], words: str) -> None:
    assert reason_of(_raised(call)) == error_text(_raised(call)) == words


def test_reasons_keep_what_the_program_and_the_system_say() -> None:
    assert reason_of(ValueError(_("{count} rows", count=3))) == "3 rows"
    assert reason_of(FormatError("is cut off", table="nodes", index=3)) == "nodes[3]: is cut off"
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "a.msh")
    assert reason_of(full) == "No space left on device"
    assert error_text(full) == "a.msh: No space left on device"


def test_common_errors_of_windows_are_not_in_the_language_of_windows() -> None:
    missing: Any = FileNotFoundError(errno.ENOENT, "Datei nicht gefunden")
    missing.winerror = 2
    assert reason_of(missing) == "No such file or directory"
    missing.winerror = 53  # C has one word for many
    assert reason_of(missing) == "Datei nicht gefunden"


def test_a_path_that_windows_takes_for_missing_as_it_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without long paths it says that there is no such file; the length counts from the drive on."""

    def reason(characters: int, *, takes_long_paths: bool) -> str:
        name = "x" * (characters - len(str(Path.cwd())) - 1)
        monkeypatch.setattr(errors, "takes_long_paths", lambda: takes_long_paths)
        return reason_of(FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name))

    words = "its path has 260 characters; Windows takes 259, or more if LongPathsEnabled is set"
    assert reason(260, takes_long_paths=False) == words
    assert reason(259, takes_long_paths=False) == "No such file or directory"
    assert reason(300, takes_long_paths=True) == "No such file or directory"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (b"hell", "'hell'"),
        (b"NRes\x01", "4e 52 65 73 01"),
        (memoryview(b"\xff"), "ff"),
        (None, "null"),
        ([True, 1.5, "x"], "[true, 1.5, 'x']"),
        ({"a": [None]}, "{'a': [null]}"),
        (np.float32(0.5), "0.5"),
        (np.int64(-3), "-3"),
        (object(), "object"),
        ("x" * (LONGEST_QUOTE + 1), f"'{'x' * LONGEST_QUOTE}'..."),
        (bytes(LONGEST_QUOTE + 1), " ".join(["00"] * LONGEST_QUOTE) + "..."),
    ],
)
def test_values_are_quoted_as_in_json(value: Any, words: str) -> None:
    assert quoted(value) == _("{value!r}", value=value) == words
    assert shown(value) == (words if len(words) <= 40 else words[:37] + "...")


def test_many_sentences_of_one_kind_are_one_remark_with_each_of_them() -> None:
    """The kind is the template, and those of the messages in it; the order is that of the first of each."""
    left = [
        _("material {name}: its {what} is left out", name=f"M{it}", what=_("color")) for it in range(FEW + 3)
    ]
    other = _("material {name}: its {what} is left out", name="M0", what=_("image"))
    plain = ["one", "two", "three", "four", "five"]
    found = [*remarks_of([left[0], other, *left[1:], *plain])]
    words = f"material M0: its color is left out, and {FEW + 2} more like it"
    assert found == [Remark(words, tuple(left)), Remark(other), *map(Remark, plain)]
    assert [*remarks_of(left[:FEW])] == [*map(Remark, left[:FEW])]


def test_what_a_sentence_counts_are_its_details() -> None:
    counted = _("kept: {nodes}", nodes=_("{count} nodes", count=2, names=("gun", "hull")))
    assert counted == "kept: 2 nodes"
    assert [*remarks_of([counted])] == [Remark(counted, ("gun", "hull"))]


def test_a_long_message_keeps_its_start_and_the_reason_at_its_end() -> None:
    told = FormatError("x" * 1_000_000 + ": the clips are 0 to 6").message
    assert len(told) <= errors.MOST_WORDS
    assert told.startswith("xxx")
    assert told.endswith("xxx: the clips are 0 to 6")
