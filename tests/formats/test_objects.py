"""Object references: the worked example, damage, and the registry of the corpora."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.contract import check_field_change, check_places, check_tree
from viewer.formats import objects
from viewer.formats.archive.nres import Archive
from viewer.formats.text import decode

EXAMPLE = b"static.rlb".ljust(32, b"\0") + b"s_tree_0_04.msh\0" + b"\xcc" * 16


def test_the_worked_example() -> None:
    references = objects.decode(EXAMPLE)
    assert references.pairs == ((b"static.rlb", b"s_tree_0_04.msh"),)
    assert references.diagnostics == ()
    assert objects.encode(references) == EXAMPLE


def test_what_is_built_is_read_back() -> None:
    pairs = ((b"static.rlb", b"a.msh"), (b"static.rlb", b"a.wea"))
    assert objects.decode(objects.build(pairs)).pairs == pairs


def test_a_name_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="31 bytes"):
        objects.build([(b"x" * 32, b"a.msh")])


def test_whole_records_are_used_and_the_rest_is_kept() -> None:
    references = objects.decode(EXAMPLE + b"rest")
    assert len(references.rows) == 1
    assert references.tail == b"rest"
    assert [(d.rule, d.where) for d in references.diagnostics] == [("O01", "tail")]


def test_a_name_without_a_nul_is_read_whole() -> None:
    references = objects.decode(EXAMPLE + b"x" * 64)
    assert references.pairs[1] == (b"x" * 32, b"x" * 32)
    found = [(d.rule, d.index, d.field) for d in references.diagnostics]
    assert found == [("O02", 1, "archive"), ("O02", 1, "resource")]


@given(st.binary(max_size=300))
def test_any_bytes_survive(data: bytes) -> None:
    references = objects.decode(data)
    assert objects.encode(references) == data
    check_tree(data, objects.parts(references))
    check_places(objects.parts(references), references.diagnostics)


@given(st.data())
def test_a_changed_field_changes_its_bytes_alone(data: st.DataObject) -> None:
    references = objects.decode(EXAMPLE * 2 + b"rest")
    check_field_change(references, objects.encode, objects.parts(references), data)


def test_every_entry_of_the_registry(samples: Path) -> None:
    truth = json.loads((samples / "field" / "truth.json").read_text())["object_refs"]
    archive = Archive.read((samples / "field" / "game" / "objects.rlb").read_bytes())
    for entry in archive.entries:
        references = objects.decode(archive.payload(entry.index))
        assert [[decode(name) for name in pair] for pair in references.pairs] == truth[entry.text]["refs"]
