"""Rows added, removed and moved: the rows are those asked for, the counts follow, nothing else changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders import ModelBuilder, Node, box
from tests.formats.payloads import Payload, payloads
from tests.share import examples
from viewer.errors import EditError, FormatError
from viewer.formats import fxid, mat0, splice, units, wear
from viewer.formats.archive.nres import Entry
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.msh import path_graph
from viewer.formats.neighbors import control, ground_plan
from viewer.formats.part import encode, gaps, walk
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.edit.change import Change
from viewer.model.edit.draft import Draft
from viewer.model.edit.rows import row_tables
from viewer.model.edit.rows.arrangement import AttachComponent
from viewer.model.edit.rows.row_changes import AddRows, MoveRows, RemoveRows
from viewer.model.edit.rows.row_tables import RowTable
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.registry import by_id
from viewer.model.mesh.model import Model

MOST_FILES: Final = 12
MOST_BYTES: Final = 100_000


@dataclass(frozen=True, slots=True)
class RowCase:
    """A table of a kind, and where it occurs."""

    kind: str
    table: str
    places: tuple[tuple[Payload, str], ...]

    def __str__(self) -> str:
        return f"{self.kind} {self.table}"


def draft_of(payload: Payload) -> Draft:
    return Draft(by_id(payload.kind), payload.data, payload.entry)


@cache
def cases() -> dict[tuple[str, str], RowCase]:
    """Every table whose rows can be changed and that occurs in a file, by its kind and name."""
    return {(case.kind, case.table): case for case in found_cases()}


def found_cases() -> Iterator[RowCase]:
    for kind in sorted({kind for kind, _ in row_tables.TABLES}):
        found: dict[str, list[tuple[Payload, str]]] = {}
        for payload in sorted(payloads(kind), key=lambda it: len(it.data)):
            if len(payload.data) > MOST_BYTES:
                continue
            for path in tables_of(payload):
                found.setdefault(without_numbers(path), []).append((payload, path))
        for table, places in found.items():
            yield RowCase(kind, table, tuple(places[:: 1 + len(places) // MOST_FILES]))


def tables_of(payload: Payload) -> Iterator[str]:
    try:
        root = draft_of(payload).parts
    except FormatError:
        return
    for path, part in walk(root):
        if part.is_table and isinstance(row_tables.of(payload.kind, path), RowTable):
            yield path


def without_numbers(path: str) -> str:
    return "".join(letter for letter in path if not letter.isdigit())


def test_every_table_with_rows_is_found() -> None:
    assert {*cases()} == {*row_tables.TABLES}


def rows_of(draft: Draft, path: str) -> list[bytes]:
    """The bytes of the rows of a table; of a tree without the number of children."""
    part = draft.part(path)
    found = []
    for row in range(part.count):
        start, size = part.span(row)
        found.append(bytes(draft.data[start : start + size]))
    return [row[:-4] for row in found] if path == "components" else found


def changes(table: RowTable, path: str, count: int) -> st.SearchStrategy[Change]:
    """A change of a table with so many rows."""
    ends = st.none() | st.integers(0, count)
    rows = st.lists(st.integers(0, max(0, count - 1)), min_size=1, max_size=3, unique=True)
    chosen = rows.map(lambda found: RowChoice.of(*found))
    moves = st.builds(MoveRows, st.just(path), chosen, ends)
    if not table.can_grow:
        return moves
    like = st.none() | st.integers(0, count - 1) if count else st.none()
    names = st.sampled_from(table.records or ("",))
    adds = st.builds(AddRows, st.just(path), ends, st.integers(1, 3), like, names)
    return st.one_of(adds, moves, st.builds(RemoveRows, st.just(path), chosen)) if count else adds


@pytest.mark.parametrize(("kind", "table"), sorted(row_tables.TABLES))
def test_rows_are_those_that_are_asked_for(kind: str, table: str) -> None:
    case = cases()[kind, table]

    @settings(max_examples=examples(30), database=None, suppress_health_check=[*HealthCheck])
    @given(st.data())
    def run(data: st.DataObject) -> None:
        payload, path = data.draw(st.sampled_from(case.places))
        draft = draft_of(payload)
        for _ in range(data.draw(st.integers(1, 3))):
            change_once(case, draft, path, data)
        assert splice.applied(bytes(draft.data), splice.reverse(draft.splices)) == payload.data

    run()


def change_once(case: RowCase, draft: Draft, path: str, data: st.DataObject) -> None:
    table = row_tables.of(case.kind, path)
    assert isinstance(table, RowTable)
    before, others, problems = rows_of(draft, path), other_parts(draft, path), findings(draft)
    change = data.draw(changes(table, path, len(before)))
    stood = bytes(draft.data)
    refusal = refusal_of(change, draft)
    if refusal is not None:
        assert refusal.table
        assert any(word in str(refusal) for word in REFUSED), refusal
        assert draft.data == stood
        return
    check_rows(case, change, before, rows_of(draft, path))
    assert list(gaps(draft.parts)) == []
    assert encode(draft.parts) == draft.data
    assert findings(draft) <= problems + (2 * change.count if isinstance(change, AddRows) else 1)
    assert other_parts(draft, path) == others


def refusal_of(change: Change, draft: Draft) -> EditError | None:
    """Why a change is refused; None if it was made."""
    try:
        change.apply(draft)
    except EditError as error:
        return error
    return None


REFUSED: Final = (
    *("at most", "would be removed", "at least one", "at most 19", "repeats the first", "describe a tree"),
    *("cannot be read", "can be read", "not all states", "other bytes follow", "other text follows"),
)


def findings(draft: Draft) -> int:
    return len(getattr(draft.value, "diagnostics", ()))


def check_rows(case: RowCase, change: Any, before: list[bytes], after: list[bytes]) -> None:
    """The rows are in the order that the change says; those of a tree and of a ring are checked below."""
    if case.table in {"components", "inner[].points", "outer[].points"}:
        return
    if case.kind == "wear":
        before, after = [[*map(bytes.strip, rows)] for rows in (before, after)]
    match change:
        case AddRows():
            at = len(before) if change.before is None else change.before
            assert after[:at] + after[at + change.count :] == before
            if change.like is not None and case.kind != "wear":
                assert after[at : at + change.count] == [before[change.like]] * change.count
        case RemoveRows():
            removed = {*map(int, change.rows.text.split(","))}
            assert after == [row for index, row in enumerate(before) if index not in removed]
        case MoveRows():
            assert sorted(after) == sorted(before)
            moved = sorted({*map(int, change.rows.text.split(","))})
            at = len(before) if change.before is None else change.before
            kept = [index for index in range(len(before)) if index not in moved]
            first = sum(index < at for index in kept)
            assert after == [before[index] for index in (*kept[:first], *moved, *kept[first:])]


FOLLOWING: Final = {
    "phases": {"phases", "blocks"},
    "path_graph": {"path_graph", "path_links"},
    "states": {"states", "costs"},
    "points": {"points", "names"},
    "names": {"points", "names"},
    "palette": {"palette", "levels"},
    "lightmaps": {"lightmaps", "heading", "separator"},
    "blocks": {"blocks"},
}
"""Parts that follow from rows of a table."""


COUNTS: Final = {"header", "counts", "page_header", "container", "directory"}
"""Parts that hold numbers of rows, and offsets that follow from sizes."""


def other_parts(draft: Draft, path: str) -> dict[str, bytes]:
    """The bytes of the parts that a change of a table has to leave alone."""
    name = path.partition("[")[0].partition(".")[0]
    follow = FOLLOWING.get(name, {name})
    return {
        child.name: encode(child)
        for child in draft.parts.children
        if child.name not in {*follow, *COUNTS} and "_count" not in child.name and "_0x" not in child.name
    }


def edited(kind: str, data: bytes, *changes: Change) -> bytes:
    """The payload after changes."""
    draft = Draft(by_id(kind), data, Entry(0, 0, 0, 6, 0, 0, b"", 0, 0) if kind == "mat0" else None)
    for change in changes:
        change.apply(draft)
    return bytes(draft.data)


def refusal(kind: str, data: bytes, change: Change) -> str:
    """Why a change is refused."""
    with pytest.raises(EditError) as refused:
        edited(kind, data, change)
    return str(refused.value)


def material() -> bytes:
    phases = [PhaseRecord(name) for name in (b"A.0", b"B.0", b"C.0")]
    return mat0.build(phases, [mat0.block(0, 1, [(0, 100), (2, 200)])])


def test_keys_follow_the_phases_that_they_show() -> None:
    for change, names, shown in (
        (MoveRows("phases", RowChoice("2"), 0), [b"C.0", b"A.0", b"B.0"], [1, 0]),
        (RemoveRows("phases", RowChoice("1")), [b"A.0", b"C.0"], [0, 1]),
        (AddRows("phases", 1, like=1), [b"A.0", b"B.0", b"B.0", b"C.0"], [0, 3]),
        (AddRows("phases"), [b"A.0", b"B.0", b"C.0", b""], [0, 2]),
    ):
        after = mat0.decode(edited("mat0", material(), change))
        assert [after.texture(phase) for phase in range(len(after.phases))] == names
        assert after.blocks[0].keys["phase"].tolist() == shown
        assert not after.diagnostics
    assert "blocks[0].keys[1].phase: refers to phase 2" in refusal(
        "mat0", material(), RemoveRows("phases", RowChoice("2"))
    )


def test_blocks_have_a_limit() -> None:
    after = mat0.decode(edited("mat0", material(), AddRows("blocks", count=18, like=0)))
    assert len(after.blocks) == 19
    assert "at most 19" in refusal("mat0", material(), AddRows("blocks", count=19))
    keys = mat0.decode(edited("mat0", material(), AddRows("blocks[0].keys", 1, 2, like=0))).blocks[0].keys
    assert keys["time"].tolist() == [100, 100, 100, 200]


def test_the_section_of_lightmaps_comes_and_goes() -> None:
    bare, full = wear.build([b"STEEL"]), wear.build([b"STEEL"], [b"A.0"])
    added = edited("wear", bare, AddRows("lightmaps"))
    assert added == full.replace(b"A.0", b"NEW.0")
    assert edited("wear", bare + b"\r\n", AddRows("lightmaps")) == added + b"\r\n", "nothing is taken away"
    assert edited("wear", full, RemoveRows("lightmaps", RowChoice("0"))) == bare
    assert "at least one row" in refusal("wear", bare, RemoveRows("materials", RowChoice("*")))
    unended = bare.removesuffix(b"\r\n")
    assert wear.decode(edited("wear", unended, AddRows("materials", like=0))).materials[1].name == b"STEEL"
    assert (
        edited("wear", unended, AddRows("materials", 0), RemoveRows("materials", RowChoice("0"))) == unended
    )


def test_a_new_command_has_the_record_of_its_opcode() -> None:
    data = edited("fxid", fxid.HEADER.new().tobytes(), AddRows("commands", record="sprite"))
    effect = fxid.decode(data)
    assert (effect.opcodes.tolist(), effect.on_top.tolist(), len(effect.tail)) == ([3], [False], 0)
    assert "light, sound" in refusal("fxid", data, AddRows("commands", record="smoke"))


def controller(costs: Sequence[Sequence[float]], contacts: int = 1) -> bytes:
    counts, states = control.COUNTS.new(), control.state_record(contacts).new(len(costs))
    counts["states"], counts["contacts"] = len(costs), contacts
    states["milliseconds"] = range(len(costs))
    matrix = np.array(costs, "<f4").tobytes()
    return counts.tobytes() + control.PARAMETERS.new().tobytes() + states.tobytes() + matrix + b"rest"


def test_costs_follow_the_states() -> None:
    data = controller([[0, 1], [2, 0]])
    after = control.decode(edited("control", data, AddRows("states", 1)))
    assert after.costs["cost"].tolist() == [[0, 1e6, 1], [1e6, 0, 1e6], [2, 1e6, 0]]
    assert after.states["frames_b"][1].tolist() == [-1, -1]
    copied = control.decode(edited("control", data, AddRows("states", like=0)))
    assert copied.costs["cost"].tolist() == [[0, 1, 0], [2, 0, 2], [0, 1, 0]]
    swapped = control.decode(edited("control", data, MoveRows("states", RowChoice("1"), 0)))
    assert swapped.costs["cost"].tolist() == [[0, 2], [1, 0]]
    assert (swapped.states["milliseconds"].tolist(), swapped.rest) == ([1, 0], b"rest")
    single = control.decode(edited("control", data, RemoveRows("states", RowChoice("0"))))
    assert single.costs["cost"].tolist() == [[0]]
    assert "follow the states" in refusal("control", data, AddRows("costs"))
    assert "not all states" in refusal("control", data[:300], AddRows("states"))


def unit(child_counts: Sequence[int]) -> bytes:
    header, rows = units.HEADER.new(), units.COMPONENT.new(len(child_counts))
    header["magic"] = units.MAGIC
    rows["child_count"], rows["flags"] = child_counts, range(len(child_counts))
    return header.tobytes() + rows.tobytes()


def tree(data: bytes) -> list[tuple[int, int]]:
    """Flags, which number the components here, and parent of each."""
    found = units.decode(data)
    return [*zip(found.components["flags"].tolist(), found.parents, strict=True)]


def test_components_stay_a_tree() -> None:
    data = unit([2, 1, 0, 0])
    assert tree(data) == [(0, -1), (1, 0), (2, 1), (3, 0)]
    removed = edited("units", data, RemoveRows("components", RowChoice("1")))
    assert tree(removed) == [(0, -1), (3, 0)]
    moved = edited("units", data, MoveRows("components", RowChoice("1")))
    assert tree(moved) == [(0, -1), (3, 0), (1, 0), (2, 2)]
    below = edited("units", data, MoveRows("components", RowChoice("3"), 2))
    assert tree(below) == [(0, -1), (1, 0), (3, 1), (2, 1)]
    copied = edited("units", data, AddRows("components", 2, like=0))
    assert tree(copied) == [(0, -1), (1, 0), (0, 1), (2, 1), (3, 0)]
    assert tree(edited("units", unit([]), AddRows("components", count=2))) == [(0, -1), (0, -1)]
    assert tree(edited("units", data, RemoveRows("components", RowChoice("0")))) == []


def test_a_component_is_attached_to_another() -> None:
    data = unit([2, 1, 0, 0])
    below = edited("units", data, AttachComponent(3, 2))
    assert tree(below) == [(0, -1), (1, 0), (2, 1), (3, 2)]
    assert tree(edited("units", below, AttachComponent(3, 0))) == tree(data)
    assert tree(edited("units", data, AttachComponent(1, 3))) == [(0, -1), (3, 0), (1, 1), (2, 2)]
    assert tree(edited("units", data, AttachComponent(1, None))) == [(0, -1), (3, 0), (1, -1), (2, 2)]
    assert edited("units", data, AttachComponent(3, 0)) == data
    assert "below it" in refusal("units", data, AttachComponent(0, 2))
    assert "components[4]: there are 4 rows" in refusal("units", data, AttachComponent(0, 4))


def graph() -> bytes:
    """A model with three points, two of them linked, and a light probe."""
    nodes, links = path_graph.PATH_NODE.new(3), path_graph.PATH_LINK.new(1)
    nodes["flags"], links["start"], links["end"] = [7, 8, 9], 0, 2
    builder = ModelBuilder.of([Node("A", shapes={(0, 0): (box(),)})])
    builder.tables = {17: nodes.tobytes() + links.tobytes(), 20: path_graph.LIGHT_PROBE.new(1).tobytes()}
    builder.attributes = {17: (3, 1, 0), 20: (1, 0, 5)}
    return builder.build()


def test_links_follow_the_points_of_a_path_graph() -> None:
    swapped = Model.read(edited("msh", graph(), MoveRows("path_graph", RowChoice("2"), 0)))
    added = Model.read(edited("msh", graph(), AddRows("path_graph", 1), AddRows("path_links", like=0)))
    for model, flags, ends in ((swapped, [9, 7, 8], [(1, 0)]), (added, [7, 0, 8, 9], [(0, 3)] * 2)):
        entry = model.archive.entry(model.archive.find_type(17) or 0)
        found = path_graph.decode(model.payload(17), entry.attr1, entry.attr2)
        assert not found.diagnostics
        assert found.nodes["flags"].tolist() == flags
        assert [*zip(found.links["start"].tolist(), found.links["end"].tolist(), strict=True)] == ends
    assert "refers to point 2" in refusal("msh", graph(), RemoveRows("path_graph", RowChoice("2")))


def test_light_probes_are_counted_in_the_directory() -> None:
    model = Model.read(edited("msh", graph(), AddRows("light_probes", count=2, like=0)))
    entry = model.archive.entry(model.archive.find_type(20) or 0)
    assert (entry.attr1, entry.attr2, entry.attr3, entry.size) == (3, 0, 5, 144)


def plan() -> bytes:
    """An inner triangle with ties, and an outer one without."""
    header, points = ground_plan.HEADER.new(), ground_plan.POINT.new(4)
    header["count"] = 3
    points["position"] = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 0, 0)]
    ties = np.array([10, 11, 12, 20, 21, 22], "<i4").tobytes()
    one, ring = np.array([1], "<i4").tobytes(), header.tobytes() + points.tobytes()
    return one + ring + ties + one + ring


def changed_plan(change: Change) -> ground_plan.GroundPlan:
    decoded = ground_plan.decode(edited("ground_plan", plan(), change))
    assert decoded.diagnostics == ()
    return decoded


def test_a_ring_stays_closed_and_its_edges_keep_their_triangles() -> None:
    (added,) = changed_plan(AddRows("inner[0].points", 1)).inner
    assert added.points[:, :2].tolist() == [[0, 0], [1, 0], [2, 0], [2, 2], [0, 0]]
    assert (added.triangles.tolist(), added.corners.tolist()) == ([10, 10, 11, 12], [20, 20, 21, 22])
    (removed,) = changed_plan(RemoveRows("inner[0].points", RowChoice("0"))).inner
    assert removed.points[:, :2].tolist() == [[2, 0], [2, 2], [2, 0]]
    assert removed.triangles.tolist() == [11, 12]
    (moved,) = changed_plan(RemoveRows("outer[0].points", RowChoice("0"))).outer
    assert (moved.points[:, :2].tolist(), len(moved.triangles)) == ([[2, 0], [2, 2], [2, 0]], 0)
    last = RemoveRows("inner[0].points", RowChoice("3"))
    assert "repeats the first" in refusal("ground_plan", plan(), last)


def test_rings_come_and_go_with_their_number() -> None:
    like = changed_plan(AddRows("inner", like=0))
    assert [it.triangles.tolist() for it in like.inner] == [[10, 11, 12]] * 2
    assert like.inner_count["count"] == 2
    new = changed_plan(AddRows("inner", 1))
    assert (new.inner[1].triangles.tolist(), len(new.inner[1].points)) == ([0, 0, 0], 4)
    outer = changed_plan(AddRows("outer", count=2))
    assert [len(it.triangles) for it in outer.outer] == [0, 0, 0]
    gone = changed_plan(RemoveRows("outer", RowChoice("0")))
    assert (gone.outer, len(gone.inner)) == ((), 1)


def test_pages_and_their_chunk_come_and_go() -> None:
    data = texm.build(np.zeros((4, 8, 4), np.uint8), PixelFormat(8888))
    added = edited("texm", data, AddRows("pages", count=2))
    assert texm.decode(added).pages.tolist() == [(0, 8, 0, 4)] * 2
    assert edited("texm", added, RemoveRows("pages", RowChoice("*"))) == data


def test_a_palette_in_another_order_shows_the_same_picture() -> None:
    image = np.random.default_rng(1).integers(0, 255, (16, 16, 4), np.uint8)
    data = texm.build(image, PixelFormat.INDEXED, mip_count=2)
    after = texm.decode(edited("texm", data, MoveRows("palette", RowChoice("3:9"), 200)))
    for level in range(2):
        assert after.level(level).tolist() == texm.decode(data).level(level).tolist()
    assert "number of its rows is fixed" in refusal("texm", data, AddRows("palette"))


def test_rows_that_do_not_exist_are_refused() -> None:
    data = material()
    assert refusal("mat0", data, AddRows("phases", 4)) == "phases[4]: there are 3 rows"
    assert "phases[3]" in refusal("mat0", data, AddRows("phases", like=3))
    assert "phases[7]" in refusal("mat0", data, MoveRows("phases", RowChoice("7"), 0))
    assert "exceeds 1..65536" in refusal("mat0", data, AddRows("phases", count=0))
    assert "has no rows" in refusal("mat0", data, AddRows("header"))
    assert "at most 65535" in refusal("mat0", data, AddRows("phases", count=65533))
