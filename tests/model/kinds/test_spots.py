"""One spot of a payload as plain data: JSON can hold it, and its offset leads back to it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.formats.payloads import Payload, payloads
from viewer.errors import FormatError
from viewer.formats.part import Part, record_at, walk
from viewer.model.kinds.json_text import encode
from viewer.model.kinds.registry import KINDS, by_id
from viewer.model.kinds.spots import at_offset, describe_spot
from viewer.model.store.place import Place


@pytest.mark.parametrize("kind", [kind.id for kind in KINDS])
def test_every_field_has_an_offset_that_leads_back(kind: str) -> None:
    root = next(roots(kind))
    for place in places(root):
        found = json.loads(encode(describe_spot(root, place)))
        assert found["place"] == place.spot
        if place.field and found["size"]:  # the contacts of a state that has none take no bytes
            assert at_offset(root, found["offset"]) == place


def roots(kind: str) -> Iterator[Part]:
    """The parts of the payloads of a kind that can be read."""
    for payload in payloads(kind):
        try:
            yield parts_of(payload)
        except FormatError:
            continue


def parts_of(payload: Payload) -> Part:
    kind = by_id(payload.kind)
    return kind.parts(kind.decode(payload.data, payload.entry))


def places(root: Part) -> Iterator[Place]:
    """Every part, its first row, and the fields of that row."""
    for path, part in walk(root):
        yield Place("", path)
        row = 0 if part.is_table and part.count else None
        found = record_at(part, row)
        if found is not None and not path.endswith("]"):
            yield Place("", path, row)
            yield from (Place("", path, row, field.name) for field in found[0].fields)
