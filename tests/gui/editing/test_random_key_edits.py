"""Random edits of keys through the window: each is one step or refused, and undone to the same bytes."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.gui.harness import SIDES, GuiTester
from viewer.model.store.address import Address
from viewer.session.play.keys.key_sheet import KeyEdit, KeySheet, Mark

pytestmark = pytest.mark.closed(*SIDES)

EDITS, SEED = 24, 1
LAST = 40
"""The latest frame of the cursor."""


def chosen(random: Random, keys: KeySheet) -> frozenset[Mark]:
    """One to five keys of any nodes."""
    pairs = zip(keys.nodes.tolist(), keys.indices.tolist(), strict=True)
    known = [Mark(node, place) for node, place in pairs]
    return frozenset(random.sample(known, min(random.randint(1, 5), len(known))))


def made(random: Random, keys: KeySheet, node_count: int) -> KeyEdit:
    marks, cursor = chosen(random, keys), float(random.randint(0, LAST))
    match random.randrange(5):
        case 0:
            return keys.shifted(marks, random.randint(-8, 8))
        case 1:
            return keys.scaled(marks, cursor, random.uniform(0, 2))
        case 2:
            return keys.removed(marks)
        case 3:
            return keys.pasted(keys.copied(marks), cursor, random.randrange(node_count))
        case _:
            return keys.pasted(keys.copied(marks), cursor)


def test_each_edit_is_one_step_and_all_are_undone(crane: GuiTester, archive: Path) -> None:
    random, library = Random(SEED), crane.app.opener.library
    address = crane.document.address
    states = [bytes(library.file(archive))]
    for _number in range(EDITS):
        keys = KeySheet(crane.document)
        edit = made(random, keys, crane.document.model.node_count)
        if not edit.changes:
            continue
        crane.commands.edits.edit(address, edit.changes)
        after = bytes(library.file(archive))
        if crane.state.message:
            assert "both be at frame" in crane.state.message or "is at frame" in crane.state.message
            crane.state.message = ""
            assert after == states[-1], "what is refused changes nothing"
            continue
        if after != states[-1]:
            states.append(after)
        assert len(crane.state.edits.at(Address(archive)).steps) == len(states) - 1
        sheet = KeySheet(crane.document)
        assert not sheet.problems
        assert sheet.marks(edit.chosen) or not edit.chosen
    assert len(states) > EDITS // 3
    for expected in states[-2::-1]:
        crane.commands.edits.step(-1)
        assert bytes(library.file(archive)) == expected
    assert states[0] == archive.read_bytes()
    for expected in states[1:]:
        crane.commands.edits.step(1)
        assert bytes(library.file(archive)) == expected
