"""Settings files with any content: what was used of one is the same after it was written and read again."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.settings.test_settings import FULL
from viewer.app.settings import settings
from viewer.app.settings.settings import Settings
from viewer.app.settings.stored_fields import LARGEST_FIELD, RECENT_LIMIT

USUAL: dict[str, Any] = json.loads(json.dumps(asdict(FULL), default=sorted))
LONG = (LARGEST_FIELD - 2, LARGEST_FIELD // 6, LARGEST_FIELD // 12, 10)
"""Lengths near the limit of a field, for letters that are written as one, six and twelve."""

NUMBERS = st.sampled_from((0, -0.0, True, 1, 2.5, 320, 65_535, 65_536, 10**30, 10**400, 5e-324)) | st.floats()
TEXTS = st.text(st.characters(), max_size=6) | st.builds(
    lambda letter, size, more: letter * (size + more),
    st.sampled_from("xш\ud800😀\n"),
    st.sampled_from(LONG),
    st.integers(-2, 2),
)
WORDS = st.sampled_from(("seed", "edges", "slot bounds", "88 as L A", "Resource", "Browser", "a::b", "game"))
RANGES = st.fixed_dictionaries({"first": NUMBERS, "last": NUMBERS, "name": TEXTS})
VALUES = st.recursive(
    st.none() | NUMBERS | TEXTS | WORDS | RANGES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS | WORDS, inner, max_size=4),
    max_leaves=6,
)


def nested(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


def check(path: Path, text: str) -> Settings:
    """Read a file, write what was used of it, and read that."""
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    loaded = settings.load(path)
    assert settings.save(path, loaded, loaded) == loaded
    written = path.read_bytes()
    again = settings.load(path)
    assert {name: it for name, it in asdict(again).items() if it != asdict(loaded)[name]} == {}
    settings.save(path, again)
    assert path.read_bytes() == written
    return loaded


@given(
    changed=st.dictionaries(st.sampled_from(sorted(USUAL)), VALUES, max_size=6),
    twice=st.dictionaries(st.sampled_from(sorted(USUAL)), VALUES, max_size=2),
)
def test_what_was_used_of_a_file_is_used_again(
    tmp_path_factory: pytest.TempPathFactory, changed: dict[str, Any], twice: dict[str, Any]
) -> None:
    """Of a key that is there twice the last value counts."""
    text = json.dumps({**USUAL, **changed})
    text = f"{text[:-1]}, {json.dumps(twice)[1:]}" if twice else text
    check(tmp_path_factory.getbasetemp() / "kept.json", text)


@pytest.mark.parametrize("name", sorted(USUAL))
@pytest.mark.parametrize("depth", [300, 900])
def test_lists_in_lists_cost_one_field_at_most(tmp_path: Path, name: str, depth: int) -> None:
    check(tmp_path / "settings.json", json.dumps({"speed": 20, name: nested(depth)}))


def test_recent_addresses_are_few_and_each_once_as_soon_as_they_are_read(tmp_path: Path) -> None:
    text = json.dumps({"recent": ["a.msh", "a.msh", *(f"{number}.msh" for number in range(40))]})
    recent = check(tmp_path / "settings.json", text).recent
    assert recent[:2] == ("a.msh", "0.msh")
    assert len(recent) == RECENT_LIMIT
