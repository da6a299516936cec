"""The declared formats as patterns of ImHex.

Source: the documentation of its pattern language (docs.werwolv.net), 1.37.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from viewer.formats.archive import nres
from viewer.formats.record import Field, Record
from viewer.operations.layouts.formulas import HAS, INDEX, LEFT, WORD, Dialect
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

SUFFIX: Final = ".hexpat"
_START: Final = "// Made by mshview of the declarations with which it reads and writes this format."
_SCALARS: Final = {"u": "u", "i": "s"}
_FLOATS: Final = {4: "float", 8: "double"}
MOST: Final = 1 << 24
"""Elements of an array and patterns of a file: by default there are fewer than a terrain has."""
_LEFT: Final = "(data_end - $)"
_WORD: Final = "std::mem::read_unsigned($, 4)"
_INDEX: Final = "std::core::array_index()"


def text_of(schema: FormatSchema) -> str:
    """The pattern of a format."""
    return "\n".join(_PatternWriter(schema).lines()) + "\n"


def _comment(text: str) -> str:
    """A text as the comment of a pattern."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'[[comment("{escaped}")]]'


def _type_name(name: str) -> str:
    """A name of types: ``header_row`` is ``HeaderRow``."""
    return "".join(word[:1].upper() + word[1:] for word in safe(name).split("_"))


class _PatternWriter:
    """Writes the pattern of one format.

    Parameters
    ----------
    schema
        The format.
    """

    def __init__(self, schema: FormatSchema) -> None:
        self._schema = schema

    def lines(self) -> Iterator[str]:
        """The lines of the pattern."""
        schema = self._schema
        yield _START
        yield f"#pragma description Parkan: Iron Strategy, {plain(schema.title)}"
        yield "#pragma endian little"
        yield from (f"#pragma {it}_limit {MOST}" for it in ("array", "pattern"))
        yield from ("import std.core;", "import std.mem;", "")
        yield from (f"// {line}".rstrip() for line in schema.doc.splitlines())
        yield ""
        yield from (f"u32 {name} in;  // from the directory entry" for name in schema.parameters)
        # The end of the payload: of the file, or in a model of the table that is read.
        yield "u128 data_end = std::mem::size();"
        for it in schema.types.values():
            yield from self._type(it)
        name = f"{_type_name(schema.id)}Format"
        yield from self._struct(name, schema.members, plain(schema.title))
        yield f"{name} {safe(schema.id)} @ 0x00;"

    def _type(self, it: SchemaType) -> Iterator[str]:
        if it.record is not None:
            yield from self._enumerations(it.record)
            yield from self._record(it, it.record)
        elif it.kinds:
            yield from _by_first_byte(it)
        elif it.name == TEXT_LINE:
            yield "struct TextLine {"
            yield "    char text[while($ < data_end && std::mem::read_unsigned($, 1) != 0x0A)];"
            yield "    if ($ < data_end) char line_feed;"
            yield "};"
        else:
            yield from self._struct(_type_name(it.name), it.members, plain(it.doc), it.parameters)

    def _struct(
        self, name: str, members: tuple[SchemaMember, ...], doc: str, parameters: tuple[str, ...] = ()
    ) -> Iterator[str]:
        dialect = Dialect({LEFT: _LEFT, WORD: _WORD, INDEX: _INDEX}, "&&", "||")
        for it in members:
            if it.size and it.repeat is not None:
                yield from _sized_rows(it, members)
        yield f"struct {name}{_template(parameters)} {{  // {doc}".rstrip(" /")
        for it in members:
            yield from (f"    {line}" for line in self._member(it, dialect))
        yield from (f"    {line}" for line in self._directory(members))
        yield "};"

    def _member(self, it: SchemaMember, dialect: Dialect) -> Iterator[str]:
        has = it.when if it.when.startswith(HAS) else f"{HAS}{safe(it.name)}"
        if it.when and has != it.when:
            yield f"bool {has} = {dialect.text(it.when)};"
        for number, formula in enumerate(it.arguments):
            yield f"u32 {safe(it.name)}_argument_{number} = {dialect.text(formula)};"
        condition = f"if ({has}) " if it.when else ""
        doc = _comment(f"{plain(it.doc)} {'' if it.type else certainty(it.status)}".strip())
        yield f"{condition}{self._placed(it, dialect)} {doc};"

    def _placed(self, it: SchemaMember, dialect: Dialect) -> str:
        """Type, name and number of a member."""
        name = safe(it.name)
        if not it.type and it.repeat is None:
            return f"u8 {name}[{dialect.text(it.size) if it.size else _LEFT}]"
        given = ", ".join(f"{name}_argument_{number}" for number in range(len(it.arguments)))
        kind = _type_name(it.type or f"{it.name}_bytes") + (f"<{given}>" if given else "")
        if it.repeat is None:
            return f"{kind} {name}"
        if it.repeat:
            return f"{kind} {name}[{dialect.text(it.repeat)}]"
        record = self._schema.types[it.type].record
        # As many as are whole: what is left of one goes to the next member.
        return f"{kind} {name}[{'while($ < data_end)' if record is None else f'{_LEFT} / {record.size}'}]"

    def _record(self, it: SchemaType, record: Record) -> Iterator[str]:
        yield f"struct {_type_name(it.name)}{_template(it.parameters)} {{  // {plain(it.doc)}".rstrip(" /")
        for at, field in enumerate(record.fields):
            condition = ""
            if STORED in it.parameters:
                condition = f"if ({STORED} >= {field.offset + field.size}) "
            elif it.is_text and at:
                condition = f"if ({safe(record.fields[0].name)} > 0) "
            yield f"    {condition}{self._field(it, record, field)} {_comment(sentence(field))};"
        is_entry = self._schema.is_container and record is nres.ENTRY
        if is_entry:
            yield from (f"    {line}" for line in self._payload())
        # Rows of one size: an array of them is one pattern, however many there are.
        is_static = not (is_entry or it.parameters or it.is_text)
        yield "} [[static]];" if is_static else "};"

    def _field(self, it: SchemaType, record: Record, field: Field) -> str:
        scalar, name = np.dtype(field.dtype), safe(field.name)
        if scalar.kind in "SV":
            size = safe(record.fields[0].name) if it.is_text else str(scalar.itemsize)
            return f"{'char' if field.is_text else 'u8'} {name}[{size}]"
        if _has_enumeration(field):
            kind = _type_name(f"{record.name}_{field.name}")
        elif scalar.kind == "f":
            kind = _FLOATS[scalar.itemsize]
        else:
            kind = f"{_SCALARS[scalar.kind]}{scalar.itemsize * 8}"
        if not field.shape:
            return f"{kind} {name}"
        is_last = field is record.fields[-1]
        count = str(field.count)
        if LENGTH in it.parameters and is_last:
            count = f"{LENGTH} * {field.count // field.shape[0]}"
        return f"{kind} {name}[{count}]"

    def _enumerations(self, record: Record) -> Iterator[str]:
        """The enumerations and the words of flags of a record."""
        for field in record.fields:
            if not _has_enumeration(field):
                continue
            name = _type_name(f"{record.name}_{field.name}")
            scalar = np.dtype(field.dtype)
            if field.values:
                yield f"enum {name} : {_SCALARS[scalar.kind]}{scalar.itemsize * 8} {{"
                found = identifiers(field.values)
                yield from (
                    f"    {word} = {value},  // {plain(field.values[value])}" for value, word in found.items()
                )
            else:
                yield f"bitfield {name} {{"
                yield from _bits(field, scalar.itemsize * 8)
            yield "};"

    def _directory(self, members: tuple[SchemaMember, ...]) -> Iterator[str]:
        """The directory of a container, which is at its end."""
        if self._schema.is_container and members is self._schema.members:
            place = f"header.total_size - header.entry_count * {nres.ENTRY.size}"
            yield f"Entry entries[header.entry_count] @ {place};"

    def _payload(self) -> Iterator[str]:
        """The payload of an entry: bytes, or a table by its type id."""
        if not self._schema.tables:
            yield "u8 payload[size] @ data_offset;"
            return
        yield "data_end = data_offset + size;"
        yield f"u32 table = type_id == 1 && attr3 == 24 ? {LEGACY} : type_id;"
        for type_id, (name, attributes) in self._schema.tables.items():
            given = f"<{', '.join(attributes)}>" if attributes else ""
            word = "if" if type_id == next(iter(self._schema.tables)) else "else if"
            yield f"{word} (table == {type_id}) {_type_name(name)}{given} payload @ data_offset;"
        yield "else u8 payload[size] @ data_offset;"


def _template(parameters: tuple[str, ...]) -> str:
    return f"<{', '.join(f'auto {it}' for it in parameters)}>" if parameters else ""


def _has_enumeration(field: Field) -> bool:
    """Whether a field is an enumeration, or a word of single bits that do not overlap."""
    if field.is_float or np.dtype(field.dtype).kind in "SV":
        return False
    return bool(field.values) or bool(field.flags and not field.shape)


def _bits(field: Field, width: int) -> Iterator[str]:
    """The members of a word of flags, from its lowest bit on."""
    place = 0
    names = identifiers(field.flags)
    for mask in sorted(field.flags):
        start = (mask & -mask).bit_length() - 1
        if start < place:
            continue  # a bit of a group that has a name already
        if start > place:
            yield f"    padding : {start - place};"
        yield f"    {names[mask]} : {mask.bit_length() - start};  // {plain(field.flags[mask])}"
        place = mask.bit_length()
    if place < width:
        yield f"    padding : {width - place};"


def _by_first_byte(it: SchemaType) -> Iterator[str]:
    yield f"struct {_type_name(it.name)} {{  // {plain(it.doc)}"
    yield "    u8 first_byte = std::mem::read_unsigned($, 1);"
    for number, (code, name) in enumerate(it.kinds.items()):
        yield f"    {'else if' if number else 'if'} (first_byte == {code}) {_type_name(name)} row;"
    yield "};"


def _sized_rows(it: SchemaMember, members: tuple[SchemaMember, ...]) -> Iterator[str]:
    """The type of rows of bytes whose size follows from members before them."""
    names = frozenset(safe(other.name) for other in members)
    dialect = Dialect({LEFT: _LEFT, WORD: _WORD, INDEX: _INDEX}, "&&", "||", before="parent.", members=names)
    yield f"struct {_type_name(f'{it.name}_bytes')} {{"
    yield f"    u8 stored[{dialect.text(it.size)}];"
    yield "};"
