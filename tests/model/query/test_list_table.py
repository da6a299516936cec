"""Conditions on lists whose rows differ: lines, blocks, commands."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.formats import fxid, mat0, wear
from viewer.formats.fxid import COMMAND_KINDS
from viewer.formats.part import Part, find
from viewer.model.query.condition import Condition
from viewer.model.query.list_table import of_list


def chosen(root: Part, path: str, condition: str) -> list[int]:
    """The rows of a list for which a condition holds."""
    part = find(root, path)
    assert part is not None
    return np.flatnonzero(Condition.parse(condition).rows(of_list(part))).tolist()


@pytest.mark.parametrize(
    ("condition", "rows"),
    [("name = STEEL", [0, 2]), ("name = s*", [0, 2]), ("number > 0", [1, 2]), ("row = 1", [1])],
)
def test_lines_of_a_wear_table(condition: str, rows: list[int]) -> None:
    root = wear.parts(wear.decode(wear.build([b"STEEL", b"GLASS", b"steel"])))
    assert chosen(root, "materials", condition) == rows


@pytest.mark.parametrize(
    ("condition", "rows"), [("mode = once", [1]), ("key_count >= 2", [0]), ("mask & 1", [1])]
)
def test_blocks_of_a_material(condition: str, rows: list[int]) -> None:
    blocks = [mat0.block(0, 2, [(0, 1), (0, 2)]), mat0.block(2, 1, [(0, 1)])]
    root = mat0.parts(mat0.decode(mat0.build([mat0.PhaseRecord()], blocks)))
    assert chosen(root, "blocks", condition) == rows


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("kind = light", [0]),
        ("opcode = 2", [1]),
        ("enabled = yes", [0, 1, 2]),
        ("archive = a.rlb", [1]),
        ("start > 1", [1]),
    ],
)
def test_commands_of_an_effect(condition: str, rows: list[int]) -> None:
    commands = [COMMAND_KINDS[opcode].record.new() for opcode in (1, 2, 6)]
    for opcode, command in zip((1, 2, 6), commands, strict=True):
        command["word"] = opcode | fxid.ENABLED
    commands[1]["archive"], commands[1]["start"] = np.void(b"a.rlb".ljust(32, b"\0")), 2
    header = fxid.HEADER.new()
    header["command_count"] = 3
    data = header.tobytes() + b"".join(command.tobytes() for command in commands)
    assert chosen(fxid.parts(fxid.decode(data)), "commands", condition) == rows
