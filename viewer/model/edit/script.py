"""The script form of changes: JSON objects, each with the name of what it does and the values of the change.

``{"do": "set", "table": "batches", "rows": "3", "field": "flags", "value": 8}``: the other keys are the
fields of the change's class; those with a default can be left out. Lists are tuples, null is None, an
enumeration is its value, bytes are hexadecimal, rows are a text, a number or a list of numbers.

A class takes part by its declaration with `change`, if its module is one of `ROOMS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from difflib import get_close_matches
from enum import Enum
from functools import cache
from math import isfinite
from types import NoneType, UnionType
from typing import Any, Final, Union, cast, get_args, get_origin, get_type_hints

from viewer.errors import FormatError
from viewer.model.edit import add_effect, change, entries, repair, replace_texture, set_bytes, set_field
from viewer.model.edit.change import Change
from viewer.model.edit.geometry import links, move, slot_changes
from viewer.model.edit.neighbors import follow_nodes
from viewer.model.edit.nodes import node_count, rename_node, set_key
from viewer.model.edit.rows import nested_rows, row_changes
from viewer.model.edit.values import SPECIAL, RowChoice
from viewer.translation import Text, _

TABLE: Final = "changes"
"""The list of changes in errors."""
DO: Final = "do"
ROOMS: Final = (
    *(add_effect, entries, repair, replace_texture, set_bytes, set_field, links, move, slot_changes),
    *(follow_nodes, node_count, rename_node, set_key, nested_rows, row_changes),
)
"""The modules that declare changes, themselves or by what they import."""
CHANGES: Final[Mapping[str, type[Change]]] = dict(sorted(change.CHANGES.items()))
"""The class of each change, by the name in its script form."""


def parse(script: object) -> tuple[Change, ...]:
    """Return the changes of a script, a list of objects; raises `FormatError` with the row and the field."""
    if not isinstance(script, list):
        raise FormatError(_("is not a list of changes"))
    return tuple(change_of(row, item) for row, item in enumerate(script))


def change_of(row: int, form: object) -> Change:
    """Return the change of a script form; raises `FormatError` for row `row` of the script."""
    try:
        return _change(form)
    except FormatError as error:
        raise FormatError(error.message, table=TABLE, index=row, field=error.field) from None


def _change(form: object) -> Change:
    if not isinstance(form, dict) or not isinstance(form.get(DO), str):
        raise FormatError(_('is not a change: an object with "do"'))
    name: str = form[DO]
    kind = CHANGES.get(name)
    if kind is None:
        words = "{name!r} is not a change{hint}"
        raise FormatError(_(words, name=name, hint=_hint(name, CHANGES)), field=DO)
    return cast(Change, _made(kind, {key: value for key, value in form.items() if key != DO}))


def form_of(change: Change) -> dict[str, Any]:
    """Return the script form of a change; raises `ValueError` if its class has none."""
    name = next((name for name, kind in CHANGES.items() if kind is type(change)), None)
    if name is None:
        raise ValueError(f"{type(change).__name__} has no script form")
    return {DO: name, **_plain_fields(change)}


def forms(changes: Iterable[Change]) -> list[dict[str, Any]]:
    """Return the script of changes; raises `ValueError` like `form_of`."""
    return [form_of(change) for change in changes]


def _plain_fields(value: Any) -> dict[str, Any]:
    """The fields of a dataclass as JSON, without those that have their default."""
    found = {field.name: (field, getattr(value, field.name)) for field in fields(value)}
    return {name: _plain(item) for name, (field, item) in found.items() if not _is_default(field, item)}


def _is_default(field: Field[Any], value: Any) -> bool:
    default = field.default if field.default_factory is MISSING else field.default_factory()
    # The types too: True == 1 and 1 == 1.0 in Python, but not in the text of a script.
    return default is not MISSING and type(default) is type(value) and bool(default == value)


def _plain(value: Any) -> Any:
    """A value as JSON."""
    match value:
        case RowChoice():
            return value.text
        case Enum():
            return value.value
        case bytes():
            return value.hex()
        case tuple() | list() | frozenset():
            return [_plain(item) for item in value]
        case float() if not isfinite(value):
            return str(value)
    return _plain_fields(value) if is_dataclass(value) else value


@cache
def types_of(kind: type) -> dict[str, Any]:
    """Return the types of the fields of a dataclass."""
    hints = get_type_hints(kind)
    return {it.name: hints[it.name] for it in fields(kind)}


def _made(kind: type, form: Mapping[str, Any]) -> Any:
    """A dataclass from the JSON of its fields; raises `FormatError` with the field."""
    declared = {field.name: field for field in fields(kind)}
    for name in form:
        if name not in declared:
            message = _("is unknown here{hint}", hint=_hint(name, declared))
            raise FormatError(message, field=name)
    for name, field in declared.items():
        if name not in form and field.default is MISSING and field.default_factory is MISSING:
            raise FormatError(_("is missing"), field=name)
    return kind(**{name: _field_value(name, value, types_of(kind)[name]) for name, value in form.items()})


def _field_value(name: str, value: Any, kind: Any) -> Any:
    try:
        return _value(value, kind)
    except FormatError as error:
        inner = error.field
        message, place = Text.of(error.message), f"{name}.{inner}" if inner else name
        raise FormatError(message, field=place) from None
    except (TypeError, ValueError, OverflowError):
        raise FormatError(_("{value} is not possible here", value=_shown(value)), field=name) from None


def _value(value: Any, kind: Any) -> Any:
    """A JSON value as one of a type; raises `FormatError`, `TypeError` or `ValueError` if it is another."""
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return _one_of(value, get_args(kind))
    if origin in (tuple, frozenset):
        return origin(_items(value, get_args(kind)))
    if kind in _READERS:
        return _READERS[kind](value)
    if is_dataclass(kind):
        return _made(cast(type, kind), _checked(value, dict))
    return _named(value, kind) if issubclass(kind, Enum) else _checked(value, kind)


def _named(value: Any, kind: type[Enum]) -> Enum:
    """The value of an enumeration."""
    try:
        return kind(value)
    except ValueError:
        names = ", ".join(str(item.value) for item in kind)
        raise FormatError(_("{value} is none of {names}", value=_shown(value), names=names)) from None


def _one_of(value: Any, kinds: Sequence[Any]) -> Any:
    """A value of the first type that takes it."""
    for kind in kinds:
        try:
            return _value(value, kind)
        except (FormatError, TypeError, ValueError):
            continue
    raise ValueError(value)


def _items(value: Any, kinds: Sequence[Any]) -> list[Any]:
    """The elements of a list, of one type or of one each."""
    items = _checked(value, list)
    if len(kinds) == 1 or kinds[-1] is Ellipsis:
        return [_value(item, kinds[0]) for item in items]
    if len(items) != len(kinds):
        message = _("{count} values are needed, not {value}", count=len(kinds), value=_shown(value))
        raise FormatError(message)
    return [_value(item, kind) for item, kind in zip(items, kinds, strict=True)]


def _rows(value: Any) -> RowChoice:
    """Rows of a text, a number or a list of numbers."""
    if isinstance(value, str):
        return RowChoice(value)
    rows = [_whole(row) for row in (value if isinstance(value, list) else [value])]
    if any(row < 0 for row in rows):
        raise ValueError(value)
    # Negative rows would count from the end in numpy; a script means no such thing.
    return RowChoice.of(*rows)


def _number(value: Any) -> float:
    # JSON has no NaN and no infinities; scripts write them as texts.
    if isinstance(value, str) and value in SPECIAL:
        return float(value)
    return value if isinstance(value, float) else float(_whole(value))


def _whole(value: Any) -> int:
    # A bool is an int to Python: true must not become row 1.
    if isinstance(value, bool):
        raise TypeError(value)
    return int(_checked(value, int))


def _checked(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise TypeError(type(value).__name__)
    return value


def _frozen(value: Any) -> Any:
    """A JSON value with tuples instead of lists, and texts for floats that JSON does not have."""
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


_READERS: Final[Mapping[Any, Callable[[Any], Any]]] = {
    Any: _frozen,
    object: _frozen,
    RowChoice: _rows,
    int: _whole,
    float: _number,
    bytes: bytes.fromhex,
    NoneType: lambda value: _checked(value, NoneType),
}
"""Makes a value of a type from JSON; raises `TypeError` or `ValueError`."""


def _hint(name: str, known: Iterable[str]) -> str:
    nearest = get_close_matches(name, [*known], 1)
    return _("; did you mean {name}?", name=nearest[0]) if nearest else ""


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
