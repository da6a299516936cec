"""The page of changes: each has an example, which changes what it says and adds no error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mshview
from docs.make.changes import EXAMPLES, FIRST, descriptions, form_of
from viewer.model.edit.script import CHANGES


def test_every_change_has_an_example() -> None:
    assert EXAMPLES.keys() == CHANGES.keys()


def test_every_field_is_described() -> None:
    for name, kind in CHANGES.items():
        assert {*kind.__struct_fields__} <= descriptions(kind).keys(), name


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_changes_what_it_names(game: Path, name: str) -> None:
    path, _separator, entry = EXAMPLES[name][0].partition("::")
    archive = mshview.open(game / path)
    resource = archive[entry] if isinstance(archive, mshview.Archive) and entry else archive
    if name in FIRST:
        resource.edit(FIRST[name])
    before, errors = resource.data, [it for it in archive.validate() if it.severity == "error"]
    resource.edit(json.loads(json.dumps(form_of(name))))
    assert resource.data != before
    assert [it for it in archive.validate() if it.severity == "error" and it not in errors] == []
