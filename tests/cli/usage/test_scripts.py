"""The schema of scripts accepts what `script.parse` takes, and refuses what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator, meta

from tests.cli.console import Capture, success
from viewer.cli.schemas import typed
from viewer.errors import FormatError
from viewer.model.edit import script

SCHEMA = typed.schema()
VALIDATOR = Draft202012Validator(SCHEMA)
GOOD: list[dict[str, Any]] = [
    {"do": "set", "table": "batches", "rows": "3", "field": "flags", "value": [1, None]},
    {"do": "set", "table": "batches", "rows": [1, 2], "field": "flags", "value": "x"},
    {"do": "rename-node", "node": 3, "name": "gun"},
    {"do": "parent", "node": "gun", "parent": None},
    {"do": "cell", "node": 0, "lod": 0, "group": 1, "slot": None},
    {"do": "key", "node": "gun", "index": 0, "position": [0.5, 1, "inf"]},
    {"do": "move", "node": "gun", "by": [1, 2, 3]},
    {"do": "recompute", "what": "bounds"},
    {"do": "add-entry", "name": "a", "payload": "00ff"},
    {"do": "repair", "fault": "parents"},
]
BAD: list[dict[str, Any]] = [
    {"do": "sett"},
    {"table": "batches"},
    {"do": "rename-node", "node": 3},
    {"do": "rename-node", "node": 3, "name": "gun", "more": 1},
    {"do": "rename-node", "node": 1.5, "name": "gun"},
    {"do": "cell", "node": 0, "lod": "x", "group": 1, "slot": 0},
    {"do": "move", "node": "gun", "by": [1, 2]},
    {"do": "recompute", "what": "everything"},
    {"do": "add-entry", "name": "a", "payload": "0"},
]


def test_it_is_a_schema_and_it_is_printed(capsys: Capture) -> None:
    meta.validate(SCHEMA)
    assert json.loads(success(capsys, "schema", "script")[0]) == SCHEMA


def test_every_change_is_described() -> None:
    cases = {case["then"]["properties"]["do"]["const"]: case["then"] for case in SCHEMA["items"]["allOf"]}
    assert set(cases) == set(script.CHANGES)
    assert all(case["description"] for case in cases.values())


@pytest.mark.parametrize("form", GOOD, ids=lambda form: form["do"])
def test_changes_follow_it(form: dict[str, Any]) -> None:
    assert script.parse([form])
    assert VALIDATOR.is_valid([form])
    assert VALIDATOR.is_valid(script.forms(script.parse([form])))


@pytest.mark.parametrize("form", BAD)
def test_what_is_refused_does_not_follow_it(form: dict[str, Any]) -> None:
    with pytest.raises(FormatError):
        script.parse([form])
    assert not VALIDATOR.is_valid([form])
