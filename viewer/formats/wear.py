"""WEAR, the text table of a model's materials: a row's index is the material selector, its name the material.

Every byte of the text is part of a line: a line is a record whose fields are as wide as their text.

Source: spec/materials.md 2.
Status: proven; the number that starts a row is read and never used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.formats.findings import Rule
from viewer.formats.layout.layout import Layout
from viewer.formats.layout.lists import Listing, TextLine
from viewer.formats.layout.members import RawBytes, Single
from viewer.formats.record import ASCII, CP1251, DECIMAL, LIGHTMAP, MATERIAL, Bytes, Field, Record, Status
from viewer.formats.text import decode as text_of
from viewer.translation import Text, _

MATERIAL_COUNT = "material_count"
MATERIALS = "materials"
SEPARATOR = "separator"
LIGHTMAP_COUNT = "lightmap_count"
LIGHTMAPS = "lightmaps"
TAIL = "tail"
# Indices 0 to 16 by the project that names textures and lightmaps, within 16 characters by the seeds, who
# name lightmaps alone (W08; spec/README.md 5, C22).
TEXTURE_DOT = 17
LIGHTMAP_DOT = 16
"""Characters of the name of a texture or a lightmap among which the game looks for a dot."""
MAX_ROWS = 0x10000
"""Number of rows that a 16-bit selector can address."""

HEADING = Record(
    "heading", 9, Field("word", "V9", 'Always "LIGHTMAPS".', encoding=ASCII), doc="Start of the lightmaps."
)

_INDENT = Field("indent", "V1", "White space before the number.", encoding=ASCII)
_REST = Field("rest", "V1", "The rest of the line and its end; not read.", encoding=CP1251)
COUNT_FIELDS = (_INDENT, Field("count", "V1", "Number of rows, as decimal text.", encoding=DECIMAL), _REST)
ROW_FIELDS = (
    _INDENT,
    Field("number", "V1", "A number as decimal text; the game reads it and never uses it.", encoding=DECIMAL),
    Field("gap", "V1", "White space between number and name.", encoding=ASCII),
    Field("name", "V1", "Name of a material or of a texture.", encoding=CP1251),
    _REST,
)
"""The fields of a line with a number of rows, and of a row; their widths are those of the line."""
_DOCS = {
    MATERIAL_COUNT: "Number of materials.",
    MATERIALS: "A material; its index is the selector of the batches.",
    LIGHTMAP_COUNT: "Number of lightmaps.",
    LIGHTMAPS: "A lightmap.",
}
_NAMED = {MATERIALS: MATERIAL, LIGHTMAPS: LIGHTMAP}
"""Things that the rows of each table name."""

# White space includes line ends: blank lines before a count are skipped. 18 digits always fit 64 bits; `int`
# refuses more than 4300 of them with an error of Python's own.
COUNT = re.compile(rb"(?P<indent>\s*)(?P<count>[+-]?\d{1,18})(?!\S)(?P<rest>[^\n]*(?:\n|\Z))")
# Blanks only, no line ends: a row without a name must not take the next line's number for one.
ROW = re.compile(
    rb"(?P<indent>[ \t]*)(?P<number>[+-]?\d{1,18})(?P<gap>[ \t]+)(?P<name>\S+)(?P<rest>[^\n]*(?:\n|\Z))"
)
# A word of its own, so that NO_LIGHTMAPS is not a heading. The game does not find one in small letters: it is
# read all the same, and reported (W05).
_HEADING = re.compile(rb"(?<!\S)LIGHTMAPS(?!\S)", re.IGNORECASE)
_BLANK_LINE = re.compile(rb"[ \t\r]*\n")
_NAME = rb"\S+"


class Line(Struct, frozen=True):
    """A line: its fields, with their widths in this line, and their values."""

    record: Record
    values: np.void

    @property
    def size(self) -> int:
        """The length of the line, bytes."""
        return self.record.size

    def text(self, field: str) -> bytes:
        """The text of a field."""
        return bytes(self.values[field].tobytes())


class Row(Line, frozen=True):
    """A row of a table: a number that is not used, and a name."""

    @property
    def number(self) -> int:
        """The number that the row starts with."""
        return int(self.text("number"))

    @property
    def name(self) -> bytes:
        """The material or the lightmap."""
        return self.text("name")


class Wear(Struct, frozen=True):
    """A decoded wear table: materials and lightmaps by row.

    Parameters
    ----------
    material_count, materials
        The number of rows, and the rows that could be read.
    separator
        Text before the heading of the lightmaps, usually a blank line.
    heading
        One `HEADING` record if there is a section of lightmaps.
    lightmap_count, lightmaps
        The same as for the materials, None and empty if the section is absent or invalid.
    tail
        Text after the last row.
    """

    material_count: Line
    materials: tuple[Row, ...]
    separator: bytes = b""
    heading: np.void | None = None
    lightmap_count: Line | None = None
    lightmaps: tuple[Row, ...] = ()
    tail: bytes = b""
    diagnostics: tuple[Diagnostic, ...] = ()


def decode(data: Bytes) -> Wear:
    """Read a table; raises `FormatError` if the number of rows is invalid (W02)."""
    data = bytes(data)
    header, rule = COUNT.match(data), Rule("W02", MATERIAL_COUNT, "count")
    if header is None:
        raise rule.failure("the text does not start with a number")
    count = int(header["count"])
    if count <= 0:
        raise rule.failure("{count} rows", count=count)
    findings: list[Diagnostic] = []
    materials, end = _read_rows(data, header.end(), count, (MATERIAL_COUNT, MATERIALS), findings)
    line = Line(*_fields(MATERIAL_COUNT, header))
    # Not before the end of the rows: a material may be called LIGHTMAPS.
    heading = _HEADING.search(data, end)
    if heading is None:
        findings += _leftover(data[end:], TAIL)
        return Wear(line, materials, tail=data[end:], diagnostics=tuple(findings))
    separator, title = data[end : heading.start()], HEADING.read(heading[0])
    findings += _before_heading(separator, heading[0])
    counted, lightmaps, end = _read_lightmaps(data, heading.end(), findings)
    return Wear(line, materials, separator, title, counted, lightmaps, data[end:], tuple(findings))


_USUAL = {"indent": b"", "gap": b" ", "rest": b"\r\n"}
"""Texts of a line as the game's own files have them."""


def _line(name: str, counted: str = "", *, is_optional: bool = False) -> TextLine:
    """The declaration of a line."""
    declared = ROW_FIELDS if name in _NAMED else COUNT_FIELDS
    usual = {it.name: _USUAL[it.name] for it in declared if it.name in _USUAL}
    return TextLine(name, declared, usual, ("count", counted) if counted else None, is_optional)


LAYOUT = Layout(
    Wear,
    reader=decode,
    material_count=_line(MATERIAL_COUNT, MATERIALS),
    materials=Listing(MATERIALS, _line(MATERIALS), _DOCS[MATERIALS]),
    separator=RawBytes(SEPARATOR, "Text before the heading.", status=Status.PROVEN, is_text=True),
    heading=Single(HEADING, is_optional=True),
    lightmap_count=_line(LIGHTMAP_COUNT, LIGHTMAPS, is_optional=True),
    lightmaps=Listing(LIGHTMAPS, _line(LIGHTMAPS), _DOCS[LIGHTMAPS]),
    tail=RawBytes(TAIL, "Text after the last row; not read.", status=Status.PROVEN, is_text=True),
)
encode, parts = LAYOUT.encode, LAYOUT.parts


def build(materials: Sequence[bytes], lightmaps: Sequence[bytes] = ()) -> bytes:
    """Write a table from names; raises `ValueError` for an empty table or a name with blanks."""
    if not materials:
        raise ValueError("a wear table has at least one row")
    text = _section(materials)
    return text + b"\r\nLIGHTMAPS\r\n" + _section(lightmaps) if lightmaps else text


def _section(names: Sequence[bytes]) -> bytes:
    for name in names:
        if not re.fullmatch(_NAME, name):
            raise ValueError(_("{name!r} is not one word", name=name))
    rows = b"".join(b"%d %s\r\n" % (index, name) for index, name in enumerate(names))
    return b"%d\r\n" % len(names) + rows


def _fields(name: str, match: re.Match[bytes]) -> tuple[Record, np.void]:
    """The line of a match, as a record `name`, and its values."""
    layout = _layout(name, tuple(map(len, match.groups())))
    # A line is a record whose fields are as wide as its texts: it shares reading and editing with the
    # others.
    values: np.void = np.frombuffer(match[0], layout.dtype)[0]
    return layout, values


# Keyed by table and widths: most rows of a table differ in their names alone, and names in few lengths.
@lru_cache(maxsize=1024)
def _layout(name: str, widths: tuple[int, ...]) -> Record:
    """The record of a line with these field widths; empty fields are left out."""
    fields = zip(ROW_FIELDS if name in _NAMED else COUNT_FIELDS, widths, strict=True)
    stored = (
        replace(field, dtype=f"V{width}", names=_NAMED.get(name) if field.name == "name" else None)
        # numpy has no field of 0 bytes.
        for field, width in fields
        if width
    )
    return Record(name, sum(widths), *stored, doc=_DOCS[name])


def _read_rows(
    data: bytes, start: int, count: int, names: tuple[str, str], findings: list[Diagnostic]
) -> tuple[tuple[Row, ...], int]:
    """The rows from `start`, and their end; `names` are those of the count and of the table."""
    if count > MAX_ROWS:
        words = "{count} rows, a selector can address {limit}"
        findings.append(Rule("W02", names[0], "count").finding(words, count=count, limit=MAX_ROWS))
    rows: list[Row] = []
    while len(rows) < min(count, MAX_ROWS):
        match = ROW.match(data, start)
        if match is None:
            words = "no number and name, but {count} rows are stated"
            findings.append(Rule("W03", names[1]).finding(words, len(rows), count=count))
            break
        rows.append(Row(*_fields(names[1], match)))
        start = match.end()
    return tuple(rows), start


def _before_heading(separator: bytes, heading: bytes) -> Iterator[Diagnostic]:
    yield from _leftover(separator, SEPARATOR)
    rule = Rule("W05", HEADING.name, severity=Severity.WARNING)
    if _BLANK_LINE.match(separator) is None:
        yield rule.finding("no blank line before LIGHTMAPS: the engine's memory parser misreads the count")
    if heading != b"LIGHTMAPS":
        yield rule.finding("{heading!r} is not in capitals: the game does not find it", heading=heading)


def _read_lightmaps(
    data: bytes, start: int, findings: list[Diagnostic]
) -> tuple[Line | None, tuple[Row, ...], int]:
    """The section of lightmaps after its heading: its number of rows, its rows, and their end."""
    header = COUNT.match(data, start)
    if header is None:
        findings.append(Rule("W04", HEADING.name).finding("no number of rows"))
        return None, (), start
    line, count = Line(*_fields(LIGHTMAP_COUNT, header)), int(header["count"])
    if count <= 0:
        findings.append(Rule("W04", LIGHTMAP_COUNT, "count").finding("{count} rows", count=count))
        return line, (), header.end()
    rows, end = _read_rows(data, header.end(), count, (LIGHTMAP_COUNT, LIGHTMAPS), findings)
    findings += _leftover(data[end:], TAIL)
    rule = Rule("W08", LIGHTMAPS, "name", Severity.WARNING)
    findings += rule.of_problems(without_dots([row.name for row in rows], LIGHTMAP_DOT))
    return line, rows, end


def has_dot(name: bytes, within: int) -> bool:
    """Whether a name has a dot that the game accepts: among its first characters."""
    return b"." in name[:within]


def without_dot(name: bytes, within: int) -> Text:
    """Reason for which the game rejects a name: its dot comes too late, or there is none."""
    if b"." not in name:
        return _("{name} has no dot", name=text_of(name))
    place = 1 + name.index(b".")
    words = "{name} has its first dot as character {place}, the game looks at the first {count}"
    return _(words, name=text_of(name), place=place, count=within)


def without_dots(names: Sequence[bytes], within: int) -> dict[int, str]:
    """Reasons for which the game rejects names, by their index; it does not look for one that is empty."""
    rejected = ((row, name) for row, name in enumerate(names) if name and not has_dot(name, within))
    return {row: without_dot(name, within) for row, name in rejected}


def _leftover(text: bytes, table: str) -> Iterator[Diagnostic]:
    if size := len(text.strip()):
        rule = Rule("W09", table, severity=Severity.WARNING)
        yield rule.finding("{size} bytes after the last row are ignored", size=size)


Texts = dict[str, bytes]
"""The texts of a line by field."""


def texts_of(line: Line) -> Texts:
    """The texts of all fields of a line, empty for those that it does not have."""
    stored = {field.name for field in line.record.fields}
    fields = ROW_FIELDS if isinstance(line, Row) else COUNT_FIELDS
    return {field.name: line.text(field.name) if field.name in stored else b"" for field in fields}


def with_text(line: Line, field: str, text: bytes) -> bytes:
    """A line with another text in a field.

    Raises `ValueError` if it would not be read back as such a line, or would no longer end.
    """
    texts = texts_of(line) | {field: text}
    written = b"".join(texts.values())
    found = (ROW if isinstance(line, Row) else COUNT).fullmatch(written)
    # Without its end a line would be read together with the next one.
    loses_end = texts_of(line)["rest"].endswith(b"\n") and not written.endswith(b"\n")
    if found is None or found.groups() != tuple(texts.values()) or loses_end:
        raise ValueError(
            _("{text!r} would not be read back as the {field} of a line", text=text, field=field)
        )
    return written


def new_row(line: Row | None, number: int, name: bytes) -> bytes:
    """A row written like another one, or as most files have it; raises `ValueError` for a bad name."""
    if line is None:
        return b"%d %s\r\n" % (number, name)
    texts = texts_of(line) | {"number": b"%d" % number, "name": name}
    # The end of the other row's line only: a remark behind its name is not the new one's. The last row of a
    # text may have no end, which a row after it needs.
    rest = b"\r\n" if texts["rest"].endswith(b"\r\n") or not texts["rest"] else b"\n"
    return texts["indent"] + texts["number"] + texts["gap"] + name + rest
