"""Effects: the worked example, damage, and the commands of the corpora.

Materials: the worked example field by field, versions, damage, and the corpora.

Damaged files: what must be refused, what must still be shown, and where it is wrong.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpora import our_paths
from tests.formats.contract import check_field_change, check_payload
from tests.formats.payloads import payloads
from tests.messages import rules, states
from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, Severity
from viewer.formats import fxid, mat0, wear
from viewer.formats.archive import rsli
from viewer.formats.archive.nres import Archive
from viewer.formats.fxid import COMMAND_KINDS
from viewer.formats.meaning import meaning
from viewer.formats.part import encode, find, place_at, single
from viewer.formats.texture import texm

SOUND = struct.pack("<I80x32s32s", 0x102, b"sounds.lib", b"boom.wav")
EXAMPLE = (
    bytes.fromhex("02000000 01000000 00002040 00000000 08020000 11030000 0000003F 0000003F 00000000")
    + bytes(12)
    + struct.pack("<3f", 1, 1, 1)
    + bytes.fromhex("06010000")
    + SOUND
)


def stream(*commands: bytes, count: int | None = None) -> bytes:
    return struct.pack("<I56x", len(commands) if count is None else count) + b"".join(commands)


def found(effect: fxid.Effect) -> list[tuple[str, str, int | None]]:
    return [(finding.rule, finding.table, finding.index) for finding in effect.diagnostics]


def test_the_worked_example() -> None:
    effect = fxid.decode(EXAMPLE)
    header = fxid.HEADER.row(effect.header)
    assert (header["time_mode"], header["duration"], header["flags"]) == (1, 2.5, 0x208)
    assert (header["settings_id"], header["random_shift"]) == (0x311, [0.5, 0.5, 0.0])
    assert header["scale"] == [1.0, 1.0, 1.0]
    assert [COMMAND_KINDS[opcode].name for opcode in effect.opcodes] == ["point", "sound"]
    assert effect.on_top.tolist() == [True, True]
    assert effect.commands.offsets.tolist() == [0x3C, 0x40]
    assert [*effect.references()] == [(1, b"sounds.lib", b"boom.wav")]
    assert effect.diagnostics == ()


@pytest.mark.parametrize(
    ("opcode", "size", "reference_at"),
    [
        (1, 224, 160), (2, 148, 84), (3, 200, 136), (4, 204, 136), (5, 112, 48), (6, 4, None), (7, 208, 144),
        (8, 248, 184), (9, 208, 136), (10, 208, 144),
    ],
)  # fmt: skip
def test_size_and_reference_of_each_opcode(opcode: int, size: int, reference_at: int | None) -> None:
    kind = COMMAND_KINDS[opcode]
    assert kind.record.size == size
    assert kind.has_window == (reference_at is not None)
    if reference_at is not None:
        assert kind.record.field("archive").offset == reference_at
        assert kind.record.field("resource").offset == reference_at + 32


@pytest.mark.parametrize(
    ("opcode", "field", "offset"),
    [
        (1, "mode", 4), (1, "window_end", 12), (1, "position_end", 28), (1, "direction_start", 40),
        (1, "color_start", 64), (1, "color_jitter", 96), (1, "range_start", 112), (1, "attenuation", 124),
        (2, "position_start", 16), (2, "near", 64), (2, "playback_rate_start", 72),
        (3, "mode", 4), (3, "phase_start", 8), (3, "fade_start", 20), (3, "window_start", 32),
        (3, "position_low", 40), (3, "position_exponents", 64), (3, "direction_start", 76),
        (3, "size_low", 100), (3, "size_high", 112), (3, "size_exponents", 124), (4, "reach", 200),
        (5, "fade_start", 4), (5, "window_start", 12), (5, "most_pieces", 20), (5, "width_start", 24),
        (5, "repeat", 32), (5, "segment", 36), (5, "phase_start", 40),
        (7, "fade_start", 8), (7, "window_start", 20), (7, "life", 28), (7, "phase_rate", 32),
        (7, "count_0", 36), (7, "position_low", 44), (7, "position_jitter", 68), (7, "size_low", 92),
        (7, "size_exponents", 128), (10, "drag", 140),
        (8, "fade_start", 4), (8, "window_start", 16), (8, "interval_start", 24), (8, "phase_exponent", 32),
        (8, "ring", 36), (8, "position_low", 88), (8, "position_jitter", 112), (8, "size_low", 136),
        (8, "size_exponents", 172), (9, "size_low", 100), (9, "shape", 200), (9, "is_faceted", 204),
    ],
)  # fmt: skip
def test_fields_lie_where_the_specification_says(opcode: int, field: str, offset: int) -> None:
    assert COMMAND_KINDS[opcode].record.field(field).offset == offset


def test_a_cut_header_is_refused() -> None:
    with pytest.raises(FormatError) as caught:
        fxid.decode(EXAMPLE[:59])
    assert caught.value.where == "header"


@pytest.mark.parametrize(
    ("data", "expected", "shown"),
    [
        (EXAMPLE[:-1], ("F02", "commands", 1), 1),
        (stream(SOUND, b"\0\0\0\0"), ("F02", "commands", 1), 1),
        (stream(SOUND, b"\x0b\0\0\0"), ("F02", "commands", 1), 1),
        (stream(SOUND, count=0xFFFFFFFF), ("F02", "commands", 1), 1),
        (stream(SOUND, count=0), ("F03", "tail", None), 0),
        (EXAMPLE + b"?", ("F03", "tail", None), 2),
        (stream(SOUND[:84] + bytes(64)), ("F04", "commands", 0), 1),
        (stream(b"\6\2\0\0"), ("F05", "commands", 0), 1),
    ],
)
def test_one_finding_for_each_damage(data: bytes, expected: tuple[str, str, int | None], shown: int) -> None:
    effect = fxid.decode(data)
    assert found(effect) == [expected]
    assert len(effect.commands.offsets) == shown
    assert fxid.encode(effect) == data


def test_the_records_of_a_kind_are_those_of_its_commands() -> None:
    other = SOUND[:84] + b"other.lib".ljust(32, b"\0") + b"x".ljust(32, b"\0")
    effect = fxid.decode(stream(SOUND, b"\6\1\0\0", other, b"\6\0\0\0"))
    assert effect.opcodes.tolist() == [2, 6, 2, 6]
    assert effect.on_top.tolist() == [True, True, True, False]
    assert effect.records(COMMAND_KINDS[2]).tobytes() == SOUND + other
    assert effect.records(COMMAND_KINDS[6]).tobytes() == b"\6\1\0\0\6\0\0\0"
    assert len(effect.records(COMMAND_KINDS[1])) == 0
    assert [*effect.references()] == [(0, b"sounds.lib", b"boom.wav"), (2, b"other.lib", b"x")]


def test_a_flood_of_findings_is_counted() -> None:
    *named, last = fxid.decode(stream(*[b"\6\2\0\0"] * 300)).diagnostics
    assert [finding.index for finding in named] == list(range(100))
    assert (last.rule, last.index) == ("F05", 100)
    assert states(last.message, "200")


@given(st.lists(st.binary(max_size=250) | st.sampled_from([b"\6\0\0\0", SOUND])), st.integers(0, 6))
def test_any_bytes_are_read_or_refused(commands: list[bytes], count: int) -> None:
    data = stream(*commands, count=count)
    effect = fxid.decode(data)
    assert len(effect.commands.offsets) <= count
    check_payload(data, fxid.encode(effect), fxid.parts(effect), effect.diagnostics)


@given(st.data())
def test_a_changed_field_changes_its_bytes_alone(data: st.DataObject) -> None:
    commands = [
        struct.pack("<I", opcode).ljust(kind.record.size, b"x") for opcode, kind in COMMAND_KINDS.items()
    ]
    order = data.draw(st.lists(st.sampled_from(commands), max_size=8))
    effect = fxid.decode(stream(*order) + b"rest")
    check_field_change(effect, fxid.encode, fxid.parts(effect), data)


def test_every_effect_that_there_is_is_built_from_its_fields() -> None:
    for it in payloads("fxid"):
        with suppress(FormatError):
            effect = fxid.decode(it.data)
            check_payload(bytes(it.data), fxid.encode(effect), fxid.parts(effect), effect.diagnostics)


def test_commands_become_parts_when_they_are_asked_for() -> None:
    other = SOUND[:84] + b"other.lib".ljust(64, b"\0")
    commands = fxid.parts(fxid.decode(stream(SOUND, b"\6\1\0\0", other, b"\6\0\0\0"))).children[1]
    assert [(part.name, part.start) for part in commands.children] == [
        ("sound", 60), ("point", 208), ("sound", 212), ("point", 360),
    ]  # fmt: skip
    assert encode(commands.children[-2]) == other
    assert [part.name for part in commands.children[1:3]] == ["point", "sound"]
    with pytest.raises(IndexError):
        commands.children[4]


def test_a_million_commands_are_put_back_without_taking_each_apart() -> None:
    data = stream(*[b"\6\1\0\0", b"\6\0\0\0"] * 500_000)
    with patch("viewer.formats.part.single", wraps=single) as made:
        effect = fxid.decode(data)
        root = fxid.parts(effect)
        last = find(root, "commands[999999]")
        assert last is not None
        assert (last.start, last.end) == (len(data) - 4, len(data))
        assert place_at(root, len(data) - 1).row == 999_999
        assert fxid.encode(effect) == data
    assert made.call_count < 100


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("time_mode", 2, "fraction of the normalized age"),
        ("time_mode", 18, "unnamed value 18"),
        ("flags", 0x4008, "random shift, unknown 0x4000"),
    ],
)
def test_a_word_of_the_header_says_what_it_stands_for(field: str, value: int, text: str) -> None:
    assert meaning(fxid.HEADER.field(field), value) == text


@pytest.mark.parametrize(
    ("word", "text"),
    [(0x102, "opcode sound, on_top yes"), (0x302, "opcode sound, on_top yes, unnamed bits 0x200")],
)
def test_the_word_of_a_command_says_what_it_is(word: int, text: str) -> None:
    assert meaning(COMMAND_KINDS[2].record.field("word"), word) == text


def test_every_effect_of_the_corpora(samples: Path) -> None:
    for reading in ["seed", "field"]:
        truth = json.loads((samples / reading / "truth.json").read_text())["fx"]
        archive = Archive.read((samples / reading / "game" / "effects.rlb").read_bytes())
        for entry in archive.entries:
            effect = fxid.decode(archive.payload(entry.index))
            sizes = [COMMAND_KINDS[opcode].record.size for opcode in effect.opcodes.tolist()]
            columns = effect.opcodes, effect.on_top, effect.commands.offsets, sizes
            commands = [[int(value) for value in command] for command in zip(*columns, strict=True)]
            assert commands == truth[entry.text]["commands"]
            assert {finding.rule for finding in effect.diagnostics} <= {"F04", "F05"}


MATERIAL_EXAMPLE = bytes.fromhex(
    "01000100 0506 0000803F 00000000"
    "333333 64 FF8000 FF 000000 FF 0A141E FF 28 FF"
    "535445454C2E30 000000000000000000"
    "11000000 0200 000000000000 0000F4010000"
)


def test_the_worked_example_of_a_material() -> None:
    material = mat0.decode(MATERIAL_EXAMPLE)
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
    assert mat0.build([phase], [block], ground=(5, 6, 1.0, 0)) == MATERIAL_EXAMPLE


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
    material = mat0.decode(MATERIAL_EXAMPLE[:-1])
    assert len(material.phases) == 1
    assert material.blocks == ()
    assert rules(material) == ["M02", "M03"]
    assert mat0.encode(material) == MATERIAL_EXAMPLE[:-1]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (MATERIAL_EXAMPLE + b"?", ["M03"]),
        (mat0.build([]), ["M04"]),
        (MATERIAL_EXAMPLE[:32] + b"x" * 16 + MATERIAL_EXAMPLE[48:], ["M05"]),
        (MATERIAL_EXAMPLE[:54] + b"\7" + MATERIAL_EXAMPLE[55:], ["M06"]),
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
def test_any_bytes_are_read_as_a_material_or_refused(data: bytes, version: int) -> None:
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


def _library(data: bytes) -> list[Diagnostic | FormatError]:
    archive = rsli.PackedLibrary.read(data)
    findings: list[Diagnostic | FormatError] = [*archive.diagnostics]
    for entry in archive.entries:
        try:
            findings += archive.unpack(entry.index).diagnostics
        except FormatError as error:
            findings.append(error)
    return findings


_DECODERS: dict[str, Callable[[bytes, int], list[Any]]] = {
    "texm": lambda data, _: [*texm.decode(data).diagnostics],
    "wear": lambda data, _: [*wear.decode(data).diagnostics],
    "mat0": lambda data, version: [*mat0.decode(data, version).diagnostics],
    "fxid": lambda data, _: [*fxid.decode(data).diagnostics],
    "rsli": lambda data, _: _library(data),
}


def _findings(folder: Path, mutant: dict[str, Any]) -> tuple[bool, list[Any]]:
    """Whether the file can be shown, and every error found in it."""
    data = (folder / mutant["file"]).read_bytes()
    try:
        findings = _DECODERS[mutant["kind"]](data, mutant.get("version", mat0.VERSION))
    except FormatError as error:
        return False, [error]
    return True, [f for f in findings if isinstance(f, FormatError) or f.severity is Severity.ERROR]


@pytest.fixture(scope="module")
def mutants(files: Path) -> list[tuple[Path, dict[str, Any]]]:
    folder = files / "damaged"
    manifest = json.loads((folder / "manifest.json").read_text())
    return [(folder, mutant) for mutant in manifest["mutants"] if mutant["kind"] in _DECODERS]


def test_what_the_manifest_wants_shown_is_shown(mutants: list[tuple[Path, dict[str, Any]]]) -> None:
    wrong = [
        mutant["name"]
        for folder, mutant in mutants
        if mutant["tolerant"] != "any" and _findings(folder, mutant)[0] != (mutant["tolerant"] == "shows")
    ]
    assert wrong == []


def test_every_damage_is_found_at_its_place(mutants: list[tuple[Path, dict[str, Any]]]) -> None:
    for folder, mutant in mutants:
        errors = _findings(folder, mutant)[1]
        if mutant["strict"] == "error":
            places = {(error.table, error.index if mutant["indices"] else None) for error in errors}
            requested = {
                (table, index)
                for table in our_paths(mutant["tables"])
                for index in mutant["indices"] or [None]
            }
            assert places & requested, mutant["name"]
        elif mutant["strict"] == "ok":
            assert errors == [], mutant["name"]
