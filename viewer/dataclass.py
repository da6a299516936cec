"""Dataclasses whose methods are made at their first use, so that importing a module of them is quick.

``dataclasses.dataclass`` compiles six functions for a frozen class with slots, 1 ms on a slow machine. For
the 110 classes that ``inspect`` loads that took longer than importing numpy; most never get an instance.
Looking for the fields alone takes it twice as long as all that is done here, hence they are found here too;
its own functions may still be asked about these classes.

Annotations are texts, and there are neither ``InitVar`` nor ``KW_ONLY`` fields.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from operator import attrgetter
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

__all__ = ["MISSING", "Field", "dataclass", "field", "fields", "is_dataclass", "replace"]

T = TypeVar("T")
FIRST_CALLS = 8
"""Instances that are made before ``__init__`` is compiled, which takes as long as sixteen of them."""
_KNOWN: Final = "__known_fields__"
"""The attribute of a class with its fields by their names."""
_DEFAULTS: Final = ("default", "default_factory")

if TYPE_CHECKING:
    from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, replace
else:

    class MISSING:
        """Stands for the default of a field that has none."""

    class DeclaredField:
        """A field, with those attributes of one of ``dataclasses`` that have a meaning here."""

        __slots__ = ("compare", "default", "default_factory", "init", "name", "repr", "type")

        def __init__(self, default, default_factory, *, init=True, repr=True, compare=True):  # noqa: A002
            self.default, self.default_factory = default, default_factory
            self.init, self.repr, self.compare = init, repr, compare

    Field = DeclaredField

    def field(*, default=MISSING, default_factory=MISSING, **kinds):
        """Declare a field that has more than a default."""
        return Field(default, default_factory, **kinds)

    def fields(it):
        """Return the fields of a class or of an instance's class, in their order."""
        return tuple(_known(it).values())

    def is_dataclass(it):
        """Tell whether a class, or the class of an instance, has fields."""
        return hasattr(it, _KNOWN) or hasattr(it, "__dataclass_fields__")

    def replace(it, /, **changes):
        """Return another instance with some fields changed."""
        for name, known in _known(it).items():
            if known.init and name not in changes:
                changes[name] = getattr(it, name)
        return it.__class__(**changes)


def _known(it: Any) -> Mapping[str, Field[Any]]:
    """The fields of a class or an instance; also of classes that ``dataclasses`` has made."""
    cls: Any = it if isinstance(it, type) else it.__class__
    found: Mapping[str, Field[Any]] | None = vars(cls).get(_KNOWN)
    return cls.__dataclass_fields__ if found is None else found


class _Standard:
    """An attribute that the functions of ``dataclasses`` read: the first that does makes it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, _: object, cls: type[Any]) -> Any:
        import dataclasses  # noqa: PLC0415 rarely needed

        owner = next(it for it in cls.__mro__ if _KNOWN in vars(it))
        made: list[tuple[str, Any, Any]] = []
        for it in fields(owner):
            given: dict[str, Any] = {name: getattr(it, name) for name in _DEFAULTS}
            given = {name: value for name, value in given.items() if value is not MISSING}
            own = dataclasses.field(init=it.init, repr=it.repr, compare=it.compare, **given)
            made.append((it.name, it.type, own))
        is_frozen = vars(owner).get("__setattr__") is _refuse_to_assign
        plain = dataclasses.make_dataclass("Plain", made, init=False, repr=False, eq=False, frozen=is_frozen)
        for name in _STANDARD:
            setattr(owner, name, getattr(plain, name))
        return getattr(plain, self._name)


_STANDARD: Final = {name: _Standard(name) for name in ("__dataclass_fields__", "__dataclass_params__")}


def lazy_dataclass(
    *, frozen: bool = False, slots: bool = False, eq: bool = True
) -> Callable[[type[T]], type[T]]:
    """Decorator with the meaning of `dataclasses.dataclass`."""

    def made(cls: type[T]) -> type[T]:
        own = dict(_declared(cls))
        known: dict[str, Field[Any]] = {}
        for base in reversed(cls.__mro__):
            known |= vars(base).get(_KNOWN, {})
        known |= own
        members: dict[str, Any] = {"__init__": _first_init(known, is_frozen=frozen), "__repr__": _repr}
        if frozen:
            members |= {"__setattr__": _refuse_to_assign, "__delattr__": _refuse_to_delete}
        if frozen and slots:  # by default unpickling would assign
            members |= {"__getstate__": _state, "__setstate__": _set_state}
        if eq:
            members |= _comparison(known, has_hash=frozen)
        members["__match_args__"] = tuple(name for name, it in known.items() if it.init)
        # A class with ``__eq__`` alone has None for ``__hash__``, which Python has put there.
        members = {name: it for name, it in members.items() if vars(cls).get(name) is None}
        members |= {_KNOWN: known, **_STANDARD}
        if slots:
            return _with_slots(cls, known, members)
        members |= {name: it.default for name, it in own.items() if it.default is not MISSING}
        for name in own.keys() & vars(cls).keys():
            delattr(cls, name)
        for name, it in members.items():
            setattr(cls, name, it)
        return cls

    return made


def _declared(cls: type[Any]) -> Iterator[tuple[str, Field[Any]]]:
    """Yield the fields that a class declares itself, with their names."""
    for name, kind in vars(cls).get("__annotations__", {}).items():
        if "ClassVar" in str(kind):
            continue
        given: Any = getattr(cls, name, MISSING)
        if isinstance(given, MemberDescriptorType):  # the slot of a base
            given = MISSING
        it: Field[Any] = given if isinstance(given, Field) else field(default=given)
        if it.default.__class__.__hash__ is None:
            raise TypeError(f"{cls.__qualname__}.{name}: all instances would share a default that changes")
        it.name, it.type = name, kind
        yield name, it


def _with_slots(cls: type[T], known: Mapping[str, Field[Any]], more: dict[str, Any]) -> type[T]:
    """The class with more members, and a slot for each field that has none: a class cannot get them later."""
    left_out = {*known, "__dict__", "__weakref__"}
    members = {name: value for name, value in vars(cls).items() if name not in left_out} | more
    above = {name for base in cls.__mro__[1:-1] for name in vars(base).get("__slots__", ())}
    members["__slots__"] = tuple(name for name in known if name not in above)
    members["__qualname__"] = cls.__qualname__
    make: Any = type(cls)
    return cast("type[T]", make(cls.__name__, cls.__bases__, members))


def _first_init(known: Mapping[str, Field[Any]], *, is_frozen: bool) -> Callable[..., None]:
    """The first ``__init__``, which assigns by name; after some calls a compiled one takes its place."""
    left = FIRST_CALLS

    def __init__(self: Any, *values: Any, **named: Any) -> None:  # noqa: N807
        nonlocal left
        left -= 1
        given = _values(known.values(), values, named) if left >= 0 else None
        if given is None:
            cls: Any = next(it for it in self.__class__.__mro__ if vars(it).get(_KNOWN) is known)
            cls.__init__ = init = _compiled_init(cls, is_frozen=is_frozen)
            init(self, *values, **named)  # it also says what is wrong with the arguments
            return
        for name, value in given.items():
            object.__setattr__(self, name, value)
        if hasattr(self.__class__, "__post_init__"):
            self.__post_init__()

    return __init__


def _values(
    known: Collection[Field[Any]], values: tuple[Any, ...], named: dict[str, Any]
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
        # A slot can be set without looking it up.
        if is_frozen and isinstance(member, MemberDescriptorType):
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


def _comparison(known: Mapping[str, Field[Any]], *, has_hash: bool) -> dict[str, Any]:
    """``__eq__`` and ``__hash__`` of the compared fields, as tuples."""
    names = [name for name, it in known.items() if it.compare]
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
    from dataclasses import FrozenInstanceError  # noqa: PLC0415 rarely needed

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_: Any, name: str) -> None:
    from dataclasses import FrozenInstanceError  # noqa: PLC0415 rarely needed

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, it.name) for it in fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for it, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, it.name, value)


if not TYPE_CHECKING:
    dataclass = lazy_dataclass
