"""``inspect --at``: one spot of a payload, by its place or its offset."""

from __future__ import annotations

import json

import pytest

from tests.cli.console import GAME, WALKER, Capture, failure, success

METAL = f"{GAME / 'Material.lib'}::WALKER_METAL"


def spot(capsys: Capture, address: str, at: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(success(capsys, "inspect", address, "--at", at, "--json")[0])
    return found


def test_a_field_has_offset_type_value_meaning_and_certainty(capsys: Capture) -> None:
    found = spot(capsys, METAL, "header.ground_surface")
    assert (found["offset"], found["size"], found["type"], found["value"]) == (4, 1, "u8", 255)
    assert (found["bytes"], found["meaning"], found["status"]) == ("ff", "not set", "inferred")


def test_an_offset_leads_to_the_field_and_the_field_to_the_offset(capsys: Capture) -> None:
    field = spot(capsys, WALKER, "nodes[3].parent")
    assert spot(capsys, WALKER, f"{field['offset']:#x}") == field
    assert spot(capsys, WALKER, str(field["offset"])) == field


def test_rows_and_parts_are_whole(capsys: Capture) -> None:
    row = spot(capsys, METAL, "phases[0]")
    assert row["size"] == 34
    assert isinstance(row["value"], dict)
    assert row["value"]["texture"] == "METAL.0"
    phases = spot(capsys, METAL, "phases")
    assert isinstance(phases["value"], list)
    assert len(phases["value"]) == 1
    assert "phases[0].power" in success(capsys, "inspect", METAL, "--at", "phases[0].power")[0]


@pytest.mark.parametrize("at", ["phases[9]", "nothing", "header.nothing", "999999", "phases[0].x", "a b"])
def test_what_is_not_there_is_one_error(capsys: Capture, at: str) -> None:
    assert "inspect" in failure(capsys, "inspect", METAL, "--at", at)
