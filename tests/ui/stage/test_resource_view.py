"""The heading of an opened resource, and its pages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests import sound_game
from tests.languages import Bracketed
from viewer import translation
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.place import BYTES, Place
from viewer.session.opened import opened_resource
from viewer.session.opened.opened_resource import OpenedResource
from viewer.ui.stage.resource_view import _pages, subtitle


@pytest.mark.parametrize(
    ("kind", "text"),
    [("wear", "wear table, 27 B"), ("control", "controller, 27 B"), ("77", "77, 27 B")],
)
def test_a_kind_is_named_by_its_title(kind: str, text: str) -> None:
    assert subtitle(OpenedResource("a", kind, memoryview(bytes(27)))) == text


def test_the_title_is_translated() -> None:
    translation.use(Bracketed())
    try:
        assert subtitle(OpenedResource("a", "wear", memoryview(bytes(27)))).startswith("[wear table], ")
    finally:
        translation.use(None)


@pytest.mark.parametrize(
    ("kind", "words", "text"),
    [("0", "some text", "text, 9 B"), ("0", None, "unknown format, 9 B"), ("wear", "1", "wear table, 9 B")],
)
def test_what_has_no_kind_is_text_or_unknown(kind: str, words: str | None, text: str) -> None:
    assert subtitle(OpenedResource("a", kind, memoryview(bytes(9)), text=words)) == text


@pytest.mark.parametrize(
    ("address", "pages"),
    [
        ("effects.rlb::blast", ["commands", "fields", "bytes", "users"]),
        ("Material.lib::DEFAULT", ["material", "fields", "bytes", "users"]),
        ("static.rlb::tree.wea", ["wear", "fields", "text", "bytes", "users"]),
        ("objects.rlb::oak", ["references", "fields", "bytes", "users"]),
        ("UNITS/tree.dat", ["components", "fields", "bytes", "users"]),
        ("static.rlb::tree.ndp", ["fields", "bytes", "users"]),
        ("Textures.lib::STONE.0", ["image", "fields", "bytes", "users"]),
        ("objects.rlb", ["entries", "fields", "bytes", "users"]),
        ("readme.txt", ["text", "bytes", "users"]),
    ],
)
def test_every_kind_begins_with_what_it_is(tmp_path: Path, address: str, pages: list[str]) -> None:
    game = sound_game.write(tmp_path)
    (game / "readme.txt").write_bytes(b"text")
    opened = opened_resource.read(FileStore(), Address.parse(f"{game}/{address}"), game)
    assert [page.id for page in _pages(opened)] == pages


@pytest.mark.parametrize(("content", "page"), [(b"one\n" * 9, "text"), (bytes(range(99)), "bytes")])
def test_a_byte_of_what_has_no_parts_is_shown_in_its_text_or_its_bytes(
    tmp_path: Path, content: bytes, page: str
) -> None:
    (tmp_path / "unknown").write_bytes(content)
    opened = opened_resource.read(FileStore(), Address(tmp_path / "unknown"))
    pages = [*_pages(opened)]
    place = Place(opened.address, BYTES, 20)
    assert next(it.id for it in pages if it.reveal(opened, place)) == page
    assert not any(it.reveal(opened, replace(place, row=99)) for it in pages)


def test_a_payload_that_cannot_be_read_has_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.wea").write_bytes(b"\xff\xff\0")
    opened = opened_resource.read(FileStore(), Address(tmp_path / "a.wea"))
    assert opened.problem
    assert [page.id for page in _pages(opened)] == ["bytes", "users"]
