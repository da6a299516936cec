"""Texts that are as long as themselves: names of parts, names and effects of skies, labels of slots."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import pytest

from tests import skies
from viewer.errors import EditError
from viewer.formats import sky
from viewer.formats.neighbors import component, control
from viewer.model.edit.draft import Draft
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.registry import by_id

GUN = b"//G3:L1\r\n#1L88\r\n#2Cannon\r\n"
COMPONENT = struct.pack("<2i", 3, -1) + bytes(component.COMPONENT.size - 8)
EMPTY, OLD = bytes(4), struct.pack("<i", 7) + b"i_eng_b\0"
HEAD = struct.pack("<5i", 0, 0, 0, 2, 0) + bytes(control.PARAMETERS.size)
CONTROLLER = HEAD + COMPONENT + EMPTY + COMPONENT + OLD + bytes(84)
"""Two components without channels, the second of which has a label."""
NAMES = "sections[0].keyframes[0].names"


def edited(kind: str, data: bytes, table: str, rows: Sequence[int], field: str, value: Any) -> bytes:
    draft = Draft(by_id(kind), data)
    SetField(table, RowChoice.of(*rows), field, value).apply(draft)
    return bytes(draft.data)


@pytest.mark.parametrize("name", ["Large cannon", "Gun", "Cannon", "Пушка"])
def test_a_name_takes_the_place_of_another_of_any_length(name: str) -> None:
    after = edited("description", GUN, "lines", [2], "text", name)
    assert after == GUN.replace(b"Cannon", name.encode("cp1251"))


def test_an_empty_code_leaves_its_line() -> None:
    assert edited("description", GUN, "lines", [1], "text", "") == GUN.replace(b"L88", b"")


@pytest.mark.parametrize(("field", "value"), [("text", "a\r\nb"), ("rest", ""), ("tag", "#2x")])
def test_what_would_be_other_lines_is_refused(field: str, value: str) -> None:
    with pytest.raises(EditError, match="read differently"):
        edited("description", GUN, "lines", [1], field, value)


@pytest.mark.parametrize("name", ["moon", "s", ""])
def test_a_name_of_a_sky_has_its_length_before_it(name: str) -> None:
    after = edited("sky", skies.SKY, NAMES, [0], "text", name)
    assert after == skies.SKY.replace(skies.text(b"sun"), skies.text(name.encode()), 1)
    assert sky.decode(after).sections[0].keyframes[0].names[0] == name.encode()
    assert sky.decode(after).diagnostics == ()


def test_an_effect_is_renamed_where_there_was_none_too() -> None:
    effects = edited("sky", skies.SKY, "sections[0].keyframes[1].effects", [1], "text", "thunder.wav")
    assert sky.decode(effects).sections[0].keyframes[1].effects == (b"wind.wav", b"thunder.wav")
    named = edited("sky", skies.SKY, NAMES, [5], "text", "last")
    assert sky.decode(named).sections[0].keyframes[0].names == (b"sun", b"", b"", b"", b"", b"last")


@pytest.mark.parametrize("label", ["i_reactor_b", "i_e", ""])
@pytest.mark.parametrize("index", [0, 1])
def test_a_label_is_set_at_any_length_where_there_was_none_too(index: int, label: str) -> None:
    """The length before it and the NUL after it follow; an empty one is its length alone."""
    stored = label.encode()
    written = len(stored).to_bytes(4, "little") + (stored + b"\0" if label else b"")
    for table, rows, field in (("components", [index], "label"), (f"components[{index}].label", [], "text")):
        after = edited("control", CONTROLLER, table, rows, field, label)
        pieces = [EMPTY, OLD]
        pieces[index] = written
        assert after == HEAD + b"".join(COMPONENT + it for it in pieces) + bytes(84)
        labels = [it.label for it in control.decode(after).components]
        assert labels[index] == (stored or None)
        assert labels[1 - index] == (None if index else b"i_eng_b")


def test_a_field_of_a_component_is_set_under_the_name_under_which_it_is_printed() -> None:
    after = edited("control", CONTROLLER, "components", [1], "class", 5)
    assert [it.number for it in control.decode(after).components] == [3, 5]
    with pytest.raises(EditError, match="its parts are component, driven, label"):
        edited("control", CONTROLLER, "components", [1], "labels", 5)
