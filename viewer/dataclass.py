"""Dataclasses that compile nothing, so that importing a module of them is quick.

``dataclasses.dataclass`` compiles six functions for a frozen class with slots, 1 ms on a slow machine. For
the 110 classes that ``inspect`` loads that took longer than importing numpy; most never get an instance.
Looking for the fields alone takes it twice as long as all that is done here, hence they are found here too;
its own functions may still be asked about these classes.

Annotations are texts, and there are neither ``InitVar`` nor ``KW_ONLY`` fields.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

__all__ = ["MISSING", "Field", "dataclass", "field", "fields", "is_dataclass", "replace"]

T = TypeVar("T")
FIRST_CALLS = 64
"""Instances that are made before ``__init__`` is compiled, which takes as long as so many of them."""
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

        def __init__(self, default, default_factory, init=True, repr=True, compare=True):  # noqa: A002
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
        own = _declared(cls)
        known = _inherited(cls) | own
        members: dict[str, Any] = {
            "__init__": _first_init(known, is_frozen=frozen),
            "__repr__": _repr,
            "__match_args__": tuple([name for name, it in known.items() if it.init]),
            _KNOWN: known,
            **_STANDARD,
        }
        if frozen:
            members["__setattr__"], members["__delattr__"] = _refuse_to_assign, _refuse_to_delete
            if slots:  # by default unpickling would assign
                members["__getstate__"], members["__setstate__"] = _state, _set_state
        if eq:
            members |= _comparison(known, has_hash=frozen)
        return _with_slots(cls, known, members) if slots else _with_members(cls, own, members)

    return made


def _declared(cls: type[Any]) -> dict[str, Field[Any]]:
    """The fields that a class declares itself, by their names."""
    found: dict[str, Field[Any]] = {}
    members: Mapping[str, Any] = vars(cls)
    has_base = cls.__bases__ != (object,)
    for name, kind in members.get("__annotations__", {}).items():
        if "ClassVar" in kind:
            continue
        given: Any = getattr(cls, name, MISSING) if has_base else members.get(name, MISSING)
        if isinstance(given, MemberDescriptorType):  # the slot of a base
            given = MISSING
        it: Field[Any] = given if given.__class__ is Field else field(default=given)
        if it.default.__class__.__hash__ is None:
            raise TypeError(f"{cls.__qualname__}.{name}: all instances would share a default that changes")
        it.name, it.type = name, kind
        found[name] = it
    return found


def _inherited(cls: type[Any]) -> dict[str, Field[Any]]:
    """The fields of the bases of a class, by their names."""
    found: dict[str, Field[Any]] = {}
    for base in cls.__mro__[-2:0:-1]:
        found |= vars(base).get(_KNOWN, {})
    return found


def _with_members(cls: type[T], own: Mapping[str, Field[Any]], members: dict[str, Any]) -> type[T]:
    """The class with more members, and the defaults of its own fields."""
    for name in own.keys() & vars(cls).keys():
        delattr(cls, name)
    members |= {name: it.default for name, it in own.items() if it.default is not MISSING}
    for name in members.keys() - _kept(cls, members).keys():
        setattr(cls, name, members[name])
    return cls


def _with_slots(cls: type[T], known: Mapping[str, Field[Any]], members: dict[str, Any]) -> type[T]:
    """The class with more members, and a slot for each field that has none: a class cannot get them later."""
    members |= _kept(cls, members)
    for name in (*known, "__dict__", "__weakref__"):
        members.pop(name, None)
    above = {name for base in cls.__mro__[1:-1] for name in vars(base).get("__slots__", ())}
    members["__slots__"] = tuple([name for name in known if name not in above])
    members["__qualname__"] = cls.__qualname__
    make: Any = type(cls)
    return cast("type[T]", make(cls.__name__, cls.__bases__, members))


def _kept(cls: type[Any], members: Mapping[str, Any]) -> dict[str, Any]:
    """What a class declares itself, which other members do not replace.

    One with ``__eq__`` alone has None for ``__hash__``, which Python has put there.
    """
    return {name: it for name, it in vars(cls).items() if it is not None or name not in members}


def _first_init(known: Mapping[str, Field[Any]], *, is_frozen: bool) -> Callable[..., None]:
    """The first ``__init__``, which assigns by name; after some calls a compiled one takes its place."""
    left = FIRST_CALLS
    parameters: list[Field[Any]] = []
    derived: list[Field[Any]] = []

    def __init__(self: Any, *values: Any, **named: Any) -> None:  # noqa: N807
        nonlocal left
        if left == FIRST_CALLS:
            for it in known.values():
                (parameters if it.init else derived).append(it)
        left -= 1
        if left < 0 or not _are_assigned(self, parameters, derived, values, named):
            cls: Any = next(it for it in self.__class__.__mro__ if vars(it).get(_KNOWN) is known)
            cls.__init__ = init = _compiled_init(cls, is_frozen=is_frozen)
            init(self, *values, **named)  # it also says what is wrong with the arguments
        elif hasattr(self.__class__, "__post_init__"):
            self.__post_init__()

    return __init__


_assign: Final = object.__setattr__


def _are_assigned(
    it: Any,
    parameters: list[Field[Any]],
    derived: list[Field[Any]],
    values: tuple[Any, ...],
    named: dict[str, Any],
) -> bool:
    """Set the fields of an instance; False if the arguments are not those of its class."""
    count, used = len(values), 0
    for parameter, value in zip(parameters, values, strict=False):
        _assign(it, parameter.name, value)
    for parameter in parameters[count:]:
        name = parameter.name
        if name in named:
            used += 1
            _assign(it, name, named[name])
        elif parameter.default is not MISSING:
            _assign(it, name, parameter.default)
        elif parameter.default_factory is not MISSING:
            _assign(it, name, parameter.default_factory())
        else:
            return False
    for field in derived:
        if field.default is not MISSING:
            _assign(it, field.name, field.default)
        elif field.default_factory is not MISSING:
            _assign(it, field.name, field.default_factory())
    return count <= len(parameters) and used == len(named)


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
