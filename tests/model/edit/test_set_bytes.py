"""Overwriting bytes of a payload."""

from __future__ import annotations

import pytest

from tests.builders import ModelBuilder, Node, box
from viewer.errors import EditError
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.model.edit.change import Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.plan import plan
from viewer.model.edit.script import change_of, form_of
from viewer.model.edit.set_bytes import SetBytes
from viewer.model.kinds.registry import MODEL


def _bytes() -> bytes:
    return ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})]).build()


def test_only_those_bytes_change_and_come_back() -> None:
    before = _bytes()
    draft = Draft(MODEL, before)
    offset = MODEL.parts(draft.value).children[1].start + 1
    change = SetBytes(offset, b"\x7f\x01")
    assert change_of(0, form_of(change)) == change
    change.apply(draft)
    expected = before[:offset] + b"\x7f\x01" + before[offset + 2 :]
    assert bytes(draft.data) == expected
    assert bytes(splice.applied(draft.data, splice.reverse(draft.splices))) == before


def test_bytes_that_are_there_already_are_no_change() -> None:
    before = _bytes()
    draft = Draft(MODEL, before)
    SetBytes(4, before[4:9]).apply(draft)
    assert not draft.splices


def test_what_could_not_be_read_after_it_is_refused() -> None:
    draft = Draft(MODEL, _bytes())
    with pytest.raises(EditError):
        SetBytes(0, b"XXXX").apply(draft)
    with pytest.raises(EditError):
        SetBytes(len(draft.data) - 1, b"\0\0").apply(draft)
    assert not draft.splices


def test_bytes_that_cannot_be_read_can_be_overwritten() -> None:
    draft = Draft(MODEL, b"NOPE" + bytes(20))
    SetBytes(0, b"NR").apply(draft)
    assert bytes(draft.data) == b"NRPE" + bytes(20)


def test_what_follows_from_bytes_is_offered_and_made_only_on_wish() -> None:
    before = _bytes()
    (positions,) = (it for it in nres.decode(before).entries if it.type_id == 3)
    change = SetBytes(positions.offset + 3, b"\x42")  # the exponent of an x: the box grows
    planned = plan(Draft(MODEL, before), [change])
    assert [
        index for index, (old, new) in enumerate(zip(before, planned.after, strict=True)) if old != new
    ] == [positions.offset + 3]
    offered = {it.topic for it in planned.offered}
    assert Topic.BOUNDS in offered
    wanted = plan(Draft(MODEL, before), [change], wanted=[Topic.BOUNDS])
    assert len(splice.between(before, wanted.after)) > 1
