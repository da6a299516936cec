"""Scripts: every change and its JSON form are the same thing, and what is not a change is refused."""

from __future__ import annotations

import importlib
import json
import pkgutil
from enum import StrEnum
from types import UnionType
from typing import Any, Union, get_args, get_origin

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from viewer.errors import FormatError
from viewer.model import edit
from viewer.model.edit import script
from viewer.model.edit.change import Change
from viewer.model.edit.draft import Draft
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.typed_json import is_record, types_of

VALUES = st.recursive(
    st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=8,
)


class Side(StrEnum):
    """Two sides."""

    LEFT = "left side"
    RIGHT = "right side"


class ScriptPoint(Struct, frozen=True):
    """A point."""

    at: tuple[float, float, float]


class Everything(Change, frozen=True):
    """A change with a field of each type."""

    node: int | str
    spots: tuple[ScriptPoint, ...]
    data: bytes = b""
    side: Side | None = None
    is_kept: bool = False

    @property
    def words(self) -> str:
        """Its name."""
        return "everything"

    def apply(self, draft: Draft) -> None:
        """Never called."""
        raise NotImplementedError


@pytest.fixture
def everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "CHANGES", {**script.CHANGES, "everything": Everything})


@given(st.text(), st.text(), st.text(), VALUES)
def test_a_change_comes_back_from_its_form(table: str, rows: str, field: str, value: Any) -> None:
    change = SetField(table, RowChoice(rows), field, value)
    form = json.loads(json.dumps(script.forms([change])))
    assert script.parse(form) == (change,)
    assert form[0]["do"] == "set"


@pytest.mark.usefixtures("everything")
def test_fields_of_every_type_come_back() -> None:
    change = Everything(
        "gun", (ScriptPoint((1.0, float("inf"), -0.5)),), b"\x01\xff", Side.LEFT, is_kept=True
    )
    form = json.loads(json.dumps(script.form_of(change)))
    assert form == {
        "do": "everything",
        "node": "gun",
        "spots": [{"at": [1.0, "inf", -0.5]}],
        "data": "01ff",
        "side": "left side",
        "is_kept": True,
    }
    assert script.parse([form]) == (change,)
    assert script.form_of(Everything(3, ())) == {"do": "everything", "node": 3, "spots": []}


@pytest.mark.parametrize("rows", [[2, 5], 7])
def test_rows_may_be_numbers(rows: object) -> None:
    (change,) = script.parse([{"do": "set", "table": "t", "rows": rows, "field": "f", "value": 0}])
    assert change == SetField("t", RowChoice.of(*(rows if isinstance(rows, list) else [rows])), "f", 0)


SET = {"do": "set", "table": "t", "rows": "0", "field": "f", "value": 1}
ALL = {"do": "everything", "node": 0, "spots": []}


@pytest.mark.usefixtures("everything")
@pytest.mark.parametrize(
    ("form", "place"),
    [
        (7, "changes[1]"),
        ({"do": 3}, "changes[1]"),
        ({"do": "sett"}, "changes[1].do"),
        ({**SET, "valeu": 1}, "changes[1].valeu"),
        ({"do": "set", "table": "t"}, "changes[1].rows"),
        ({**SET, "rows": -1}, "changes[1].rows"),
        ({**SET, "rows": [1, True]}, "changes[1].rows[1]"),
        ({**SET, "table": None}, "changes[1].table"),
        ({**ALL, "node": 1.5}, "changes[1].node"),
        ({"do": "add-key", "node": 0, "time": 1 << 2000}, "changes[1].time"),
        ({**ALL, "spots": [{"at": [1, 2]}]}, "changes[1].spots[0].at"),
        ({**ALL, "data": "0g"}, "changes[1].data"),
        ({**ALL, "data": 1}, "changes[1].data"),
        ({**ALL, "side": "right"}, "changes[1].side"),
        ({**ALL, "is_kept": 1}, "changes[1].is_kept"),
    ],
)
def test_what_is_not_a_change_is_refused_with_its_place(form: object, place: str) -> None:
    with pytest.raises(FormatError) as refused:
        script.parse([SET, form])
    assert str(refused.value).startswith(f"{place}: ")


def test_a_script_is_a_list() -> None:
    with pytest.raises(FormatError):
        script.parse(SET)


def test_every_change_has_one_name() -> None:
    assert len({*script.CHANGES.values()}) == len(script.CHANGES)
    assert all(map(is_record, script.CHANGES.values()))


PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    RowChoice: st.text().map(RowChoice),
    Any: VALUES,
    object: VALUES,
    float: st.floats(allow_nan=False),
}


def of_type(kind: Any) -> st.SearchStrategy[Any]:
    """Values of the type of a field."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return st.one_of(*map(of_type, inner))
    if origin is tuple and inner[-1] is not Ellipsis:
        return st.tuples(*map(of_type, inner))
    if origin in (tuple, frozenset):
        return st.lists(of_type(inner[0]), max_size=3).map(origin)
    return PLAIN[kind] if kind in PLAIN else made_of(kind) if is_record(kind) else st.from_type(kind)


def made_of(kind: Any) -> st.SearchStrategy[Any]:
    """Instances of a class with values of the types of its fields."""
    return st.builds(kind, **{name: of_type(it) for name, it in types_of(kind).items()})


@pytest.mark.parametrize("name", script.CHANGES)
def test_every_change_comes_back_from_its_form(name: str) -> None:
    kind = script.CHANGES[name]

    @given(made_of(kind))
    def check(change: Change) -> None:
        form = json.loads(json.dumps(script.form_of(change)))
        assert form["do"] == name
        assert script.parse([form]) == (change,)

    check()


def test_no_change_is_forgotten() -> None:
    found = set()
    for module in pkgutil.walk_packages(edit.__path__, f"{edit.__name__}."):
        for kind in vars(importlib.import_module(module.name)).values():
            if is_record(kind) and issubclass(kind, Change) and kind is not Change:
                found.add(kind)
    assert found - {*script.CHANGES.values()} == set()
