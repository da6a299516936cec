"""Values of typed classes from JSON and back, and the member that an error names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct, field

from viewer import typed_json
from viewer.errors import FormatError
from viewer.translation import _
from viewer.typed_json import COUNT, Base64, Limits, Pattern, made, plain_fields


class Metal(StrEnum):
    """An enumeration."""

    IRON = "iron"
    TIN = "tin"


class Rivet(Struct, frozen=True):
    """A class inside another one."""

    at: tuple[Annotated[int, COUNT], float]
    head: bytes


class Weld(Struct, frozen=True):
    """Another one, told from `Rivet` by its members."""

    start: int
    length: int = 3


class Plate(Struct, frozen=True):
    """A field of every kind."""

    name: Annotated[str, Pattern("[a-z]+", _("is no name"))]
    kind: Literal["thin", "thick"]
    gauge: Annotated[int, Limits(30, least=1)]
    joints: tuple[Rivet | Weld, ...]
    data: Base64
    metal: Metal = Metal.IRON
    marks: frozenset[Metal] = frozenset()
    note: str | None = None
    counts: Mapping[str, Annotated[int, COUNT]] = field(default_factory=dict)


JOINTS = [{"at": [2, "inf"], "head": "0fff"}, {"start": -1}]
PLATE: dict[str, Any] = {"name": "hull", "kind": "thin", "gauge": 8, "joints": JOINTS, "data": "AP8="}
VALUE = Plate("hull", "thin", 8, (Rivet((2, float("inf")), b"\x0f\xff"), Weld(-1)), Base64(b"\0\xff"))


def test_a_class_comes_from_its_json_and_goes_back() -> None:
    assert made(Plate, PLATE) == VALUE
    assert plain_fields(VALUE) == PLATE, "what has its default is left out"
    more = {"metal": "tin", "marks": ["iron", "tin"], "note": "x", "counts": {"a": 1}}
    assert plain_fields(made(Plate, {**PLATE, **more})) == {**PLATE, **more}


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"name": "Hull"}, "name"),
        ({"name": 5}, "name"),
        ({"kind": "wide"}, "kind"),
        ({"gauge": 0}, "gauge"),
        ({"gauge": 31}, "gauge"),
        ({"gauge": True}, "gauge"),
        ({"joints": {}}, "joints"),
        ({"joints": [*JOINTS, 7]}, "joints[2]"),
        ({"joints": [{"at": [2, 1.5]}]}, "joints[0].head"),
        ({"joints": [{"at": [2], "head": ""}]}, "joints[0].at"),
        ({"joints": [{"at": [-2, 1.5], "head": ""}]}, "joints[0].at[0]"),
        ({"joints": [{"at": [2, "1.5"], "head": ""}]}, "joints[0].at[1]"),
        ({"joints": [{"at": [2, 10**400], "head": ""}]}, "joints[0].at[1]"),
        ({"joints": [{"start": 1, "length": None}]}, "joints[0].length"),
        ({"data": "AP8"}, "data"),
        ({"metal": "lead"}, "metal"),
        ({"marks": ["tin", 1]}, "marks[1]"),
        ({"note": 1}, "note"),
        ({"counts": {"a": -1}}, "counts.a"),
    ],
)
def test_an_error_names_the_member(change: dict[str, Any], place: str) -> None:
    with pytest.raises(FormatError) as refused:
        made(Plate, {**PLATE, **change})
    assert refused.value.field == place


@pytest.mark.parametrize("kind", [Annotated[int, Limits(9)] | None, Annotated[int | None, Limits(9)]])
def test_bounds_are_of_the_values_but_for_none(kind: Any) -> None:
    assert [typed_json.usable(kind, it)[0] for it in (None, 0, 9)] == [None, 0, 9]
    for wrong in (-1, 10, 3.0):
        with pytest.raises(FormatError):
            typed_json.usable(kind, wrong)


@pytest.mark.parametrize("name", PLATE)
def test_members_without_a_default_are_needed(name: str) -> None:
    with pytest.raises(FormatError) as refused:
        made(Plate, {key: value for key, value in PLATE.items() if key != name})
    assert refused.value.field == name


def test_members_of_a_newer_version_are_left_out_unless_all_must_be_known() -> None:
    form = {**PLATE, "joints": [{"start": 1, "lenght": 2}]}
    assert made(Plate, form).joints == (Weld(1),)
    with pytest.raises(FormatError, match="length") as refused:
        made(Plate, form, is_strict=True)
    assert refused.value.field == "joints[0].lenght"


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b"\xff", b"[" * 100_000, b'{"a": ' + b"9" * 5000 + b"}"])
def test_a_document_is_an_object(text: bytes) -> None:
    with pytest.raises(FormatError):
        typed_json.document(text)


def test_the_line_of_what_is_no_json_is_said() -> None:
    with pytest.raises(FormatError, match="line 2, column 7"):
        typed_json.document(b'{"a": 1,\n "b": }')


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*PLATE, "at"]), inner),
)


@given(st.sampled_from([*PLATE, "marks", "counts", "note"]), JSON)
def test_any_json_is_taken_or_refused(name: str, value: Any) -> None:
    form, found = json.loads(json.dumps({**PLATE, name: value})), None
    with suppress(FormatError):
        found = made(Plate, form)
    assert found is None or made(Plate, json.loads(json.dumps(plain_fields(found)))) == found


@pytest.mark.parametrize("text", [b'{"a": 1, "a": 1}', b'{"x": [{"b": 1, "c": 2, "b": 3}]}'])
def test_a_key_that_is_there_twice_is_refused(text: bytes) -> None:
    with pytest.raises(FormatError, match=r"the key '[ab]' is there twice"):
        typed_json.document(text)


def test_a_key_that_is_there_often_is_found_at_once() -> None:
    text = ",".join(f'"{number}": 0' for number in [*range(200_000), 7])
    with pytest.raises(FormatError, match="the key '7' is there twice"):
        typed_json.document(f"{{{text}}}".encode())
