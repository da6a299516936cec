"""Repair of arbitrary damage: it never fails, never adds an error, and can be undone."""

from __future__ import annotations

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.builders import Key, ModelBuilder, Node, archive_of, box, quad
from viewer.errors import FormatError
from viewer.formats import splice, wear
from viewer.model.edit.draft import Draft
from viewer.model.edit.plan import plan
from viewer.model.edit.repair.mend import findings, mends
from viewer.model.kinds.registry import by_id
from viewer.model.validation.validate import errors

MODEL = ModelBuilder(
    [
        Node("hull", shapes={(0, 0): [box(), quad()]}, keys=[Key(0), Key(2)]),
        Node("gun", 0, {(0, 0): [quad()]}),
    ]
).build()
WHOLE = {
    "msh": MODEL,
    "nres": archive_of({"b.msh": MODEL[:99], "a.wea": b"1\r\n0 M\r\n"}),
    "wear": wear.build([b"A", b"B", b"C"], [b"L.0"]),
}


WORDS = [b"\xff\xff", b"\0\0", b"\xff\x7f", b"\x01", b"\0\0\xc0\x7f", b"9"]
patches = st.lists(st.tuples(st.floats(0, 0.9999), st.sampled_from(WORDS)), min_size=1, max_size=6)


def damaged(data: bytes, places: list[tuple[float, bytes]], cut: int) -> bytes:
    """A payload with some words overwritten, each at a fraction of its length, and its end cut off."""
    made = bytearray(data)
    for place, word in places:
        offset = int(place * len(made))
        made[offset : offset + len(word)] = word
    return bytes(made[: len(made) - cut])


def is_readable(draft: Draft) -> bool:
    """Whether the payload can be decoded."""
    try:
        return draft.value is not None
    except FormatError:
        return False


@settings(max_examples=150, suppress_health_check=list(HealthCheck), deadline=None)
@given(st.sampled_from(sorted(WHOLE)), patches, st.sampled_from([0, 0, 0, 1, 64]))
@example("msh", [(0.1875, b"\xff\xff"), (0.00390625, b"\x00\x00\xc0\x7f")], 0)
def test_any_damage(kind: str, places: list[tuple[float, bytes]], cut: int) -> None:
    data = damaged(WHOLE[kind], places, cut)
    draft = Draft(by_id(kind), data)
    found = [mend.change for mend in mends(draft)]
    for count in range(len(found) + 1):
        made = plan(Draft(by_id(kind), data), found[:count])
        assert splice.applied(made.after, splice.reverse(made.splices)) == data
    if not is_readable(draft):
        return
    before, after = errors(findings(draft)), errors(findings(Draft(by_id(kind), made.after)))
    assert {it.rule for it in after} <= {it.rule for it in before} or len(after) < len(before)
