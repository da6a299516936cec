"""Every kind keeps its promises: what it decodes comes back from its fields, and its parts tile it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.contract import check_tree
from tests.formats.payloads import payloads
from viewer.errors import FormatError
from viewer.formats.archive import nres
from viewer.model.checks.payload import Payload
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.plain import describe
from viewer.model.kinds.registry import KINDS, by_id, recognise, tables

ALL = (*KINDS, *tables().values())
each = pytest.mark.parametrize("kind", ALL, ids=[kind.id for kind in ALL])


def decoded(kind: Kind, data: memoryview, entry: nres.Entry | None = None) -> Any:
    """The value, None if the payload is refused."""
    try:
        return kind.decode(data, entry)
    except FormatError:
        return None


@each
def test_a_kind_names_a_codec_and_rules_that_exist(kind: Kind) -> None:
    assert {"decode", "encode", "parts"} <= {*dir(kind.codec)}
    if kind.rules:
        module, _, name = kind.rules.partition(":")
        assert callable(getattr(import_module(module), name))


def test_no_two_kinds_claim_the_same() -> None:
    ids = [kind.id for kind in ALL]
    assert len(set(ids)) == len(ids)
    type_ids = [type_id for kind in ALL for type_id in kind.type_ids]
    assert len(set(type_ids)) == len(type_ids)
    suffixes = [suffix for kind in KINDS for suffix in kind.suffixes]
    assert len(set(suffixes)) == len(suffixes)
    assert all(by_id(name).id == name for name in ids)


@each
def test_all_payloads_come_back_and_are_tiled(kind: Kind, subtests: pytest.Subtests) -> None:
    for payload in payloads(kind.id):
        value = decoded(kind, payload.data, payload.entry)
        if value is not None:
            with subtests.test(payload.address):
                assert kind.encode(value) == payload.data
                check_tree(bytes(payload.data), kind.parts(value))


@pytest.mark.parametrize("kind", KINDS, ids=[kind.id for kind in KINDS])
def test_there_is_a_file_of_every_kind(kind: Kind) -> None:
    assert payloads(kind.id)


@each
@given(data=st.binary(max_size=300))
def test_any_bytes_are_refused_or_come_back(kind: Kind, data: bytes) -> None:
    start = kind.magic + data
    value = decoded(kind, memoryview(start))
    if value is not None:
        assert kind.encode(value) == start
        check_tree(start, kind.parts(value))


@each
@given(data=st.binary(max_size=200))
def test_any_bytes_are_checked_and_described_or_refused(kind: Kind, data: bytes) -> None:
    payload = memoryview(kind.magic + data)
    for use in (lambda: kind.check(Payload(payload)), lambda: describe(kind, payload)):
        try:
            use()
        except FormatError:
            continue


def test_what_nobody_knows_has_no_codec() -> None:
    kind = recognise(int.from_bytes(b"ABCD", "little"), memoryview(b"12345"))
    assert (kind.id, kind.is_known, kind.is_checked) == ("ABCD", False, False)
