"""Materials: the worked example field by field, versions, damage, and the corpora."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewer.errors import FormatError
from viewer.formats import mat0
from viewer.formats.archive.nres import Archive

EXAMPLE = bytes.fromhex(
    "01000100 0506 0000803F 00000000"
    "333333 64 FF8000 FF 000000 FF 0A141E FF 28 FF"
    "535445454C2E30 000000000000000000"
    "11000000 0200 000000000000 0000F4010000"
)


def rules(material: mat0.MaterialRecord) -> list[str]:
    return [finding.rule for finding in material.diagnostics]


def test_the_worked_example() -> None:
    material = mat0.decode(EXAMPLE)
    assert mat0.HEADER.row(material.header) == {
        "phase_count": 1, "block_count": 1, "ground_surface": 5, "unknown_0x05": 6, "speed_factor": 1.0,
        "damage_per_second": 0,
    }  # fmt: skip
    phase = mat0.PHASE.row(material.phases[0])
    assert phase["ambient"] == [0x33] * 3
    assert phase["ambient_alpha"] == 100
    assert phase["diffuse"] == [255, 128, 0]
    assert phase["specular"] == [0, 0, 0]
    assert phase["emissive"] == [10, 20, 30]
    assert [phase[f"{name}_alpha"] for name in ("diffuse", "specular", "emissive")] == [255] * 3
    assert (phase["power"], phase["page"]) == (40, -1)
    assert material.texture(0) == b"STEEL.0"
    assert (material.blocks[0].mode, material.blocks[0].mask) == (1, 2)
    assert material.blocks[0].keys.tolist() == [(0, 0, 0), (0, 500, 0)]
    assert material.diagnostics == ()


def test_the_worked_example_is_built_byte_for_byte() -> None:
    phase = mat0.PhaseRecord(
        b"STEEL.0", (51, 51, 51), 100, (255, 128, 0), 255, (0, 0, 0), 255, (10, 20, 30), 255, 40
    )
    block = mat0.block(1, 2, [(0, 0), (0, 500)])
    assert mat0.build([phase], [block], ground=(5, 6, 1.0, 0)) == EXAMPLE


@pytest.mark.parametrize(("version", "size"), [(0, 4), (1, 4), (2, 6), (3, 10), (4, 14), (6, 14)])
def test_a_version_stores_part_of_the_header(version: int, size: int) -> None:
    data = mat0.build([mat0.PhaseRecord(b"A.0")], ground=(2, 1, 0.5, 9), version=version)
    assert len(data) == size + mat0.PHASE.size
    header = mat0.decode(data, version).header
    assert header["ground_surface"] == (2 if version >= 2 else 255)
    assert header["speed_factor"] == (0.5 if version >= 3 else 1.0)
    assert header["damage_per_second"] == (9 if version >= 4 else 0)


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"\1\0\0", "header"),
        (b"\1\0\x14\0" + bytes(60), "header.block_count"),
        (b"\2\0\0\0" + bytes(10 + 34 + 33), "phases[1]"),
        (b"\xff\xff\0\0" + bytes(44), "phases[1]"),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_place(data: bytes, where: str) -> None:
    with pytest.raises(FormatError) as caught:
        mat0.decode(data)
    assert caught.value.where == where


def test_a_cut_block_leaves_the_phases() -> None:
    material = mat0.decode(EXAMPLE[:-1])
    assert len(material.phases) == 1
    assert material.blocks == ()
    assert rules(material) == ["M02", "M03"]
    assert mat0.encode(material) == EXAMPLE[:-1]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (EXAMPLE + b"?", ["M03"]),
        (mat0.build([]), ["M04"]),
        (EXAMPLE[:32] + b"x" * 16 + EXAMPLE[48:], ["M05"]),
        (EXAMPLE[:54] + b"\7" + EXAMPLE[55:], ["M06"]),
    ],
)
def test_one_finding_for_each_irregularity(data: bytes, expected: list[str]) -> None:
    material = mat0.decode(data)
    assert rules(material) == expected
    assert mat0.encode(material) == data


@given(
    st.builds(
        lambda phases, blocks, rest: struct.pack("<HH", phases, blocks) + rest,
        st.integers(0, 4), st.integers(0, 21), st.binary(max_size=250),
    ),
    st.integers(0, 7),
)  # fmt: skip
def test_any_bytes_are_read_or_refused(data: bytes, version: int) -> None:
    try:
        material = mat0.decode(data, version)
    except FormatError:
        return
    assert mat0.encode(material) == data


def test_every_material_of_the_corpora(samples: Path) -> None:
    for reading in ["seed", "field"]:
        truth = json.loads((samples / reading / "truth.json").read_text())["materials"]
        archive = Archive.read((samples / reading / "game" / "Material.lib").read_bytes())
        assert len(archive.entries) == len(truth)
        for entry in archive.entries:
            payload = archive.payload(entry.index)
            material = mat0.decode(payload, entry.attr2)
            _agrees(material, truth[entry.text])
            assert mat0.encode(material) == payload


def _agrees(material: mat0.MaterialRecord, truth: dict[str, Any]) -> None:
    meta = truth["meta"]
    assert material.version == truth["version"]
    assert [material.header["ground_surface"], material.header["unknown_0x05"]] == [meta["a"], meta["b"]]
    assert material.header["speed_factor"] == np.float32(meta["c"])
    assert material.header["damage_per_second"] == meta["d"]
    assert [phase.tobytes()[:18].hex() for phase in material.phases] == [p["params"] for p in truth["phases"]]
    names = [material.texture(index).decode() for index in range(len(material.phases))]
    assert names == [phase["texture"] for phase in truth["phases"]]
    found = [
        (block.mode, block.mask, [list(key) for key in block.keys.tolist()]) for block in material.blocks
    ]
    assert found == [(block["mode"], block["mask"], block["keys"]) for block in truth["blocks"]]
    assert material.diagnostics == ()
