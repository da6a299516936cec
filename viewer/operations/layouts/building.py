"""The declared formats as schemas: layouts walked member by member, and the containers."""

from __future__ import annotations

import re
from importlib import import_module
from inspect import getdoc
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from viewer.formats.archive import nres, rsli
from viewer.formats.layout.layout import Count, Layout, Member
from viewer.formats.layout.lists import CountedText, Listing, Nested, Tagged, TextLine
from viewer.formats.layout.members import Array, RawBytes, Single
from viewer.formats.msh import tables
from viewer.formats.msh.nodes import LEGACY_SIZE
from viewer.formats.neighbors import areal_map
from viewer.formats.record import Record
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import ARCHIVE, KINDS, MODEL, PACKED
from viewer.operations.layouts.formulas import FORMULAS, HAS, OWNERS
from viewer.operations.layouts.schema import (
    LEGACY,
    LENGTH,
    STORED,
    TEXT_LINE,
    FormatSchema,
    SchemaMember,
    SchemaType,
)

WHOLE: Final = "whole"
"""Stands in a formula for the size of the record."""
ATTRIBUTES: Final = "attr1", "attr2"


class SchemaBuilder:
    """Collects the types of a format."""

    def __init__(self) -> None:
        self.types: dict[str, SchemaType] = {}

    def members(self, layout: Layout[Any], prefix: str = "") -> tuple[SchemaMember, ...]:
        """The members of a layout; those that never have a row are left out."""
        found = []
        for attribute, member in layout.members.items():
            made = self._member(MemberFormulas(layout.make.__name__, attribute, member), member, prefix)
            owner = OWNERS.get((layout.make.__name__, attribute))
            if owner is not None:
                made = replace(made, when=f"{HAS}{layout.members[owner].name}")
            found += [] if made.repeat == "0" else [_with_parts(made, layout)]
        return tuple(found)

    def _member(self, formulas: MemberFormulas, it: Member, prefix: str) -> SchemaMember:
        doc = getattr(it, "doc", "")
        match it:
            case RawBytes():
                size = "" if it.size is None else formulas.of("size")
                made = SchemaMember(it.name, doc, size=size, status=it.status)
            case Single():
                stored = () if it.size is None else (formulas.of("size"),)
                name = self._record(it.record, prefix, (STORED,) if stored else ())
                when = formulas.condition(it) if it.is_optional else ""
                made = SchemaMember(it.name, it.record.doc, name, stored, when=when)
            case Array():
                made = self._array(formulas, it, prefix)
            case Tagged():
                kinds = {code: self._record(kind, f"kind_{code}_") for code, kind in it.kinds.items()}
                name = self.add(SchemaType(f"any_{it.name}", doc, kinds=kinds))
                made = SchemaMember(it.name, doc, name, repeat=formulas.of("count"))
            case Nested() | CountedText():
                made = SchemaMember(it.name, doc, self._row(it, prefix))
            case Listing():
                made = self._list(formulas, it, prefix)
            case _:
                raise TypeError(type(it).__name__)
        return made

    def _list(self, formulas: MemberFormulas, it: Listing, prefix: str) -> SchemaMember:
        count = formulas.of("count", default="")
        if not isinstance(it.row, Nested | CountedText):  # bytes, each of its own size
            return SchemaMember(it.name, it.doc, repeat=count, size=formulas.of("size"))
        doc = f"{it.doc} In files in which they cannot be read they are bytes." if it.is_optional else it.doc
        return SchemaMember(it.name, doc, self._row(it.row, f"{prefix}{it.name}_"), repeat=count)

    def _array(self, formulas: MemberFormulas, it: Array, prefix: str) -> SchemaMember:
        count = formulas.of("count", default="")
        if isinstance(it.record, Record):
            return SchemaMember(it.name, it.record.doc, self._record(it.record, prefix), repeat=count)
        record, length = it.record.make(1), it.record.length
        if not isinstance(length, Count):
            raise TypeError(it.name)
        name = self._record(record, prefix, (LENGTH,))
        return SchemaMember(it.name, record.doc, name, (_counted(length),), count)

    def _row(self, it: Nested | CountedText, prefix: str) -> str:
        if isinstance(it, CountedText):
            return self._record(it.record(1), prefix, is_text=True)
        name = self._unused(it.name, prefix)
        return self.add(SchemaType(name, it.doc, self.members(it.layout, f"{name}_")))

    def _record(
        self, record: Record, prefix: str, parameters: tuple[str, ...] = (), *, is_text: bool = False
    ) -> str:
        known = next((it for it in self.types.values() if it.record is record), None)
        if known is not None:
            return known.name
        name = self._unused(f"{record.name}_row", prefix)
        return self.add(SchemaType(name, record.doc, (), parameters, record, is_text=is_text))

    def _unused(self, name: str, prefix: str) -> str:
        return name if name not in self.types else f"{prefix}{name}"

    def add(self, made: SchemaType) -> str:
        """Add a type, and return its name."""
        if made.name in self.types:
            raise ValueError(made.name)
        self.types[made.name] = made
        return made.name


class MemberFormulas(Struct, frozen=True):
    """The formulas of one member of a layout."""

    owner: str
    attribute: str
    member: Any

    def of(self, what: str, default: str | None = None) -> str:
        """The formula of its count or its size; `default` if it has none."""
        known = FORMULAS.get((self.owner, self.attribute, what), default)
        found = getattr(self.member, what, None)
        if isinstance(found, Count):
            return _counted(found)
        if found is None and known is not None:
            return known
        try:
            # A function that looks at nothing: a number that is the same in every file.
            return str(int(found(None)))  # type: ignore[misc]
        except AttributeError:
            if known is None:
                raise
            return known

    def condition(self, it: Single) -> str:
        """The formula of whether an optional record is there."""
        known = FORMULAS.get((self.owner, self.attribute, "when"))
        if known is not None:
            return known.replace(WHOLE, str(it.record.size))
        fits, first = f"left >= {it.record.size}", it.record.fields[0]
        mark = next((value for value in first.allowed if isinstance(value, bytes)), None)
        return fits if mark is None else f"{fits} and word == {int.from_bytes(mark, 'little')}"


def _with_parts(made: SchemaMember, layout: Layout[Any]) -> SchemaMember:
    """A member whose formulas name parts, which are the members of types, and not attributes of values."""

    def parts(formula: str) -> str:
        return re.sub(r"\b(\w+)(?=\.)", lambda it: names.get(it[1], it[1]), formula)

    names = {attribute: member.name for attribute, member in layout.members.items()}
    repeat = None if made.repeat is None else parts(made.repeat)
    arguments = tuple(map(parts, made.arguments))
    return replace(made, arguments=arguments, repeat=repeat, size=parts(made.size), when=parts(made.when))


def _counted(count: Count) -> str:
    return f"{count.owner}.{count.field}" + (f" + {count.added}" if count.added else "")


def schema_of(kind: Kind) -> FormatSchema:
    """The schema of a format with a layout."""
    module = import_module(kind.module)
    layout: Layout[Any] = vars(module)["LAYOUT"]
    suffixes = tuple(it.decode() for it in kind.suffixes)
    doc = getdoc(module) or ""
    if any(isinstance(getattr(it, "row", it), TextLine) for it in layout.members.values()):
        lines = SchemaMember("lines", _lines_doc(layout), TEXT_LINE, repeat="")
        line = SchemaType(TEXT_LINE, "A line of text, up to its line feed.")
        return FormatSchema(kind.id, kind.title.template, doc, suffixes, (lines,), {TEXT_LINE: line})
    builder = SchemaBuilder()
    members = builder.members(layout)
    return FormatSchema(
        kind.id, kind.title.template, doc, suffixes, members, builder.types, tuple(layout.stated)
    )


def _lines_doc(layout: Layout[Any]) -> str:
    """The lines of a text format in words: a schema of bytes cannot tell them apart."""
    said = ((it.name, getattr(it, "row", it)) for it in layout.members.values())
    parts = (
        f"{name}: " + ", ".join(f"{it.name} ({it.doc.rstrip('.')})" for it in row.fields)
        for name, row in said
        if isinstance(row, TextLine)
    )
    return "Lines, in this order. " + "; ".join(parts) + "."


def container_schema() -> FormatSchema:
    """The schema of archives (NRes); payloads are bytes."""
    builder = SchemaBuilder()
    builder.add(SchemaType("entry", nres.ENTRY.doc, record=nres.ENTRY))
    builder.add(SchemaType("container_header", nres.HEADER.doc, record=nres.HEADER))
    header = SchemaMember("header", nres.HEADER.doc, "container_header")
    doc = getdoc(nres) or ""
    return FormatSchema(
        "nres", "archive", doc, ("lib", "rlb", "dlb"), (header,), builder.types, is_container=True
    )


def model_schema() -> FormatSchema:
    """The schema of models and terrains: containers whose payloads are tables."""
    container, builder = container_schema(), SchemaBuilder()
    types = dict(container.types)
    entry = types.pop("entry")
    builder.types.update(types)
    found: dict[int, tuple[str, tuple[str, ...]]] = {}
    for declared in (*tables.TABLES.values(), tables.LEGACY_NODES):
        is_legacy = declared is tables.LEGACY_NODES
        if declared.type_id == tables.AREAL_MAP:
            layout = areal_map.LAYOUT
        else:
            layout = tables.layout_of(declared.type_id, 0, 0, LEGACY_SIZE if is_legacy else 0)
        name = "legacy_nodes" if is_legacy else declared.name
        members = builder.members(layout, f"{name}_")
        stated = tuple(it for it in layout.stated if it != "declared")
        builder.add(SchemaType(name, f"Table {declared.type_id}.", members, stated))
        found[LEGACY if is_legacy else declared.type_id] = name, ATTRIBUTES[: len(stated)]
    builder.add(entry)  # after the tables, which are its payloads
    doc = "Models and terrains: a container of tables. Source: spec/msh.md, spec/land.md."
    return FormatSchema(
        MODEL.id, "model", doc, ("msh",), container.members, builder.types, tables=found, is_container=True
    )


def packed_schema() -> FormatSchema:
    """The schema of packed libraries; their directory is transformed, and so bytes."""
    types = {"library_header": SchemaType("library_header", rsli.HEADER.doc, record=rsli.HEADER)}
    rows = ", ".join(f"{it.name} ({it.type_name})" for it in rsli.ENTRY.fields)
    directory = (
        f"Rows of {rsli.ENTRY.size} bytes, each: {rows}. All of them are transformed with the key xor_seed "
        "(spec/rsli.md 2), which is not done here, so that neither their fields nor the payloads are found."
    )
    members = (
        SchemaMember("header", rsli.HEADER.doc, "library_header"),
        SchemaMember("directory", directory, size=f"header.entry_count * {rsli.ENTRY.size}"),
        SchemaMember("payloads", "Payloads, and perhaps a trailer of 6 bytes at the end."),
    )
    return FormatSchema(PACKED.id, "packed library", getdoc(rsli) or "", (), members, types)


def schemas() -> list[FormatSchema]:
    """All formats that are declared, by their names."""
    special = {ARCHIVE.id: container_schema, PACKED.id: packed_schema, MODEL.id: model_schema}
    found = [special[it.id]() if it.id in special else schema_of(it) for it in KINDS if it.is_known]
    return sorted(found, key=lambda it: it.id)
