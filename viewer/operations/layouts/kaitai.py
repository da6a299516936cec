"""The declared formats as files of Kaitai Struct.

Source: the language's user guide (doc.kaitai.io), compiler 0.11.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np

from viewer.formats.archive import nres
from viewer.formats.record import Bits, Field, Record
from viewer.operations.layouts.formulas import INDEX, LEFT, WORD, Dialect
from viewer.operations.layouts.schema import (
    LEGACY,
    LENGTH,
    STORED,
    TEXT_LINE,
    FormatSchema,
    SchemaMember,
    SchemaType,
)
from viewer.operations.layouts.words import certainty, identifiers, plain, safe, sentence

SUFFIX: Final = ".ksy"
ENCODING: Final = "windows-1251"
_START: Final = "# Made by mshview of the declarations with which it reads and writes this format.\n"
_SCALARS: Final = {"u": "u", "i": "s", "f": "f"}
_LEFT: Final = "(_io.size - _io.pos)"


def text_of(schema: FormatSchema) -> str:
    """The file of a format."""
    return "\n".join(_KaitaiWriter(schema).lines()) + "\n"


def _quoted(text: str) -> str:
    """A text as YAML, of which the strings of JSON are a part."""
    return json.dumps(text, ensure_ascii=False)


class _KaitaiWriter:
    """Writes one format.

    Parameters
    ----------
    schema
        The format.
    """

    def __init__(self, schema: FormatSchema) -> None:
        self._schema = schema
        self._enums: dict[str, Mapping[int, str]] = {}

    def lines(self) -> Iterator[str]:
        """The lines of the file."""
        schema = self._schema
        yield _START.rstrip("\n")
        yield "meta:"
        yield f"  id: {safe(schema.id)}"
        yield f"  title: {_quoted(f'Parkan: Iron Strategy, {plain(schema.title)}')}"
        if schema.suffixes:
            yield f"  file-extension: [{', '.join(schema.suffixes)}]"
        yield "  license: MIT"
        yield "  endian: le"
        yield f"  encoding: {ENCODING}"
        yield f"doc: {_quoted(' '.join(schema.doc.split()))}"
        yield from _parameters(schema.parameters, "")
        yield from self._members(schema.members, "")
        yield from self._directory()
        yield "types:"
        for it in schema.types.values():
            yield f"  {safe(it.name)}:"
            yield from self._type(it)
        yield from self._enumerations()

    def _type(self, it: SchemaType) -> Iterator[str]:
        inner = "    "
        if it.doc:
            yield f"{inner}doc: {_quoted(plain(it.doc))}"
        yield from _parameters(it.parameters, inner)
        if it.kinds:
            yield from _by_first_byte(it.kinds)
        elif it.record is not None:
            yield from self._record(it, it.record)
        elif it.name == TEXT_LINE:
            yield f"{inner}seq:"
            yield f"{inner}  - {{id: text, type: str, terminator: 0x0a, eos-error: false}}"
        else:
            yield from self._members(it.members, inner)

    def _members(self, members: tuple[SchemaMember, ...], inner: str) -> Iterator[str]:
        yield f"{inner}seq:"
        dialect = self._dialect(members)
        for it in members:
            yield f"{inner}  - id: {safe(it.name)}"
            for line in self._member(it, dialect):
                yield f"{inner}    {line}"
        optional = [it for it in members if it.when and not it.when.startswith("has_")]
        if optional:
            yield f"{inner}instances:"
        for it in optional:
            yield f"{inner}  has_{safe(it.name)}: {{value: {_quoted(dialect.text(it.when))}}}"
        if any(WORD in it.when.split() for it in optional):
            yield f"{inner}  next_word: {{pos: _io.pos, type: u4}}"

    def _member(self, it: SchemaMember, dialect: Dialect) -> Iterator[str]:
        doc = f"{plain(it.doc)} {certainty(it.status)}" if not it.type else plain(it.doc)
        if doc.strip():
            yield f"doc: {_quoted(doc.strip())}"
        if it.when:
            name = it.when if it.when.startswith("has_") else f"has_{safe(it.name)}"
            yield f"if: {name}"
        if it.type:
            given = ", ".join(map(dialect.text, it.arguments))
            yield f"type: {_quoted(f'{safe(it.type)}({given})' if given else safe(it.type))}"
        elif it.size:
            yield f"size: {_quoted(dialect.text(it.size))}"
        else:
            yield "size-eos: true"
        yield from self._repeat(it, dialect)

    def _repeat(self, it: SchemaMember, dialect: Dialect) -> Iterator[str]:
        if it.repeat is None:
            return
        record = self._schema.types[it.type].record if it.type else None
        if not it.repeat and (record is None or it.type == TEXT_LINE):
            yield "repeat: eos"
            return
        yield "repeat: expr"
        # As many as are whole: what is left of one goes to the next member.
        whole = f"{_LEFT} / {record.size}" if record is not None else ""
        yield f"repeat-expr: {_quoted(dialect.text(it.repeat) if it.repeat else whole)}"

    def _dialect(self, members: tuple[SchemaMember, ...]) -> Dialect:
        numbers: dict[str, str] = {}
        for it in members:
            record = self._schema.types[it.type].record if it.type else None
            fields = record.fields if record is not None else ()
            numbers |= {f"{it.name}.{field.name}": ".to_i" for field in fields if field.values}
        names = {LEFT: _LEFT, WORD: "next_word", INDEX: "_index"}
        return Dialect(names, "and", "or", numbers=numbers)

    def _record(self, it: SchemaType, record: Record) -> Iterator[str]:
        yield "    seq:"
        instances: list[str] = []
        for at, field in enumerate(record.fields):
            yield f"      - id: {safe(field.name)}"
            for line in self._field(record, field, it):
                yield f"        {line}"
            if STORED in it.parameters:
                yield f"        if: {STORED} >= {field.offset + field.size}"
            elif it.is_text and at:
                yield f"        if: {safe(record.fields[0].name)} > 0"
            instances += self._parts_of(record, field)
        if self._schema.is_container and record is nres.ENTRY:
            instances += self._payload()
        if instances:
            yield "    instances:"
            yield from (f"      {line}" for line in instances)

    def _field(self, record: Record, field: Field, it: SchemaType) -> Iterator[str]:
        yield f"doc: {_quoted(sentence(field))}"
        scalar = np.dtype(field.dtype)
        is_last = field is record.fields[-1]
        if scalar.kind in "SV":
            size = safe(record.fields[0].name) if it.is_text else str(scalar.itemsize)
            yield from _stored_bytes(field, size)
            return
        kind = f"{_SCALARS[scalar.kind]}{scalar.itemsize}"
        yield f"type: {kind}"
        if field.values and not field.is_float:
            yield f"enum: {self._enum(record, field.name, field.values)}"
        if field.shape:
            count = str(field.count)
            if LENGTH in it.parameters and is_last:
                count = f"{LENGTH} * {field.count // field.shape[0]}"
            yield "repeat: expr"
            yield f"repeat-expr: {count}"
        elif len(field.allowed):
            yield f"valid: {_allowed(self._enums, record, field)}"

    def _parts_of(self, record: Record, field: Field) -> Iterator[str]:
        """The flags and groups of bits of a field as values of their own."""
        for bit, name in identifiers(field.flags).items():
            value = f"({safe(field.name)} & {bit}) != 0"
            yield f"{safe(field.name)}_{name}: {{value: {_quoted(value)}}}"
        for bits in field.bits:
            yield from self._bits(record, field, bits)

    def _bits(self, record: Record, field: Field, bits: Bits) -> Iterator[str]:
        if bits.is_float or bits.shift + bits.width > np.dtype(field.dtype).itemsize * 8:
            return
        element = f"[{bits.element}]" if field.shape else ""
        value = f"({safe(field.name)}{element} >> {bits.shift}) & {(1 << bits.width) - 1}"
        named = f", enum: {self._enum(record, bits.name, bits.values)}" if bits.values else ""
        doc = _quoted(sentence(bits))
        yield f"{safe(field.name)}_{safe(bits.name)}: {{value: {_quoted(value)}{named}, doc: {doc}}}"

    def _enum(self, record: Record, name: str, values: Mapping[int, str]) -> str:
        found = safe(f"{record.name}_{name}")
        self._enums[found] = values
        return found

    def _enumerations(self) -> Iterator[str]:
        if self._enums:
            yield "enums:"
        for name, values in self._enums.items():
            yield f"  {name}:"
            for value, found in identifiers(values).items():
                yield f"    {value}: {{id: {found}, doc: {_quoted(plain(values[value]))}}}"

    def _directory(self) -> Iterator[str]:
        """The directory of a container, which is at its end."""
        if self._schema.is_container:
            yield "instances:"
            yield "  entries:"
            yield f"    pos: {_quoted(f'header.total_size - header.entry_count * {nres.ENTRY.size}')}"
            yield "    type: entry"
            yield "    repeat: expr"
            yield "    repeat-expr: header.entry_count"

    def _payload(self) -> Iterator[str]:
        """The payload of an entry: bytes, or a table by its type id."""
        tables = self._schema.tables
        yield "payload:"
        yield "  pos: data_offset"
        yield "  size: size"
        if tables:
            yield "  type:"
            # The nodes of the one file whose records have another size.
            yield f"    switch-on: {_quoted(f'(type_id == 1 and attr3 == 24) ? {LEGACY} : type_id')}"
            yield "    cases:"
            for type_id, (name, attributes) in tables.items():
                given = f"({', '.join(attributes)})" if attributes else ""
                yield f"      {type_id}: {_quoted(safe(name) + given)}"


def _parameters(names: tuple[str, ...], inner: str) -> Iterator[str]:
    if names:
        yield f"{inner}params:"
        yield from (f"{inner}  - {{id: {name}, type: u4}}" for name in names)


def _by_first_byte(kinds: Mapping[int, str]) -> Iterator[str]:
    yield "    seq:"
    yield "      - id: row"
    yield "        type:"
    yield "          switch-on: first_byte"
    yield "          cases:"
    yield from (f"            {code}: {safe(name)}" for code, name in kinds.items())
    yield "    instances:"
    yield "      first_byte: {pos: _io.pos, type: u1}"


def _stored_bytes(field: Field, size: str) -> Iterator[str]:
    mark = next((it for it in field.allowed if isinstance(it, bytes)), None)
    if mark is not None and len(field.allowed) == 1:
        yield f"contents: [{', '.join(f'{it:#04x}' for it in mark)}]"
        return
    yield f"size: {size}"
    if field.is_text:
        yield "type: str"
        yield "terminator: 0"


def _allowed(enums: Mapping[str, Mapping[int, str]], record: Record, field: Field) -> str:
    if field.values:
        name = safe(f"{record.name}_{field.name}")
        return "{any-of: [" + ", ".join(f"'{name}::{it}'" for it in identifiers(enums[name]).values()) + "]}"
    if isinstance(field.allowed, range):
        return f"{{min: {field.allowed[0]}, max: {field.allowed[-1]}}}"
    return "{any-of: [" + ", ".join(map(str, field.allowed)) + "]}"
