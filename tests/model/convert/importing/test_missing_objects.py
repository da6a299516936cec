"""OBJ files with some of the objects of a node: what is missing is left, or removed if that is asked."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

import numpy as np
import pytest

from tests.corpora import GAME
from viewer.model.convert import exchange
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.importing.findings import BATCHES_KEPT, BATCHES_REMOVED, ImportChoices, Missing
from viewer.model.convert.options import Options
from viewer.model.convert.scene_file import OBJ
from viewer.model.edit.geometry.slot_changes import ReplaceSlots
from viewer.model.edit.nodes.node_count import SetCell
from viewer.model.edit.rows.row_changes import ReplaceRows
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.imports.plan import ImportPlan, plan_import
from viewer.operations.opening import Source, model_of
from viewer.translation import Text

SOURCE = Source(Address(GAME / "models.rlb", ("walker.msh",)))
WALKER = model_of(FileStore(), SOURCE)
FILES = exchange.files_of(scene_of(WALKER, Options(has_textures=False, is_y_up=False)), OBJ, "walker")
TEXT = FILES["walker.obj"].decode()
OBJECTS = re.findall(r"(?m)^o (\S+)", TEXT)
TURRET = [it for it in OBJECTS if it.startswith("turret~")]
PIECES = dict(zip(OBJECTS, re.split(r"(?m)^(?=o )", TEXT)[1:], strict=True))
HEAD = TEXT[: TEXT.index("\no ") + 1]
WORDS = ("v", "vt", "vn")


def only(names: Collection[str]) -> str:
    """The file with some of its objects, numbered anew, as of "Selected Only"."""
    gone, found = np.zeros(3, np.int64), [HEAD]
    for name, piece in PIECES.items():
        if name not in names:
            gone += [len(re.findall(rf"(?m)^{word} ", piece)) for word in WORDS]
            continue

        def shifted(corner: re.Match[str]) -> str:
            numbers = corner[0].split("/")
            return "/".join(str(int(it) - by) for it, by in zip(numbers, gone, strict=True))  # noqa: B023

        lines = piece.splitlines(keepends=True)
        found += [re.sub(r"\d+(/\d+)+", shifted, it) if it.startswith("f ") else it for it in lines]
    return "".join(found)


def planned(
    folder: Path, text: str, missing: Missing | None = None, *, has_sidecar: bool = True
) -> ImportPlan:
    """What the import of a file into the walker does."""
    for name, data in FILES.items():
        if has_sidecar or not name.endswith(".json"):
            (folder / name).write_bytes(data)
    (folder / "walker.obj").write_text(text)
    return plan_import(FileStore(), folder / "walker.obj", SOURCE, ImportChoices(missing=missing))


def slots_of(found: ImportPlan) -> list[list[tuple[int | None, int]]]:
    """The batch that each one of slots with other triangles is like, and its triangles; 3 u32 each."""
    slots = [slot for it in found.found.changes if isinstance(it, ReplaceSlots) for slot in it.slots]
    return [[(it.like, len(it.corners) // 12) for it in slot.batches] for slot in slots]


def said(found: ImportPlan) -> set[str]:
    return {Text.of(it).template for it in found.found.notes}


@pytest.mark.parametrize("has_sidecar", [True, False])
@pytest.mark.parametrize("names", [TURRET[:1], TURRET[1:3], [TURRET[3], "dish~n7.s6.b0"]])
def test_some_objects_of_a_node_change_nothing(
    tmp_path: Path, names: list[str], *, has_sidecar: bool
) -> None:
    """One of the four of the turret, two of them, and one of each of two nodes."""
    assert len(TURRET) == 4
    found = planned(tmp_path, only(names), has_sidecar=has_sidecar)
    assert (found.changes, found.found.losses, found.deviations, found.byte_count) == ((), (), (), 0)
    assert BATCHES_KEPT in said(found)


def test_they_are_removed_if_that_is_asked(tmp_path: Path) -> None:
    """Of the triangles of the turret those of one object are left; 34 other nodes show nothing."""
    found = planned(tmp_path, only(TURRET[:1]), Missing.REMOVE)
    assert BATCHES_REMOVED in said(found)
    assert slots_of(found) == [[(44, 140)]]
    shown = [it for it in found.found.changes if isinstance(it, SetCell)]
    assert len(shown) == 34
    assert {it.slot for it in shown} == {None}


def test_a_deleted_object_is_an_edit_unless_it_is_left(tmp_path: Path) -> None:
    """One of all objects of the file, like one node of all: few are missing, not many."""
    names = [it for it in OBJECTS if it != TURRET[3]]
    found = planned(tmp_path, only(names))
    assert slots_of(found) == [[(44, 140), (45, 144), (46, 128)]]
    kept = planned(tmp_path, only(names), Missing.KEEP)
    assert (kept.changes, kept.losses) == ((), ())


def count_of(name: str) -> int:
    return sum(it.startswith(f"{name}~") for it in OBJECTS)


@pytest.mark.parametrize(
    ("names", "missing"),
    [
        ([it for it in OBJECTS if it not in TURRET[1:]], Missing.REMOVE),
        ([it for it in OBJECTS if not it.startswith("turret~")], Missing.REMOVE),
        ([it for it in OBJECTS if it.startswith("turret~")], Missing.KEEP),
        ([it for it in OBJECTS if it.endswith(".b0")], Missing.KEEP),
        ([it for it in OBJECTS if it.endswith(".b0") and count_of(it.partition("~")[0]) > 2], Missing.KEEP),
    ],
    ids=["three of four gone", "a node gone", "one node", "the first of each", "one each of large nodes"],
)
def test_a_file_with_less_than_half_of_the_nodes_is_of_selected_objects(
    tmp_path: Path, names: list[str], missing: Missing
) -> None:
    """Each node counts by its objects, as they are in the text of the file: one of four counts a quarter."""
    wholes = {it.partition("~")[0] for it in OBJECTS}
    there = sum(1 / count_of(it.partition("~")[0]) for it in names)
    assert (2 * there < len(wholes)) == (missing is Missing.KEEP)
    assert planned(tmp_path, only(names)).found.missing is missing


def test_an_edit_of_the_selected_object_is_the_only_change(tmp_path: Path) -> None:
    """A vertex that is moved, and triangles that are deleted: the other batches keep theirs."""
    text = only(TURRET[:1])
    line = next(it for it in text.splitlines() if it.startswith("v "))
    x, *rest = line.split()[1:]
    moved = planned(tmp_path, text.replace(line, " ".join(["v", str(float(x) + 0.25), *rest]), 1))
    assert moved.losses == ()
    rows = [it for it in moved.found.changes if isinstance(it, ReplaceRows) and it.table == "positions"]
    assert len(rows) == 1
    assert not any(isinstance(it, ReplaceSlots | SetCell) for it in moved.found.changes)
    faces = [it for it in text.splitlines(keepends=True) if it.startswith("f ")]
    cut = planned(tmp_path, text.replace("".join(faces[-2:]), ""))
    assert cut.losses == ()
    assert slots_of(cut) == [[(44, 138), (45, 144), (46, 128), (47, 136)]]


def test_joined_objects_are_not_missing(tmp_path: Path) -> None:
    """All of the turret in one object, at its place and moved: nothing is added to it."""
    joined = only(TURRET)
    for name in TURRET[1:]:
        joined = joined.replace(f"o {name}\n", "")
    found = planned(tmp_path, joined)
    assert (found.changes, found.losses) == ((), ())
    assert BATCHES_KEPT not in said(found)

    def moved(vertex: re.Match[str]) -> str:
        return f"v {float(vertex[1]) + 3}"

    found = planned(tmp_path, re.sub(r"(?m)^v (\S+)", moved, joined))
    assert BATCHES_KEPT not in said(found)
    assert not any(isinstance(it, ReplaceSlots | SetCell) for it in found.changes)
