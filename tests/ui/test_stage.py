"""The lines of an effect's commands.

The heading of an opened resource, and its pages.

The lines of a text, wrapped.

The references of an object.
"""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.broken import sound_game
from tests.game_folders import resource_at
from tests.ui.languages import Bracketed
from viewer import translation
from viewer.app.images.stages import StagePictures
from viewer.formats import fxid
from viewer.formats.fxid import COMMAND_KINDS
from viewer.model.kinds.columns import order_of_parts
from viewer.model.store.address import Address
from viewer.model.store.place import BYTES, Place
from viewer.session.opened.opened_resource import OpenedResource
from viewer.ui.stage.command_view import is_on_top, numbers_text, time_text
from viewer.ui.stage.resource_view import _pages, subtitle
from viewer.ui.stage.text_view import LONGEST, line_at, lines_of, wrapped_line
from viewer.ui.stage.units.unit_view import presumed_kind
from viewer.ui.viewport.stage_view import StageView
from viewer.ui.viewport.viewport import Viewport

STAGE = StageView(Viewport(StagePictures.__new__(StagePictures), lambda *_ignored: None), lambda: None)
"""Draws nothing."""


@pytest.mark.parametrize("opcode", [1, 2, 3, 4, 5, 7, 8, 9, 10])
def test_a_command_is_active_between_two_times(opcode: int) -> None:
    kind = COMMAND_KINDS[opcode]
    row = kind.record.new()[0]
    row["window_start"], row["window_end"] = 0.25, 1234.5678
    assert time_text(kind, row) == "0.25 to 1235"


@pytest.mark.parametrize(("word", "expected"), [(0x103, True), (0x003, False), (0xFFFF0203, False)])
def test_a_bit_of_the_word_draws_a_command_on_top(word: int, expected: bool) -> None:
    row = COMMAND_KINDS[3].record.new()[0]
    row["word"] = word
    assert is_on_top(row) == expected


def test_a_point_has_no_time() -> None:
    kind = COMMAND_KINDS[6]
    assert time_text(kind, kind.record.new()[0]) == ""


def test_the_main_numbers_are_those_that_tell_commands_of_a_kind_apart() -> None:
    rows = COMMAND_KINDS[3].record.new(2)
    rows["word"], rows["fade_end"] = 3, (0.5, 1 / 3)
    effect = fxid.decode(struct.pack("<I56x", 2) + rows.tobytes())
    orders = order_of_parts(fxid.parts(effect).children[1].children)
    assert numbers_text(COMMAND_KINDS[3], orders, rows[1]).startswith("fade_end 0.3333   ")


@pytest.mark.parametrize(
    ("kind", "text"),
    [("wear", "wear table, 27 B"), ("control", "controller, 27 B"), ("77", "77, 27 B")],
)
def test_a_kind_is_named_by_its_title(kind: str, text: str) -> None:
    assert subtitle(OpenedResource(Address.parse("a"), kind, memoryview(bytes(27)))) == text


def test_the_title_is_translated() -> None:
    translation.use(Bracketed())
    try:
        assert subtitle(OpenedResource(Address.parse("a"), "wear", memoryview(bytes(27)))).startswith(
            "[wear table], "
        )
    finally:
        translation.use(None)


@pytest.mark.parametrize(
    ("kind", "words", "text"),
    [("0", "some text", "text, 9 B"), ("0", None, "unknown format, 9 B"), ("wear", "1", "wear table, 9 B")],
)
def test_what_has_no_kind_is_text_or_unknown(kind: str, words: str | None, text: str) -> None:
    assert subtitle(OpenedResource(Address.parse("a"), kind, memoryview(bytes(9)), text=words)) == text


@pytest.mark.parametrize(
    ("address", "pages"),
    [
        ("effects.rlb::blast", ["commands", "fields", "bytes", "users"]),
        ("Material.lib::DEFAULT", ["material", "fields", "bytes", "users"]),
        ("static.rlb::tree.wea", ["wear", "fields", "text", "bytes", "users"]),
        ("objects.rlb::oak", ["references", "fields", "bytes", "users"]),
        ("UNITS/tree.dat", ["components", "sheet", "fields", "bytes", "users"]),
        ("static.rlb::tree.ndp", ["fields", "bytes", "users"]),
        ("Textures.lib::STONE.0", ["image", "fields", "bytes", "users"]),
        ("objects.rlb", ["entries", "overview", "fields", "bytes", "users"]),
        ("readme.txt", ["text", "bytes", "users"]),
    ],
)
def test_every_kind_begins_with_what_it_is(tmp_path: Path, address: str, pages: list[str]) -> None:
    game = sound_game.write(tmp_path)
    (game / "readme.txt").write_bytes(b"text")
    opened = resource_at(Address.parse(f"{game}/{address}"), game)
    assert [page.id for page in _pages(opened, STAGE)] == pages


@pytest.mark.parametrize(("content", "page"), [(b"one\n" * 9, "text"), (bytes(range(99)), "bytes")])
def test_a_byte_of_what_has_no_parts_is_shown_in_its_text_or_its_bytes(
    tmp_path: Path, content: bytes, page: str
) -> None:
    (tmp_path / "unknown").write_bytes(content)
    opened = resource_at(Address(tmp_path / "unknown"))
    pages = [*_pages(opened, STAGE)]
    place = Place(opened.address, BYTES, 20)
    assert next(it.id for it in pages if it.reveal(opened, place)) == page
    assert not any(it.reveal(opened, replace(place, row=99)) for it in pages)


def test_a_payload_that_cannot_be_read_has_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.wea").write_bytes(b"\xff\xff\0")
    opened = resource_at(Address(tmp_path / "a.wea"))
    assert opened.problem
    assert [page.id for page in _pages(opened, STAGE)] == ["bytes", "users"]


def lines(words: str, room: float = 0.0) -> list[tuple[int | None, str]]:
    """The lines if every letter is one wide."""
    return [*lines_of(words, len, room)]


def test_lines_are_numbered_from_one_whatever_ends_them() -> None:
    assert lines("a\r\nb\n\nc\x1a") == [(1, "a"), (2, "b"), (3, ""), (4, "c")]


@pytest.mark.parametrize(("offset", "line"), [(0, 1), (2, 1), (3, 2), (4, 3), (99, 3)])
def test_a_letter_is_in_a_line(offset: int, line: int) -> None:
    assert line_at("a\r\n\nb", offset) == line


def test_a_line_is_cut_after_a_blank_and_goes_on_without_a_number() -> None:
    assert lines("one two three", 8) == [(1, "one two"), (None, "three")]


def test_a_word_that_is_too_long_is_cut_anywhere() -> None:
    assert lines("abcdefg", 3) == [(1, "abc"), (None, "def"), (None, "g")]


def test_a_room_of_less_than_a_letter_shows_one() -> None:
    assert lines("ab", 0.5) == [(1, "a"), (None, "b")]


def test_a_tab_is_four_blanks() -> None:
    assert lines("a\tb") == [(1, "a    b")]


def test_a_line_of_a_megabyte_is_cut_in_little_time() -> None:
    measured = 0

    def width_of(part: str) -> int:
        nonlocal measured
        measured += len(part)
        return len(part)

    words = "x" * (1 << 20)
    assert "".join(part for _, part in lines_of(words, width_of, 100)) == words
    assert measured < 100 * len(words)
    assert max(len(part) for _, part in lines_of(words, len, 0)) == LONGEST


@given(st.text(st.characters(codec="cp1251", exclude_categories=["C"]), max_size=60), st.integers(1, 9))
def test_nothing_but_blanks_at_the_ends_is_lost(line: str, room: int) -> None:
    pieces = wrapped_line(line, len, room)
    assert "".join(pieces).replace(" ", "") == line.replace(" ", "")
    assert all(len(piece) <= room for piece in pieces)


@pytest.mark.parametrize(
    ("name", "kind"), [("tree.msh", "msh"), ("TREE.WEA ", "wear"), ("boom.wav", "wav"), ("TREE", "")]
)
def test_the_suffix_tells_the_kind(name: str, kind: str) -> None:
    assert presumed_kind(name) == kind
