"""Values of typed classes from JSON and back: the declaration of a class is the description of its JSON.

The members of an object are the fields of a class; those with a default can be left out. Lists are
tuples, null is None, an enumeration is its value, bytes are hexadecimal, or base64 as `Base64`, and floats
that JSON does not have are texts. ``Annotated`` adds `Limits` of a number, the `Pattern` of a text or the
values to choose from, `Allowed`; what else it says is left to others. A class of another form has
``from_json`` and ``to_json``.

An error names the member: ``changes[3].row``.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cache, partial
from itertools import zip_longest
from math import isfinite
from operator import index
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    NewType,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
)
from typing import get_type_hints as hints_of

from msgspec import NODEFAULT, Struct
from msgspec.structs import FieldInfo, fields

from viewer.errors import FormatError, shown, suggestion
from viewer.translation import Text, _

T = TypeVar("T")
Key = TypeVar("Key")
Base64 = NewType("Base64", bytes)
"""Bytes that are base64 in JSON."""
SPECIAL: Final = {text: float(text) for text in ("nan", "inf", "-inf")}
"""Texts for floats that JSON does not have."""


class Limits(Struct, frozen=True):
    """The least and the largest value of a number."""

    most: float
    least: float = 0

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the value."""
        return {"minimum": self.least, "maximum": self.most}

    def check(self, value: Any) -> None:
        """Raise `FormatError` for a value outside."""
        if not self.least <= value <= self.most:
            message = _(
                "{value} is not from {least} to {most}", value=value, least=self.least, most=self.most
            )
            raise FormatError(message)


class Pattern(Struct, frozen=True):
    """The regular expression that a text matches as a whole, and what one is that does not."""

    expression: str
    refusal: Text

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the value."""
        return {"pattern": f"^{self.expression}$"}

    def check(self, value: Any) -> None:
        """Raise `FormatError` for another text."""
        if not re.fullmatch(self.expression, value):
            raise FormatError(_("{value} {refusal}", value=shown(value), refusal=self.refusal))


class Allowed(Struct, frozen=True):
    """The values to choose from, if they are not those of an enumeration."""

    values: tuple[object, ...]

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the value."""
        return {"enum": [*self.values]}

    def check(self, value: Any) -> None:
        """Raise `FormatError` for another value."""
        _literal(value, self.values)


COUNT: Final = Limits(1 << 53)
"""Numbers of things, offsets and sizes: those that every reader of JSON keeps."""
SHA256: Final = Pattern("[0-9a-f]{64}", _("is not 64 hexadecimal digits"))
"""The SHA-256 of bytes in hexadecimal."""


class RepeatedKeyError(ValueError):
    """A member that an object of a JSON text has twice: programs differ in which one counts."""

    def __init__(self, key: str) -> None:
        self.words = _("the key {key!r} is there twice in one object", key=key[:40])
        super().__init__(self.words)


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of a JSON text by its members; raises `RepeatedKeyError`."""
    found = dict(pairs)
    if len(found) < len(pairs):
        (key, _count), *_others = Counter(key for key, _ in pairs).most_common(1)
        raise RepeatedKeyError(key)
    return found


def document(data: bytes | bytearray | memoryview) -> dict[str, Any]:
    """Return the object of a JSON text; raises `FormatError` with the line and the column."""
    import json  # noqa: PLC0415 few verbs read JSON, and all have options of typed classes

    try:
        found = json.loads(bytes(data), object_pairs_hook=once)
    except RepeatedKeyError as error:
        raise FormatError(error.words) from None
    except json.JSONDecodeError as error:
        words = "is not JSON: line {line}, column {column}"
        raise FormatError(_(words, line=error.lineno, column=error.colno)) from None
    except RecursionError:
        raise FormatError(_("is nested too deeply")) from None
    except ValueError:
        raise FormatError(_("is not JSON: a number is too long, or it is not UTF-8")) from None
    return cast("dict[str, Any]", _checked(dict, found))


def is_record(kind: Any) -> bool:
    """Tell whether a type is a class whose fields are the members of an object."""
    return isinstance(kind, type) and issubclass(kind, Struct)


@cache
def fields_of(kind: type[Struct]) -> dict[str, FieldInfo]:
    """Return the fields of a class, with their types, by name."""
    return {it.name: it for it in fields(kind)}


@cache
def types_of(kind: type[Struct]) -> dict[str, Any]:
    """Return the types of the fields of a class."""
    return {name: it.type for name, it in fields_of(kind).items()}


def made(kind: type[T], form: object, *, is_strict: bool = False) -> T:
    """Return the value of a class that JSON stands for; raises `FormatError` with the member.

    Parameters
    ----------
    is_strict
        Whether members are refused that the class does not have; else they are left out, as a newer version
        may have written them.
    """
    return cast(T, _inside("", _value, form, kind, Manner(is_strict)))


def usable(kind: Any, form: object) -> tuple[Any, list[FormatError]]:
    """Return the value of a type that JSON stands for, and what is wrong with the elements that were dropped.

    Unusable elements of lists, and unusable values of objects with any names, are dropped; raises
    `FormatError` for anything else that is unusable.
    """
    dropped: list[FormatError] = []
    return _value(form, kind, Manner(dropped=dropped)), dropped


def plain(value: Any, kind: Any) -> Any:
    """Return a value of a type as JSON, with all members of objects."""
    return _plain(value, kind, has_defaults=True)


def plain_fields(value: Any, *, has_defaults: bool = False) -> dict[str, Any]:
    """Return the fields of a class as JSON; by default without those that have their default."""
    found = {name: (field, getattr(value, name)) for name, field in fields_of(value.__class__).items()}
    return {
        name: _plain(item, field.type, has_defaults=has_defaults)
        for name, (field, item) in found.items()
        if has_defaults or not _is_default(field, item)
    }


def _is_default(field: FieldInfo, value: Any) -> bool:
    default = field.default if field.default_factory is NODEFAULT else field.default_factory()
    # The types too: True == 1 and 1 == 1.0 in Python, but not in JSON.
    return default is not NODEFAULT and type(default) is type(value) and bool(default == value)


def _plain(value: Any, kind: Any, *, has_defaults: bool = False) -> Any:
    """A value of a type as JSON."""
    inner = get_args(kind)
    found = value
    match value:
        case Enum():
            found = value.value
        case bytes():
            found = b64encode(value).decode() if kind is Base64 else value.hex()
        case tuple() | list() | frozenset():
            items = sorted(value) if isinstance(value, frozenset) else value
            kinds = inner if len(inner) == len(value) and Ellipsis not in inner else [*inner[:1]] * len(value)
            found = [_plain(*pair, has_defaults=has_defaults) for pair in zip_longest(items, kinds)]
        case Mapping():
            of_all = inner[1] if inner else Any
            found = {name: _plain(it, of_all, has_defaults=has_defaults) for name, it in value.items()}
        case float() if not isfinite(value):
            found = str(value)
        case _ if hasattr(value, "to_json"):
            found = value.to_json()
        case Struct():
            found = plain_fields(value, has_defaults=has_defaults)
    return found


def of_python(value: Any) -> Any:
    """Return a value of a script in Python as JSON has it: of tuples, of numpy, of what stands for a number.

    Bytes stay, as the fields that hold some take them; raises `FormatError` for names that are no texts, and
    for what is nested too deeply.
    """
    try:
        return _of_python(value)
    except RecursionError:
        raise FormatError(_("is nested too deeply")) from None


def _of_python(value: Any) -> Any:
    match value:
        case Mapping():
            return {_checked(str, name): _of_python(it) for name, it in value.items()}
        case bytes() | bytearray() | memoryview():
            return bytes(value)
        case list() | tuple():
            return [*map(_of_python, value)]
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return _of_python(value.tolist())
    return index(value) if hasattr(type(value), "__index__") and not isinstance(value, int) else value


def _inside(step: str, read: Callable[..., Any], value: object, *more: Any) -> Any:
    """Value that a function reads of a member or, with a step like ``[3]``, of an element; errors name it."""
    try:
        return read(value, *more)
    except FormatError as error:
        inner = error.field or ""
        joined = f"{step}.{inner}" if step and inner and not inner.startswith("[") else step + inner
        raise FormatError(error.message, field=joined or None) from None


class Manner(NamedTuple):
    """Manner of reading JSON.

    Attributes
    ----------
    is_strict
        Members that a class does not have are refused.
    dropped
        What is wrong with elements of lists and of objects with any names, which are dropped; None refuses
        them.
    """

    is_strict: bool = False
    dropped: list[FormatError] | None = None


def _value(value: Any, kind: Any, manner: Manner) -> Any:
    """A JSON value as one of a type; raises `FormatError` if it is another."""
    composite = _COMPOSITES.get(get_origin(kind))
    if composite is not None:
        return composite(value, get_args(kind), manner)
    if kind in _READERS:
        return _READERS[kind](value)
    if hasattr(kind, "from_json"):
        return kind.from_json(value)
    if issubclass(kind, tuple):  # a named one
        hints = hints_of(kind, include_extras=True)
        return kind(*_items(value, [hints[name] for name in kind._fields], manner))
    if issubclass(kind, Enum):
        return kind(_literal(value, [it.value for it in kind]))
    return _instance(_checked(dict, value), kind, manner)


def _instance(form: Mapping[str, Any], kind: type, manner: Manner) -> Any:
    """A class from the members of an object."""
    declared = fields_of(kind)
    for name in form if manner.is_strict else ():
        if name not in declared:
            message = _("is unknown here{hint}", hint=suggestion(name, declared))
            raise FormatError(message, field=name)
    for name, field in declared.items():
        if name not in form and field.required:
            raise FormatError(_("is missing"), field=name)
    given = {name: field for name, field in declared.items() if name in form}
    return kind(**{name: _inside(name, _value, form[name], it.type, manner) for name, it in given.items()})


def _annotated(value: Any, inner: Sequence[Any], manner: Manner) -> Any:
    found = _value(value, inner[0], manner)
    for rule in inner[1:]:
        # None is there where the type says so: what else is declared is of the other values.
        if hasattr(rule, "check") and found is not None:
            rule.check(found)
    return found


def _literal(value: Any, known: Sequence[object], _manner: Manner | None = None) -> Any:
    if not any(type(it) is type(value) and it == value for it in known):
        names = ", ".join(str(it).lower() if isinstance(it, bool) else str(it) for it in known)
        raise FormatError(_("{value} is none of {names}", value=shown(value), names=names))
    return value


def _one_of(value: Any, kinds: Sequence[Any], manner: Manner) -> Any:
    """A value of one of some types: the object with most of its members, else the first that takes it."""
    if value is None and NoneType in kinds:
        return None
    left = [kind for kind in kinds if kind is not NoneType]
    if isinstance(value, dict) and all(map(is_record, left)):
        left = [max(left, key=lambda kind: len(fields_of(kind).keys() & value.keys()))]
    for kind in left[:-1]:
        try:
            return _value(value, kind, manner)
        except FormatError:
            continue
    return _value(value, left[-1], manner)


def _items(value: Any, kinds: Sequence[Any], manner: Manner) -> list[Any]:
    """The elements of a list, of one type or of one each."""
    items = _checked(list, value)
    is_uniform = len(kinds) == 1 or kinds[-1] is Ellipsis
    if is_uniform:
        kinds = [kinds[0]] * len(items)
    if len(items) != len(kinds):
        message = _("{count} values are needed, not {value}", count=len(kinds), value=shown(value))
        raise FormatError(message)
    found = {at: (f"[{at}]", item, kind) for at, (item, kind) in enumerate(zip(items, kinds, strict=True))}
    return [*_elements(found, manner if is_uniform else manner._replace(dropped=None)).values()]


def _members(value: Any, inner: Sequence[Any], manner: Manner) -> dict[str, Any]:
    """An object of any names with values of one type."""
    items = _checked(dict, value)
    return _elements({name: (name, item, inner[1]) for name, item in items.items()}, manner)


def _elements(items: Mapping[Key, tuple[str, Any, Any]], manner: Manner) -> dict[Key, Any]:
    """The values of elements, each with its step and its type; without those that are dropped."""
    found: dict[Key, Any] = {}
    for key, (step, item, kind) in items.items():
        try:
            found[key] = _inside(step, _value, item, kind, manner)
        except FormatError as error:
            if manner.dropped is None:
                raise
            manner.dropped.append(error)
    return found


_COMPOSITES: Final[Mapping[Any, Callable[[Any, Sequence[Any], Manner], Any]]] = {
    Annotated: _annotated,
    Literal: _literal,
    Union: _one_of,
    UnionType: _one_of,
    Mapping: _members,
    tuple: lambda *given: tuple(_items(*given)),
    frozenset: lambda *given: frozenset(_items(*given)),
}
"""Makes a value of a type with arguments from JSON, these, and the manner of reading."""
_REFUSALS: Final[Mapping[type, Text]] = {
    str: _("{value} is not a text"),
    bool: _("{value} is neither true nor false"),
    int: _("{value} is not a whole number"),
    float: _("{value} is not a number"),
    list: _("{value} is not a list"),
    dict: _("{value} is not an object"),
    bytes: _("{value} is not hexadecimal"),
    NoneType: _("{value} is not null"),
}


def _refused(kind: type, value: Any) -> FormatError:
    return FormatError(_(_REFUSALS[kind].template, value=shown(value)))


def _checked(kind: type[T], value: Any) -> T:
    # A bool is an int to Python: true must not become row 1.
    if type(value) is not kind:
        raise _refused(kind, value)
    return value


def _number(value: Any) -> float:
    if isinstance(value, str) and value in SPECIAL:
        return SPECIAL[value]
    try:
        return value if type(value) is float else float(_checked(int, value))
    except (FormatError, OverflowError):
        raise _refused(float, value) from None


def _bytes(decode: Callable[[str], bytes], value: Any) -> bytes:
    if isinstance(value, bytes):  # of a script in Python
        return value
    try:
        return decode(_checked(str, value))
    except ValueError:
        raise _refused(bytes, value) from None


def _frozen(value: Any) -> Any:
    """A JSON value with tuples instead of lists, and texts for floats that JSON does not have."""
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


_READERS: Final[Mapping[Any, Callable[[Any], Any]]] = {
    Any: _frozen,
    object: lambda value: value,
    float: _number,
    bytes: partial(_bytes, bytes.fromhex),
    Base64: partial(_bytes, partial(b64decode, validate=True)),
    **{kind: partial(_checked, kind) for kind in (str, bool, int, NoneType)},
}
"""Makes a value of a type from JSON; raises `FormatError`."""
