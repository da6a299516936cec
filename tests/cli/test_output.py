"""Where output goes decides how wide it may be; tables for people."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.builders import archive_of
from tests.cli.console import ROOT, Capture
from tests.conftest import Start
from viewer.cli import output, terminal
from viewer.cli.main import main
from viewer.cli.output import ProgressLine
from viewer.cli.terminal import Style, Styled, json_printable, printable, rendered
from viewer.cli.text_table import ALIGNED, ROWS_AT_ONCE, cell, document_lines, fitted_lines, lines
from viewer.cli.usage.verbs import FAILED, READER_LEFT
from viewer.model.kinds.columns import Columns, MadeColumn, MixedRows
from viewer.model.store.file_store import AT_ONCE, PIECE, FileStore
from viewer.progress import working

ASKS = "import sys; from viewer.cli.output import line_width; sys.stderr.write(str(line_width()))"


def line_width(stdout: int) -> str:
    """What a process with this standard output takes for the width of a line."""
    done = subprocess.run(
        [sys.executable, "-c", ASKS], cwd=ROOT, stdout=stdout, stderr=subprocess.PIPE, text=True, check=True
    )
    return done.stderr


def test_a_pipe_has_no_width() -> None:
    assert line_width(subprocess.PIPE) == "None"


def test_a_terminal_has_its_own_width() -> None:
    termios = pytest.importorskip("termios")
    ours, theirs = os.openpty()
    try:
        termios.tcsetwinsize(theirs, (24, 132))
        assert line_width(theirs) == "132"
        termios.tcsetwinsize(theirs, (0, 0))
        assert line_width(theirs) == "None", "a terminal that does not know its size"
    finally:
        os.close(ours)
        os.close(theirs)


def test_nothing_is_shown_where_nobody_watches(capsys: Capture) -> None:
    line = ProgressLine(3, "files")
    for _ in range(3):
        line.advance()
    with pytest.raises(KeyboardInterrupt), line:
        raise KeyboardInterrupt
    assert capsys.readouterr() == ("", "")


def test_the_bytes_of_a_large_file_are_not_counted_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []
    monkeypatch.setattr(ProgressLine, "advance", lambda _line, count=1: counts.append(count))
    size = AT_ONCE + PIECE
    (tmp_path / "large").write_bytes(bytes(size))
    with output.ShownProgress("bytes") as progress, working(progress):
        FileStore().file(tmp_path / "large")
    assert sum(counts) == size
    assert len(counts) <= size // PIECE + 1


def test_a_terminal_shows_how_far_it_is(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(sys.stderr, "fileno", lambda: 2)
    monkeypatch.setattr(terminal, "_console", lambda _: True)  # of Windows
    monkeypatch.setattr(time, "monotonic", lambda: now)
    line = ProgressLine(20, "files")
    for _ in range(20):
        now += output.INTERVAL / 4.5
        line.advance()
    shown = capsys.readouterr().err.split("\r")
    assert shown == [
        "",
        "5 of 20 files\x1b[K",
        "10 of 20 files\x1b[K",
        "15 of 20 files\x1b[K",
        "20 of 20 files\x1b[K",
    ]
    with pytest.raises(KeyboardInterrupt), line:
        raise KeyboardInterrupt
    assert capsys.readouterr() == ("", "\r\x1b[Kinterrupted after 20 of 20 files\n")


COLOR = re.compile(r"\x1b\[[\d;]*m")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("walker.msh", "walker.msh"),
        ("Танк и ёж", "Танк и ёж"),
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\rb\nc\td", "a\\rb\\nc\\td"),
        ("\x9b31m\x7f", "\\x9b31m\\x7f"),
        ("a\u202egpj.exe", "a\\u202egpj.exe"),
        ("\u2066\u200b\ufeff\u00ad\u2028\u3164\ufe0f", "\\u2066\\u200b\\ufeff\\xad\\u2028\\u3164\\ufe0f"),
        ("\U000e0041\U000e0100\ud800", "\\U000e0041\\U000e0100\\ud800"),
    ],
)
def test_what_cannot_be_seen_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert printable(shown) == shown


@pytest.mark.parametrize("text", ["a\u202eb", "\x9b", "\U000e0041", "plain \u0416", "\ud800"])
def test_json_is_exact(text: str) -> None:
    piece = json_printable(json.dumps([text], ensure_ascii=False))
    assert json.loads(piece) == [text]
    assert printable(piece) == piece


def test_each_letter_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long text of evil names takes no longer than its letters."""
    looked: list[str] = []
    is_safe = terminal.is_safe

    def look(text: str) -> bool:
        looked.append(text)
        return is_safe(text)

    monkeypatch.setattr(terminal, "is_safe", look)
    text = "a\u202eb" * 1000
    assert printable(text) == "a\\u202eb" * 1000
    assert sorted(looked) == sorted([text, *set(text)])


def test_a_style_is_around_its_part_only() -> None:
    line = "  " + Styled("err\x1bor", Style.ERROR, "- ", " in\r a.msh")
    assert str(line) == "  - err\x1bor in\r a.msh"
    assert rendered(line, has_color=False) == "  - err\\x1bor in\\r a.msh"
    assert rendered(line, has_color=True) == "  - \x1b[1;31merr\\x1bor\x1b[0m in\\r a.msh"


class TerminalText(StringIO):
    """Text that is written as if to a terminal."""

    def isatty(self) -> bool:
        """It looks like one."""
        return True


def written_to(stream: StringIO, arguments: list[str], environment: Mapping[str, str]) -> str:
    """What a stream gets that is both outputs of a run."""
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(stream), redirect_stderr(stream):
        patch.delenv("NO_COLOR", raising=False)
        for name, value in {"TERM": "xterm", **environment}.items():
            patch.setenv(name, value)
        main(arguments)
    return stream.getvalue()


def printed_on_a_terminal(start: Start, arguments: list[str]) -> bytes:
    """What a terminal gets of both streams."""
    ours, theirs = os.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment["TERM"] = "xterm"
    shown = b""
    start(
        [sys.executable, "-m", "viewer", *arguments], cwd=ROOT, env=environment, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    with suppress(OSError):  # the other end is closed
        while data := os.read(ours, 4096):
            shown += data
    os.close(ours)
    return shown


@pytest.fixture
def damaged(tmp_path: Path) -> tuple[Path, Path]:
    files = tmp_path / "a.rlb", tmp_path / "b.rlb"
    for file, count in zip(files, (b"3", b"4"), strict=True):
        file.write_bytes(archive_of({"a.wea": count + b"\r\n0 MAT\r\n"}))
    return files


@pytest.mark.skipif(os.name != "posix", reason="other systems get no color")
@pytest.mark.parametrize(
    "arguments",
    [
        ["ls", "{a}"],
        ["validate", "{a}"],
        ["diff", "{a}", "{b}"],
        ["inspect", "{a}::a.wea"],
        ["ls", "missing"],
        ["help", "ls"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_color_is_for_terminals_that_want_it(damaged: tuple[Path, Path], arguments: list[str]) -> None:
    filled = [argument.format(a=damaged[0], b=damaged[1]) for argument in arguments]
    assert COLOR.search(written_to(TerminalText(), filled, {}))
    assert COLOR.search(written_to(TerminalText(), filled, {"NO_COLOR": ""}))
    assert not COLOR.search(written_to(TerminalText(), filled, {"NO_COLOR": "1"}))
    assert "\x1b" not in written_to(TerminalText(), filled, {"TERM": "dumb"})
    assert "\x1b" not in written_to(StringIO(), filled, {})


@pytest.mark.parametrize("number", [errno.EPIPE, errno.EINVAL])
def test_a_reader_that_has_left_is_not_an_error(
    damaged: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """``| more`` and q: the C library of Windows says that the argument is invalid."""

    class Left(StringIO):
        def flush(self) -> None:
            raise OSError(number, os.strerror(number))

    monkeypatch.setattr(output, "IS_WINDOWS", True)
    monkeypatch.setattr(sys, "stdout", Left())
    errors = StringIO()
    monkeypatch.setattr(sys, "stderr", errors)
    assert main(["ls", str(damaged[0])]) == READER_LEFT
    assert errors.getvalue() == ""
    monkeypatch.setattr(output, "IS_WINDOWS", False)
    status = main(["ls", str(damaged[0])])
    assert status == (READER_LEFT if number == errno.EPIPE else FAILED)


@pytest.mark.parametrize("code_page", ["cp866", "cp1251"])
def test_both_streams_are_utf8_on_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code_page: str
) -> None:
    """Into one file with ``> log.txt 2>&1``, whatever the code pages of the system and of the console are."""
    (tmp_path / "танк.rlb").write_bytes(archive_of({"ЗЕНИТКА.MSH": b"x"}))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(output, "IS_WINDOWS", True)
    written = {name: BytesIO() for name in ("stdout", "stderr")}
    for name, stream in written.items():
        monkeypatch.setattr(sys, name, TextIOWrapper(stream, encoding=code_page))
    main(["ls", "танк.rlb"])
    main(["ls", "зенитка.rlb"])
    sys.stderr.flush()
    out, errors = (stream.getvalue() for stream in written.values())
    assert "ЗЕНИТКА.MSH".encode() in out
    assert errors.startswith("mshview: error: зенитка.rlb: ".encode())


@pytest.mark.parametrize(
    ("is_console", "takes", "expected"),
    [(0, 1, (False, False)), (1, 0, (True, False)), (1, 1, (True, True))],
    ids=["NUL", "before Windows 10", "Windows 10"],
)  # fmt: skip
def test_a_console_of_windows_is_asked_to_understand_sequences(
    monkeypatch: pytest.MonkeyPatch, is_console: int, takes: int, expected: tuple[bool, bool]
) -> None:
    """By its modes, 3 of which it has had, and 4 is that for sequences; the calls are those of the system."""
    given = []

    def get_mode(_console: object, mode: Any) -> int:
        mode._obj.value = 3
        return is_console

    def set_mode(_console: object, mode: int) -> int:
        given.append(mode)
        return takes

    system = SimpleNamespace(GetConsoleMode=get_mode, SetConsoleMode=set_mode)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(kernel32=system), raising=False)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(get_osfhandle=lambda number: number))
    terminal._console.cache_clear()
    with TerminalText() as stream:
        monkeypatch.setattr(stream, "fileno", lambda: 1)
        assert (terminal.is_terminal(stream), terminal.takes_sequences(stream)) == expected
    terminal._console.cache_clear()
    assert given == [7] * is_console


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal")
def test_a_terminal_of_the_system_is_one(start: Start) -> None:
    for arguments in (["ls", "missing"], ["help", "ls"]):
        assert COLOR.search(printed_on_a_terminal(start, arguments).decode())
        piped = subprocess.run(
            [sys.executable, "-m", "viewer", *arguments], cwd=ROOT, capture_output=True, check=False
        )
        assert b"\x1b" not in piped.stdout + piped.stderr


def test_numbers_align_right_and_texts_left() -> None:
    rows = Columns(2, {"name": ["a", "bcd"], "size": np.array([7, 1234]), "at": None})
    assert list(lines(rows)) == ["name  size  at", "a        7   -", "bcd   1234   -"]


def test_cut_table_counts_the_rest() -> None:
    assert list(lines(Columns(5, {"n": np.arange(5)}), 2)) == ["n", "0", "1", "... 3 more"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (True, "yes"),
        (0.1, "0.1"),
        (np.array([1.5, 2.0], np.float32), "1.5 2"),
        ([[1, None], [2, 3]], "1 - | 2 3"),
        ({"a": 1, "b": [1, 2]}, "a 1, b 1 2"),
        ("tab\there", "tab\\there"),
    ],
)
def test_cells(value: object, text: str) -> None:
    assert cell(value) == text


def test_rows_have_every_field() -> None:
    rows = [{"a": 1}, {"b": 2}, {"c": 3}]
    assert list(lines(rows, 2)) == ["a  b  c", "1  -  -", "-  2  -", "... 1 more"]


def test_rows_of_several_kinds() -> None:
    parts = [
        Columns(1, {"kind": ["one"], "a": np.array([1])}),
        Columns(1, {"kind": ["two"], "b": [2.5], "name": ["x"]}),
    ]
    assert list(document_lines({"rows": MixedRows(np.array([1, 0]), parts)}, 1))[1:] == [
        "rows (2)",
        "  kind         fields",
        "  two   name x, b 2.5",
        "  ... 1 more",
    ]


def test_a_long_table_has_one_heading_and_widens_where_it_has_to() -> None:
    numbers = np.zeros(ROWS_AT_ONCE + 1, int)
    numbers[-1] = 1234
    printed = list(lines(Columns(len(numbers), {"n": numbers, "m": numbers})))
    assert printed[:2] == ["n  m", "0  0"]
    assert printed[-2:] == ["0  0", "1234  1234"]
    assert len(printed) == len(numbers) + 1


def test_document_puts_tables_behind_values() -> None:
    document = {"rows": [{"a": 1}], "name": "x", "none": []}
    assert list(document_lines(document)) == ["name  x", "", "rows (1)", "  a", "  1", "", "none (0)"]


def test_many_vectors_of_a_document_are_a_line_each() -> None:
    """A font has 256 glyphs, which were one line of 2,571 letters."""
    glyphs = [[number, 0] for number in range(17)]
    found = list(document_lines({"glyphs": glyphs, "corners": glyphs[:2]}))
    assert found == ["corners  0 0 | 1 0", "", "glyphs (17)", *(f"  {it}  {it} 0" for it in range(17))]
    assert list(document_lines({"glyphs": glyphs}, 2)) == [
        "",
        "glyphs (17)",
        "  0  0 0",
        "  1  1 0",
        "  ... 15 more",
    ]


def test_what_goes_to_no_terminal_is_never_cut() -> None:
    rows = Columns(2, {"text": ["x" * 1000, "y"], "list": [[*range(1000)], None]})
    heading, row, short = lines(rows)
    assert heading.startswith("text ")
    assert row == "x" * 1000 + "  " + " ".join(map(str, range(1000)))
    assert len(short) == 2 * ALIGNED + 2, "a long cell does not fill the other rows"


@pytest.fixture
def narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("viewer.cli.output.line_width", lambda: 50)


@pytest.mark.usefixtures("narrow_terminal")
def test_on_a_terminal_a_cell_is_no_longer_than_a_line() -> None:
    _, cut, whole = lines(Columns(2, {"text": ["x" * 51, "y" * 50]}))
    assert (cut, whole) == ("x" * 49 + "…", "y" * 50)


@pytest.mark.usefixtures("narrow_terminal")
def test_of_a_long_list_only_what_is_shown_is_looked_at() -> None:
    looked_at: list[int] = []

    def make(value: int) -> int:
        looked_at.append(value)
        return value

    _, row = lines([{"list": MadeColumn(range(1_000_000), make)}])
    assert (len(row), row[-1], max(looked_at)) == (50, "…", 49)


def test_what_is_left_out_is_named_within_the_width_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("viewer.cli.output.line_width", lambda: 30)
    names = [f"attr{it}" for it in range(4)]
    rows = Columns(1, {"index": [0], "name": ["walker.msh"], **{it: ["x" * 20] for it in names}})
    found = [*map(str, fitted_lines(rows, names))]
    assert max(map(len, found)) <= 30
    assert " ".join(found[2:]) == "left out here, but not in a file: attr0, attr1, attr2, attr3"
