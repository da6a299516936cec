"""Which addresses have unsaved changes: the payload, what holds it, and nothing beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from viewer.formats.splice import Splice
from viewer.model.store.address import Address
from viewer.session.edits.edited_file import EditedFile, Edits, Step
from viewer.session.edits.marks import UnsavedMarks


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file that links lead to."""
    path = tmp_path.resolve() / "models" / "a.rlb"
    path.parent.mkdir()
    path.write_bytes(b"x")
    (path.parent / "link.rlb").symlink_to(path)
    return path


def edited(path: Path) -> Edits:
    step = Step(Address(path, ("b.msh",)), "change", (Splice(0, b"x", b"y"),))
    return Edits().with_file(EditedFile(path).added(step))


def test_the_payload_and_what_holds_it_are_marked(path: Path) -> None:
    marks = UnsavedMarks()
    marks.follow(edited(path))
    for text in (f"{path}::b.msh", str(path), str(path.parent), str(path.parent.parent)):
        assert marks.is_unsaved(text), text
    for text in (f"{path}::c.msh", str(path.parent / "other.rlb"), f"{path.parent}::b.msh", ""):
        assert not marks.is_unsaved(text), text


def test_a_link_is_the_file_that_it_leads_to(path: Path) -> None:
    marks = UnsavedMarks()
    marks.follow(edited(path))
    assert marks.is_unsaved(f"{path.parent / 'link.rlb'}::b.msh")


def test_answers_follow_the_edits(path: Path) -> None:
    marks, edits = UnsavedMarks(), edited(path)
    marks.follow(edits)
    assert marks.is_unsaved(str(path))
    marks.follow(edits.with_file(edits.of(path).after_saving()))
    assert not marks.is_unsaved(str(path))
    marks.follow(edits.with_file(edits.of(path).after_saving().at(0)))
    assert marks.is_unsaved(str(path)), "undone after saving it differs from the disk again"
