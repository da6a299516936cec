"""What is said of a material."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.formats import mat0
from viewer.formats.meaning import meaning
from viewer.formats.record import Record
from viewer.model.material.materials import PLAIN_PHASE, AlphaKind, Material, Phase
from viewer.model.mesh.reading import SEED
from viewer.ui.material.material_sheet import block_facts, entry_facts, facts, phase_title

PHASE = mat0.PhaseRecord(b"A.0", ambient_alpha=60, emissive_alpha=51)
STORED = mat0.decode(mat0.build([PHASE], [mat0.block(1, 0x18, [(0, 100)])], ground=(255, 255, 1.0, 0)))


def test_every_field_of_a_phase_is_told() -> None:
    assert facts(PLAIN_PHASE, AlphaKind.GLOSS) == {
        "power": "0",
        "is lit": "yes",
        "texture": "none",
        "page": "whole texture",
        "alpha": "gloss",
    }
    other = facts(PLAIN_PHASE, AlphaKind.GLOSS, is_reordered=True)
    assert other["alpha"] == "gloss in the usual byte order"


def test_a_phase_is_called_by_what_it_puts_on() -> None:
    white = (1.0, 1.0, 1.0, 1.0)
    phase = Phase(white, white, white, white, texture="SIGN.0", page=3)
    assert phase_title(phase, 2) == "2  SIGN.0, rectangle 3"
    assert phase_title(PLAIN_PHASE, 0) == "0  untextured"


def test_the_plain_look_has_a_factor_of_its_own() -> None:
    assert "plain look" not in entry_facts(Material(0), STORED)
    assert entry_facts(Material(0, opacity=0.25), STORED)["plain look"] == "alpha times 0.25, if it blends"


def test_the_flags_of_an_entry_are_taken_apart_and_none_is_dropped() -> None:
    told = entry_facts(Material(0, attr1=0x100 | 0x42 | 2 << 2), STORED)
    assert told["attr1"] == "0x0000014A"
    assert told["flags"] == "lit skin, extra material flag, unknown 0x0100"
    assert told["blend"] == "index 2: add"
    assert told["attr2"] == "version 6"
    assert "tail" not in told


def test_what_a_version_does_not_store_and_what_follows_the_last_block_is_told() -> None:
    old = mat0.decode(mat0.encode(mat0.decode(b"\0\0\0\0", 1)) + b"\xab\xcd", 1)
    told = entry_facts(Material(0), old)
    assert told["attr2"].startswith("version 1: 4 bytes of header")
    assert told["tail"] == "2 bytes: ab cd"


def test_the_header_of_a_block_is_raw_and_decoded() -> None:
    assert block_facts(STORED.blocks[0]) == {
        "header": "0x000000C1",
        "mode": "1: ping-pong",
        "blends": "0x18: emissive, ambient alpha",
    }
    assert block_facts(mat0.block(7, 0x200, []))["blends"] == "0x200: unknown 0x0200"


@pytest.mark.parametrize(
    ("record", "name", "row", "expected"),
    [
        (mat0.HEADER, "ground_surface", STORED.header, "not set"),
        (mat0.PHASE, "diffuse", STORED.phases[0], "1  1  1"),
        (mat0.PHASE, "emissive_alpha", STORED.phases[0], "0.2"),
        (mat0.PHASE, "ambient_alpha", STORED.phases[0], "0.6"),
        (mat0.PHASE, "page", STORED.phases[0], "whole texture"),
        (mat0.PHASE, "power", STORED.phases[0], ""),
    ],
)
def test_stored_fields_are_decoded(record: Record, name: str, row: np.void, expected: str) -> None:
    field = next(field for field in record.fields if field.name == name)
    assert meaning(field, row[name], SEED.choices) == expected
