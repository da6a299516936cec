"""Patches: exact in both directions for any two files, small, and refused for other files."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.builders import ModelBuilder, Node, archive_of, box
from viewer.errors import EditError, FormatError
from viewer.model.edit.draft import Draft
from viewer.model.edit.plan import plan
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.registry import by_id
from viewer.model.patch.applying import applied
from viewer.model.patch.making import made
from viewer.model.patch.patch import BytesChange, FieldChange, Patch

MODEL = ModelBuilder.of(
    [Node("hull", shapes={(0, 0): [box(), box()]}), Node("gun", parent=0, shapes={(0, 0): [box()]})]
).build()


def edited(*changes: SetField, data: bytes = MODEL) -> bytes:
    return bytes(plan(Draft(by_id("msh"), data), changes).after)


OTHER = edited(
    SetField("batches", RowChoice("1"), "flags", 8),
    SetField("slots", RowChoice("0"), "aabb_min", (-9.5, 1e-9, 0.1)),
)
ARCHIVE = archive_of({"a.msh": MODEL, "b.bin": bytes(range(256)), "c.msh": MODEL})


def checked(before: bytes, after: bytes, name: str = "a.rlb") -> Patch:
    patch = made(before, after, name)
    assert Patch.parse(patch.encode()) == patch
    assert json.loads(patch.encode()) == json.loads(json.dumps(patch.document))
    assert applied(patch, before) == after
    assert applied(patch, after, is_reverse=True) == before
    return patch


def test_fields_are_written_as_values() -> None:
    patch = checked(MODEL, OTHER, "a.msh")
    assert [change for change in patch.changes if isinstance(change, FieldChange)] == [*patch.changes]
    found = {(it.table, it.row, it.field): it.after for it in patch.changes if isinstance(it, FieldChange)}
    assert found["batches", 1, "flags"] == 8
    assert found["slots", 0, "aabb_min"] == [-9.5, 1e-9, 0.1]


def test_fields_of_entries_have_their_address() -> None:
    after = archive_of({"a.msh": MODEL, "b.bin": bytes(range(256)), "c.msh": OTHER})
    patch = checked(ARCHIVE, after)
    assert {change.address for change in patch.changes} == {"a.rlb::c.msh"}
    assert all(isinstance(change, FieldChange) for change in patch.changes)


def test_bytes_of_entries_count_from_the_start_of_their_entry() -> None:
    other = bytearray(range(256))
    other[100:103] = b"new"
    (change,) = checked(ARCHIVE, archive_of({"a.msh": MODEL, "b.bin": bytes(other), "c.msh": MODEL})).changes
    at = ARCHIVE.index(bytes(range(256))) + 100
    assert change == BytesChange("a.rlb::b.bin", 100, bytes([100, 101, 102]), b"new", at)


def test_a_longer_entry_moves_the_others_and_their_fields_stay_fields() -> None:
    after = archive_of({"a.msh": MODEL + bytes(40), "b.bin": bytes(range(255, -1, -1)), "c.msh": OTHER})
    patch = checked(ARCHIVE, after)
    fields = [change for change in patch.changes if isinstance(change, FieldChange)]
    assert {it.field for it in fields if it.address == "a.rlb::c.msh"} == {"flags", "aabb_min"}
    assert len(patch.encode()) < len(ARCHIVE)


def test_what_both_have_is_not_in_the_patch() -> None:
    patch = checked(ARCHIVE, archive_of({"a.msh": MODEL, "new.bin": b"n" * 100, "c.msh": MODEL}))
    held = b"".join(it.before + it.after for it in patch.changes if isinstance(it, BytesChange))
    assert MODEL[100:200] not in held
    assert len(held) < 1000


@given(st.binary(max_size=80), st.binary(max_size=80))
def test_any_two_files(before: bytes, after: bytes) -> None:
    checked(before, after)


@given(st.data(), st.sampled_from([MODEL, ARCHIVE]))
def test_any_damage_of_a_file(data: st.DataObject, file: bytes) -> None:
    after = bytearray(file)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(after)))
        size = data.draw(st.integers(0, 40))
        after[start : start + size] = data.draw(st.binary(max_size=40))
    checked(file, bytes(after))


def test_another_file_is_refused() -> None:
    patch = made(MODEL, OTHER)
    for data in (OTHER, MODEL + b"\0", b""):
        with pytest.raises(EditError):
            applied(patch, data)


def test_force_takes_a_file_that_has_what_is_replaced() -> None:
    patch = made(MODEL, OTHER)
    another = edited(SetField("batches", RowChoice("2"), "opaque4", 7))
    both = edited(SetField("batches", RowChoice("2"), "opaque4", 7), data=OTHER)
    assert applied(patch, another, is_forced=True) == both
    assert applied(patch, both, is_forced=True, is_reverse=True) == another
    touched = edited(SetField("batches", RowChoice("1"), "flags", 3))
    with pytest.raises(EditError, match=r"changes\[\d+\]: .*batches\[1\].flags"):
        applied(patch, touched, is_forced=True)


def test_force_finds_fields_where_they_have_moved_to() -> None:
    patch = made(ARCHIVE, archive_of({"a.msh": MODEL, "b.bin": bytes(range(256)), "c.msh": OTHER}))
    moved = archive_of({"c.msh": MODEL, "z.bin": b"zz"})
    assert applied(patch, moved, is_forced=True) == archive_of({"c.msh": OTHER, "z.bin": b"zz"})


def test_a_patch_that_promises_something_else_is_refused() -> None:
    patch = made(MODEL, OTHER)
    with pytest.raises(FormatError):
        applied(replace(patch, changes=patch.changes[1:]), MODEL)
    with pytest.raises(FormatError):
        applied(replace(patch, changes=(*patch.changes, patch.changes[0])), MODEL)


PLAIN = made(b"abcdefgh" * 9, b"abcdefgH" + b"abcdefgh" * 8).document
FIELD = {"address": "x", "table": "t", "row": 0, "field": "f", "before": 0, "after": 1}
DIGITS = "0" * 64


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"format": "x"}, "format"),
        ({"version": 2}, "version"),
        ({"changes": {}}, "changes"),
        ({"before": None}, "before"),
        ({"before": {"size": -1, "sha256": DIGITS}}, "before.size"),
        ({"after": {"size": 1, "sha256": "00"}}, "after.sha256"),
        ({"changes": [1]}, "changes[0]"),
        ({"changes": [{"offset": 0}]}, "changes[0].address"),
        ({"changes": [{"offset": True, "before": "", "after": "", "address": ""}]}, "changes[0].offset"),
        ({"changes": [{"offset": 0, "before": "0", "after": "", "address": ""}]}, "changes[0].before"),
        ({"changes": [{**FIELD, "row": -1}]}, "changes[0].row"),
        ({"changes": [{**FIELD, "table": 1}]}, "changes[0].table"),
        ({"changes": [{key: it for key, it in FIELD.items() if key != "after"}]}, "changes[0].after"),
    ],
)
def test_what_is_not_a_patch_is_refused_with_its_place(change: dict[str, object], place: str) -> None:
    with pytest.raises(FormatError) as refused:
        Patch.parse(json.dumps({**PLAIN, **change}).encode())
    assert str(refused.value).startswith(f"{place}: ")


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff\xfe", b"[" * 100_000, b'{"format": 1}'])
def test_what_is_no_json_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError):
        Patch.parse(data)


@pytest.mark.parametrize("value", [None, {}, [[]], "x", 1e99, [1, 2], True])
def test_impossible_values_are_refused(value: object) -> None:
    patch = made(MODEL, OTHER)
    change = next(it for it in patch.changes if isinstance(it, FieldChange) and it.field == "flags")
    for wrong in (replace(change, before=value), replace(change, after=value)):
        with pytest.raises(EditError):
            applied(replace(patch, changes=(wrong,)), MODEL)


def test_files_of_the_samples(files: Path) -> None:
    folder = files / "seed" / "game"
    listed_files = sorted(
        path for path in folder.rglob("*") if path.is_file() and path.stat().st_size < 1 << 20
    )
    for one, other in pairwise(listed_files):
        checked(one.read_bytes(), other.read_bytes(), one.name)


LONG = "A" * 1_000_000


@pytest.mark.parametrize(
    "change",
    [
        {"before": LONG},
        {"after": LONG},
        {"before": [0] * 300_000},
        {"before": {LONG: 1}},
        {"row": LONG},
        {"table": LONG},
        {"field": LONG},
        {"address": f"a.msh::{LONG}"},
    ],
)
def test_an_error_of_a_long_value_is_short(change: dict[str, object]) -> None:
    field = made(MODEL, OTHER, "a.msh").document["changes"][0]
    with pytest.raises(FormatError) as refused:
        applied(
            Patch.parse(json.dumps({**PLAIN, "changes": [{**field, **change}]}).encode()),
            MODEL,
            is_forced=True,
        )
    assert "changes[0]" in str(refused.value)
    assert len(str(refused.value)) < 600
