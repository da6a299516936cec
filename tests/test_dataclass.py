"""Lazily made dataclasses behave as those of the standard library."""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import pickle
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import viewer
from viewer.dataclass import FIRST_CALLS, dataclass, field, fields, is_dataclass, lazy_dataclass, replace

Decorator = Callable[..., Any]


def _pair(decorator: Decorator, declared: Callable[..., Any]) -> Any:
    """A class with a base, a default, a factory, a field that is not compared and one that is derived."""

    class Base:
        first: int
        text: str = "none"

    class Pair(decorator(frozen=True, slots=True)(Base)):  # type: ignore[misc]
        names: list[str] = declared(default_factory=list)
        note: str = declared(default="", compare=False, repr=False)
        total: int = declared(default=0, init=False)
        kept: int = declared(default=7, init=False)
        made: list[int] = declared(default_factory=list, init=False, compare=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "total", self.first + len(self.names))

    Pair.__qualname__ = "Pair"
    return decorator(frozen=True, slots=True)(Pair)


PAIR, EXPECTED = _pair(lazy_dataclass, field), _pair(dataclasses.dataclass, dataclasses.field)


@dataclass(frozen=True, slots=True)
class Point:
    """A value that can be pickled."""

    x: float
    y: float = 0.0


@dataclass(slots=True)
class Open:
    """A value that can be changed."""

    x: Any = None


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ((1,), {}),
        ((1, "a", ["b"]), {"note": "c"}),
        ((), {"first": 1}),
        ((), {}),
        ((1,), {"other": 2}),
        ((1,), {"first": 2}),
        ((1,), {"total": 2}),
    ],
)
def test_the_arguments_are_those_of_the_standard_library(
    values: tuple[Any, ...], named: dict[str, Any]
) -> None:
    def made(cls: Any) -> str:
        try:
            it = cls(*values, **named)
        except TypeError as error:
            return str(error)
        seen = it.note, it.made, it.kept, it.__match_args__, cls.__slots__, hasattr(it, "__dict__")
        return f"{it!r} {seen}"

    assert made(PAIR) == made(EXPECTED)
    for _ in range(FIRST_CALLS):
        made(PAIR)
    assert made(PAIR) == made(EXPECTED)  # by the compiled ``__init__`` too


def test_equal_fields_make_equal_values_of_one_class() -> None:
    assert PAIR(1, note="a") == PAIR(1, note="b")
    assert PAIR(1) != PAIR(2)
    assert PAIR(1) != EXPECTED(1)
    assert hash(Point(1)) == hash(Point(1.0, 0.0))
    array = np.zeros(2)
    assert Open(array) == Open(array)
    with pytest.raises(TypeError, match="unhashable"):
        hash(Open())


def test_each_value_gets_a_list_of_its_own() -> None:
    first, second = PAIR(1), PAIR(1)
    first.names.append("a")
    assert (second.names, second.made is first.made) == ([], False)


def test_a_frozen_value_refuses_changes_and_an_open_one_takes_them() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
        Point(1).x = 2  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
        del Point(1).x
    it = Open()
    it.x = 3
    assert it == Open(3)


def test_values_are_copied_replaced_and_pickled() -> None:
    it = Point(1, 2)
    assert replace(it, x=3) == Point(3, 2)
    with pytest.raises(TypeError, match="unexpected"):
        replace(PAIR(1), total=2)
    assert copy.deepcopy(it) == pickle.loads(pickle.dumps(it)) == it


def _own(decorator: Decorator) -> Any:
    class Own:
        x: int

        def __eq__(self, _: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

        def __repr__(self) -> str:
            return "own"

    return decorator(frozen=True)(Own)


def test_methods_of_the_class_itself_are_kept() -> None:
    made, other = _own(lazy_dataclass)(1), _own(lazy_dataclass)(1)
    assert (repr(made), made == other, hash(made)) == ("own", True, 7)


def test_a_frozen_class_with_equality_of_its_own_has_a_hash_of_its_fields() -> None:
    names = {"__annotations__": {"x": "int"}, "__eq__": lambda *_: True}
    cls: Any = lazy_dataclass(frozen=True)(type("Own", (), names))
    assert hash(cls(1)) == hash(cls(1)) != hash(cls(2))


def test_the_standard_library_reads_the_fields() -> None:
    for it, expected in zip(dataclasses.fields(PAIR), dataclasses.fields(EXPECTED), strict=True):
        assert repr(it) == repr(expected)
    assert dataclasses.asdict(PAIR(1)) == dataclasses.asdict(EXPECTED(1))
    assert dataclasses.replace(Point(1, 2), x=3) == Point(3, 2)
    assert dataclasses.is_dataclass(Open)


def test_classes_of_the_standard_library_are_read_too() -> None:
    assert [it.name for it in fields(EXPECTED)] == [it.name for it in fields(PAIR)]
    assert replace(EXPECTED(1), first=2) == EXPECTED(2)
    assert [is_dataclass(it) for it in (EXPECTED, PAIR(1), int)] == [True, True, False]


def test_a_default_that_changes_is_refused() -> None:
    with pytest.raises(TypeError, match="x: all instances would share a default"):
        lazy_dataclass()(type("Own", (), {"__annotations__": {"x": "list"}, "x": []}))


def test_a_class_of_the_standard_library_may_have_a_lazy_base() -> None:
    @dataclasses.dataclass(frozen=True, slots=True)
    class Spot(Point):
        z: float = 1.0

    assert Spot(1, 2, 3) == replace(Spot(1, 2), z=3) == Spot(1, 2, 3)
    assert repr(Spot(1)).endswith("Spot(x=1, y=0.0, z=1.0)")


def test_identity_counts_without_eq() -> None:
    cls: Any = lazy_dataclass(frozen=True, slots=True, eq=False)(
        type("Own", (), {"__annotations__": {"x": "int"}})
    )
    it = cls(1)
    assert (it == cls(1), it in {it}) == (False, True)


def test_no_value_compares_arrays_element_by_element() -> None:
    """What holds arrays is compared by identity: the truth of an array of comparisons is an exception."""
    for module in walk_packages(viewer.__path__, "viewer."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    # Of some classes of libraries the module is a descriptor.
    known = {it for it in _subclasses(object) if str(it.__module__).startswith("viewer.")}
    holders = {it for it in known if any(map(partial(_is_array, it), _compared(it)))}
    assert len(holders) > 100
    assert not {f"{it.__module__}.{it.__qualname__}" for it in holders if _is_elementwise(it)}


def _subclasses(cls: type) -> Iterator[type]:
    below: list[type] = type.__subclasses__(cls)
    for it in below:
        yield it
        yield from _subclasses(it)


def _is_elementwise(cls: type) -> bool:
    """Whether an equality that this project did not write for the class compares its fields."""
    equal: Any = cls.__eq__
    # That of a tuple has no module.
    return equal is not object.__eq__ and getattr(equal, "__module__", None) != cls.__module__


def _compared(cls: type) -> Iterator[str]:
    """The annotations of the fields that equality compares."""
    declared: dict[str, Any] = {}
    for it in reversed(cls.__mro__):
        declared |= inspect.get_annotations(it)
    if issubclass(cls, tuple):
        yield from map(str, declared.values())
    elif is_dataclass(cls):
        yield from (str(declared.get(it.name, "")) for it in fields(cls) if it.compare)


def _is_array(cls: type, annotation: str) -> bool:
    """Whether an annotation names an array outside of what a function takes and returns."""
    if "Callable" in annotation:
        return False
    names, module = set(re.findall(r"\w+", annotation)), sys.modules[cls.__module__]
    imported = _imported(module)
    return bool({"NDArray", "ndarray"} & names) or any(
        "numpy.ndarray" in repr(_named(module, imported, name)) for name in names
    )


@cache
def _imported(module: ModuleType) -> Mapping[str, str | None]:
    """Where a module has its names from, also those that are imported for annotations alone."""
    source = ast.parse(inspect.getsource(module))
    return {
        alias.asname or alias.name: it.module
        for it in ast.walk(source)
        if isinstance(it, ast.ImportFrom)
        for alias in it.names
    }


def _named(module: ModuleType, imported: Mapping[str, str | None], name: str) -> object:
    """What a name in an annotation of a module means; also what is imported for annotations alone."""
    there = sys.modules.get(imported.get(name) or "", module)
    found = getattr(there, name, None)
    return None if isinstance(found, type) or "Callable" in repr(found) else found
