"""Records as plain data: one by one and column by column alike."""

from __future__ import annotations

import numpy as np

from viewer.formats.record import CP1251, Field, Record, Status
from viewer.model.kinds.record_rows import record_row, record_rows

RECORD = Record(
    "test",
    15,
    Field("link", "<u2", "Link.", shape=(2,), none=0xFFFF),
    Field("name", "V4", "Name.", encoding=CP1251),
    Field("unknown_0x08", "V2", "Unknown.", status=Status.OPEN),
    Field("value", "<f4", "Value."),
    Field("flag", "u1", "Flag."),
)
ROWS = RECORD.view(bytes.fromhex("0100FFFF 4100FFFF 0A0B 0000803F 07  FFFF0200 41424344 0000 000000C0 00"))


def test_names_end_at_their_nul_and_unknown_bytes_are_hexadecimal() -> None:
    assert record_row(RECORD, ROWS[0]) == {
        "link": [1, None],
        "name": "A",
        "unknown_0x08": "0a0b",
        "value": 1.0,
        "flag": 7,
    }


def test_rows_are_the_records_with_their_index() -> None:
    assert record_rows(RECORD, ROWS) == [
        {"index": index, **record_row(RECORD, row)} for index, row in enumerate(ROWS)
    ]


def test_numbers_are_not_copied() -> None:
    values = record_rows(RECORD, ROWS).columns["value"]
    assert np.shares_memory(np.asarray(values), ROWS)
