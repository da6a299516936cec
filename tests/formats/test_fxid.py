"""Effects: the worked example, damage, and the commands of the corpora."""

from __future__ import annotations

import json
import struct
from contextlib import suppress
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.contract import check_field_change, check_payload
from tests.formats.payloads import payloads
from tests.messages import states
from viewer.errors import FormatError
from viewer.formats import fxid
from viewer.formats.archive.nres import Archive
from viewer.formats.fxid import COMMAND_KINDS
from viewer.formats.meaning import meaning
from viewer.formats.part import encode, find, single, spot_at

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
    assert effect.enabled.tolist() == [True, True]
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
    assert kind.has_reference == (reference_at is not None)
    if reference_at is not None:
        assert kind.record.field("archive").offset == reference_at
        assert kind.record.field("resource").offset == reference_at + 32


@pytest.mark.parametrize(
    ("opcode", "field", "offset"),
    [
        (1, "color", 124), (2, "parameter", 80), (3, "set2_power", 124), (4, "distance_normaliser", 200),
        (5, "max_segments", 20), (7, "set1_power", 128), (8, "slots", 36), (9, "render_flag", 204),
        (10, "drag", 140),
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
    assert effect.enabled.tolist() == [True, True, True, False]
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
        assert spot_at(root, len(data) - 1).row == 999_999
        assert fxid.encode(effect) == data
    assert made.call_count < 100


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("time_mode", 2, "fraction of the normalised age"),
        ("time_mode", 18, "unnamed value 18"),
        ("flags", 0x4008, "random position shift, unknown 0x4000"),
    ],
)
def test_a_word_of_the_header_says_what_it_stands_for(field: str, value: int, text: str) -> None:
    assert meaning(fxid.HEADER.field(field), value) == text


@pytest.mark.parametrize(
    ("word", "text"),
    [(0x102, "opcode sound, enabled yes"), (0x302, "opcode sound, enabled yes, unnamed bits 0x200")],
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
            columns = effect.opcodes, effect.enabled, effect.commands.offsets, sizes
            commands = [[int(value) for value in command] for command in zip(*columns, strict=True)]
            assert commands == truth[entry.text]["commands"]
            assert {finding.rule for finding in effect.diagnostics} <= {"F04", "F05"}
