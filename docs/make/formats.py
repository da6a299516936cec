"""The reference of the formats, made of their declarations."""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

import viewer.formats
from docs.make.commands import cell, escaped
from viewer.formats.fxid import COMMAND_KINDS
from viewer.formats.layout.layout import Layout
from viewer.formats.msh.tables import TABLES
from viewer.formats.record import Bits, Field, Record

Value = TypeVar("Value")
START = """\
# The formats, byte by byte

Made by `make pages` of the declarations with which the program reads and writes. All numbers are
little-endian, records are packed. How certain a meaning is: **proven** follows from the game's code or from
all known files, **inferred** from what files show, **open** is not known; such bytes are kept as they are.
"""
ROOMS = {
    "archive": "Archives",
    "msh": "Models and terrains",
    "neighbors": "Neighbors of a model",
    "texture": "Textures, palettes and fonts",
    "": "Materials, effects and units",
}
"""Titles of the folders of `viewer.formats`, in the order of the page."""


def page() -> str:
    """The whole page."""
    return "\n".join([START, *lines()]) + "\n"


def lines() -> Iterator[str]:
    """A part for each folder, a section for each format."""
    found = pkgutil.walk_packages(viewer.formats.__path__, "viewer.formats.")
    modules = [import_module(it.name) for it in found]
    for room, title in ROOMS.items():
        package = f"viewer.formats.{room}".rstrip(".")
        yield f"## {title}\n"
        for module in modules:
            if module.__name__.rpartition(".")[0] == package:
                yield from section(module)


def section(module: ModuleType) -> Iterator[str]:
    """A format: what it is, the order of its parts, its records."""
    records, layouts = [*defined(module, Record)], [*defined(module, Layout)]
    if module.__name__.endswith("fxid"):
        records += [it.record for it in COMMAND_KINDS.values()]
    if not records and not layouts:
        return
    summary, _, rest = (inspect.getdoc(module) or "").replace("``", "`").partition("\n")
    yield f"### {module.__name__.rpartition('.')[2]}\n"
    yield escaped(summary) + "\n"
    yield from (f"{escaped(line)}\n" for line in rest.splitlines() if re.match("(Source|Status):", line))
    for layout in layouts:
        named = "; ".join(parts(layout))
        yield f"Parts of {layout.make.__name__}, in the order of their bytes: {named}.\n"
    for record in records:
        yield from of_record(record)


def defined(module: ModuleType, kind: type[Value]) -> Iterator[Value]:
    """The values of a class that a module makes itself, in its order."""
    source = inspect.getsource(module)
    for name, value in vars(module).items():
        if isinstance(value, kind) and re.search(rf"^{name}\b[^=\n]*=", source, re.MULTILINE):
            yield value


def parts(layout: Layout[Any]) -> Iterator[str]:
    """The members of a layout."""
    for member in layout.members.values():
        doc = getattr(member, "doc", "") or getattr(getattr(member, "record", None), "doc", "")
        yield f"`{member.name}`" + (f" ({escaped(doc.rstrip('.'))})" if doc else "")


def of_record(record: Record) -> Iterator[str]:
    """The fields of a record."""
    types = [str(it.type_id) for it in TABLES.values() if it.record is record]
    yield f"#### {record.name}: {record.size} bytes" + (f", resource type {types[0]}" if types else "") + "\n"
    if record.doc:
        yield escaped(record.doc) + "\n"
    yield from ("| Offset | Type | Field | Meaning | Certainty |", "| --- | --- | --- | --- | --- |")
    for field in record.fields:
        texts = escaped(cell(" ".join(meaning(field))))
        yield f"| {field.offset} | {field.type_name} | `{field.name}` | {texts} | {field.status} |"
        for bits in field.bits:
            last = bits.shift + bits.width - 1
            place = f"bit {bits.shift}" if bits.width == 1 else f"bits {bits.shift}-{last}"
            element = f"[{bits.element}]" if field.shape else ""
            yield f"|  | {place} | `{field.name}{element}.{bits.name}` | {of_bits(bits)} | {bits.status} |"
    yield ""


def meaning(field: Field) -> Iterator[str]:
    """Sentences about a field."""
    yield field.doc
    if field.unit:
        yield f"Unit: {field.unit}."
    if field.scale:
        yield f"The stored number divided by {field.scale:g}."
    if field.refers_to:
        yield f"Index in {field.refers_to}."
    if field.none is not None:
        yield f"{field.none:#x}: none."
    if field.reading:
        yield f"Only in the reading {field.reading}."
    yield from (f"{value:#x}: {text}." for value, text in field.flags.items())
    yield from (f"{value}: {text}." for value, text in field.values.items())
    for reading, names in field.components.items():
        yield f"Elements{f' in the reading {reading}' if reading else ''}: {', '.join(names)}."


def of_bits(bits: Bits) -> str:
    """Sentences about bits of a word."""
    texts = [bits.doc, *(f"{value}: {text}." for value, text in bits.values.items())]
    texts += [f"Index in {bits.refers_to}."] if bits.refers_to else []
    texts += [f"Only in the reading {bits.reading}."] if bits.reading else []
    return escaped(cell(" ".join(texts)))
