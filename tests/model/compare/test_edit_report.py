"""Reports of edits: what differs in words and bytes, and which diagnostics are new."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

from tests.builders import MESH_TYPE, WEAR_TYPE, Key, ModelBuilder, Node, archive_of, box
from viewer.formats import mat0, splice
from viewer.formats.archive.nres import NewEntry, build
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.compare.differences import ChangeKind, Difference
from viewer.model.compare.edit_report import EditReport, values_of
from viewer.model.compare.file_plan import FilePlan
from viewer.model.compare.files import ComparedPayload, compare
from viewer.model.compare.reporting import report
from viewer.model.compare.row_summary import summaries
from viewer.model.edit.archive.entries import AddEntry, RemoveEntry, RenameEntry
from viewer.model.edit.archive.entry_order import MoveEntry
from viewer.model.edit.change import Change
from viewer.model.edit.draft import Draft
from viewer.model.edit.nodes.node_count import AddNode
from viewer.model.edit.nodes.set_key import AddKey
from viewer.model.edit.plan import lifted, plan
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import MODEL as MODEL_KIND
from viewer.model.kinds.registry import by_id, promised_kind
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.resources import bundled_path

SAMPLE_GAME = bundled_path("assets/game")
RENAMED = RenameEntry("WALKER_METAL", "OTHER")
MODEL = ModelBuilder.of(
    [Node("hull", shapes={(0, 0): [box(), box()]}), Node("gun", parent=0, shapes={(0, 0): [box()]})]
).build()


def broken() -> bytes:
    """A model whose only batch selects wear row 9, in the only field that can hold one."""
    builder = ModelBuilder.of([Node("hull", shapes={(0, 0): [box(material=9)]})])
    builder.batches["opaque4"] = 0x0101
    return builder.build()


BROKEN = broken()
ENTRIES = {"a.msh": MODEL, "a.wea": b"1\r\n0 M\r\n", "b.msh": BROKEN, "b.wea": b"1\r\n0 M\r\n"}


def reported(
    tmp_path: Path, entries: tuple[str, ...], changes: Sequence[Change], data: bytes = archive_of(ENTRIES)
) -> EditReport:
    path = tmp_path / "x.rlb"
    path.write_bytes(data)
    library = FileStore()
    address = Address(path, entries)
    item = library.open(address)
    made = plan(Draft(promised_kind(item), item.data, None), changes)
    splices = lifted(library, address, made.splices)
    planned = report(library, FilePlan(path, data, splices), (address,))
    assert planned.after == splice.applied(data, splices)
    assert path.read_bytes() == data
    return planned.report


def test_one_field_is_one_value(tmp_path: Path) -> None:
    found = reported(tmp_path, ("a.msh",), [SetField("nodes", RowChoice("1"), "flags", 0x40)])
    assert [*found.rows] == [
        {
            "what": "changed",
            "address": f"{tmp_path / 'x.rlb'}::a.msh",
            "table": "nodes",
            "row": 1,
            "field": "flags",
            "before": 0,
            "after": 0x40,
        }
    ]
    assert found.values[0].name == "gun"
    assert found.value_count == 1
    assert not found.added
    assert not found.resolved


def test_a_broken_rule_is_an_added_diagnostic(tmp_path: Path) -> None:
    change = SetField("nodes", RowChoice("1"), "parent", 7)
    found = reported(tmp_path, ("a.msh",), [change])
    assert [(it.diagnostic.table, it.diagnostic.index, it.diagnostic.field) for it in found.errors] == [
        ("nodes", 1, "parent")
    ]
    assert str(found.errors[0].source).endswith("::a.msh")


def test_a_repaired_rule_is_reported_and_one_that_stays_broken_is_not(tmp_path: Path) -> None:
    found = reported(tmp_path, ("b.msh",), [SetField("batches", RowChoice("0"), "material", 0)])
    assert found.resolved
    assert not found.added
    other = reported(tmp_path, ("b.msh",), [SetField("batches", RowChoice("0"), "material", 8)])
    assert not other.added
    assert not other.resolved


def test_what_depends_on_the_edited_payload_is_checked(tmp_path: Path) -> None:
    """A wear table with fewer rows breaks the model beside it."""
    data = archive_of({"a.msh": BROKEN, "a.wea": b"10\r\n" + b"0 M\r\n" * 10})
    path = tmp_path / "x.rlb"
    path.write_bytes(data)
    address = Address(path, ("a.wea",))
    splices = lifted(FileStore(), address, splice.between(b"10\r\n" + b"0 M\r\n" * 10, b"1\r\n0 M\r\n"))
    found = report(FileStore(), FilePlan(path, data, splices), (address,)).report
    assert any(str(it.source).endswith("a.msh") for it in found.added)
    planned = report(FileStore(), FilePlan(path, data, splices), (address,), is_checked=False)
    assert not planned.report.added


@pytest.mark.parametrize("change", [MoveEntry("b.msh", 0), RenameEntry("b.msh", "c.msh")])
def test_errors_that_were_there_are_not_added_by_a_new_name_or_row(tmp_path: Path, change: Change) -> None:
    assert not reported(tmp_path, (), [change]).errors


def test_added_entries_are_checked(tmp_path: Path) -> None:
    bad = plan(Draft(promised_kind_of(MODEL), MODEL), [SetField("nodes", RowChoice("0"), "parent", 9)]).after
    found = reported(tmp_path, (), [AddEntry("new.msh", bytes(bad), MESH_TYPE)])
    assert [it.what for it in found.values if it.table == "entries" and not it.field] == [ChangeKind.ADDED]
    assert {str(it.source).rpartition("::")[2] for it in found.errors} == {"new.msh"}


def test_an_entry_that_is_gone_is_looked_for_around_it(tmp_path: Path) -> None:
    data = archive_of(ENTRIES)
    path = tmp_path / "x.rlb"
    path.write_bytes(data)
    draft = Draft(promised_kind_of(data), data)
    RemoveEntry("b.wea").apply(draft)
    edited = (Address(path, ("b.wea",)), Address(path, ("a.msh",)))
    found = report(FileStore(), FilePlan(path, data, draft.splices), edited).report
    assert [(it.what, it.table, it.row) for it in found.values] == [(ChangeKind.REMOVED, "entries", 3)]


def test_nothing_edited_is_nothing_reported(tmp_path: Path) -> None:
    found = reported(tmp_path, ("a.wea",), [])
    assert (found.values, found.added, found.resolved) == ((), (), ())


def test_bytes_of_what_cannot_be_read_are_compared(tmp_path: Path) -> None:
    data = build([NewEntry(WEAR_TYPE, b"", b"a.wea"), NewEntry(MESH_TYPE, b"abcd", b"broken.msh")])
    path = tmp_path / "x.rlb"
    path.write_bytes(data)
    address = Address(path, ("broken.msh",))
    splices = lifted(FileStore(), address, splice.between(b"abcd", b"abXd"))
    found = report(FileStore(), FilePlan(path, data, splices), (address,)).report
    assert [(it.field, it.row, it.before, it.after) for it in found.values] == [
        ("byte", 2, ord("c"), ord("X"))
    ]


def promised_kind_of(data: bytes) -> Kind:
    library = FileStore()
    path = Path("memory")
    library.unsaved.overlay(path, data)
    return promised_kind(library.open(Address(path)))


ANIMATED = ModelBuilder.of(
    [
        Node("hull", shapes={(0, 0): [box()]}),
        Node("arm", parent=0, keys=[Key(time=0), Key(time=4), Key(position=(0, 0, 2), time=9)]),
        Node("gun", parent=1, keys=[Key(time=0), Key(position=(1, 0, 0), time=9)]),
        Node("eye", parent=2, keys=[Key(position=(3, 0, 0))]),
    ]
).build()
ARCHIVE = archive_of({"a.msh": ANIMATED, "a.wea": b"1\r\n0 M\r\n"})


def test_an_inserted_key_is_one_key_and_not_the_rows_after_it(tmp_path: Path) -> None:
    found = reported(tmp_path, ("a.msh",), [AddKey("arm", 2)], ARCHIVE)
    keys = [it for it in found.values if it.table == "keys"]
    assert [(it.what, it.row, it.field) for it in keys] == [(ChangeKind.ADDED, 2, "")]
    (words,) = found.summary
    assert words.startswith("one key inserted, ")
    assert not [it for it in found.values if (it.table, it.field) == ("nodes", "fallback_key")]
    listed = {(it.table, it.field): it.count for it in found.renumbered}
    assert listed["nodes", "fallback_key"] == 3
    assert words.endswith(f", {sum(listed.values())} references renumbered")


def test_an_inserted_node_is_one_node_and_the_others_are_renumbered(tmp_path: Path) -> None:
    found = reported(tmp_path, ("a.msh",), [AddNode("base", None, 1)], ARCHIVE)
    assert found.summary[0].startswith("one node inserted, 3 renumbered (base)")
    rows = [(it.what, it.row) for it in found.values if it.table == "nodes"]
    assert rows == [(ChangeKind.ADDED, 1)]


def test_an_added_node_is_told_with_its_triangles() -> None:
    """Geometry comes with it: vertices, indices, batches and slots go without saying."""
    before = [Node("hull", shapes={(0, 0): [box()]})]
    beacon = Node("beacon", 0, shapes={(0, 0): [box(center=(5, 5, 5))]})
    payloads = [
        ComparedPayload(MODEL_KIND, memoryview(ModelBuilder.of(it).build()))
        for it in (before, [*before, beacon])
    ]
    found = [(Address.parse("a.msh"), it) for it in compare(payloads[0], payloads[1])]
    (words,) = summaries(found)
    assert words.startswith("node beacon added, 12 triangles")


def test_rows_that_change_alike_are_one_line(tmp_path: Path) -> None:
    found = reported(tmp_path, ("a.msh",), [SetField("keys", RowChoice("0:3"), "time", 7)], ARCHIVE)
    times = [(it.in_file, it.before) for it in found.values if it.field == "time"]
    assert times == [("keys[0:2].time", 0.0), ("keys[2].time", 4.0)]
    assert found.value_count == len(found.rows)


def test_rows_of_a_table_inside_a_row_are_one_line_of_that_table(tmp_path: Path) -> None:
    """Keys 0 and 1 of block 0: the rows are those of the keys, not blocks."""
    first, second = (
        mat0.build([mat0.PhaseRecord()], [mat0.block(0, 1, keys)])
        for keys in ([[0, 5], [0, 5], [0, 9]], [[0, 7], [0, 7], [0, 9]])
    )
    payloads = [ComparedPayload(by_id("mat0"), memoryview(it)) for it in (first, second)]
    found = [(Address.parse("a.mat0"), it) for it in compare(payloads[0], payloads[1])]
    assert [(it.in_file, it.before, it.after) for it in values_of(found)] == [
        ("blocks[0].keys[0:2].time", 5, 7)
    ]


def test_pixels_are_counted_but_not_among_the_values_that_are_shown() -> None:
    """Five pixels and one field of the header."""
    rgba = np.zeros((4, 4, 4), np.uint8)
    before = texm.build(rgba, PixelFormat.ARGB8888)
    rgba.reshape(-1, 4)[:5] = 255
    after = texm.build(rgba, PixelFormat.ARGB8888, flags4=32)
    payloads = [ComparedPayload(by_id("texm"), memoryview(it)) for it in (before, after)]
    changed = tuple((Address.parse("a.texm"), it) for it in compare(payloads[0], payloads[1]))
    found = EditReport(changed)
    assert (found.value_count, found.shown_count) == (6, 1)
    assert [it.field for it in found.each_run()] == ["flags4"]


def test_what_still_refers_to_a_renamed_entry_is_a_problem(tmp_path: Path) -> None:
    """The wear table of a model by its stem; one that goes along with its model is no problem."""
    found = reported(tmp_path, (), [RenameEntry("a.wea", "c.wea")])
    (lost,) = found.added
    assert str(lost.source).endswith("::a.msh")
    assert lost.diagnostic.message == "refers to a.wea, which would not be there any more"
    both = reported(tmp_path, (), [RenameEntry("a.wea", "c.wea"), RenameEntry("a.msh", "c.msh")])
    assert not both.added


def test_other_files_of_the_game_that_refer_to_a_renamed_material_are_named(tmp_path: Path) -> None:
    copytree(SAMPLE_GAME, tmp_path / "game")
    path = tmp_path / "game" / "Material.lib"
    data, library = path.read_bytes(), FileStore()
    made = plan(Draft(promised_kind(library.open(Address(path))), memoryview(data), None), [RENAMED])
    found = report(library, FilePlan(path, data, made.splices), (Address(path),)).report
    users = {re.split(r"[/\\]", str(it.source))[-1] for it in found.added}
    assert {"models.rlb::walker.wea", "guns.rlb::e_gun_tw_01.wea"} <= users


def test_a_million_added_rows_are_one_entry() -> None:
    rows = np.concatenate([np.arange(5, 1_000_005), [1_000_007]])
    added = Difference("frame_map", "", ChangeKind.ADDED, len(rows), rows_b=rows)
    report = EditReport(((Address(Path("a.msh")), added),))
    first, last = report.each_run()
    assert (first.in_file, first.count, last.in_file, last.count) == (
        *("frame_map[5:1000005]", 1_000_000),
        *("frame_map[1000007]", 1),
    )
    row = {
        "what": "added",
        "address": "a.msh",
        "table": "frame_map",
        "field": None,
        "before": None,
        "after": None,
    }
    assert [*report.rows] == [{**row, "row": 5, "count": 1_000_000}, {**row, "row": 1_000_007}]
    assert report.value_count == 1_000_001
