"""Texts that are as long as themselves: names of parts, names and effects of skies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests import skies
from viewer.errors import EditError
from viewer.formats import sky
from viewer.model.edit.draft import Draft
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.registry import by_id

GUN = b"//G3:L1\r\n#1L88\r\n#2Cannon\r\n"
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
