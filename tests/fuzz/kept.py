"""Files of the program itself with odd values: settings, journals, indexes of galleries.

Each is read, and what can be used of it is the same after it was written and read again. The JSON files next
to OBJ files are among the mutants of `objects`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any, Final, cast

from msgspec import to_builtins

from tests.control.settings.test_settings import FULL
from tests.control.waiting import Waiting
from tests.fuzz.seeds import Seed
from viewer.cli.gallery.card import INDEX, SiteNames
from viewer.cli.gallery.reference import Reference
from viewer.control.editing.journal import Journal
from viewer.control.editing.unsaved import state_of
from viewer.control.jobs import Jobs
from viewer.control.settings import settings_file
from viewer.control.settings.settings_damage import SettingsDamage
from viewer.control.settings.stored_fields import form
from viewer.control.state import State
from viewer.errors import MshviewError
from viewer.formats.splice import Splice
from viewer.model.edit.change import Topic
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.edits import journal_lines
from viewer.session.edits.edited_file import EditedFile, Step

ODD: Final = (
    "1e999", "-1e999", "NaN", "-0.0", "1.5", "1e-320", "-20", "0", "1", "2", "65535", "65536", "9" * 20, "[]",
    "[[]]", "{}", "null", "true", "false", '""', '"x"', '"\\ud800"', '"\\u0000"', "[1, 2]", "[320, 1e3]",
    "[null, {}]", '{"first": 3, "last": 3, "name": ""}', '[{"first": true, "last": 5.0, "name": "\\udcff"}]',
    '["seed", "Resource", "Log", "edges", "edges"]', "9" * 5000, "[" * 3000 + "]" * 3000,
    f'"{"ш" * 400_000}"', f'"{"x" * ((128 << 10) - 2)}"', f'["{"ш" * 21_844}"]', "[" * 900 + "]" * 900,
    '["a.msh", "a.msh", "b.msh"]', '{"a": 1, "a": "seed"}', '"\\ud83d\\ude00"', "1e400", "[-0.0, 5e-324]",
)  # fmt: skip
"""What takes the place of values."""
GALLERY: Final = {
    "schema": "mshview-gallery-1",
    "models": [
        {
            "source": "a.msh", "name": "a.msh", "holder": "", "sha256": "00", "change": "none",
            "counts": {"nodes": 1, "triangles": 2}, "pictures": {"front": "pictures/a-front.webp"},
        }
    ],
}  # fmt: skip


def odd(value: Any, random: Random) -> str:
    """A value as JSON, in which some values are odd."""
    marks: list[str] = []

    def mark() -> str:
        marks.append(random.choice(ODD))
        return f"\x01{len(marks) - 1}\x02"

    def changed(it: Any, *, is_root: bool) -> Any:
        if not is_root and random.random() < 0.12:
            return mark()
        if isinstance(it, dict):
            return {key: changed(inner, is_root=False) for key, inner in it.items()}
        return [changed(inner, is_root=False) for inner in it] if isinstance(it, list | tuple) else it

    text = json.dumps(changed(value, is_root=True), default=sorted)
    for number, words in enumerate(marks):
        text = text.replace(f'"\\u0001{number}\\u0002"', words)
    return text


def _settings(random: Random, folder: Path) -> None:
    path = folder / "settings.json"
    path.write_text(odd(form(FULL), random), "utf-8")
    written, said = path.read_text("utf-8"), list[SettingsDamage]()
    loaded = settings_file.load(path, said.append)
    for kept in [it.kept for it in said if it.kept is not None]:
        assert kept.read_text("utf-8") == written
        kept.unlink()
    assert State(loaded).settings.first_view() == loaded.first_view()
    assert settings_file.save(path, loaded, loaded) == loaded
    again = settings_file.load(path, said.append)
    assert len(said) <= 1, "what was set aside is not found again"
    differing = [name for name, value in form(again).items() if value != form(loaded)[name]]
    assert again == loaded, differing
    path.unlink()


def _journal(random: Random, folder: Path) -> None:
    edited = folder / "a.bin"
    edited.write_bytes(b"before")
    step = Step(Address(edited), "w", (Splice(0, b"b", b"X"),), topics=(Topic.BOUNDS,), gesture="g")
    file = EditedFile(edited, (step,), 1, 1)
    lines = (
        journal_lines.first_line(file, 6),
        journal_lines.digest_line(b"\1"),
        journal_lines.step_line(step),
        journal_lines.position_line(1),
        journal_lines.steps_line(0, [step]),
    )
    name = folder / "a.journal"
    name.write_text("".join(odd(json.loads(line), random) + "\n" for line in lines), "utf-8")
    said: list[object] = []
    journal = Journal(folder, cast(Jobs, Waiting()), said.append, lambda *it: said.append(it))
    found = [*journal.found()]
    is_later = name.exists() and '"mshview_journal": 1,' not in name.read_text()
    assert found or said or is_later or not name.exists(), "a journal is offered, empty, or set aside"
    for it in found:
        state_of(FileStore(), it)
        assert [str(step.words) for step in it.file.steps]
        journal.discard(it)
    for path in folder.iterdir():
        path.unlink()


def _gallery(random: Random, folder: Path) -> None:
    (folder / INDEX).write_text(odd(GALLERY, random), "utf-8")
    try:
        with redirect_stderr(StringIO()):
            reference = Reference.read(folder)
    except MshviewError:
        assert '"schema": "mshview-gallery-1"' not in (folder / INDEX).read_text()
        return
    for card, _ in reference.gone([], SiteNames()):
        assert json.dumps(to_builtins(card.row), allow_nan=False)


KEPT: Final[tuple[Callable[[Random, Path], None], ...]] = (_settings, _journal, _gallery)


def kept(_: Seed, number: int, folder: Path) -> None:
    """Read one of the program's own files with odd values."""
    KEPT[number % len(KEPT)](Random(number), folder)
