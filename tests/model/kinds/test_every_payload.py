"""Every payload of the samples is built again from its fields, and every byte of it has a place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.formats.contract import check_payload
from tests.formats.payloads import payloads
from viewer.errors import FormatError
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import KINDS, tables


@pytest.mark.parametrize("kind", [*KINDS, *tables().values()], ids=lambda kind: kind.id)
def test_every_payload_has_a_place_for_every_byte(samples: Path, kind: Kind) -> None:
    assert samples.is_dir()
    known = 0
    for payload in payloads(kind.id):
        try:
            value = kind.decode(payload.data, payload.entry)
        except FormatError:
            continue
        check_payload(bytes(payload.data), kind.encode(value), kind.parts(value), ())
        known += 1
    assert known or not payloads(kind.id)
