"""What holds of all classes of the program and the library."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

from msgspec import Struct

import mshview
import viewer
from viewer.options import options_of


def test_no_value_compares_arrays_element_by_element() -> None:
    """What holds arrays is compared by identity: the truth of an array of comparisons is an exception."""
    known = _known()
    holders = {it for it in known if any(map(partial(_is_array, it), _compared(it)))}
    assert len(holders) > 100
    assert not {f"{it.__module__}.{it.__qualname__}" for it in holders if _is_elementwise(it)}


def test_every_option_is_that_of_a_field() -> None:
    """One within a union, or in a class that is no `Struct`, would be found by nobody, without a word."""
    declared = set()
    for it in _known():
        hints = inspect.get_annotations(it).values()
        if any("Option(" in str(hint) for hint in hints):
            assert issubclass(it, Struct), it
            assert options_of(it), it
            declared.add(it.__name__)
    assert {"ReadingOptions", "Options", "ViewState", "Settings", "Lighting"} <= declared


def _known() -> set[type]:
    """All classes of the program and the library."""
    for package in (mshview, viewer):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                import_module(module.name)
    # Of some classes of libraries the module is a descriptor.
    return {it for it in _subclasses(object) if str(it.__module__).startswith(("mshview.", "viewer."))}


def _subclasses(cls: type) -> Iterator[type]:
    below: list[type] = type.__subclasses__(cls)
    for it in below:
        yield it
        yield from _subclasses(it)


def _is_elementwise(cls: type) -> bool:
    """Whether an equality that this project did not write for the class compares its fields."""
    equal: Any = cls.__eq__
    if equal is Struct.__eq__:
        return cls.__struct_config__.eq  # type: ignore[attr-defined, no-any-return]
    # That of a tuple has no module.
    return equal is not object.__eq__ and getattr(equal, "__module__", None) != cls.__module__


def _compared(cls: type) -> Iterator[str]:
    """The annotations of the fields that equality compares."""
    declared: dict[str, Any] = {}
    for it in reversed(cls.__mro__):
        declared |= inspect.get_annotations(it)
    if issubclass(cls, tuple):
        yield from map(str, declared.values())
    elif issubclass(cls, Struct):
        yield from (str(declared[name]) for name in cls.__struct_fields__)


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
