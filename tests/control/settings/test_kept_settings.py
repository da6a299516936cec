"""Settings files with any content: what was used of one is the same after it was written and read again.

Settings are written once they have come to rest, and never an older state over a newer one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.control.settings.test_settings import FULL, with_samples
from viewer.control.jobs import Jobs
from viewer.control.settings import settings_file
from viewer.control.settings.settings import RECENT_LIMIT, Settings
from viewer.control.settings.settings_damage import SettingsDamage
from viewer.control.settings.settings_writer import REST, SettingsWriter
from viewer.control.settings.stored_fields import LARGEST_FIELD, form
from viewer.errors import OutputError
from viewer.model.store.address import Address

USUAL: dict[str, Any] = form(FULL)
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
    loaded = settings_file.load(path)
    assert settings_file.save(path, loaded, loaded) == loaded
    written = path.read_bytes()
    again = settings_file.load(path)
    assert {name: it for name, it in form(again).items() if it != form(loaded)[name]} == {}
    assert again == loaded
    settings_file.save(path, again)
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
    assert [*map(str, recent[:2])] == ["a.msh", "0.msh"]
    assert len(recent) == RECENT_LIMIT


START = Settings(recent=(Address.parse("first"),))
CHANGED = with_samples(START, 8)


class SettingsWorkspace:
    """A writer, and what it told."""

    def __init__(self, path: Path | None) -> None:
        self.learnt: list[Address] = []
        self.refused: list[BaseException] = []
        self.warned: list[SettingsDamage] = []
        self.jobs = Jobs(lambda: None)
        self.writer = SettingsWriter(
            path, START, self.jobs, self._learn, self.refused.append, self.warned.append
        )

    def _learn(self, addresses: Iterable[Address]) -> None:
        self.learnt += addresses

    def settle(self, last: Settings) -> None:
        """Let what is under way come to an end."""
        end = monotonic() + 60
        while self.writer.is_waiting:
            assert monotonic() < end
            self.jobs.collect()
            self.writer.update(last, 0.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file that holds the settings of the start."""
    settings_file.save(tmp_path / "settings.json", START)
    return tmp_path / "settings.json"


def test_nothing_is_written_before_a_change_has_come_to_rest(path: Path) -> None:
    desk = SettingsWorkspace(path)
    before = path.stat().st_mtime_ns
    desk.writer.update(with_samples(START, 1), 10.0)
    desk.writer.update(CHANGED, 10.0 + REST * 0.9)
    desk.writer.update(CHANGED, 10.0 + REST * 1.8)
    assert desk.writer.is_waiting
    desk.jobs.collect()
    assert path.stat().st_mtime_ns == before
    desk.writer.update(CHANGED, 10.0 + REST * 1.9)
    desk.settle(CHANGED)
    assert settings_file.load(path) == CHANGED
    assert desk.jobs.title == ""


def test_a_change_that_is_taken_back_is_not_written(path: Path) -> None:
    desk = SettingsWorkspace(path)
    desk.writer.update(START, 0.0)
    desk.writer.update(CHANGED, 0.0)
    desk.writer.update(START, 0.1)
    assert not desk.writer.is_waiting


def test_what_another_window_opened_is_learnt(path: Path) -> None:
    desk = SettingsWorkspace(path)
    settings_file.save(path, START.opened(Address.parse("theirs")))
    desk.writer.update(CHANGED, 0.0)
    desk.writer.update(CHANGED, REST)
    desk.settle(CHANGED)
    assert [*map(str, desk.learnt)] == ["theirs"]
    assert settings_file.load(path) == replace(
        CHANGED, recent=(Address.parse("first"), Address.parse("theirs"))
    )


def test_what_another_program_left_unusable_is_reported_once(path: Path) -> None:
    desk = SettingsWorkspace(path)
    path.write_text('{"samples": 3, "newer": [1]}', "utf-8")
    desk.writer.update(CHANGED, 0.0)
    desk.writer.update(CHANGED, REST)
    desk.settle(CHANGED)
    desk.writer.finish(with_samples(CHANGED, 2))
    assert desk.warned == [SettingsDamage(path.with_name("settings.json.damaged"), ("samples",))]
    assert path.with_name("settings.json.damaged").read_text("utf-8") == '{"samples": 3, "newer": [1]}'
    assert json.loads(path.read_text("utf-8"))["newer"] == [1]


def test_the_last_state_is_written_at_once_and_stays(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk, may_go = SettingsWorkspace(path), Event()
    write = desk.writer._write
    monkeypatch.setattr(desk.writer, "_write", lambda *what: may_go.wait(10) and write(*what))
    desk.writer.update(CHANGED, 0.0)
    desk.writer.update(CHANGED, REST)
    monkeypatch.undo()
    desk.writer.finish(with_samples(CHANGED, 2))
    assert settings_file.load(path).view.samples == 2
    may_go.set()
    desk.settle(CHANGED)
    assert settings_file.load(path).view.samples == 2


def test_a_disk_that_refuses_is_told_once_for_each_change(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    desk = SettingsWorkspace(tmp_path / "file" / "settings.json")
    desk.writer.update(CHANGED, 0.0)
    desk.writer.update(CHANGED, REST)
    desk.settle(CHANGED)
    desk.writer.update(CHANGED, REST * 3)
    assert not desk.writer.is_waiting
    desk.writer.finish(CHANGED)
    assert [type(error) for error in desk.refused] == [OutputError, OutputError]


def test_nothing_is_written_nowhere() -> None:
    desk = SettingsWorkspace(None)
    desk.writer.update(CHANGED, 0.0)
    desk.writer.update(CHANGED, REST)
    assert not desk.writer.is_waiting
    desk.writer.finish(CHANGED)
    assert desk.refused == []
