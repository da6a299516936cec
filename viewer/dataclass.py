"""Dataclasses whose methods are made at their first use, so that importing a module of them is quick.

``dataclasses.dataclass`` compiles six functions for a frozen class with slots, 1 ms on a slow machine. For
the 110 classes that ``inspect`` loads that took longer than importing numpy; most never get an instance.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, asdict, field, fields, replace
from inspect import ismemberdescriptor
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, cast

__all__ = ["asdict", "dataclass", "field", "fields", "replace"]

T = TypeVar("T")
_NO_FIELD = re.compile("ClassVar|InitVar|KW_ONLY")
FIRST_CALLS = 8
"""Instances that are made before ``__init__`` is compiled, which takes as long as sixteen of them."""


def lazy_dataclass(
    *, frozen: bool = False, slots: bool = False, eq: bool = True
) -> Callable[[type[T]], type[T]]:
    """Decorator with the meaning of `dataclasses.dataclass`."""

    def made(cls: type[T]) -> type[T]:
        # With these options nothing is compiled: there remain the fields, the slots and ``__match_args__``.
        # Only a class with a frozen base must say at once that it is frozen too.
        has_base = any(map(dataclasses.is_dataclass, cls.__bases__))
        types = dict(vars(cls).get("__annotations__", {}))
        # Each type that is text is searched three times for what makes it no field: the others are left out.
        usual = (name for name, it in types.items() if isinstance(it, str) and not _NO_FIELD.search(it))
        cls.__annotations__ = types | dict.fromkeys(usual)
        plain: Any = dataclasses.dataclass(
            init=False, repr=False, eq=False, slots=slots, frozen=frozen and has_base
        )(cls)
        cls.__annotations__ = plain.__annotations__ = types
        for it in fields(plain):
            it.type = types.get(it.name, it.type)
        plain.__dataclass_params__.frozen = frozen
        methods: dict[str, Any] = {"__init__": _first_init(plain, is_frozen=frozen), "__repr__": _repr}
        if frozen:
            methods |= {"__setattr__": _refuse_to_assign, "__delattr__": _refuse_to_delete}
        if frozen and slots:  # by default unpickling would assign
            methods |= {"__getstate__": _state, "__setstate__": _set_state}
        if eq:
            methods |= _comparison(plain, has_hash=frozen)
        for name, method in methods.items():
            # A class with ``__eq__`` alone has None for ``__hash__``, which Python has put there.
            if vars(plain).get(name) is None:
                setattr(plain, name, method)
        return cast("type[T]", plain)

    return made


def _first_init(cls: type[Any], *, is_frozen: bool) -> Callable[..., None]:
    """The first ``__init__``, which assigns by name; after some calls a compiled one takes its place."""
    left = FIRST_CALLS
    known: tuple[Field[Any], ...] = ()

    def __init__(self: Any, *values: Any, **named: Any) -> None:  # noqa: N807
        nonlocal left, known
        left -= 1
        known = known or fields(cls)
        given = _values(known, values, named) if left >= 0 else None
        if given is None:
            cls.__init__ = init = _compiled_init(cls, is_frozen=is_frozen)
            init(self, *values, **named)  # it also says what is wrong with the arguments
            return
        for name, value in given.items():
            object.__setattr__(self, name, value)
        if hasattr(cls, "__post_init__"):
            self.__post_init__()

    return __init__


def _values(
    known: tuple[Field[Any], ...], values: tuple[Any, ...], named: dict[str, Any]
) -> dict[str, Any] | None:
    """The value of each field; None if the arguments are not those of the class."""
    names = [it.name for it in known if it.init]
    given = dict(zip(names, values, strict=False)) | named
    if len(given) != len(values) + len(named) or not named.keys() <= {*names}:
        return None
    for it in known:
        if it.name in given:
            continue
        if it.default_factory is not MISSING:
            given[it.name] = it.default_factory()
        elif it.default is not MISSING:
            given[it.name] = it.default
        elif it.init:
            return None
    return given


def _compiled_init(cls: type[Any], *, is_frozen: bool) -> Callable[..., None]:
    """``__init__`` with a parameter for each field."""
    known: dict[str, Any] = {"MISSING": MISSING, "assign": object.__setattr__}
    parameters, lines = ["self"], []
    for it in fields(cls):
        name = value = parameter = it.name
        if it.default is not MISSING:
            known[f"{name}_default"] = it.default
            parameter = f"{name}={name}_default"
        elif it.default_factory is not MISSING:
            known[f"{name}_factory"] = it.default_factory
            parameter = f"{name}=MISSING"
            value = f"{name}_factory() if {name} is MISSING else {name}"
        if it.init:
            parameters.append(parameter)
        elif it.default_factory is not MISSING:
            value = f"{name}_factory()"
        elif it.default is not MISSING:
            value = f"{name}_default"
        else:
            continue
        member = getattr(cls, name, None)
        if is_frozen and ismemberdescriptor(member):  # a slot, which can be set without looking it up
            known[f"{name}__slot"] = member.__set__
            lines.append(f"{name}__slot(self, {value})")
        else:
            lines.append(f"assign(self, {name!r}, {value})" if is_frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n    " + "\n    ".join(lines or ["pass"]), known)
    init: Callable[..., None] = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"  # named in the message about a wrong argument
    return init


def _comparison(cls: type[Any], *, has_hash: bool) -> dict[str, Any]:
    """``__eq__`` and ``__hash__`` of the compared fields, as tuples."""
    names = [it.name for it in fields(cls) if it.compare]
    # One name twice: `attrgetter` of a single name returns no tuple, and only a tuple takes an array that is
    # the other's for equal without comparing its elements.
    values = attrgetter(*names, names[0]) if names else lambda _: ()

    def __eq__(self: Any, other: Any) -> bool:  # noqa: N807
        if self is other:
            return True
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return {"__eq__": __eq__, "__hash__": (lambda self: hash(values(self))) if has_hash else None}


def _repr(self: Any) -> str:
    shown = (f"{it.name}={getattr(self, it.name)!r}" for it in fields(self) if it.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_to_assign(_: Any, name: str, _value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, it.name) for it in fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for it, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, it.name, value)


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = lazy_dataclass
