"""What the directory and the registry say of entries; controllers of several models."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.builders import archive_of
from tests.model.edit.neighbors.steps import GAME, MODELS, edited, step_of
from viewer.formats import objects
from viewer.formats.archive.nres import Archive
from viewer.model.edit.archive.entries import AddEntry, DescribeEntry, RemoveEntry, RenameEntry
from viewer.model.edit.change import Topic
from viewer.model.edit.keys.retime import Retime
from viewer.model.edit.nodes.node_count import AddNode
from viewer.model.edit.row_choice import RowChoice
from viewer.model.edit.rows.row_changes import AddRows, RemoveRows


@pytest.mark.parametrize(("entry", "table"), [("walker.ndp", "nodes"), ("walker.cpt", "points")])
def test_the_directory_follows_the_number_of_rows(entry: str, table: str) -> None:
    made = edited(MODELS, entry, AddRows(table, None, 2))
    assert made.changed == {entry}
    assert made.step.topics == (Topic.ATTRIBUTES,)
    index = made.before.find(entry.encode())
    assert index is not None
    assert made.after.entry(index).attr1 == made.before.entry(index).attr1 + 2
    removed = edited(MODELS, entry, RemoveRows(table, RowChoice("0")))
    assert removed.after.entry(index).attr1 == made.before.entry(index).attr1 - 1


def test_rings_are_counted_too() -> None:
    archives = {path: Archive.read(path.read_bytes()) for path in GAME.glob("*.rlb") if path.stem != "seed"}
    found = [(path, it) for path, held in archives.items() for it in held.entries if it.text.endswith(".bas")]
    assert found
    for path, entry in found:
        made = edited(path, entry.text, AddRows("rings", None, 1, 0))
        assert made.after.entry(entry.index).attr1 == entry.attr1 + 1


def test_a_number_that_was_another_stays(tmp_path: Path) -> None:
    path = tmp_path / "models.rlb"
    made = edited(MODELS, "", DescribeEntry("walker.ndp", attr1=7))
    path.write_bytes(made.after.data)
    index = made.after.find(b"walker.ndp")
    assert index is not None
    assert edited(path, "walker.ndp", AddRows("nodes")).after.entry(index).attr1 == 7
    declined = edited(MODELS, "walker.ndp", AddRows("nodes"), declined=[Topic.ATTRIBUTES])
    assert declined.after.entry(index).attr1 == made.before.entry(index).attr1


def test_the_directory_follows_rows_that_follow() -> None:
    made = edited(MODELS, "walker.msh", AddNode("lamp", 3))
    assert made.changed == {"walker.msh", "walker.ndp"}
    assert {*made.step.topics} == {Topic.REFERENCES, Topic.ATTRIBUTES}
    index = made.before.find(b"walker.ndp")
    assert index is not None
    assert made.after.entry(index).attr1 == made.before.entry(index).attr1 + 1


def test_what_the_registry_calls_by_an_old_name_is_told() -> None:
    (note,) = step_of(MODELS, "", RenameEntry("walker.msh", "runner.msh")).notes
    assert note == "objects.rlb still refers to walker.msh, walker.wea, walker.cpt and 2 more, in walker"
    assert step_of(MODELS, "", RemoveEntry("walker.ctl")).notes == (
        "objects.rlb still refers to walker.ctl, in walker",
    )
    assert step_of(MODELS, "", AddEntry("new.msh", b"")).notes == ()
    declined = step_of(MODELS, "", RenameEntry("walker.msh", "runner.msh"), declined=[Topic.REFERENCES])
    assert declined.notes == ()


def test_without_a_registry_nothing_is_told(tmp_path: Path) -> None:
    shutil.copy(MODELS, tmp_path)
    rename = RenameEntry("walker.msh", "runner.msh")
    assert step_of(tmp_path / MODELS.name, "", rename).notes == ()
    (tmp_path / "objects.rlb").write_bytes(b"nothing")
    assert step_of(tmp_path / MODELS.name, "", rename).notes == ()


def test_the_controller_is_the_one_that_the_registry_names(tmp_path: Path) -> None:
    other = edited(MODELS, "", RenameEntry("walker.ctl", "legs.ctl"))
    path = tmp_path / MODELS.name
    path.write_bytes(other.after.data)
    change = Retime(0, 1000, 0, 2000)
    assert edited(path, "walker.msh", change).changed == {"walker.msh"}
    pairs = [(b"models.rlb", b"walker.msh"), (b"models.rlb", b"legs.ctl")]
    (tmp_path / "objects.rlb").write_bytes(archive_of({"walker": objects.build(pairs)}))
    assert edited(path, "walker.msh", change).changed == {"walker.msh", "legs.ctl"}


def test_a_controller_of_several_models_stays(tmp_path: Path) -> None:
    shutil.copy(MODELS, tmp_path)
    lists = {
        name: objects.build([(b"models.rlb", model), (b"models.rlb", b"walker.ctl")])
        for name, model in (("a", b"walker.msh"), ("b", b"crate.msh"))
    }
    (tmp_path / "objects.rlb").write_bytes(archive_of(lists))
    made = edited(tmp_path / MODELS.name, "walker.msh", Retime(0, 1000, 0, 2000))
    assert made.changed == {"walker.msh"}
    assert made.step.notes[0] == "walker.ctl does not follow: it moves crate.msh too"
    assert made.step.notes[1].startswith("clip stand of walker.ctl plays frames 0 to 12, which now show")


def test_a_neighbor_that_cannot_be_read_stays(tmp_path: Path) -> None:
    old = Archive.read(MODELS.read_bytes())
    files = {entry.text: bytes(old.payload(entry.index)) for entry in old.entries if "walker" in entry.text}
    path = tmp_path / "models.rlb"
    path.write_bytes(archive_of({**files, "walker.ctl": b"cut"}))
    made = edited(path, "walker.msh", Retime(0, 1000, 0, 2000))
    assert made.changed == {"walker.msh"}
    assert made.step.notes[0].startswith("walker.ctl does not follow: ")
