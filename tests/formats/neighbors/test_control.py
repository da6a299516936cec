"""Controllers: every field against the truth of the corpora, damage, and the round trip."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.contract import check_field_change, check_places, check_tree
from viewer.errors import FormatError
from viewer.formats.archive.nres import Archive
from viewer.formats.meaning import meaning
from viewer.formats.neighbors import control

HEAD = control.COUNTS.size + control.PARAMETERS.size


def controller(states: int = 2, contacts: int = 1, channels: int = 1, rest: bytes = bytes(84)) -> bytes:
    """A controller whose numbers are small and all different."""
    counts = struct.pack("<5i", states, contacts, channels, 0, 0)
    state = struct.pack("<2I4B", 0x71, 0x1, 1, 2, 3, 0) + struct.pack("<4f", 0, 3, -1, -1)
    state += struct.pack("<14f", *range(14)) + struct.pack("<f", 0.5) + bytes(56 - 4)
    state = state.ljust(0x90, b"\0") + struct.pack("<3i", 1, 2, 3) + struct.pack("<4i", 0, 1, 2, 0) * contacts
    costs = struct.pack(f"<{states * states}f", *range(states * states))
    channel = struct.pack("<i3f2i2fI", 0, 1, 4, 0.5, -1, 2, 3, 1.5, 0x49)
    return counts + bytes(control.PARAMETERS.size) + state * states + costs + channel * channels + rest


def corpus(samples: Path) -> list[tuple[str, memoryview, dict[str, Any]]]:
    """Address, payload and truth of every controller of the corpora."""
    root = samples / "field"
    found = []
    for address, truth in json.loads((root / "truth.json").read_text())["controls"].items():
        path, _, name = address.partition("::")
        archive = Archive.read((root / path).read_bytes())
        index = archive.find(name.encode("cp1251"))
        assert index is not None
        found.append((address, archive.payload(index), truth))
    return found


def same(stored: Any, stated: Any) -> bool:
    return np.array_equal(stored, np.asarray(stated, np.asarray(stored).dtype).reshape(np.shape(stored)))


def test_every_field_of_the_corpus(samples: Path) -> None:
    for address, payload, truth in corpus(samples):
        decoded = control.decode(payload)
        assert decoded.diagnostics == (), address
        assert control.COUNTS.row(decoded.counts) == truth["counts"]
        for stored, stated in (
            *zip([decoded.parameters], [truth["parameters"]], strict=True),
            *zip(decoded.states, truth["states"], strict=True),
            *zip(decoded.channels, truth["channels"], strict=True),
        ):
            wrong = [name for name in stated if not same(stored[name], stated[name])]
            assert wrong == [], address
        assert same(decoded.costs["cost"], truth["costs"])
        assert control.facts(decoded).rest_size == truth["rest_size"]


def test_the_corpus_round_trips_and_tiles(samples: Path) -> None:
    for _, payload, _ in corpus(samples):
        decoded = control.decode(payload)
        assert control.encode(decoded) == payload
        check_tree(bytes(payload), control.parts(decoded))


@pytest.mark.parametrize("counts", [(0, 0, 0), (1, 0, 0), (3, 2, 2), (0, 7, 1)])
def test_any_counts_tile(counts: tuple[int, int, int]) -> None:
    payload = controller(*counts)
    decoded = control.decode(payload)
    assert decoded.diagnostics == ()
    check_tree(payload, control.parts(decoded))


@given(data=st.data())
def test_a_changed_field_changes_its_bytes_alone(data: st.DataObject) -> None:
    decoded = control.decode(controller())
    check_field_change(decoded, control.encode, control.parts(decoded), data)


def test_a_contact_and_a_channel_say_what_they_mean() -> None:
    decoded = control.decode(controller())
    contacts = control.state_record(1).field("contacts")
    assert meaning(contacts, decoded.states[0]["contacts"]) == "point 0  flags 1  group 2  unknown 0"
    axes = control.state_record(1).field("axes")
    assert meaning(axes, decoded.states[0]["axes"]) == "velocity x, spin about x, spin about y, spin about z"
    assert "gun mount" in meaning(control.CHANNEL.field("flags"), decoded.channels[0]["flags"])


@pytest.mark.parametrize(
    ("payload", "where"),
    [
        (b"", "counts"),
        (bytes(HEAD - 1), "parameters"),
        (struct.pack("<5i", -1, 0, 0, 0, 0) + bytes(200), "counts.states"),
        (struct.pack("<5i", 0, 0, 0, 0, -5) + bytes(200), "counts.groups"),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_place(payload: bytes, where: str) -> None:
    with pytest.raises(FormatError) as caught:
        control.decode(payload)
    assert (caught.value.rule, caught.value.where) == ("K01", where)


def test_the_first_table_that_does_not_fit_stays_in_the_rest() -> None:
    whole = controller(rest=b"")
    channel_start = len(whole) - control.CHANNEL.size
    cost_start = channel_start - 16
    for end, field, counts, rest_start in (
        (channel_start + 35, "channels", (2, 2, 0), channel_start),
        (channel_start - 1, "states", (2, 0, 0), cost_start),
        (cost_start - 1, "states", (0, 0, 0), HEAD),
    ):
        payload = whole[:end]
        decoded = control.decode(payload)
        assert (len(decoded.states), len(decoded.costs), len(decoded.channels)) == counts
        assert decoded.rest == payload[rest_start:]
        assert places(decoded) == [("K01", f"counts.{field}")]
        check_tree(payload, control.parts(decoded))


def test_counts_beyond_all_reason_are_reported() -> None:
    huge = 0x7FFFFFFF
    for counts in ((huge, huge, huge), (1, huge, 0), (huge, 0, 0), (0, huge, huge)):
        payload = struct.pack("<5i", *counts, 0, 0) + bytes(300)
        decoded = control.decode(payload)
        assert [rule for rule, _ in places(decoded)] == ["K01"]
        assert control.encode(decoded) == payload


def test_numbers_that_are_not_finite_are_found_at_their_row() -> None:
    payload = bytearray(controller())
    struct.pack_into("<f", payload, control.COUNTS.size, np.nan)
    struct.pack_into("<f", payload, HEAD + 172 + 0x10, np.inf)
    decoded = control.decode(payload)
    assert places(decoded) == [("K04", "parameters.acceleration"), ("K04", "states[1].frames_a")]
    check_places(control.parts(decoded), decoded.diagnostics)


def places(decoded: control.Control) -> list[tuple[str, str]]:
    return [(finding.rule, finding.where) for finding in decoded.diagnostics]


@given(
    counts=st.tuples(*[st.integers(-1, 4)] * 5),
    rest=st.binary(max_size=1200),
)
def test_any_bytes_are_read_or_refused(counts: tuple[int, ...], rest: bytes) -> None:
    payload = struct.pack("<5i", *counts) + bytes(100) + rest
    try:
        decoded = control.decode(payload)
    except FormatError:
        return
    assert control.encode(decoded) == payload
    check_tree(payload, control.parts(decoded))
    check_places(control.parts(decoded), decoded.diagnostics)
