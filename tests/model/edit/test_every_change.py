"""Every change that has a script form, with random values: it is made and can be undone, or it is refused.

Nothing else may happen, on whole files and on damaged ones: no other error, no half of a change.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats.payloads import Payload, payloads
from tests.share import examples
from viewer.errors import EditError, FormatError, UsageError
from viewer.formats import splice
from viewer.formats.part import walk
from viewer.model.edit import script
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.plan import plan
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.registry import KINDS, by_id
from viewer.typed_json import is_record

FILES: Final = 12
"""Files of each kind that are tried, from the smallest to one of middle size."""
MOST_BYTES: Final = 60_000

NUMBERS: Final = st.one_of(st.integers(0, 6), st.integers(-2, 70000))
TEXTS: Final = st.sampled_from(["", "a", "body", "gun_l", "Ствол", "日", "x" * 40, "0", "#0", "#1", "a\0b"])
ROWS: Final = st.sampled_from(["", "0", "1", "0:3", "*", "0,2", "row > 1", "flags & 1", "9999", "x = 1", "("])
FLOATS: Final = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 2.5, 30.0, 1e30, float("nan"), float("inf")]),
    st.floats(-50, 50, width=32),
)


def values(kind: Any, name: str, tables: tuple[str, ...]) -> st.SearchStrategy[Any]:
    """Values of a type, plausible for a field of that name."""
    if name == "table":
        return st.sampled_from([*tables, "nothing"])
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return st.one_of(*(values(it, name, tables) for it in get_args(kind)))
    if origin is tuple:
        return tuples(get_args(kind), name, tables)
    if is_record(kind) and kind is not RowChoice:
        hints = get_type_hints(kind)
        return st.builds(kind, **{it: values(hints[it], it, tables) for it in hints})
    if isinstance(kind, type) and issubclass(kind, Enum):
        return st.sampled_from([*kind])
    return SIMPLE[kind]


def tuples(kinds: tuple[Any, ...], name: str, tables: tuple[str, ...]) -> st.SearchStrategy[Any]:
    """Tuples of a length that the field wants, mostly."""
    if kinds[-1] is not Ellipsis:
        return st.tuples(*(values(it, name, tables) for it in kinds))
    sizes = {"matrix": 16, "position": 3, "offset": 3, "turn": 4, "quaternion": 4}
    size = sizes.get(name)
    one = values(kinds[0], name, tables)
    some = st.lists(one, max_size=4)
    return (some if size is None else st.one_of(some, st.lists(one, min_size=size, max_size=size))).map(tuple)


SIMPLE: Final[dict[Any, st.SearchStrategy[Any]]] = {
    str: TEXTS,
    int: NUMBERS,
    float: FLOATS,
    bool: st.booleans(),
    bytes: st.binary(max_size=40),
    NoneType: st.none(),
    RowChoice: ROWS.map(RowChoice),
    Any: st.one_of(NUMBERS, TEXTS, FLOATS, st.none()),
}


@cache
def files(kind: str) -> tuple[tuple[Payload, tuple[str, ...]], ...]:
    """Payloads of a kind that can be read, with the paths of their parts."""
    found = [it for it in payloads(kind) if len(it.data) <= MOST_BYTES]
    chosen = sorted(found, key=lambda it: len(it.data))[:: 1 + len(found) // FILES]
    return tuple((it, (*paths(it),)) for it in chosen if (*paths(it),))


def paths(payload: Payload) -> Iterator[str]:
    try:
        yield from (path for path, part in walk(draft_of(payload).parts) if part.is_table or part.record)
    except (FormatError, UsageError):
        return


def draft_of(payload: Payload) -> Draft:
    return Draft(by_id(payload.kind), payload.data, payload.entry)


ANYWHERE: Final = {"set", "add-rows", "remove-rows", "move-rows"}
IN: Final = {
    "replace-texture": ("texm",),
    "entry": ("nres", "rsli"),
    "follow-frames": ("control",),
    "follow-durations": ("control",),
}


def kinds_for(name: str) -> tuple[str, ...]:
    """The kinds of payloads that a change is tried on."""
    if name in ANYWHERE:
        return tuple(kind.id for kind in KINDS if files(kind.id))
    if name in IN:
        return (*IN[name], "msh")
    if "entr" in name or "indices" in name:
        return (*IN["entry"], "msh")
    return ("msh", "msh", "msh", "msh", "wear")


@pytest.mark.parametrize("name", sorted(script.CHANGES))
def test_a_change_is_made_or_refused(name: str) -> None:
    @settings(max_examples=examples(30), database=None, suppress_health_check=[*HealthCheck])
    @given(st.data())
    def run(data: st.DataObject) -> None:
        kind = data.draw(st.sampled_from(kinds_for(name)), label="kind")
        payload, tables = data.draw(st.sampled_from(files(kind)), label="file")
        check(payload, draw_change(name, tables, data), data)

    run()


def draw_change(name: str, tables: tuple[str, ...], data: st.DataObject) -> Change:
    made = script.CHANGES[name]
    hints = get_type_hints(made)
    given_values = {
        field: data.draw(values(hints[field], field, tables), label=field) for field in made.__struct_fields__
    }
    return made(**given_values)


def check(payload: Payload, change: Change, data: st.DataObject) -> None:
    """A change is made with all that follows from it, or refused with nothing done."""
    assert change.words
    form = json.loads(json.dumps(script.form_of(change)))
    assert script.form_of(script.change_of(0, form)) == script.form_of(change)
    draft = draft_of(payload)
    if is_refused(change, draft):
        assert draft.data == payload.data
        assert draft.splices == ()
        return
    draft = draft_of(payload)
    wanted = data.draw(st.sampled_from([(), (*Topic,)]), label="wanted")
    try:
        made = plan(draft, [change], wanted=wanted)
    except (EditError, UsageError):
        return
    assert splice.applied(payload.data, made.splices) == made.after
    assert splice.applied(made.after, splice.reverse(made.splices)) == payload.data
    if made.splices and draft.kind.is_known:
        assert draft.kind.decode(draft.data, draft.entry) is not None


def is_refused(change: Change, draft: Draft) -> bool:
    try:
        change.apply(draft)
    except (EditError, UsageError) as error:
        return bool(error.text)
    return False
