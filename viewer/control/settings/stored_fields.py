"""The members of a settings file: what is usable of them, what is not, and what a newer version wrote.

They follow from the class of the settings: each field is a member, each field of a class within it a member
of an object, and of a view those fields that its options store.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from viewer.errors import FormatError
from viewer.options import Declared, Option, options_of
from viewer.typed_json import is_record, plain, types_of, usable

LARGEST_FIELD: Final = 128 << 10
"""Letters of a field as it is written.

Without a limit a file whose texts grow when they are written, as ``ш`` does, could be read once only.
"""
MOST_NEWER: Final = 8
"""Limit of all fields of newer versions together, as a multiple of `LARGEST_FIELD`."""
DEEPEST: Final = 16
"""Lists and objects within each other; Python's JSON writer recurses."""


class StoredFields(NamedTuple):
    """The members of a settings file.

    Attributes
    ----------
    usable
        Values by the names of `members`.
    odd
        The names of fields that are unusable, or partly so: their type, range or size is wrong.
    newer
        Unknown fields as they are, and objects of the unknown members of known fields.
    """

    usable: Mapping[str, Any] = {}
    odd: tuple[str, ...] = ()
    newer: Mapping[str, Any] = {}


@cache
def members(kind: type) -> Mapping[str, Declared]:
    """The members of the file by their names, ``speed`` or ``lighting.has_fog``."""
    return dict(_members(kind))


def _members(kind: type) -> Iterator[tuple[str, Declared]]:
    for name, hint in types_of(kind).items():
        if not is_record(hint):
            yield name, Declared((name,), hint, Option(stored=name))
        elif stored := [it for it in options_of(hint) if it.option.stored]:
            yield from ((it.option.stored, it._replace(path=(name, *it.path))) for it in stored)
        else:
            for inner, of_inner in types_of(hint).items():
                yield f"{name}.{inner}", Declared((name, inner), of_inner, Option(stored=f"{name}.{inner}"))


def form(settings: Any) -> dict[str, Any]:
    """The members with their values as JSON."""
    found: dict[str, Any] = {}
    kind: Any = type(settings)
    for name, declared in members(kind).items():
        outer, _, inner = name.partition(".")
        value = plain(declared.of(settings), declared.kind)
        if inner:
            found.setdefault(outer, {})[inner] = value
        else:
            found[outer] = value
    return found


def take(kind: type, stored: Mapping[str, Any]) -> StoredFields:
    """Sort the fields of a file; `kind` is the class of the settings."""
    known: dict[str, dict[str, Declared]] = {}
    for name, declared in members(kind).items():
        known.setdefault(name.partition(".")[0], {})[name] = declared
    values, odd, newer = dict[str, Any](), list[str](), dict[str, Any]()
    for name, value in stored.items():
        if name not in known:
            newer[name] = value
            continue
        found, is_whole, unknown = _field(name, value, known[name]) if _is_small(value) else _UNUSABLE
        values |= found
        odd += [] if is_whole else [name]
        newer |= {name: unknown} if unknown else {}
    unfit = [name for name, value in newer.items() if not _is_small(value)]
    kept = {name: value for name, value in newer.items() if name not in unfit}
    if not _is_small(list(kept.values()), MOST_NEWER * LARGEST_FIELD):
        unfit, kept = [*newer], {}
    return StoredFields(values, tuple(dict.fromkeys((*odd, *unfit))), kept)


_UNUSABLE: Final[tuple[dict[str, Any], bool, dict[str, Any]]] = {}, False, {}


def _field(
    name: str, value: Any, known: Mapping[str, Declared]
) -> tuple[dict[str, Any], bool, dict[str, Any]]:
    """The usable members of a field by name, whether all are usable, and the unknown ones."""
    given, unknown = {name: value}, dict[str, Any]()
    if name not in known:
        if not isinstance(value, dict):
            return _UNUSABLE
        given = {f"{name}.{inner}": it for inner, it in value.items()}
        unknown = {inner: it for inner, it in value.items() if f"{name}.{inner}" not in known}
    found, is_whole = dict[str, Any](), True
    for member, it in given.items():
        if member in known:
            try:
                found[member], dropped = usable(known[member].kind, it)
            except FormatError:
                is_whole = False
            else:
                is_whole = is_whole and not dropped
    return found, is_whole, unknown


def with_newer(fields: Mapping[str, Any], newer: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a file with what `StoredFields.newer` holds."""
    merged = {name: {**it, **fields[name]} if name in fields else it for name, it in newer.items()}
    return {**fields, **merged}


def _is_small(value: Any, limit: int = LARGEST_FIELD) -> bool:
    return not _is_deep(value, DEEPEST) and len(json.dumps(value, indent=1)) <= limit


def _is_deep(value: Any, left: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return not left or any(_is_deep(it, left - 1) for it in inner)
