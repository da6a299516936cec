"""Description of a part (``objects.dlb``, type ``DSCR``): a text of tagged lines.

Every byte of the text is part of a line: a line is a record whose fields are as wide as their text.

Source: spec/field-notes.md 11.
Status: inferred.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.formats.findings import Rule
from viewer.formats.layout.layout import Layout
from viewer.formats.layout.lists import Listing, TextLine
from viewer.formats.record import ASCII, CP1251, Bytes, Field, Record, Status
from viewer.formats.text import decode as text_of
from viewer.formats.wear import Line
from viewer.json_types import JsonObject, Natural, described

LINES: Final = "lines"
CODE, NAME, FEEDS = b"#1", b"#2", b"#5"
FREE: Final = (b"#3", b"#4")
VALUES: Final = tuple(b"#%c" % letter for letter in b"6789A")
CATALOG, PANEL = b"//", b"@G@"
"""Tags of lines."""
FIELDS: Final = (
    Field(
        "tag",
        "V1",
        "// catalog; #1 code; #2 name; #3, #4 text; #5 weapon that a clip feeds; #6 to #A key=value; @G@ row "
        "of the part's panel.",
        encoding=ASCII,
        status=Status.INFERRED,
    ),
    Field("text", "V1", "What the tag says.", encoding=CP1251, status=Status.INFERRED),
    Field("rest", "V1", "End of the line.", encoding=ASCII),
)
"""The fields of a line; their widths are those of the line."""
# Tag, text and end may each be empty, so that any bytes are lines and none is left over. The text is lazy:
# carriage returns before the end of a line are all in `rest`, also more than one.
_LINE: Final = re.compile(
    rb"(?P<tag>//|#[0-9A-Z]|@G@|)(?P<text>[^\n]*?)(?P<rest>\r*\n|\r*\Z)",
)
# Nine digits fit 32 bits; `int` refuses a text of more than 4300 of them with an error of Python's own.
_TAB: Final = re.compile(rb"G(\d{1,9}):L(\d{1,9})\s*")
_ROW: Final = re.compile(rb"(?P<label>[^@]*)@B,(?P<field>[^,@]*),G,(?P<unit>[^,@]*),[^@]*@\s*")


class Description(Struct, frozen=True):
    """A decoded description: its lines."""

    lines: tuple[Line, ...]
    diagnostics: tuple[Diagnostic, ...] = ()

    def texts(self, *tags: bytes) -> Iterator[bytes]:
        """The texts of the lines with one of some tags, in order."""
        for line in self.lines:
            if _field(line, "tag") in tags:
                yield _field(line, "text")

    @property
    def name(self) -> bytes:
        """The name on screen; empty if there is none."""
        return next(self.texts(NAME), b"").strip()

    @property
    def code(self) -> bytes:
        """The short code; empty if there is none."""
        return next(self.texts(CODE), b"").strip()


def _field(line: Line, name: str) -> bytes:
    """The text of a field of a line; empty if the line does not have it."""
    return line.text(name) if name in (line.values.dtype.names or ()) else b""


def decode(data: Bytes) -> Description:
    """The lines of a text; any bytes are lines."""
    raw = bytes(data)
    # The last match is the empty one after the last byte.
    matches = (it for it in _LINE.finditer(raw) if it[0])
    description = Description(tuple(Line(*_read(it)) for it in matches))
    if description.name:
        return description
    rule = Rule("DSC01", LINES if description.lines else "", severity=Severity.WARNING)
    finding = rule.finding("no line #2, so the part has no name on screen")
    return replace(description, diagnostics=(finding,))


def _read(match: re.Match[bytes]) -> tuple[Record, np.void]:
    record = _record(tuple(map(len, match.groups())))
    values: np.void = np.frombuffer(match[0], record.dtype)[0]
    return record, values


# Keyed by the widths: lines of equal widths share a record, so that its dtype is made once.
@lru_cache(maxsize=1024)
def _record(widths: tuple[int, ...]) -> Record:
    """The record of a line with these field widths; empty fields are left out."""
    stored = (
        replace(declared, dtype=f"V{width}")
        for declared, width in zip(FIELDS, widths, strict=True)
        # numpy has no field of 0 bytes.
        if width
    )
    return Record(LINES, sum(widths), *stored, doc="A tag and what it says.")


LAYOUT = Layout(
    Description,
    reader=decode,
    lines=Listing(
        LINES,
        TextLine(LINES, FIELDS, {"tag": b"", "text": b"", "rest": b"\r\n"}),
        "Tags and what they say.",
    ),
)
encode, parts = LAYOUT.encode, LAYOUT.parts


class PanelRow(JsonObject, frozen=True):
    """A row of the panel of a part."""

    label: str
    field: Annotated[str, described("the field of the part that it shows")]
    unit: str


class DescriptionFacts(Struct, frozen=True):
    """Values of the lines of a description."""

    code: str | None
    name: str
    tab: Natural | None
    level: Natural | None
    kind: Sequence[str]
    feeds: Annotated[str | None, described("the code of the part that it is a clip of")]
    free: Annotated[Sequence[str], described("texts for people")]
    fields: Annotated[Mapping[str, Any], described("values by the names of the fields of the part")]
    rows: Sequence[PanelRow]


def facts(description: Description, _ignored: object = None) -> DescriptionFacts:
    """Values of the lines, by their tags."""
    tab, level, kind = _catalog(description)
    rows = (_ROW.fullmatch(text) for text in description.texts(PANEL))
    return DescriptionFacts(
        code=text_of(description.code) or None,
        name=text_of(description.name),
        tab=tab,
        level=level,
        kind=kind,
        feeds=text_of(next(description.texts(FEEDS), b"").strip()) or None,
        free=(*map(text_of, description.texts(*FREE)),),
        fields=dict(_values(description)),
        rows=[
            PanelRow(**{name: text_of(raw.strip()) for name, raw in row.groupdict().items()})
            for row in rows
            if row
        ],
    )


def _catalog(description: Description) -> tuple[int | None, int | None, tuple[str, ...]]:
    """Tab and level, and the parts of the kind: size, kind, kinds in it, mark."""
    tab, level = None, None
    kind: tuple[str, ...] = ()
    for text in description.texts(CATALOG):
        if place := _TAB.fullmatch(text):
            tab, level = int(place[1]), int(place[2])
        # The first line that is not a tab. It is split, not matched: ``//M:WPN:GUN:LAS:MK2:A1`` has six
        # parts, others fewer (spec/field-notes.md 11).
        elif not kind:
            kind = tuple(text_of(text.strip()).split(":"))
    return tab, level, kind


def _values(description: Description) -> Iterator[tuple[str, int | str]]:
    for text in description.texts(*VALUES):
        key, equals, raw = text.partition(b"=")
        if equals:
            value = text_of(raw.strip())
            yield text_of(key.strip()), int(value) if re.fullmatch(r"-?[0-9]{1,9}", value) else value
